// SPDX-License-Identifier: GPL-2.0-only
/*
 * nl_reuse: a session belongs to a socket, not to the socket's number. The kernel gives up the number of a
 * closed socket, and notifies ctrace a little later. One thread closes sockets; another takes the number in
 * between, and makes a session, which must stay. Both run on one CPU, and the second takes it from the
 * first whenever it wakes up.
 */
#include "dev.h"
#include <pthread.h>
#include <sched.h>
#include <time.h>

#define NUMBER	0x7e57c7
#define ROUNDS	1000
#define ENOUGH	50	/* sessions */

static volatile int old = -1;		/* the socket to close */
static volatile bool over;

static int numbered(bool wait)
{
	struct sockaddr_nl nl = { .nl_family = AF_NETLINK, .nl_pid = NUMBER };
	struct timespec nap = { .tv_nsec = 2000 };
	long tries = 0;
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC);
	time_t end = time(NULL) + 60;

	while (fd >= 0 && bind(fd, (void *)&nl, sizeof(nl))) {
		if (errno != EADDRINUSE || !wait || time(NULL) > end) {
			close(fd);
			return -1;
		}
		/*
		 * sleeps, so that the closing thread runs, and comes back whatever that does; longer each
		 * time, as
		 * on a slow machine the shortest naps are over before that thread runs
		 */
		nap.tv_nsec = rnd() % 60000 + 500 * tries++;
		nanosleep(&nap, NULL);
	}
	return fd;
}

static void *closer(void *arg)
{
	(void)arg;
	while (!over) {
		int fd = old;

		if (fd < 0) {
			sched_yield();
			continue;
		}
		old = -1;
		close(fd);
	}
	return NULL;
}

static int count_fn(const struct nlmsghdr *h, void *arg)
{
	(void)h;
	(*(int *)arg)++;
	return 0;
}

static bool there(struct genl *g, uint32_t id)
{
	static struct msg m;
	uint32_t at;
	int n = 0;

	msg_new(&m, g->family, CTRACE_CMD_SESSION_GET, NLM_F_DUMP);
	at = msg_nest(&m, CTRACE_A_SESSION);
	msg_u32(&m, CTRACE_A_SESSION_ID, id);
	msg_nest_end(&m, at);
	return genl_call(g, &m, count_fn, &n) || n;
}

int main(void)
{
	struct genl_sizes z = { .arena = 128 << 10, .ring = 8 << 10 };
	struct sched_param first = { .sched_priority = 10 }, last = { };
	struct genl g, mine;
	unsigned int lost = 0, made = 0;
	pthread_t thread;
	cpu_set_t one;
	time_t end = time(NULL) + 10;

	ksft_print_header();
	ksft_set_plan(2);
	if (genl_open(&g))
		ksft_exit_fail_msg("no socket\n");
	CPU_ZERO(&one);
	CPU_SET(0, &one);
	if (sched_setaffinity(0, sizeof(one), &one) || pthread_create(&thread, NULL, closer, NULL))
		ksft_exit_fail_msg("no thread on CPU 0\n");
	pthread_setschedparam(thread, SCHED_IDLE, &last);
	if (sched_setscheduler(0, SCHED_FIFO, &first))
		ksft_exit_fail_msg("no real-time scheduling: %s\n", strerror(errno));
	/* enough rounds, however slow the machine is */
	for (int i = 0; i < ROUNDS && (made <= ENOUGH || time(NULL) < end); i++) {
		int id, fd = numbered(true);

		if (fd < 0)
			ksft_exit_fail_msg("no socket of that number: %s\n", strerror(errno));
		/* the closed one had a session, or ctrace is not interested */
		mine = g;
		mine.fd = fd;
		id = genl_session_new(&mine, &z);
		if (id < 0) {
			close(fd);	/* or its number stays taken */
			usleep(1000);
			continue;	/* all sessions are in use: some are still ending */
		}
		made++;
		usleep(20000);	/* as long as an end takes */
		if (!there(&mine, id) && !lost++)
			ksft_print_msg("session %d of a socket that is open has gone\n", id);
		old = fd;
	}
	while (old >= 0)
		usleep(1000);
	over = true;
	pthread_join(thread, NULL);
	ksft_test_result(made > ENOUGH, "%u sessions on sockets of one number, one after another\n", made);
	ksft_test_result(!lost, "none ended before its socket was closed (%u did)\n", lost);
	ksft_finished();
}
