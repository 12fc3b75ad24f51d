/* SPDX-License-Identifier: LGPL-2.1-only */
/* A part of libctrace.h, which includes it: containers whose rings are frozen (ctrace_freeze.h). */
#ifndef LIBCTRACE_FREEZE_H
#define LIBCTRACE_FREEZE_H

/*
 * A probe with CTRACE_PROBE_F_FREEZE in ctrace_probe_opts.flags freezes the rings of its event's container.
 * How a program hears of it: poll() of ctrace_reader_fd() reports POLLPRI as long as a container is frozen;
 * ctrace_reader_dir()->frozen is their number, without a system call. ctrace_reader_poll() returns for the
 * record that asked, as for any other.
 *
 * Then: ctrace_session_frozen() says who is frozen, and why; read what the rings have, records up to `time`;
 * ctrace_session_thaw(). The reader's ctrace_losses.frozen counts what the container has lost.
 */

/*
 * cid: the container. time, event_id, tid: of the record that asked, as in it; time is CLOCK_MONOTONIC, ns.
 * left_ms: it is thawed by itself after as many ms.
 */
struct ctrace_frozen_info {
	uint32_t session, cid, event_id;
	int32_t tid;
	uint64_t time;
	uint32_t left_ms;
};
typedef int (*ctrace_frozen_fn)(const struct ctrace_frozen_info *info, void *arg);	/* != 0 stops */
/*
 * Calls fn for each container of s that is frozen now, in no order; once for each, even if it was frozen by
 * two events at one time on two CPUs. fn may thaw. Returns 0, what fn returned, or an error.
 */
int ctrace_session_frozen(struct ctrace_session *s, ctrace_frozen_fn fn, void *arg);
/*
 * Lets the container write again. cid CTRACE_CID_ALL: every one that is frozen; there may be none.
 * -ENOENT: that container is not frozen (any more: it may have been thawed by itself).
 */
int ctrace_session_thaw(struct ctrace_session *s, uint32_t cid);

#endif /* LIBCTRACE_FREEZE_H */
