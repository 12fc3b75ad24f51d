// SPDX-License-Identifier: GPL-2.0-only
/*
 * libcalls TRACEFS: checks what libctrace promises beyond tracing, one line each: structs of other sizes,
 * texts that are too long, definitions, the kernel's tracepoints (against TRACEFS/available_events), targets
 * by their ids, views of a container beside kernel addresses, waiting, and what a rate held back (against the
 * number of calls made).
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>
#include <kselftest.h>
#include <ctrace/libctrace.h>
#include "libshort.h"

static struct ctrace *ct;

static void expect(int err, int wanted, const char *word, const char *what)
{
	const char *text = err < 0 ? ctrace_errmsg(ct) : "";

	ksft_test_result(err == wanted && strstr(text, word), "%s: expected %s, '%s'; seen %s, \"%s\"\n",
			 what, wanted ? strerror(-wanted) : "success", word,
			 err < 0 ? strerror(-err) : "success", text);
}

/* A struct of another version of the library: 64 bytes longer, with one of these bytes set in some tests. */
struct longer {
	struct ctrace_session_opts o;
	char more[64];
};

static void options(void)
{
	struct longer l = { .o = { .sz = sizeof(l) } };
	struct ctrace_probe_opts p = { .sz = 4 };
	struct ctrace_session *s;

	expect(ctrace_session_new(ct, &l.o, &s), 0, "", "longer options, all of the rest 0");
	expect(ctrace_probe_add(s, "sched_switch", &p, NULL, NULL), -EINVAL, "size",
	       "options without their size");
	ctrace_session_free(s);
	l.more[63] = 1;
	expect(ctrace_session_new(ct, &l.o, &s), -E2BIG, "newer", "an option of a newer library");
	l.o.sz = offsetof(struct ctrace_session_opts, filter);
	l.o.filter = "nonsense";
	expect(ctrace_session_new(ct, &l.o, &s), 0, "", "options of an older library");
	ctrace_session_free(s);
}

/* The library of this tree fills structs of an older and of a newer program. */
static void results(void)
{
	struct { struct ctrace_info i; uint64_t more; } newer = { .more = 1 };
	struct ctrace_info older;

	memset(&older, 0x55, sizeof(older));
	expect(ctrace_info(ct, &older, offsetof(struct ctrace_info, sessions)), 0, "", "a shorter struct");
	ksft_test_result(older.abi == CTRACE_ABI && older.sessions == 0x55555555 && older.version[0] == 0x55,
			 "nothing is written behind it\n");
	expect(ctrace_info(ct, &newer.i, sizeof(newer)), 0, "", "a longer struct");
	ksft_test_result(newer.i.abi == CTRACE_ABI && newer.i.version[0] && !newer.more, "its rest is 0\n");
}

static void long_texts(void)
{
	struct ctrace_session_opts o = { .sz = sizeof(o) };
	struct ctrace_probe_opts p = { .sz = sizeof(p) };
	struct ctrace_session *s;
	char text[1025];

	memset(text, ' ', sizeof(text));
	memcpy(text, "$cid==0", 7);
	text[1024] = '\0';
	o.filter = p.filter = text;
	expect(ctrace_session_new(ct, &o, &s), -ENAMETOOLONG, "1023", "a session's filter of 1024 bytes");
	expect(ctrace_event_define(ct, text, 0, NULL), -ENAMETOOLONG, "1023", "a definition of 1024 bytes");
	text[1023] = '\0';
	expect(ctrace_session_new(ct, &o, &s), 0, "", "a session's filter of 1023 bytes");
	expect(ctrace_probe_add(s, "sched_switch", &p, NULL, NULL), 0, "", "a probe's filter of 1023 bytes");
	text[1023] = ' ';
	expect(ctrace_probe_add(s, "sched_wakeup", &p, NULL, NULL), -ENAMETOOLONG, "1023",
	       "a probe's filter of 1024 bytes");
	expect(ctrace_probe_add(s, text, NULL, NULL, NULL), -ENAMETOOLONG, "1023", "a probe's name of 1024 bytes");
	ctrace_session_free(s);
}

static void definitions(void)
{
	static const char first[] = "p:libcalls do_exit code=$arg1:s32", second[] = "p:libcalls do_exit";
	const struct ctrace_event_type *t = NULL;
	struct ctrace_schema *schema;
	uint32_t id = 0, again = 0;

	if (ctrace_schema_get(ct, &schema))
		ksft_exit_fail_msg("no schema: %s\n", ctrace_errmsg(ct));
	ksft_test_result(!ctrace_schema_by_name(schema, "libcalls"), "no such event before\n");
	expect(ctrace_event_define(ct, first, 0, &id), 0, "", "a definition");
	if (!ctrace_schema_refresh(ct, schema))
		t = ctrace_schema_by_id(schema, id);
	ksft_test_result(t && id >= CTRACE_ID_DYNAMIC && !strcmp(t->name, "libcalls") && t->definition &&
			 strstr(t->definition, "do_exit") && t->nfields &&
			 t->fields[t->nfields - 1].kind == CTRACE_FK_INT && t->fields[t->nfields - 1].size == 4 &&
			 !strcmp(t->fields[t->nfields - 1].name, "code"),
			 "its type has its name and definition: %s, %s\n", t ? t->name : "none",
			 t && t->definition ? t->definition : "none");
	expect(ctrace_event_define(ct, second, 0, NULL), -EEXIST, "libcalls", "another of that name");
	expect(ctrace_event_undefine(ct, "libcalls"), 0, "", "its end");
	expect(ctrace_event_undefine(ct, "libcalls"), -ENOENT, "libcalls", "its end again");
	expect(ctrace_event_define(ct, second, 0, &again), 0, "", "another of that name after its end");
	ctrace_schema_refresh(ct, schema);
	t = ctrace_schema_by_name(schema, "libcalls");
	ksft_test_result(t && t->id == again && again != id, "the name now means id %u, not %u: %u\n", again,
			 id, t ? t->id : 0);
	ctrace_event_undefine(ct, "libcalls");
	ctrace_schema_free(schema);
}

struct names {
	char **v;
	size_t n;
};

static int keep(const char *name, void *arg)
{
	struct names *l = arg;

	l->v = realloc(l->v, (l->n + 1) * sizeof(*l->v));
	l->v[l->n++] = strdup(name);
	return 0;
}

static int stop(const char *name, void *arg)
{
	(void)name;
	return ++*(int *)arg == 3 ? 7 : 0;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char * const *)a, *(char * const *)b);
}

/* Every event in the kernel's own list is made at a tracepoint of the same name, except the tracers' own
 * events. */
static void tracepoints(const char *tracefs)
{
	struct names l = { 0 };
	int err, events = 0, absent = 0, calls = 0;
	char path[256], line[256], *name;
	FILE *f;

	err = ctrace_tracepoint_each(ct, keep, &l);
	qsort(l.v, l.n, sizeof(*l.v), by_name);
	snprintf(path, sizeof(path), "%s/available_events", tracefs);
	f = fopen(path, "r");
	while (f && fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = '\0';
		name = strchr(line, ':');
		if (!name++ || !strncmp(line, "syscalls:", 9) || !strncmp(line, "ftrace:", 7) ||
		    !strncmp(line, "kprobes:", 8))
			continue;
		events++;
		if (!bsearch(&name, l.v, l.n, sizeof(*l.v), by_name)) {
			ksft_print_msg("absent: %s\n", line);
			absent++;
		}
	}
	ksft_test_result(!err && events > 100 && !absent, "%zu tracepoints, %d of %d events absent\n", l.n,
			 absent, events);
	err = ctrace_tracepoint_each(ct, stop, &calls);
	ksft_test_result(err == 7 && calls == 3, "a callback ends it: %d after %d\n", err, calls);
}

static uint64_t held_back;
static int sum(const struct ctrace_limit_info *l, void *arg)
{
	(*(int *)arg)++;
	held_back += l->dropped;
	return 0;
}

static int list(const struct ctrace_target_info *i, void *arg)
{
	struct ctrace_target_info *to = arg;

	if (to->session != i->session)
		return 1;
	to[i->id == to[1].id ? 1 : 2] = *i;
	return 0;
}

static void targets(void)
{
	struct ctrace_target t = { .sz = sizeof(t), .kind = CTRACE_TARGET_PID, .pid = (uint32_t)getpid() };
	struct ctrace_target_info seen[3] = { { 0 } };
	struct ctrace_session *s, *other;
	uint32_t not = 0;

	if (ctrace_session_new(ct, NULL, &s) || ctrace_session_new(ct, NULL, &other) ||
	    ctrace_target_add(other, NULL, NULL))
		ksft_exit_fail_msg("no session: %s\n", ctrace_errmsg(ct));
	seen[0].session = ctrace_session_id(s);
	expect(ctrace_target_add(s, &t, &seen[1].id), 0, "", "this process");
	t.kind = CTRACE_TARGET_CID;
	t.exclude = true;
	expect(ctrace_target_add(s, &t, &not), 0, "", "but not the host");
	expect(ctrace_target_each(ct, seen[0].session, list, seen), 0, "", "both, and none of another session");
	ksft_test_result(seen[1].kind == CTRACE_TARGET_PID && seen[1].pid == (uint32_t)getpid() && !seen[1].exclude &&
			 seen[2].id == not && seen[2].kind == CTRACE_TARGET_CID && seen[2].exclude,
			 "ids %u and %u, as they were added\n", seen[1].id, seen[2].id);
	expect(ctrace_target_del(s, not), 0, "", "without the second");
	expect(ctrace_target_del(s, not), -ENOENT, "", "and again");
	expect(ctrace_target_del(other, seen[1].id), -ENOENT, "", "one of another session");
	expect(ctrace_target_del(s, seen[1].id), 0, "", "without the process");
	t.kind = CTRACE_TARGET_CGROUP;
	expect(ctrace_target_add(s, &t, NULL), -EINVAL, "directory", "a cgroup without its directory");
	ctrace_session_free(other);
	ctrace_session_free(s);
}

/* A session has either records with kernel addresses, or views of single containers. */
static void views(void)
{
	struct ctrace_probe_opts stack = { .sz = sizeof(stack), .flags = CTRACE_PROBE_F_STACK };
	struct ctrace_reader_opts host = { .sz = sizeof(host), .flags = CTRACE_READER_CID, .cid = CTRACE_CID_HOST };
	struct ctrace_reader *r = NULL;
	struct ctrace_session *s;

	if (ctrace_session_new(ct, NULL, &s))
		ksft_exit_fail_msg("no session: %s\n", ctrace_errmsg(ct));
	expect(ctrace_probe_add(s, "sched_switch", &stack, NULL, NULL), 0, "", "a kernel stack");
	expect(ctrace_reader_open(s, &host, &r), -EACCES, "kernel addresses", "then the host's view");
	ctrace_reader_close(r);
	expect(ctrace_reader_open(s, NULL, &r), 0, "", "and the whole session's");
	ctrace_reader_close(r);
	ctrace_session_free(s);

	if (ctrace_session_new(ct, NULL, &s))
		ksft_exit_fail_msg("no session: %s\n", ctrace_errmsg(ct));
	expect(ctrace_reader_open(s, &host, &r), 0, "", "the host's view");
	expect(ctrace_probe_add(s, "sched_switch", &stack, NULL, NULL), -EBUSY, "kernel addresses",
	       "then a kernel stack");
	ctrace_reader_close(r);
	ctrace_session_free(s);
}

/* A reader that could not be opened says why, and can do no harm. */
static void unopened(struct ctrace_session *s, struct ctrace_reader_opts o, int wanted, const char *word,
		     const char *what)
{
	const struct ctrace_record *rec;
	struct ctrace_reader *r;
	int err = ctrace_reader_open(s, &o, &r);

	ksft_test_result(err == wanted && r && strstr(ctrace_reader_errmsg(r), word) && ctrace_reader_fd(r) == -1 &&
			 ctrace_reader_next(r, &rec) == -ENODATA && ctrace_reader_poll(r, -1) == -ENODATA,
			 "%s: %d, %s\n", what, err, r ? ctrace_reader_errmsg(r) : "");
	ctrace_reader_close(r);
}

static void readers(void)
{
	struct ctrace_reader_opts o = { .sz = sizeof(o) };
	struct ctrace_session *s;
	int fd;

	if (ctrace_session_new(ct, NULL, &s))
		ksft_exit_fail_msg("no session: %s\n", ctrace_errmsg(ct));
	unopened(s, (struct ctrace_reader_opts){ .sz = 0 }, -EINVAL, "", "a reader's options without their size");
	unopened(NULL, o, -EINVAL, "", "a reader of nothing");
	o.flags = CTRACE_READER_FD;
	unopened(s, o, -EINVAL, "", "a reader of two things");
	fd = o.fd = open(CTRACE_DEVICE, O_RDONLY);
	unopened(NULL, o, -ENXIO, "", "a descriptor that is not bound");
	ksft_test_result(fd >= 0 && !close(fd), "it is still the caller's\n");
	o = (struct ctrace_reader_opts){ .sz = sizeof(o), .session = 0x7fffffff };
	unopened(NULL, o, -ENOENT, "", "no such session");
	o = (struct ctrace_reader_opts){ .sz = sizeof(o), .flags = 1u << 31 };
	unopened(s, o, -EINVAL, "", "an unknown flag");
	ctrace_session_free(s);
}

static void waiting(void)
{
	struct ctrace_session_opts o = { .sz = sizeof(o), .wakeup_ns = CTRACE_WAKEUP_AT_ONCE };
	const struct ctrace_record *rec;
	struct ctrace_session *s;
	struct ctrace_reader *r;
	int n = 0, again, got;

	if (ctrace_session_new(ct, &o, &s) || ctrace_probe_add(s, "syscall:getpriority", NULL, NULL, NULL) ||
	    target_pid(s, getpid()) || ctrace_reader_open(s, NULL, &r) || ctrace_session_start(s))
		ksft_exit_fail_msg("no session: %s\n", ctrace_errmsg(ct));
	got = ctrace_reader_next(r, &rec);
	ksft_test_result(!got && !ctrace_reader_poll(r, 50), "nothing comes: the time is over\n");
	getpriority(0x4d41524b, 1);
	got = ctrace_reader_poll(r, 10000);
	again = ctrace_reader_poll(r, 10000);
	ksft_test_result(got == 1 && again == 1, "records: %d, and told again if nobody looks: %d\n", got, again);
	while (ctrace_reader_next(r, &rec) == 1)
		n++;
	getpriority(0x4d41524b, 2);
	ctrace_session_free(s);
	while ((got = ctrace_reader_poll(r, 10000)) == 1)
		while (ctrace_reader_next(r, &rec) == 1)
			n++;
	ksft_test_result(n == 4 && got == -ENODATA, "%d records to the session's end, then %d\n", n, got);
	ctrace_reader_close(r);
}

#define CALLS	500

static void rate(void)
{
	struct ctrace_session_opts o = { .sz = sizeof(o), .rate = 20 };
	struct ctrace_session_losses held = { 0 };
	const struct ctrace_record *rec;
	struct ctrace_losses l = { 0 };
	struct ctrace_session *s;
	struct ctrace_reader *r;
	int i, err, n = 0;

	if (ctrace_session_new(ct, &o, &s) || ctrace_probe_add(s, "syscall:getpriority", NULL, NULL, NULL) ||
	    target_pid(s, getpid()) || ctrace_reader_open(s, NULL, &r) || ctrace_session_start(s))
		ksft_exit_fail_msg("no session: %s\n", ctrace_errmsg(ct));
	for (i = 0; i < CALLS; i++)
		getpriority(0x4d41524b, i);
	ctrace_session_stop(s);
	while ((err = ctrace_reader_next(r, &rec)) == 1)
		;
	err = ctrace_session_losses(s, &held, sizeof(held)) ?:
	      ctrace_limit_each(ct, ctrace_session_id(s), sum, &n);
	ctrace_reader_losses(r, &l, sizeof(l));
	ksft_test_result(!err && l.seen >= 20 && l.seen + held.limited == 2 * CALLS && held_back == held.limited,
			 "a rate: %llu seen and %llu limited of %d, %llu of %d containers\n",
			 (unsigned long long)l.seen, (unsigned long long)held.limited, 2 * CALLS,
			 (unsigned long long)held_back, n);
	ksft_test_result(!held.unfollowed && !held.unfollowed_tasks && !held.missed && !l.overrun, "nothing else was lost\n");
	ctrace_reader_close(r);
	ctrace_session_free(s);
}

int main(int argc, char **argv)
{
	ksft_print_header();
	ksft_set_plan(4 + 4 + 6 + 8 + 2 + 9 + 5 + 7 + 3 + 2);
	if (ctrace_open(&ct))
		ksft_exit_fail_msg("open: %s\n", ctrace_errmsg(ct));
	options();
	results();
	long_texts();
	definitions();
	tracepoints(argc > 1 ? argv[1] : "/sys/kernel/tracing");
	targets();
	views();
	readers();
	waiting();
	rate();
	ctrace_close(ct);
	ksft_finished();
}
