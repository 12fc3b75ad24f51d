// SPDX-License-Identifier: LGPL-2.1-only
/*
 * A streaming consumer: prints the events of one container, or of all, as lines; at the end, exactly how
 * many there were and how many were lost.
 *	cc stream.c $(pkg-config --cflags --libs libctrace) -o stream
 *	./stream CID|all		(cids: ctrace ps)		Ctrl-C ends it
 */
#include <ctrace/libctrace.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static volatile sig_atomic_t interrupted;

static void on_signal(int sig) { interrupted = sig; }

static int follow(struct ctrace_session *session, struct ctrace_reader *reader,
		  const struct ctrace_schema *schema)
{
	const struct ctrace_event_type *type;
	const struct ctrace_record *rec;
	int got, stopped = 0;

	for (;;) {
		if (interrupted && !stopped++)	/* stop, then drain what is in the rings */
			ctrace_session_stop(session);
		got = ctrace_reader_next(reader, &rec);
		if (got < 0 || (got == 0 && stopped))
			return got;
		if (got == 1) {
			type = ctrace_schema_by_id(schema, rec->id);
			printf("%" PRIu64 " cid %" PRIu32 " vtid %" PRId32 " %s\n", (uint64_t)rec->time,
			       rec->cid, rec->vtid, type ? type->name : "?");
			continue;
		}
		got = ctrace_reader_poll(reader, 100);	/* ms: a signal may come just before */
		if (got < 0 && got != -EINTR)
			return got;
	}
}

int main(int argc, char **argv)
{
	int all = argc < 2 || !strcmp(argv[1], "all"), err;
	struct ctrace_target target = { .sz = sizeof(target), .kind = CTRACE_TARGET_CID };
	struct sigaction sa = { .sa_handler = on_signal };
	struct ctrace_session *session = NULL;
	struct ctrace_schema *schema = NULL;
	struct ctrace_reader *reader = NULL;
	struct ctrace_session_losses sl;
	struct ctrace_losses l;
	struct ctrace *ct;

	target.cid = all ? 0 : strtoul(argv[1], NULL, 10);
	sigaction(SIGINT, &sa, NULL);
	if ((err = ctrace_open(&ct)) || (err = ctrace_schema_get(ct, &schema)) ||
	    (err = ctrace_session_new(ct, NULL, &session)) ||
	    (err = ctrace_probe_add(session, "syscalls", NULL, NULL, NULL)) ||
	    (err = ctrace_probe_add(session, "sched_switch", NULL, NULL, NULL)) ||
	    (err = ctrace_target_add(session, all ? NULL : &target, NULL)) ||
	    (err = ctrace_reader_open(session, NULL, &reader)) || (err = ctrace_session_start(session)))
		fprintf(stderr, "%s: %s\n", argv[0], ctrace_errmsg(ct));
	else if ((err = follow(session, reader, schema)))
		fprintf(stderr, "%s: %s\n", argv[0], ctrace_reader_errmsg(reader));
	else if (!fflush(stdout) && !ctrace_reader_losses(reader, &l, sizeof(l)) &&
		 !ctrace_session_losses(session, &sl, sizeof(sl)))
		fprintf(stderr, "%" PRIu64 " records, %" PRIu64 " lost\n", l.seen,
			l.overrun + l.full + l.nested + l.frozen + sl.missed + sl.unfollowed + sl.unfollowed_tasks + sl.unread);
	ctrace_reader_close(reader);
	ctrace_session_free(session);
	ctrace_schema_free(schema);
	ctrace_close(ct);
	return err != 0;
}
