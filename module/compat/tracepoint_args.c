// SPDX-License-Identifier: GPL-2.0-only
/*
 * How many arguments a tracepoint has. struct tracepoint does not say, but the kernel's list of
 * raw tracepoints for BPF does. Each module holds its own part of that list. A function that is
 * not exported returns entries of the built-in part: a kprobe, never armed, yields its address.
 */
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/mutex.h>
#ifdef CONFIG_X86_KERNEL_IBT
#include <linux/static_call.h>
#endif
#include <linux/string.h>
#include <linux/trace_events.h>
#include "compat/tracepoint.h"

#ifndef CTRACE_HAVE_BPF_RAW_EVENT_MAP__NONE

#ifdef CTRACE_HAVE_BPF_RAW_EVENT_MAP__GET
#define GETTER	"bpf_get_raw_tracepoint"
#else
#define GETTER	"bpf_find_raw_tracepoint"
#endif

typedef struct bpf_raw_event_map *(*get_fn)(const char *name);

/*
 * A kprobe's address may be some bytes into the function, past the instruction that indirect
 * branches must land on. Our call must go to the function's start.
 */
static get_fn function_at(const char *symbol)
{
	struct kprobe kp = { .symbol_name = symbol, .flags = KPROBE_FLAG_DISABLED };
	char text[KSYM_SYMBOL_LEN];
	unsigned long offset;
	get_fn fn = NULL;

	if (register_kprobe(&kp))
		return NULL;
	snprintf(text, sizeof(text), "%pS", kp.addr);
	if (!strncmp(text, symbol, strlen(symbol)) &&
	    sscanf(text + strlen(symbol), "+0x%lx/", &offset) == 1)
		fn = (get_fn)((unsigned long)kp.addr - offset);
	unregister_kprobe(&kp);
	return fn;
}

#ifdef CONFIG_X86_KERNEL_IBT
/*
 * At boot this kernel overwrites the landing instruction of each function whose address nobody takes, and the
 * getter is one of these: on a CPU that checks indirect branches (Intel's since Tiger Lake), a call through a
 * pointer is a BUG. A direct call needs no such instruction, so the kernel's own means writes one here.
 * Context: the caller holds lock.
 */
static struct bpf_raw_event_map *no_map(const char *name)
{
	return NULL;
}

DEFINE_STATIC_CALL(ctrace_raw_event_map, no_map);

static void getter_set(get_fn fn)
{
	static_call_update(ctrace_raw_event_map, fn);
}

static struct bpf_raw_event_map *map_of(const char *name)
{
	return static_call(ctrace_raw_event_map)(name);
}
#else
static get_fn getter;

/*
 * arm64's kernel keeps the landing instruction (BTI) of every function that is not static; a kernel that
 * checks types at indirect calls (CFI) has no raw probes at all, ctrace_compat_tp_may_raw().
 */
static void getter_set(get_fn fn)
{
	getter = fn;
}

static struct bpf_raw_event_map *map_of(const char *name)
{
	return getter ? getter(name) : NULL;
}
#endif

static struct bpf_raw_event_map *map_get(const char *name)
{
	static DEFINE_MUTEX(lock);
	static bool asked;
	get_fn fn;

	mutex_lock(&lock);
	fn = asked ? NULL : function_at(GETTER);
	if (fn)
		getter_set(fn);
	asked = true;
	mutex_unlock(&lock);
	return map_of(name);
}

static int built_in_nargs(const struct tracepoint *tp)
{
	const struct bpf_raw_event_map *m = map_get(tp->name);

	/*
	 * If m belongs to another tracepoint, that one is a module's, of the same name, and we now
	 * hold a reference that only the kernel's own code could drop. That module stays loaded,
	 * which is better than a wrong number.
	 */
	return m && m->tp == tp ? m->num_args : -ENOENT;
}

int ctrace_compat_tp_nargs(const struct ctrace_compat_tp *h)
{
#ifdef CTRACE_HAVE_BPF_RAW_EVENT_MAP__GET
	const struct module *mod = h->mod;
	unsigned int i;

	for (i = 0; mod && i < mod->num_bpf_raw_events; i++)
		if (mod->bpf_raw_events[i].tp == h->tp)
			return mod->bpf_raw_events[i].num_args;
#endif
	return h->mod ? -ENOENT : built_in_nargs(h->tp);
}

#else

int ctrace_compat_tp_nargs(const struct ctrace_compat_tp *h)
{
	return -ENOENT;
}

#endif
