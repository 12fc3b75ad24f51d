// SPDX-License-Identifier: GPL-2.0-only
/*
 * Writes a dump: the recording of the last seconds from the rings, while the recorder writes on, and the
 * files that `ctrace record` writes beside the records. All of it goes into DIR/.new-ID/, where finish.c
 * makes it whole.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>
#include "base/cli.h"
#include "count/threads.h"
#include "ctf/sink_ctf.h"
#include "run/recording.h"
#include "watch/freeze.h"
#include "watch/watch.h"

#define SPACE_LEAST	(16ull << 20)	/* bytes that must be free before a dump is begun */
#define ROUNDS_MAX	256u		/* over the rings: new records must not make it endless */
#define STATE_ARENA	(4ull << 20)	/* bytes for a state dump */
#define NAMES_MAX	1024u		/* containers that a dump names besides its own and those around it */

struct dump {
	struct watch *w;
	const struct dump_ask *p;
	char *id, *dir;			/* dir: the unfinished directory */
	struct ctable *names;		/* those that the recording names */
	struct ctf *ctf;
	struct symbols *symbols;
	struct threads threads;
	uint64_t from, to, whole;	/* CLOCK_MONOTONIC, ns; whole: ctf_whole_from() */
	struct ctrace_ctf_info info;
	struct losses losses;
	bool has_losses, alive;
};

static bool shows_own(const void *arg, uint32_t cid)
{
	const struct dump *d = arg;

	return d->p->cid == CID_EVERY || d->p->trigger->neighbours || cid == d->p->cid;
}

/* --- names ------------------------------------------------------------------------------ */

static void add_name(struct dump *d, uint32_t cid)
{
	struct centry *e = ctable_get(d->w->ctable, cid);

	if (e->known && e->name && e->label && !ctable_find(d->names, cid))
		ctable_add_read(d->names, e);
}

/* Its own name, those around it, and the living neighbours', who may be to blame. */
static void choose_names(struct dump *d)
{
	const struct centry *e;
	uint32_t cid = d->p->cid;
	struct centry *x;
	size_t n = 0;

	d->names = ctable_new(NULL);
	add_name(d, CTRACE_CID_HOST);
	for (int depth = 0; cid != CID_EVERY && cid != CTRACE_CID_HOST && depth < 64; depth++) {
		add_name(d, cid);
		e = ctable_find(d->w->ctable, cid);
		cid = e && e->known ? e->c.parent : CTRACE_CID_HOST;
	}
	for (size_t i = 0; (x = ctable_next(d->w->ctable, &i)) && n < NAMES_MAX;) {
		/* naming a container may add one to the table */
		if (!ctable_alive(x))
			continue;
		add_name(d, x->c.cid);
		n++;
	}
}

/* --- records ------------------------------------------------------------------------------ */

/* Reads the rings of one recorder once, from the oldest record that is left. Status after a message. */
static int drain(struct dump *d, struct engine *e, uint64_t from, uint64_t to)
{
	struct ctrace_ctf_info was;
	unsigned int rounds = 0;
	struct losses l;
	int n;

	if (ctrace_reader_open(e->run.session, NULL, &e->run.reader)) {
		cli_error("%s", ctrace_reader_errmsg(e->run.reader));
		ctrace_reader_close(e->run.reader);
		e->run.reader = NULL;
		return CLI_FAIL;
	}
	ctf_next_reader(d->ctf);
	ctf_window(d->ctf, from, to);
	do {
		was = ctf_info(d->ctf);
		n = ctf_drain(d->ctf, e->run.reader);
	} while (n > 0 && ++rounds < ROUNDS_MAX && (rounds < 2 || ctf_info(d->ctf).records > was.records));
	if (losses_count(&e->run, &l)) {
		/* what this reader did not see was overwritten as meant, or is not its container's */
		l.older = l.overrun = 0;
		d->losses = l;
		d->has_losses = true;
	}
	ctrace_reader_close(e->run.reader);
	e->run.reader = NULL;
	return n < 0 ? CLI_FAIL : CLI_OK;
}

/*
 * Which tasks there are now, by a session of its own: one that records for weeks has overwritten what it once
 * knew. They give names to tasks that began before the window.
 */
static void dump_state(struct dump *d)
{
	const struct ctrace_session_opts o = {
		.sz = sizeof(o), .arena_size = STATE_ARENA, .containers = d->p->cid == CID_EVERY ? 0 : 1,
		.name = "ctrace watch: state",
		.flags = CTRACE_SESSION_F_STATEDUMP | CTRACE_SESSION_F_NEIGHBOURS,
	};
	const struct ctrace_target own = { .sz = sizeof(own), .kind = CTRACE_TARGET_CID, .cid = d->p->cid };
	struct ctrace *ct = d->w->ct;
	struct ctrace_session *s = NULL;
	struct ctrace_reader *r = NULL;
	uint64_t began = clock_ns(CLOCK_MONOTONIC);

	if (!d->alive)
		return;
	if (ctrace_session_new(ct, &o, &s) ||
	    ctrace_target_add(s, d->p->cid == CID_EVERY ? NULL : &own, NULL) ||
	    ctrace_session_start(s) || ctrace_session_stop(s) || ctrace_reader_open(s, NULL, &r)) {
		/* it may have ended just now */
		fprintf(stderr, "ctrace: dump %s has no state of tasks: %s\n", d->id, ctrace_errmsg(ct));
	} else {
		ctf_next_reader(d->ctf);
		ctf_window(d->ctf, began, UINT64_MAX);
		while (ctf_drain(d->ctf, r) > 0)
			;
		d->w->engine->run.dumped = began;
	}
	ctrace_reader_close(r);
	ctrace_session_free(s);
}

static void write_asked(struct dump *d)
{
	struct engine *e = d->w->engine;
	struct run_opts o = e->opts;
	struct sbuf b = { 0 };
	char *target = xstrdup(d->p->cid == CID_EVERY || d->p->trigger->neighbours ? "all" :
			       ctable_get(d->w->ctable, d->p->cid)->label);

	o.targets = &target;
	o.ntargets = 1;
	asked_put(&b, &e->run, &o, d->from, d->to, d->has_losses ? &d->losses : NULL);
	ctf_side(d->ctf, CTRACE_CTF_ASKED, &b);
	e->run.dumped = 0;
	free(target);
}

/* Where the threads that still live are. */
static void write_threads(struct dump *d)
{
	struct engine *e = d->w->engine;
	struct sbuf b = { 0 };

	if (!d->alive || !threads_asked(&e->run.probes) ||
	    threads_look(&d->threads, d->w->ctable, d->w->schema, shows_own, d))
		return;
	descriptors_far(&d->threads.fds, d->w->ctable, false);
	threads_put(&b, &d->threads);
	ctf_side(d->ctf, CTRACE_CTF_THREADS, &b);
}

static int record(struct dump *d)
{
	struct engine *e = d->w->engine;
	char *dir = xasprintf("%s/recording", d->dir);
	struct ctf_opts o = {
		.shows = shows_own, .shows_arg = d, .from = d->from, .to = d->to,
		.symbols = run_has_stacks(&e->run, &e->opts) ? symbols_new(true) : NULL,
	};
	int status = CLI_OK;

	d->symbols = o.symbols;
	if (d->symbols)
		symbols_prepare(d->symbols);
	d->ctf = ctf_create(dir, d->w->schema, d->names, &o);
	free(dir);
	if (!d->ctf)
		return CLI_FAIL;
	if (e->older && d->from < e->older->ended)
		status = drain(d, e->older, d->from, e->older->ended);
	if (status == CLI_OK)
		status = drain(d, e, e->older && d->from < e->older->ended ? e->older->ended + 1 : d->from,
			       d->to);
	d->info = ctf_info(d->ctf);
	d->whole = ctf_whole_from(d->ctf);
	if (status == CLI_OK && d->info.records) {
		dump_state(d);
		write_threads(d);
		write_asked(d);
	}
	if (ctf_close(d->ctf) != CLI_OK)
		status = CLI_FAIL;
	return status;
}

/* --- reason.json --------------------------------------------------------------------------- */

static void put_time(struct json *j, const char *key, uint64_t realtime)
{
	time_t sec = (time_t)(realtime / NSEC_PER_SEC);
	char text[64];
	struct tm tm;
	size_t n;

	if (!gmtime_r(&sec, &tm))
		return;
	n = strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &tm);
	snprintf(text + n, sizeof(text) - n, ".%06lluZ",
		 (unsigned long long)(realtime % NSEC_PER_SEC / 1000));
	json_str(j, key, text);
}

static void put_configured(struct json *j, const struct watch_config *c, const struct trigger *t)
{
	json_open(j, "trigger", '{');
	if (t->line) {
		json_str(j, "file", c->path);
		json_uint(j, "line", t->line);
	}
	json_str(j, "text", t->text);
	json_uint(j, "seconds_ns", t->seconds);
	json_flag(j, "neighbours", t->neighbours);
	json_close(j, '}');
	json_open(j, "configured", '{');
	json_uint(j, "memory", c->memory);
	json_uint(j, "containers", c->containers);
	json_str(j, "events", c->events ? c->events : engine_events);
	json_uint(j, "samples", c->samples);
	json_uint(j, "quota", c->quota);
	json_uint(j, "keep_ns", c->keep);
	json_close(j, '}');
}

/* From where on the recording has everything: late, if the rings were too small or too young. */
static uint64_t whole_from(const struct dump *d)
{
	const struct engine *first = d->w->engine->older ? d->w->engine->older : d->w->engine;
	uint64_t from = first->began > d->from ? first->began : d->from;

	return d->whole > from ? d->whole : from;
}

static void put_recording(struct json *j, const struct dump *d)
{
	json_open(j, "recording", '{');
	json_uint(j, "from", d->from);
	json_uint(j, "to", d->to);
	json_uint(j, "whole_from", whole_from(d));
	json_uint(j, "records", d->info.records);
	json_uint(j, "bytes", d->info.bytes);
	json_flag(j, "alive", d->alive);
	if (d->has_losses) {
		json_open(j, "losses", '{');
		json_uint(j, "in_window", d->info.lost);
		json_uint(j, "nested", d->losses.nested);
		json_uint(j, "frozen", d->losses.frozen);
		json_uint(j, "missed", d->losses.missed);
		json_uint(j, "unfollowed", d->losses.unfollowed);
		json_uint(j, "blind_ns", d->losses.blind);
		json_close(j, '}');
	}
	json_close(j, '}');
}

static void put_reason(struct sbuf *b, struct dump *d)
{
	const struct dump_ask *p = d->p;
	struct watch *w = d->w;
	const struct looked *x = looks_find(&w->looks, p->cid);
	struct json j = { .out = b };
	struct utsname u;

	json_open(&j, NULL, '{');
	json_str(&j, "id", d->id);
	json_str(&j, "version", ctrace_version());
	if (!uname(&u)) {
		json_str(&j, "host", u.nodename);
		json_str(&j, "kernel", u.release);
		json_str(&j, "machine", u.machine);
	}
	json_str(&j, "reason", p->word);
	json_str(&j, "what", p->what);
	json_uint(&j, "time", p->time);
	put_time(&j, "realtime", p->time + clock_ns(CLOCK_REALTIME) - clock_ns(CLOCK_MONOTONIC));
	if (p->cid != CID_EVERY) {
		json_open(&j, "container", '{');
		ctable_json(&j, w->ctable, ctable_get(w->ctable, p->cid));
		json_close(&j, '}');
	}
	json_open(&j, "details", '{');
	if (p->details.len) {
		json_open(&j, "event", '{');
		sbuf_puts(b, p->details.s);
		j.comma = true;
		json_close(&j, '}');
	}
	json_open(&j, "also", '[');
	if (p->also.len)
		sbuf_puts(b, p->also.s);
	j.comma = p->also.len;
	json_close(&j, ']');
	json_close(&j, '}');
	put_configured(&j, w->engine->config, p->trigger);
	put_recording(&j, d);
	json_open(&j, "cgroup", '{');
	if (x && x->before.time && x->before.time <= p->time)
		look_files_put(&j, "before", &x->before);
	look_files_put(&j, "after", &p->after);
	json_close(&j, '}');
	account_put(&j, "account", &w->account, NULL);
	account_put(&j, "since_last_dump", &w->account, &w->last);
	w->last = w->account;
}

/* --- the whole ------------------------------------------------------------------------------- */

static char *new_id(const struct dump *d, const char *name)
{
	uint64_t realtime = d->p->time + clock_ns(CLOCK_REALTIME) - clock_ns(CLOCK_MONOTONIC);
	const char *dir = d->w->engine->config->dir;
	time_t sec = (time_t)(realtime / NSEC_PER_SEC);
	char time[32] = "0";
	struct sbuf b = { 0 };
	struct tm tm;
	size_t len;

	if (gmtime_r(&sec, &tm))
		strftime(time, sizeof(time), "%Y%m%dT%H%M%S", &tm);
	sbuf_printf(&b, "%s.%03llu-", time, (unsigned long long)(realtime % NSEC_PER_SEC / 1000000));
	store_clean(&b, name);
	sbuf_putc(&b, '-');
	store_clean(&b, d->p->word);
	len = b.len;
	/* two in a millisecond */
	for (unsigned int i = 2; i < 1000; i++) {
		char *a = xasprintf("%s/%s", dir, b.s), *n = xasprintf("%s/" STORE_NEW "%s", dir, b.s);
		bool free_name = access(a, F_OK) && access(n, F_OK);

		free(a);
		free(n);
		if (free_name)
			break;
		b.len = len;
		sbuf_printf(&b, "-%u", i);
	}
	return b.s;
}

static void not_written(struct dump *d, enum unwritten why, const char *text)
{
	struct sbuf b = { 0 };

	d->w->account.unwritten[why]++;
	sbuf_clean(&b, d->p->what);
	fprintf(stderr, "ctrace: no dump: %s (%s)\n", text, b.s);
	sbuf_free(&b);
	control_error(d->p->client, text);
	if (d->dir)
		store_remove_tree(d->dir);
}

static void finish(struct dump *d, struct job *j, const char *name)
{
	const struct watch_config *c = d->w->engine->config;
	struct finish f = {
		.dir = c->dir, .new = d->dir, .id = d->id, .recording = d->info.records, .cid = d->p->cid,
		.report_time = c->report_time, .window = d->to - d->from,
		.what = d->p->what, .word = d->p->word,
	};
	pid_t pid;

	put_reason(&f.head, d);
	pid = job_fork();
	if (!pid)
		finish_run(&f);
	sbuf_free(&f.head);
	if (pid < 0) {
		not_written(d, UNWRITTEN_FAILED, strerror(errno));
		return;
	}
	*j = (struct job){
		.pid = pid, .id = xstrdup(d->id), .name = xstrdup(name), .what = xstrdup(d->p->what),
		.word = xstrdup(d->p->word), .client = d->p->client,
		.deadline = clock_ns(CLOCK_MONOTONIC) + 4 * c->report_time,
	};
	if (d->p->cid != CID_EVERY)
		snprintf(j->runtime_id, sizeof(j->runtime_id), "%s",
			 ctable_get(d->w->ctable, d->p->cid)->c.runtime_id);
}

void dump_write(struct watch *w, struct dump_ask *p)
{
	struct engine *e = w->engine;
	const char *dir = e->config->dir;
	struct dump d = { .w = w, .p = p };
	struct job *j = job_free(w);
	struct centry *own = p->cid == CID_EVERY ? NULL : ctable_get(w->ctable, p->cid);
	/* the name alone: a label may have the container's number behind it, and a restart another one */
	char *name = xstrdup(!own ? "all" : own->name ? own->name : "unknown");
	uint64_t room;
	int err;

	d.alive = !own || ctable_alive(own);
	d.from = p->time > p->trigger->seconds ? p->time - p->trigger->seconds : 1;
	d.id = new_id(&d, name);
	err = store_make(dir);
	if (!j) {
		not_written(&d, UNWRITTEN_BUSY, "too many at once");
	} else if (err || store_free(dir, &room)) {
		not_written(&d, UNWRITTEN_FAILED, strerror(err ? -err : errno));
	} else if (room < SPACE_LEAST) {
		not_written(&d, UNWRITTEN_SPACE, "the disk is full");
	} else {
		d.dir = xasprintf("%s/" STORE_NEW "%s", dir, d.id);
		/* waits that have not ended get records up to now */
		run_cut_waits(&e->run);
		d.to = p->cid == CID_EVERY ? 0 : freeze_time(e, p->cid);
		if (!d.to)
			d.to = clock_ns(CLOCK_MONOTONIC);
		choose_names(&d);
		if (mkdir(d.dir, 0700))
			not_written(&d, errno == ENOSPC ? UNWRITTEN_SPACE : UNWRITTEN_FAILED,
				    strerror(errno));
		else if (record(&d) == CLI_OK)
			finish(&d, j, name);
		else if (!store_free(dir, &room) && room < SPACE_LEAST)
			not_written(&d, UNWRITTEN_SPACE, "the disk is full");
		else
			not_written(&d, UNWRITTEN_FAILED, "the recording could not be written");
		ctable_free(d.names);
		symbols_free(d.symbols);
		threads_free(&d.threads);
	}
	free(d.dir);
	free(d.id);
	free(name);
}
