// SPDX-License-Identifier: GPL-2.0-only
/*
 * manyprobes CALLS < DEFINITIONS: attaches a probe for each line, in one session, makes CALLS
 * marked calls in a process of its own, and prints
 *
 *	attached N in MS ms
 *	hits NAME N	(of probes with hits)
 *	lost N missed N
 *	detached in MS ms
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <ctrace/libctrace.h>
#include "box.h"
#include "libshort.h"

static struct ctrace *ct;

static void die(const char *what)
{
	fprintf(stderr, "manyprobes: %s: %s\n", what, ctrace_errmsg(ct));
	exit(1);
}

static long ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static uint64_t hits[0x10000];

static void drain(struct ctrace_reader *r)
{
	const struct ctrace_record *rec;

	while (ctrace_reader_next(r, &rec) == 1)
		hits[rec->id]++;
}

/* A process that makes the calls once *go is written to. */
static pid_t caller(long calls, int *go)
{
	int p[2];
	pid_t pid;
	char c;

	if (pipe(p))
		exit(1);
	pid = fork();
	if (!pid) {
		if (read(p[0], &c, 1) != 1)
			_exit(1);
		while (calls--)
			box_mark(1);
		_exit(0);
	}
	*go = p[1];
	return pid;
}

int main(int argc, char **argv)
{
	struct ctrace_session_opts so = { .sz = sizeof(so), .arena_size = 64 << 20, .ring_size = 4 << 20,
					  .name = "manyprobes" };
	struct ctrace_session_losses sl;
	const struct ctrace_event_type *t;
	struct ctrace_schema *schema;
	struct ctrace_session *s;
	struct ctrace_reader *r;
	struct ctrace_losses l;
	char line[1024];
	long t0, n = 0;
	pid_t pid;
	int go;

	if (ctrace_open(&ct))
		die("open");
	pid = caller(argc > 1 ? atol(argv[1]) : 1000, &go);
	if (ctrace_session_new(ct, &so, &s) || target_pid(s, pid))
		die("session");
	t0 = ms();
	while (fgets(line, sizeof(line), stdin)) {
		line[strcspn(line, "\n")] = 0;
		if (ctrace_probe_add(s, line, NULL, NULL, NULL))
			die(line);
		n++;
	}
	printf("attached %ld in %ld ms\n", n, ms() - t0);
	fflush(stdout);
	if (ctrace_schema_get(ct, &schema) || ctrace_reader_open(s, NULL, &r) || ctrace_session_start(s))
		die("start");
	if (write(go, "g", 1) != 1)
		return 1;
	while (waitpid(pid, NULL, WNOHANG) != pid) {
		drain(r);
		usleep(1000);
	}
	ctrace_session_stop(s);
	drain(r);
	ctrace_reader_losses(r, &l, sizeof(l));
	if (ctrace_session_losses(s, &sl, sizeof(sl)))
		die("losses");
	for (size_t i = 0; (t = ctrace_schema_at(schema, i)); i++)
		if (hits[t->id])
			printf("hits %s %" PRIu64 "\n", t->name, hits[t->id]);
	printf("lost %" PRIu64 " missed %" PRIu64 "\n", l.overrun + l.full + l.nested, sl.missed);
	ctrace_reader_close(r);
	t0 = ms();
	ctrace_session_free(s);
	printf("detached in %ld ms\n", ms() - t0);
	ctrace_close(ct);
	return 0;
}
