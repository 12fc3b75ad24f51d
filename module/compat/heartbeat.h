/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Are kprobes heard? The kernel has switches that silence them: kernel.ftrace_enabled silences those at the
 * entries of functions, where ftrace carries them (x86), and kprobes/enabled in debugfs silences all.
 * Registering one succeeds all the same, and no counter moves. So this module has kprobes on functions of its
 * own, of each form that it uses elsewhere, and calls these functions now and then. A kprobe that misses such
 * a call shows which switch is off.
 */
#ifndef CTRACE_COMPAT_HEARTBEAT_H
#define CTRACE_COMPAT_HEARTBEAT_H

#include <linux/types.h>

struct kprobe;

/*
 * What the kprobes are on. Not static, so that the kernel finds them by name, as it finds what hooks are at.
 */
void ctrace_beat_entry(void);
void ctrace_beat_return(void);
void ctrace_beat_plain(void);

/*
 * init looks once, exit comes after the last look. If the kernel takes none of the kprobes, nothing is known,
 * and nothing is blind.
 */
void ctrace_compat_heartbeat_init(void);
void ctrace_compat_heartbeat_exit(void);

/* Looks. Process context, sleeps some milliseconds if there is nothing to hear; one caller at a time. */
void ctrace_compat_heartbeat(void);

/* Has the kernel taken the kprobes, so that what follows is known? */
bool ctrace_compat_heartbeat_works(void);

/*
 * Why the kernel calls no hook: what is switched off, and what to type. NULL: it does, as far as is known.
 * Any context.
 */
const char *ctrace_compat_blind(void);
/* The same of a kprobe, which has been registered. */
const char *ctrace_compat_blind_kprobe(const struct kprobe *kp);

/*
 * For how long, in ns since the module was loaded, kprobes were blind: those that ftrace carries, or all
 * others. Counted from the last look that heard them: up to a second too long, never too short. Any context
 * but NMI.
 */
u64 ctrace_compat_blind_ns(bool by_ftrace);

#endif
