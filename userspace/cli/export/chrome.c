// SPDX-License-Identifier: GPL-2.0-only
/*
 * Chrome's JSON, which chrome://tracing, Perfetto and others read: an object for each event, in no order. A
 * container is a process there, with its spans and counters; so are the CPUs.
 */
#include <stdlib.h>
#include <string.h>
#include "base/cli.h"
#include "base/json.h"
#include "export/draw.h"

#define CPUS		2000000000u	/* numbers of processes that are none */
#define CONTAINERS	1000000000u

struct chrome {
	struct draw *draw;
	struct sbuf b;
	struct json j;
	bool comma;
};

/* Begins an event: phase, time, process and thread. */
static struct json *begin_event(struct export *x, const char *phase, uint64_t time, uint64_t pid, uint64_t tid)
{
	struct chrome *c = x->own;

	sbuf_reset(&c->b);
	sbuf_puts(&c->b, c->comma ? ",\n" : "\n");
	c->comma = true;
	sbuf_printf(&c->b, "{\"ph\":\"%s\",\"ts\":%llu.%03u", phase, (unsigned long long)(time / 1000),
		    (unsigned int)(time % 1000));
	c->j = (struct json){ .out = &c->b, .comma = true };
	json_uint(&c->j, "pid", pid);
	json_uint(&c->j, "tid", tid);
	return &c->j;
}

static void put_duration(struct json *j, uint64_t ns)
{
	sbuf_printf(j->out, ",\"dur\":%llu.%03u", (unsigned long long)(ns / 1000), (unsigned int)(ns % 1000));
}

static void end_event(struct export *x)
{
	struct chrome *c = x->own;

	sbuf_putc(&c->b, '}');
	export_put(x, c->b.s, c->b.len);
}

static void put_args(struct json *j, const struct details *d)
{
	json_open(j, "args", '{');
	for (size_t i = 0; d && i < d->n; i++) {
		const struct detail *e = &d->v[i];
		char hex[24];

		switch (e->kind) {
		case DETAIL_INT:
			json_int(j, e->name, (int64_t)e->n);
			break;
		case DETAIL_UINT:
			json_uint(j, e->name, e->n);
			break;
		case DETAIL_ADDRESS:
			snprintf(hex, sizeof(hex), "0x%llx", (unsigned long long)e->n);
			json_str(j, e->name, hex);
			break;
		case DETAIL_TEXT:
			json_str(j, e->name, detail_text(d, e));
			break;
		}
	}
	json_close(j, '}');
}

static void put_name(struct export *x, const char *what, uint64_t pid, uint64_t tid, const char *name)
{
	struct json *j = begin_event(x, "M", 0, pid, tid);

	json_str(j, "name", what);
	json_open(j, "args", '{');
	json_str(j, "name", name);
	json_close(j, '}');
	end_event(x);
}

static uint64_t pid_of(const struct export_task *t)
{
	return (uint64_t)(t->pid ? t->pid : t->tid);
}

static void task(struct export *x, struct export_task *t, bool born, uint64_t time)
{
	(void)born;
	(void)time;
	if (t->pid == t->tid || !t->pid)
		put_name(x, "process_name", pid_of(t), (uint64_t)t->tid, tasks_title(x, t));
	put_name(x, "thread_name", pid_of(t), (uint64_t)t->tid, comms_get(x->comms, t->tid));
}

static void put_slice(struct export *x, const struct slice *s, uint64_t pid, uint64_t tid)
{
	const char *phase = s->from && s->to ? "X" : s->from ? "B" : "E";
	struct json *j = begin_event(x, phase, s->from ? s->from : s->to, pid, tid);

	json_str(j, "name", s->name);
	json_str(j, "cat", s->system);
	if (*phase == 'X')
		put_duration(j, s->to - s->from);
	put_args(j, s->details);
	end_event(x);
}

static void ran(struct export *x, uint32_t cpu, const struct export_task *t, uint64_t from, uint64_t to, int32_t prio,
		int64_t state)
{
	struct json *j = begin_event(x, "X", from, CPUS, cpu);

	(void)state;
	json_str(j, "name", tasks_title(x, t));
	json_str(j, "cat", "cpu");
	put_duration(j, to - from);
	json_open(j, "args", '{');
	json_int(j, "tid", t->tid);
	json_int(j, "prio", prio);
	json_close(j, '}');
	end_event(x);
}

static void call(struct export *x, struct export_task *t, const struct slice *s)
{
	put_slice(x, s, pid_of(t), (uint64_t)t->tid);
}

static void mark(struct export *x, struct export_task *t, uint32_t cid, const struct slice *s)
{
	struct json *j = begin_event(x, "i", s->from, t ? pid_of(t) : CONTAINERS + cid, t ? (uint64_t)t->tid : 0);

	json_str(j, "name", s->name);
	json_str(j, "cat", s->system);
	json_str(j, "s", "t");
	put_args(j, s->details);
	end_event(x);
}

static void span(struct export *x, uint32_t cid, uint32_t lane, const struct slice *s)
{
	const struct ctrace_event_type *t = ctrace_schema_by_name(x->r.schema, s->name);

	put_slice(x, s, CONTAINERS + cid, 1 + (t ? t->id : 0) * DRAW_LANES + lane);
}

static void add_frames(struct json *j, struct export *x, const struct stack *k, bool kernel, int32_t tid)
{
	for (size_t i = 0; i < k->n; i++)
		json_str(j, NULL, frame_name(x->r.symbols, k, i, kernel, tid));
}

static void sample(struct export *x, struct export_task *t, uint32_t cpu, const struct ctrace_record *rec,
		   const struct stacks *k)
{
	struct json *j = begin_event(x, "i", rec->time, t ? pid_of(t) : CONTAINERS + rec->cid, (uint64_t)(t ? t->tid : 0));

	json_str(j, "name", "cpu_sample");
	json_str(j, "cat", "ctrace");
	json_str(j, "s", "t");
	json_open(j, "args", '{');
	json_uint(j, "cpu", cpu);
	json_open(j, "stack", '[');
	if (k) {
		add_frames(j, x, &k->kernel, true, rec->tid);
		add_frames(j, x, &k->user, false, rec->tid);
	}
	json_close(j, ']');
	json_close(j, '}');
	end_event(x);
}

static void lost(struct export *x, const struct ctf_loss *l)
{
	struct chrome *c = x->own;
	struct details d = { .n = 1, .v = { { "events", DETAIL_UINT, l->n, 0 } } };
	struct slice s = {
		.name = "lost", .system = "ctrace", .details = &d, .from = l->after && l->after < l->before ? l->after : l->before,
		.to = l->before,
	};

	draw_lost(c->draw, l);
	if (l->cid == CTRACE_CID_ALL)
		put_slice(x, &s, CPUS, l->cpu);
	else
		put_slice(x, &s, CONTAINERS + l->cid, 0);
}

static void put_counters(struct export *x)
{
	static const char *const names[SPENT_KINDS] = { "CPU", "wait for a CPU", "throttled", "uninterruptible sleep" };
	const struct spent_in *s = draw_spent(((struct chrome *)x->own)->draw);
	uint32_t cid;

	for (size_t i = 0; spent_container(s, i, &cid); i++) {
		put_name(x, "process_name", CONTAINERS + cid, 0, ctable_shown(x->r.table, cid));
		for (int k = 0; k < SPENT_KINDS; k++) {
			for (size_t p = 0; names[k] && spent_has(s, cid, k) && p < spent_parts(s); p++) {
				struct json *j = begin_event(x, "C", spent_began(s) + p * spent_width(s), CONTAINERS + cid, 0);

				json_str(j, "name", names[k]);
				json_open(j, "args", '{');
				json_real(j, "percent", 100.0 * (double)spent_at(s, cid, k, p) / (double)spent_width(s));
				json_close(j, '}');
				end_event(x);
			}
		}
	}
}

static int begin(struct export *x)
{
	static const struct draw_ops ops = {
		.task = task, .ran = ran, .call = call, .mark = mark, .span = span, .sample = sample,
	};
	struct chrome *c = xcalloc(1, sizeof(*c));

	x->own = c;
	c->draw = draw_new(x, &ops);
	export_put(x, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[", strlen("{\"displayTimeUnit\":\"ns\",\"traceEvents\":["));
	put_name(x, "process_name", CPUS, 0, "CPUs");
	return CLI_OK;
}

static void record(struct export *x, const struct ctrace_record *rec, uint32_t cpu, const struct stacks *k)
{
	draw_record(((struct chrome *)x->own)->draw, rec, cpu, k);
}

static void end(struct export *x)
{
	draw_end(((struct chrome *)x->own)->draw);
	put_counters(x);
	export_put(x, "\n]}\n", 4);
}

static void free_own(struct export *x)
{
	struct chrome *c = x->own;

	draw_free(c->draw);
	sbuf_free(&c->b);
	free(c);
}

const struct export_writer export_chrome = {
	.begin = begin, .record = record, .lost = lost, .end = end, .free = free_own,
};
