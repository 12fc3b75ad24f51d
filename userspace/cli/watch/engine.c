// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "base/cli.h"
#include "count/threads.h"
#include "watch/freeze.h"

#define BATCH		1024u		/* records of a source at a time */
#define SOURCE_RING	65536ull	/* bytes of a source on each CPU: 200 containers that end at once */

/*
 * A call that neither sleeps nor fails makes no record here: what a thread slept in, and for how long, is in
 * sched_block. A filter on whole calls would not take the short way (module/README.md), and every call would
 * pay for it; so calls are recorded only if the configuration names them.
 */
const char engine_events[] =
	"sched_wait,sched_run,sched_block,sched_blame,cpu_throttled,block_io,tcp_*,sched_process_fork,"
	"sched_process_exec,sched_process_exit,signal_generate,oom_*";

/* Why processes end. Ends without a failure are left out where they are made. */
#define ENDS	"sched_process_exit if group_dead == 1 && wait_status != 0; oom_mark_victim; " \
		"signal_generate if sig == 9 || sig == 15"
#define ENDS_ANY "sched_process_exit if group_dead == 1; oom_mark_victim; " \
		"signal_generate if sig == 9 || sig == 15"

/* A condition belongs to all events before it, so events with another one stand behind a semicolon. */
static struct probes_opts probes_of(const char *events, bool usual)
{
	struct probes_opts o = { .lenient = usual };

	while (*events) {
		bool quoted = false;
		size_t n = 0;

		while (events[n] && (quoted || events[n] != ';'))
			quoted ^= events[n++] == '"';
		o.events = xrealloc(o.events, (o.nevents + 1) * sizeof(o.events[0]));
		o.events[o.nevents++] = xstrndup(events, n);
		events += n + (events[n] == ';');
		events += strspn(events, " \t");
	}
	return o;
}

static void probes_opts_free(struct probes_opts *o)
{
	for (size_t i = 0; i < o->nevents; i++)
		free(o->events[i]);
	free(o->events);
	*o = (struct probes_opts){ 0 };
}

static struct probes_opts recorder_probes(const struct watch_config *c)
{
	struct probes_opts o = probes_of(c->events ? c->events : engine_events, !c->events);

	o.frequency = c->samples;
	o.samples_if_any = true;
	return o;
}

static struct probes_opts trigger_probes(const struct trigger *t)
{
	struct probes_opts o = probes_of(t->events, false);

	o.longer = t->kind == TRIGGER_CALL ? t->duration : 0;
	return o;
}

/* The message of a mistake is printed where the mistake is found; this adds its line. */
static void check_one(const struct watch_config *c, const struct ctrace_schema *schema, struct probes_opts o,
		      unsigned int line, const char *text, struct mistakes *m)
{
	struct probes p = { 0 };

	if (probes_parse(&p, schema, &o) != CLI_OK)
		mistake(m, c->path, line, "%s: these events are wrong, see the message before", text);
	probes_free(&p);
	probes_opts_free(&o);
}

bool engine_check(const struct watch_config *c, const struct ctrace_schema *schema, struct mistakes *m)
{
	size_t before = m->n;

	check_one(c, schema, recorder_probes(c), c->events_line, "events", m);
	for (size_t i = 0; i < c->ntriggers; i++)
		if (trigger_records(&c->triggers[i]))
			check_one(c, schema, trigger_probes(&c->triggers[i]), c->triggers[i].line,
				  c->triggers[i].text,
				  m);
	return m->n == before;
}

/* All containers, and not the host. 0 or -errno. */
static int add_targets(struct ctrace_session *s)
{
	const struct ctrace_target host = {
		.sz = sizeof(host), .kind = CTRACE_TARGET_CID, .cid = CTRACE_CID_HOST, .exclude = true,
	};
	int err = ctrace_target_add(s, NULL, NULL);

	return err ? err : ctrace_target_add(s, &host, NULL);
}

/* freezes: id of the session whose rings their events freeze, as the last record in them; 0: none */
static int add_probes(struct ctrace_session *s, const struct probes *p, uint32_t freezes)
{
	int err = 0;

	for (size_t i = 0; i < p->n && !err; i++) {
		const struct ctrace_probe_opts o = {
			.sz = sizeof(o), .filter = p->v[i].filter, .freezes = freezes,
			.flags = freezes ? CTRACE_PROBE_F_FREEZE : 0,
		};

		err = ctrace_probe_add(s, p->v[i].name, &o, NULL, NULL);
	}
	return err;
}

/* Status after a message. */
static int new_session(struct engine *e, const struct ctrace_session_opts *o, const struct probes *p,
		       uint32_t freezes, struct ctrace_session **s)
{
	if (ctrace_session_new(e->run.ct, o, s) || add_probes(*s, p, freezes) || add_targets(*s))
		return cli_error("%s", ctrace_errmsg(e->run.ct));
	return CLI_OK;
}

static int new_recorder(struct engine *e)
{
	const struct watch_config *c = e->config;
	const struct ctrace_session_opts o = {
		.sz = sizeof(o), .arena_size = c->memory, .containers = c->containers, .name = "ctrace watch",
		.flags = CTRACE_SESSION_F_NEIGHBOURS | (c->events ? CTRACE_SESSION_F_PATHS : 0),
		.freeze_ms = FREEZE_MS,
	};
	int status;

	e->opts.probes = recorder_probes(c);
	e->opts.buffer = c->memory;
	e->opts.fds = c->events;
	status = probes_parse(&e->run.probes, e->run.schema, &e->opts.probes);
	if (status == CLI_OK && c->samples)
		probes_add_maps(&e->run.probes, e->run.schema);
	return status == CLI_OK ? new_session(e, &o, &e->run.probes, 0, &e->run.session) : status;
}

static int new_source(struct engine *e, const struct trigger *t, struct probes_opts po)
{
	const struct ctrace_session_opts o = {
		.sz = sizeof(o), .ring_size = SOURCE_RING, .arena_size = RUN_ARENA_OF(SOURCE_RING),
		.name = "ctrace watch: triggers", .flags = CTRACE_SESSION_F_NEIGHBOURS,
		/* a dump is asked for at once */
		.wakeup_ns = t ? CTRACE_WAKEUP_AT_ONCE : 0,
	};
	struct source *s = &e->sources[e->nsources++];
	int status;

	s->trigger = t;
	status = probes_parse(&s->probes, e->run.schema, &po);
	probes_opts_free(&po);
	if (status == CLI_OK)
		status = new_session(e, &o, &s->probes, t ? ctrace_session_id(e->run.session) : 0,
				     &s->session);
	if (status == CLI_OK && ctrace_reader_open(s->session, NULL, &s->reader))
		status = cli_error("%s", ctrace_errmsg(e->run.ct));
	return status;
}

static int new_sources(struct engine *e)
{
	const struct watch_config *c = e->config;
	bool ends = false, any = false;
	int status = CLI_OK;

	for (size_t i = 0; i < c->ntriggers; i++) {
		ends |= c->triggers[i].kind == TRIGGER_ENDED || c->triggers[i].kind == TRIGGER_OOM;
		any |= c->triggers[i].any;
	}
	if (ends)
		status = new_source(e, NULL, probes_of(any ? ENDS_ANY : ENDS, true));
	for (size_t i = 0; i < c->ntriggers && status == CLI_OK; i++)
		if (trigger_records(&c->triggers[i]))
			status = new_source(e, &c->triggers[i], trigger_probes(&c->triggers[i]));
	return status;
}

/* The recorder first: it has the events before the first trigger. */
static int start(struct engine *e)
{
	int err = ctrace_session_start(e->run.session);

	e->began = clock_ns(CLOCK_MONOTONIC);
	for (size_t i = 0; i < e->nsources && !err; i++)
		err = ctrace_session_start(e->sources[i].session);
	/* the types of kprobes that were made just now */
	if (!err)
		err = ctrace_schema_refresh(e->run.ct, e->run.schema);
	return err ? cli_error("%s", ctrace_errmsg(e->run.ct)) : CLI_OK;
}

struct engine *engine_new(struct ctrace *ct, struct ctrace_schema *schema, struct ctable *t,
			  struct watch_config *c)
{
	struct engine *e = xcalloc(1, sizeof(*e));
	int status;

	e->config = c;
	e->run.ct = ct;
	e->run.schema = schema;
	e->run.ctable = t;
	e->run.container_fd = -1;
	e->run.at_end = true;
	status = new_recorder(e);
	if (status == CLI_OK)
		status = new_sources(e);
	if (status == CLI_OK)
		status = start(e);
	if (status == CLI_OK)
		return e;
	engine_free(e);
	return NULL;
}

void engine_stop(struct engine *e)
{
	if (e->ended)
		return;
	ctrace_session_stop(e->run.session);
	e->ended = clock_ns(CLOCK_MONOTONIC);
	for (size_t i = 0; i < e->nsources; i++)
		ctrace_session_stop(e->sources[i].session);
}

void engine_free(struct engine *e)
{
	if (!e)
		return;
	engine_free(e->older);
	for (size_t i = 0; i < e->nsources; i++) {
		ctrace_reader_close(e->sources[i].reader);
		ctrace_session_free(e->sources[i].session);
		probes_free(&e->sources[i].probes);
	}
	ctrace_session_free(e->run.session);
	probes_free(&e->run.probes);
	probes_opts_free(&e->opts.probes);
	watch_config_free(e->config);
	free(e);
}

bool engine_read(struct engine *e, engine_fn fn, void *arg, uint64_t *lost)
{
	const struct ctrace_record *rec;
	bool more = false;

	for (size_t i = 0; i < e->nsources; i++) {
		struct source *s = &e->sources[i];
		struct ctrace_losses l;
		unsigned int n = 0;

		while (n < BATCH && ctrace_reader_next(s->reader, &rec) > 0) {
			fn(arg, s, rec);
			n++;
		}
		more |= n == BATCH;
		if (!n || ctrace_reader_losses(s->reader, &l, sizeof(l)) || l.overrun <= s->lost)
			continue;
		*lost += l.overrun - s->lost;
		s->lost = l.overrun;
	}
	return more;
}
