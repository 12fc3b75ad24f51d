// SPDX-License-Identifier: GPL-2.0-only
#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include "ring/layout.h"
#include "compat/vmalloc.h"

#define ARENA_DEFAULT	(32ull << 20)
#define RING_MIN	(2ull * CTRACE_PAGE)
#define RING_MAX	(1ull << 30)		/* u32 arithmetic in ring.h */
#define TABLES_MAX	(1ull << 30)
#define SUBBUF_MAX	32768u			/* largest default; more on request */

/*
 * The ring size if each CPU gets one ring per container and a shared one; 16 rings if nothing
 * was said of containers. A page of hints for each CPU is plenty.
 */
static u64 share(const struct ctrace_arena_opts *o, const struct ctrace_layout *z)
{
	u64 heads = CTRACE_PAGE * (1ull + z->ncpus), each;

	if (!o->containers)
		return div_u64(z->arena, z->ncpus * 16);
	if (z->arena < heads)
		return 0;
	each = div64_u64(z->arena - heads, z->ncpus * (o->containers + 1ull));
	return each < CTRACE_PAGE ? 0 : each - CTRACE_PAGE;
}

static int choose_ring(const struct ctrace_arena_opts *o, struct ctrace_layout *z, char *why, size_t n)
{
	z->ring = o->ring_size;
	if (!z->ring) {
		z->ring = share(o, z);
		z->ring = z->ring < RING_MIN ? RING_MIN :
			  min_t(u64, rounddown_pow_of_two(z->ring), RING_MAX);
		if (o->subbuf_size <= RING_MAX / 2 && is_power_of_2(o->subbuf_size))
			z->ring = max(z->ring, 2ull * o->subbuf_size);
	}
	if (!is_power_of_2(z->ring) || z->ring < RING_MIN || z->ring > RING_MAX) {
		snprintf(why, n, "ring size %llu: must be a power of two from %llu to %llu",
			 z->ring, RING_MIN, RING_MAX);
		return -EINVAL;
	}
	z->subbuf = o->subbuf_size ?: clamp_t(u64, z->ring / 8, CTRACE_PAGE, SUBBUF_MAX);
	if (!is_power_of_2(z->subbuf) || z->subbuf < CTRACE_PAGE || z->subbuf > z->ring / 2) {
		snprintf(why, n, "sub-buffer size %u: must be a power of two from %u to %llu (half a ring)",
			 z->subbuf, CTRACE_PAGE, z->ring / 2);
		return -EINVAL;
	}
	z->stride = CTRACE_PAGE + z->ring;
	return 0;
}

static int check_arena(const struct ctrace_arena_opts *o, const struct ctrace_layout *z, char *why, size_t n)
{
	/* directory, hints in whole pages, and one slot for each CPU */
	u64 least = CTRACE_PAGE + PAGE_ALIGN((u64)SMP_CACHE_BYTES * z->ncpus) + z->ncpus * z->stride;

	if (z->arena < least) {
		snprintf(why, n, "arena size %llu: too small: a ring of %llu bytes for each of %u CPUs needs %llu",
			 z->arena, z->ring, z->ncpus, least);
		return -EINVAL;
	}
	if (o->table_size > TABLES_MAX) {
		snprintf(why, n, "table size %llu: must be at most %llu", o->table_size, TABLES_MAX);
		return -EINVAL;
	}
	if (z->arena > (u64)ctrace_compat_totalram_pages() << PAGE_SHIFT) {
		snprintf(why, n, "arena size %llu: more than this machine's memory", z->arena);
		return -EINVAL;
	}
	return 0;
}

/* As many slots as fit, hints included. */
static void fit_slots(const struct ctrace_arena_opts *o, struct ctrace_layout *z)
{
	z->per_cpu = div64_u64(z->arena - CTRACE_PAGE, z->ncpus * (z->stride + 8));
	for (;; z->per_cpu--) {
		/* each record writes a hint: not to a cache line of another CPU's */
		z->heads_stride = ALIGN(8ull * z->per_cpu, SMP_CACHE_BYTES);
		z->heads = PAGE_ALIGN(z->heads_stride * z->ncpus);
		z->slots_off = CTRACE_PAGE + z->heads;
		z->tables_off = z->slots_off + (u64)z->per_cpu * z->ncpus * z->stride;
		if (z->tables_off <= z->arena || z->per_cpu == 1)
			break;
	}
	z->map = z->tables_off + PAGE_ALIGN(o->table_size);
}

int ctrace_layout_choose(const struct ctrace_arena_opts *o, struct ctrace_layout *z, char *why, size_t why_len)
{
	int err;

	z->ncpus = nr_cpu_ids;
	z->arena = o->arena_size ?: ARENA_DEFAULT;
	err = choose_ring(o, z, why, why_len) ?: check_arena(o, z, why, why_len);
	if (!err)
		fit_slots(o, z);
	return err;
}
