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

	if (err >= 0)
		err = genl_session_do(&dev_genl, CTRACE_CMD_SESSION_SET, dev_session, 1);
	if (err)
		ksft_exit_fail_msg("start: %s: %s\n", strerror(-err), dev_genl.text);
}

/* A view of one container, by a descriptor of the device; or an error. */
static inline int dev_view(int fd, uint32_t session, uint32_t cid, uint64_t *size)
{
	struct ctrace_view_args v = { .session = session, .cid = cid };
	int view = ioctl(fd, CTRACE_IOC_VIEW, &v);

	if (view < 0)
		return -errno;
	if (size)
		*size = v.map_size;
	return view;
}

/* Binds fd to the session; or, for one container, puts a view of it in fd's place. */
static inline int dev_bind(int fd, uint32_t session, uint32_t cid, uint64_t *size)
{
	struct ctrace_bind b = { .session = session, .cid = cid };
	int view;

	if (cid != CTRACE_CID_ALL) {
		view = dev_view(fd, session, cid, size);
		if (view < 0)
			return view;
		fcntl(view, F_SETFL, fcntl(fd, F_GETFL));
		dup3(view, fd, O_CLOEXEC);
		close(view);
		return 0;
	}
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

/* Sends a descriptor over a UNIX socket. */
static inline void dev_fd_send(int sock, int fd)
{
	char c = 'f', ctl[CMSG_SPACE(sizeof(int))] = { 0 };
	struct iovec iov = { &c, 1 };
	struct msghdr m = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = ctl,
			    .msg_controllen = sizeof(ctl) };
	struct cmsghdr *h = CMSG_FIRSTHDR(&m);

	h->cmsg_level = SOL_SOCKET;
	h->cmsg_type = SCM_RIGHTS;
	h->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(h), &fd, sizeof(fd));
	if (sendmsg(sock, &m, 0) != 1)
		perror("sendmsg");
}

static inline int dev_fd_recv(int sock)
{
	char c, ctl[CMSG_SPACE(sizeof(int))];
	struct iovec iov = { &c, 1 };
	struct msghdr m = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = ctl,
			    .msg_controllen = sizeof(ctl) };
	int fd = -1;

	if (recvmsg(sock, &m, 0) == 1 && CMSG_FIRSTHDR(&m))
		memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&m)), sizeof(fd));
	return fd;
}

static inline int dev_cid_fn(const struct nlmsghdr *h, void *arg)
{
	uint32_t *want = arg;

	if (msg_get_u32(h, CTRACE_A_CONTAINER, CTRACE_A_CONTAINER_INIT_PID) == want[0] &&
	    !msg_get_u64(h, CTRACE_A_CONTAINER, CTRACE_A_CONTAINER_GONE))
		want[1] = msg_get_u32(h, CTRACE_A_CONTAINER, CTRACE_A_CONTAINER_CID);
	return 0;
}

/* The cid of the living container whose init has this pid, 0 if there is none. */
static inline uint32_t dev_cid_of(pid_t init)
{
	static struct msg m;
	uint32_t want[2] = { init, 0 };

	msg_new(&m, dev_genl.family, CTRACE_CMD_CONTAINER_GET, NLM_F_DUMP);
	genl_call(&dev_genl, &m, dev_cid_fn, want);
	return want[1];
}

/* One line of the test: what was expected, what was seen. 0 stands for success. */
static inline void dev_expect(int expected, int seen, const char *what)
{
	ksft_test_result(expected == seen, "%s: expected %s, seen %s\n", what,
			 expected ? strerror(-expected) : "success",
			 seen ? strerror(-seen) : "success");
}

/* Any refusal will do; success is a failure of the test. */
static inline void dev_refused(int seen, const char *what)
{
	ksft_test_result(seen < 0, "%s: expected a refusal, seen %s\n", what,
			 seen < 0 ? strerror(-seen) : "success");
}

#endif
