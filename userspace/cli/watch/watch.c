// SPDX-License-Identifier: GPL-2.0-only
/* The watch itself: waits for what sets a dump off, and has each written a moment later. */
#include <errno.h>
#include <fnmatch.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>
#include "base/cli.h"
#include "watch/freeze.h"
#include "watch/watch.h"

#define MSEC		1000000ull
/*
 * A dump is written this long after its event: the last records, and other ends of the same cause, come in
 * this time. It is shorter than the two seconds for which the module keeps a dead container's rings.
 */
#define SETTLE		(200 * MSEC)
#define NAME_PATIENCE	(1000 * MSEC)	/* for a container that has no name yet */
#define NAME_YOUNG	(5 * NSEC_PER_SEC)	/* so old may a container be before its name is written */
#define TICK		NSEC_PER_SEC
#define SAVE		(10 * NSEC_PER_SEC)
#define TRIM		(60 * NSEC_PER_SEC)
#define LOOKS_AT_ONCE	64u		/* containers, between two looks at what else happens */

/* --- triggers -------------------------------------------------------------------------------- */

static void ask_free(struct dump_ask *p)
{
	free(p->word);
	free(p->what);
	sbuf_free(&p->details);
	sbuf_free(&p->also);
	look_files_free(&p->after);
	*p = (struct dump_ask){ .client = -1 };
}

static struct dump_ask *pending_of(struct watch *w, uint32_t cid)
{
	for (size_t i = 0; i < w->npending; i++)
		if (w->pending[i].cid == cid)
			return &w->pending[i];
	return NULL;
}

/* One dump for several events of a moment. The OOM killer's is the cause of the end that follows it. */
static void join(struct watch *w, struct dump_ask *p, const char *word, const char *what)
{
	struct json j = { .out = &p->also, .comma = p->also.len };

	w->account.joined++;
	if (p->joined++ >= 16)
		return;
	json_open(&j, NULL, '{');
	json_str(&j, "reason", word);
	json_str(&j, "what", what);
	json_close(&j, '}');
}

static bool admits(struct watch *w, const struct trigger *t, const struct centry *e, enum unwritten *why)
{
	const struct watch_config *c = w->engine->config;
	char *name;
	bool yes;

	/* who asks has their reasons */
	if (t->kind == TRIGGER_ASKED)
		return true;
	/* a rate of the trigger's own counts for itself */
	name = t->rate.n == c->rate.n && t->rate.every == c->rate.every ? xstrdup(e->name ? e->name : "?") :
	       xasprintf("%s\n%u", e->name ? e->name : "?", t->line);
	yes = rates_take(&w->rates, name, &t->rate, &c->rate_all, clock_ns(CLOCK_MONOTONIC), why);
	free(name);
	return yes;
}

void watch_trigger(struct watch *w, const struct trigger *t, uint32_t cid, uint64_t time, char *word,
		   char *what,
		   struct sbuf *details, int client)
{
	struct centry *e = cid == CID_EVERY ? NULL : ctable_get(w->ctable, cid);
	struct dump_ask *p = pending_of(w, cid);

	if (e && t->only && fnmatch(t->only, e->name ? e->name : "", 0)) {
		/* another container's */
	} else if (p && client < 0) {
		join(w, p, word, what);
	} else if (w->npending == PENDING_MAX) {
		w->account.unwritten[UNWRITTEN_BUSY]++;
		control_error(client, "too many at once");
	} else {
		p = &w->pending[w->npending++];
		*p = (struct dump_ask){
			.cid = cid, .trigger = t, .time = time, .due = clock_ns(CLOCK_MONOTONIC) + SETTLE,
			.word = word, .what = what, .client = client,
		};
		if (details)
			p->details = *details;
		/* its cgroup may go at any moment */
		if (e)
			look_files_read(&w->looks, &e->c, &p->after);
		return;
	}
	free(word);
	free(what);
	if (details)
		sbuf_free(details);
}

/* Has it no name, although its runtime may write one any moment? */
static bool waits_for_name(const struct watch *w, const struct dump_ask *p, uint64_t now)
{
	const struct centry *e = p->cid == CID_EVERY ? NULL : ctable_get(w->ctable, p->cid);

	return e && !e->named && e->known && now < p->time + NAME_PATIENCE &&
	       now - e->c.first_seen < 2 * NSEC_PER_SEC;
}

/* Is it due? Then the rates are asked, once: *refused says that they refuse it. */
static bool is_due(struct watch *w, struct dump_ask *p, bool *refused)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC);
	enum unwritten why;

	if (now < p->due || waits_for_name(w, p, now))
		return false;
	*refused = !p->admitted && p->cid != CID_EVERY &&
		   !admits(w, p->trigger, ctable_get(w->ctable, p->cid), &why);
	if (*refused)
		w->account.unwritten[why]++;
	p->admitted = true;
	return true;
}

/* Writes what is due, as far as fewer than at_once are being finished. */
static void write_due(struct watch *w)
{
	size_t kept = 0;

	for (size_t i = 0; i < w->npending; i++) {
		struct dump_ask *p = &w->pending[i];
		bool refused = false;

		if (is_due(w, p, &refused) && (refused || jobs_writing(w) < w->engine->config->at_once)) {
			if (!refused)
				dump_write(w, p);
			if (trigger_records(p->trigger))
				freeze_thaw(w->engine, p->cid);
			ask_free(p);
		} else {
			w->pending[kept++] = *p;
		}
	}
	w->npending = kept;
}

static bool is_pending(void *arg, uint32_t cid)
{
	return pending_of(arg, cid);
}

static void on_source(void *arg, const struct source *s, const struct ctrace_record *rec)
{
	if (s->trigger)
		ends_own(arg, s->trigger, rec);
	else
		ends_record(arg, rec);
}

/* --- looks at files ------------------------------------------------------------------------- */

static void check_throttled(struct watch *w, const struct trigger *t, struct looked *x,
			    const struct cgroup_quota *q,
			    uint64_t since)
{
	uint64_t ns = q->throttled_ns - x->quota.throttled_ns;
	double share;
	struct sbuf details = { 0 };
	struct json j = { .out = &details };

	if (!x->has_quota || q->throttled_ns < x->quota.throttled_ns || q->number != x->quota.number ||
	    !since)
		return;
	share = 100 * (double)ns / (double)since;
	if (share < t->percent)
		return;
	json_uint(&j, "throttled_ns", ns);
	json_uint(&j, "of_ns", since);
	json_uint(&j, "periods", q->periods - x->quota.periods);
	json_uint(&j, "periods_throttled", q->throttled - x->quota.throttled);
	watch_trigger(w, t, x->cid, clock_ns(CLOCK_MONOTONIC), xstrdup("throttled"),
		      xasprintf("it had no quota for %.0f%% of the last %.0f s", share, (double)since / 1e9),
		      &details, -1);
}

static void check_pressure(struct watch *w, const struct trigger *t, const struct looked *x,
			   const struct look_files *now)
{
	const char *of = pressure_words[t->resource], *how = t->full ? "full" : "some";
	struct sbuf details = { 0 };
	struct json j = { .out = &details };
	double share;

	if (!look_pressure(now, t->resource, t->full, &share) || share < t->percent)
		return;
	json_str(&j, "pressure", of);
	json_str(&j, "kind", how);
	json_real(&j, "percent", share);
	watch_trigger(w, t, x->cid, now->time, xasprintf("pressure-%s", of),
		      xasprintf("its %s pressure (%s) was %.1f%% of 10 s", of, how, share), &details, -1);
}

static bool has_trigger(const struct watch_config *c, enum trigger_kind kind)
{
	for (size_t i = 0; i < c->ntriggers; i++)
		if (c->triggers[i].kind == kind)
			return true;
	return false;
}

/*
 * How often a container is looked at. If no trigger asks, a dump alone shows the files: it is enough then
 * that a look is as old as the dump's first records.
 */
static uint64_t look_every(const struct watch_config *c)
{
	bool asked = has_trigger(c, TRIGGER_THROTTLED) || has_trigger(c, TRIGGER_PRESSURE);

	return asked || c->look > c->seconds ? c->look : c->seconds;
}

static void look_at(struct watch *w, struct looked *x, const struct ctrace_container *c)
{
	const struct watch_config *conf = w->engine->config;
	struct look_files now = { 0 };
	struct cgroup_quota q = { 0 };
	bool has_quota = has_trigger(conf, TRIGGER_THROTTLED) && cgroup_quota_read(w->looks.files, c, &q);

	look_files_read(&w->looks, c, &now);
	for (size_t i = 0; i < conf->ntriggers; i++) {
		const struct trigger *t = &conf->triggers[i];

		if (t->kind == TRIGGER_THROTTLED && has_quota && x->before.time)
			check_throttled(w, t, x, &q, now.time - x->before.time);
		else if (t->kind == TRIGGER_PRESSURE)
			check_pressure(w, t, x, &now);
	}
	/* a trigger's own dump shows the look before this one */
	if (!pending_of(w, x->cid)) {
		look_files_free(&x->before);
		x->before = now;
	} else {
		look_files_free(&now);
	}
	x->quota = q;
	x->has_quota = has_quota;
}

/*
 * Looks at each container whose time has come; the looks of many are spread over the time between two. True:
 * not at all of them.
 */
static bool look_around(struct watch *w)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC), every = look_every(w->engine->config);
	unsigned int n = 0;
	struct centry *e;

	for (size_t i = 0; (e = ctable_next(w->ctable, &i));) {
		struct looked *x;

		if (!ctable_alive(e) || e->c.cid == CTRACE_CID_HOST)
			continue;
		/* its files, which have the name, are perhaps gone when it is needed */
		if (!e->named && now - e->c.first_seen < NAME_YOUNG)
			ctable_get(w->ctable, e->c.cid);
		x = looks_get(&w->looks, e->c.cid);
		if (!x || x->due > now)
			continue;
		if (n++ == LOOKS_AT_ONCE)
			return true;
		/* the first one is spread by its number */
		x->due = now + (x->due ? every : every * (e->c.cid % 16 + 1) / 16);
		look_at(w, x, &e->c);
	}
	return false;
}

/* --- signals, time --------------------------------------------------------------------------- */

static void tell_state(struct watch *w, const char *before)
{
	const struct watch_config *c = w->engine->config;
	struct sbuf b = { 0 };

	sbuf_size(&b, c->memory);
	notify_systemd("%sSTATUS=recording into %s, %zu triggers, %llu dumps written", before, b.s,
		       c->ntriggers,
		       (unsigned long long)w->account.written);
	sbuf_free(&b);
}

/* A new file: the new sessions begin before the old ones end, whose rings stay for as long as they matter. */
static void reload(struct watch *w)
{
	struct mistakes m = { 0 };
	struct watch_config *c = watch_config_read(w->conf, &m);
	struct engine *new = NULL;
	uint64_t now = clock_ns(CLOCK_MONOTONIC);

	notify_systemd("RELOADING=1\nMONOTONIC_USEC=%llu", (unsigned long long)now / 1000);
	if (!m.n)
		engine_check(c, w->schema, &m);
	if (!m.n && strcmp(c->dir, w->engine->config->dir))
		mistake(&m, c->path, 0, "another directory takes a restart");
	if (m.n)
		watch_config_free(c);
	else
		new = engine_new(w->ct, w->schema, w->ctable, c);
	if (m.n && m.b.len)
		fputs(m.b.s, stderr);
	if (!new) {
		fprintf(stderr, "ctrace: the new configuration was not taken: the old one goes on\n");
		notify_systemd("READY=1\nSTATUS=the new configuration has %zu mistakes: the old one goes on",
			       m.n);
	} else {
		while (engine_read(w->engine, on_source, w, &w->account.records))
			;
		/* dumps that were asked for before have pointers into the old configuration */
		for (size_t i = 0; i < w->npending; i++)
			w->pending[i].due = 0;
		write_due(w);
		for (size_t i = 0; i < w->npending; i++) {
			w->account.unwritten[UNWRITTEN_BUSY]++;
			control_error(w->pending[i].client, "too many at once");
			ask_free(&w->pending[i]);
		}
		w->npending = 0;
		engine_stop(w->engine);
		engine_free(w->engine->older);
		w->engine->older = NULL;
		new->older = w->engine;
		w->engine = new;
		w->asked.seconds = new->config->seconds;
		w->asked.neighbours = new->config->neighbours;
		w->trimmed = 0;		/* its quota and age hold from now on */
		fprintf(stderr, "ctrace: the new configuration was taken\n");
		tell_state(w, "READY=1\n");
	}
	sbuf_free(&m.b);
}

static void take_signals(struct watch *w)
{
	struct signalfd_siginfo si;

	while (read(w->signal_fd, &si, sizeof(si)) == sizeof(si)) {
		if (si.ssi_signo == SIGHUP)
			reload(w);
		else if (si.ssi_signo == SIGUSR2)
			watch_trigger(w, &w->asked, CID_EVERY, clock_ns(CLOCK_MONOTONIC), xstrdup("signal"),
				      xstrdup("a SIGUSR2 asked for it"), NULL, -1);
		else if (si.ssi_signo != SIGCHLD)
			w->stop = true;
	}
}

static void trim(struct watch *w)
{
	const struct watch_config *c = w->engine->config;

	store_trim(c->dir, c->quota, c->keep / NSEC_PER_SEC, time(NULL), &w->account);
	w->trimmed = clock_ns(CLOCK_MONOTONIC);
}

static void tick(struct watch *w)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC);
	struct engine *older = w->engine->older;

	if (older && now - older->ended > 2 * w->engine->config->seconds && !w->npending) {
		engine_free(older);
		w->engine->older = NULL;
	}
	if (w->ctable->lost != w->notices) {
		w->account.notices += w->ctable->lost - w->notices;
		w->notices = w->ctable->lost;
	}
	freeze_check(w->engine, is_pending, w);
	if (now - w->saved >= SAVE) {
		store_save_state(w->engine->config->dir, &w->account, false);
		w->saved = now;
		tell_state(w, "");
	}
	if (!w->trimmed || now - w->trimmed >= TRIM)
		trim(w);
}

/* --- the loop ------------------------------------------------------------------------------- */

enum { FD_SIGNALS, FD_CONTAINERS, FD_LISTEN, FD_CLIENTS, FD_SOURCES = FD_CLIENTS + CLIENTS_MAX };

static int wait_for(struct watch *w, int container_fd, int timeout)
{
	struct pollfd p[FD_SOURCES + ARRAY_SIZE(w->engine->sources)] = {
		[FD_SIGNALS] = { .fd = w->signal_fd, .events = POLLIN },
		[FD_CONTAINERS] = { .fd = container_fd, .events = POLLIN },
		[FD_LISTEN] = { .fd = w->listen_fd, .events = POLLIN },
	};

	for (size_t i = 0; i < CLIENTS_MAX; i++)
		p[FD_CLIENTS + i] = (struct pollfd){ .fd = w->clients[i].fd, .events = POLLIN };
	for (size_t i = 0; i < w->engine->nsources; i++)
		p[FD_SOURCES + i] = (struct pollfd){
			.fd = ctrace_reader_fd(w->engine->sources[i].reader), .events = POLLIN,
		};
	if (poll(p, FD_SOURCES + w->engine->nsources, timeout) < 0)
		return errno == EINTR ? CLI_OK : cli_error("cannot wait: %s", strerror(errno));
	for (size_t i = 0; i < w->engine->nsources; i++)
		if (p[FD_SOURCES + i].revents & ~POLLIN)
			return cli_error("a session has ended: was the module removed?");
	if (p[FD_CONTAINERS].revents) {
		ctable_dispatch(w->ctable);
		w->swept_late = true;
	}
	if (p[FD_LISTEN].revents)
		control_accept(w);
	for (size_t i = 0; i < CLIENTS_MAX; i++)
		if (p[FD_CLIENTS + i].revents && w->clients[i].fd >= 0)
			control_read(w, i);
	/* last: it may replace the engine */
	if (p[FD_SIGNALS].revents)
		take_signals(w);
	return CLI_OK;
}

static int loop(struct watch *w, int container_fd)
{
	uint64_t watchdog = notify_watchdog(), signed_at = 0, ticked = 0, now;
	bool more = false, looks = false;
	int status = CLI_OK, timeout;

	while (!w->stop && status == CLI_OK) {
		timeout = more || looks ? 0 : w->npending || w->swept_late || jobs_writing(w) ? 50 : 1000;
		status = wait_for(w, container_fd, timeout);
		if (status != CLI_OK)
			break;
		more = engine_read(w->engine, on_source, w, &w->account.records);
		if (w->swept_late)
			ends_sweep(w);
		jobs_reap(w);
		write_due(w);
		now = clock_ns(CLOCK_MONOTONIC);
		if (now - ticked >= TICK || looks)
			looks = look_around(w);
		if (now - ticked >= TICK) {
			ticked = now;
			tick(w);
		}
		if (watchdog && now - signed_at >= watchdog / 2) {
			notify_systemd("WATCHDOG=1");
			signed_at = now;
		}
	}
	return status;
}

static int catch_signals(struct watch *w)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGUSR2, SIGCHLD };
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < ARRAY_SIZE(signals); i++)
		sigaddset(&set, signals[i]);
	sigprocmask(SIG_BLOCK, &set, NULL);
	w->signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return w->signal_fd < 0 ? cli_error("cannot wait for signals: %s", strerror(errno)) : CLI_OK;
}

/* The directory, and what an earlier watch left in it. */
static int take_store(struct watch *w, const struct watch_config *c)
{
	int err = store_make(c->dir);

	if (err)
		return cli_error("cannot use %s: %s", c->dir,
				 err == -EPERM ? "it is another user's" : strerror(-err));
	w->lock_fd = store_lock(c->dir);
	if (w->lock_fd == -EWOULDBLOCK)
		return cli_error("another watch writes to %s", c->dir);
	if (w->lock_fd < 0)
		return cli_error("cannot write to %s: %s", c->dir, strerror(-w->lock_fd));
	store_load_state(c->dir, &w->account);
	w->account.unwritten[UNWRITTEN_INTERRUPTED] += store_remove_unfinished(c->dir);
	w->account.starts++;
	return CLI_OK;
}

static int connect_module(struct watch *w, int *container_fd)
{
	w->ct = cli_open();
	if (!w->ct)
		return CLI_FAIL;
	if (ctrace_schema_get(w->ct, &w->schema))
		return cli_error("%s", ctrace_errmsg(w->ct));
	w->ctable = ctable_new(w->ct);
	/* subscribe first, then list: no birth is missed in between */
	*container_fd = ctable_subscribe(w->ctable);
	if (*container_fd < 0 || ctable_list(w->ctable))
		return cli_error("%s", ctrace_errmsg(w->ct));
	return CLI_OK;
}

/* Takes c. */
static int begin(struct watch *w, struct watch_config *c, int *container_fd)
{
	struct mistakes m = { 0 };
	int status = take_store(w, c);

	if (status == CLI_OK)
		status = catch_signals(w);
	if (status == CLI_OK)
		status = connect_module(w, container_fd);
	if (status == CLI_OK && !engine_check(c, w->schema, &m)) {
		fputs(m.b.s, stderr);
		status = CLI_FAIL;
	}
	sbuf_free(&m.b);
	if (status == CLI_OK)
		status = control_listen(w);
	if (status != CLI_OK) {
		watch_config_free(c);
		return status;
	}
	w->asked = (struct trigger){
		.kind = TRIGGER_ASKED, .text = "asked", .seconds = c->seconds, .neighbours = c->neighbours,
	};
	looks_init(&w->looks);
	w->engine = engine_new(w->ct, w->schema, w->ctable, c);
	return w->engine ? CLI_OK : CLI_FAIL;
}

int watch_run(const char *conf, struct watch_config *c)
{
	struct watch w = { .conf = conf, .listen_fd = -1, .signal_fd = -1, .lock_fd = -1 };
	int container_fd = -1, status;

	for (size_t i = 0; i < CLIENTS_MAX; i++)
		w.clients[i].fd = -1;
	for (size_t i = 0; i < JOBS_MAX; i++)
		w.jobs[i].client = -1;
	status = begin(&w, c, &container_fd);
	if (status == CLI_OK) {
		trim(&w);
		store_save_state(w.engine->config->dir, &w.account, false);
		fprintf(stderr, "ctrace: watching: %zu triggers, dumps go to %s\n",
			w.engine->config->ntriggers,
			w.engine->config->dir);
		tell_state(&w, "READY=1\n");
		status = loop(&w, container_fd);
		notify_systemd("STOPPING=1");
	}
	for (size_t i = 0; i < w.npending; i++) {
		w.account.unwritten[UNWRITTEN_INTERRUPTED]++;
		control_error(w.pending[i].client, "the watch ends");
		ask_free(&w.pending[i]);
	}
	jobs_end(&w);
	if (w.engine)
		store_save_state(w.engine->config->dir, &w.account, true);
	control_close(&w);
	engine_free(w.engine);
	looks_free(&w.looks);
	rates_free(&w.rates);
	ctable_free(w.ctable);
	ctrace_schema_free(w.schema);
	ctrace_close(w.ct);
	if (w.signal_fd >= 0)
		close(w.signal_fd);
	if (w.lock_fd >= 0)
		close(w.lock_fd);
	return status;
}
