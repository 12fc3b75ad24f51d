// SPDX-License-Identifier: GPL-2.0-only
/*
 * Operations of io_uring: one record for each, written when its result is.
 *
 *	submission	who? wanted? take the request's place in the table; note owner, operation, time there
 *	completion	find the place; still wanted? emit; free the place
 *
 * The record is that of the task that submitted the operation: the caller of io_uring_enter(), or with
 * SQPOLL the ring's thread, which is one of the process. It completes in any context: in that task, in a
 * worker, in another container's task that shares the ring, in an interrupt.
 *
 * Not every request is completed so that we hear of it (IOSQE_CQE_SKIP_SUCCESS, a full ring of results),
 * so a place may be left behind. The address of its request is soon used again, and a submission always
 * renews the place, or frees it. A request that completes without having been submitted, because the kernel
 * did not accept it, may find such a place: but not with the user_data.
 *
 * A request with several results (multishot) makes one record, at the last. A completion of a request
 * that has no place is counted (unfollowed): that is one that was refused, or begun before the probe, or
 * whose place a newer one took.
 */
#include "probe/table.h"
#include "emit/emit.h"
#include "session/inflight.h"
#include "event/call_memory.h"
#include "event/fd_name.h"
#include "compat/clock.h"
#include "compat/io_uring.h"
#include "compat/syscall.h"
#include "compat/tracepoint.h"

struct request {
	struct ctrace_owned begun;
	u64 start;			/* of the owner's task, whose address is used again */
	struct ctrace_compat_io_uring_op op;
	u32 path_len;			/* with its NUL */
	char path[CTRACE_STR_MAX];
};

static struct ctrace_inflight requests __read_mostly = {
	.stride = sizeof(struct request), .bits = 12, .owned = true,
};

#define ALL_SQE_FLAGS	0x7f		/* IOSQE_*; what is above is the kernel's own */
#define REGISTERED	0x01		/* IOSQE_FIXED_FILE: fd is a number in the ring's own table */

#define OP(nr)	(1ull << (nr) % 64)
/*
 * The operations on a file, by IORING_OP_*: of the others, what the kernel has in the place of the
 * descriptor is anything.
 */
static const u64 has_fd[] = {
	OP(1) | OP(2) | OP(3) | OP(4) | OP(5) | OP(6) | OP(8) | OP(9) | OP(10) | OP(13) | OP(16) | OP(17) | OP(22) |
	OP(23) | OP(24) | OP(26) | OP(27) | OP(30) | OP(33) | OP(34) | OP(40) | OP(41) | OP(43) | OP(46) | OP(47) |
	OP(48) | OP(49) | OP(54) | OP(55) | OP(56) | OP(57) | OP(58) | OP(59) | OP(60) | OP(61),
	OP(64),
};

static bool on_file(u8 opcode)
{
	return opcode < 64 * ARRAY_SIZE(has_fd) && has_fd[opcode / 64] & OP(opcode);
}

/* Where operations have a path, in struct io_uring_sqe (ABI): of two paths, the first. 0: they have none. */
static u32 path_at(u8 opcode)
{
	static const u8 at[] = {
		[18] = 16, [21] = 16, [28] = 16,	/* OPENAT, STATX, OPENAT2: addr */
		[35] = 16, [36] = 16, [37] = 16,	/* RENAMEAT, UNLINKAT, MKDIRAT */
		[38] = 16, [39] = 16,			/* SYMLINKAT, LINKAT */
		[42] = 48, [44] = 48,			/* SETXATTR, GETXATTR: addr3 */
	};

	return opcode < ARRAY_SIZE(at) ? at[opcode] : 0;
}

/* --- submission ------------------------------------------------------------------ */

/*
 * The path that the operation is given, or what its descriptor is, if a session wants that. Current has the
 * descriptors and the root of the process: it is in io_uring_enter(), or it is the ring's thread, which
 * shares them. It holds the ring's mutex and no spinlock: the context of ctrace_fd_name(). The program may
 * change its path in memory after the kernel has read it, as it may that of a call.
 */
static void note_path(struct request *r, const struct io_kiocb *req, u32 mask)
{
	const struct ctrace_compat_io_uring_op *op = &r->op;
	u32 at = path_at(op->opcode);
	const char __user *from;
	long n = -1;

	if (at) {
		from = (const char __user *)(uintptr_t)ctrace_compat_io_uring_address(req, at);
		if (from)
			n = ctrace_compat_read_user_string(r->path, from, CTRACE_STR_MAX);
	} else if (mask & READ_ONCE(ctrace_detailed_sessions) && on_file(op->opcode) &&
		   !(op->sqe_flags & REGISTERED)) {
		n = (long)ctrace_fd_name(op->fd, r->path, CTRACE_STR_MAX) - 1;
	}
	r->path_len = n < 0 ? 1 : n + 1;
	r->path[r->path_len - 1] = 0;
}

static void forget(const struct io_kiocb *req)
{
	u32 place = ctrace_inflight_hold(&requests, req);

	if (place != CTRACE_INFLIGHT_NONE)
		ctrace_inflight_let_go(&requests, place, NULL);
}

static void CTRACE_PROBE_IO_URING_SUBMIT(probe_submit)
{
	u32 mask = ctrace_wants(CTRACE_ID_IO_URING_OP), place;
	struct ctrace_who who;
	struct request *r;

	ctrace_compat_probe_begin();
	ctrace_identity_resolve_context(&who);
	mask = ctrace_wanted(mask, who.container, ctrace_compat_io_uring_followed(who.task));
	if (!mask) {
		forget(req);
		goto out;
	}
	place = ctrace_inflight_renew(&requests, req);
	if (place == CTRACE_INFLIGHT_NONE) {
		ctrace_session_unfollowed(mask);
		goto out;
	}
	r = ctrace_inflight_at(&requests, place);
	ctrace_compat_io_uring_op(req, &r->op);
	note_path(r, req, mask);
	r->start = who.task ? ctrace_compat_task_start(who.task) : 0;
	r->begun.time = ctrace_compat_clock();
	WRITE_ONCE(r->begun.wanted, (u64)mask << 32 | CTRACE_ID_IO_URING_OP);
	ctrace_begun_by(&r->begun, &who);
	ctrace_inflight_let_go(&requests, place, req);
out:
	ctrace_compat_probe_end();
}

/* --- completion ------------------------------------------------------------------- */

#define OP_FIELDS(F)									\
	F(u64, duration) F(x64, user_data) F(s32, ret) F(s32, fd) F(u32, opcode) F(x32, sqe_flags)	\
	F(u32, file) F(string, path)
CTRACE_PAYLOAD(op_payload, OP_FIELDS);

struct op_arg {
	const struct ctrace_compat_io_uring_op *op;
	u64 duration;
	s32 ret;
	u32 file, path_len;
	const char *path;
};

static __always_inline void fill_op(void *payload, const void *arg)
{
	struct op_payload *to = payload;
	const struct op_arg *a = arg;

	to->duration = a->duration;
	to->user_data = a->op->user_data;
	to->ret = a->ret;
	to->fd = on_file(a->op->opcode) ? a->op->fd : -1;
	to->opcode = a->op->opcode;
	to->sqe_flags = a->op->sqe_flags & ALL_SQE_FLAGS;
	to->file = a->file;
	memcpy(to->path, a->path, a->path_len);
}

/*
 * Takes a copy of the request's place, and frees it. False: it has none. who: its owner; mask: the
 * sessions.
 */
static bool recall(const void *req, struct request *r, struct ctrace_who *who)
{
	u32 place = ctrace_inflight_hold(&requests, req);
	const struct request *there;
	bool known;

	if (place == CTRACE_INFLIGHT_NONE)
		return false;
	there = ctrace_inflight_at(&requests, place);
	known = ctrace_begun_whose(&there->begun, who);
	r->begun.time = there->begun.time;
	r->begun.wanted = READ_ONCE(there->begun.wanted);
	who->task = ctrace_begun_task(&there->begun.who, there->start);
	r->op = there->op;
	r->path_len = there->path_len;
	memcpy(r->path, there->path, r->path_len);
	ctrace_inflight_let_go(&requests, place, NULL);
	return known;
}

/* Is it on a path, or on a regular file or a directory? Sockets and pipes are neither. */
static bool of_file(const struct ctrace_compat_io_uring_op *op, const struct io_kiocb *req)
{
	struct file *file;	/* file_inode() takes no const one before 3.19 */

	if (!on_file(op->opcode))
		return path_at(op->opcode);
	file = ctrace_compat_io_uring_file(req);
	return file && (S_ISREG(file_inode(file)->i_mode) || S_ISDIR(file_inode(file)->i_mode));
}

/* detail: what all sessions in mask want. The name of a descriptor is for those that asked for names. */
static void emit(u32 mask, const struct ctrace_who *who, const struct request *r, struct op_arg *a,
		 const struct ctrace_detail *detail)
{
	bool path = path_at(r->op.opcode) || detail->paths;

	a->path = path ? r->path : "";
	a->path_len = path ? r->path_len : 1;
	ctrace_emit(mask, CTRACE_ID_IO_URING_OP, who, CTRACE_SIZE(op_payload) + a->path_len, fill_op, a);
}

static void on_complete(const struct io_kiocb *req, u64 user_data, s32 res)
{
	u32 mask = ctrace_wants(CTRACE_ID_IO_URING_OP), some;
	const struct ctrace_detail *detail;
	struct request r;
	struct op_arg a = { .op = &r.op, .ret = res };
	struct ctrace_who who;

	if (!recall(req, &r, &who) || r.op.user_data != user_data) {
		ctrace_identity_resolve_context(&who);
		ctrace_session_unfollowed(ctrace_wanted(mask, who.container, who.task));
		return;
	}
	a.duration = ctrace_compat_passed(r.begun.time, ctrace_compat_clock());
	mask = ctrace_wanted(mask & (r.begun.wanted >> 32), who.container,
			     ctrace_compat_io_uring_followed(who.task));
	a.file = of_file(&r.op, req);
	while ((some = ctrace_next_detail(&mask, &detail)))
		emit(some, &who, &r, &a, detail);
}

static void CTRACE_PROBE_IO_URING_COMPLETE(probe_complete)
{
	ctrace_compat_probe_begin();
	if (req)
		on_complete(req, CTRACE_PROBE_IO_URING_DATA, CTRACE_PROBE_IO_URING_RES);
	ctrace_compat_probe_end();
}

/* --- what user space gets ----------------------------------------------------------- */

static const struct ctrace_field_desc f_op[] = { CTRACE_FIELDS(OP_FIELDS) };

static const struct ctrace_event_type types[] = {
	CTRACE_TYPE(IO_URING_OP, "io_uring", "io_uring_op", "io_uring_complete", f_op),
};

static struct ctrace_source sources[] = {
	{ .tracepoint = "io_uring_complete", .fn = probe_complete, .with = { CTRACE_COMPAT_IO_URING_SUBMIT },
	  .table = &requests },
	{ .tracepoint = CTRACE_COMPAT_IO_URING_SUBMIT, .fn = probe_submit },
	{ }
};

const struct ctrace_family ctrace_family_io_uring = {
	.types = types, .ntypes = ARRAY_SIZE(types), .sources = sources, .lacks = CTRACE_COMPAT_IO_URING_LACKS,
};
