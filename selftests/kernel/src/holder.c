// SPDX-License-Identifier: GPL-2.0-only
/*
 * holder N: opens all rings of session N, maps them, prints "holding", and reads them over and over until
 * standard input ends. A reader for the tests of teardown.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <ctrace/libctrace.h>
#include "libshort.h"

int main(int argc, char **argv)
{
	const struct ctrace_record *rec;
	struct ctrace_reader *r;
	unsigned long long n = 0;
	struct pollfd p[2];
	int err = 0;

	if (argc < 2)
		return 2;
	/* The device's descriptor alone must keep the module: there is no socket. */
	if (reader_of(strtoul(argv[1], NULL, 0), CTRACE_CID_ALL, &r)) {
		fprintf(stderr, "holder: %s\n", ctrace_reader_errmsg(r));
		return 1;
	}
	printf("holding\n");
	fflush(stdout);
	p[0] = (struct pollfd){ .fd = 0, .events = POLLIN };
	p[1] = (struct pollfd){ .fd = ctrace_reader_fd(r), .events = POLLIN };
	while (!(p[0].revents & (POLLIN | POLLHUP))) {
		poll(p, err == -ENODATA ? 1 : 2, 100);
		for (int i = 0; i < 10000 && (err = ctrace_reader_next(r, &rec)) == 1; i++)
			n++;
	}
	printf("read %llu, then %d\n", n, err);
	ctrace_reader_close(r);
	return 0;
}
