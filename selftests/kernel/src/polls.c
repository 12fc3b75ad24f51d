// SPDX-License-Identifier: GPL-2.0-only
/* polls storm|idle: the cost of polling a view for others, and what it shows of them. */
#include "views.h"
#include "proc_counts.h"
#include <sched.h>
#include <signal.h>

/* --- storm: a holder who polls in a loop ---------------------------------------------------------- */

/* Makes marked calls until it is killed, on CPU 0; arg: us between two of them. */
static int calls(void *arg)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(0, &set);
	sched_setaffinity(0, sizeof(set), &set);
	for (;;) {
		for (int i = 0; i < ((long)arg ? 1 : 1000); i++)
			box_mark(i);
		if ((long)arg)
			usleep((long)arg);
	}
	return 0;
}

static pid_t poller(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	pid_t pid = fork();
	cpu_set_t set;

	if (pid)
		return pid;
	CPU_ZERO(&set);
	CPU_SET(sysconf(_SC_NPROCESSORS_ONLN) > 1, &set);
	if (to_nobody())
		_exit(1);
	sched_setaffinity(0, sizeof(set), &set);
	for (;;)
		poll(&p, 1, 0);
}

#define STORM_S	3

static long storm_rate(const char *what)
{
	long before = proc_irq_works(), n;

	sleep(STORM_S);
	n = proc_irq_works() - before;
	ksft_print_msg("%s: %ld IRQ works in %d s\n", what, n, STORM_S);
	return n;
}

static void storm(void)
{
	struct genl_sizes s = { .arena = 16 << 20, .ring = 65536 };
	long quiet, others, own, at_once;
	struct box a, b;
	uint32_t cid;
	int fd, now;
	pid_t pid;

	ksft_set_plan(3);
	if (proc_irq_works() < 0)
		ksft_exit_skip("this kernel does not count IRQ works\n");
	if (box_init(BOX_MOUNTS))
		ksft_exit_fail_msg("no cgroups\n");
	dev_session_make(&s, "syscall:getpriority");
	dev_session_start(CTRACE_TARGET_ALL, 0);
	cid = start(&a, "storm-a", calls, 100);
	start(&b, "storm-b", calls, 0);
	fd = dev_open(0);
	if (dev_bind(fd, dev_session, cid, NULL))
		ksft_exit_fail_msg("no view\n");
	box_go(&b);
	quiet = storm_rate("nobody polls");
	pid = poller(fd);
	others = storm_rate("a view of an idle container is polled in a loop, its neighbour makes calls");
	ksft_test_result(others <= quiet + 20 * STORM_S, "the neighbour's records begin no IRQ works (%ld, %ld without)\n",
			 others, quiet);
	box_go(&a);
	own = storm_rate("its own container makes calls, too");
	ksft_test_result(own > 5 && own <= quiet + 220 * STORM_S,
			 "its own records begin one each 5 ms at most (%ld)\n", own);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	close(fd);
	/* a session that wakes at once: a view still waits a millisecond */
	s.wakeup_ns = 1;
	now = genl_session_new(&dev_genl, &s);
	fd = dev_open(0);
	if (now < 0 || genl_probe_add(&dev_genl, now, "syscall:getpriority") < 0 ||
	    genl_target_add(&dev_genl, now, CTRACE_TARGET_ALL, 0) < 0 || dev_bind(fd, now, cid, NULL) ||
	    genl_session_do(&dev_genl, CTRACE_CMD_SESSION_SET, now, 1))
		ksft_exit_fail_msg("no second session: %s\n", dev_genl.text);
	pid = poller(fd);
	at_once = storm_rate("in a session that wakes at once");
	ksft_test_result(at_once > 5 && at_once <= quiet + 1100 * STORM_S, "one each ms at most (%ld)\n", at_once);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	kill(a.pid, SIGKILL);
	kill(b.pid, SIGKILL);
	box_end(&a);
	box_end(&b);
}

/* --- idle: views that have nothing to show --------------------------------------------------------- */

#define IDLE	500

static int once(void *arg)
{
	(void)arg;
	box_mark(1);
	return 0;
}

static pid_t waiter(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	pid_t pid = fork();

	if (pid)
		return pid;
	if (to_nobody())
		_exit(1);
	_exit(poll(&p, 1, -1) == 1 && p.revents & POLLIN ? 0 : 2);
}

static void idle(void)
{
	struct genl_sizes s = { .arena = 16 << 20, .ring = 65536 };
	long before[IDLE], woken = 0, times = 0, n;
	pid_t pid[IDLE];
	struct box a, b;
	int fd, st, told = 0;
	uint32_t cid;

	ksft_set_plan(3);
	if (box_init(BOX_MOUNTS))
		ksft_exit_fail_msg("no cgroups\n");
	dev_session_make(&s, "syscall:getpriority");
	dev_session_start(CTRACE_TARGET_ALL, 0);
	cid = start(&a, "idle-a", once, 0);
	/* the neighbour has a view, too, whose holder is woken for it all the time */
	fd = dev_open(0);
	if (dev_bind(fd, dev_session, start(&b, "idle-b", calls, 200), NULL))
		ksft_exit_fail_msg("no view of the neighbour\n");
	for (int i = 0; i < IDLE; i++) {
		int view = dev_open(0);

		if (dev_bind(view, dev_session, cid, NULL))
			ksft_exit_fail_msg("no view %d: %s\n", i, strerror(errno));
		pid[i] = waiter(view);
		close(view);
	}
	sleep(2);
	box_go(&b);
	for (int i = 0; i < IDLE; i++)
		before[i] = proc_sleeps(pid[i]);
	for (n = 0, st = 0; n < 200; n++) {
		struct pollfd p = { .fd = fd, .events = POLLIN };

		st += poll(&p, 1, 1000) == 1;
	}
	for (int i = 0; i < IDLE; i++) {
		n = proc_sleeps(pid[i]) - before[i];
		woken += n != 0;
		times += n;
	}
	ksft_test_result(st > 150, "the neighbour's view is told %d times\n", st);
	ksft_test_result(!woken, "of %d views of an idle container %ld were woken, %ld times\n", IDLE, woken, times);
	box_go(&a);
	box_end(&a);
	for (int i = 0; i < IDLE; i++) {
		pid_t gone = 0;

		for (int k = 0; k < 1000 && !gone; k++) {
			gone = waitpid(pid[i], &st, WNOHANG);
			if (!gone)
				usleep(10000);
		}
		told += gone == pid[i] && !st;
		if (!gone) {
			kill(pid[i], SIGKILL);
			waitpid(pid[i], NULL, 0);
		}
	}
	ksft_test_result(told == IDLE, "a record of their own wakes them: %d\n", told);
	kill(b.pid, SIGKILL);
	box_end(&b);
}

int main(int argc, char **argv)
{
	if (argc != 2)
		return 2;
	ksft_print_header();
	if (!strcmp(argv[1], "storm"))
		storm();
	else
		idle();
	ksft_finished();
}
