/* SPDX-License-Identifier: GPL-2.0-only */
/* Signals that arrive between a writer's steps, as interrupts do in the kernel. */
#ifndef CTRACE_SELFTEST_RING_SIGNALS_H
#define CTRACE_SELFTEST_RING_SIGNALS_H

#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "ktap.h"

/* Sends sig to the calling thread every ns nanoseconds; handler runs then. */
static timer_t start_timer(int sig, long ns, void (*handler)(int))
{
	struct sigaction sa = { .sa_handler = handler, .sa_flags = SA_RESTART };
	struct sigevent ev = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = sig };
	struct itimerspec every = { { 0, ns }, { 0, ns } };
	timer_t t;

	ev._sigev_un._tid = syscall(SYS_gettid);
	sigaction(sig, &sa, NULL);
	check_eq(timer_create(CLOCK_MONOTONIC, &ev, &t), 0);
	timer_settime(t, 0, &every, NULL);
	return t;
}

#endif
