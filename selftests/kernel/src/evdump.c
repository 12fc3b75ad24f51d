// SPDX-License-Identifier: GPL-2.0-only
/*
 * evdump [-e PROBE [-f EXPR] [-s] [-u] [-c BYTES] [-n N] [-a AGGREGATE]]... [-t TARGET]... [-F EXPR] [-r RATE] [-S]
 *	  [-P] [-N] [-D BYTES] [-d SECONDS] [-b RING] [-v] [-- COMMAND]
 * prints events, one a line, through libctrace alone:
 *
 *	TIME NAME cid=N tid=N vtid=N FIELD=VALUE ...
 *
 * TIME is CLOCK_MONOTONIC in ns. Strings are quoted, with \ooo for bytes that are not printable;
 * sequences are A,B,C. What a call's arguments point to is left out if it is empty. These options apply to the probe
 * before them: -f filter, -s kernel stack, -u user stack, -c registers and BYTES of the user stack (0: 8192), -n one of N,
 * -a count in a table, which is not printed. These apply to the session: -F filter, -r records a second for each container, -S state dump, -P names of descriptors, -N events
 * between two containers once, with both sides, -D bytes of what calls read and write. TARGET: all, host, cid:N, pid:N,
 * cgroup:DIR, not:N, not:DIR.
 * COMMAND and its children are traced from before its first instruction (that is: from the return
 * of the read that held it back). The trace ends with COMMAND, or when the time is over.
 * stderr gets "recording" once it records, and at the end "seen N lost N". With -v there follow
 * "overrun N full N nested N missed N unfollowed N unfollowed_tasks N limited N unread N" and, for each container that -r
 * limited, "limited cid=N dropped=N" (cid=rest: containers beyond the module's table).
 */
#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <ctrace/libctrace.h>
#include "libshort.h"

static struct ctrace *ct;
static struct ctrace_schema *schema;

static void die(const char *what)
{
	fprintf(stderr, "evdump: %s: %s\n", what, ctrace_errmsg(ct));
	exit(1);
}

static void quoted(const char *s, size_t n)
{
	putchar('"');
	for (; n--; s++) {
		if (isprint((unsigned char)*s) && *s != '"' && *s != '\\')
			putchar(*s);
		else
			printf("\\%03o", (unsigned char)*s);
	}
	putchar('"');
}

static void sequence(const struct ctrace_value *v)
{
	for (size_t k = 0; k < v->seq.n; k++) {
		uint64_t u = ctrace_value_at(v, k);

		if (k)
			putchar(',');
		if (v->field->kind == CTRACE_FK_SEQ_INT)
			printf("%" PRId64, (int64_t)u);
		else if (v->field->display == CTRACE_FD_HEX)
			printf("0x%" PRIx64, u);
		else
			printf("%" PRIu64, u);
	}
}

/* Nothing was recorded of what an argument points to, or of a descriptor's name. */
static bool is_empty(const struct ctrace_value *v)
{
	const char *suffix = strrchr(v->field->name, '_');

	if (v->field->kind == CTRACE_FK_STRING)
		return suffix && !strcmp(suffix, "_path") && !v->str.len &&
		       (strstr(v->field->name, "fd") || strstr(v->field->name, "ret_") || strstr(v->field->name, "fildes_"));
	return v->field->kind == CTRACE_FK_SEQ && v->field->size == 1 && !v->seq.n;
}

static void print(const struct ctrace_record *r)
{
	const struct ctrace_event_type *t = ctrace_schema_by_id(schema, r->id);
	struct ctrace_value v[32];
	int n;

	if (!t && !ctrace_schema_refresh(ct, schema))
		t = ctrace_schema_by_id(schema, r->id);
	if (!t) {
		printf("%" PRIu64 " unknown-id-%u cid=%u\n", (uint64_t)r->time, r->id, r->cid);
		return;
	}
	n = ctrace_decode(t, r, v, 32);
	printf("%" PRIu64 " %s cid=%u tid=%d vtid=%d", (uint64_t)r->time, t->name, r->cid, r->tid, r->vtid);
	if (n < 0)
		printf(" undecodable=%d len=%u", n, r->len);
	for (int i = 0; i < n; i++) {
		if (is_empty(&v[i]))
			continue;
		printf(" %s=", v[i].field->name);
		switch (v[i].field->kind) {
		case CTRACE_FK_INT:
			printf("%" PRId64, v[i].i);
			break;
		case CTRACE_FK_TEXT:
		case CTRACE_FK_STRING:
			quoted(v[i].str.s, v[i].str.len);
			break;
		case CTRACE_FK_SEQ:
		case CTRACE_FK_SEQ_INT:
			sequence(&v[i]);
			break;
		default:
			printf(v[i].field->display == CTRACE_FD_HEX ? "%#" PRIx64 : "%" PRIu64, v[i].u);
		}
	}
	putchar('\n');
}

static int target(struct ctrace_session *s, const char *t)
{
	if (!strcmp(t, "all"))
		return ctrace_target_add(s, NULL, NULL);
	if (!strcmp(t, "host"))
		return target_cid(s, CTRACE_CID_HOST);
	if (!strncmp(t, "cid:", 4))
		return target_cid(s, strtoul(t + 4, NULL, 0));
	if (!strncmp(t, "pid:", 4))
		return target_pid(s, strtoul(t + 4, NULL, 0));
	if (!strncmp(t, "cgroup:", 7))
		return target_cgroup(s, t + 7);
	if (!strncmp(t, "not:", 4))
		return isdigit((unsigned char)t[4]) ? target_not_cid(s, strtoul(t + 4, NULL, 0)) :
						      target_not_cgroup(s, t + 4);
	fprintf(stderr, "evdump: what target is %s?\n", t);
	exit(2);
}

/* Starts a child that waits before it executes the command; a write to *go releases it. */
static pid_t hold(char **command, int *go)
{
	int p[2];
	pid_t pid;
	char c;

	if (pipe(p))
		return -1;
	pid = fork();
	if (!pid) {
		close(p[1]);
		if (read(p[0], &c, 1) != 1)
			_exit(126);
		close(p[0]);
		execvp(command[0], command);
		_exit(127);
	}
	close(p[0]);
	*go = p[1];
	return pid;
}

static int limited(const struct ctrace_limit_info *l, void *arg)
{
	(void)arg;
	if (l->cid == CTRACE_CID_ALL)
		fprintf(stderr, "limited cid=rest dropped=%" PRIu64 "\n", l->dropped);
	else
		fprintf(stderr, "limited cid=%u dropped=%" PRIu64 "\n", l->cid, l->dropped);
	return 0;
}

static void account(struct ctrace_session *s, const struct ctrace_losses *l, const struct ctrace_session_losses *sl)
{
	fprintf(stderr, "overrun %" PRIu64 " full %" PRIu64 " nested %" PRIu64 " missed %" PRIu64
		" unfollowed %" PRIu64 " unfollowed_tasks %" PRIu64 " limited %" PRIu64 " unread %" PRIu64 "\n", l->overrun, l->full, l->nested,
		sl->missed, sl->unfollowed, sl->unfollowed_tasks, sl->limited, sl->unread);
	if (ctrace_limit_each(ct, ctrace_session_id(s), limited, NULL))
		die("limits");
}

/* The options. A probe's options follow it. */
struct options {
	struct ctrace_session_opts session;
	struct { const char *name; struct ctrace_probe_opts o; } probes[32];
	const char *targets[16];
	int np, nt;
	double seconds;
	bool verbose;
};

static bool parse(int argc, char **argv, struct options *x)
{
	struct ctrace_probe_opts *p;
	uint64_t room;
	int o;

	while ((o = getopt(argc, argv, "+e:f:suc:n:a:t:F:r:SPND:d:b:v")) != -1) {
		p = x->np ? &x->probes[x->np - 1].o : NULL;
		if (o == 'e' && x->np < 32) {
			x->probes[x->np].name = optarg;
			x->probes[x->np++].o.sz = sizeof(*p);
		} else if (o == 'f' && p) {
			p->filter = optarg;
		} else if (o == 's' && p) {
			p->flags |= CTRACE_PROBE_F_STACK;
		} else if (o == 'u' && p) {
			p->flags |= CTRACE_PROBE_F_USER_STACK;
		} else if (o == 'c' && p) {
			p->flags |= CTRACE_PROBE_F_USER_COPY;
			p->copy = strtoul(optarg, NULL, 0);
		} else if (o == 'n' && p) {
			p->one_of = strtoul(optarg, NULL, 0);
		} else if (o == 'a' && p) {
			p->aggregate = optarg;
			x->session.table_size = 16 << 20;
		} else if (o == 't' && x->nt < 16) {
			x->targets[x->nt++] = optarg;
		} else if (o == 'F') {
			x->session.filter = optarg;
		} else if (o == 'r') {
			x->session.rate = strtoul(optarg, NULL, 0);
		} else if (o == 'S') {
			x->session.flags |= CTRACE_SESSION_F_STATEDUMP;
		} else if (o == 'P') {
			x->session.flags |= CTRACE_SESSION_F_PATHS;
		} else if (o == 'N') {
			x->session.flags |= CTRACE_SESSION_F_NEIGHBOURS;
		} else if (o == 'D') {
			x->session.data = strtoul(optarg, NULL, 0);
		} else if (o == 'd') {
			x->seconds = atof(optarg);
		} else if (o == 'b') {
			x->session.ring_size = strtoull(optarg, NULL, 0);
			/* room for the host's ring and a container's beside the shared one, whose events never take the short way */
			room = 3 * x->session.ring_size * (uint64_t)sysconf(_SC_NPROCESSORS_CONF);
			if (room > x->session.arena_size)
				x->session.arena_size = room;
		} else if (o == 'v') {
			x->verbose = true;
		} else {
			return false;
		}
	}
	return true;
}

/* The output between two flushes fits the buffer. */
#define LINES	256
#define LINE	4096

static volatile sig_atomic_t interrupted;
static void on_int(int sig)
{
	(void)sig;
	interrupted = 1;
}

int main(int argc, char **argv)
{
	static char buffer[LINES * LINE];
	static struct options x = { .session = { .sz = sizeof(x.session), .arena_size = 64 << 20,
						 .ring_size = 4 << 20, .name = "evdump" }, .seconds = 60 };
	struct sigaction sa = { .sa_handler = on_int };
	const struct ctrace_record *rec;
	struct ctrace_session *s;
	struct ctrace_reader *r;
	struct ctrace_session_losses sl;
	struct ctrace_losses l;
	int go = -1, st = 0, last = 0, more, err = 0;
	struct timespec t0, t;
	struct pollfd p;
	pid_t pid = 0;

	if (!parse(argc, argv, &x)) {
		fprintf(stderr, "usage: see the head of evdump.c; an option of a probe follows its -e\n");
		return 2;
	}
	setvbuf(stdout, buffer, _IOFBF, sizeof(buffer));
	sigaction(SIGINT, &sa, NULL);
	sigaction(SIGTERM, &sa, NULL);
	if (ctrace_open(&ct))
		die("open");
	if (argv[optind])
		pid = hold(argv + optind, &go);
	if (ctrace_session_new(ct, &x.session, &s))
		die("session");
	for (int i = 0; i < x.np; i++)
		if (ctrace_probe_add(s, x.probes[i].name, &x.probes[i].o, NULL, NULL))
			die(x.probes[i].name);
	for (int i = 0; i < x.nt; i++)
		if (target(s, x.targets[i]))
			die(x.targets[i]);
	if (pid && !x.nt && target_pid(s, pid))
		die("command");
	if (ctrace_schema_get(ct, &schema))
		die("schema");
	if (ctrace_reader_open(s, NULL, &r) || ctrace_session_start(s))
		die("start");
	fprintf(stderr, "recording\n");
	if (pid && write(go, "g", 1) != 1)
		return 1;
	clock_gettime(CLOCK_MONOTONIC, &t0);
	p = (struct pollfd){ .fd = ctrace_reader_fd(r), .events = POLLIN };
	do {
		poll(&p, 1, 20);
		clock_gettime(CLOCK_MONOTONIC, &t);
		if (interrupted || (pid && waitpid(pid, &st, WNOHANG) == pid) ||
		    (t.tv_sec - t0.tv_sec) + (t.tv_nsec - t0.tv_nsec) / 1e9 > x.seconds) {
			last = 1;
			ctrace_session_stop(s);
		}
		/* A busy machine makes events faster than we can print them, so look at the clock too. */
		more = 0;
		for (int n = 0; n < 5000 && (err = ctrace_reader_next(r, &rec)) == 1; n++, more = 1) {
			print(rec);
			/* Write whole lines only: COMMAND may print to the same file. */
			if (n % LINES == LINES - 1)
				fflush(stdout);
		}
		fflush(stdout);
	} while (err >= 0 && (!last || more));
	ctrace_reader_losses(r, &l, sizeof(l));
	if (ctrace_session_losses(s, &sl, sizeof(sl)))
		die("losses");
	fprintf(stderr, "seen %" PRIu64 " lost %" PRIu64 "\n", l.seen,
		l.overrun + l.full + l.nested + sl.missed + sl.unfollowed + sl.unfollowed_tasks + sl.unread);
	if (x.verbose)
		account(s, &l, &sl);
	ctrace_reader_close(r);
	ctrace_close(ct);
	return st ? 3 : 0;
}
