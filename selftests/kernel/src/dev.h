/* SPDX-License-Identifier: GPL-2.0-only */
/* dev.h: what the tests of /dev/ctrace share. */
#ifndef DEV_H
#define DEV_H

#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <kselftest.h>
#include "genl.h"

/* A session that records the marked call (box.h) and nothing else. */
static struct genl dev_genl;
static uint32_t dev_session;

static inline void dev_session_make(const struct genl_sizes *s, const char *probe)
{
	int err = genl_open(&dev_genl);

	if (err)
		ksft_exit_fail_msg("no genetlink family: %s\n", strerror(-err));
	err = genl_session_new(&dev_genl, s);
	if (err < 0)
		ksft_exit_fail_msg("no session: %s: %s\n", strerror(-err), dev_genl.text);
	dev_session = err;
	err = genl_probe_add(&dev_genl, dev_session, probe);
	if (err < 0)
		ksft_exit_fail_msg("probe %s: %s: %s\n", probe, strerror(-err), dev_genl.text);
}

static inline void dev_session_start(uint32_t kind, uint32_t value)
{
	int err = genl_target_add(&dev_genl, dev_session, kind, value);

	if (!err)
		err = genl_session_do(&dev_genl, CTRACE_CMD_SESSION_SET, dev_session, 1);
	if (err)
		ksft_exit_fail_msg("start: %s: %s\n", strerror(-err), dev_genl.text);
}

static inline int dev_bind(int fd, uint32_t session, uint32_t cid, uint64_t *size)
{
	struct ctrace_bind b = { .session = session, .cid = cid };

	if (ioctl(fd, CTRACE_IOC_BIND, &b))
		return -errno;
	if (size)
		*size = b.map_size;
	return 0;
}

static inline int dev_open(int flags)
{
	int fd = open(CTRACE_DEVICE, O_RDONLY | O_CLOEXEC | flags);

	if (fd < 0)
		ksft_exit_fail_msg("%s: %s\n", CTRACE_DEVICE, strerror(errno));
	return fd;
}

/* One line of the test: what was expected, what came. 0 stands for success. */
static inline void dev_expect(int expected, int seen, const char *what)
{
	ksft_test_result(expected == seen, "%s: expected %s, seen %s\n", what,
			 expected ? strerror(-expected) : "success",
			 seen ? strerror(-seen) : "success");
}

/* Either of two refusals will do; success never. */
static inline void dev_refused(int seen, const char *what)
{
	ksft_test_result(seen < 0, "%s: expected a refusal, seen %s\n", what,
			 seen < 0 ? strerror(-seen) : "success");
}

#endif
