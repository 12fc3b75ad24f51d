/* SPDX-License-Identifier: GPL-2.0-only */
/* The directory of a recording: making it, taking one over, writing files that are never half there. */
#ifndef CTRACE_CTF_DIR_H
#define CTRACE_CTF_DIR_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Makes the directory, or takes over one that is there, and makes ctrace/ in it. Returns its
 * descriptor, or -1 after a message.
 */
int ctf_dir_open(const char *path, bool force);
/* Replaces a file in one step: a reader sees all of the old text or all of the new. 0 or -errno. */
int ctf_dir_replace(int dirfd, const char *name, const char *text, size_t len);
/* Is this the name of one of our stream files? */
bool ctf_dir_is_stream(const char *name);

#endif
