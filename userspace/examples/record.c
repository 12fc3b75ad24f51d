// SPDX-License-Identifier: LGPL-2.1-only
/*
 * A recorder: writes the system calls and task switches of a container, of a cgroup, or of all, into a
 * directory that babeltrace2 and Trace Compass read; at the end, how many there were and how many were lost.
 *	cc record.c $(pkg-config --cflags --libs libctrace) -o record
 *	./record DIR SECONDS CID|CGROUP|all	(CGROUP: its directory, /sys/fs/cgroup/...)	Ctrl-C ends it
 */
#include <ctrace/libctrace.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static volatile sig_atomic_t interrupted;

static void on_signal(int sig) { interrupted = sig; }

static int add_target(struct ctrace_session *session, const char *who)
{
	struct ctrace_target t = { .sz = sizeof(t), .kind = CTRACE_TARGET_CID, .cid = strtoul(who, NULL, 10) };

	if (who[0] == '/') {
		t.kind = CTRACE_TARGET_CGROUP;
		t.cgroup = who;
	}
	return ctrace_target_add(session, strcmp(who, "all") ? &t : NULL, NULL);
}

static int record(struct ctrace_session *session, struct ctrace_reader *reader, struct ctrace_ctf *trace,
		  long seconds)
{
	struct pollfd pfd = { .fd = ctrace_reader_fd(reader), .events = POLLIN };
	time_t end = time(NULL) + seconds;
	int n = 0;

	while (n >= 0 && !interrupted && time(NULL) < end) {
		n = ctrace_ctf_drain(trace, reader);
		if (n == 0)
			poll(&pfd, 1, 100);
		poll(NULL, 0, 5);	/* 5 ms: if all is traced, so are our own writes; do not chase them */
	}
	if (n >= 0)
		n = ctrace_session_stop(session);
	while (n >= 0 && (n = ctrace_ctf_drain(trace, reader)) > 0)
		;			/* what is left in the rings */
	return n;
}

int main(int argc, char **argv)
{
	struct ctrace_session *session = NULL;
	struct ctrace_schema *schema = NULL;
	struct ctrace_reader *reader = NULL;
	struct ctrace_session_losses more;
	struct ctrace_losses lost;
	struct ctrace_ctf *trace = NULL;
	struct ctrace_ctf_info info;
	struct ctrace *ct = NULL;
	int err, closed;

	if (argc != 4) {
		fprintf(stderr, "usage: %s DIR SECONDS CID|CGROUP|all\n", argv[0]);
		return 2;
	}
	sigaction(SIGINT, &(struct sigaction){ .sa_handler = on_signal }, NULL);
	if ((err = ctrace_open(&ct)) || (err = ctrace_schema_get(ct, &schema)) ||
	    (err = ctrace_session_new(ct, NULL, &session)) ||
	    (err = ctrace_probe_add(session, "syscalls", NULL, NULL, NULL)) ||
	    (err = ctrace_probe_add(session, "sched_switch", NULL, NULL, NULL)) ||
	    (err = add_target(session, argv[3])) ||
	    (err = ctrace_reader_open(session, NULL, &reader)) ||
	    (err = ctrace_ctf_open(AT_FDCWD, argv[1], schema, NULL, &trace)) ||
	    (err = ctrace_session_start(session)) ||
	    (err = record(session, reader, trace, strtol(argv[2], NULL, 10))))
		fprintf(stderr, "%s: %s\n", argv[0], trace && *ctrace_ctf_errmsg(trace) ?
			ctrace_ctf_errmsg(trace) : ctrace_errmsg(ct));
	if (trace && !ctrace_reader_losses(reader, &lost, sizeof(lost)) &&
	    !ctrace_session_losses(session, &more, sizeof(more))) {
		ctrace_ctf_info(trace, &info, sizeof(info));
		fprintf(stderr, "%" PRIu64 " records, %" PRIu64 " bytes, %" PRIu64 " lost\n", info.records,
			info.bytes, lost.overrun + lost.full + lost.nested + lost.frozen + more.missed +
			more.unfollowed + more.unfollowed_tasks + more.unread);
	}
	closed = ctrace_ctf_close(trace);	/* the last error may be one of closing a file */
	if (closed && !err)
		fprintf(stderr, "%s: cannot write %s: %s\n", argv[0], argv[1], strerror(-closed));
	ctrace_reader_close(reader);
	ctrace_session_free(session);
	ctrace_schema_free(schema);
	ctrace_close(ct);
	return err || closed;
}
