/* SPDX-License-Identifier: GPL-2.0-only */
/* System calls on files, by what they do. */
#ifndef CTRACE_FILE_OPS_H
#define CTRACE_FILE_OPS_H

#include <stdbool.h>

/*
 * Lists for -e; no kernel has all these calls. close() is in none of them: its file's name is known only if
 * it is looked up before the call.
 */
#define FILE_OPS_READ	"read,pread64,readv,preadv,preadv2"
#define FILE_OPS_WRITE	"write,pwrite64,writev,pwritev,pwritev2"
#define FILE_OPS_COPY	"copy_file_range,sendfile,sendfile64"
#define FILE_OPS_OPEN	"open,openat,openat2,creat"
#define FILE_OPS_SYNC	"fsync,fdatasync,sync_file_range,syncfs"
#define FILE_OPS_STAT	"stat,lstat,fstat,newfstatat,fstatat64,stat64,lstat64,fstat64,statx"
#define FILE_OPS_LIST	"getdents,getdents64"
#define FILE_OPS_NAMES	"rename,renameat,renameat2,unlink,unlinkat,rmdir,mkdir,mkdirat,link,linkat,symlink,symlinkat"
#define FILE_OPS_SIZE	"truncate,ftruncate,truncate64,ftruncate64,fallocate"
#define FILE_OPS \
	FILE_OPS_READ "," FILE_OPS_WRITE "," FILE_OPS_COPY "," FILE_OPS_OPEN "," FILE_OPS_SYNC "," FILE_OPS_STAT "," \
	FILE_OPS_LIST "," FILE_OPS_NAMES "," FILE_OPS_SIZE

/* read, write, ...; the call's own name if it is in no list. */
const char *file_op(const char *call);
/* Is what it returns a number of bytes? */
bool file_op_moves(const char *op);

#endif
