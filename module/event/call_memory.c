// SPDX-License-Identifier: GPL-2.0-only
#include <linux/bits.h>
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/fcntl.h>
#include <linux/kernel.h>
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
	return !strcmp(c->args[i], "fildes") || (strstr(c->args[i], "fd") && c->args[i][n - 1] != 's');
}

static u8 phases(const struct ctrace_memory *m)
{
	bool in = m->flags & CTRACE_MEM_IN || m->how == CTRACE_MEM_PATH;
	u8 of = BIT(CTRACE_CALL_WHOLE);

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
		[CTRACE_MEM_SOCKET_ADDR] = "addr", [CTRACE_MEM_SOCKET_BYTES] = "bytes",
	};
	struct field *f = &fields[nfields];

	if (WARN_ON_ONCE(nfields == room))
		return -ENOMEM;
	f->m = *m;
	f->phases = phases(m);
	f->name = kasprintf(GFP_KERNEL, "%s_%s", arg, suffix[m->how] ?: "data");
	if (!f->name)
		return -ENOMEM;
	nfields++;
	return 0;
}

static int add_memories(const struct ctrace_syscall *c, bool is32)
{
	const struct ctrace_memory *m;
	struct ctrace_memory own;
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
		if (own.arg >= strlen(c->kinds) || c->kinds[own.arg] == 'T')
			continue;
		if (is32 && !(own.flags & CTRACE_MEM_COMPAT))
			own.max = own.narrow;
		if (own.max)
			err = add(c->args[own.arg], &own);
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

/* Only sessions that ask for it get any. */
static bool is_detail(const struct ctrace_memory *m)
{
	return is_path(m) || m->flags & CTRACE_MEM_PRIVATE;
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
	u32 first = nfields, i;
	int err;

	err = add_memories(c, is32) ?: add_paths(c);
	if (err)
		return err;
	of->first = first;
	of->n = nfields - first;
	l->closes = !strcmp(c->name, "close");
	for (i = first; i < nfields; i++)
		l->detail |= is_detail(&fields[i].m);
	entry = tail(first, CTRACE_CALL_ENTRY);
	exit = tail(first, CTRACE_CALL_EXIT);
	whole = tail(first, CTRACE_CALL_WHOLE);
	l->tail = whole.len;
	l->room |= whole.all;
	l->exit = exit.len;
	l->out = exit.all;
	of->whole = whole.data ? CTRACE_MEM_OTHERS : whole.len;
	of->entry = entry.data ? CTRACE_MEM_OTHERS : entry.len;
	/* the quick way has one word of zeros */
	l->in = l->strings || entry.all || entry.len > sizeof(u64);
	l->len = l->in ? 0 : l->len + (entry.len ? sizeof(u64) : 0);
	return 0;
}

int ctrace_memory_init(const struct ctrace_syscall *(*call)(u32 nr, bool is32))
{
	const struct ctrace_syscall *c;
	int err = 0;
	u32 nr, i;

	BUILD_BUG_ON(sizeof(struct ctrace_syscall_layout) != 8);
	room = 3072;
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

/* The program's own, of 64 bits. */
struct piece {
	u64 base, len;
};

struct msg {
	u64 name;
	u32 name_len, pad;
	u64 iov, iov_len, control, control_len;
	u32 flags;
};

/* The same of a 32-bit program. */
struct narrow_piece {
	u32 base, len;
};

struct narrow_msg {
	u32 name, name_len, iov, iov_len, control, control_len, flags;
};

/* n bytes, or none */
static u32 copy(char *to, u64 from, u32 n)
{
	return n && ctrace_memory_read(to, from, n) ? n : 0;
}

static bool read_piece(struct piece *p, u64 iov, u32 i, bool is32)
{
	struct narrow_piece n;

	if (!is32)
		return ctrace_memory_read(p, iov + i * sizeof(*p), sizeof(*p));
	if (!ctrace_memory_read(&n, iov + i * sizeof(n), sizeof(n)))
		return false;
	p->base = n.base;
	p->len = n.len;
	return true;
}

static bool read_msg(struct msg *m, u64 from, bool is32)
{
	struct narrow_msg n;

	if (!is32)
		return ctrace_memory_read(m, from, sizeof(*m));
	if (!ctrace_memory_read(&n, from, sizeof(n)))
		return false;
	m->name = n.name;
	m->name_len = n.name_len;
	m->iov = n.iov;
	m->iov_len = n.iov_len;
	return true;
}

static u32 put_iov(char *to, u64 iov, u64 count, u32 max, bool is32)
{
	u32 each = is32 ? sizeof(struct narrow_piece) : sizeof(struct piece);

	return copy(to, iov, ctrace_memory_elements(count, each, min_t(u32, max, CTRACE_MEM_IOVECS * each)));
}

/* most: bytes that the pieces have in all */
static u32 put_pieces(char *to, u64 iov, u64 count, u64 most, u32 max, bool is32)
{
	struct piece p;
	u32 i, n, len = 0;

	max = min_t(u64, max, most);
	for (i = 0; i < min_t(u64, count, CTRACE_MEM_IOVECS) && len < max; i++) {
		if (!read_piece(&p, iov, i, is32))
			break;
		n = copy(to + len, p.base, min_t(u64, p.len, max - len));
		len += n;
		if (n < p.len)
			break;
	}
	return len;
}

/* The calls that socketcall() makes. */
static const struct {
	u8 nargs;
	u8 addr, bytes;		/* which of them points to an address, and to data; its length is the next. 0: none */
	bool in;		/* the program's; else the kernel's, and the address's length is a pointer */
} socket_calls[] = {
	{ 0 },
	{ .nargs = 3 },						/* socket */
	{ .nargs = 3, .addr = 1, .in = true },			/* bind */
	{ .nargs = 3, .addr = 1, .in = true },			/* connect */
	{ .nargs = 2 },						/* listen */
	{ .nargs = 3, .addr = 1 },				/* accept */
	{ .nargs = 3, .addr = 1 },				/* getsockname */
	{ .nargs = 3, .addr = 1 },				/* getpeername */
	{ .nargs = 4 },						/* socketpair */
	{ .nargs = 4, .bytes = 1, .in = true },			/* send */
	{ .nargs = 4, .bytes = 1 },				/* recv */
	{ .nargs = 6, .addr = 4, .bytes = 1, .in = true },	/* sendto */
	{ .nargs = 6, .addr = 4, .bytes = 1 },			/* recvfrom */
	{ .nargs = 2 },						/* shutdown */
	{ .nargs = 5 },						/* setsockopt */
	{ .nargs = 5 },						/* getsockopt */
	{ .nargs = 3 },						/* sendmsg */
	{ .nargs = 3 },						/* recvmsg */
	{ .nargs = 4, .addr = 1 },				/* accept4 */
	{ .nargs = 5 },						/* recvmmsg */
	{ .nargs = 4 },						/* sendmmsg */
};

/* Of the call that socketcall() makes. from: its arguments. */
static u32 put_socket(const struct ctrace_memory *m, const struct ctrace_memory_call *c, char *to, u64 from, u32 max)
{
	u32 call = c->args[0], a[6] = {}, len;
	u8 addr, bytes;

	if (call >= ARRAY_SIZE(socket_calls))
		return 0;
	OPTIMIZER_HIDE_VAR(call);	/* as in ctrace_syscall_nospec() */
	call %= ARRAY_SIZE(socket_calls);
	if (!ctrace_memory_read(a, from, socket_calls[call].nargs * sizeof(*a)))
		return 0;
	len = socket_calls[call].nargs * sizeof(*a);
	if (m->how == CTRACE_MEM_SOCKET_ARGS) {
		memcpy(to, a, min(len, max));
		return min(len, max);
	}
	/* in whole calls is both; what the kernel wrote is there only after success */
	if (socket_calls[call].in ? c->phase == CTRACE_CALL_EXIT : c->phase == CTRACE_CALL_ENTRY || c->ret < 0)
		return 0;
	addr = socket_calls[call].addr;
	bytes = socket_calls[call].bytes;
	if (m->how == CTRACE_MEM_SOCKET_BYTES)
		return bytes ? copy(to, a[bytes], min_t(u32, socket_calls[call].in ? a[bytes + 1] : c->ret, max)) : 0;
	if (!addr)
		return 0;
	len = a[addr + 1];
	if (!socket_calls[call].in && !ctrace_memory_read(&len, a[addr + 1], sizeof(len)))
		return 0;
	return copy(to, a[addr], min(len, max));
}

u32 ctrace_memory_argv(char *to, u64 from, bool is32, u32 max)
{
	u32 each = is32 || ctrace_compat_x32_own() ? sizeof(u32) : sizeof(u64), len = 0;
	u64 at;
	long n;

	for (; len < max; from += each) {
		at = 0;
		if (!ctrace_memory_read(&at, from, each) || !at)
			break;
		n = ctrace_compat_read_user_string(to + len, (const char __user *)(uintptr_t)at, max - len);
		if (n < 0)
			break;
		len += n;
		if (len < max - 1)	/* not cut: its NUL counts */
			len++;
		else
			break;
	}
	return len;
}

/* At most max bytes of the field. */
static u32 put_field(const struct ctrace_memory *m, const struct ctrace_memory_call *c, char *to, u32 max)
{
	u64 from = c->args[m->arg], most = m->flags & CTRACE_MEM_IN ? ~0ull : (u64)c->ret;
	struct msg msg;

	max = min_t(u32, max, m->max);
	switch (m->how) {
	case CTRACE_MEM_IOV:
		return put_iov(to, from, c->args[m->by], max, c->is32);
	case CTRACE_MEM_IOV_BYTES:
		return put_pieces(to, from, c->args[m->by], most, max, c->is32);
	case CTRACE_MEM_MSG_ADDR:
	case CTRACE_MEM_MSG_IOV:
	case CTRACE_MEM_MSG_BYTES:
		if (!read_msg(&msg, from, c->is32))
			return 0;
		if (m->how == CTRACE_MEM_MSG_ADDR)
			return copy(to, msg.name, min(msg.name_len, max));
		if (m->how == CTRACE_MEM_MSG_IOV)
			return put_iov(to, msg.iov, msg.iov_len, max, c->is32);
		return put_pieces(to, msg.iov, msg.iov_len, most, max, c->is32);
	case CTRACE_MEM_SOCKET_ARGS:
	case CTRACE_MEM_SOCKET_ADDR:
	case CTRACE_MEM_SOCKET_BYTES:
		return put_socket(m, c, to, from, max);
	case CTRACE_MEM_ARGV:
		if (!c->argv)
			return ctrace_memory_argv(to, from, c->is32, max);
		max = min(max, c->argv_len);
		memcpy(to, c->argv, max);
		return max;
	default:
		return copy(to, from, min(ctrace_memory_size(m, c), max));
	}
}

static u32 put_memory(const struct ctrace_memory *m, const struct ctrace_memory_call *c, char *to, u32 max)
{
	bool broken = c->ret == -EINTR || c->ret == -ERESTART_RESTARTBLOCK;

	if (m->flags & CTRACE_MEM_BROKEN ? !broken : !(m->flags & CTRACE_MEM_IN) && IS_ERR_VALUE(c->ret))
		return 0;
	/* an x32 program has its own structures, with pointers of 32 bits; their sizes are in no table */
	if (!c->is32 && !(m->flags & CTRACE_MEM_COMPAT) && ctrace_compat_x32_own())
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
	if (c->closed && m->how == CTRACE_MEM_PATH)
		return strscpy(to, c->closed, CTRACE_STR_MAX) + 1;
	return fd == AT_FDCWD ? ctrace_cwd_name(to, CTRACE_STR_MAX) : fd < 0 ? 1 : ctrace_fd_name(fd, to, CTRACE_STR_MAX);
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
		bytes = put_memory(m, c, to + len + sizeof(u32), left);
		*(u32 *)(to + len) = bytes;
		len += sizeof(u32) + bytes;
	}
	return len;
}
