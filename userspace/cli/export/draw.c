// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who had which CPU is known from switches; if none were recorded, from sched_run. Of a container alone there
 * are gaps between the switches, and after a loss nobody knows who is on its CPU: nothing is drawn there.
 *
 * How long a container ran is the sum of sched_run where that was recorded, as in each view. The time between
 * switches is not quite the same: a task that had a CPU when recording began has no switch before its first
 * one, a task that has it at the end has no sched_run, and where a hypervisor stops the CPU within a switch,
 * the two take their times on different sides of the gap.
 */
#include <stdlib.h>
#include <string.h>
#include "export/draw.h"

struct cpu {
	int32_t tid;		/* who has it; -1: not known */
	int32_t prio;
	uint64_t since;
};

/* The lanes that a container has for spans of one type: when the last one ended on each. */
struct lanes {
	uint32_t cid, id;
	uint64_t end[DRAW_LANES];
};

struct draw {
	struct export *x;
	const struct draw_ops *ops;
	struct details details;
	struct spent_in *spent;
	bool switches, runs, waits, blocks;	/* where these are known from: else from other events */
	bool each;			/* recording_has_each() */
	uint32_t losses;		/* seen so far, plus 1 */
	struct cpu *cpus;
	uint32_t ncpus;
	/* by cid and type, open addressing, size a power of two; id 0: free */
	struct lanes *lanes;
	size_t nlanes, lanes_size;
};

static bool asked(const struct export *x, const char *name, bool unknown)
{
	const struct ctrace_event_type *t = ctrace_schema_by_name(x->r.schema, name);
	enum asked_how how = t ? asked_type(&x->r, t) : ASKED_NOT;

	return how == ASKED_ALL || (how == ASKED_UNKNOWN && unknown);
}

struct draw *draw_new(struct export *x, const struct draw_ops *ops)
{
	struct draw *d = xcalloc(1, sizeof(*d));

	d->x = x;
	d->ops = ops;
	d->each = recording_has_each(&x->r);
	d->losses = 1;
	d->spent = spent_new();
	d->runs = asked(x, "sched_run", false);
	d->switches = asked(x, "sched_switch", true) || !d->runs;
	d->waits = asked(x, "sched_wait", false);
	d->blocks = asked(x, "sched_block", false);
	d->ncpus = ctf_reader_ncpus(x->r.reader);
	d->cpus = xcalloc(d->ncpus, sizeof(d->cpus[0]));
	for (uint32_t i = 0; i < d->ncpus; i++)
		d->cpus[i].tid = -1;
	d->lanes_size = 64;
	d->lanes = xcalloc(d->lanes_size, sizeof(d->lanes[0]));
	return d;
}

void draw_free(struct draw *d)
{
	if (!d)
		return;
	spent_free(d->spent);
	sbuf_free(&d->details.text);
	free(d->cpus);
	free(d->lanes);
	free(d);
}

const struct spent_in *draw_spent(const struct draw *d)
{
	return d->spent;
}

static const struct ctrace_value *field(const struct ctrace_value *v, int n, const char *name)
{
	for (int i = 0; i < n; i++)
		if (!strcmp(v[i].field->name, name))
			return v[i].field->kind == CTRACE_FK_UINT || v[i].field->kind == CTRACE_FK_INT ? &v[i] : NULL;
	return NULL;
}

static int64_t number(const struct ctrace_value *v, int n, const char *name)
{
	const struct ctrace_value *f = field(v, n, name);

	return f ? f->i : 0;
}

/* NULL: none, or of a container that is not shown. */
static struct export_task *shown_task(struct draw *d, int32_t tid, uint64_t time)
{
	struct export_task *t = tasks_get(d->x->tasks, tid);

	if (!t || !recording_shows(&d->x->r, t->cid))
		return NULL;
	if (!t->told) {
		t->told = true;
		if (d->ops->task)
			d->ops->task(d->x, t, false, time);
	}
	return t;
}

/* --- CPUs ------------------------------------------------------------------------------ */

static void spend(struct draw *d, uint32_t cid, int32_t tid, enum spent_on what, uint64_t from, uint64_t to)
{
	spent_add(d->spent, cid, what, from, to);
	if (d->ops->spent)
		d->ops->spent(d->x, cid, tid, what, from, to);
}

static void ran(struct draw *d, uint32_t cpu, int32_t tid, uint64_t from, uint64_t to, int32_t prio, int64_t state)
{
	struct export_task *t = to > from ? shown_task(d, tid, from) : NULL;

	if (!t)
		return;
	if (!d->runs)
		spend(d, t->cid, tid, SPENT_CPU, from, to);
	if (d->ops->ran)
		d->ops->ran(d->x, cpu, t, from, to, prio, state);
}

static void left(struct draw *d, int32_t tid, uint64_t time, int64_t state)
{
	struct export_task *t = tasks_get(d->x->tasks, tid);

	if (!t)
		return;
	t->can_run = state ? 0 : time;
	t->sleeps = is_deep_sleep(state) ? time : 0;
}

static void came(struct draw *d, int32_t tid, uint64_t time)
{
	struct export_task *t = tasks_get(d->x->tasks, tid);

	if (t && t->can_run && !d->waits && recording_shows(&d->x->r, t->cid))
		spend(d, t->cid, tid, SPENT_WAIT, t->can_run, time);
	if (t)
		t->can_run = 0;
}

static void woken(struct draw *d, int32_t tid, uint64_t time)
{
	struct export_task *t = tasks_get(d->x->tasks, tid);

	if (!t || t->can_run)
		return;
	t->can_run = time;
	if (t->sleeps && !d->blocks && recording_shows(&d->x->r, t->cid))
		spend(d, t->cid, tid, SPENT_STUCK, t->sleeps, time);
	t->sleeps = 0;
}

static void switched(struct draw *d, const struct ctrace_record *rec, uint32_t cpu, const struct ctrace_value *v, int n)
{
	int32_t prev = (int32_t)number(v, n, "prev_tid"), next = (int32_t)number(v, n, "next_tid");
	const struct ctrace_value *next_cid = field(v, n, "next_cid"), *prev_cid = field(v, n, "prev_cid");
	struct cpu *c = &d->cpus[cpu];
	struct export_task *t;

	t = tasks_get(d->x->tasks, prev);
	if (t && prev_cid)
		t->cid = (uint32_t)prev_cid->u;
	t = tasks_get(d->x->tasks, next);
	if (t && next_cid)
		t->cid = (uint32_t)next_cid->u;
	if (c->tid == prev)
		ran(d, cpu, prev, c->since, rec->time, c->prio, number(v, n, "prev_state"));
	left(d, prev, rec->time, number(v, n, "prev_state"));
	came(d, next, rec->time);
	*c = (struct cpu){ .tid = next, .since = rec->time, .prio = (int32_t)number(v, n, "next_prio") };
}

/* --- spans ----------------------------------------------------------------------------- */

static struct lanes *lanes_place(const struct draw *d, uint32_t cid, uint32_t id)
{
	size_t i = ((cid * 0x9e3779b1u) ^ (id * 0x85ebca6bu)) & (d->lanes_size - 1);

	while (d->lanes[i].id && (d->lanes[i].cid != cid || d->lanes[i].id != id))
		i = (i + 1) & (d->lanes_size - 1);
	return &d->lanes[i];
}

/*
 * A lane whose last span ended before this one began. Spans come in order of their ends. Returns DRAW_LANES
 * if all are taken.
 */
static uint32_t lane(struct draw *d, uint32_t cid, uint32_t id, uint64_t from, uint64_t to)
{
	struct lanes *l;

	if (2 * (d->nlanes + 1) > d->lanes_size) {
		struct lanes *old = d->lanes;
		size_t n = d->lanes_size;

		d->lanes_size *= 2;
		d->lanes = xcalloc(d->lanes_size, sizeof(d->lanes[0]));
		for (size_t i = 0; i < n; i++)
			if (old[i].id)
				*lanes_place(d, old[i].cid, old[i].id) = old[i];
		free(old);
	}
	l = lanes_place(d, cid, id);
	d->nlanes += !l->id;
	l->cid = cid;
	l->id = id;
	for (uint32_t i = 0; i < DRAW_LANES; i++) {
		if (l->end[i] > from)
			continue;
		l->end[i] = to;
		return i;
	}
	return DRAW_LANES;
}

static void mark(struct draw *d, const struct ctrace_record *rec, const struct slice *s)
{
	if (d->ops->mark)
		d->ops->mark(d->x, shown_task(d, rec->tid, rec->time), rec->cid, s);
}

static void span(struct draw *d, const struct ctrace_record *rec, const struct slice *s)
{
	uint32_t on = d->ops->span ? lane(d, rec->cid, rec->id, s->from, s->to) : DRAW_LANES;

	if (on < DRAW_LANES)
		d->ops->span(d->x, rec->cid, on, s);
	else
		mark(d, rec, s);
}

/* --- calls ----------------------------------------------------------------------------- */

static void call(struct draw *d, const struct ctrace_record *rec, const struct paint *p, const struct ctrace_value *v, int n,
		 const struct stacks *k)
{
	struct export_task *t = shown_task(d, rec->tid, rec->time);
	const struct call_values c = { p, v, n };
	struct slice s = { .system = "syscalls", .details = &d->details, .stacks = k };
	struct syscall_ref ref, before = { .phase = SYSCALL_NONE };
	int64_t ret = p->ret >= 0 && p->ret < n ? v[p->ret].i : 0;
	const uint16_t open = t ? t->entry : 0;
	bool returns = pairs_match(&(struct pending){ .id = open }, rec->id), denied;
	uint64_t duration;

	if (!t)
		return;
	syscall_identify(&ref, p->type, rec);
	if (open)
		syscall_identify(&before, paints_get(d->x->paints, open)->type, &(struct ctrace_record){ .id = open });
	/* rt_sigreturn returns without its number: it has the name of what was entered */
	s.name = returns && open != CTRACE_ID_SYS_ENTER_UNKNOWN ? before.name : ref.name;
	denied = ref.phase == SYSCALL_EXIT && !open && d->each && t->left == d->losses && syscall_errno(ret);
	t->entry = 0;
	t->left = ref.phase == SYSCALL_EXIT ? d->losses : 0;
	spent_count(d->spent, rec->cid, SPENT_CALLS, rec->time, denied || ref.phase != SYSCALL_EXIT);
	if (ref.phase == SYSCALL_EXIT) {
		/* the beginning was before the recording, or was lost */
		if (!open && !denied)
			return;
		details_ret(&d->details, ret);
		s.from = denied ? rec->time : 0;
		s.to = rec->time;
	} else if (ref.phase == SYSCALL_ENTER) {
		details_args(&d->details, &c, NULL);
		s.from = rec->time;
		t->entry = rec->id;
		t->began = rec->time;
	} else {
		details_args(&d->details, &c, &c);
		details_ret(&d->details, ret);
		duration = (uint64_t)number(v, n, "duration");
		s.to = rec->time;
		s.from = duration < rec->time ? rec->time - duration : 0;
	}
	if (!d->ops->call)
		return;
	/* a call that never returns, or whose return was lost */
	if (open && !returns)
		d->ops->call(d->x, t, &(struct slice){ .name = before.name, .system = s.system, .to = s.from ?: s.to });
	/* a return that belongs to no entry says nothing of when its call began */
	if (returns || denied || ref.phase != SYSCALL_EXIT)
		d->ops->call(d->x, t, &s);
}

/* --- records --------------------------------------------------------------------------- */

/* Scheduling's own spans: they are what ran, and times. */
static void sched_span(struct draw *d, const struct ctrace_record *rec, uint32_t cpu, const struct ctrace_value *v, int n)
{
	uint64_t duration = (uint64_t)number(v, n, "duration"), from = duration < rec->time ? rec->time - duration : 0;
	int64_t state = number(v, n, "state");

	if (rec->id == CTRACE_ID_SCHED_RUN && d->runs)
		spend(d, rec->cid, rec->tid, SPENT_CPU, from, rec->time);
	if (rec->id == CTRACE_ID_SCHED_RUN && !d->switches)
		ran(d, cpu, rec->tid, from, rec->time, 120, number(v, n, "prev_state"));
	else if (rec->id == CTRACE_ID_SCHED_WAIT)
		spend(d, rec->cid, rec->tid, SPENT_WAIT, from, rec->time);
	else if (rec->id == CTRACE_ID_SCHED_BLOCK && is_deep_sleep(state))
		spend(d, rec->cid, rec->tid, SPENT_STUCK, from, rec->time);
}

static bool is_sched(uint16_t id)
{
	return id == CTRACE_ID_SCHED_RUN || id == CTRACE_ID_SCHED_WAIT || id == CTRACE_ID_SCHED_BLOCK;
}

static bool is_dump(uint16_t id)
{
	return (id >= CTRACE_ID_STATEDUMP_START && id <= CTRACE_ID_STATEDUMP_END) ||
	       id == CTRACE_ID_STATEDUMP_FILE_DESCRIPTOR || id == CTRACE_ID_STATEDUMP_BLOCK_DEVICE;
}

/* Learns about tasks and CPUs from a record, before the event itself is drawn. */
static void follow(struct draw *d, const struct ctrace_record *rec, uint32_t cpu, const struct ctrace_value *v, int n)
{
	struct export_task *born = tasks_learn(d->x, rec), *t;

	if (born)
		born->left = d->losses;
	if (born && recording_shows(&d->x->r, born->cid)) {
		born->told = true;
		if (d->ops->task)
			d->ops->task(d->x, born, true, rec->time);
	}
	if (rec->id == CTRACE_ID_SCHED_PROCESS_EXEC) {
		t = shown_task(d, rec->tid, rec->time);
		if (t && d->ops->task)
			d->ops->task(d->x, t, false, rec->time);
	} else if (rec->id == CTRACE_ID_STATEDUMP_PROCESS_STATE) {
		shown_task(d, (int32_t)number(v, n, "tid"), rec->time);
	} else if (rec->id == CTRACE_ID_SCHED_SWITCH && d->switches && cpu < d->ncpus) {
		switched(d, rec, cpu, v, n);
	} else if (rec->id == CTRACE_ID_SCHED_WAKING || rec->id == CTRACE_ID_SCHED_WAKEUP ||
		   rec->id == CTRACE_ID_SCHED_WAKEUP_NEW) {
		woken(d, rec->tid, rec->time);
	}
}

void draw_record(struct draw *d, const struct ctrace_record *rec, uint32_t cpu, const struct stacks *k)
{
	const struct paint *p = paints_get(d->x->paints, rec->id);
	struct ctrace_value v[FIELDS_MAX];
	int n = p->type ? ctrace_decode(p->type, rec, v, FIELDS_MAX) : 0;
	const struct ctrace_value *duration = field(v, n, "duration");
	struct slice s = { .from = rec->time, .to = rec->time, .details = &d->details, .stacks = k };

	spent_begin(d->spent, d->x->r.from ? d->x->r.from : rec->time);
	follow(d, rec, cpu, v, n);
	if (n < 0 || !p->type || is_dump(rec->id) || !recording_shows(&d->x->r, rec->cid))
		return;
	details_reset(&d->details);
	if (p->call.phase != SYSCALL_NONE) {
		call(d, rec, p, v, n, k);
		return;
	}
	if (is_sched(rec->id)) {
		sched_span(d, rec, cpu, v, n);
		if (rec->id != CTRACE_ID_SCHED_WAIT || !d->ops->event)
			return;
	}
	if (d->ops->event && d->ops->event(d->x, rec, cpu, p, v, n))
		return;
	if (is_sched(rec->id) || rec->id == CTRACE_ID_SCHED_SWITCH)
		return;
	if (rec->id == CTRACE_ID_CPU_SAMPLE) {
		if (d->ops->sample)
			d->ops->sample(d->x, shown_task(d, rec->tid, rec->time), cpu, rec, k);
		return;
	}
	if (rec->id == CTRACE_ID_CPU_THROTTLED && duration)
		spend(d, rec->cid, rec->tid, SPENT_NO_QUOTA, rec->time - duration->u, rec->time);
	/* parts of a wait, all written at its end */
	if (rec->id == CTRACE_ID_SCHED_BLAME)
		duration = NULL;
	details_fields(&d->details, p, v, n, duration);
	s.name = p->type->name;
	s.system = p->type->system;
	if (!duration) {
		mark(d, rec, &s);
		return;
	}
	s.from = duration->u < rec->time ? rec->time - duration->u : 0;
	span(d, rec, &s);
}

void draw_lost(struct draw *d, const struct ctf_loss *l)
{
	struct cpu *c = l->cpu < d->ncpus ? &d->cpus[l->cpu] : NULL;

	d->losses++;
	if (l->cid != CTRACE_CID_ALL)
		spent_count(d->spent, l->cid, SPENT_LOST, l->before, l->n);
	if (!c || !d->switches)
		return;
	if (c->tid >= 0 && l->after > c->since)
		ran(d, l->cpu, c->tid, c->since, l->after, c->prio, 0);
	c->tid = -1;
}

void draw_end(struct draw *d)
{
	for (uint32_t i = 0; i < d->ncpus && d->switches; i++)
		if (d->cpus[i].tid >= 0)
			ran(d, i, d->cpus[i].tid, d->cpus[i].since, d->x->last, d->cpus[i].prio, 0);
}
