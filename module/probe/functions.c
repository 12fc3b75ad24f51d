// SPDX-License-Identifier: GPL-2.0-only
/*
 * The entries of all functions whose names match a pattern: kprobe:ext4_* and func:*ovl*. The event has the
 * function's name. One registration with ftrace has them all; a kprobe for each of some thousand would take
 * minutes to attach.
 *
 * An entry does not see the return, so there is no duration. Functions of this module are left out, and so
 * are calls that the kernel's functions get from it while it writes such an event.
 */
#include <linux/ctype.h>
#include <linux/err.h>
#include <linux/hash.h>
#include <linux/kallsyms.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/ptrace.h>
#include <linux/slab.h>
#include "probe/table.h"
#include "emit/emit.h"
#include "emit/scratch.h"
#include "emit/stack.h"
#include "compat/ftrace.h"
#include "compat/heartbeat.h"
#include "compat/lockdown.h"
#include "compat/rcu.h"
#include "compat/stack.h"

#define NAME_LEN	CTRACE_TABLE_TEXT_MAX	/* of a name, perhaps cut */
#define KNOWN_BITS		8

/* To look a name up takes a microsecond or two, so each CPU remembers some. */
struct known {
	unsigned long ip;	/* 0: none */
	char name[NAME_LEN];
};

struct names {
	bool busy;
	struct known v[1 << KNOWN_BITS];
};

struct functions {
	struct ctrace_compat_functions at;
	u32 event_id;		/* 0, which no session wants, until it is known */
	u32 bit;		/* the session's */
	struct names __percpu *names;
	atomic64_t unwritten;	/* entries whose name found no room to be looked up in */
};

/* --- a hit ------------------------------------------------------------------ */

/* to: padded with zeros. The lookup takes no lock. */
static bool look_up(unsigned long ip, char to[NAME_LEN])
{
	char *room = ctrace_scratch_take();

	BUILD_BUG_ON(KSYM_SYMBOL_LEN > CTRACE_PAYLOAD_MAX);
	if (!room)
		return false;
	sprint_symbol_no_offset(room, ip);
	room[strcspn(room, " ")] = '\0';	/* its module follows */
	memset(to, 0, NAME_LEN);
	strscpy(to, room, NAME_LEN);
	ctrace_scratch_give();
	return true;
}

/*
 * An interrupt during this finds busy, and remembers nothing. Functions of a module that is loaded later are
 * not traced, so an address stays one function's.
 */
static bool name_of(struct functions *f, unsigned long ip, char to[NAME_LEN])
{
	struct names *n = this_cpu_ptr(f->names);
	struct known *k = &n->v[hash_long(ip, KNOWN_BITS)];
	bool found = true;

	if (READ_ONCE(n->busy))
		return look_up(ip, to);
	WRITE_ONCE(n->busy, true);
	barrier();
	if (k->ip != ip) {
		found = look_up(ip, k->name);
		k->ip = found ? ip : 0;
	}
	memcpy(to, k->name, NAME_LEN);
	barrier();
	WRITE_ONCE(n->busy, false);
	return found;
}

static __always_inline void fill_function(void *payload, const void *arg)
{
	memcpy(payload, arg, NAME_LEN);
}

static noinline void hit_with_stack(u32 mask, u32 id, const struct ctrace_who *who, const char *name,
				    unsigned long ip)
{
	const struct pt_regs *outer;
	struct pt_regs regs;

	ctrace_compat_regs_at(&regs, ip);
	outer = ctrace_stack_begin(&regs);
	ctrace_emit(mask, id, who, NAME_LEN, fill_function, name);
	ctrace_stack_end(outer);
}

static void hit_wanted(struct functions *f, u32 mask, unsigned long ip)
{
	char name[NAME_LEN];
	struct ctrace_who who;
	u32 id = f->event_id;

	ctrace_identity_resolve_context(&who);
	mask = ctrace_wanted(mask, who.container, who.task);
	if (!mask)
		return;
	if (!name_of(f, ip, name))
		atomic64_inc(&f->unwritten);
	else if (unlikely(ctrace_options_stack(mask, id)))
		hit_with_stack(mask, id, &who, name, ip);
	else
		ctrace_emit(mask, id, &who, NAME_LEN, fill_function, name);
}

static void hit(struct ctrace_compat_functions *at, unsigned long ip)
{
	struct functions *f = container_of(at, struct functions, at);
	u32 mask;

	preempt_disable_notrace();
	ctrace_compat_rcu_begin();
	mask = ctrace_wants(READ_ONCE(f->event_id)) & f->bit;
	if (mask && !within_module(ip, THIS_MODULE))
		hit_wanted(f, mask, ip);
	ctrace_compat_rcu_end();
	preempt_enable_notrace();
}

/* --- life --------------------------------------------------------------------- */

/*
 * Has it a name's letters and a pattern's alone? The kernel takes a leading ! for "not", and a digit for a
 * place in its list.
 */
static bool is_pattern(const char *s)
{
	if (*s == '!' || isdigit(*s))
		return false;
	while (isascii(*s) && (isalnum(*s) || (*s && strchr("_.$*?[]!-", *s))))
		s++;
	return !*s;
}

static bool takes(const char *text)
{
	return strpbrk(text, "*?[");
}

static const struct ctrace_event_type *type_of(const char *text, u32 session)
{
	const struct ctrace_field_desc field = CTRACE_FIELD(TEXT, DEFAULT, "function", NAME_LEN);
	struct ctrace_event_type t = { .system = "kprobes", .name = text, .fields = &field, .nfields = 1 };

	return ctrace_event_dynamic(&t, session);
}

static int check(const char *text, const char *glob, char *why)
{
	const char *blind = ctrace_compat_blind();

	if (!strncmp(text, "kretprobe:", 10))
		return ctrace_why(why, -EOPNOTSUPP, "'%.64s': a pattern is for the entries of functions: use 'kprobe:%.64s'", text, glob);
	if (strlen(text) >= CTRACE_NAME_MAX)
		return ctrace_why(why, -ENAMETOOLONG, "'%.64s' is too long for a pattern: it may have %u letters", text, CTRACE_NAME_MAX - 1);
	if (!is_pattern(glob))
		return ctrace_why(why, -EINVAL, "'%.64s' is no pattern for names of functions: letters, digits, _ . * ? and [a-z]", glob);
	if (ctrace_compat_locked_kprobes())
		return ctrace_why(why, -EPERM, "the kernel is locked down (confidentiality): it refuses probes of its functions to all tracers");
	if (blind)
		return ctrace_why(why, -EOPNOTSUPP, "'%.64s' would never be hit: %s", text, blind);
	return 0;
}

static int start(struct functions *f, const char *glob, char *why)
{
	char *used = kstrdup(glob, GFP_KERNEL);
	int err = used ? ctrace_compat_functions_start(&f->at, used) : -ENOMEM;

	kfree(used);
	if (!err || err == -ENOMEM)
		return err;
	if (err == -EINVAL)
		return ctrace_why(why, -ENOENT,
				  "no function that can be traced matches '%.64s': available_filter_functions in tracefs lists them", glob);
	if (err == -EOPNOTSUPP)
		return ctrace_why(why, err, "patterns of functions need Linux 4.5 with CONFIG_DYNAMIC_FTRACE: name one function");
	return ctrace_why(why, err, "'%.64s': the kernel refuses to trace these functions with error %d", glob, err);
}

static void functions_free(struct functions *f)
{
	free_percpu(f->names);
	kfree(f);
}

static int functions_add(struct ctrace_probe *p, const char *text, char *why)
{
	const char *glob = strchr(text, ':') + 1;
	const struct ctrace_event_type *t;
	struct functions *f;
	int err = check(text, glob, why);

	if (err)
		return err;
	f = kzalloc(sizeof(*f), GFP_KERNEL);
	if (!f)
		return -ENOMEM;
	f->bit = 1u << p->session->index;
	f->at.hit = hit;
	f->names = alloc_percpu(struct names);
	err = f->names ? start(f, glob, why) : -ENOMEM;
	if (err)
		goto free;
	t = type_of(text, f->bit);
	err = PTR_ERR_OR_ZERO(t);
	if (err)
		goto stop;
	WRITE_ONCE(f->event_id, t->id);
	p->by_kprobe = true;
	p->by_ftrace = true;
	p->ranges[0].from = t->id;
	p->ranges[0].n = 1;
	p->priv = f;
	return 0;
stop:
	ctrace_compat_functions_stop(&f->at);
free:
	functions_free(f);
	return err;
}

static void functions_del(struct ctrace_probe *p)
{
	struct functions *f = p->priv;

	ctrace_compat_functions_stop(&f->at);
	functions_free(f);
}

static u64 functions_missed(const struct ctrace_probe *p)
{
	const struct functions *f = p->priv;

	return atomic64_read(&f->unwritten);
}

static const char *const prefixes[] = { "kprobe:", "func:", "kretprobe:", NULL };

const struct ctrace_probe_kind ctrace_kind_functions = {
	.prefixes = prefixes, .takes = takes, .add = functions_add, .del = functions_del,
	.missed = functions_missed,
};
