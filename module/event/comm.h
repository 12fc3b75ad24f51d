/* SPDX-License-Identifier: GPL-2.0-only */
/* A task's name, in records. */
#ifndef CTRACE_COMM_H
#define CTRACE_COMM_H

#include <asm/byteorder.h>
#include <linux/bug.h>
#include <linux/sched.h>
#include <linux/string.h>
#include "../uapi/ctrace.h"

/* Eight bytes of a text, all of them 0 from the first 0 on. */
static __always_inline u64 ctrace_comm_trim(u64 w)
{
	u64 end;

	w = le64_to_cpu((__force __le64)w);
	/* marks the top bit of each byte that is 0; only the first mark is reliable */
	end = (w - 0x0101010101010101ull) & ~w & 0x8080808080808080ull;
	if (end)
		w &= ((end & -end) >> 7) - 1;
	return (__force u64)cpu_to_le64(w);
}

/*
 * A copy of a task's name. A rename at the same time may tear it, but it is always terminated: its last byte
 * is 0. The bytes behind its end are cleared: some kernels leave the rest of a longer name there, perhaps of
 * a parent in another container (seen on RHEL 7.9).
 */
static __always_inline void ctrace_copy_comm(char *to, const char *comm)
{
	const u64 last = (__force u64)cpu_to_le64(0xffull << 56);	/* of eight bytes */
	u64 w0, w1;

	BUILD_BUG_ON(2 * sizeof(u64) != CTRACE_COMM_LEN);
	memcpy(&w0, comm, sizeof(w0));
	memcpy(&w1, comm + sizeof(w0), sizeof(w1));
	/* look at the copy, not at the name once more */
	OPTIMIZER_HIDE_VAR(w0);
	OPTIMIZER_HIDE_VAR(w1);
	w0 = ctrace_comm_trim(w0);
	w1 = w0 & last ? ctrace_comm_trim(w1 & ~last) : 0;
	memcpy(to, &w0, sizeof(w0));
	memcpy(to + sizeof(w0), &w1, sizeof(w1));
}

/* p's name, or an empty one unless show. */
static __always_inline void ctrace_put_comm(char *to, const struct task_struct *p, bool show)
{
	BUILD_BUG_ON(sizeof(p->comm) < CTRACE_COMM_LEN);
	if (show)
		ctrace_copy_comm(to, p->comm);
	else
		memset(to, 0, CTRACE_COMM_LEN);
}

#endif
