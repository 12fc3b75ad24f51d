// SPDX-License-Identifier: GPL-2.0-only
#include <linux/kallsyms.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/notifier.h>
#include <linux/preempt.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/trace_events.h>
#include "compat/tracepoint.h"
#include "compat/cgroup_event.h"
#include "compat/stack.h"

struct lookup {
	const char *name;
	struct tracepoint *tp;
	struct module *mod;
};

static void match(struct tracepoint *tp, void *data)
{
	struct lookup *l = data;

	if (!strcmp(tp->name, l->name))
		l->tp = tp;
}

static void each_built_in_tracepoint(void (*fn)(struct tracepoint *tp, void *data), void *data)
{
#ifdef CTRACE_HAVE_TRACEPOINT_EACH__FUNCTION
	for_each_kernel_tracepoint(fn, data);
#else
	struct tracepoint_iter i = { .tracepoint = NULL };

	/* the built-in ones come first */
	for (tracepoint_iter_start(&i); i.tracepoint; tracepoint_iter_next(&i)) {
#ifdef CONFIG_MODULES
		if (i.module)
			break;
#endif
		fn(*i.tracepoint, data);
	}
	tracepoint_iter_stop(&i);
#endif
}

/* Built-in tracepoints only: they never go away, so the pointer needs no reference. */
static struct tracepoint *find(const char *name)
{
	struct lookup l = { .name = name };

	each_built_in_tracepoint(match, &l);
	return l.tp;
}

/* --- iterators ------------------------------------------------------------- */

/*
 * The iterator functions of our tracepoints, which stacks leave out. Entries are only added, and
 * seldom searched. An iterator that finds no room here, or whose size the kernel does not reveal, stays
 * visible in stacks.
 */
#define ITERATORS	128
static struct { unsigned long from, size; } iterators[ITERATORS];
static u32 niterators;

bool ctrace_compat_tracepoint_iterates(unsigned long ip)
{
	u32 i, n = smp_load_acquire(&niterators);	/* partner: note_iterator() */

	for (i = 0; i < n; i++)
		if (ip - iterators[i].from < iterators[i].size)
			return true;
	return false;
}

/* Called from module init, then under ctrace_lock: one caller at a time. */
static void note_iterator(struct tracepoint *tp)
{
#ifdef CTRACE_HAVE_TRACEPOINT_ITERATOR__MEMBER
	unsigned long from = (unsigned long)tp->iterator, size = 0;
	char *text, *slash;

	if (niterators == ITERATORS || ctrace_compat_tracepoint_iterates(from))
		return;
	text = kmalloc(KSYM_SYMBOL_LEN, GFP_KERNEL);
	if (!text)
		return;
	sprint_symbol(text, from);	/* NAME+0x0/SIZE */
	slash = strrchr(text, '/');
	if (!slash || kstrtoul(slash + 1, 16, &size))
		size = 0;
	kfree(text);
	if (!size)
		return;
	iterators[niterators].from = from;
	iterators[niterators].size = size;
	smp_store_release(&niterators, niterators + 1);	/* partner: ..._iterates() */
#endif
}

/* --- tracepoints of modules --------------------------------------------------- */

typedef void (*module_fn)(struct tracepoint *tp, struct module *mod, void *data);

#if defined(CONFIG_MODULES) && defined(CTRACE_HAVE_TRACEPOINT_MODULES__NOTIFIER)
struct walk {
	struct notifier_block nb;
	module_fn fn;
	void *data;
};

#ifdef CTRACE_HAVE_TRACEPOINT_PTR__DEREF
#define of_list(p)	tracepoint_ptr_deref(p)
#else
#define of_list(p)	(*(p))
#endif

/*
 * A module that is still loading may fail to load, in spite of references on it; a module that
 * is being removed gives none. Both are left out.
 */
static int walk_one(struct notifier_block *nb, unsigned long action, void *what)
{
	struct walk *w = container_of(nb, struct walk, nb);
	struct module *mod = ((struct tp_module *)what)->mod;
	unsigned int i;

	if (action != MODULE_STATE_COMING || READ_ONCE(mod->state) != MODULE_STATE_LIVE)
		return NOTIFY_OK;
	for (i = 0; i < mod->num_tracepoints; i++)
		w->fn(of_list(mod->tracepoints_ptrs + i), mod, w->data);
	return NOTIFY_OK;
}

/*
 * A new notifier for modules with tracepoints is called for each such module that is loaded,
 * while none can come or go. That walk is all we want here.
 */
static void each_module(module_fn fn, void *data)
{
	struct walk w = { .nb.notifier_call = walk_one, .fn = fn, .data = data };

	if (!register_tracepoint_module_notifier(&w.nb))
		unregister_tracepoint_module_notifier(&w.nb);
}
#elif defined(CONFIG_MODULES) && defined(CTRACE_HAVE_TRACEPOINT_EACH__ITERATOR)
/*
 * Before 3.15 the iterator continues with the tracepoints of modules. A module may be removed between two
 * steps, but its memory stays as long as we hold module_mutex.
 */
static void each_module(module_fn fn, void *data)
{
	struct tracepoint_iter i = { .tracepoint = NULL };
	struct module *mod;

	mutex_lock(&module_mutex);
	for (tracepoint_iter_start(&i); i.tracepoint; tracepoint_iter_next(&i)) {
		if (!i.module)
			continue;
		preempt_disable();
		mod = __module_address((unsigned long)*i.tracepoint);
		preempt_enable();
		if (mod && READ_ONCE(mod->state) == MODULE_STATE_LIVE)
			fn(*i.tracepoint, mod, data);
	}
	tracepoint_iter_stop(&i);
	mutex_unlock(&module_mutex);
}
#else
/* no modules */
static void each_module(module_fn fn, void *data)
{
}
#endif

static void match_and_keep(struct tracepoint *tp, struct module *mod, void *data)
{
	struct lookup *l = data;

	if (!l->tp && !strcmp(tp->name, l->name) && try_module_get(mod)) {
		l->tp = tp;
		l->mod = mod;
	}
}

int ctrace_compat_tp_get(const char *name, struct ctrace_compat_tp *h)
{
	struct lookup l = { .name = name, .tp = find(name) };

	if (!l.tp)
		each_module(match_and_keep, &l);
	h->tp = l.tp;
	h->mod = l.mod;
	return l.tp ? 0 : -ENOENT;
}

void ctrace_compat_tp_put(struct ctrace_compat_tp *h)
{
	module_put(h->mod);
}

/* --- probes ------------------------------------------------------------------ */

static int add(struct tracepoint *tp, void *probe, void *data)
{
#ifdef CTRACE_HAVE_TRACEPOINT_REGISTER__POINTER
	return tracepoint_probe_register(tp, probe, data);
#else
	return tracepoint_probe_register(tp->name, probe, data);
#endif
}

static int del(struct tracepoint *tp, void *probe, void *data)
{
#ifdef CTRACE_HAVE_TRACEPOINT_REGISTER__POINTER
	return tracepoint_probe_unregister(tp, probe, data);
#else
	return tracepoint_probe_unregister(tp->name, probe, data);
#endif
}

#ifdef CTRACE_HAVE_TRACEPOINT_REGISTER_PRIO

static int add_last(struct tracepoint *tp, void *probe)
{
	return tracepoint_probe_register_prio(tp, probe, NULL, TRACEPOINT_DEFAULT_PRIO - 1);
}

static int del_last(struct tracepoint *tp, void *probe)
{
	return del(tp, probe, NULL);
}

static void stay_last(struct tracepoint *tp)
{
}

#else

/*
 * Probes are called in the order of registration. To stay last, our probe is registered again,
 * which needs other data (it ignores them), and then the older registration is removed. So for a
 * moment it is called twice, but it is never left out. Under ctrace_lock.
 */
static struct {
	struct tracepoint *tp;	/* NULL: none */
	void *probe;
	unsigned long data;
} last;

static int add_last(struct tracepoint *tp, void *probe)
{
	int err = last.tp ? -EBUSY : add(tp, probe, NULL);

	if (!err) {
		last.tp = tp;
		last.probe = probe;
		last.data = 0;
	}
	return err;
}

static int del_last(struct tracepoint *tp, void *probe)
{
	last.tp = NULL;
	return del(tp, probe, (void *)last.data);
}

static void stay_last(struct tracepoint *tp)
{
	if (last.tp != tp || add(tp, last.probe, (void *)(last.data ^ 1)))
		return;
	del(tp, last.probe, (void *)last.data);
	last.data ^= 1;
}

#endif

int ctrace_compat_tp_register(const struct ctrace_compat_tp *h, void *probe, void *data)
{
	int err;

	/* a module's iterator is freed with it, and its address is reused */
	if (!h->mod)
		note_iterator(h->tp);
	err = add(h->tp, probe, data);
	if (!err)
		stay_last(h->tp);
	return err;
}

void ctrace_compat_tp_unregister(const struct ctrace_compat_tp *h, void *probe, void *data)
{
	del(h->tp, probe, data);
}

bool ctrace_compat_tp_ours(const struct ctrace_compat_tp *h)
{
	const struct tracepoint_func *f = rcu_dereference_raw(h->tp->funcs);

	for (; f && f->func; f++)
		if (!within_module((unsigned long)f->func, THIS_MODULE))
			return false;
	return true;
}

int ctrace_compat_tracepoint_register(const char *name, void *probe, void *data)
{
	const struct ctrace_compat_tp h = { .tp = find(name) };

	return h.tp ? ctrace_compat_tp_register(&h, probe, data) :
		      ctrace_compat_cgroup_event_add(name, probe, data);
}

int ctrace_compat_tracepoint_register_last(const char *name, void *probe)
{
	struct tracepoint *tp = find(name);

	if (!tp)
		return -ENOENT;
	note_iterator(tp);
	return add_last(tp, probe);
}

int ctrace_compat_tracepoint_unregister_last(const char *name, void *probe)
{
	struct tracepoint *tp = find(name);

	return tp ? del_last(tp, probe) : -ENOENT;
}

int ctrace_compat_tracepoint_unregister(const char *name, void *probe, void *data)
{
	struct tracepoint *tp = find(name);

	return tp ? del(tp, probe, data) : ctrace_compat_cgroup_event_del(name, probe, data);
}

/* --- names --------------------------------------------------------------------- */

bool ctrace_compat_tracepoint_exists(const char *name)
{
	struct ctrace_compat_tp h;

	if (ctrace_compat_tp_get(name, &h))
		return ctrace_compat_cgroup_event_exists(name);
	ctrace_compat_tp_put(&h);
	return true;
}

struct each {
	void (*fn)(const char *name, void *data);
	void *data;
};

static void each_built_in(struct tracepoint *tp, void *data)
{
	struct each *e = data;

	e->fn(tp->name, e->data);
}

static void each_of_module(struct tracepoint *tp, struct module *mod, void *data)
{
	each_built_in(tp, data);
}

void ctrace_compat_tracepoint_each(void (*fn)(const char *name, void *data), void *data)
{
	struct each e = { .fn = fn, .data = data };

	each_built_in_tracepoint(each_built_in, &e);
	each_module(each_of_module, &e);
}

bool ctrace_compat_event_exists(const char *system, const char *name)
{
#ifdef CTRACE_HAVE_TRACE_GET_EVENT_FILE
	struct trace_event_file *f = trace_get_event_file(NULL, system, name);

	if (IS_ERR(f))
		return false;
	trace_put_event_file(f);
#endif
	return true;
}
