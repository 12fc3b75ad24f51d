/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An arena made by hand, as uapi/ctrace.h describes it. It is a second witness, beside module/ring/ring.h, for
 * what a reader makes of an arena. One thread per ring may write.
 */
#ifndef CTRACE_FAKE_RING_H
#define CTRACE_FAKE_RING_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <ctrace/ctrace.h>

#ifndef RING
#define SUBBUF	4096u
#define RING	16384u
#endif
#define REC	40u		/* bytes of the records made here: payload u64 serial, u64 check */

struct fake {
	struct ctrace_dir *dir;
	uint64_t *events;	/* of each slot, published so far */
	size_t len;
};

struct fake_record {
	struct ctrace_record r;
	uint64_t serial, check;
};

static inline struct ctrace_ring *fake_ctl(struct fake *f, unsigned int slot)
{
	return (void *)((char *)f->dir + f->dir->slots_off + slot * f->dir->slot_stride);
}

/* The hints stay, even if a test takes heads_off away. */
static inline uint64_t *fake_hint(struct fake *f, unsigned int slot)
{
	return (void *)((char *)f->dir + CTRACE_PAGE + slot / f->dir->slots_per_cpu * f->dir->heads_stride +
			slot % f->dir->slots_per_cpu * 8);
}

static inline struct fake fake_new(unsigned int ncpus, unsigned int slots_per_cpu)
{
	unsigned int n = ncpus * slots_per_cpu, i;
	struct fake f = { .len = 2 * CTRACE_PAGE + n * (CTRACE_PAGE + RING) };
	struct ctrace_ring *ctl;

	f.dir = aligned_alloc(CTRACE_PAGE, f.len);
	memset(f.dir, 0, f.len);
	*f.dir = (struct ctrace_dir) {
		.magic = CTRACE_MAGIC, .abi = CTRACE_ABI, .abi_compat = CTRACE_ABI_COMPAT,
		.session = 1, .cid = CTRACE_CID_ALL, .ncpus = ncpus,
		.slots_per_cpu = slots_per_cpu, .nslots = n, .subbuf_size = SUBBUF,
		.ring_size = RING, .slot_stride = CTRACE_PAGE + RING, .heads_off = CTRACE_PAGE,
		.heads_stride = (8 * slots_per_cpu + 63) / 64 * 64,
		.slots_off = 2 * CTRACE_PAGE, .map_size = f.len,
	};
	f.events = calloc(n, sizeof(*f.events));
	for (i = 0; i < n; i++) {
		ctl = fake_ctl(&f, i);
		ctl->gen = 2;
		ctl->cpu = i / slots_per_cpu;
		ctl->cid = i % slots_per_cpu ? i : CTRACE_CID_ALL;
		ctl->flags = i % slots_per_cpu ? 0 : CTRACE_RING_F_SHARED;
	}
	return f;
}

static inline void fake_free(struct fake *f)
{
	free(f->events);
	free(f->dir);
}

/* Stores everything atomically, as a reader may look at any moment. */
static inline void fake_store(void *to, const void *from, size_t len)
{
	const uint64_t *s = from;
	uint64_t *d = to;

	for (; len; len -= 8)
		__atomic_store_n(d++, *s++, __ATOMIC_RELAXED);
}

/* Publishes one record, but does not move its hint. */
static inline void fake_put_unhinted(struct fake *f, unsigned int slot, uint64_t time,
				     uint64_t serial)
{
	struct fake_record rec = {
		.r = { .time = time, .id = 100, .len = REC, .cid = slot },
		.serial = serial, .check = ~serial,
	};
	struct ctrace_ring *ctl = fake_ctl(f, slot);
	char *data = (char *)ctl + CTRACE_PAGE;
	uint64_t old = ctl->head, pos = old, left = SUBBUF - pos % SUBBUF, start, zero = 0;
	struct ctrace_subbuf sub;

	if (left < REC)
		pos += left;
	start = pos % SUBBUF ? pos : pos + sizeof(sub);
	__atomic_store_n(&ctl->entered, (start | (SUBBUF - 1)) + 1, __ATOMIC_RELAXED);
	__atomic_thread_fence(__ATOMIC_RELEASE);
	if (left < REC)
		fake_store(data + old % RING, &zero, 8);
	if (start != pos) {
		sub = (struct ctrace_subbuf) { .pos = pos, .events = f->events[slot], .time = time };
		fake_store(data + pos % RING, &sub, sizeof(sub));
	}
	fake_store(data + start % RING, &rec, REC);
	f->events[slot]++;
	__atomic_store_n(&ctl->head, start + REC, __ATOMIC_RELEASE);
}

static inline void fake_put(struct fake *f, unsigned int slot, uint64_t time, uint64_t serial)
{
	fake_put_unhinted(f, slot, time, serial);
	__atomic_store_n(fake_hint(f, slot), fake_ctl(f, slot)->head, __ATOMIC_RELEASE);
}

#endif /* CTRACE_FAKE_RING_H */
