// SPDX-License-Identifier: GPL-2.0-only
/* Why containers end, and what else their records set off. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "strace/syscall.h"
#include "watch/watch.h"

#define NEAR		(2 * NSEC_PER_SEC)	/* the longest time between a cause and its effect */
#define SWEEP		(NSEC_PER_SEC / 10)	/* between two looks at which containers have died */

struct record {
	const struct ctrace_event_type *type;
	struct ctrace_value v[FIELDS_MAX];
	int n;
};

static bool decode(const struct watch *w, const struct ctrace_record *rec, struct record *r)
{
	r->type = ctrace_schema_by_id(w->schema, rec->id);
	r->n = r->type ? ctrace_decode(r->type, rec, r->v, FIELDS_MAX) : -1;
	return r->n >= 0;
}

static const struct ctrace_value *value(const struct record *r, const char *name)
{
	for (int i = 0; i < r->n; i++)
		if (!strcmp(r->v[i].field->name, name))
			return &r->v[i];
	return NULL;
}

/* 0 if there is no such field */
static int64_t number(const struct record *r, const char *name)
{
	const struct ctrace_value *v = value(r, name);

	return v && v->field->kind != CTRACE_FK_TEXT && v->field->kind != CTRACE_FK_STRING ? v->i : 0;
}

static void text(const struct record *r, const char *name, char *to, size_t size)
{
	const struct ctrace_value *v = value(r, name);
	size_t n = 0;

	if (v && (v->field->kind == CTRACE_FK_TEXT || v->field->kind == CTRACE_FK_STRING)) {
		n = v->str.len < size - 1 ? v->str.len : size - 1;
		memcpy(to, v->str.s, n);
	}
	to[n] = '\0';
}

/* What a task is called now, "" if it has gone. */
static void comm_of(int32_t tid, char *comm, size_t size)
{
	char *path = xasprintf("/proc/%d/comm", tid), *s = read_file(path, NULL);

	free(path);
	snprintf(comm, size, "%.*s", s ? (int)strcspn(s, "\n") : 0, s ? s : "");
	free(s);
}

/* Is the process its container's init? */
static bool is_init(const struct centry *e, const struct ctrace_record *rec, int32_t pid)
{
	if (e->c.cid == CTRACE_CID_HOST)
		return false;
	return e->c.init_pid ? (int32_t)e->c.init_pid == pid : rec->vtid == 1;
}

static const struct trigger *trigger_of(const struct watch *w, enum trigger_kind kind, bool failed)
{
	const struct watch_config *c = w->engine->config;

	for (size_t i = 0; i < c->ntriggers; i++)
		if (c->triggers[i].kind == kind && (failed || c->triggers[i].any))
			return &c->triggers[i];
	return NULL;
}

/* "signal 9 (SIGKILL) from perl/123 of evil" */
static void put_signal(struct watch *w, struct sbuf *what, struct json *j, const struct looked *x, int sig,
		       uint64_t time)
{
	const struct last_kill *k = &x->kill;
	const char *name = signal_name(sig);

	sbuf_printf(what, "signal %d (%s)", sig, name ? name : "?");
	json_int(j, "signal", sig);
	if (name)
		json_str(j, "signal_name", name);
	if (x->oom && time - x->oom < NEAR) {
		sbuf_printf(what, ", by the OOM killer, which took %s", x->oom_text);
		json_flag(j, "oom", true);
		return;
	}
	if (!k->time || k->sig != sig || time - k->time > NEAR || !k->sender_tid)
		return;
	sbuf_printf(what, " from %s/%d", *k->comm ? k->comm : "task", k->sender_tid);
	json_open(j, "sender", '{');
	json_int(j, "tid", k->sender_tid);
	json_str(j, "comm", k->comm);
	json_uint(j, "cid", k->sender_cid);
	if (k->sender_cid != x->cid) {
		const char *label = ctable_get(w->ctable, k->sender_cid)->label;

		sbuf_printf(what, " of %s", k->sender_cid ? label : "the host");
		json_str(j, "container", label);
	}
	json_close(j, '}');
}

static void ended(struct watch *w, struct looked *x, const struct last_end *end)
{
	struct sbuf what = { 0 }, details = { 0 };
	struct json j = { .out = &details };
	int sig = end->status & 0x7f, code = end->status >> 8 & 0xff;
	const struct trigger *t = trigger_of(w, TRIGGER_ENDED, end->status);
	char *word;

	if (x->ended || !t)
		return;
	x->ended = true;
	if (sig) {
		const char *name = signal_name(sig);

		word = name ? xstrdup(name) : xasprintf("signal-%d", sig);
		sbuf_puts(&what, "its init was ended by ");
		put_signal(w, &what, &j, x, sig, end->time);
		json_flag(&j, "core", end->status & 0x80);
	} else {
		word = xasprintf("exit-%d", code);
		sbuf_printf(&what, "its init ended with status %d", code);
		json_int(&j, "status", code);
	}
	json_int(&j, "init_pid", end->pid);
	watch_trigger(w, t, x->cid, end->time, word, what.s, &details, -1);
}

static void note_exit(struct watch *w, const struct ctrace_record *rec, const struct record *r,
		      struct looked *x)
{
	struct last_end end = {
		.time = rec->time, .status = (int32_t)number(r, "wait_status"),
		.pid = (int32_t)number(r, "pid"),
	};

	if (is_init(ctable_get(w->ctable, rec->cid), rec, end.pid))
		ended(w, x, &end);
	else
		x->end = end;
}

static void note_oom(struct watch *w, const struct ctrace_record *rec, const struct record *r,
		     struct looked *x)
{
	const struct trigger *t = trigger_of(w, TRIGGER_OOM, true);
	struct sbuf details = { 0 };
	struct json j = { .out = &details };
	int32_t pid = (int32_t)number(r, "pid");
	char comm[16], by[16];

	text(r, "comm", comm, sizeof(comm));
	text(r, "trigger_comm", by, sizeof(by));
	x->oom = rec->time;
	snprintf(x->oom_text, sizeof(x->oom_text), "%s/%d as %s/%d needed memory", comm, pid, by,
		 (int32_t)number(r, "trigger_tid"));
	if (!t)
		return;
	json_int(&j, "victim_pid", pid);
	json_str(&j, "victim", comm);
	json_int(&j, "needed_by_tid", number(r, "trigger_tid"));
	json_str(&j, "needed_by", by);
	json_uint(&j, "needed_by_cid", (uint64_t)number(r, "trigger_cid"));
	watch_trigger(w, t, rec->cid, rec->time, xstrdup("oom"),
		      xasprintf("the OOM killer took %s", x->oom_text),
		      &details, -1);
}

static void note_kill(struct watch *w, const struct ctrace_record *rec, const struct record *r,
		      struct looked *x)
{
	const struct centry *e = ctable_get(w->ctable, rec->cid);
	struct last_kill k = {
		.time = rec->time, .sig = (int32_t)number(r, "sig"), .tid = (int32_t)number(r, "tid"),
		.sender_tid = (int32_t)number(r, "sender_tid"),
		.sender_cid = (uint32_t)number(r, "sender_cid"),
	};

	/* result: it was delivered. The kernel's own have no sender */
	if (number(r, "result") || !k.sender_tid || (e->c.init_pid && (int32_t)e->c.init_pid != k.tid))
		return;
	comm_of(k.sender_tid, k.comm, sizeof(k.comm));
	x->kill = k;
}

void ends_record(struct watch *w, const struct ctrace_record *rec)
{
	struct looked *x;
	struct record r;

	if (rec->cid == CTRACE_CID_HOST || rec->cid == CTRACE_CID_UNKNOWN || !decode(w, rec, &r))
		return;
	x = looks_get(&w->looks, rec->cid);
	if (!x) {
		w->account.untracked++;
		return;
	}
	if (rec->id == CTRACE_ID_SCHED_PROCESS_EXIT)
		note_exit(w, rec, &r, x);
	else if (rec->id == CTRACE_ID_OOM_MARK_VICTIM)
		note_oom(w, rec, &r, x);
	else if (rec->id == CTRACE_ID_SIGNAL_GENERATE)
		note_kill(w, rec, &r, x);
}

void ends_sweep(struct watch *w)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC);
	struct centry *e;

	/* each look is at all of them: so not for each notice */
	if (now - w->swept < SWEEP) {
		w->swept_late = true;
		return;
	}
	w->swept = now;
	w->swept_late = false;
	for (size_t i = 0; (e = ctable_next(w->ctable, &i));) {
		struct looked *x = looks_find(&w->looks, e->c.cid);
		bool dead = e->known && !ctable_alive(e);

		/* ctable_tidy() and the looks keep the dead for a while */
		if (dead && e->told != TOLD_DEATH) {
			e->told = TOLD_DEATH;
			if (x && !x->ended && !e->c.init_pid && x->end.time &&
			    (!e->c.gone || e->c.gone - x->end.time < NEAR))
				ended(w, x, &x->end);
		} else if (dead && x && now - e->c.gone > CTABLE_TIDY / 2) {
			looks_forget(&w->looks, e->c.cid);
		}
	}
	ctable_tidy(w->ctable);
}

void ends_own(struct watch *w, const struct trigger *t, const struct ctrace_record *rec)
{
	struct sbuf what = { 0 }, details = { 0 }, word = { 0 };
	struct json j = { .out = &details };
	struct record r;
	const char *name;
	int64_t ns;
	char comm[16];

	if (rec->cid == CTRACE_CID_HOST || rec->cid == CTRACE_CID_UNKNOWN || !decode(w, rec, &r))
		return;
	name = strncmp(r.type->name, "syscall_", 8) ? r.type->name : r.type->name + 8;
	ns = number(&r, "duration");
	comm_of(rec->tid, comm, sizeof(comm));
	sbuf_printf(&word, "%s-%s", t->kind == TRIGGER_CALL ? "call" : t->kind == TRIGGER_SPAN ? "span" :
		    "event", name);
	sbuf_puts(&what, name);
	if (ns > 0)
		sbuf_printf(&what, " took %.3f s", (double)ns / 1e9);
	sbuf_printf(&what, " in %s/%d", *comm ? comm : "task", rec->tid);
	json_str(&j, "event", r.type->name);
	json_int(&j, "tid", rec->tid);
	json_str(&j, "comm", comm);
	if (ns > 0)
		json_int(&j, "duration", ns);
	watch_trigger(w, t, rec->cid, rec->time, word.s, what.s, &details, -1);
}
