/* SPDX-License-Identifier: GPL-2.0-only */
/* frozen.h: a session whose containers freeze, and what is in its rings then. */
#ifndef FROZEN_H
#define FROZEN_H

#include "box.h"
#include "libshort.h"
#include <sys/mman.h>
#include <kselftest.h>

#define LONG_MS	600000		/* the test thaws */
#define SLOTS	16384

static struct ctrace *ct;
static struct ctrace_session *session;
static struct ctrace_reader *reader;
static struct ctrace_schema *schema;
static int cpus;
static uint32_t session_flags;	/* CTRACE_SESSION_F_*, for setup() */

static struct shared { int stop; uint64_t calls, since; } *sh;

/* setpriority() with a wrong kind */
static long ask(void)
{
	return syscall(SYS_setpriority, BOX_MARK, 7, 0);
}

static void fail(const char *what)
{
	ksft_exit_fail_msg("%s: %s\n", what, ctrace_errmsg(ct));
}

static void probe(const char *name, const char *filter, uint32_t flags)
{
	struct ctrace_probe_opts po = { .sz = sizeof(po), .filter = filter, .flags = flags };

	if (ctrace_probe_add(session, name, &po, NULL, NULL))
		fail(name);
}

/* slots: of each CPU, about; 0: plenty */
static void setup(uint64_t ring, int slots, uint32_t freeze_ms)
{
	struct ctrace_session_opts so = {
		.sz = sizeof(so), .ring_size = ring, .name = "frozen", .freeze_ms = freeze_ms,
		.flags = session_flags,
		.arena_size = (ring + 4096) * (slots ? slots : 8) * sysconf(_SC_NPROCESSORS_CONF) + 65536,
	};

	cpus = sysconf(_SC_NPROCESSORS_ONLN);
	sh = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (ctrace_open(&ct) || ctrace_session_new(ct, &so, &session))
		fail("session");
	probe("syscall:getpriority", NULL, 0);
	if (ctrace_reader_open(session, NULL, &reader))
		fail("reader");
}

static void start(void)
{
	if (ctrace_target_add(session, NULL, NULL) || ctrace_session_start(session) ||
	    ctrace_schema_get(ct, &schema))
		fail("start");
}

static void container(struct box *b, unsigned int n, int (*fn)(void *))
{
	char hex[65], path[100];

	box_hex(hex, "frozen", n);
	snprintf(path, sizeof(path), "/box/%s", hex);
	if (box_start(b, path, CLONE_NEWPID, fn, NULL))
		ksft_exit_fail_msg("no container: %s\n", strerror(errno));
}

struct find { pid_t pid; uint32_t cid; };

static int find_fn(const struct ctrace_container *c, void *arg)
{
	struct find *f = arg;

	if ((pid_t)c->init_pid == f->pid && !(c->flags & CTRACE_CONTAINER_F_DEAD))
		f->cid = c->cid;
	return 0;
}

static uint32_t cid_of(const struct box *b)
{
	struct find f = { .pid = b->pid };

	for (int i = 0; i < 1000 && !f.cid; i++) {
		ctrace_container_each(ct, find_fn, &f);
		if (!f.cid)
			usleep(10000);
	}
	if (!f.cid)
		ksft_exit_fail_msg("pid %d has no container\n", b->pid);
	return f.cid;
}

static struct ctrace_frozen_info first;

static int count_fn(const struct ctrace_frozen_info *i, void *arg)
{
	first = *i;
	return ++*(int *)arg, 0;
}

static int frozen_now(void)
{
	int n = 0;

	if (ctrace_session_frozen(session, count_fn, &n))
		fail("list");
	return n;
}

/* Waits until n containers are frozen, at most 30 s. */
static int wait_frozen(int n)
{
	int now = frozen_now();

	for (int i = 0; i < 3000 && now != n; i++, now = frozen_now())
		usleep(10000);
	return now;
}

static int session_fn(const struct ctrace_session_info *i, void *arg)
{
	struct ctrace_session_info *to = arg;

	if (i->id == to->id)
		*to = *i;
	return 0;
}

static struct ctrace_session_info info_of(const struct ctrace_session *s)
{
	struct ctrace_session_info i = { .id = ctrace_session_id(s) };

	if (ctrace_session_each(ct, session_fn, &i))
		fail("session");
	return i;
}

static struct ctrace_session_info info(void)
{
	return info_of(session);
}

/* --- what is in the rings --------------------------------------------------------------- */

struct ring { uint64_t records, after, behind; bool asked; };

static struct look {
	uint32_t cid, id;		/* of the record that asked */
	uint64_t time;
	struct ring own[SLOTS];		/* its container's rings, by slot */
	uint64_t others, others_after;
} look;

static int run_fn(const struct ctrace_run *run, void *arg)
{
	const struct ctrace_record *rec;
	struct ring *r = &look.own[run->slot % SLOTS];

	(void)arg;
	for (size_t at = 0; at < run->len; at += rec->len) {
		rec = (const void *)((const char *)run->data + at);
		if (rec->len < sizeof(*rec))
			return -EPROTO;
		if (rec->cid != look.cid) {
			look.others++;
			look.others_after += rec->time > look.time;
			continue;
		}
		r->behind += r->asked;
		r->asked |= rec->id == look.id;
		r->records++;
		r->after += rec->time > look.time;
	}
	return 0;
}

/* The session has stopped: nothing moves. */
static void look_at_rings(void)
{
	int ret;

	look.cid = first.cid;
	look.id = first.event_id;
	look.time = first.time;
	while ((ret = ctrace_reader_runs(reader, run_fn, NULL, NULL)) > 0)
		;
	if (ret && ret != -ENODATA)
		ksft_exit_fail_msg("rings: %s\n", ctrace_reader_errmsg(reader));
}

#endif
