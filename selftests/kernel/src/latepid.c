// SPDX-License-Identifier: GPL-2.0-only
/*
 * latepid: while tasks make calls as fast as they can, adds the first target, this process, to a session
 * that records already. Prints how many of our own calls the session recorded.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <ctrace/libctrace.h>
#include "libshort.h"

#define CALLERS	2
#define CALLS	100

static void die(struct ctrace *ct)
{
	fprintf(stderr, "latepid: %s\n", ctrace_errmsg(ct));
	exit(1);
}

int main(void)
{
	const struct ctrace_record *rec;
	struct ctrace_session *s;
	struct ctrace_reader *r;
	struct ctrace *ct;
	pid_t callers[CALLERS];
	int i, mine = 0, others = 0;

	for (i = 0; i < CALLERS; i++) {
		callers[i] = fork();
		while (!callers[i])
			syscall(SYS_getppid);
	}
	if (ctrace_open(&ct) || ctrace_session_new(ct, NULL, &s) || ctrace_probe_add(s, "syscall:getppid", NULL, NULL, NULL) ||
	    ctrace_reader_open(s, NULL, &r) || ctrace_session_start(s) || target_pid(s, getpid()))
		die(ct);
	for (i = 0; i < CALLS; i++)
		syscall(SYS_getppid);
	ctrace_session_stop(s);
	while (ctrace_reader_next(r, &rec) == 1)
		*(rec->tid == getpid() ? &mine : &others) += 1;
	printf("mine %d others %d\n", mine, others);
	for (i = 0; i < CALLERS; i++) {
		kill(callers[i], SIGKILL);
		waitpid(callers[i], NULL, 0);
	}
	ctrace_close(ct);
	return 0;
}
