// SPDX-License-Identifier: GPL-2.0-only
/*
 * nl_dumps: a dump of a session's rings continues where the last message ended. A message must not look
 * again at all slots before that place: the same rings would cost more, the more messages they come in. A
 * session has rings of 800 containers among 20,000 slots, which come in messages of 4 KiB and of 32 KiB.
 * Time is the thread's own in the kernel, of the same memory, by turns, so that a busy machine slows both.
 */
#include "dev.h"
#include "box.h"
#include <sys/wait.h>

#define BIRTHS	800
#define TRIES	40

struct rings {
	uint32_t n, last, messages;
	bool ordered;
};

static uint64_t cpu_time(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * 1000000000ull + t.tv_nsec;
}

/* Each one is a container, and has a slot on the CPU that it ran on. */
static void births(void)
{
	for (int i = 0; i < BIRTHS; i++) {
		pid_t pid = (pid_t)syscall(SYS_clone, CLONE_NEWPID | SIGCHLD, 0, 0, 0, 0);

		if (!pid) {
			box_mark(i);
			_exit(0);
		}
		if (pid < 0 || waitpid(pid, NULL, 0) != pid)
			ksft_exit_fail_msg("no pid namespace: %s\n", strerror(errno));
	}
}

/* Dumps a session's rings on a socket of its own, by messages of up to size bytes. Returns the time that it took. */
static uint64_t dump(uint32_t session, size_t size, struct rings *r)
{
	static char buf[32768] __attribute__((aligned(8)));
	static struct msg m;
	struct genl g;
	uint64_t since;
	uint32_t at;
	bool more = true;

	if (genl_open(&g))
		ksft_exit_fail_msg("no socket\n");
	close(g.fd);	/* the kernel remembers the largest buffer that a socket was read with */
	g.fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC);
	*r = (struct rings){ .ordered = true };
	msg_new(&m, g.family, CTRACE_CMD_STATS_GET, NLM_F_DUMP);
	at = msg_nest(&m, CTRACE_A_SESSION);
	msg_u32(&m, CTRACE_A_SESSION_ID, session);
	msg_nest_end(&m, at);
	since = cpu_time();
	if (g.fd < 0 || send(g.fd, &m, m.h.nlmsg_len, 0) < 0)
		ksft_exit_fail_msg("send: %s\n", strerror(errno));
	while (more) {
		ssize_t n = recv(g.fd, buf, size, 0);

		if (n < 0)
			ksft_exit_fail_msg("recv: %s\n", strerror(errno));
		r->messages++;
		for (struct nlmsghdr *h = (void *)buf; NLMSG_OK(h, (size_t)n); h = NLMSG_NEXT(h, n)) {
			uint32_t slot = msg_get_u32(h, CTRACE_A_RING, CTRACE_A_RING_SLOT);

			if (h->nlmsg_type == NLMSG_DONE || h->nlmsg_type == NLMSG_ERROR) {
				more = false;
				break;
			}
			if (!msg_get(h, CTRACE_A_RING, CTRACE_A_RING_SLOT, &(size_t){ 0 }))
				continue;
			r->ordered &= !r->n || slot > r->last;
			r->last = slot;
			r->n++;
		}
	}
	since = cpu_time() - since;
	close(g.fd);
	return since;
}

static uint32_t session(void)
{
	struct genl_sizes s = { .arena = 250 << 20, .ring = 8192 };
	int id = genl_session_new(&dev_genl, &s);

	if (id < 0 || genl_probe_add(&dev_genl, id, "syscall:getpriority") < 0 ||
	    genl_target_add(&dev_genl, id, CTRACE_TARGET_BORN, 0) < 0 ||
	    genl_session_do(&dev_genl, CTRACE_CMD_SESSION_SET, id, 1))
		ksft_exit_fail_msg("a session: %s\n", dev_genl.text);
	return id;
}

int main(void)
{
	uint64_t few = 0, many = 0;	/* sums: some kernels count CPU time in ticks */
	struct rings a, b;
	uint32_t id;

	ksft_print_header();
	ksft_set_plan(3);
	if (genl_open(&dev_genl))
		ksft_exit_fail_msg("no genetlink family\n");
	id = session();
	births();
	for (int i = 0; i < TRIES; i++) {
		many += dump(id, 4096, &a);
		few += dump(id, 32768, &b);
	}
	ksft_test_result(a.n >= BIRTHS && a.ordered, "%u rings in %u messages, in order\n", a.n, a.messages);
	/* before 3.15 the kernel's messages have one size, whatever they are read with */
	ksft_test_result(b.n == a.n && b.ordered && (4 * b.messages < a.messages || b.messages == a.messages), "the same %u in %u messages\n", b.n, b.messages);
	ksft_test_result(many <= 2 * few, "%llu ns in %u messages, %llu ns in %u\n",
			 (unsigned long long)many, a.messages, (unsigned long long)few, b.messages);
	ksft_finished();
}
