/* SPDX-License-Identifier: GPL-2.0-only */
/* System calls on files, by what they do. */
#ifndef CTRACE_FILE_OPS_H
#define CTRACE_FILE_OPS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Lists for -e; no kernel has all these calls. close() is in none of them: its file's name is known only if
 * it is looked up before the call.
 */
#define FILE_OPS_READ	"read,pread64,readv,preadv,preadv2"
#define FILE_OPS_WRITE	"write,pwrite64,writev,pwritev,pwritev2"
#define FILE_OPS_COPY	"copy_file_range,sendfile,sendfile64,splice"
#define FILE_OPS_OPEN	"open,openat,openat2,creat"
#define FILE_OPS_SYNC	"fsync,fdatasync,sync_file_range,syncfs"
#define FILE_OPS_STAT	"stat,lstat,fstat,newfstatat,fstatat64,stat64,lstat64,fstat64,statx"
#define FILE_OPS_LIST	"getdents,getdents64"
#define FILE_OPS_NAMES	"rename,renameat,renameat2,unlink,unlinkat,rmdir,mkdir,mkdirat,link,linkat,symlink,symlinkat"
#define FILE_OPS_SIZE	"truncate,ftruncate,truncate64,ftruncate64,fallocate"
#define FILE_OPS \
	FILE_OPS_READ "," FILE_OPS_WRITE "," FILE_OPS_COPY "," FILE_OPS_OPEN "," FILE_OPS_SYNC "," FILE_OPS_STAT "," \
	FILE_OPS_LIST "," FILE_OPS_NAMES "," FILE_OPS_SIZE

/*
 * Operations of io_uring on files, by IORING_OP_*: READV, READ_FIXED, READ, READ_MULTISHOT, READV_FIXED;
 * WRITEV, WRITE_FIXED, WRITE, WRITEV_FIXED; OPENAT, OPENAT2; FSYNC, SYNC_FILE_RANGE; STATX; RENAMEAT,
 * UNLINKAT, MKDIRAT, SYMLINKAT, LINKAT; FALLOCATE, FTRUNCATE. Not CLOSE: nothing says what was closed.
 */
#define FILE_OPS_IO_URING \
	"opcode == 1 || opcode == 4 || opcode == 22 || opcode == 49 || opcode == 60 || " \
	"opcode == 2 || opcode == 5 || opcode == 23 || opcode == 61 || opcode == 18 || " \
	"opcode == 28 || opcode == 3 || opcode == 8 || opcode == 21 || opcode == 35 || " \
	"opcode == 36 || opcode == 37 || opcode == 38 || opcode == 39 || opcode == 17 || " \
	"opcode == 55"
#define FILE_OPS_IO_URING_FILE	"file == 1 && (" FILE_OPS_IO_URING ")"	/* not on sockets and pipes */
#define FILE_OPS_IO_URING_OPEN	"opcode == 18 || opcode == 28"

/* read, write, ...; the call's own name if it is in no list. */
const char *file_op(const char *call);
/* The same of an operation of io_uring; NULL: it is none on files. */
const char *file_op_io_uring(uint64_t opcode);
/* Is what it returns a number of bytes? */
bool file_op_moves(const char *op);

#endif
