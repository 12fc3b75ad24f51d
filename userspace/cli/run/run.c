// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <libctrace_aggregate.h>
#include "base/cli.h"
#include "events/functions.h"
#include "run/function_parts.h"
#include "run/run.h"

#define NSEC_PER_MSEC	1000000ull
#define SELF_PAUSE_MS	5
/* How often to look whether targets without notices (pids, cgroups) have ended. */
#define CHECK_INTERVAL	(250 * NSEC_PER_MSEC)

/* How often to look for the names of new containers. */
#define LOOK_INTERVAL	(50 * NSEC_PER_MSEC)

static int wake[2] = { -1, -1 };
static volatile sig_atomic_t stop_signal;
void (*run_before_exit)(void);

static void on_signal(int sig)
{
	int saved = errno;

	if (sig != SIGCHLD) {
		/* the second signal: end at once, without draining the rings */
		if (stop_signal) {
			if (run_before_exit)
				run_before_exit();
			_exit(128 + sig);
		}
		stop_signal = sig;
	}
	if (write(wake[1], "", 1) < 0)
		errno = saved;	/* the pipe is full, so the loop will wake anyway */
}

static int catch_signals(void)
{
	struct sigaction sa = { .sa_handler = on_signal, .sa_flags = SA_RESTART }, old;

	if (pipe2(wake, O_CLOEXEC | O_NONBLOCK))
		return cli_error("cannot make a pipe: %s", strerror(errno));
	sigaction(SIGINT, &sa, NULL);
	sigaction(SIGTERM, &sa, NULL);
	sigaction(SIGCHLD, &sa, NULL);
	/* under nohup, SIGHUP stays ignored */
	if (!sigaction(SIGHUP, NULL, &old) && old.sa_handler != SIG_IGN)
		sigaction(SIGHUP, &sa, NULL);
	return CLI_OK;
}

int run_split(int argc, char **argv, char ***command)
{
	*command = NULL;
	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--"))
			continue;
		*command = argv + i + 1;
		argv[i] = NULL;
		return i;
	}
	return argc;
}

/* 0 or -errno */
static int add_probe(struct run *r, const struct run_opts *o, struct probe_want *w)
{
	struct ctrace_probe_opts po = {
		.sz = sizeof(po), .filter = w->filter, .one_of = w->extra ? 0 : o->one_of, .aggregate = w->aggregate,
		.rows = w->rows, .flags = w->freeze ? CTRACE_PROBE_F_FREEZE : 0,
	};
	struct ctrace_aggregate_info i;
	int err;

	if (!w->aggregate) {
		/*
		 * a sample has the stacks that the kernel walks in its own record, and what names stacks has
		 * none
		 */
		if (strcmp(w->name, "process_map"))
			po.flags |= strncmp(w->name, "sample:", 7) ? o->stack :
				    o->stack & CTRACE_PROBE_F_USER_COPY;
		po.copy = o->copy;
		return ctrace_probe_add(r->session, w->name, &po, NULL, NULL);
	}
	err = ctrace_aggregate_add(r->session, w->name, &po, &i, sizeof(i));
	w->table = i.table;
	return err;
}

/* 0 or -errno */
static int add_probes(struct run *r, const struct run_opts *o)
{
	int err = 0;

	for (size_t i = 0; !err && i < r->probes.n; i++) {
		err = add_probe(r, o, &r->probes.v[i]);
		r->refused = err ? r->probes.v[i].aggregate : NULL;
	}
	/* learn the types of the kprobes just added */
	return err ? err : ctrace_schema_refresh(r->ct, r->schema);
}

/*
 * The number of containers to size the rings for: those that are named as targets, and one more that may be
 * found inside them. 0: the module's default.
 */
static uint32_t containers(const struct run *r)
{
	size_t wanted = 0;

	for (size_t i = 0; i < r->targets.n; i++)
		wanted += !r->targets.v[i].not;
	if (r->targets.endless || r->follow.mode || !wanted || r->child.pid || wanted > 12)
		return 0;
	return (uint32_t)wanted + 1;
}

#define TABLES_MAX	(1ull << 30)	/* CTRACE_A_SESSION_TABLE_SIZE */

/* A session with its probes. 0 or -errno. */
static int new_session(struct run *r, const struct run_opts *o, const char *filter)
{
	struct ctrace_session_opts so = {
		.sz = sizeof(so), .arena_size = o->buffer ? o->buffer : BUFFER_DEFAULT,
		.flags = (o->stop_full ? CTRACE_SESSION_F_STOP_FULL : 0) |
			 (o->state_dump ? CTRACE_SESSION_F_STATEDUMP : 0) |
			 (o->fds ? CTRACE_SESSION_F_PATHS : 0) | (o->files ? CTRACE_SESSION_F_FILES : 0) |
			 CTRACE_SESSION_F_NEIGHBOURS,
		.filter = filter, .rate = o->rate, .containers = containers(r), .data = o->data,
		.table_size = r->table_size,
		/* nobody thaws before the end */
		.freeze_ms = o->at_end ? CTRACE_FREEZE_MS_MAX : 0,
	};
	int err;

	if (o->plan) {
		so.ring_size = r->probes.n && r->probes.v[r->probes.n - 1].extra ? RUN_RING_MAPS : RUN_RING_LEAST;
		so.arena_size = RUN_ARENA_OF(so.ring_size);
		so.containers = 0;
	}
	err = ctrace_session_new(r->ct, &so, &r->session);
	return err ? err : add_probes(r, o);
}

/* Most aggregates are not as anybody typed them: a column needs the text that it counts in. */
static int refused(const struct run *r)
{
	static const char subject[] = "aggregate, ";
	const char *why = ctrace_errmsg(r->ct), *at = r->refused ? strstr(why, subject) : NULL;

	if (!at)
		return cli_error("%s", why);
	return cli_error("%.*saggregate '%s', %s", (int)(at - why), why, r->refused, at + strlen(subject));
}

static int make_session(struct run *r, const struct run_opts *o)
{
	struct ctrace_target child = {
		.sz = sizeof(child), .kind = CTRACE_TARGET_PID, .pid = (uint32_t)r->child.pid,
	};
	char *filter = run_filter(o);
	int err, status;

	/* how large tables are is the module's affair: its answer is asked for until they fit */
	while ((err = new_session(r, o, filter)) == -ENOSPC && r->table_size && r->table_size < TABLES_MAX) {
		ctrace_session_free(r->session);
		r->session = NULL;
		r->table_size = 2 * r->table_size < TABLES_MAX ? 2 * r->table_size : TABLES_MAX;
	}
	free(filter);
	if (err)
		return refused(r);
	for (size_t i = 0; i < r->probes.n; i++)
		function_parts_note(r->probes.v[i].name);
	status = targets_apply(&r->targets, r->ct, r->session);
	if (status != CLI_OK)
		return status;
	if (child.pid && !r->follow.mode && ctrace_target_add(r->session, &child, NULL))
		return cli_error("%s", ctrace_errmsg(r->ct));
	if (ctrace_reader_open(r->session, NULL, &r->reader))
		return cli_error("%s", ctrace_errmsg(r->ct));
	return follow_start(&r->follow, r->ct, r->session, r->reader);
}

int run_setup(struct run *r, const struct run_opts *o)
{
	int status;

	memset(r, 0, sizeof(*r));
	r->container_fd = -1;
	r->duration = o->duration;
	r->wait = o->wait;
	r->rate = o->rate;
	r->at_end = o->at_end;
	if (!o->ntargets && !o->command)
		return cli_usage("nothing to trace: name a container ('ctrace ps' lists them), or give -- COMMAND");
	if (o->command && !o->command[0])
		return cli_usage("no command after --");
	r->ct = cli_open();
	if (!r->ct)
		return CLI_FAIL;
	if (ctrace_schema_get(r->ct, &r->schema))
		return cli_error("%s", ctrace_errmsg(r->ct));
	status = o->plan ? o->plan(r, o->ready_arg) : CLI_OK;
	if (status != CLI_OK)
		return status;
	r->ctable = ctable_new(r->ct);
	/* subscribe first, then list: no birth is missed in between */
	r->container_fd = ctable_subscribe(r->ctable);
	if (r->container_fd < 0 || ctable_list(r->ctable))
		return cli_error("%s", ctrace_errmsg(r->ct));
	if (o->follow)
		status = follow_parse(&r->follow, o->follow, r->ctable, &r->targets, o->targets, o->ntargets);
	else
		status = targets_parse(&r->targets, r->ctable, o->targets, o->ntargets, o->command);
	if (status == CLI_OK && !o->follow)
		targets_name_parts(&r->targets, r->ctable, o->command);
	if (status == CLI_OK && !o->plan)
		status = probes_parse(&r->probes, r->schema, &o->probes);
	if (status == CLI_OK && !o->plan && (o->stack & (CTRACE_PROBE_F_USER_STACK | CTRACE_PROBE_F_USER_COPY) || o->probes.frequency))
		probes_add_maps(&r->probes, r->schema);
	if (status == CLI_OK && o->besides)
		o->besides(r, o->ready_arg);
	if (status == CLI_OK)
		status = functions_check(&r->probes);
	if (status == CLI_OK)
		status = catch_signals();
	if (status == CLI_OK && o->command)
		status = command_spawn(&r->child, o->command);
	if (status == CLI_OK)
		status = make_session(r, o);
	if (status == CLI_OK && o->ready)
		status = o->ready(r, o->ready_arg);
	if (status == CLI_OK && ctrace_session_start(r->session))
		status = cli_error("%s", ctrace_errmsg(r->ct));
	if (status == CLI_OK && o->command)
		status = command_go(&r->child, o->command[0]);
	return status;
}

void run_free(struct run *r)
{
	command_abandon(&r->child);
	ctrace_reader_close(r->reader);
	ctrace_session_free(r->session);
	ctable_free(r->ctable);
	ctrace_schema_free(r->schema);
	ctrace_close(r->ct);
	follow_free(&r->follow);
	targets_free(&r->targets);
	probes_free(&r->probes);
}

struct loop {
	/* ns; last: when a record last came; waited: when --wait gives up */
	uint64_t now, deadline, waited, checked, ticked, last;
};

/* Does the run continue after its targets have ended? */
static bool goes_on(const struct run *r)
{
	return r->follow.mode == FOLLOW_ALL || follow_missing(&r->follow) || r->child.pid;
}

/* Has anything happened that ends the run? */
static enum run_end look(struct run *r, struct loop *l)
{
	if (stop_signal) {
		r->signal = stop_signal;
		return RUN_SIGNAL;
	}
	command_reap(&r->child);
	if (r->child.ended)
		return RUN_COMMAND;
	/* time that --wait waits does not count */
	if (!l->deadline && r->duration && (r->follow.began || r->follow.mode != FOLLOW_FIRST))
		l->deadline = l->now + r->duration;
	if (l->deadline && l->now >= l->deadline)
		return RUN_DURATION;
	if (l->waited && l->now >= l->waited && follow_missing(&r->follow))
		return RUN_WAITED;
	/* with a command, only its end ends the run */
	if (!goes_on(r) && (!l->checked || l->now - l->checked >= CHECK_INTERVAL)) {
		l->checked = l->now;
		if (targets_ended(&r->targets, r->ctable))
			return RUN_TARGETS;
	}
	return RUN_ON;
}

static int timeout_ms(const struct loop *l, const struct run *r, int dry)
{
	uint64_t until = l->ticked + NSEC_PER_SEC;

	if (!dry)
		return 0;
	if (l->deadline && l->deadline < until)
		until = l->deadline;
	if (r->next && r->next < until)
		until = r->next;
	if (l->waited && l->waited < until && follow_missing(&r->follow))
		until = l->waited;
	/* a name may become known at any time, and there is no notice of it */
	if (r->follow.nopen && l->now + LOOK_INTERVAL < until)
		until = l->now + LOOK_INTERVAL;
	if (!r->targets.endless && !goes_on(r) && l->checked + CHECK_INTERVAL < until)
		until = l->checked + CHECK_INTERVAL;
	/* an event may be held back, waiting for its stack; no wake-up ends that wait */
	if (l->now - l->last < 300 * NSEC_PER_MSEC && l->now + 20 * NSEC_PER_MSEC < until)
		until = l->now + 20 * NSEC_PER_MSEC;
	return until > l->now ? (int)((until - l->now) / NSEC_PER_MSEC) + 1 : 0;
}

static void wait_for_more(struct run *r, const struct run_ops *ops, struct loop *l, int timeout)
{
	struct pollfd p[] = {
		{ .fd = r->at_end ? -1 : ctrace_reader_fd(r->reader), .events = POLLIN },
		{ .fd = r->container_fd, .events = POLLIN },
		{ .fd = wake[0], .events = POLLIN },
		{ .fd = ops->out_fd },
		{ .fd = ops->keys ? STDIN_FILENO : -1, .events = POLLIN },
	};
	char buf[64];

	/*
	 * If all or the host is traced, our own calls make records, which wake us. Without a pause we
	 * would trace little else. The pause is far shorter than the time a ring takes to fill.
	 */
	if (r->targets.endless && !r->at_end && timeout > SELF_PAUSE_MS) {
		p[0].fd = -1;
		if (poll(p, ARRAY_SIZE(p), SELF_PAUSE_MS))
			timeout = 0;
		p[0].fd = ctrace_reader_fd(r->reader);
	}
	if (poll(p, ARRAY_SIZE(p), timeout) <= 0)
		return;
	if (p[0].revents & POLLIN)
		l->last = clock_ns(CLOCK_MONOTONIC);
	else if (p[0].revents)
		r->end = RUN_FAILED;	/* the session has gone; stopping it will say why */
	if (p[1].revents) {
		ctable_dispatch(r->ctable);
		l->checked = 0;
	}
	while (p[2].revents && read(wake[0], buf, sizeof(buf)) > 0)
		;
	if ((p[3].revents | p[4].revents) & (POLLERR | POLLHUP))
		r->end = RUN_OUTPUT;
}

int run_cut_waits(struct run *r)
{
	for (size_t i = 0; i < r->probes.n; i++)
		if (!strcmp(r->probes.v[i].name, "sched_blame"))
			return ctrace_session_start(r->session);	/* it records already */
	return 0;
}

int run_loop(struct run *r, const struct run_ops *ops, void *arg)
{
	struct loop l = { 0 };
	int more = 1, got;

	l.now = l.ticked = l.last = clock_ns(CLOCK_MONOTONIC);
	l.waited = r->wait ? l.now + r->wait : 0;
	while (r->end == RUN_ON) {
		follow_look(&r->follow);
		got = r->at_end ? 0 : ops->drain(arg);
		l.now = clock_ns(CLOCK_MONOTONIC);
		if (got < 0) {
			r->end = RUN_OUTPUT;
			break;
		}
		more = got > 0;
		if (!r->at_end)
			run_thaw(r, l.now, !more);
		if (more)
			l.last = l.now;
		else if (!r->at_end)
			ops->idle(arg, l.now - l.last);
		if (l.now - l.ticked >= NSEC_PER_SEC) {
			l.ticked = l.now;
			/* so the module need not remember who had a CPU for longer than this */
			if (run_cut_waits(r))
				r->end = RUN_FAILED;
			ops->tick(arg);
		}
		if (r->end == RUN_ON)
			r->end = look(r, &l);
		if (r->end == RUN_ON)
			wait_for_more(r, ops, &l, timeout_ms(&l, r, !more));
	}
	if (ctrace_session_stop(r->session))
		return cli_error("%s", ctrace_errmsg(r->ct));
	r->stopped = clock_ns(CLOCK_MONOTONIC);
	if (r->at_end)
		run_thaw(r, r->stopped, true);
	more = 1;
	/* take the last notices: records that are still in the rings need names */
	ctable_dispatch(r->ctable);
	follow_end(&r->follow);
	while (more && r->end != RUN_OUTPUT)
		more = ops->drain(arg) > 0;
	if (r->end == RUN_SIGNAL)
		command_end(&r->child, r->signal);
	return CLI_OK;
}

int run_status(const struct run *r)
{
	const char *missing = follow_missing(&r->follow);

	if (missing && r->end == RUN_SIGNAL && !r->follow.began)
		return 128 + r->signal;
	if (missing && (r->end == RUN_WAITED || r->end == RUN_COMMAND))
		return cli_error("'%s' did not start%s", missing, r->end == RUN_WAITED ? " in time" : "");
	if (!r->child.ended)
		return CLI_OK;
	if (WIFSIGNALED(r->child.status))
		return 128 + WTERMSIG(r->child.status);
	return WEXITSTATUS(r->child.status);
}

bool losses_count(struct run *r, struct losses *l)
{
	struct ctrace_session_losses s;
	struct ctrace_losses seen;

	if (ctrace_reader_losses(r->reader, &seen, sizeof(seen)) ||
	    ctrace_session_losses(r->session, &s, sizeof(s)))
		return false;
	*l = (struct losses){
		.overrun = seen.overrun, .full = seen.full, .nested = seen.nested, .frozen = seen.frozen,
		.freeze_refused = s.freeze_refused, .missed = s.missed,
		.unfollowed = s.unfollowed, .unfollowed_tasks = s.unfollowed_tasks, .unread = s.unread,
		.blind = s.blind_ns,
	};
	if (r->at_end) {
		l->older = l->overrun;
		l->overrun = 0;
	}
	return true;
}

uint64_t losses_print(const struct losses *l, struct sbuf *b)
{
	const struct { const char *name; uint64_t n; } v[] = {
		{ "overrun", l->overrun }, { "full", l->full }, { "nested", l->nested },
		{ "frozen", l->frozen }, { "missed", l->missed }, { "unfollowed", l->unfollowed },
		{ "unfollowed_tasks", l->unfollowed_tasks }, { "unread", l->unread },
		{ "discarded", l->discarded },
	};
	const char *sep = " (";
	uint64_t all = 0;

	for (size_t i = 0; i < ARRAY_SIZE(v); i++)
		all += v[i].n;

	sbuf_printf(b, ", %llu lost", (unsigned long long)all);
	for (size_t i = 0; i < ARRAY_SIZE(v); i++) {
		if (!v[i].n)
			continue;
		sbuf_printf(b, "%s%llu %s", sep, (unsigned long long)v[i].n, v[i].name);
		sep = ", ";
	}
	if (all)
		sbuf_putc(b, ')');
	return all;
}

bool run_targets(const void *run, uint32_t cid)
{
	const struct run *r = run;

	return targets_want(&r->targets, cid) || ctable_part(r->ctable, cid);
}

bool run_has_stacks(const struct run *r, const struct run_opts *o)
{
	bool has = o->stack;

	for (size_t i = 0; i < r->probes.n; i++)
		has |= !strncmp(r->probes.v[i].name, "sample:", 7);
	return has;
}

struct held {
	struct run *r;
	struct sbuf *b;
	uint64_t all;
};

static int one_limit(const struct ctrace_limit_info *l, void *arg)
{
	struct held *h = arg;
	const char *sep = h->all ? ", " : " (";

	if (!l->dropped)
		return 0;
	h->all += l->dropped;
	if (l->cid == CTRACE_CID_ALL)
		sbuf_printf(h->b, "%s%llu of others", sep, (unsigned long long)l->dropped);
	else
		sbuf_printf(h->b, "%s%llu of %s", sep, (unsigned long long)l->dropped,
			    ctable_get(h->r->ctable, l->cid)->shown);
	return 0;
}

void run_losses(struct run *r, struct sbuf *b)
{
	struct sbuf who = { 0 };
	struct held h = { .r = r, .b = &who };
	struct sbuf names = { 0 };
	struct losses l;

	if (losses_count(r, &l)) {
		if (l.older)
			sbuf_printf(b, ", %llu older ones overwritten", (unsigned long long)l.older);
		losses_print(&l, b);
		if (l.blind)
			blind_names(r, &names);
		blind_print(l.blind, names.len ? names.s : "", b);
		if (l.freeze_refused)
			sbuf_printf(b, ", %llu freezes refused", (unsigned long long)l.freeze_refused);
		sbuf_free(&names);
	} else {
		sbuf_puts(b, ", losses unknown");
	}
	if (!r->rate || ctrace_limit_each(r->ct, ctrace_session_id(r->session), one_limit, &h) || !h.all)
		return;
	sbuf_printf(b, ", %llu held back by --rate%s)", (unsigned long long)h.all, who.s);
	sbuf_free(&who);
}
