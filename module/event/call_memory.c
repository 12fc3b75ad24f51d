// SPDX-License-Identifier: GPL-2.0-only
#include <linux/bits.h>
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/fcntl.h>
#include <linux/kernel.h>
#include <linux/percpu.h>
#include <linux/prctl.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/vmalloc.h>
#include "event/call_memory.h"
#include "event/fd_name.h"
#include "compat/syscall.h"

/* Calls that return a descriptor. */
static const char makers[] =
	" open openat openat2 open_by_handle_at creat socket accept accept4 dup dup2 dup3 epoll_create epoll_create1"
	" eventfd eventfd2 inotify_init inotify_init1 timerfd_create signalfd signalfd4 memfd_create memfd_secret"
	" pidfd_open pidfd_getfd perf_event_open userfaultfd fanotify_init io_uring_setup mq_open fsopen fspick fsmount"
	" open_tree landlock_create_ruleset ";

/* --- which field is which ----------------------------------------------------------- */

struct field {
	struct ctrace_memory m;
	u8 phases;		/* bits of enum ctrace_call_phase: which records have it */
	char *name;
};

static struct field *fields __read_mostly;
static u32 nfields, room;

struct ctrace_memory_fields ctrace_memory_fields[2][CTRACE_NR_SYSCALLS] __read_mostly;

static bool one_of(const char *list, const char *name)
{
	size_t n = strlen(name);
	const char *at = list;

	while ((at = strstr(at, name))) {
		if ((at == list || at[-1] == ' ') && (!at[n] || at[n] == ' '))
			return true;
		at += n;
	}
	return false;
}

static bool is_descriptor(const struct ctrace_syscall *c, u32 i)
{
	size_t n = strlen(c->args[i]);

	if (c->kinds[i] == 'P' || c->kinds[i] == 'T' || !strcmp(c->name, "close_range"))
		return false;
	if (i && !strcmp(c->name, "pidfd_getfd"))	/* another task's */
		return false;
	return !strcmp(c->args[i], "fildes") || !strcmp(c->args[i], "mqdes") || (strstr(c->args[i], "fd") && c->args[i][n - 1] != 's');
}

static u8 phases(const struct ctrace_memory *m)
{
	bool in = m->flags & CTRACE_MEM_IN || m->how == CTRACE_MEM_PATH;
	u8 of = BIT(CTRACE_CALL_WHOLE);

	if (m->flags & CTRACE_MEM_WAS)
		return of;
	if (in)
		of |= BIT(CTRACE_CALL_ENTRY);
	if (!in || m->flags & CTRACE_MEM_AGAIN)
		of |= BIT(CTRACE_CALL_EXIT);
	return of;
}

static int add(const char *arg, const struct ctrace_memory *m)
{
	static const char *const suffix[] = {
		[CTRACE_MEM_IOV_BYTES] = "bytes", [CTRACE_MEM_MSG_BYTES] = "bytes", [CTRACE_MEM_MSG_ADDR] = "addr",
		[CTRACE_MEM_MSG_IOV] = "iov", [CTRACE_MEM_PATH] = "path", [CTRACE_MEM_RET_PATH] = "path",
		[CTRACE_MEM_SOCKET_ADDR] = "addr", [CTRACE_MEM_SOCKET_BYTES] = "bytes", [CTRACE_MEM_MSG_CONTROL] = "control",
		[CTRACE_MEM_MSG_NAMES] = "names", [CTRACE_MEM_MSGS_ADDR] = "addr", [CTRACE_MEM_MSGS_IOV] = "iov",
		[CTRACE_MEM_MSGS_BYTES] = "bytes", [CTRACE_MEM_NAMES] = "names", [CTRACE_MEM_SET_NAMES] = "names",
		[CTRACE_MEM_POINTED] = "bytes",
	};
	struct field *f = &fields[nfields];

	if (WARN_ON_ONCE(nfields == room))
		return -ENOMEM;
	f->m = *m;
	f->phases = phases(m);
	f->name = kasprintf(GFP_KERNEL, "%s_%s", arg, m->flags & CTRACE_MEM_WAS ? "was" : suffix[m->how] ?: "data");
	if (!f->name)
		return -ENOMEM;
	nfields++;
	return 0;
}

static int add_memories(const struct ctrace_syscall *c, bool is32)
{
	const struct ctrace_memory *m;
	struct ctrace_memory own;
	const char *arg;
	int err = 0;
	u32 i;

	for (i = 0; i < ctrace_memory_ntable; i++)
		if (one_of(ctrace_memory_table[i].calls, c->name))
			break;
	if (i == ctrace_memory_ntable)
		return 0;
	m = ctrace_memory_table[i].of;
	for (i = 0; !err && i < ARRAY_SIZE(ctrace_memory_table->of) && m[i].max; i++) {
		own = m[i];
		arg = "frame";
		if (own.how != CTRACE_MEM_SIGFRAME) {
			if (own.arg >= strlen(c->kinds) || c->kinds[own.arg] == 'T')
				continue;
			arg = c->args[own.arg];
		}
		if (is32 && !(own.flags & CTRACE_MEM_COMPAT)) {
			own.max = own.narrow;
			if (own.how == CTRACE_MEM_COUNT)	/* of longs, or pointers */
				own.unit /= 2;
		}
		if (own.max)
			err = add(arg, &own);
		if (!err && own.max && own.flags & CTRACE_MEM_BEFORE) {
			own.flags |= CTRACE_MEM_WAS;
			err = add(arg, &own);
		}
	}
	return err;
}

static int add_paths(const struct ctrace_syscall *c)
{
	struct ctrace_memory m = { .how = CTRACE_MEM_PATH, .max = CTRACE_STR_MAX };
	int err = 0;

	for (m.arg = 0; !err && c->kinds[m.arg]; m.arg++)
		if (is_descriptor(c, m.arg))
			err = add(c->args[m.arg], &m);
	if (!strncmp(c->name, "fcntl", 5))
		m.by = 1;
	m.how = CTRACE_MEM_RET_PATH;
	if (!err && (m.by || one_of(makers, c->name)))
		err = add("ret", &m);
	return err;
}

static bool is_path(const struct ctrace_memory *m)
{
	return m->how == CTRACE_MEM_PATH || m->how == CTRACE_MEM_RET_PATH;
}

static bool is_names(const struct ctrace_memory *m)
{
	return m->how == CTRACE_MEM_NAMES || m->how == CTRACE_MEM_SET_NAMES || m->how == CTRACE_MEM_MSG_NAMES;
}

/* Only sessions that ask for it get any. */
static bool is_detail(const struct ctrace_memory *m)
{
	return is_path(m) || is_names(m) || m->flags & CTRACE_MEM_PRIVATE;
}

/* Of the fields that a record of that phase has. */
struct tail {
	u32 len;	/* bytes if all are empty */
	bool all;	/* for every session, some are not */
	bool data;	/* some are bytes: these begin at a place that depends on the strings before them */
};

static struct tail tail(u32 first, u8 phase)
{
	struct tail t = {};
	u32 i;

	for (i = first; i < nfields; i++) {
		if (!(fields[i].phases & BIT(phase)))
			continue;
		t.all |= !is_detail(&fields[i].m);
		t.data |= !is_path(&fields[i].m);
		t.len += is_path(&fields[i].m) ? 1 : sizeof(u32);
	}
	return t;
}

static int add_call(u32 nr, bool is32, const struct ctrace_syscall *c)
{
	struct ctrace_syscall_layout *l = &ctrace_syscall_layouts[is32][nr];
	struct ctrace_memory_fields *of = &ctrace_memory_fields[is32][nr];
	struct tail entry, exit, whole;
	u32 first = nfields, was = 0, i;
	int err;

	err = add_memories(c, is32) ?: add_paths(c);
	if (err)
		return err;
	of->first = first;
	of->n = nfields - first;
	of->closes = !strcmp(c->name, "close") ? 1 : !strcmp(c->name, "dup2") || !strcmp(c->name, "dup3") ? 2 : 0;
	for (i = first; i < nfields; i++) {
		l->detail |= is_detail(&fields[i].m);
		if (fields[i].m.flags & CTRACE_MEM_WAS)
			was += sizeof(u16) + fields[i].m.max;
		if (fields[i].m.how == CTRACE_MEM_LENGTH || fields[i].m.how == CTRACE_MEM_MSG) {
			of->length_arg = fields[i].m.arg;
			/* behind msg_name */
			of->length = 1 + (fields[i].m.how == CTRACE_MEM_LENGTH ? 0 : is32 ? sizeof(u32) : sizeof(u64));
		}
	}
	if (WARN_ON_ONCE(was > sizeof_field(struct ctrace_memory_was, of)))
		return -EINVAL;
	l->keeps = was || of->length;
	entry = tail(first, CTRACE_CALL_ENTRY);
	exit = tail(first, CTRACE_CALL_EXIT);
	whole = tail(first, CTRACE_CALL_WHOLE);
	l->tail = whole.len;
	l->room |= whole.all;
	l->out = exit.all;
	of->whole = whole.data ? CTRACE_MEM_OTHERS : whole.len;
	of->entry = entry.data ? CTRACE_MEM_OTHERS : entry.len;
	/* the quick way has one word of zeros */
	l->in = l->strings || entry.all || entry.len > sizeof(u64) || l->exit & CTRACE_EXIT_CHANGES;
	if (WARN_ON_ONCE(exit.len >= CTRACE_EXIT_CHANGES))
		return -EINVAL;
	l->exit |= exit.len | (l->in ? CTRACE_EXIT_IN : 0);
	l->len = l->in ? 0 : l->len + (entry.len ? sizeof(u64) : 0);
	return 0;
}

int ctrace_memory_init(const struct ctrace_syscall *(*call)(u32 nr, bool is32))
{
	const struct ctrace_syscall *c;
	int err = 0;
	u32 nr, i;

	BUILD_BUG_ON(sizeof(struct ctrace_syscall_layout) != 8);
	room = 4096;
	fields = vzalloc(room * sizeof(*fields));
	if (!fields)
		return -ENOMEM;
	for (i = 0; i < 2; i++)
		for (nr = 0; !err && nr < CTRACE_NR_SYSCALLS; nr++) {
			c = call(nr, i);
			if (c)
				err = add_call(nr, i, c);
		}
	if (err)
		ctrace_memory_exit();
	return err;
}

void ctrace_memory_exit(void)
{
	while (nfields)
		kfree(fields[--nfields].name);
	vfree(fields);
}

u32 ctrace_memory_describe(u32 nr, bool is32, u8 phase, struct ctrace_field_desc *f)
{
	u32 first = ctrace_memory_fields[is32][nr].first, i, n = 0;

	for (i = first; i < first + ctrace_memory_fields[is32][nr].n; i++) {
		const struct ctrace_memory *m = &fields[i].m;

		if (!(fields[i].phases & BIT(phase)))
			continue;
		memset(&f[n], 0, sizeof(f[n]));
		f[n].name = fields[i].name;
		f[n].kind = is_path(m) ? CTRACE_FK_STRING : CTRACE_FK_SEQ;
		f[n].size = is_path(m) ? 0 : 1;
		f[n].display = m->flags & CTRACE_MEM_ADDRESS ? CTRACE_FD_SOCKADDR : CTRACE_FD_DEFAULT;
		n++;
	}
	return n;
}

/* --- reading ------------------------------------------------------------------------- */

DEFINE_PER_CPU(bool, ctrace_memory_missed);

/*
 * Of an array that crosses into memory that is not there, its first elements; of an address that the kernel
 * cut, all of it.
 */
static noinline u32 put_first(const struct ctrace_memory *m, char *to, u64 from, u32 n)
{
	if (m->flags & CTRACE_MEM_ADDRESS && !(m->flags & CTRACE_MEM_IN))
		return ctrace_memory_copy_page(to, from, n, 1);
	return m->how == CTRACE_MEM_COUNT && m->unit > 1 ? ctrace_memory_copy_page(to, from, n, m->unit) : 0;
}

/* At most max bytes of the field. */
static __always_inline u32 put_field(const struct ctrace_memory *m, const struct ctrace_memory_call *c, char *to, u32 max)
{
	u64 from;

	max = min_t(u32, max, m->max);
	if (m->how == CTRACE_MEM_SIGFRAME)
		return c->phase != CTRACE_CALL_ENTRY ? 0 :
		       ctrace_memory_copy(to, ctrace_compat_sigframe_mask(), max);
	from = c->args[m->arg];
	switch (m->how) {
	case CTRACE_MEM_IOV ... CTRACE_MEM_MSGS_BYTES:
		return ctrace_memory_vector(m, c, to, max);
	case CTRACE_MEM_NAMES:
	case CTRACE_MEM_SET_NAMES:
		return ctrace_memory_names(m, c, to, max);
	case CTRACE_MEM_SOCKET_ARGS:
	case CTRACE_MEM_SOCKET_ADDR:
	case CTRACE_MEM_SOCKET_BYTES:
	case CTRACE_MEM_LENGTH:
	case CTRACE_MEM_EACH:
	case CTRACE_MEM_STRING ... CTRACE_MEM_ARGV:
		return ctrace_memory_made(m, c, to, max);
	default:
		if (m->how == CTRACE_MEM_PRCTL && m->arg == 1 && (u32)c->args[0] == PR_SET_NAME)
			return ctrace_memory_made(m, c, to, max);
		if (!from)
			return 0;
		max = min(ctrace_memory_size(m, c), max);
		return !max || ctrace_memory_read(to, from, max) ? max : put_first(m, to, from, max);
	}
}

u32 ctrace_memory_before(u32 nr, bool is32, const u64 *args)
{
	const struct ctrace_memory_fields *of = &ctrace_memory_fields[is32][nr];
	u64 at = args[of->length_arg];
	u32 n;

	if (!at || !ctrace_memory_read(&n, at + of->length - 1, sizeof(n)) || n >= CTRACE_MEM_BEFORE_MAX)
		return 0;
	return n + 1;
}

/* An x32 program has its own structures, with pointers of 32 bits; their sizes are in no table. */
static __always_inline bool has_own_sizes(const struct ctrace_memory *m, bool is32)
{
	return !is32 && !(m->flags & CTRACE_MEM_COMPAT) && ctrace_compat_x32_own();
}

void ctrace_memory_keep(u32 nr, bool is32, const u64 *args, struct ctrace_memory_was *was)
{
	const struct ctrace_memory_fields *of = &ctrace_memory_fields[is32][nr];
	const struct field *f = &fields[of->first], *end = f + of->n;
	struct ctrace_memory_call c = { .args = args, .phase = CTRACE_CALL_ENTRY, .is32 = is32, .nr = nr };
	char *to = was->of;
	u16 n;

	/* all of them, in their order, so that ctrace_memory_as_it_was() finds each */
	for (; f < end; f++) {
		if (!(f->m.flags & CTRACE_MEM_WAS))
			continue;
		/* add_call() has seen that there is room */
		n = has_own_sizes(&f->m, is32) ? 0 : put_field(&f->m, &c, to + sizeof(n), f->m.max);
		memcpy(to, &n, sizeof(n));
		to += sizeof(n) + n;
	}
}

const char *ctrace_memory_as_it_was(const struct ctrace_memory_call *c, u8 arg, u32 *len)
{
	const struct ctrace_memory_fields *of = &ctrace_memory_fields[c->is32][c->nr];
	const struct field *f = &fields[of->first], *end = f + of->n;
	u32 at = 0;
	u16 n;

	*len = 0;
	for (; c->was && f < end; f++) {
		if (!(f->m.flags & CTRACE_MEM_WAS))
			continue;
		memcpy(&n, c->was->of + at, sizeof(n));
		if (f->m.arg == arg) {
			*len = n;
			return c->was->of + at + sizeof(n);
		}
		at += sizeof(n) + n;
	}
	return NULL;
}

static u32 put_was(const struct ctrace_memory *m, const struct ctrace_memory_call *c, char *to, u32 max)
{
	const char *was;
	u32 n;

	was = ctrace_memory_as_it_was(c, m->arg, &n);
	if (!was || n > max)
		return 0;
	memcpy(to, was, n);
	return n;
}

static __always_inline u32 put_memory(const struct ctrace_memory *m, const struct ctrace_memory_call *c, char *to, u32 max)
{
	bool broken = c->ret == -EINTR || c->ret == -ERESTART_RESTARTBLOCK, in = m->flags & CTRACE_MEM_IN;

	if (m->how == CTRACE_MEM_IOCTL || m->how == CTRACE_MEM_QUOTA) {
		in = m->how == CTRACE_MEM_IOCTL ? ctrace_memory_ioctl_in(c->args[m->by]) :
						  ctrace_memory_quota_in(c->args[m->by]);
		if (c->phase == (in ? CTRACE_CALL_EXIT : CTRACE_CALL_ENTRY) &&
		    !(in && m->how == CTRACE_MEM_IOCTL && ctrace_memory_ioctl_again(c->args[m->by])))
			return 0;
	}
	if (m->flags & CTRACE_MEM_BROKEN ? !broken : !in && IS_ERR_VALUE(c->ret))
		return 0;
	if (has_own_sizes(m, c->is32))
		return 0;
	if (is_names(m) && !c->detail->paths)
		return 0;
	if (m->flags & CTRACE_MEM_PRIVATE)
		max = min(max, c->detail->data);
	return put_field(m, c, to, max);
}

static u32 put_path(const struct ctrace_memory *m, const struct ctrace_memory_call *c, char *to, u32 max)
{
	long fd = m->how == CTRACE_MEM_PATH ? (int)c->args[m->arg] : c->ret;

	*to = 0;
	if (!c->detail->paths || max < CTRACE_STR_MAX)
		return 1;
	if (m->how == CTRACE_MEM_RET_PATH && m->by && c->args[m->by] != F_DUPFD && c->args[m->by] != F_DUPFD_CLOEXEC)
		return 1;
	if (c->closed && m->how == CTRACE_MEM_PATH && m->arg == ctrace_memory_fields[c->is32][c->nr].closes - 1)
		return strscpy(to, c->closed, CTRACE_STR_MAX) + 1;
	return fd == AT_FDCWD ? ctrace_cwd_name(to, CTRACE_STR_MAX) : fd < 0 ? 1 : ctrace_fd_name(fd, to, CTRACE_STR_MAX);
}

bool ctrace_memory_of_file(u32 nr, bool is32, const u64 *args)
{
	const struct ctrace_memory_fields *of = &ctrace_memory_fields[is32][nr];
	const struct field *f = &fields[of->first], *end = f + of->n;
	bool any = false;

	if (ctrace_syscall_layouts[is32][nr].strings)
		return true;
	for (; f < end; f++) {
		if (f->m.how != CTRACE_MEM_PATH)
			continue;
		if (ctrace_fd_is_file(args[f->m.arg]))
			return true;
		any = true;
	}
	return !any;
}

u32 ctrace_memory_put(const struct ctrace_memory_call *c, char *to, u32 len, u32 max)
{
	const struct ctrace_memory_fields *of = &ctrace_memory_fields[c->is32][c->nr];
	const struct field *f = &fields[of->first], *end = f + of->n;
	u32 left, bytes;

	for (; f < end; f++) {
		const struct ctrace_memory *m = &f->m;

		if (!(f->phases & BIT(c->phase)))
			continue;
		/* the fields behind this one need what they need if they are empty */
		left = len + (end - f) * (3 + sizeof(u32));
		left = left < max ? max - left : 0;
		if (is_path(m)) {
			len += put_path(m, c, to + len, left);
			continue;
		}
		memset(to + len, 0, sizeof(u32));
		len = ALIGN(len, 4);
		if (unlikely(m->flags & CTRACE_MEM_WAS))
			bytes = put_was(m, c, to + len + sizeof(u32), left);
		else
			bytes = put_memory(m, c, to + len + sizeof(u32), left);
		*(u32 *)(to + len) = bytes;
		len += sizeof(u32) + bytes;
	}
	return len;
}

/* ctrace_memory_put() has its own copy, which is quicker. */
static noinline u32 put_late(const struct ctrace_memory *m, const struct ctrace_memory_call *c, char *to, u32 max)
{
	return put_memory(m, c, to, max);
}

int ctrace_memory_late(const struct ctrace_memory_call *c, u32 i, char *to, u32 max)
{
	const struct ctrace_memory_fields *of = &ctrace_memory_fields[c->is32][c->nr];
	const struct field *f = &fields[of->first], *end = f + of->n;
	struct ctrace_memory_call at = *c;

	for (; f < end; f++)
		if (f->phases & BIT(CTRACE_CALL_ENTRY) && !i--)
			break;
	if (f >= end)
		return -ENOENT;
	if (is_path(&f->m) || f->m.how == CTRACE_MEM_SIGFRAME)
		return 0;
	at.phase = CTRACE_CALL_EXIT;
	if (f->phases & BIT(CTRACE_CALL_EXIT) && put_late(&f->m, &at, to, max))
		return 0;
	at.phase = CTRACE_CALL_ENTRY;
	at.ret = 0;
	return put_late(&f->m, &at, to, max);
}
