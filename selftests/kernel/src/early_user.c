// SPDX-License-Identifier: GPL-2.0-only
/*
 * early_user: opens /dev/ctrace, and begins a dump of events, again and again while the module comes and goes. Each is
 * held for a moment: if the module's loading failed after it, the kernel would free a module that is in use. Ends with
 * SIGTERM, and prints how often it had either.
 */
#include <signal.h>
#include <stdio.h>
#include "dev.h"

static volatile sig_atomic_t ended;

static void end(int nr)
{
	(void)nr;
	ended = 1;
}

/* One message of many: the kernel holds the module until the last one is read, or the socket closed. */
static bool dump_begun(void)
{
	static char buf[4096] __attribute__((aligned(8)));
	const struct nlmsghdr *h = (void *)buf;
	static struct msg m;
	struct genl g;
	bool is = false;

	if (!genl_open(&g)) {
		msg_new(&m, g.family, CTRACE_CMD_EVENT_GET, NLM_F_DUMP);
		is = send(g.fd, &m, m.h.nlmsg_len, 0) > 0 && recv(g.fd, buf, sizeof(buf), 0) > 0 &&
		     h->nlmsg_type == g.family;
		usleep(is ? 500 : 0);
	}
	close(g.fd);
	return is;
}

int main(void)
{
	unsigned long opened = 0, dumps = 0;
	int fd;

	signal(SIGTERM, end);
	while (!ended) {
		fd = open("/dev/ctrace", O_RDWR | O_CLOEXEC);
		if (fd >= 0) {
			opened++;
			usleep(500);
			close(fd);
		}
		dumps += dump_begun();
		if (fd >= 0)
			usleep(2000);	/* time to remove the module */
	}
	printf("%lu opened, %lu dumps\n", opened, dumps);
	return 0;
}
