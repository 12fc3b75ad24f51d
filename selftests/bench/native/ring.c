// SPDX-License-Identifier: GPL-2.0-only
/*
 * ring BYTES: measures module/ring/ring.h on this processor, in ns per record of that length (24 to 184), beside
 * the lower limit: reading the clock, and copying the same bytes to memory of the same size. Prints lines "NAME NS", the
 * median of batches.
 *
 * ring BYTES limit|ring N: makes N records, for a tool that counts (stores, run). Prints a line "FROM TO WHAT" for each part
 * of the writer's memory. The last line's part is a mark, which is written before the first record and after the last one.
 */
#include "bench.h"

#define BATCH	20000
#define BATCHES	201

static struct ctrace_ring_desc d;
static char limit_mem[RING + CTRACE_RECORD_MAX] __aligned(CTRACE_PAGE);
static u64 limit_pos, hint __aligned(64);

static void limit(void)
{
	char *to = limit_mem + (limit_pos & (RING - 1));

	*(u64 *)to = clock_now();
	memcpy(to + 8, model, len - 8);
	limit_pos += len;
	if ((limit_pos & (SUBBUF - 1)) > SUBBUF - CTRACE_RECORD_MAX)
		limit_pos = (limit_pos | (SUBBUF - 1)) + 1;
}

static void clock_alone(void)
{
	model[0] = clock_now();
}

static void one(void)
{
	write_one(&d);
}

/* Every record has another one inside, as an interrupt would write it. */
static void nested(void)
{
	struct ctrace_writer w;

	if (!ctrace_ring_reserve(&d, &w, len))
		abort();
	one();
	fill(w.rec);
	ctrace_ring_commit(&d, &w);
}

#define MEASURE(name, fn, records)						\
do {										\
	static double v[BATCHES];						\
	for (int b_ = 0; b_ < BATCHES; b_++) {					\
		u64 t_ = mono();						\
		for (int i_ = 0; i_ < BATCH; i_++)				\
			fn();							\
		v[b_] = (double)(mono() - t_) / BATCH / (records);		\
	}									\
	printf("%s %.1f\n", name, median(v, BATCHES));				\
} while (0)

static int stop;
static u64 seen, lost;

/*
 * Copies all that it can get, then waits as readers do. The writer does not wait, and laps it in that time.
 * (A
 * reader that looked again and again would take the writer's cache line from it each time.)
 */
static void *reader(void *arg)
{
	static char copy[RING];
	struct ctrace_cursor c;
	struct ctrace_span s;
	int ret;

	(void)arg;
	ctrace_cursor_init(&c, d.ctl, RING, SUBBUF);
	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
		ret = ctrace_cursor_next(&c, &s, sizeof(copy), ~0ull);
		if (!ret)
			usleep(1000);
		if (ret <= 0)
			continue;
		memcpy(copy, s.data, s.len);
		if (ctrace_cursor_done(&c, &s))
			seen += s.count;
	}
	lost = c.lost;
	return NULL;
}

static void range(const void *from, size_t len, const char *what)
{
	printf("%016lx %016lx %s\n", (unsigned long)from, (unsigned long)from + len, what);
}

static int count(const char *name, long n)
{
	static volatile u64 mark;
	char *stack = __builtin_frame_address(0);
	bool ring = !strcmp(name, "ring");

	range(&d, sizeof(d), "descriptor");
	range(&hint, sizeof(hint), "hint");
	range(d.ctl, sizeof(*d.ctl), "control");
	range(d.data, RING, "records");
	range(stack - CTRACE_PAGE, CTRACE_PAGE, "stack");
	range((void *)&mark, sizeof(mark), "mark");
	fflush(stdout);
	mark = 1;
	while (n--)
		if (ring)
			one();
		else
			limit();
	mark = 2;
	return 0;
}

int main(int argc, char **argv)
{
	pthread_t t;

	if ((argc != 2 && argc != 4) || !set_len(argv[1]) || !ring_init(&d, &hint, 0))
		return 2;
	if (argc == 4)
		return count(argv[2], atoi(argv[3]));
	MEASURE("warm", one, 1);
	MEASURE("clock", clock_alone, 1);
	MEASURE("limit", limit, 1);
	MEASURE("ring", one, 1);
	MEASURE("nested", nested, 2);
	if (pthread_create(&t, NULL, reader, NULL))
		return 1;
	MEASURE("lapped", one, 1);
	__atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
	pthread_join(t, NULL);
	printf("seen %llu\nlost %llu\n", (unsigned long long)seen, (unsigned long long)lost);
	return 0;
}
