// SPDX-License-Identifier: GPL-2.0-only
#include <linux/errno.h>
#include <linux/string.h>
#include "event/hook.h"
#include "compat/heartbeat.h"
#include "compat/kprobe.h"
#include "compat/lockdown.h"
#include "compat/rcu.h"

#define LACKS_FUNCTION	"this kernel has no such function, or it is inlined"
#define LACKS_KPROBE	"this kernel refuses kprobes of the function"
#define LOCKED		"the kernel is locked down (confidentiality): it refuses kprobes to all tracers"

/* --- a hit ------------------------------------------------------------------------ */

static int enter(struct kprobe *kp, struct pt_regs *regs)
{
	struct ctrace_hook *h = container_of(kp, struct ctrace_hook, rp.kp);

	ctrace_compat_rcu_begin();
	h->enter(regs, !kprobe_ftrace(kp), NULL);
	ctrace_compat_rcu_end();
	return 0;
}
NOKPROBE_SYMBOL(enter);

/* A call that is not followed keeps no instance, as these are few. */
static int enter_ret(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct kretprobe *rp = ctrace_compat_kretprobe(ri);
	struct ctrace_hook *h;
	bool follow;

	if (!rp)
		return 1;
	h = container_of(rp, struct ctrace_hook, rp);
	memset(ri->data, 0, h->room);
	ctrace_compat_rcu_begin();
	follow = h->enter(regs, !kprobe_ftrace(&rp->kp), ri->data);
	ctrace_compat_rcu_end();
	return !follow;
}
NOKPROBE_SYMBOL(enter_ret);

static int leave(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct kretprobe *rp = ctrace_compat_kretprobe(ri);

	if (!rp)
		return 0;
	ctrace_compat_rcu_begin();
	container_of(rp, struct ctrace_hook, rp)->leave(regs, ri->data);
	ctrace_compat_rcu_end();
	return 0;
}
NOKPROBE_SYMBOL(leave);

/* --- life ------------------------------------------------------------------------- */

/*
 * 0, -ENOENT, or another error: the function exists and takes no kprobe. A disabled kprobe changes no text.
 */
static int try(const char *symbol)
{
	struct kprobe look = { .symbol_name = symbol, .flags = KPROBE_FLAG_DISABLED };
	int err = register_kprobe(&look);

	if (!err)
		unregister_kprobe(&look);
	return err;
}

const char *ctrace_hook_reason(const struct ctrace_hook *h)
{
	const char *const *s, *reason = LACKS_FUNCTION;
	int err;

	if (ctrace_compat_locked_kprobes())
		return LOCKED;
	for (s = h->symbols; *s; s++) {
		err = try(*s);
		if (!err)
			return NULL;
		if (err != -ENOENT)
			reason = LACKS_KPROBE;
	}
	return reason;
}

static int register_as(struct ctrace_hook *h, const char *symbol)
{
	int err;

	/*
	 * The kernel wants them as new. Calls that the last registration followed may return yet: they do not
	 * come here, nor look at this.
	 */
	memset(&h->rp, 0, sizeof(h->rp));
	h->rp.kp.symbol_name = symbol;
	if (!h->leave) {
		h->rp.kp.pre_handler = enter;
		return register_kprobe(&h->rp.kp);
	}
	h->rp.entry_handler = enter_ret;
	h->rp.handler = leave;
	h->rp.data_size = h->room;
	h->rp.maxactive = h->maxactive;
	err = register_kretprobe(&h->rp);
	/* from 4.12 until 5.11 it says -EINVAL of a function that is not there, too (4.19.78: seen) */
	return err == -EINVAL ? try(symbol) ?: err : err;
}

int ctrace_hook_register(struct ctrace_hook *h)
{
	const char *const *s;
	int err;

	if (ctrace_compat_locked_kprobes())
		return -EPERM;
	for (s = h->symbols, err = -ENOENT; *s && err; s++)
		err = register_as(h, *s);
	return err;
}

/* Both wait for handlers that run, on all kernels. */
void ctrace_hook_unregister(struct ctrace_hook *h)
{
	if (h->leave)
		unregister_kretprobe(&h->rp);
	else
		unregister_kprobe(&h->rp.kp);
}

const char *ctrace_hook_blind(void)
{
	return ctrace_compat_blind();
}

u64 ctrace_hook_missed(const struct ctrace_hook *h)
{
	return h->rp.kp.nmissed + (h->leave ? h->rp.nmissed : 0);
}
