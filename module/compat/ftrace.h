/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The entries of all functions of the kernel whose names match a pattern: one struct ftrace_ops. The kernel
 * matches, by the rules of set_ftrace_filter in tracefs.
 */
#ifndef CTRACE_COMPAT_FTRACE_H
#define CTRACE_COMPAT_FTRACE_H

#include <linux/errno.h>
#include <linux/ftrace.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include "facts.h"

#if defined(CONFIG_DYNAMIC_FTRACE) && defined(CTRACE_HAVE_FTRACE_OPS_RCU)

struct ctrace_compat_functions {
	struct ftrace_ops ops;
	/*
	 * ip: in the function, at its entry. Any context incl. NMI, where RCU is watching; preemption may be
	 * on. A function that this calls in turn is not reported: the kernel has a guard for each of task,
	 * softirq, interrupt and NMI
	 */
	void (*hit)(struct ctrace_compat_functions *f, unsigned long ip);
};

#ifdef CTRACE_HAVE_FTRACE_RECURSION_ASKED
#define CTRACE_COMPAT_FTRACE_FLAGS	(FTRACE_OPS_FL_RCU | FTRACE_OPS_FL_RECURSION)
#else
/* the second names what asks for no guard, so that the build stops if a kernel has neither */
#define CTRACE_COMPAT_FTRACE_FLAGS	(FTRACE_OPS_FL_RCU & ~FTRACE_OPS_FL_RECURSION_SAFE)
#endif

#ifdef CTRACE_HAVE_FTRACE_FREGS
#define ctrace_compat_ftrace_regs	ftrace_regs
#else
#define ctrace_compat_ftrace_regs	pt_regs
#endif

static void notrace ctrace_compat_functions_hit(unsigned long ip, unsigned long from, struct ftrace_ops *ops,
						struct ctrace_compat_ftrace_regs *regs)
{
	struct ctrace_compat_functions *f = container_of(ops, struct ctrace_compat_functions, ops);

	f->hit(f, ip);
}

/*
 * f is zeroed but for hit. glob is used up. 0; -EINVAL: nothing matches; or another error of the kernel's.
 * Process context.
 */
static inline int ctrace_compat_functions_start(struct ctrace_compat_functions *f, char *glob)
{
	int err;

	f->ops.func = ctrace_compat_functions_hit;
	f->ops.flags = CTRACE_COMPAT_FTRACE_FLAGS;
	err = ftrace_set_filter(&f->ops, (unsigned char *)glob, strlen(glob), 1);
	if (err)
		return err;
	err = register_ftrace_function(&f->ops);
	/* ftrace_free_filter() is not exported everywhere: an empty filter has no memory */
	if (err)
		ftrace_set_filter(&f->ops, NULL, 0, 1);
	return err;
}

/* When it returns, hit() does not run any more. May sleep for a while. */
static inline void ctrace_compat_functions_stop(struct ctrace_compat_functions *f)
{
	unregister_ftrace_function(&f->ops);
	ftrace_set_filter(&f->ops, NULL, 0, 1);
}

#else

struct ctrace_compat_functions {
	void (*hit)(struct ctrace_compat_functions *f, unsigned long ip);
};

static inline int ctrace_compat_functions_start(struct ctrace_compat_functions *f, char *glob)
{
	return -EOPNOTSUPP;
}

static inline void ctrace_compat_functions_stop(struct ctrace_compat_functions *f)
{
}

#endif

#endif
