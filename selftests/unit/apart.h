/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A part of a case in a process of its own, whose failed checks fail the case:
 *
 *	pid_t pid = apart_fork();
 *
 *	if (!pid) {
 *		check(...);
 *		apart_exit();
 *	}
 *	apart_wait(pid, NULL);
 */
#ifndef CTRACE_SELFTEST_APART_H
#define CTRACE_SELFTEST_APART_H

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include "ktap.h"

static inline pid_t apart_fork(void)
{
	pid_t pid;

	/* or both would print what is still to be printed */
	fflush(stdout);
	pid = fork();
	if (!pid)
		ktap.failed = false;
	return pid;
}

static inline void __attribute__((noreturn)) apart_exit(void)
{
	fflush(stdout);
	_exit(ktap.failed);
}

/* used: what it used, or NULL. */
static inline void apart_wait(pid_t pid, struct rusage *used)
{
	int status = -1;

	wait4(pid, &status, 0, used);
	check_eq(status, 0);
}

#endif
