// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>
#include "events/classes.h"
#include "base/cli.h"
#include "events/probes.h"
#include "events/tracepoints.h"
#include "base/util.h"

#define CALL	"syscall:"	/* begins the name of a system call in struct probe_want, until finish() */
#define ALL	"syscalls"

/* The state of a parse. */
struct parse {
	struct probes *p;
	const struct ctrace_schema *s;
	const struct probe_items *items;
	const struct probes_opts *o;
	bool usual;	/* nothing was asked for */
};

void probes_free(struct probes *p)
{
	for (size_t i = 0; i < p->n; i++) {
		free(p->v[i].name);
		free(p->v[i].filter);
		free(p->v[i].aggregate);
	}
	free(p->v);
	memset(p, 0, sizeof(*p));
}

static bool same(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static bool is_call(const struct probe_want *w)
{
	return !strncmp(w->name, CALL, sizeof(CALL) - 1);
}

static struct probe_want *find(struct probes *p, const char *name)
{
	for (size_t i = 0; i < p->n; i++)
		if (!strcmp(p->v[i].name, name))
			return &p->v[i];
	return NULL;
}

/* Does a !WORD leave out the event t, or, if t is NULL, the call? */
static bool left_out(const struct parse *x, const struct ctrace_event_type *t, const char *call)
{
	for (size_t i = 0; i < x->items->n; i++) {
		const struct probe_item *it = &x->items->v[i];

		if (it->not && (t ? probe_event_matches(t, it->text) : probe_call_matches(call, it->text)))
			return true;
	}
	return false;
}

static int twice(const char *name)
{
	if (!strncmp(name, CALL, sizeof(CALL) - 1))
		name += sizeof(CALL) - 1;
	return cli_usage("-e has '%s' twice, with different conditions: join them with && or ||", name);
}

/*
 * Adds a probe; frees or keeps name. If the event was added before with other conditions, an event that
 * was named by its own name wins over one from a class or a group; two of a kind are an error.
 */
static int add(struct probes *p, char *name, const char *filter, bool freeze, bool own, bool whole)
{
	struct probe_want *w = find(p, name);
	int status = CLI_OK;

	if (!w) {
		p->v = xrealloc(p->v, (p->n + 1) * sizeof(p->v[0]));
		p->v[p->n++] = (struct probe_want){
			.name = name, .filter = filter ? xstrdup(filter) : NULL, .own = own,
			.whole = whole, .freeze = freeze,
		};
		return CLI_OK;
	}
	if (same(w->filter, filter) && w->whole == whole) {
		w->own |= own;
		w->freeze |= freeze;
	} else if (w->own == own) {
		status = twice(name);
	} else if (own) {
		free(w->filter);
		w->filter = filter ? xstrdup(filter) : NULL;
		w->own = true;
		w->whole = whole;
		w->freeze = freeze;
	}
	free(name);
	return status;
}

/* Adds all that match a group, a class or a pattern. -1: none matches; else CLI_OK or the exit status. */
static int add_matching(struct parse *x, const struct probe_item *it, bool calls)
{
	const struct ctrace_event_type *t;
	int status = CLI_OK;
	bool found = false;

	for (size_t i = 0; status == CLI_OK && (t = ctrace_schema_at(x->s, i)); i++) {
		const char *call = calls ? probe_call_of(x->s, t) : NULL;

		if (call && probe_call_matches(call, it->text)) {
			found = true;
			if (!left_out(x, NULL, call))
				status = add(x->p, xasprintf(CALL "%s", call), it->filter, it->freeze, false,
					     false);
		} else if (!call && probe_is_event(t) && *it->text != '%' && probe_event_matches(t, it->text)) {
			/* 'all' means the module's events, not kprobes that somebody defined */
			if (t->definition && !strcmp(it->text, "*"))
				continue;
			found = true;
			if (!t->reason && !left_out(x, t, NULL))
				status = add(x->p, probe_event_name(t), it->filter, it->freeze, false, false);
		}
	}
	return found ? status : -1;
}

static int add_tracepoint(struct parse *x, const struct probe_item *it)
{
	struct tracepoints *known;
	const char *system;
	char *name = NULL;

	/* SYSTEM:NAME: the kernel will say whether there is such a tracepoint */
	if (strchr(it->text, ':'))
		return add(x->p, xstrdup(it->text), it->filter, it->freeze, true, false);
	known = tracepoints_new();
	system = tracepoints_system(known, it->text);
	if (system)
		name = xasprintf("%s:%s", system, it->text);
	tracepoints_free(known);
	if (name)
		return add(x->p, name, it->filter, it->freeze, true, false);
	return x->o->lenient ? CLI_OK : probe_not_found(x->s, it->text);
}

/* Events that views count. */
static const char *const views[] = {
	"sched_wait", "sched_run", "sched_block", "sched_blame", "cpu_throttled", "block_io", "tcp_*",
	"sched_process_fork", "sched_process_exec", "sched_process_exit", "signal_generate", "oom_*",
	"io_uring_op", NULL
};
/* What Trace Compass and lttng-analyses draw and count; they know no whole calls. */
static const char *const viewer[] = {
	"sched_switch", "sched_wak*", "sched_migrate_task", "sched_pi_setprio", "sched_process_*", "irq_handler_e*", "irq_softirq_*",
	"timer_hrtimer_*", "block_rq_*", "net_*", "signal_*", NULL
};

/* System calls and events, as far as this kernel has them. */
static int add_preset(struct parse *x, const struct probe_item *it, const char *const *events, bool whole)
{
	int r = add(x->p, xstrdup(ALL), it->filter, it->freeze, false, whole);

	for (size_t i = 0; r <= CLI_OK && events[i]; i++) {
		struct probe_item one = {
			.text = (char *)events[i], .filter = it->filter, .freeze = it->freeze,
		};

		r = add_matching(x, &one, false);
	}
	return r < 0 ? CLI_OK : r;
}

static int parse_item(struct parse *x, const struct probe_item *it)
{
	const struct ctrace_event_type *t;
	const char *word = it->text, *call;
	bool whole;
	int r;

	if (it->definition || !strncmp(word, "kprobe:", 7) || !strncmp(word, "kretprobe:", 10) ||
	    !strncmp(word, "func:", 5) || !strncmp(word, "sample:", 7))
		return add(x->p, xstrdup(word), it->filter, it->freeze, true, false);
	if (!strcmp(word, ALL) || !strcmp(word, "syscall"))
		return add(x->p, xstrdup(ALL), it->filter, it->freeze, false, false);
	if (!strcmp(word, "calls"))
		return add(x->p, xstrdup(ALL), it->filter, it->freeze, false, true);
	if (!strcmp(word, "views"))
		return add_preset(x, it, views, true);
	if (!strcmp(word, "viewer"))
		return add_preset(x, it, viewer, false);
	if (!strcmp(word, "all")) {
		struct probe_item every = { .text = "*", .filter = it->filter, .freeze = it->freeze };

		r = add(x->p, xstrdup(ALL), it->filter, it->freeze, false, false);
		return r == CLI_OK ? add_matching(x, &every, false) : r;
	}
	if (*word == '%' && !class_exists(word + 1))
		return probe_no_class(word);
	t = probe_event_named(x->s, word);
	if (t && t->reason && x->o->lenient)
		return CLI_OK;
	if (t && t->reason)
		return cli_error("no event '%s': %s", word, t->reason);
	if (t)
		return left_out(x, t, NULL) ? CLI_OK :
		       add(x->p, probe_event_name(t), it->filter, it->freeze, true, false);
	call = probe_call_named(x->s, word, &whole);
	if (call)
		return left_out(x, NULL, call) ? CLI_OK :
		       add(x->p, xasprintf(CALL "%s", call), it->filter, it->freeze, true, whole);
	r = add_matching(x, it, false);
	if (r < 0 && (*word == '%' || strpbrk(word, "*?[")))
		r = add_matching(x, it, true);
	if (r < 0 && !strpbrk(word, "*?[%") && strncmp(word, CALL, sizeof(CALL) - 1) &&
	    strncmp(word, "call:", 5))
		r = add_tracepoint(x, it);
	return r < 0 ? probe_not_found(x->s, word) : r;
}

/* A !WORD that names nothing is an error, as it is probably a typo. */
static int check_not(const struct parse *x, const char *word)
{
	const struct ctrace_event_type *t;

	if (*word == '%')
		return class_exists(word + 1) ? CLI_OK : probe_no_class(word);
	for (size_t i = 0; (t = ctrace_schema_at(x->s, i)); i++) {
		const char *call = probe_call_of(x->s, t);

		if (call ? probe_call_matches(call, word) : probe_is_event(t) && probe_event_matches(t, word))
			return CLI_OK;
	}
	return probe_not_found(x->s, word);
}

/*
 * Resolves "every call" together with single calls. If some calls have other conditions or are left out,
 * "every call" becomes a probe for each of the other calls. If not, the single calls are part of "every
 * call" and are dropped.
 */
static int settle_calls(struct parse *x)
{
	struct probe_want *every = find(x->p, ALL), all;
	const struct ctrace_event_type *t;
	bool each = false;

	if (!every)
		return CLI_OK;
	all = *every;
	for (size_t i = 0; i < x->p->n;) {
		struct probe_want *w = &x->p->v[i];

		if (!is_call(w) || !same(w->filter, all.filter) || w->whole != all.whole ||
		    w->freeze != all.freeze) {
			each |= is_call(w);
			i++;
			continue;
		}
		free(w->name);
		free(w->filter);
		*w = x->p->v[--x->p->n];
	}
	for (size_t i = 0; !each && (t = ctrace_schema_at(x->s, i)); i++)
		each = probe_call_of(x->s, t) && left_out(x, NULL, probe_call_of(x->s, t));
	if (!each)
		return CLI_OK;
	every = find(x->p, ALL);
	*every = x->p->v[--x->p->n];
	for (size_t i = 0; (t = ctrace_schema_at(x->s, i)); i++) {
		const char *call = probe_call_of(x->s, t);
		char *name = call ? xasprintf(CALL "%s", call) : NULL;

		if (call && !left_out(x, NULL, call) && !find(x->p, name))
			add(x->p, xstrdup(name), all.filter, all.freeze, false, all.whole);
		free(name);
	}
	free(all.name);
	free(all.filter);
	return CLI_OK;
}

/* Joins cond, which may be NULL, with the conditions of --longer and --failed. Takes cond. */
static char *narrowed(const struct probes_opts *o, char *cond)
{
	struct sbuf b = { 0 };

	if (cond)
		sbuf_printf(&b, o->longer || o->failed ? "(%s)" : "%s", cond);
	if (o->longer)
		sbuf_printf(&b, "%sduration >= %llu", b.len ? " && " : "", (unsigned long long)o->longer);
	if (o->failed)
		sbuf_printf(&b, "%sret < 0 && ret >= -4095", b.len ? " && " : "");
	free(cond);
	return b.s;
}

/*
 * Turns names into those that the module takes. A call with a condition is recorded as a whole; so is one
 * that freezes, or its entry would, and its return were lost.
 */
static int finish(struct probes *p, const struct probes_opts *o)
{
	bool calls = false;

	for (size_t i = 0; i < p->n; i++) {
		struct probe_want *w = &p->v[i];
		char *name;

		if (!is_call(w) && strcmp(w->name, ALL))
			continue;
		calls = true;
		w->whole |= w->filter || w->freeze || o->longer || o->failed;
		if (!w->whole)
			continue;
		name = is_call(w) ? xasprintf("call:%s", w->name + sizeof(CALL) - 1) : xstrdup("calls");
		free(w->name);
		w->name = name;
		w->filter = narrowed(o, w->filter);
	}
	if (!calls && (o->longer || o->failed))
		return cli_usage("--%s selects system calls, but -e names none",
				 o->longer ? "longer" : "failed");
	return CLI_OK;
}

/*
 * What a program may have done by io_uring in place of the calls, if this kernel has the event: all, if
 * nothing was asked for; else what belongs to a class. In each case without what a !NAME leaves out.
 */
static int add_io_uring(struct parse *x)
{
	const struct ctrace_event_type *t = ctrace_schema_by_name(x->s, "io_uring_op");
	struct probe_want *w = t ? find(x->p, t->name) : NULL;
	char *cond = NULL, *left = probe_ops_left(x->items);
	int status = CLI_OK;

	if (w && left) {
		cond = w->filter ? xasprintf("(%s) && %s", w->filter, left) : xstrdup(left);
		free(w->filter);
		w->filter = cond;
	} else if (t && !t->reason && !w && !x->o->calls_alone && !left_out(x, t, NULL)) {
		cond = !x->usual ? probe_ops_of_classes(x->items) : left ? xstrdup(left) : NULL;
		if (x->usual || cond) {
			cond = narrowed(x->o, cond);
			status = add(x->p, xstrdup(t->name), cond, false, false, false);
			free(cond);
		}
	}
	free(left);
	return status;
}

static int parse_all(struct parse *x)
{
	int status = CLI_OK;

	for (size_t i = 0; status == CLI_OK && i < x->items->n; i++)
		if (x->items->v[i].not)
			status = check_not(x, x->items->v[i].text);
	for (size_t i = 0; status == CLI_OK && i < x->items->n; i++)
		if (!x->items->v[i].not)
			status = parse_item(x, &x->items->v[i]);
	if (status == CLI_OK)
		status = add_io_uring(x);
	for (size_t i = 0; x->o->whole && i < x->p->n; i++)
		x->p->v[i].whole |= is_call(&x->p->v[i]) || !strcmp(x->p->v[i].name, ALL);
	return status == CLI_OK ? settle_calls(x) : status;
}

int probes_parse(struct probes *p, const struct ctrace_schema *s, const struct probes_opts *o)
{
	struct probe_items items = { 0 };
	struct parse x = { .p = p, .s = s, .items = &items, .o = o };
	bool calls = o->longer || o->failed || o->calls;
	const char *usual = calls ? ALL : PROBES_DEFAULT;
	const struct ctrace_event_type *sample;
	int status = CLI_OK;
	bool only_not = true;

	for (size_t i = 0; status == CLI_OK && i < o->nevents; i++)
		status = probe_items_parse(&items, o->events[i]);
	for (size_t i = 0; i < items.n; i++)
		only_not &= items.v[i].not;
	/* --longer and --failed imply system calls; with -F alone, samples are enough */
	if (status == CLI_OK && only_not && (o->nevents || !o->frequency)) {
		status = probe_items_parse(&items, usual);
		x.usual = true;
	}
	if (status == CLI_OK)
		status = parse_all(&x);
	sample = ctrace_schema_by_id(s, CTRACE_ID_CPU_SAMPLE);
	if (status == CLI_OK && o->frequency && !(o->samples_if_any && (!sample || sample->reason)))
		status = add(p, xasprintf("sample:%u", o->frequency), NULL, false, true, false);
	if (status == CLI_OK)
		status = finish(p, o);
	if (status == CLI_OK && !p->n)
		status = cli_usage("-e leaves nothing to record: every event that it names is left out with '!', or missing in this kernel");
	probe_items_free(&items);
	return status;
}

void probes_add_maps(struct probes *p, const struct ctrace_schema *s)
{
	const struct ctrace_event_type *t = ctrace_schema_by_id(s, CTRACE_ID_PROCESS_MAP);

	if (!t || t->reason || find(p, t->name))
		return;
	add(p, xstrdup(t->name), NULL, false, false, false);
	p->v[p->n - 1].extra = true;
}
