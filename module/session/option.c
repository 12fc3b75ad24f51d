// SPDX-License-Identifier: GPL-2.0-only
/* Options of probes and sessions: made, published, freed. emit/options.c asks them. */
#include <linux/err.h>
#include <linux/percpu.h>
#include <linux/slab.h>
#include "session/option.h"
#include "session/limit.h"
#include "session/probe.h"
#include "event/event.h"
#include "identity/identity.h"
#include "compat/tracepoint.h"
#include "compat/vmalloc.h"

u32 ctrace_options_sessions;
u32 ctrace_counting_sessions;
u32 ctrace_detailed_sessions;
u32 ctrace_neighbour_sessions;
u32 ctrace_file_sessions;
u32 ctrace_gated_sessions;
u32 ctrace_gated_short_sessions;

static void set_bit_of(u32 *sessions, const struct ctrace_session *s, bool on)
{
	u32 bit = 1u << s->index;

	lockdep_assert_held(&ctrace_lock);
	WRITE_ONCE(*sessions, on ? *sessions | bit : *sessions & ~bit);
}

const struct ctrace_detail ctrace_no_detail;

u32 ctrace_next_detail_of(u32 *mask, const struct ctrace_detail **d)
{
	u32 some = *mask & ~READ_ONCE(ctrace_detailed_sessions);
	const struct ctrace_session *s;

	*d = &ctrace_no_detail;
	while (!some && *mask) {
		s = READ_ONCE(ctrace_sessions[__ffs(*mask)]);
		some = s ? *mask & -*mask : 0;
		if (s)
			*d = &s->detail;
		else
			*mask &= *mask - 1;
	}
	*mask &= ~some;
	return some;
}

static void set_options(struct ctrace_session *s, bool on)
{
	set_bit_of(&ctrace_options_sessions, s, on);
	ctrace_identity_forget_tasks();
}

/* --- the gate --------------------------------------------------------------- */

static void set_gate(struct ctrace_session *s, const struct ctrace_expr *gate, bool alone)
{
	/* Release: it is whole before it is seen. Pairs with ask_gates() in emit/options.c */
	smp_store_release(&s->gate, gate);
	set_bit_of(&ctrace_gated_short_sessions, s, gate && alone);
	set_bit_of(&ctrace_gated_sessions, s, gate);
	ctrace_identity_forget_tasks();
}

void ctrace_option_no_gate(struct ctrace_session *s)
{
	if (s->gate)
		set_gate(s, NULL, false);
}

/* Is a system call's entry, its return or all of it among the events of p? */
static bool of_calls(const struct ctrace_probe *p, bool *whole)
{
	bool is = false;
	u32 i, id;

	for (i = 0; i < CTRACE_PROBE_RANGES && p->ranges[i].n; i++) {
		id = p->ranges[i].from;
		is |= id >= CTRACE_ID_SYS_ENTER || id == CTRACE_ID_SYS_ENTER_UNKNOWN || id == CTRACE_ID_SYS_EXIT_UNKNOWN;
		*whole |= id >= CTRACE_ID_CALL;
	}
	return is;
}

/* All options of a probe are made from one text, so the first ones show what all ask of the task. */
void ctrace_option_gate(struct ctrace_session *s)
{
	bool same = true, whole = false, alone = !s->limit;
	const struct ctrace_expr *gate = NULL, *of;
	const struct ctrace_option *sel;
	const struct ctrace_probe *p;

	list_for_each_entry(p, &s->probes, list) {
		if (!of_calls(p, &whole))
			continue;
		sel = p->options[0];
		of = s->filter ?: sel ? sel->expr : NULL;
		same &= of && ctrace_expr_of_task(of) && (!gate || ctrace_expr_same(gate, of));
		gate = of;
		alone &= !sel || !(sel->agg || sel->one_of || sel->flags || (s->filter && sel->expr));
	}
	if (gate && same && !whole)
		set_gate(s, gate, alone);
	else
		ctrace_option_no_gate(s);
}

/* --- making ----------------------------------------------------------------- */

static bool asks(const struct ctrace_probe_opts *o)
{
	return o->filter || o->aggregate || o->one_of > 1 || o->flags;
}

static bool has_selects(const struct ctrace_probe *p)
{
	u32 i;

	for (i = 0; i < CTRACE_PROBE_RANGES; i++)
		if (p->options[i])
			return true;
	return false;
}

static bool overlap(const struct ctrace_probe *p, const struct ctrace_probe *q)
{
	u32 i, j;

	for (i = 0; i < CTRACE_PROBE_RANGES; i++)
		for (j = 0; j < CTRACE_PROBE_RANGES; j++)
			if (p->ranges[i].from < q->ranges[j].from + q->ranges[j].n &&
			    q->ranges[j].from < p->ranges[i].from + p->ranges[i].n)
				return true;
	return false;
}

/* An event type has one set of options in a session: of two, which would hold? */
static int check_overlap(struct ctrace_probe *p, bool asking, char *why)
{
	struct ctrace_probe *q;

	list_for_each_entry(q, &p->session->probes, list) {
		if (!(asking || has_selects(q)) || !overlap(p, q))
			continue;
		return ctrace_why(why, -EEXIST,
				  "probe '%.48s' asks for an event that probe '%.48s' already records with other options",
				  p->name, q->name);
	}
	return 0;
}

static struct ctrace_option *options_alloc(const struct ctrace_probe_opts *o)
{
	struct ctrace_option *sel = kzalloc(sizeof(*sel), GFP_KERNEL_ACCOUNT);

	if (!sel)
		return NULL;
	sel->flags = o->flags;
	sel->copy = o->copy;
	sel->one_of = o->one_of > 1 ? o->one_of : 0;
	if (sel->one_of) {
		sel->seen = alloc_percpu(struct ctrace_one_of);
		if (!sel->seen) {
			kfree(sel);
			return NULL;
		}
	}
	return sel;
}

static void options_release(struct ctrace_option *sel)
{
	if (!sel)
		return;
	ctrace_expr_free(sel->expr);
	ctrace_agg_free(sel->agg);
	free_percpu(sel->seen);
	if (sel->freezes)
		ctrace_session_put(sel->freezes);
	kfree(sel);
}

/* Fills *t with the type of a range's only event; of a range of several, with the fields all have. */
static int range_type(u32 from, u32 n, struct ctrace_event_type *t, struct ctrace_field_desc *fields,
		      char *name)
{
	if (n == 1) {
		if (!ctrace_event_next(from, t, fields, name))
			return -ENOENT;
		/* ctrace_lock is held, and the probe's session is noted in a dynamic type */
		ctrace_event_put(t);
		return t->id == from ? 0 : -ENOENT;
	}
	memset(t, 0, sizeof(*t));
	if (ctrace_id_call(from).phase == CTRACE_CALL_WHOLE) {
		t->fields = ctrace_call_fields;
		t->nfields = CTRACE_CALL_NFIELDS;
	}
	return 0;
}

struct range_room {
	struct ctrace_event_type t;
	struct ctrace_field_desc fields[CTRACE_EVENT_FIELDS];
	char name[CTRACE_NAME_MAX];
};

static bool is_path(const struct ctrace_field_desc *f)
{
	const char *suffix = f->kind == CTRACE_FK_STRING ? strrchr(f->name, '_') : NULL;

	return suffix && !strcmp(suffix, "_path");
}

/*
 * How many of a whole call's fields a filter may ask for: without CTRACE_SESSION_F_PATHS not the names of
 * descriptors, which come last and are always empty.
 */
static u32 nfields(const struct ctrace_session *s, const struct ctrace_event_type *t)
{
	u32 n = t->nfields;

	if (ctrace_id_call(t->id).phase != CTRACE_CALL_WHOLE || s->detail.paths)
		return n;
	while (n > CTRACE_CALL_NFIELDS && is_path(&t->fields[n - 1]))
		n--;
	return n;
}

/* The ranges of a probe share one table. */
static int new_table(struct ctrace_probe *p, const struct ctrace_probe_opts *o, struct ctrace_option *sel,
		     const struct ctrace_event_type *t, u32 n, char *why)
{
	bool call = ctrace_id_call(p->ranges[0].from).phase == CTRACE_CALL_WHOLE;
	int err;

	err = ctrace_agg_new(o->aggregate, t->fields, n, call, &sel->agg, why, CTRACE_WHY_MAX);
	if (err)
		return err;
	p->kaddr |= sel->agg->stack;
	if (!p->table)
		err = ctrace_aggregate_new(sel->agg, o->rows, p->id, &p->session->arena->tables, &p->table, why);
	else if (!ctrace_aggregate_fits(p->table, sel->agg))
		err = ctrace_why(why, -EINVAL, "the events of '%.64s' differ in the fields that the aggregate asks for", p->name);
	sel->table = p->table;
	return err;
}

/* Can the probe of event id count for sel in line? */
static bool in_line(u32 id, const struct ctrace_option *sel)
{
	if (ctrace_id_call(id).phase == CTRACE_CALL_WHOLE)
		return ctrace_aggregate_of_calls(sel->table, sel->agg);
	if (id == CTRACE_ID_BLOCK_IO)
		return ctrace_aggregate_of_io(sel->table, sel->agg);
	if (id == CTRACE_ID_SCHED_BLAME)
		return ctrace_aggregate_of_blame(sel->table, sel->agg);
	return id == CTRACE_ID_SCHED_WAIT && ctrace_aggregate_of_waits(sel->table, sel->agg);
}

/*
 * The other session whose rings are frozen: its records show others than the frozen container already, as it
 * gets one of an event that its own probes may not ask for.
 */
static int take_freezes(const struct ctrace_probe *p, u32 id, struct ctrace_option *sel, char *why)
{
	const struct ctrace_session *s = ctrace_session_find(id);

	if (!s || s->sk != p->session->sk)
		return ctrace_why(why, -ENOENT, "there is no session %u of the same socket to freeze", id);
	if (!(s->flags & CTRACE_SESSION_F_NEIGHBOURS))
		return ctrace_why(why, -EINVAL,
				  "session %u may have views, so only its own probes freeze it", id);
	if (s != p->session)
		sel->freezes = ctrace_session_find_get(id);
	return 0;
}

static int new_range(struct ctrace_probe *p, u32 i, const struct ctrace_probe_opts *o,
		     struct range_room *r, char *why)
{
	struct ctrace_option *sel;
	int err = range_type(p->ranges[i].from, p->ranges[i].n, &r->t, r->fields, r->name);
	size_t n;

	if (err)
		return err;
	p->kaddr |= r->t.flags & CTRACE_TYPE_F_KADDR;
	if (!asks(o))
		return 0;
	sel = options_alloc(o);
	if (!sel)
		return -ENOMEM;
	p->options[i] = sel;
	if (o->freezes)
		err = take_freezes(p, o->freezes, sel, why);
	if (err)
		return err;
	if (o->aggregate)
		err = new_table(p, o, sel, &r->t, nfields(p->session, &r->t), why);
	if (err)
		return err;
	if (!o->filter && !p->session->filter)
		sel->first = sel->seen;
	sel->plain = sel->agg && !o->filter && !sel->one_of && !sel->agg->stack && !sel->agg->ustack &&
		     !p->session->filter && !p->session->limit;
	if (sel->plain && in_line(p->ranges[i].from, sel))
		sel->quick = sel->table;
	if (!o->filter)
		return 0;
	err = ctrace_expr_new(o->filter, r->t.fields, nfields(p->session, &r->t), &sel->expr, why, CTRACE_WHY_MAX);
	/* not for the marks, the third field: strings' marks come later */
	sel->early = !err && ctrace_id_call(p->ranges[i].from).phase == CTRACE_CALL_WHOLE &&
		     ctrace_expr_nfields(sel->expr) < CTRACE_CALL_NFIELDS;
	if (!err && ctrace_id_call(p->ranges[i].from).phase == CTRACE_CALL_WHOLE)
		sel->longer = ctrace_expr_least(sel->expr, 0);	/* their first field is duration */
	n = strlen(why);
	if (err == -EINVAL && nfields(p->session, &r->t) < r->t.nfields && strstr(o->filter, "path"))
		n += scnprintf(why + n, CTRACE_WHY_MAX - n, "; names of descriptors are there with --fds (CTRACE_SESSION_F_PATHS)");
	/* say which of the probe's events has no such field */
	if (err == -EINVAL && p->ranges[1].n && r->t.name)
		snprintf(why + n, CTRACE_WHY_MAX - n, " (%s)", r->t.name);
	return err;
}

int ctrace_option_new(struct ctrace_probe *p, const struct ctrace_probe_opts *o, char *why)
{
	struct ctrace_session *s = p->session;
	struct ctrace_id_call c;
	struct range_room *r;
	int err;
	u32 i;

	lockdep_assert_held(&ctrace_lock);
	err = check_overlap(p, asks(o), why);
	if (err)
		return err;
	if (asks(o) && !s->options) {
		struct ctrace_option **all = kvcalloc(CTRACE_EVENT_IDS, sizeof(*all), CTRACE_COMPAT_GFP_LARGE);

		if (!all)
			return -ENOMEM;
		/* Release: zeroed before it is seen. Pairs with options_of() in emit/options.c. */
		smp_store_release(&s->options, all);
	}
	r = kzalloc(sizeof(*r), GFP_KERNEL);
	if (!r)
		return -ENOMEM;
	for (i = 0; !err && i < CTRACE_PROBE_RANGES && p->ranges[i].n; i++) {
		err = new_range(p, i, o, r, why);
		c = ctrace_id_call(p->ranges[i].from);
		if (err != -EINVAL || !i || c.phase != CTRACE_CALL_WHOLE || !c.is32)
			continue;
		/* A 32-bit call may lack a field of the 64-bit one (mmap's len): then it matches nothing. */
		options_release(p->options[i]);
		p->options[i] = NULL;
		p->ranges[i].n = 0;
		*why = 0;
		err = 0;
	}
	kfree(r);
	return err;	/* ctrace_option_free() frees what was made so far */
}

void ctrace_option_sync(void)
{
	ctrace_compat_tracepoint_sync();
	ctrace_compat_synchronize();	/* for kprobes and perf events, whose handlers have preemption off */
}

void ctrace_option_publish(struct ctrace_probe *p, bool on)
{
	struct ctrace_session *s = p->session;
	u32 i, id;

	lockdep_assert_held(&ctrace_lock);
	for (i = 0; i < CTRACE_PROBE_RANGES; i++) {
		if (!p->options[i])
			continue;
		for (id = p->ranges[i].from; id < p->ranges[i].from + p->ranges[i].n; id++)
			/*
			 * Release: the options are whole before they are seen. Pairs with options_of() in
			 * emit/options.c.
			 */
			smp_store_release(&s->options[id], on ? p->options[i] : NULL);
		if (on)
			set_options(s, true);
		if (on && p->options[i]->plain)
			set_bit_of(&ctrace_counting_sessions, s, true);
	}
	if (on)
		ctrace_option_gate(s);
	if (on && has_selects(p) && s->recording)
		ctrace_option_sync();	/* for the reason given in ctrace_session_record() */
}

void ctrace_option_free(struct ctrace_probe *p)
{
	u32 i;

	for (i = 0; i < CTRACE_PROBE_RANGES; i++)
		options_release(p->options[i]);
	ctrace_aggregate_free(p->table);
}

int ctrace_option_session(struct ctrace_session *s, const char *filter, u32 rate, char *why)
{
	int err = 0;

	if (filter)
		err = ctrace_expr_new(filter, NULL, 0, &s->filter, why, CTRACE_WHY_MAX);
	if (!err && rate) {
		s->limit = ctrace_limit_new(rate);
		if (!s->limit)
			err = -ENOMEM;
	}
	if (err) {
		ctrace_option_session_free(s);
		s->filter = NULL;
		s->limit = NULL;
	}
	return err;
}

void ctrace_option_session_begin(struct ctrace_session *s)
{
	if (s->filter || s->limit)
		set_options(s, true);
	if (s->detail.data || s->detail.paths)
		set_bit_of(&ctrace_detailed_sessions, s, true);
	if (s->flags & CTRACE_SESSION_F_FILES)
		set_bit_of(&ctrace_file_sessions, s, true);
	if (!(s->flags & CTRACE_SESSION_F_NEIGHBOURS))
		return;
	set_bit_of(&ctrace_neighbour_sessions, s, true);
	smp_mb();	/* before the session records anything: pairs with ctrace_sides_both() */
}

void ctrace_option_session_end(struct ctrace_session *s)
{
	set_options(s, false);
	set_bit_of(&ctrace_counting_sessions, s, false);
	set_bit_of(&ctrace_detailed_sessions, s, false);
	set_bit_of(&ctrace_file_sessions, s, false);
	/* No probe has the session's bit any more; the index's next session begins after a grace period. */
	set_bit_of(&ctrace_neighbour_sessions, s, false);
}

void ctrace_option_session_free(struct ctrace_session *s)
{
	ctrace_expr_free(s->filter);
	if (s->limit)
		ctrace_limit_free(s->limit);
	kvfree(s->options);
}
