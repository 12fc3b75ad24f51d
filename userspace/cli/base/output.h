/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Did the output arrive? A write may fail within any printf(), for example on a full disk. stdio then drops
 * the data that it could not write, succeeds at the next fflush(), and shows the error only in ferror(). So
 * ask here.
 */
#ifndef CTRACE_OUTPUT_H
#define CTRACE_OUTPUT_H

#include <stdio.h>

/* Before the first file is opened: a standard descriptor that is closed must not become that file. */
void output_init(void);
/* Opens a file for writing; "-" is standard output. NULL: see errno. */
FILE *output_open(const char *path);
/* A temporary file without a name. *dir: the directory that it is in, TMPDIR or /tmp. NULL: see errno. */
FILE *output_temporary(const char **dir);
/*
 * The name of a file in messages. If path is /proc/self/fd/N: the file that N is, or its directory if that
 * file has no name. Any other path is its own name. Good until the next call.
 */
const char *output_name(const char *path);
/* Writes the buffer. 0, or -errno of the first failed write since f was opened. */
int output_flush(FILE *f);
/* The same, and closes f, except for standard output. */
int output_close(FILE *f);
/*
 * The same for a file that is useless unless it is whole: on error it is removed, unless it is a device. err:
 * an error that has already happened, 0 or -errno.
 */
int output_close_whole(FILE *f, const char *path, int err);

#endif
