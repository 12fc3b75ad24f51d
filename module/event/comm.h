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
 * p's name, or an empty one unless show. It may be torn by a rename meanwhile, but is always
 * terminated: its last byte is 0. The bytes behind its end are cleared: some kernels leave the rest
 * of a longer name there, perhaps of a parent in another container (seen on RHEL 7.9).
 */
static __always_inline void ctrace_put_comm(char *to, const struct task_struct *p, bool show)
{
	u64 w[2] = { 0, 0 };
	char *text = (char *)w;

	BUILD_BUG_ON(sizeof(w) != CTRACE_COMM_LEN || sizeof(p->comm) < CTRACE_COMM_LEN);
	if (show) {
		memcpy(w, p->comm, CTRACE_COMM_LEN);
		/* look at the copy, not at p->comm once more */
		barrier();
		text[CTRACE_COMM_LEN - 1] = 0;
		w[0] = ctrace_comm_trim(w[0]);
		w[1] = text[7] ? ctrace_comm_trim(w[1]) : 0;
	}
	memcpy(to, w, CTRACE_COMM_LEN);
}

#endif
