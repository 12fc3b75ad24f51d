// SPDX-License-Identifier: LGPL-2.1-only
/*
 * A streaming consumer: prints the events of one container, or of all, as lines; at the end, exactly how
 * many there were and how many were lost.
 *	cc stream.c $(pkg-config --cflags --libs libctrace) -o stream
 *	./stream CID|all		(cids: ctrace ps)		Ctrl-C ends it
 */
#include <ctrace/libctrace.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static volatile sig_atomic_t interrupted;

static void on_signal(int sig) { interrupted = sig; }

static int follow(struct ctrace_session *session, struct ctrace_reader *reader,
		  const struct ctrace_schema *schema)
{
	struct pollfd pfd = { .fd = ctrace_reader_fd(reader), .events = POLLIN };
	const struct ctrace_event_type *type;
	const struct ctrace_record *rec;
	int got, stopped = 0;

	for (;;) {
		if (interrupted && !stopped)	/* stop, then drain what is in the rings */
			stopped = ctrace_session_stop(session) == 0;
		got = ctrace_reader_next(reader, &rec);
		if (got < 0 || (got == 0 && interrupted))
			return got;
		if (got == 0) {
			poll(&pfd, 1, 100);	/* 100 ms: a signal may come just before */
			continue;
		}
		type = ctrace_schema_by_id(schema, rec->id);
		printf("%" PRIu64 " cid %" PRIu32 " vtid %" PRId32 " %s\n", (uint64_t)rec->time,
		       rec->cid, rec->vtid, type ? type->name : "?");
	}
}

int main(int argc, char **argv)
{
	const char *who = argc == 2 ? argv[1] : "all";
	struct sigaction sa = { .sa_handler = on_signal };
	struct ctrace_losses l = { 0 };
	struct ctrace_session *session = NULL;
	struct ctrace_schema *schema = NULL;
	struct ctrace_reader *reader = NULL;
	struct ctrace *ct = NULL;
	int err;

	sigaction(SIGINT, &sa, NULL);
	if ((err = ctrace_open(&ct)) || (err = ctrace_schema_get(ct, &schema)) ||
	    (err = ctrace_session_new(ct, NULL, &session)) ||
	    (err = ctrace_probe_add(session, "syscalls", NULL, NULL)) ||
	    (err = ctrace_probe_add(session, "sched_switch", NULL, NULL)) ||
	    (err = strcmp(who, "all") ? ctrace_target_cid(session, strtoul(who, NULL, 10)) :
					ctrace_target_all(session)) ||
	    (err = ctrace_reader_open(session, 0, &reader)) ||
	    (err = ctrace_session_start(session)) ||
	    (err = follow(session, reader, schema)))
		fprintf(stderr, "%s: %s\n", argv[0], ctrace_strerror(ct));
	if (reader && !ctrace_reader_losses(reader, &l))
		fprintf(stderr, "%" PRIu64 " records, %" PRIu64 " lost\n", l.seen,
			l.overrun + l.full + l.nested + l.missed + l.unfollowed);
	ctrace_reader_close(reader);
	ctrace_session_free(session);
	ctrace_schema_free(schema);
	ctrace_close(ct);
	return err != 0;
}
