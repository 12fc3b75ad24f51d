/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A hook: what a source has instead of a tracepoint, where the kernel has none. It is a kprobe at the entry
 * of a kernel function, or a kretprobe there, whose handlers see a call's entry and its return.
 *
 * A hook is registered while its source has users, and all sessions share it. No compiler can check the
 * arguments of the function: the handlers read them with ctrace_compat_argument(), and compat/ says which is
 * which.
 *
 * Both handlers: any context incl. NMI; preemption off. They run inside a kprobe: a kprobe that they hit is
 * missed, and so is a call that begins while maxactive others are followed. ctrace_hook_missed() counts both.
 */
#ifndef CTRACE_HOOK_H
#define CTRACE_HOOK_H

#include <linux/kprobes.h>
#include <linux/types.h>

struct ctrace_hook {
	const char *const *symbols;	/* NULL-terminated; the first one that takes a kprobe is used */
	/*
	 * breakpoint: for ctrace_identity_resolve_trap(). room: of this call, zeroes; NULL without leave.
	 * False: the return is not looked at.
	 */
	bool (*enter)(struct pt_regs *regs, bool breakpoint, void *room);
	void (*leave)(struct pt_regs *regs, void *room);	/* or NULL: the entry is enough */
	u32 room;		/* bytes that enter leaves for leave */
	u32 maxactive;		/* calls that are followed at one time */
	struct kretprobe rp;	/* or only its kp: hook.c's */
};

/* Why the kernel does not take the hook; NULL: it does. Process context. */
const char *ctrace_hook_reason(const struct ctrace_hook *h);

/* 0 or -errno. Process context; the caller excludes itself. */
int ctrace_hook_register(struct ctrace_hook *h);
/* Returns when no handler runs any more. */
void ctrace_hook_unregister(struct ctrace_hook *h);

/*
 * Why no hook is called just now, though the kernel takes them: a switch is off, and what to type. NULL: they
 * are. Any context.
 */
const char *ctrace_hook_blind(void);

/* Calls that no handler saw since the last registration. Stays as it is after ctrace_hook_unregister(). */
u64 ctrace_hook_missed(const struct ctrace_hook *h);

#endif
