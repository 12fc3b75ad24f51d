/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How much memory one user's sessions may have together, and how many they may be. The kernel counts an arena
 * for no process, so nothing else stops a user who may trace but is not root (CAP_PERFMON) from taking all
 * there is, and the OOM killer would end the others. And users who had all CTRACE_SESSIONS_MAX sessions would
 * keep root from tracing.
 *
 * perf has the same rule for its buffers: a limit for each user, from which CAP_IPC_LOCK frees. Its limit,
 * RLIMIT_MEMLOCK and kernel.perf_event_mlock_kb, is of some hundred KiB to 8 MiB by default: less than one
 * arena's default size. So here it is a part of the machine's memory: the module's parameter member_memory.
 *
 * Memory is counted by arena: a descriptor or a view keeps an arena after its session's end. Sessions are
 * counted by the bit that each has in all masks (session/session.h).
 */
#ifndef CTRACE_QUOTA_H
#define CTRACE_QUOTA_H

#include <linux/types.h>
#include <linux/uidgid.h>

#define CTRACE_MEMBER_SESSIONS	16	/* of a user without CAP_SYS_ADMIN; half of all */
#define CTRACE_MEMBERS_SESSIONS	28	/* of all such users; four are kept for users with it */

/*
 * Process context, no lock needed. take: 0, or an error, with a sentence in why unless memory ran out. give:
 * as much as was taken. The memory: -ENOMEM; a session: -EUSERS.
 */
int ctrace_quota_take(kuid_t user, u64 bytes, char *why, size_t why_len);
void ctrace_quota_give(kuid_t user, u64 bytes);
int ctrace_quota_session_take(kuid_t user, char *why, size_t why_len);
void ctrace_quota_session_give(kuid_t user);

#endif
