/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * fuzz_law.h: what a message must have to be accepted, as uapi/ctrace_netlink.h promises. It is written
 * down a second time here, so that we notice a check that the module has lost even though nothing breaks.
 */
#ifndef FUZZ_LAW_H
#define FUZZ_LAW_H

#include "fuzz_msg.h"

#define TEXT(most)	(100 + (most))

/* 0: users may not send it; 4 or 8: a number of that many bytes; TEXT(largest number of bytes) */
static const uint16_t law[CTRACE_A_MAX + 1][CTRACE_A_SESSION_MAX + 1] = {
	[CTRACE_A_SESSION] = {
		[CTRACE_A_SESSION_ID] = 4, [CTRACE_A_SESSION_ARENA_SIZE] = 8, [CTRACE_A_SESSION_RING_SIZE] = 8,
		[CTRACE_A_SESSION_SUBBUF_SIZE] = 4, [CTRACE_A_SESSION_FLAGS] = 4, [CTRACE_A_SESSION_DATA] = 4,
		[CTRACE_A_SESSION_WAKEUP_NS] = 8,
		[CTRACE_A_SESSION_NAME] = TEXT(63), [CTRACE_A_SESSION_STATE] = 4,
		[CTRACE_A_SESSION_FILTER] = TEXT(1023), [CTRACE_A_SESSION_RATE] = 4,
		[CTRACE_A_SESSION_CONTAINERS] = 4, [CTRACE_A_SESSION_FREEZE_MS] = 4,
	},
	[CTRACE_A_PROBE] = {
		[CTRACE_A_PROBE_ID] = 4, [CTRACE_A_PROBE_NAME] = TEXT(1023), [CTRACE_A_PROBE_FLAGS] = 4,
		[CTRACE_A_PROBE_FILTER] = TEXT(1023), [CTRACE_A_PROBE_ONE_OF] = 4, [CTRACE_A_PROBE_AGGREGATE] = TEXT(1023),
		[CTRACE_A_PROBE_ROWS] = 4, [CTRACE_A_PROBE_COPY] = 4, [CTRACE_A_PROBE_FREEZES] = 4,
	},
	[CTRACE_A_TARGET] = {
		[CTRACE_A_TARGET_ID] = 4, [CTRACE_A_TARGET_KIND] = 4, [CTRACE_A_TARGET_CID] = 4, [CTRACE_A_TARGET_CGROUP] = 4,
		[CTRACE_A_TARGET_PID] = 4, [CTRACE_A_TARGET_NOT] = 4,
	},
	[CTRACE_A_EVENT] = {
		[CTRACE_A_EVENT_ID] = 4, [CTRACE_A_EVENT_NAME] = TEXT(1023), [CTRACE_A_EVENT_DEFINITION] = TEXT(1023),
		[CTRACE_A_EVENT_FLAGS] = 4,
	},
	[CTRACE_A_FROZEN] = { [CTRACE_A_FROZEN_CID] = 4 },
};

/* The attributes that a command requires. */
static const struct { uint8_t cmd, set, attr; } law_needs[] = {
	{ CTRACE_CMD_SESSION_NEW, CTRACE_A_SESSION, 0 },
	{ CTRACE_CMD_SESSION_DEL, CTRACE_A_SESSION, CTRACE_A_SESSION_ID },
	{ CTRACE_CMD_SESSION_SET, CTRACE_A_SESSION, CTRACE_A_SESSION_ID },
	{ CTRACE_CMD_SESSION_SET, CTRACE_A_SESSION, CTRACE_A_SESSION_STATE },
	{ CTRACE_CMD_PROBE_ADD, CTRACE_A_SESSION, CTRACE_A_SESSION_ID },
	{ CTRACE_CMD_PROBE_ADD, CTRACE_A_PROBE, CTRACE_A_PROBE_NAME },
	{ CTRACE_CMD_PROBE_DEL, CTRACE_A_SESSION, CTRACE_A_SESSION_ID },
	{ CTRACE_CMD_PROBE_DEL, CTRACE_A_PROBE, CTRACE_A_PROBE_ID },
	{ CTRACE_CMD_TARGET_ADD, CTRACE_A_SESSION, CTRACE_A_SESSION_ID },
	{ CTRACE_CMD_TARGET_ADD, CTRACE_A_TARGET, CTRACE_A_TARGET_KIND },
	{ CTRACE_CMD_TARGET_DEL, CTRACE_A_SESSION, CTRACE_A_SESSION_ID },
	{ CTRACE_CMD_TARGET_DEL, CTRACE_A_TARGET, CTRACE_A_TARGET_ID },
	{ CTRACE_CMD_EVENT_NEW, CTRACE_A_EVENT, CTRACE_A_EVENT_DEFINITION },
	{ CTRACE_CMD_EVENT_DEL, CTRACE_A_EVENT, CTRACE_A_EVENT_NAME },
	{ CTRACE_CMD_THAW, CTRACE_A_SESSION, CTRACE_A_SESSION_ID },
	{ CTRACE_CMD_THAW, CTRACE_A_FROZEN, CTRACE_A_FROZEN_CID },
};

/* Fills `of` with pointers to the attributes in p, the last one of each kind. False if p is not a valid run
 * of them. */
static bool law_split(const char *p, size_t room, const struct nlattr *of[], uint32_t n)
{
	memset(of, 0, n * sizeof(*of));
	while (room) {
		const struct nlattr *a = (const void *)p;
		size_t step;

		if (room < NLA_HDRLEN || a->nla_len < NLA_HDRLEN || a->nla_len > room ||
		    (a->nla_type & NLA_TYPE_MASK) >= n)
			return false;
		of[a->nla_type & NLA_TYPE_MASK] = a;
		step = NLA_ALIGN(a->nla_len);
		p += step < room ? step : room;
		room -= step < room ? step : room;
	}
	return true;
}

static bool law_breaks(const struct nlattr *a, uint16_t rule)
{
	size_t len = a->nla_len - NLA_HDRLEN;

	if (rule < TEXT(0))
		return len != rule;
	return !memchr(a + 1, 0, len < rule - TEXT(0) + 1u ? len : rule - TEXT(0) + 1u);
}

/* True if a command lacks something, or has it in a wrong form. Where this says nothing, either answer is
 * right. */
static bool unlawful(const struct nlmsghdr *h)
{
	const struct genlmsghdr *g = NLMSG_DATA(h);
	const struct nlattr *top[CTRACE_A_MAX + 1], *in[CTRACE_A_SESSION_MAX + 1];
	bool split = law_split((const char *)(g + 1), h->nlmsg_len - NLMSG_HDRLEN - GENL_HDRLEN, top, CTRACE_A_MAX + 1);

	for (size_t i = 0; i < COUNT(law_needs); i++) {
		uint8_t set = law_needs[i].set, attr = law_needs[i].attr;

		if (law_needs[i].cmd != g->cmd)
			continue;
		if (g->version < CTRACE_ABI_COMPAT || !split || !top[set] ||
		    !law_split((const char *)(top[set] + 1), top[set]->nla_len - NLA_HDRLEN, in, CTRACE_A_SESSION_MAX + 1) ||
		    (attr && !in[attr]))
			return true;
		for (uint32_t k = 0; k <= CTRACE_A_SESSION_MAX; k++)
			if (in[k] && law_breaks(in[k], law[set][k]))
				return true;
	}
	return false;
}

#endif
