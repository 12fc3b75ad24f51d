// SPDX-License-Identifier: GPL-2.0-only
/*
 * module/ring/ring.h and ctrace_ring_read.h at full speed. A thread writes; the signals of two timers write
 * whatever it is doing, and within each other; several threads read as fast as they can. In the end every
 * reader must account for every record: seen + lost == made.
 */
#include <pthread.h>
#include <unistd.h>
#include "ktap.h"
#include "ring_fixture.h"
#include "ring_signals.h"

#define READERS	4

static struct ring ring;
static bool stop;
/* changed by the writer thread and its signals */
static u64 tries, refused, nested;

static u64 test_clock(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ull + ts.tv_nsec;
}

static void write_one(void)
{
	u64 n = __atomic_add_fetch(&tries, 1, __ATOMIC_RELAXED);

	if (!make_record(&ring, n, some_len(n)))
		__atomic_add_fetch(&refused, 1, __ATOMIC_RELAXED);
}

static void on_signal(int sig)
{
	u64 i;

	nested += ring.d.ctl->nest != 0;
	/* now and then so many that a small ring cannot hold the nest */
	for (i = tries % 64 ? 1 + sig % 3 : 400; i; i--)
		write_one();
}

struct reader {
	pthread_t thread;
	u32 kind;		/* microseconds of rest after each look */
	struct ctrace_cursor cur;
	struct tally tally;
	int ret;
};

static void *reader(void *arg)
{
	struct reader *r = arg;
	u64 *buf = malloc(ring.d.submask + 1);
	bool last;

	do {
		last = __atomic_load_n(&stop, __ATOMIC_ACQUIRE);
		r->ret = drain(&r->cur, &r->tally, buf);
		if (r->kind)
			usleep(r->kind);
	} while (!last && (r->ret == 0 || r->ret == -EAGAIN));
	free(buf);
	return NULL;
}

struct load {
	u64 size;
	u32 subbuf, ms;
	bool stop_full, rebind;
};

/* The slot goes to another container. In the module, interrupts are off then. */
static void rebind(u32 cid)
{
	sigset_t all, old;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &old);
	ctrace_ring_rebind(&ring.d, cid, 0, 0);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
}

static void writer(const struct load *l)
{
	timer_t a = start_timer(SIGUSR1, 23000, on_signal), b = start_timer(SIGUSR2, 71000, on_signal);
	u64 end = test_clock() + l->ms * 1000000ull, i;

	for (i = 1; i % 64 || test_clock() < end; i++) {
		write_one();
		if (l->rebind && i % 5000 == 0)
			rebind(i / 5000 + 1);
		if (i % 2048 == 0)
			usleep(200);
	}
	timer_delete(a);
	timer_delete(b);
}

static void *writer_thread(void *arg)
{
	writer(arg);
	return NULL;
}

static void run(struct load l)
{
	static struct reader readers[READERS];
	static const u32 kinds[READERS] = { 0, 0, 300, 20000 };
	const struct ctrace_ring *ctl;
	pthread_t w;
	u32 i;

	tries = 0;
	refused = 0;
	nested = 0;
	stop = false;
	ring_new(&ring, l.size, l.subbuf, l.stop_full);
	ctl = ring.d.ctl;
	for (i = 0; i < READERS; i++) {
		readers[i] = (struct reader){ .kind = kinds[i] };
		cursor_new(&readers[i].cur, &ring);
		pthread_create(&readers[i].thread, NULL, reader, &readers[i]);
	}
	pthread_create(&w, NULL, writer_thread, &l);
	pthread_join(w, NULL);
	__atomic_store_n(&stop, true, __ATOMIC_RELEASE);
	check_eq(ctl->nest, 0);
	check_eq(ctl->head, ring.d.reserve);
	check_eq(ring.d.events, tries - refused);
	check_eq(ctl->lost_full + ctl->lost_nested, refused);
	for (i = 0; i < READERS; i++) {
		struct reader *r = &readers[i];

		pthread_join(r->thread, NULL);
		printf("# reader %u: seen %llu lost %llu of %llu; refused %llu, nested %llu\n", i,
		       (unsigned long long)r->cur.seen, (unsigned long long)r->cur.lost,
		       (unsigned long long)ring.d.events, (unsigned long long)refused,
		       (unsigned long long)nested);
		check_eq(r->ret, 0);
		check_eq(r->tally.bad, 0);
		check_eq(r->tally.backwards, 0);
		check_eq(r->tally.records, r->cur.seen);
		check_eq(r->cur.seen + r->cur.lost, ring.d.events);
		check_eq(r->cur.pos, ctl->head);
	}
	check(nested > 0);
	ring_free(&ring);
}

static void small(void)
{
	run((struct load){ .size = 8192, .subbuf = 4096, .ms = 1500 });
}

static void middle(void)
{
	run((struct load){ .size = 65536, .subbuf = 8192, .ms = 1500 });
}

static void changing_hands(void)
{
	run((struct load){ .size = 32768, .subbuf = 4096, .ms = 1500, .rebind = true });
}

static void keep_oldest(void)
{
	run((struct load){ .size = 1 << 22, .subbuf = 32768, .ms = 500, .stop_full = true });
}

static const struct ktap_case cases[] = {
	{ "small ring", small },
	{ "middle ring", middle },
	{ "ring changing hands", changing_hands },
	{ "keep the oldest", keep_oldest },
};
KTAP_MAIN(cases)
