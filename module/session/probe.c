// SPDX-License-Identifier: GPL-2.0-only
/* The life of probes: names to sources, sources to tracepoints, masks. */
#include <linux/err.h>
#include <linux/slab.h>
#include "session/probe.h"
#include "session/inflight.h"
#include "session/option.h"
#include "session/spare.h"
#include "ring/describe.h"
#include "event/define.h"
#include "event/hook.h"
#include "compat/cgroup_event.h"
#include "compat/heartbeat.h"
#include "compat/lockdown.h"
#include "compat/tracepoint.h"
#include "compat/vmalloc.h"

static const struct ctrace_probe_kind *const *kinds;	/* invariant after init; NULL-terminated */
static u32 next_probe_id;	/* protected by ctrace_lock */

static int source_get(struct ctrace_source *s)
{
	int err = 0;

	if (!s->users && s->hook)
		err = ctrace_hook_register(s->hook);
	else if (!s->users && s->tp)
		err = ctrace_compat_tp_register(s->tp, s->fn, s->data);
	else if (!s->users)
		err = ctrace_compat_tracepoint_register(ctrace_source_at(s), s->fn, s->data);
	if (!err && !s->users++ && s->spares)
		ctrace_spare_begin();
	return err;
}

static void source_put(struct ctrace_source *s)
{
	if (--s->users)
		return;
	if (s->spares)
		ctrace_spare_end();
	if (s->hook)
		ctrace_hook_unregister(s->hook);
	else if (s->tp)
		ctrace_compat_tp_unregister(s->tp, s->fn, s->data);
	else
		ctrace_compat_tracepoint_unregister(ctrace_source_at(s), s->fn, s->data);
}

/* --- masks ---------------------------------------------------------------- */

/* No call has this number: it is recorded as syscall_entry_unknown or _exit_unknown, and id has no type. */
static bool nameless(u32 id)
{
	struct ctrace_id_call c = ctrace_id_call(id);

	return (c.phase == CTRACE_CALL_ENTRY || c.phase == CTRACE_CALL_EXIT) &&
	       !ctrace_syscall_layouts[c.is32][c.nr].known;
}

/* All writers hold ctrace_lock; probes may see either value. */
static void arm_one(u32 id, u32 bit, bool on)
{
	WRITE_ONCE(ctrace_event_wants[id], on ? ctrace_event_wants[id] | bit : ctrace_event_wants[id] & ~bit);
}

/* Any exec may return as an execve(): leave_any() in probe/syscall.c gives the return its own id. */
static void arm_execs(u32 bit, bool on)
{
	int is32, nr;

	for (is32 = 0; is32 < 2; is32++) {
		nr = ctrace_syscall_by_name("execve", is32);
		if (nr >= 0)
			arm_one((is32 ? CTRACE_ID_COMPAT_SYS_EXIT : CTRACE_ID_SYS_EXIT) + nr, bit, on);
	}
}

static void arm(struct ctrace_probe *p, bool on)
{
	u32 bit = 1u << p->session->index, i, id;
	struct ctrace_id_call c;

	for (i = 0; i < CTRACE_PROBE_RANGES; i++)
		for (id = p->ranges[i].from; id < p->ranges[i].from + p->ranges[i].n; id++) {
			arm_one(id, bit, on && !nameless(id));
			c = ctrace_id_call(id);
			if (c.phase == CTRACE_CALL_EXIT && ctrace_syscall_layouts[c.is32][c.nr].exec)
				arm_execs(bit, on);
		}
}

void ctrace_probe_arm(struct ctrace_probe *p, bool on)
{
	struct ctrace_probe *q;

	lockdep_assert_held(&ctrace_lock);
	arm(p, on);
	/* Another probe of the session may want some of the same events: arm those again. */
	if (!on && p->session->recording)
		list_for_each_entry(q, &p->session->probes, list)
			if (q != p)
				arm(q, true);
	/* Returns of calls do not look at the mask: ctrace_short_call_table(). */
	if (!on)
		ctrace_identity_forget_tasks();
}

/* --- names ------------------------------------------------------------------ */

static void want_ids(struct ctrace_probe *p, u32 from, u32 n)
{
	u32 i;

	for (i = 0; i < CTRACE_PROBE_RANGES; i++)
		if (!p->ranges[i].n) {
			p->ranges[i].from = from;
			p->ranges[i].n = n;
			return;
		}
}

static int parse_syscall(struct ctrace_probe *p, const char *name, char *why)
{
	int nr, is32;

	p->sources[0] = ctrace_source_by_name("sys_enter");
	p->sources[1] = ctrace_source_by_name("sys_exit");
	p->sources[2] = ctrace_source_by_name("syscall_exec");
	if (!name) {
		want_ids(p, CTRACE_ID_SYS_ENTER, CTRACE_ID_CALL - CTRACE_ID_SYS_ENTER);
		want_ids(p, CTRACE_ID_SYS_ENTER_UNKNOWN, 2);
		return 0;
	}
	for (is32 = 0; is32 < 2; is32++) {
		u32 base = is32 ? CTRACE_ID_COMPAT_SYS_ENTER : CTRACE_ID_SYS_ENTER;

		nr = ctrace_syscall_by_name(name, is32);
		if (nr < 0)
			continue;
		want_ids(p, base + nr, 1);
		want_ids(p, base + CTRACE_NR_SYSCALLS + nr, 1);
	}
	if (p->ranges[0].n)
		return 0;
	return ctrace_why(why, -ENOENT, "no system call '%.64s' in this kernel", name);
}

/* The kind whose probes begin as text does, or NULL. */
static const struct ctrace_probe_kind *kind_of(const char *text)
{
	const struct ctrace_probe_kind *const *k;
	const char *const *prefix;

	for (k = kinds; *k; k++)
		for (prefix = (*k)->prefixes; *prefix; prefix++)
			if (!strncmp(text, *prefix, strlen(*prefix)) && (!(*k)->takes || (*k)->takes(text)))
				return *k;
	return NULL;
}

static const struct ctrace_probe_kind *kind_of_any(void)
{
	const struct ctrace_probe_kind *const *k = kinds;

	while (!(*k)->any)
		k++;
	return *k;
}

static int add_kind(struct ctrace_probe *p, const struct ctrace_probe_kind *kind, char *why)
{
	const struct ctrace_event_type *t = kind->define ? ctrace_defined(p->name) : NULL;

	p->kind = kind;
	return kind->add(p, t ? t->definition : p->name, why);
}

static int parse_event(struct ctrace_probe *p, const char *name, char *why)
{
	const struct ctrace_event_type *t;
	const char *colon = strchr(name, ':');
	struct ctrace_source *with;
	char system[32];
	bool optional;
	u32 i, n = 1;

	if (colon) {
		strscpy(system, name, min_t(size_t, sizeof(system), colon - name + 1));
		t = ctrace_event_by_name(system, colon + 1);
	} else {
		t = ctrace_event_by_name(NULL, name);
	}
	if (!t && ctrace_defined(name))
		return add_kind(p, kind_of(ctrace_defined(name)->definition), why);
	if (!t && colon)
		return add_kind(p, kind_of_any(), why);
	if (!t)
		return ctrace_why(why, -ENOENT, "no event '%.64s' (ctrace events lists them)", name);
	if (ctrace_event_reason(t))
		return ctrace_why(why, -EOPNOTSUPP, "'%s:%s' cannot be recorded: %s", t->system, t->name,
				  ctrace_event_reason(t));
	want_ids(p, t->id, 1);
	p->sources[0] = ctrace_source_by_name(t->source);
	for (i = 0; i < ARRAY_SIZE(p->sources[0]->with) && p->sources[0]->with[i]; i++) {
		with = ctrace_source_with(p->sources[0]->with[i], &optional);
		if (!optional || !ctrace_source_lacks(with))
			p->sources[n++] = with;
	}
	return 0;
}

static int parse(struct ctrace_probe *p, char *why)
{
	const struct ctrace_probe_kind *kind = kind_of(p->name);
	const char *name = p->name;

	if (kind)
		return add_kind(p, kind, why);
	if (!strcmp(name, "syscalls"))
		return parse_syscall(p, NULL, why);
	if (!strncmp(name, "syscall:", 8))
		return parse_syscall(p, name + 8, why);
	return parse_event(p, name, why);
}

/* --- life --------------------------------------------------------------------- */

/* Hooks count from their registration on, and the last user's end does not clear that. */
static u64 hooks_missed(const struct ctrace_probe *p)
{
	u64 missed = 0;
	u32 i;

	for (i = 0; i < CTRACE_PROBE_SOURCES && p->sources[i]; i++)
		if (p->sources[i]->hook)
			missed += ctrace_hook_missed(p->sources[i]->hook);
	return missed;
}

static u64 blind_ns(const struct ctrace_probe *p)
{
	return p->by_kprobe ? ctrace_compat_blind_ns(p->by_ftrace) : 0;
}

static int get_sources(struct ctrace_probe *p, char *why)
{
	u32 i;
	int err;

	for (i = 0; i < CTRACE_PROBE_SOURCES && p->sources[i]; i++) {
		err = source_get(p->sources[i]);
		if (!err)
			continue;
		ctrace_why(why, err, "%s '%s' refuses the probe with error %d",
			   p->sources[i]->hook ? "the kernel's function behind" : "tracepoint",
			   p->sources[i]->tracepoint, err);
		while (i--)
			source_put(p->sources[i]);
		ctrace_option_sync();
		return err;
	}
	p->missed_before = hooks_missed(p);
	for (i = 0; i < CTRACE_PROBE_SOURCES && p->sources[i]; i++)
		if (p->sources[i]->hook || ctrace_compat_cgroup_event_exists(ctrace_source_at(p->sources[i])))
			p->by_kprobe = p->by_ftrace = true;	/* all at functions' entries */
	p->blind_before = blind_ns(p);
	return 0;
}

static void put_sources(struct ctrace_probe *p)
{
	u32 i;

	for (i = 0; i < CTRACE_PROBE_SOURCES && p->sources[i]; i++)
		source_put(p->sources[i]);
}

static int check_lockdown(const struct ctrace_probe *p, char *why)
{
	int err = p->kaddr ? ctrace_compat_locked_tracing() : 0;

	return !err ? 0 :
	       ctrace_why(why, err,
			  "'%.64s' records kernel addresses, and the kernel is locked down (confidentiality): it refuses these to all tracers",
			  p->name);
}

/* Never undone: the arena gives no views of single containers from now on. */
static int take_kaddr(struct ctrace_probe *p, char *why)
{
	int err = p->kaddr ? ctrace_arena_no_views(p->session->arena) : 0;

	return !err ? 0 :
	       ctrace_why(why, err,
			  "'%.64s' records kernel addresses, but session %u has readers of single containers",
			  p->name, p->session->id);
}

/* The caller guarantees that no probe function sees p or its options any more. */
static void free_probe(struct ctrace_probe *p)
{
	if (p->kind && p->kind->del)
		p->kind->del(p);
	ctrace_inflight_put(p);
	ctrace_option_free(p);
	kfree(p->aggregate);
	kfree(p->name);
	kfree(p);
}

struct ctrace_probe *ctrace_probe_add(struct ctrace_session *s, const struct ctrace_probe_opts *o,
				      char *why)
{
	u64 tables = s->arena->tables.used;
	struct ctrace_probe *p;
	int err;

	lockdep_assert_held(&ctrace_lock);
	list_for_each_entry(p, &s->probes, list)
		if (!strcmp(p->name, o->name))
			return ERR_PTR(ctrace_why(why, -EEXIST, "session %u already has probe '%.64s'",
						  s->id, o->name));
	if (s->nprobes == CTRACE_PROBES_MAX)
		return ERR_PTR(ctrace_why(why, -ENOSPC, "session %u has %u probes, as many as it may have: use another session",
					  s->id, s->nprobes));
	p = kzalloc(sizeof(*p), GFP_KERNEL_ACCOUNT);
	if (!p)
		return ERR_PTR(-ENOMEM);
	p->session = s;
	p->id = ++next_probe_id;
	p->kaddr = o->flags & CTRACE_PROBE_F_STACK;
	p->name = kstrdup(o->name, GFP_KERNEL_ACCOUNT);
	p->aggregate = o->aggregate ? kstrdup(o->aggregate, GFP_KERNEL_ACCOUNT) : NULL;
	err = p->name && (p->aggregate || !o->aggregate) ? parse(p, why) : -ENOMEM;
	if (err) {
		kfree(p->aggregate);
		kfree(p->name);
		kfree(p);
		return ERR_PTR(err);
	}
	err = ctrace_inflight_get(p) ?: ctrace_option_new(p, o, why) ?: check_lockdown(p, why) ?:
	      ctrace_inflight_get_stacks(p) ?: get_sources(p, why);
	if (err)
		goto free;
	err = take_kaddr(p, why);
	if (err)
		goto put_sources;
	ctrace_describe_dynamic(s->arena, ctrace_probe_event(p));
	list_add_tail(&p->list, &s->probes);
	ctrace_option_publish(p, true);
	s->nprobes++;
	if (s->recording)
		ctrace_probe_arm(p, true);
	return p;

put_sources:
	put_sources(p);
	ctrace_option_sync();
free:
	free_probe(p);
	/* nobody knows of its table */
	ctrace_table_room_back(&s->arena->tables, tables);
	return ERR_PTR(err);
}

/* Stops and unregisters. The caller then synchronises, and frees. */
static void unlink_probe(struct ctrace_probe *p)
{
	ctrace_probe_arm(p, false);
	put_sources(p);
	p->session->missed += ctrace_probe_missed(p);
	p->session->nprobes--;
}

void ctrace_probe_del(struct ctrace_probe *p)
{
	struct ctrace_session *s = p->session;

	lockdep_assert_held(&ctrace_lock);
	ctrace_option_no_gate(s);
	unlink_probe(p);
	list_del(&p->list);
	ctrace_option_sync();
	ctrace_option_publish(p, false);
	free_probe(p);
	ctrace_option_gate(s);
}

void ctrace_probe_unregister_all(struct ctrace_session *s)
{
	const struct ctrace_probe_kind *const *k;
	struct ctrace_probe *p, *n;

	lockdep_assert_held(&ctrace_lock);
	ctrace_option_no_gate(s);
	list_for_each_entry(p, &s->probes, list)
		unlink_probe(p);
	ctrace_option_sync();
	for (k = kinds; *k; k++)
		if ((*k)->stop_all)
			(*k)->stop_all(s);
	list_for_each_entry_safe(p, n, &s->probes, list) {
		list_del(&p->list);
		ctrace_option_publish(p, false);
		free_probe(p);
	}
	ctrace_event_session_gone(1u << s->index);
}

struct ctrace_probe *ctrace_probe_find(struct ctrace_session *s, u32 id)
{
	struct ctrace_probe *p;

	list_for_each_entry(p, &s->probes, list)
		if (p->id == id)
			return p;
	return NULL;
}

const struct ctrace_event_type *ctrace_probe_define(const char *text, const struct ctrace_definer *by,
						    char *why)
{
	const struct ctrace_probe_kind *kind = kind_of(text);
	const struct ctrace_probe_kind *const *k = kinds;

	lockdep_assert_held(&ctrace_lock);
	/*
	 * A text that begins as no definition does: the first kind that has any says what is wrong with it.
	 */
	while (!kind || !kind->define)
		kind = *k++;
	return ctrace_define(text, by, kind->define, why);
}

void ctrace_probe_init(const struct ctrace_probe_kind *const *all)
{
	kinds = all;
}

u64 ctrace_probe_missed(const struct ctrace_probe *p)
{
	return (p->kind && p->kind->missed ? p->kind->missed(p) : 0) + hooks_missed(p) - p->missed_before;
}

u64 ctrace_probe_blind(const struct ctrace_probe *p)
{
	return blind_ns(p) - p->blind_before;
}

u32 ctrace_probe_event(const struct ctrace_probe *p)
{
	return p->ranges[0].n == 1 && !p->ranges[1].n ? p->ranges[0].from : 0;
}
