// SPDX-License-Identifier: GPL-2.0-only
/* Operations of io_uring by name. */
#include <ctype.h>
#include <string.h>
#include "base/util.h"
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

static void put_small(struct sbuf *b, const char *name)
{
	for (; *name; name++)
		sbuf_putc(b, (char)tolower((unsigned char)*name));
}

void io_uring_op_put(struct sbuf *b, uint64_t opcode)
{
	const char *name = io_uring_op_name(opcode);

	sbuf_puts(b, IO_URING_OP);
	if (name)
		put_small(b, name);
	else
		sbuf_u64(b, opcode);
}

bool io_uring_op_call(struct sbuf *b, uint64_t opcode)
{
	/* how the name of an operation ends where its call's does not */
	static const struct { const char *op, *call; } ends[] = {
		{ "_fixed", "" }, { "_multishot", "" }, { "_zc", "" }, { "poll_add", "poll" },
		{ "fadvise", "fadvise64" },
	};
	const char *name = io_uring_op_name(opcode);

	sbuf_reset(b);
	if (!name)
		return false;
	put_small(b, name);
	for (size_t i = 0; i < ARRAY_SIZE(ends); i++) {
		size_t n = strlen(ends[i].op);

		if (b->len < n || strcmp(b->s + b->len - n, ends[i].op))
			continue;
		b->len -= n;
		sbuf_puts(b, ends[i].call);
		break;
	}
	return true;
}
