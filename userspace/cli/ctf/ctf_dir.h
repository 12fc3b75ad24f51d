/* SPDX-License-Identifier: GPL-2.0-only */
/* The directory of a recording: made, taken over, written to without half-files. */
#ifndef CTRACE_CTF_DIR_H
#define CTRACE_CTF_DIR_H

#include <stdbool.h>
#include <stddef.h>

/* Makes or takes the directory, with its ctrace/ in it. Its descriptor, or -1 after a message. */
int ctf_dir_open(const char *path, bool force);
/* Puts the file there whole: a reader sees the old or the new. 0 or -errno. */
int ctf_dir_replace(int dirfd, const char *name, const char *text, size_t len);
/* Is this the name of one of our stream files? */
bool ctf_dir_is_stream(const char *name);

#endif
