/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How much memory one user's sessions may have together. The kernel counts an arena for no process, so nothing else
 * stops a user who may trace but is not root (CAP_PERFMON) from taking all there is, and the OOM killer would end the
 * others.
 *
 * perf has the same rule for its buffers: a limit for each user, from which CAP_IPC_LOCK frees. Its limit,
 * RLIMIT_MEMLOCK and kernel.perf_event_mlock_kb, is of some hundred KiB to 8 MiB by default: less than one arena's default
 * size. So here it is a part of the machine's memory: the module's parameter member_memory.
 *
 * It counts arenas, not sessions: a descriptor or a view keeps an arena after its session's end.
 */
#ifndef CTRACE_QUOTA_H
#define CTRACE_QUOTA_H

#include <linux/types.h>
#include <linux/uidgid.h>

/* Process context, no lock needed. take: 0, or -ENOMEM, with a sentence in why unless memory ran out. give: as much as was taken. */
int ctrace_quota_take(kuid_t user, u64 bytes, char *why, size_t why_len);
void ctrace_quota_give(kuid_t user, u64 bytes);

#endif
