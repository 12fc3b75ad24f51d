/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/* A part of ctrace_netlink.h: freezing a container's rings at an event. */
#ifndef _UAPI_CTRACE_FREEZE_H
#define _UAPI_CTRACE_FREEZE_H

/*
 * A probe with CTRACE_PROBE_F_FREEZE records its event as any other does. Then, in the event itself, the
 * rings of the event's container in that session are frozen: they keep what they have. Later records of that
 * container are refused, and counted as CTRACE_LOSS_FROZEN; other containers are recorded as before. An event
 * that is left out (by its filter, by ONE_OF, by RATE), or whose own record was lost, freezes nothing. One
 * that comes while its container is frozen changes nothing: the first one stays the reason.
 *
 * In the ring of the event's own CPU nothing follows the record that asked, and its stacks, but what an NMI
 * may have written in that moment (a sample). On other CPUs records may follow that had begun before they saw
 * the freeze. Their times are later than CTRACE_A_FROZEN_TIME, so a reader knows them.
 *
 * A probe with CTRACE_A_PROBE_FREEZES freezes the rings of another session in place of its own. That session
 * belongs to the same socket and has CTRACE_SESSION_F_NEIGHBOURS. It needs no probe of the event: it gets the
 * record, too, as the last one. If it does not record, or does not want the container as a whole (a target
 * that is a cgroup or a process is not enough), nothing is frozen. So a flight recorder that records plain
 * events does not pay for the conditions of its triggers. Its memory stays until the probe is removed.
 *
 * A container stays frozen until CTRACE_CMD_THAW, or for CTRACE_A_SESSION_FREEZE_MS, or until its session
 * ends, whatever comes first. If it ends before, its rings go to no other one until then. When it is thawed,
 * its records are written again behind the ones that were kept, and then overwrite them.
 *
 * A freeze is refused, and counted in CTRACE_A_SESSION_FREEZE_REFUSED, if CTRACE_FROZEN_MAX containers are
 * frozen, or if the record that asked is in a shared ring, as its container has no ring on that CPU: others
 * write to that one, too. The records of CTRACE_CID_UNKNOWN are always in shared rings.
 *
 * A reader of the whole session can see it: poll() reports POLLPRI as long as a container is frozen, the
 * mapped directory has their number (ctrace_dir.frozen), and so has each ring of one (ctrace_ring.frozen).
 */

#define CTRACE_FROZEN_MAX	64u	/* containers frozen at one time in a session */

/* CTRACE_A_SESSION_FREEZE_MS */
#define CTRACE_FREEZE_MS_DEFAULT	10000u
#define CTRACE_FREEZE_MS_MAX		600000u

/* A container that is frozen, and the record that asked for it. In THAW: CID alone counts. */
enum ctrace_attr_frozen {
	CTRACE_A_FROZEN_UNSPEC,
	CTRACE_A_FROZEN_PAD,
	CTRACE_A_FROZEN_CID,		/* u32 */
	CTRACE_A_FROZEN_TIME,		/* u64: the record's time, CLOCK_MONOTONIC ns */
	CTRACE_A_FROZEN_EVENT_ID,	/* u32: its event type */
	CTRACE_A_FROZEN_TID,		/* s32, as u32: its tid, in the initial pid namespace */
	CTRACE_A_FROZEN_LEFT_MS,	/* u32: the container is thawed by itself after as many ms */
	__CTRACE_A_FROZEN_MAX
};

#define CTRACE_A_FROZEN_MAX	(__CTRACE_A_FROZEN_MAX - 1)

#endif /* _UAPI_CTRACE_FREEZE_H */
