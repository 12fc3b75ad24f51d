/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * io_uring's requests, and the prototypes of its tracepoints: the submission's is called when a request
 * has been read and found good, the completion's when its result is written for the program.
 */
#ifndef CTRACE_COMPAT_IO_URING_H
#define CTRACE_COMPAT_IO_URING_H

#include <linux/fs.h>
#include <linux/sched.h>
#include <linux/types.h>
#include "facts.h"

/* What a request says when it is submitted. */
struct ctrace_compat_io_uring_op {
	u64 user_data;
	s32 fd;			/* valid for operations on a file only */
	u8 opcode;		/* IORING_OP_* */
	u8 sqe_flags;		/* IOSQE_* */
};

#if (defined(CTRACE_HAVE_IO_URING_SUBMIT_SQE) || defined(CTRACE_HAVE_IO_URING_SUBMIT_REQ)) &&	\
	(defined(CTRACE_HAVE_IO_URING_COMPLETE_EXTRA) || defined(CTRACE_HAVE_IO_URING_COMPLETE_CQE))
#include <linux/io_uring_types.h>

#define CTRACE_COMPAT_IO_URING_LACKS	NULL

#ifdef CTRACE_HAVE_IO_URING_SUBMIT_REQ
#define CTRACE_COMPAT_IO_URING_SUBMIT	"io_uring_submit_req"
#define CTRACE_PROBE_IO_URING_SUBMIT(fn)	fn(void *data, struct io_kiocb *req)
#else
#define CTRACE_COMPAT_IO_URING_SUBMIT	"io_uring_submit_sqe"
#define CTRACE_PROBE_IO_URING_SUBMIT(fn)	fn(void *data, struct io_kiocb *req, bool force_nonblock)
#endif

/*
 * req is NULL if the request has not ended, or is another ring's. The second macro is the result, the third
 * the user_data.
 */
#ifdef CTRACE_HAVE_IO_URING_COMPLETE_CQE
#define CTRACE_PROBE_IO_URING_COMPLETE(fn)							\
	fn(void *data, struct io_ring_ctx *ctx, void *req, struct io_uring_cqe *cqe)
#define CTRACE_PROBE_IO_URING_RES	cqe->res
#define CTRACE_PROBE_IO_URING_DATA	cqe->user_data
#else
#define CTRACE_PROBE_IO_URING_COMPLETE(fn)							\
	fn(void *data, void *ctx, void *req, u64 user_data, int res, unsigned int cflags, u64 extra1,	\
	   u64 extra2)
#define CTRACE_PROBE_IO_URING_RES	res
#define CTRACE_PROBE_IO_URING_DATA	user_data
#endif

static inline void ctrace_compat_io_uring_op(const struct io_kiocb *req,
					     struct ctrace_compat_io_uring_op *op)
{
	op->user_data = req->cqe.user_data;
	op->fd = req->cqe.fd;
	op->opcode = req->opcode;
	op->sqe_flags = (__force u64)req->flags;	/* the lowest bits */
}

/*
 * The file that the request works on, while its completion is called: the request, or the ring for it, has a
 * reference until the result is written. NULL: it has none. For operations on a file only.
 */
static inline struct file *ctrace_compat_io_uring_file(const struct io_kiocb *req)
{
	return READ_ONCE(req->file);
}

/*
 * Which task a session has to follow to have what p submits. The ring's thread (SQPOLL) is one of its
 * process, but sched_process_fork is not called for it, so it is not followed itself: the first thread stands
 * for it. That stays as long as p, and then for a grace period. Context: preemption off.
 */
static inline const struct task_struct *ctrace_compat_io_uring_followed(const struct task_struct *p)
{
	return p && p->flags & PF_IO_WORKER ? READ_ONCE(p->group_leader) : p;
}

#ifdef CTRACE_HAVE_IO_URING_SQES
#include <linux/nospec.h>
#include <uapi/linux/io_uring.h>

/*
 * Where the program has the path that the submission has just read: at offset `at` of the entry that the ring
 * read last. The kernel's copy of it is in structs that no header for modules has. Context: the submission,
 * which holds the ring's mutex, so the ring's memory stays. The program can write the entries, and the array
 * of their numbers, at any time: each is read once, and a number is checked. 0: the entry is not this
 * request's, or no longer.
 */
static inline u64 ctrace_compat_io_uring_address(const struct io_kiocb *req, size_t at)
{
	const struct io_ring_ctx *ctx = req->ctx;
	u32 i = (ctx->cached_sq_head - 1) & (ctx->sq_entries - 1);
	const struct io_uring_sqe *sqe;

	if (ctx->sq_array)	/* NULL: the entries are taken in their order */
		i = READ_ONCE(ctx->sq_array[i]);
	if (i >= ctx->sq_entries)
		return 0;
	i = array_index_nospec(i, ctx->sq_entries);
	sqe = &ctx->sq_sqes[ctx->flags & IORING_SETUP_SQE128 ? 2 * i : i];
	if (READ_ONCE(sqe->opcode) != req->opcode || READ_ONCE(sqe->user_data) != req->cqe.user_data)
		return 0;
	return READ_ONCE(*(const u64 *)((const char *)sqe + at));
}
#else
static inline u64 ctrace_compat_io_uring_address(const struct io_kiocb *req, size_t at)
{
	return 0;
}
#endif

#else
/*
 * Before 6.0 a completion has the ring and the user_data alone. The program chooses user_data, and may use
 * one for several requests at a time; of these one could still say that they are ambiguous. But a request
 * that the kernel refuses while it reads it, and the tag of a registered buffer or file that goes, complete
 * with any user_data, too, and were never submitted. Such a completion would be taken for that of the request
 * under way with this user_data, and nothing would show the mistake. That goes for 5.15, and for 5.10.162 and
 * later, which have io_uring from 5.15, although their submission has the request. kprobes do not help: what
 * writes a result is inlined into its callers, and struct io_kiocb, which has the request's descriptor, is
 * private to the kernel's file.
 */
#define CTRACE_COMPAT_IO_URING_LACKS								\
	"this kernel's tracepoints of io_uring do not tell requests apart (before 6.0)"
#define CTRACE_COMPAT_IO_URING_SUBMIT	"io_uring_submit_sqe"
#define CTRACE_PROBE_IO_URING_SUBMIT(fn)	fn(void *data, struct io_kiocb *req)
#define CTRACE_PROBE_IO_URING_COMPLETE(fn)	fn(void *data, void *req, u64 user_data, int res)
#define CTRACE_PROBE_IO_URING_RES	res
#define CTRACE_PROBE_IO_URING_DATA	user_data

struct io_kiocb;
static inline void ctrace_compat_io_uring_op(const struct io_kiocb *req,
					     struct ctrace_compat_io_uring_op *op)
{
}

static inline struct file *ctrace_compat_io_uring_file(const struct io_kiocb *req)
{
	return NULL;
}

static inline const struct task_struct *ctrace_compat_io_uring_followed(const struct task_struct *p)
{
	return p;
}

static inline u64 ctrace_compat_io_uring_address(const struct io_kiocb *req, size_t at)
{
	return 0;
}
#endif

#endif
