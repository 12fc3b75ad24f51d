/* SPDX-License-Identifier: GPL-2.0-only */
/* One record in one ring: reserve, fill, commit. */
#ifndef CTRACE_EMIT_RECORD_H
#define CTRACE_EMIT_RECORD_H

#include "ring/arena.h"
#include "ring/ring.h"
#include "identity/identity.h"

#define CTRACE_ALIGN8(n)	(((n) + 7u) & ~7u)

/* A payload that lies somewhere already, and what fills a record with it. */
struct ctrace_copy {
	const void *from;
	u32 len;
};

static __always_inline void ctrace_fill_copy(void *payload, const void *arg)
{
	const struct ctrace_copy *c = arg;

	memcpy(payload, c->from, c->len);
}

/*
 * The same of whole words. A few of these are quicker so; the compiler must not make memcpy() of them again.
 */
static __always_inline void ctrace_fill_words(void *payload, const void *arg)
{
	const struct ctrace_copy *c = arg;
	const u64 *from = c->from;
	u32 i, n = c->len / sizeof(u64);
	u64 *to = payload;

	if (n > 32)
		memcpy(payload, from, c->len);
	else
		for (i = 0; i < n; i++)
			WRITE_ONCE(to[i], from[i]);
}

/*
 * Writes one record into cid's ring of session `index`. False: it was lost. Any context incl. NMI; preemption
 * off.
 */
static __always_inline bool ctrace_emit_one(u32 index, u32 id, const struct ctrace_who *who,
					    u32 cid, u32 payload,
					    void (*fill)(void *payload, const void *arg),
					    const void *arg)
{
	struct ctrace_ring_desc *d = ctrace_arena_ring(index, cid);
	u32 len = sizeof(struct ctrace_record) + CTRACE_ALIGN8(payload);
	struct ctrace_record *rec;
	struct ctrace_writer w;

	rec = ctrace_ring_reserve(d, &w, len);
	if (likely(rec)) {
		rec->id = id;
		rec->cid = cid;
		rec->tid = who->tid;
		rec->vtid = who->vtid;
		if (payload & 7)	/* padding must not show stale bytes */
			*(u64 *)((char *)rec + len - 8) = 0;
		fill(rec + 1, arg);
		ctrace_ring_commit(d, &w);
	}
	if (unlikely(READ_ONCE(*READ_ONCE(d->wake))))
		ctrace_ring_wake(d);
	return rec;
}

#endif
