// SPDX-License-Identifier: GPL-2.0-only
/* The curated event types of all families, and the dynamic ones. */
#include <linux/err.h>
#include <linux/idr.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include "event/call_memory.h"
#include "event/event.h"
#include "event/hook.h"
#include "event/syscall_args.h"
#include "compat/cgroup_event.h"
#include "compat/tracepoint.h"

static const struct ctrace_field_desc f_lost[] = {
	CTRACE_FIELDS(CTRACE_LOST_FIELDS)
};
static const struct ctrace_field_desc f_stack[] = {
	CTRACE_FIELDS(CTRACE_STACK_FIELDS)
};

static const struct ctrace_field_desc f_user_memory[] = {
	CTRACE_FIELDS(CTRACE_USER_MEMORY_FIELDS)
};
static const struct ctrace_field_desc f_user_registers[] = {
	CTRACE_FIELDS(CTRACE_USER_REGISTERS_FIELDS)
};
static const struct ctrace_field_desc f_late[] = {
	CTRACE_FIELDS(CTRACE_LATE_FIELDS)
};
static const struct ctrace_field_desc f_late_memory[] = {
	CTRACE_FIELDS(CTRACE_LATE_MEMORY_FIELDS)
};

static const struct ctrace_event_type own_types[] = {
	CTRACE_TYPE(LOST, "ctrace", "lost", NULL, f_lost),
	CTRACE_TYPE_KADDR(KERNEL_STACK, "ctrace", "kernel_stack", NULL, f_stack),
	CTRACE_TYPE(USER_STACK, "ctrace", "user_stack", NULL, f_stack),
	CTRACE_TYPE(USER_MEMORY, "ctrace", "user_memory", NULL, f_user_memory),
	CTRACE_TYPE(USER_REGISTERS, "ctrace", "user_registers", NULL, f_user_registers),
	CTRACE_TYPE(LATE_ARGUMENT, "ctrace", "late_argument", NULL, f_late),
	CTRACE_TYPE(LATE_MEMORY, "ctrace", "late_memory", NULL, f_late_memory),
};
const struct ctrace_family ctrace_family_own = {
	.types = own_types, .ntypes = ARRAY_SIZE(own_types),
};

u32 ctrace_event_wants[CTRACE_EVENT_IDS];

static const struct ctrace_family *const *families;	/* invariant after init; NULL-terminated */

/*
 * A dynamic type is in use while a definition has it, or a session that had a probe of it since it began: its
 * rings may hold records. One that is not in use stays, for readers that outlive their session, until another
 * type needs its id. Ids are given out round the whole range, so one changes its meaning only after all
 * others that are not in use were given away since.
 */
struct ctrace_dynamic {
	/* dynamic_types' own, and one for each copy of type by ctrace_event_next() */
	struct kref ref;
	struct rcu_head rcu;
	u32 sessions;			/* mask of those that had a probe of it; dynamic_lock */
	u32 definitions;		/* dynamic_lock */
	struct ctrace_event_type type;
	char room[] __aligned(8);	/* the fields, then the strings of the fields and of type */
};

static DEFINE_MUTEX(dynamic_lock);
static DEFINE_IDR(dynamic_types);	/* by id; protected by dynamic_lock */
static u32 dynamic_next = CTRACE_ID_DYNAMIC;	/* the id to try first; protected by dynamic_lock */

const struct ctrace_event_type *ctrace_event_by_name(const char *system, const char *name)
{
	const struct ctrace_family *const *f;
	const struct ctrace_event_type *t;
	u32 i;

	for (f = families; *f; f++)
		for (i = 0; i < (*f)->ntypes; i++) {
			t = &(*f)->types[i];
			if (!t->source || (system && strcmp(t->system, system)))
				continue;
			/* the kernel's irq:softirq_entry is irq_softirq_entry here */
			if (!strcmp(t->name, name) || (system && !strcmp(t->source, name)))
				return t;
		}
	return NULL;
}

struct ctrace_source *ctrace_source_by_name(const char *tracepoint)
{
	const struct ctrace_family *const *f;
	struct ctrace_source *s;

	for (f = families; *f; f++)
		for (s = (*f)->sources; s && s->tracepoint; s++)
			if (!strcmp(s->tracepoint, tracepoint))
				return s;
	return NULL;
}

struct ctrace_source *ctrace_source_with(const char *word, bool *optional)
{
	*optional = *word == '?';
	return ctrace_source_by_name(word + *optional);
}

/*
 * A curated source's tracepoint is built in: what was found once stays true. So each is looked up once,
 * though thousands of types of system calls share two. Askers may race: they find the same.
 */
static bool source_exists(struct ctrace_source *s)
{
	u8 asked = READ_ONCE(s->asked);

	if (!asked) {
		asked = ctrace_compat_tracepoint_exists(ctrace_source_at(s)) ? CTRACE_SOURCE_EXISTS :
			CTRACE_SOURCE_LACKS;
		WRITE_ONCE(s->asked, asked);
	}
	return asked == CTRACE_SOURCE_EXISTS;
}

/* A function that takes a hook does so later, too, unless the kernel is locked down then: adding it fails. */
static const char *hook_reason(struct ctrace_source *s)
{
	const char *reason = READ_ONCE(s->asked) ? NULL : ctrace_hook_reason(s->hook);

	if (!reason)
		WRITE_ONCE(s->asked, CTRACE_SOURCE_EXISTS);
	return reason ?: ctrace_hook_blind();
}

static const char *source_reason(struct ctrace_source *s, const char *lacks)
{
	if (s->hook)
		return hook_reason(s);
	if (!source_exists(s))
		return lacks;
	/* before 4.9, the tracepoints of cgroups are kprobes, too */
	return ctrace_hook_blind() && ctrace_compat_cgroup_event_exists(ctrace_source_at(s)) ? ctrace_hook_blind() : NULL;
}

bool ctrace_source_lacks(struct ctrace_source *s)
{
	return source_reason(s, "");
}

struct ctrace_source *ctrace_event_source(const struct ctrace_event_type *t)
{
	if (!t->source || (t->id >= CTRACE_ID_DYNAMIC && t->id < CTRACE_ID_SYS_ENTER))
		return NULL;
	return ctrace_source_by_name(t->source);
}

#define LACKS_TRACEPOINT	"this kernel has no such tracepoint"
#define LACKS_OWNER		"this kernel lacks the tracepoint that would tell whose event it is"

const char *ctrace_event_reason(const struct ctrace_event_type *t)
{
	const struct ctrace_family *const *f;
	const char *reason = NULL;
	struct ctrace_source *s, *with;
	bool optional;
	u32 i;

	for (f = families; *f; f++)
		for (i = 0; (*f)->lacks && i < (*f)->ntypes; i++)
			if ((*f)->types[i].id == t->id)
				return (*f)->lacks;
	if (!t->source)
		return NULL;
	s = ctrace_event_source(t);
	/* A raw probe's may be a module's, which comes and goes. */
	if (!s)
		return ctrace_compat_tracepoint_exists(t->source) ? NULL : LACKS_TRACEPOINT;
	reason = source_reason(s, LACKS_TRACEPOINT);
	for (i = 0; !reason && i < ARRAY_SIZE(s->with) && s->with[i]; i++) {
		with = ctrace_source_with(s->with[i], &optional);
		reason = optional ? NULL : source_reason(with, LACKS_OWNER);
	}
	return reason;
}

int ctrace_why(char *why, int err, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(why, CTRACE_WHY_MAX, fmt, ap);
	va_end(ap);
	return err;
}

static bool same_text(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static bool same_type(const struct ctrace_event_type *a, const struct ctrace_event_type *b)
{
	u32 i;

	if (!same_text(a->system, b->system) || !same_text(a->name, b->name) ||
	    !same_text(a->source, b->source) || !same_text(a->definition, b->definition) ||
	    a->flags != b->flags || a->nfields != b->nfields)
		return false;
	for (i = 0; i < a->nfields; i++)
		if (!same_text(a->fields[i].name, b->fields[i].name) ||
		    a->fields[i].kind != b->fields[i].kind || a->fields[i].size != b->fields[i].size ||
		    a->fields[i].display != b->fields[i].display)
			return false;
	return true;
}

static size_t text_size(const char *s)
{
	return s ? strlen(s) + 1 : 0;
}

/* text_size() made room for it. */
static const char *text_copy(char **to, const char *s)
{
	char *at = *to;

	if (!s)
		return NULL;
	memcpy(at, s, text_size(s));
	*to += text_size(s);
	return at;
}

static struct ctrace_dynamic *dynamic_new(const struct ctrace_event_type *t)
{
	size_t fields = t->nfields * sizeof(*t->fields), size = fields;
	struct ctrace_field_desc *f;
	struct ctrace_dynamic *n;
	char *at;
	u32 i;

	size += text_size(t->system) + text_size(t->name) + text_size(t->source) +
		text_size(t->definition);
	for (i = 0; i < t->nfields; i++)
		size += text_size(t->fields[i].name);
	n = kzalloc(sizeof(*n) + size, GFP_KERNEL);
	if (!n)
		return NULL;
	kref_init(&n->ref);
	n->type = *t;
	n->type.dynamic = n;
	f = (void *)n->room;
	at = n->room + fields;
	for (i = 0; i < t->nfields; i++) {
		f[i] = t->fields[i];
		f[i].name = text_copy(&at, t->fields[i].name);
	}
	n->type.fields = f;
	n->type.system = text_copy(&at, t->system);
	n->type.name = text_copy(&at, t->name);
	n->type.source = text_copy(&at, t->source);
	n->type.definition = text_copy(&at, t->definition);
	return n;
}

static void dynamic_free(struct kref *ref)
{
	struct ctrace_dynamic *d = container_of(ref, struct ctrace_dynamic, ref);

	kfree_rcu(d, rcu);	/* event/define.c's list may be walked */
}

void ctrace_event_put(const struct ctrace_event_type *t)
{
	if (t->dynamic)
		kref_put(&t->dynamic->ref, dynamic_free);
}

/* Gives n an id that is free, or was given to a type that is not in use, and keeps n. 0, -ENOSPC, -ENOMEM */
static int dynamic_keep(struct ctrace_dynamic *n)
{
	u32 id = dynamic_next, tried;
	struct ctrace_dynamic *d;
	int err;

	for (tried = 0; tried < CTRACE_ID_SYS_ENTER - CTRACE_ID_DYNAMIC; tried++) {
		d = idr_find(&dynamic_types, id);
		if (!d || !(d->sessions | d->definitions))
			break;
		id = id + 1 < CTRACE_ID_SYS_ENTER ? id + 1 : CTRACE_ID_DYNAMIC;
	}
	if (tried == CTRACE_ID_SYS_ENTER - CTRACE_ID_DYNAMIC)
		return -ENOSPC;
	if (d) {
		idr_remove(&dynamic_types, id);
		ctrace_event_put(&d->type);
	}
	err = idr_alloc(&dynamic_types, n, id, id + 1, GFP_KERNEL);
	if (err < 0)
		return err;
	n->type.id = id;
	dynamic_next = id + 1 < CTRACE_ID_SYS_ENTER ? id + 1 : CTRACE_ID_DYNAMIC;
	return 0;
}

const struct ctrace_event_type *ctrace_event_dynamic(const struct ctrace_event_type *t, u32 session)
{
	struct ctrace_dynamic *d, *n = dynamic_new(t);
	int id, err = 0;

	if (!n)
		return ERR_PTR(-ENOMEM);
	mutex_lock(&dynamic_lock);
	idr_for_each_entry(&dynamic_types, d, id)
		if (same_type(&d->type, t))
			break;
	if (!d) {
		err = dynamic_keep(n);
		if (!err) {
			d = n;
			n = NULL;
		}
	}
	if (d)
		d->sessions |= session;
	mutex_unlock(&dynamic_lock);
	kfree(n);
	return d ? &d->type : ERR_PTR(err);
}

void ctrace_event_define(const struct ctrace_event_type *t, bool is)
{
	mutex_lock(&dynamic_lock);
	t->dynamic->definitions += is ? 1 : -1;
	mutex_unlock(&dynamic_lock);
}

void ctrace_event_session_gone(u32 session)
{
	struct ctrace_dynamic *d;
	int id;

	mutex_lock(&dynamic_lock);
	idr_for_each_entry(&dynamic_types, d, id)
		d->sessions &= ~session;
	mutex_unlock(&dynamic_lock);
}

/* The first curated type whose id is >= id, or NULL. */
static const struct ctrace_event_type *curated_next(u32 id)
{
	const struct ctrace_event_type *t, *first = NULL;
	const struct ctrace_family *const *f;
	u32 i;

	for (f = families; *f; f++)
		for (i = 0; i < (*f)->ntypes; i++) {
			t = &(*f)->types[i];
			if (t->id >= id && (!first || t->id < first->id))
				first = t;
		}
	return first;
}

bool ctrace_event_next(u32 id, struct ctrace_event_type *t, struct ctrace_field_desc *fields,
		       char *name)
{
	const struct ctrace_event_type *curated = curated_next(id);
	struct ctrace_dynamic *d;
	int from = id;

	if (curated) {
		*t = *curated;
		return true;
	}
	if (id >= CTRACE_ID_SYS_ENTER)
		return ctrace_syscall_next(id, t, fields, name);
	mutex_lock(&dynamic_lock);
	d = idr_get_next(&dynamic_types, &from);
	if (d) {
		kref_get(&d->ref);
		*t = d->type;
	}
	mutex_unlock(&dynamic_lock);
	return d || ctrace_syscall_next(id, t, fields, name);
}

int ctrace_event_init(const struct ctrace_family *const *all)
{
	int err = ctrace_args_init();

	if (err)
		return err;
	families = all;
	err = ctrace_syscall_init();
	if (err)
		ctrace_args_exit();
	return err;
}

void ctrace_event_exit(void)
{
	struct ctrace_dynamic *d;
	int id;

	idr_for_each_entry(&dynamic_types, d, id)
		ctrace_event_put(&d->type);
	idr_destroy(&dynamic_types);
	ctrace_memory_exit();
	ctrace_args_exit();
}
