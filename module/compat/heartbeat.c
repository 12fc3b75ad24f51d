// SPDX-License-Identifier: GPL-2.0-only
#include <linux/delay.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/spinlock.h>
#include "compat/clock.h"
#include "compat/heartbeat.h"
#include "compat/kprobe.h"

enum beat { ENTRY, RETURN, PLAIN, BEATS };

static atomic_t heard[BEATS];
static u32 armed;			/* bits of enum beat; invariant after init */

static DEFINE_RAW_SPINLOCK(lock);	/* innermost; the next four. why: READ_ONCE elsewhere */
static const char *why;
static bool all;			/* not only kprobes that ftrace carries */
static u64 last;			/* when all were heard last */
/* blind time that is over: of all others, of those that ftrace carries */
static u64 total[2];

/* --- what is called, and who hears it ------------------------------------------------- */

/*
 * Each is a function of its own, with a body of its own: none may be inlined, cloned or merged with another.
 * ftrace knows the first two, as it knows the functions that hooks are at. It does not know the third, so a
 * breakpoint or a jump carries its kprobe.
 */
noinline __used void ctrace_beat_entry(void)
{
	asm volatile("nop" : : "i" (ENTRY) : "memory");
}

noinline __used void ctrace_beat_return(void)
{
	asm volatile("nop" : : "i" (RETURN) : "memory");
	barrier();
}

noinline notrace __used void ctrace_beat_plain(void)
{
	asm volatile("nop" : : "i" (PLAIN) : "memory");
	barrier();
	barrier();
}

static int at_entry(struct kprobe *kp, struct pt_regs *regs)
{
	atomic_inc(&heard[ENTRY]);
	return 0;
}
NOKPROBE_SYMBOL(at_entry);

static int at_plain(struct kprobe *kp, struct pt_regs *regs)
{
	atomic_inc(&heard[PLAIN]);
	return 0;
}
NOKPROBE_SYMBOL(at_plain);

static int at_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	atomic_inc(&heard[RETURN]);
	return 0;
}
NOKPROBE_SYMBOL(at_return);

static struct kprobe entry = { .symbol_name = "ctrace_beat_entry", .pre_handler = at_entry };
static struct kprobe plain = { .symbol_name = "ctrace_beat_plain", .pre_handler = at_plain };
static struct kretprobe ret = { .kp.symbol_name = "ctrace_beat_return", .handler = at_return, .maxactive = 8 };

/* --- looking ----------------------------------------------------------------------------- */

#define TRIES	8	/* while ftrace changes its text, older kernels leave a call out */

/* The beats that were heard, of all that are armed. */
static u32 look(void)
{
	static void (*const calls[])(void) = { ctrace_beat_entry, ctrace_beat_return, ctrace_beat_plain };
	void (*call)(void);
	u32 i, bits = 0, try;
	int was;

	for (try = 0; try < TRIES; try++) {
		if (try)
			usleep_range(500, 1000);
		for (i = 0; i < BEATS; i++) {
			was = atomic_read(&heard[i]);
			/* not known to the compiler, which so makes no clone for it */
			call = READ_ONCE(calls[i]);
			call();
			if (atomic_read(&heard[i]) != was)
				bits |= 1u << i;
		}
		if (bits == armed)
			break;
	}
	return bits;
}

static bool all_lack(u32 bits)
{
	return !(armed & bits);
}

static const char *reason(u32 bits)
{
	u32 forms = armed & (1u << ENTRY | 1u << RETURN), lacks = forms & ~bits;

	if (!lacks)
		return NULL;
	if (all_lack(bits))
		return "all kprobes are off: echo 1 > /sys/kernel/debug/kprobes/enabled";
	if (lacks == forms && kprobe_ftrace(&entry))
		return "ftrace is off, and kprobes with it: sysctl kernel.ftrace_enabled=1";
	return "the kernel does not call some kprobes, and does not tell why";
}

void ctrace_compat_heartbeat(void)
{
	const char *now;
	unsigned long flags;
	bool none;
	u64 time;
	u32 bits;

	if (!armed)
		return;
	bits = look();
	now = reason(bits);
	none = all_lack(bits);
	time = ctrace_compat_clock();
	raw_spin_lock_irqsave(&lock, flags);
	/*
	 * what is not heard now may not have been since the last look; what was not heard then is over only
	 * now
	 */
	total[1] += why || now ? time - last : 0;
	total[0] += all || none ? time - last : 0;
	all = none;
	last = time;
	WRITE_ONCE(why, now);
	raw_spin_unlock_irqrestore(&lock, flags);
}

/* --- who asks ---------------------------------------------------------------------------- */

bool ctrace_compat_heartbeat_works(void)
{
	return armed;
}

const char *ctrace_compat_blind(void)
{
	return READ_ONCE(why);
}

const char *ctrace_compat_blind_kprobe(const struct kprobe *kp)
{
	return kprobe_ftrace((struct kprobe *)kp) || READ_ONCE(all) ? READ_ONCE(why) : NULL;
}

u64 ctrace_compat_blind_ns(bool by_ftrace)
{
	unsigned long flags;
	u64 ns;

	raw_spin_lock_irqsave(&lock, flags);
	ns = total[by_ftrace] + ((by_ftrace ? !!why : all) ? ctrace_compat_clock() - last : 0);
	raw_spin_unlock_irqrestore(&lock, flags);
	return ns;
}

/* --- life -------------------------------------------------------------------------------- */

void ctrace_compat_heartbeat_init(void)
{
	last = ctrace_compat_clock();
	if (!register_kprobe(&entry))
		armed |= 1u << ENTRY;
	if (!register_kretprobe(&ret))
		armed |= 1u << RETURN;
	if (armed && !register_kprobe(&plain))
		armed |= 1u << PLAIN;
	ctrace_compat_heartbeat();
}

void ctrace_compat_heartbeat_exit(void)
{
	if (armed & 1u << ENTRY)
		unregister_kprobe(&entry);
	if (armed & 1u << RETURN)
		unregister_kretprobe(&ret);
	if (armed & 1u << PLAIN)
		unregister_kprobe(&plain);
}
