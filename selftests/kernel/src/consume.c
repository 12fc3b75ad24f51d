// SPDX-License-Identifier: GPL-2.0-only
/*
 * consume MODE BYTES CGROUP: records all system calls of a container, given as its cgroup's directory, in an arena of
 * BYTES, until SIGINT. It does so as any program that links with libctrace:
 *
 *	count	reads the records one by one
 *	flight	reads none before the end: a flight recorder
 *	late	reads records as they come, and reports how long the oldest record of each wake-up took to get here
 *	prompt	the same, with a session that wakes its reader at once
 *
 * Prints "recording" on stderr once it records. At the end it prints on stdout: records kept, records lost; with late
 * and prompt also the number of wake-ups, and their median, 99th percentile and longest time, in microseconds.
 */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ctrace/libctrace.h>
#include "box.h"
#include "libshort.h"
#include "values.h"

#define WAKINGS	(1 << 20)

static volatile sig_atomic_t interrupted;
static uint64_t waited[WAKINGS];
static size_t wakings;
static struct ctrace *ct;

static void on_int(int sig)
{
	interrupted = sig;
}

static void die(const char *what)
{
	fprintf(stderr, "consume: %s: %s\n", what, ctrace_errmsg(ct));
	exit(1);
}

static double us(double part)
{
	return wakings ? waited[(size_t)(part * (wakings - 1))] / 1e3 : 0;
}

/* Takes all available records. The first one was waited for. */
static int take(struct ctrace_reader *r, bool late)
{
	const struct ctrace_record *rec;
	int got = ctrace_reader_next(r, &rec);

	if (late && got == 1 && wakings < WAKINGS)
		waited[wakings++] = box_now() - rec->time;
	while (got == 1)
		got = ctrace_reader_next(r, &rec);
	return got;
}

int main(int argc, char **argv)
{
	struct ctrace_session_opts o = { .sz = sizeof(o), .name = "consume", .containers = 1 };
	struct sigaction sa = { .sa_handler = on_int };
	bool late, prompt, flight;
	struct ctrace_session *s;
	struct ctrace_reader *r;
	struct ctrace_session_losses sl;
	struct ctrace_losses l;
	int err = 0;

	if (argc != 4)
		return 2;
	prompt = !strcmp(argv[1], "prompt");
	late = prompt || !strcmp(argv[1], "late");
	if (prompt)
		o.wakeup_ns = CTRACE_WAKEUP_AT_ONCE;
	flight = !strcmp(argv[1], "flight");
	o.arena_size = strtoull(argv[2], NULL, 0);
	sigaction(SIGINT, &sa, NULL);
	if (ctrace_open(&ct))
		die("open");
	if (ctrace_session_new(ct, &o, &s) || ctrace_probe_add(s, "syscalls", NULL, NULL, NULL) ||
	    target_cgroup(s, argv[3]) || ctrace_reader_open(s, NULL, &r) || ctrace_session_start(s))
		die("session");
	fprintf(stderr, "recording\n");
	while (!interrupted && err >= 0) {
		/* A signal just before the wait costs 100 ms. A flight recorder waits for nothing but the
		 * signal. */
		if (flight)
			poll(NULL, 0, 100);
		else if ((err = ctrace_reader_poll(r, 100)) == 1)
			err = take(r, late);
	}
	ctrace_session_stop(s);
	if (take(r, false) < 0 && err < 0)
		die("read");
	if (ctrace_reader_losses(r, &l, sizeof(l)) || ctrace_session_losses(s, &sl, sizeof(sl)))
		die("losses");
	printf("%" PRIu64 " %" PRIu64, l.seen, l.overrun + l.full + l.nested + sl.missed +
	       sl.unfollowed + sl.unfollowed_tasks + sl.unread);
	if (late) {
		values_sort(waited, wakings);
		printf(" %zu %.0f %.0f %.0f", wakings, us(0.5), us(0.99), us(1));
	}
	putchar('\n');
	ctrace_reader_close(r);
	ctrace_session_free(s);
	ctrace_close(ct);
	return 0;
}
