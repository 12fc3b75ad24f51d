// SPDX-License-Identifier: GPL-2.0-only
/*
 * ringcount READER SIZE MODE [CALLS]: a container makes exactly CALLS (default 6000) marked calls on
 * each CPU, which gives 2 records a call and nothing else. What each reader saw and what it
 * reports as lost must add up to that, exactly, and so must the module's statistics.
 *
 *	READER	absent (comes at the end), slow, fast, many (eight), killed (a ninth dies in
 *		the middle), read (plain read())
 *	SIZE	small (8 KiB rings), middle (128 KiB), large (everything fits: nothing may be lost)
 *	MODE	overwrite, or stop (when full)
 */
#include "box.h"
#include "readers.h"
#include <sys/mman.h>
#include <kselftest.h>

static long calls = 6000;
static int cpus;

/* One result for each reader, which is a child. */
static struct result *results;
static int *stop;	/* shared: the container has ended, take what is left */

static int in_container(void *arg)
{
	(void)arg;
	for (int c = 0; c < cpus; c++) {
		if (!fork()) {
			cpu_set_t set;

			CPU_ZERO(&set);
			CPU_SET(c, &set);
			sched_setaffinity(0, sizeof(set), &set);
			for (long i = 0; i < calls; i++)
				box_mark(i);
			_exit(0);
		}
	}
	while (wait(NULL) > 0)
		;
	return 0;
}

static uint32_t box_cid;
static bool slow, dies;

static void each(struct result *res, const struct ctrace_record *rec)
{
	res->foreign += rec->cid != box_cid;
	if (slow)
		readers_rest(res, stop);
	/* Dies where it stands, with its mapping and all. */
	if (dies && res->seen >= 100)
		raise(SIGKILL);
}

static void start_reader(int i, const char *kind, uint32_t session)
{
	if (fork())
		return;
	slow = !strcmp(kind, "slow");
	dies = !strcmp(kind, "killed") && !i;
	if (!strcmp(kind, "read"))
		readers_plain(&results[i], session, stop, each);
	else
		readers_library(&results[i], session, stop, each);
	_exit(0);
}

struct stats { uint32_t session; uint64_t events, full, nested; };

static int ring_fn(const struct ctrace_ring_info *i, void *arg)
{
	struct stats *s = arg;

	if (i->session == s->session) {
		s->events += i->events;
		s->full += i->lost_full;
		s->nested += i->lost_nested;
	}
	return 0;
}

struct find { pid_t pid; uint32_t cid; };

static int find_fn(const struct ctrace_container *c, void *arg)
{
	struct find *f = arg;

	if ((pid_t)c->init_pid == f->pid && !(c->flags & CTRACE_CONTAINER_F_DEAD))
		f->cid = c->cid;
	return 0;
}

static void judge(const char *kind, int n, const struct stats *st, bool all_fits)
{
	uint64_t made = 2ull * calls * cpus;

	ksft_test_result(st->events + st->full + st->nested == made,
			 "statistics: expected %llu, seen %llu published + %llu full + %llu nested\n",
			 (unsigned long long)made, (unsigned long long)st->events,
			 (unsigned long long)st->full, (unsigned long long)st->nested);
	for (int i = 0; i < n; i++) {
		const struct result *r = &results[i];

		if (!strcmp(kind, "killed") && !i) {
			ksft_test_result(r->done == -1 && r->seen, "the first reader died after %llu\n",
					 (unsigned long long)r->seen);
			continue;
		}
		ksft_test_result(r->done == 1 && !r->foreign && !r->backwards &&
				 r->seen + r->overrun + r->full + r->nested == made &&
				 (!all_fits || r->seen == made),
				 "%s: expected %llu, seen %llu + overrun %llu + full %llu + nested %llu (%llu of others)\n",
				 kind, (unsigned long long)made, (unsigned long long)r->seen,
				 (unsigned long long)r->overrun, (unsigned long long)r->full,
				 (unsigned long long)r->nested, (unsigned long long)r->foreign);
	}
}

int main(int argc, char **argv)
{
	struct ctrace_session_opts so = { .sz = sizeof(so), .name = "ringcount" };
	const char *kind = argc > 1 ? argv[1] : "fast", *size = argc > 2 ? argv[2] : "small";
	const char *mode = argc > 3 ? argv[3] : "overwrite";
	struct ctrace_session *s;
	struct find f = { 0 };
	struct stats st = { 0 };
	struct ctrace *ct;
	struct box b;
	char hex[65], path[100];
	int n = !strcmp(kind, "many") ? 8 : !strcmp(kind, "killed") ? 2 : 1;
	bool absent = !strcmp(kind, "absent");

	if (argc > 4)
		calls = atol(argv[4]);
	cpus = sysconf(_SC_NPROCESSORS_ONLN);
	so.ring_size = !strcmp(size, "small") ? 8192 : !strcmp(size, "middle") ? 128 << 10 : 2 << 20;
	/* A few slots for each CPU. The directory takes some of the arena too. */
	so.arena_size = so.ring_size * 4 * sysconf(_SC_NPROCESSORS_CONF) + (1 << 20);
	if (!strcmp(mode, "stop"))
		so.flags = CTRACE_SESSION_F_STOP_FULL;
	results = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	stop = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ksft_print_header();
	ksft_set_plan(1 + n);
	if (ctrace_open(&ct) || ctrace_session_new(ct, &so, &s) ||
	    ctrace_probe_add(s, "syscall:getpriority", NULL, NULL, NULL))
		ksft_exit_fail_msg("session: %s\n", ctrace_errmsg(ct));
	box_hex(hex, "ringcount", getpid());
	snprintf(path, sizeof(path), "/box/%s", hex);
	if (box_init(BOX_MOUNTS) || box_start(&b, path, CLONE_NEWPID, in_container, NULL))
		ksft_exit_fail_msg("no container: %s\n", strerror(errno));
	box_settle(&b);
	f.pid = b.pid;
	ctrace_container_each(ct, find_fn, &f);
	if (!f.cid)
		ksft_exit_fail_msg("pid %d has no container\n", b.pid);
	box_cid = f.cid;
	if (target_cid(s, f.cid) || ctrace_session_start(s))
		ksft_exit_fail_msg("start: %s\n", ctrace_errmsg(ct));
	for (int i = 0; i < n && !absent; i++)
		start_reader(i, kind, ctrace_session_id(s));
	for (int i = 0; i < n && !absent; i++)
		while (!__atomic_load_n(&results[i].done, __ATOMIC_ACQUIRE))
			usleep(1000);
	box_go(&b);
	if (box_end(&b))
		ksft_exit_fail_msg("the container failed\n");
	ctrace_session_stop(s);
	__atomic_store_n(stop, 1, __ATOMIC_RELEASE);
	if (absent)
		start_reader(0, kind, ctrace_session_id(s));
	while (wait(NULL) > 0)
		;
	st.session = ctrace_session_id(s);
	ctrace_ring_each(ct, st.session, ring_fn, &st);
	judge(kind, n, &st, !strcmp(size, "large"));
	ctrace_session_free(s);
	ctrace_close(ct);
	ksft_finished();
}
