// SPDX-License-Identifier: GPL-2.0-only
/*
 * The writer of a ring stores to its descriptor, its ring and its hint, and to nothing that CPUs share: while it writes, all
 * other memory of this program is read-only, except stacks and the heap. bench/native/run looks at those, too.
 */
#include <signal.h>
#include <sys/mman.h>
#include "ktap.h"
#include "ring_fixture.h"

#define SIZE	16384u
#define SUBBUF	4096u
#define RECORDS	10000

/* A page for each of the parts. */
struct own {
	struct ctrace_ring_desc d __aligned(4096);
	u64 now, refused;
	u64 hint __aligned(4096);
	char mem[CTRACE_PAGE + SIZE] __aligned(4096);
};

extern char __data_start[], _end[];
static struct own *mine, *neighbour;
static void *volatile fault;

static u64 test_clock(void)
{
	return ++mine->now;
}

static void protect(int prot)
{
	u64 from = (u64)__data_start & ~4095ull, to = ((u64)_end + 4095) & ~4095ull;

	mprotect((void *)from, to - from, prot);
	mprotect(neighbour, sizeof(*neighbour), prot);
}

/* The first store elsewhere; the program continues, as if it were allowed. */
static void on_fault(int sig, siginfo_t *info, void *context)
{
	(void)sig;
	(void)context;
	protect(PROT_READ | PROT_WRITE);
	fault = info->si_addr;
}

static struct own *own_new(bool stop_full)
{
	struct own *o = mmap(NULL, sizeof(*o), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	o->d = (struct ctrace_ring_desc) {
		.ctl = (struct ctrace_ring *)o->mem, .data = o->mem + CTRACE_PAGE, .hint = &o->hint,
		.mask = SIZE - 1, .submask = SUBBUF - 1, .stop_full = stop_full,
	};
	ctrace_ring_rebind(&o->d, 1, 0, 0);
	return o;
}

/* Every fourth has another inside, as an interrupt would write it. */
static void write_records(struct own *o, int n)
{
	struct ctrace_writer w, inner;
	int i;

	for (i = 0; i < n; i++) {
		if (!ctrace_ring_reserve(&o->d, &w, some_len(i))) {
			o->refused++;
			continue;
		}
		fill_record(w.rec, 1, i);
		if (i % 4 == 0 && ctrace_ring_reserve(&o->d, &inner, some_len(i + 1))) {
			fill_record(inner.rec, 1, i);
			ctrace_ring_commit(&o->d, &inner);
		}
		ctrace_ring_commit(&o->d, &w);
	}
}

/* Where o's writer stores that it should not, or NULL. */
static void *stray(struct own *o, int n)
{
	struct sigaction was, act = { .sa_sigaction = on_fault, .sa_flags = SA_SIGINFO };

	write_records(o, 40);	/* binds the symbols */
	fault = NULL;
	sigaction(SIGSEGV, &act, &was);
	protect(PROT_READ);
	write_records(o, n);
	protect(PROT_READ | PROT_WRITE);
	sigaction(SIGSEGV, &was, NULL);
	return fault;
}

static void begin(bool stop_full)
{
	mine = own_new(stop_full);
	neighbour = own_new(false);
}

static void end(void)
{
	munmap(mine, sizeof(*mine));
	munmap(neighbour, sizeof(*neighbour));
}

static void overwriting(void)
{
	begin(false);
	check(!stray(mine, RECORDS));
	check_eq(mine->refused, 0);
	check(mine->d.events > RECORDS);
	end();
}

static void refusing(void)
{
	begin(true);
	check(!stray(mine, RECORDS));
	check(mine->refused > RECORDS / 2);
	end();
}

/* A hint in the neighbour's page is a store that is seen. */
static void strays_are_seen(void)
{
	begin(false);
	mine->d.hint = &neighbour->hint;
	check_eq((u64)stray(mine, 1), (u64)&neighbour->hint);
	end();
}

static const struct ktap_case cases[] = {
	{ "a ring that is overwritten", overwriting },
	{ "a ring that refuses", refusing },
	{ "a store elsewhere is seen", strays_are_seen },
};
KTAP_MAIN(cases)
