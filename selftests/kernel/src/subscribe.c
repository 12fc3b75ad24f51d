// SPDX-License-Identifier: GPL-2.0-only
/*
 * subscribe [-d SECONDS]: prints the containers that exist ("has"), then each birth and
 * death as it is announced ("new", "gone"), one a line:
 *
 *	WHAT cid parent pidns init_pid flags cgroup_id runtime runtime_id path
 *
 * A missing value is printed as "-". Without -d it lists the containers and ends.
 */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <errno.h>
#include <ctrace/libctrace.h>

static void line(const char *what, const struct ctrace_container *c)
{
	printf("%s %u %u %u %u %#x %llu %s %s %s\n", what, c->cid, c->parent, c->pidns, c->init_pid, c->flags,
	       (unsigned long long)c->cgroup_id, c->runtime[0] ? c->runtime : "-",
	       c->runtime_id[0] ? c->runtime_id : "-", c->path[0] ? c->path : "-");
	fflush(stdout);
}

static int each(const struct ctrace_container *c, void *arg)
{
	(void)arg;
	line("has", c);
	return 0;
}

static int event(const struct ctrace_container *c, bool born, void *arg)
{
	(void)arg;
	line(born ? "new" : "gone", c);
	return 0;
}

int main(int argc, char **argv)
{
	double seconds = argc > 2 && !strcmp(argv[1], "-d") ? atof(argv[2]) : 0;
	time_t end = time(NULL) + (time_t)seconds + 1;
	struct ctrace *ct;
	int fd = -1, err;

	if (ctrace_open(&ct) || (seconds && (fd = ctrace_container_subscribe(ct, event, NULL)) < 0) ||
	    ctrace_container_each(ct, each, NULL)) {
		fprintf(stderr, "subscribe: %s\n", ctrace_errmsg(ct));
		return 1;
	}
	while (seconds && time(NULL) < end) {
		struct pollfd p = { .fd = fd, .events = POLLIN };

		if (poll(&p, 1, 100) > 0) {
			while ((err = ctrace_container_dispatch(ct)) > 0)
				;
			if (err < 0 && err != -EAGAIN) {
				fprintf(stderr, "subscribe: %s\n", ctrace_errmsg(ct));
				return 1;
			}
		}
	}
	ctrace_close(ct);
	return 0;
}
