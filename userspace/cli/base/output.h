/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Did the output arrive? A write that fails, on a full disk for example, may do so within any printf(). stdio then drops
 * what it could not write, succeeds at the next fflush(), and says only by ferror() that there was an error. So ask here.
 */
#ifndef CTRACE_OUTPUT_H
#define CTRACE_OUTPUT_H

#include <stdio.h>

/* Before the first file is opened: a standard descriptor that is closed must not become that file. */
void output_init(void);
/* Opens a file for writing; "-" is standard output. NULL: see errno. */
FILE *output_open(const char *path);
/* A file for what does not stay. It has no name; *dir: where it is, which is TMPDIR or /tmp. NULL: see errno. */
FILE *output_temporary(const char **dir);
/*
 * What to call it in a message if path is /proc/self/fd/N: the file that this is, or where it is if that has no name. Any
 * other path is its own name. Good until the next call.
 */
const char *output_name(const char *path);
/* Writes what is in the buffer. 0, or -errno of the first write since f was opened that failed. */
int output_flush(FILE *f);
/* The same, and closes f, except for standard output. */
int output_close(FILE *f);
/*
 * The same, of a file that is of no use unless it is whole: on error it is removed, but a device stays. err: what has
 * already failed, 0 or -errno.
 */
int output_close_whole(FILE *f, const char *path, int err);

#endif
