/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files that others chose: a container or a user put the file where we look, or wrote the path. Such a name
 * may be a link, a device whose opening has effects, a pipe, or a file that the kernel makes up. So it is
 * opened with O_PATH, which touches nothing, then checked, and opened for reading only if it is the kind of
 * file that was asked for.
 *
 * A file system whose server is gone may never answer, so such files are read in a separate process:
 * base/far.h. There, each step first says which file system it may wait for, and skips one that did not
 * answer before.
 */
#ifndef CTRACE_FOREIGN_H
#define CTRACE_FOREIGN_H

#include <dirent.h>
#include "base/util.h"

struct stat;

/*
 * Each opens a regular file for reading if it has contents on a disk or in memory, and says in *st what it
 * is. A descriptor or -1. What proc, sysfs and their like make up has no blocks.
 */
/* Where path leads, through links. dev: the device of the file, 0: not known. */
int foreign_open(const char *path, uint64_t dev, struct stat *st);
/* At path below root ("": this machine's). Links are followed as by a process with that root directory. */
int foreign_open_in_root(const char *root, const char *path, struct stat *st);
/* At path below the directory in, through no link. */
int foreign_open_below(int in, const char *path, struct stat *st);

/*
 * Call it before reading again an fd opened here, if others were read since. False: its file system did not
 * answer.
 */
bool foreign_touch(int fd);
/* Closing waits for a file system, too. -1: nothing is done. */
void foreign_close(int fd);

/*
 * A directory, where path leads; or below the directory in, through no link, if that is not -1. NULL: there
 * is none.
 */
DIR *foreign_dir(int in, const char *path);

/*
 * The text of a file that is longer than nothing and has at most limit bytes; the caller frees it. in: as
 * foreign_dir(). owner: it must belong to that user; NULL: to anybody.
 */
char *foreign_text(int in, const char *path, const uint32_t *owner, size_t limit, size_t *len);

#endif
