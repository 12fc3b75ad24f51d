// SPDX-License-Identifier: GPL-2.0-only
/*
 * refilter [TIMES]: while tasks make calls as fast as they can, adds a probe of these calls to a recording
 * session, with a filter that no event passes, and removes it, TIMES (default 60) times. The filters take
 * turns: one that is asked once for each task, one that is asked for each event. Prints "passed N": how many
 * records there were all the same. Then prints "control N" with filters that all events pass: it waits for
 * some records, as the callers may not have run.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <ctrace/libctrace.h>

#define CALLERS	2

static struct ctrace *ct;
static struct ctrace_session *s;
static struct ctrace_reader *r;

static void die(const char *what)
{
	fprintf(stderr, "refilter: %s: %s\n", what, ctrace_errmsg(ct));
	exit(1);
}

static void change(const char *filter)
{
	struct ctrace_probe_opts o = { .sz = sizeof(o), .filter = filter };
	uint32_t id;

	if (ctrace_probe_add(s, "syscall:getppid", &o, &id, NULL))
		die(filter);
	usleep(2000);
	if (ctrace_probe_del(s, id))
		die("del");
}

/* The number of records published since the session began. */
static unsigned long long published(void)
{
	const struct ctrace_record *rec;
	struct ctrace_losses l;

	while (ctrace_reader_next(r, &rec) == 1)
		;
	ctrace_reader_losses(r, &l, sizeof(l));
	return l.seen + l.overrun;
}

int main(int argc, char **argv)
{
	int times = argc > 1 ? atoi(argv[1]) : 60;
	pid_t callers[CALLERS];
	int i;

	for (i = 0; i < CALLERS; i++) {
		callers[i] = fork();
		while (!callers[i])
			if (syscall(SYS_getppid) == 1)
				_exit(0);	/* the parent has died */
	}
	if (ctrace_open(&ct) || ctrace_session_new(ct, NULL, &s) || ctrace_target_add(s, NULL, NULL) ||
	    ctrace_reader_open(s, NULL, &r) || ctrace_session_start(s))
		die("start");
	for (i = 0; i < times; i++)
		change(i % 2 ? "$comm == \"nobody\"" : "$pid == 2147483647");
	printf("passed %llu\n", published());
	for (i = 0; i < times && published() < 2; i++)
		change(i % 2 ? "$comm != \"nobody\"" : "$pid != 2147483647");
	printf("control %llu\n", published());
	for (i = 0; i < CALLERS; i++) {
		kill(callers[i], SIGKILL);
		waitpid(callers[i], NULL, 0);
	}
	ctrace_close(ct);
	return 0;
}
