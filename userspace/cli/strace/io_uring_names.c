// SPDX-License-Identifier: GPL-2.0-only
/* Operations of io_uring by name. */
#include <ctype.h>
#include "strace/paint.h"

/* IORING_OP_* in the kernel's include/uapi/linux/io_uring.h, of 7.3. */
static const char *const names[] = {
	"NOP", "READV", "WRITEV", "FSYNC", "READ_FIXED", "WRITE_FIXED", "POLL_ADD", "POLL_REMOVE",
	"SYNC_FILE_RANGE", "SENDMSG", "RECVMSG", "TIMEOUT", "TIMEOUT_REMOVE", "ACCEPT", "ASYNC_CANCEL",
	"LINK_TIMEOUT", "CONNECT", "FALLOCATE", "OPENAT", "CLOSE", "FILES_UPDATE", "STATX", "READ",
	"WRITE", "FADVISE", "MADVISE", "SEND", "RECV", "OPENAT2", "EPOLL_CTL", "SPLICE",
	"PROVIDE_BUFFERS", "REMOVE_BUFFERS", "TEE", "SHUTDOWN", "RENAMEAT", "UNLINKAT", "MKDIRAT",
	"SYMLINKAT", "LINKAT", "MSG_RING", "FSETXATTR", "SETXATTR", "FGETXATTR", "GETXATTR", "SOCKET",
	"URING_CMD", "SEND_ZC", "SENDMSG_ZC", "READ_MULTISHOT", "WAITID", "FUTEX_WAIT", "FUTEX_WAKE",
	"FUTEX_WAITV", "FIXED_FD_INSTALL", "FTRUNCATE", "BIND", "LISTEN", "RECV_ZC", "EPOLL_WAIT",
	"READV_FIXED", "WRITEV_FIXED", "PIPE", "NOP128", "URING_CMD128",
};

const char *io_uring_op_name(uint64_t opcode)
{
	return opcode < ARRAY_SIZE(names) ? names[opcode] : NULL;
}

void io_uring_op_put(struct sbuf *b, uint64_t opcode)
{
	const char *name = io_uring_op_name(opcode);

	sbuf_puts(b, IO_URING_OP);
	for (; name && *name; name++)
		sbuf_putc(b, (char)tolower((unsigned char)*name));
	if (opcode >= ARRAY_SIZE(names))
		sbuf_u64(b, opcode);
}
