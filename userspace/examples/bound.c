// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Hands one container's records to a process without privileges: makes a view of the container,
 * and passes it over a UNIX socket to a child that has become another user. The child can read what the
 * view shows, and nothing else; the session, and its end, stay with the parent, and with them the view ends.
 *	cc bound.c $(pkg-config --cflags --libs libctrace) -o bound
 *	./bound CID COUNT [UID]		as root; prints COUNT records as that user (65534: nobody)
 */
#include <ctrace/libctrace.h>
#include <grp.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

union passed {				/* room and alignment for one descriptor */
	struct cmsghdr head;
	char room[CMSG_SPACE(sizeof(int))];
};

static int pass(int sock, int fd)
{
	char byte = 0;
	union passed p = { .room = { 0 } };
	struct iovec v = { .iov_base = &byte, .iov_len = 1 };
	struct msghdr m = { .msg_iov = &v, .msg_iovlen = 1, .msg_control = &p, .msg_controllen = sizeof(p) };
	struct cmsghdr *c = CMSG_FIRSTHDR(&m);

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(fd));
	memcpy(CMSG_DATA(c), &fd, sizeof(fd));
	return sendmsg(sock, &m, 0) == 1 ? 0 : -1;
}

static int take(int sock)
{
	char byte;
	union passed p;
	struct iovec v = { .iov_base = &byte, .iov_len = 1 };
	struct msghdr m = { .msg_iov = &v, .msg_iovlen = 1, .msg_control = &p, .msg_controllen = sizeof(p) };
	struct cmsghdr *c;
	int fd = -1;

	if (recvmsg(sock, &m, MSG_CMSG_CLOEXEC) == 1 && (c = CMSG_FIRSTHDR(&m)) &&
	    c->cmsg_type == SCM_RIGHTS && c->cmsg_len == CMSG_LEN(sizeof(fd)))
		memcpy(&fd, CMSG_DATA(c), sizeof(fd));
	return fd;
}

static int child(int sock, long count, uid_t uid)
{
	struct ctrace_reader_opts o = { .sz = sizeof(o), .flags = CTRACE_READER_FD };
	const struct ctrace_record *rec;
	struct ctrace_reader *r;
	struct ctrace_losses l;
	int got;

	/* Root's setuid() changes all three user ids; with that every capability goes. */
	if (setgroups(0, NULL) || setgid(uid) || setuid(uid) || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)) {
		perror("bound: cannot drop privileges");
		return 1;
	}
	o.fd = take(sock);
	got = ctrace_reader_open(NULL, &o, &r);	/* on success the reader owns o.fd */
	if (!got)
		printf("user %d reads container %" PRIu32 " of session %" PRIu32 "\n", (int)getuid(),
		       (uint32_t)ctrace_reader_dir(r)->cid, (uint32_t)ctrace_reader_dir(r)->session);
	while (got >= 0 && count > 0) {
		got = ctrace_reader_next(r, &rec);
		if (got == 1)
			count -= printf("%" PRIu64 " cid %" PRIu32 " vtid %" PRId32 " event %d\n",
					(uint64_t)rec->time, rec->cid, rec->vtid, rec->id) > 0;
		else if (got == 0)
			got = ctrace_reader_poll(r, -1);
	}
	if (got < 0)
		fprintf(stderr, "bound: %s\n", ctrace_reader_errmsg(r));
	else if (!ctrace_reader_losses(r, &l, sizeof(l)))
		printf("%" PRIu64 " records, %" PRIu64 " overrun\n", l.seen, l.overrun);
	ctrace_reader_close(r);
	return got < 0;
}

int main(int argc, char **argv)
{
	struct ctrace_target target = { .sz = sizeof(target), .kind = CTRACE_TARGET_CID };
	struct ctrace_reader_opts o = { .sz = sizeof(o), .flags = CTRACE_READER_CID };
	struct ctrace_session *session = NULL;
	struct ctrace_reader *reader = NULL;
	int err, sock[2], status = 1;
	struct ctrace *ct;
	pid_t pid;

	if (argc < 3) {
		fprintf(stderr, "usage: bound CID COUNT [UID]\n");
		return 2;
	}
	target.cid = o.cid = strtoul(argv[1], NULL, 10);
	/* The child is made before there is anything that it might inherit. */
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sock) || (pid = fork()) < 0) {
		perror("bound");
		return 1;
	}
	if (!pid) {
		close(sock[0]);
		return child(sock[1], strtol(argv[2], NULL, 10), argc > 3 ? strtoul(argv[3], NULL, 10) : 65534);
	}
	close(sock[1]);
	if ((err = ctrace_open(&ct)) || (err = ctrace_session_new(ct, NULL, &session)) ||
	    (err = ctrace_probe_add(session, "syscalls", NULL, NULL, NULL)) ||
	    (err = ctrace_target_add(session, &target, NULL)) ||
	    (err = ctrace_reader_open(session, &o, &reader)) || (err = ctrace_session_start(session)))
		fprintf(stderr, "bound: %s\n", ctrace_errmsg(ct));
	else if ((err = pass(sock[0], ctrace_reader_fd(reader))))
		perror("bound: cannot pass the descriptor");
	ctrace_reader_close(reader);	/* the child has its own descriptor now */
	close(sock[0]);
	waitpid(pid, &status, 0);
	ctrace_session_free(session);
	ctrace_close(ct);
	return err || status;
}
