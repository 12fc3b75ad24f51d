// SPDX-License-Identifier: GPL-2.0-only
/* Memory that a layout alone does not describe: buffers and vectors, sets, and how a child ended. */
#include <linux/ptrace.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include "strace/memory.h"
#include "strace/syscall.h"

static const struct part as_int[] = { { .kind = PART_INT }, { .kind = PART_END } };
static const struct part as_ulong[] = { { .kind = PART_ULONG }, { .kind = PART_END } };
static const struct part as_address[] = { { .kind = PART_ADDRESS }, { .kind = PART_END } };

/* --- buffers ------------------------------------------------------------------- */

static bool put_buf(struct out *o, const char *name, const struct memory *m)
{
	struct bytes d = m->data;

	if (!d.n && m->many)
		return false;
	if (m->many >= 0 && (uint64_t)m->many < d.n)
		d.n = (size_t)m->many;
	out_string(o, name, d, m->many > 0 && (uint64_t)m->many > d.n);
	return true;
}

static bool put_string(struct out *o, const char *name, const struct memory *m)
{
	struct bytes d = m->data;

	if (!d.n)
		return false;
	d.n = strnlen((const char *)d.s, d.n);
	out_string(o, name, d, d.n == m->data.n);
	return true;
}

/* The strings of an array, each with its NUL but one that was cut. */
static bool put_strings(struct out *o, const char *name, const struct memory *m)
{
	struct bytes d = m->data, each;
	bool cut;

	if (!d.n)
		return false;
	out_open(o, name, '[');
	while (d.n) {
		each = bytes_at(d, 0, strnlen((const char *)d.s, d.n));
		cut = each.n == d.n;
		out_string(o, NULL, each, cut);
		d = bytes_at(d, each.n + !cut, d.n);
	}
	out_close(o, ']');
	return true;
}

void out_hexbuf(struct out *o, const char *name, struct bytes d, bool more)
{
	if (o->j) {
		out_string(o, name, d, more);
		return;
	}
	out_name(o, name);
	sbuf_putc(o->b, '"');
	for (size_t i = 0; i < d.n; i++)
		sbuf_printf(o->b, "\\x%02x", d.s[i]);
	sbuf_puts(o->b, more ? "\"..." : "\"");
}

/* This is strace's form for random bytes. */
static bool put_hexbuf(struct out *o, const char *name, const struct memory *m)
{
	if (o->j)
		return put_buf(o, name, m);
	if (!m->data.n && m->many)
		return false;
	out_hexbuf(o, name, m->data, m->many > 0 && (uint64_t)m->many > m->data.n);
	return true;
}

/* A name in a field of fixed size. */
static bool put_text(struct out *o, const char *name, const struct memory *m)
{
	struct bytes d = m->data;

	if (d.n)
		d.n = strnlen((const char *)d.s, d.n);
	out_string(o, name, d, false);
	return true;
}

/* Most options are an int. */
static bool put_sockopt(struct out *o, const char *name, const struct memory *m)
{
	if (m->data.n != 4 || m->many > 4)
		return m->data.n && put_buf(o, name, m);
	if (!o->j)
		out_open(o, name, '[');
	out_number(o, o->j ? name : NULL, as_int, bytes_number(m->data, 4));
	if (!o->j)
		out_close(o, ']');
	return true;
}

bool out_vector(struct out *o, const char *name, const struct layout *l, struct bytes v, int64_t many, struct bytes d,
		int64_t total, const struct memory *m)
{
	const size_t size = l->size, half = size / 2;
	size_t n = size ? v.n / size : 0;

	if ((!n && many) || (half != 4 && half != 8))
		return false;
	if (many >= 0 && (uint64_t)many < n)
		n = (size_t)many;
	out_open(o, name, '[');
	for (size_t i = 0; i < n; i++) {
		uint64_t base = bytes_number(bytes_at(v, i * size, half), half);
		uint64_t len = bytes_number(bytes_at(v, i * size + half, half), half);
		uint64_t has = total >= 0 && (uint64_t)total < len ? (uint64_t)total : len;
		struct bytes piece = bytes_at(d, 0, has < d.n ? (size_t)has : d.n);

		out_open(o, NULL, '{');
		if (base && (piece.n || !has))
			out_string(o, "iov_base", piece, piece.n < has);
		else
			out_number(o, "iov_base", as_address, base);
		out_number(o, "iov_len", as_ulong, len);
		out_close(o, '}');
		d = bytes_at(d, piece.n, d.n);
		if (total >= 0)
			total -= (int64_t)has;
	}
	out_end(o, m, n * size, size, many < 0 ? v.n % size != 0 : (uint64_t)many > n);
	out_close(o, ']');
	return true;
}

static bool put_iovec(struct out *o, const char *name, const struct layout *l, const struct memory *m, bool received)
{
	return out_vector(o, name, l, m->data, m->many, m->pieces, received ? m->ret : -1, m);
}

/* --- sets ---------------------------------------------------------------------- */

static bool has_bit(struct bytes d, size_t i)
{
	return d.s[i / 8] >> (i % 8) & 1;
}

/* As JSON, an array; as text, strace's "[3 4]". */
static void put_set_element(struct out *o, const char *text, bool *any)
{
	if (o->j) {
		json_str(o->j, NULL, text);
		return;
	}
	sbuf_puts(o->b, *any ? " " : "");
	sbuf_puts(o->b, text);
	*any = true;
}

/* If a set has two thirds of the signals, strace shows the ones that are missing. */
static bool put_sigset(struct out *o, const char *name, const struct memory *m)
{
	bool any = false, invert;
	size_t members = 0;
	char text[24];

	/* the kernel refuses a set of another size */
	if (m->data.n < 8 || (m->many >= 0 && m->many != 8))
		return false;
	for (size_t i = 0; i < 64; i++)
		members += has_bit(m->data, i);
	invert = !o->j && members >= 64 * 2 / 3;
	if (o->j) {
		json_open(o->j, name, '[');
	} else {
		out_name(o, name);
		sbuf_puts(o->b, invert ? "~[" : "[");
	}
	for (size_t i = 0; i < 64; i++) {
		const char *sig = signal_name((int)i + 1);

		if (has_bit(m->data, i) == invert)
			continue;
		if (i + 1 == 32)
			snprintf(text, sizeof(text), "RTMIN");
		else if (i + 1 > 32)
			snprintf(text, sizeof(text), "RT_%zu", i + 1 - 32);
		else if (sig && !strncmp(sig, "SIG", 3))
			snprintf(text, sizeof(text), "%s", sig + 3);
		else
			snprintf(text, sizeof(text), "%zu", i + 1);
		put_set_element(o, text, &any);
	}
	out_close(o, ']');
	return true;
}

/* The set's address and its size; with the set if that was recorded. */
static bool put_sigset_p(struct out *o, const char *name, const struct layout *l, const struct memory *m)
{
	const size_t half = l->size / 2;
	struct memory set = { .data = m->pieces };

	if (m->data.n < l->size || l->nmembers != 2)
		return false;
	set.many = (int64_t)bytes_number(bytes_at(m->data, half, half), half);
	if (m->pieces.n < 8 || set.many != 8) {
		out_struct(o, name, l, m->data);
		return true;
	}
	out_open(o, name, '{');
	put_sigset(o, l->members[0].name, &set);
	out_number(o, l->members[1].name, l->members[1].type, (uint64_t)set.many);
	out_close(o, '}');
	return true;
}

/* many: the number of descriptors that count */
static bool put_fdset(struct out *o, const char *name, const struct memory *m)
{
	size_t n = m->data.n * 8;
	bool any = false;
	char text[24];

	if (!n && m->many)
		return false;
	if (m->many >= 0 && (uint64_t)m->many < n)
		n = (size_t)m->many;
	out_open(o, name, '[');
	for (size_t i = 0; i < n; i++) {
		if (!has_bit(m->data, i))
			continue;
		snprintf(text, sizeof(text), "%zu", i);
		if (o->j)
			json_uint(o->j, NULL, i);
		else
			put_set_element(o, text, &any);
		out_fd_name(o);
	}
	if (!o->j && m->many > 0 && (uint64_t)m->many > n)
		put_set_element(o, "...", &any);
	out_close(o, ']');
	return true;
}

uint32_t memory_put_ready(struct sbuf *b, const char *before, const struct memory *m, int64_t max)
{
	size_t n = m->data.n * 8;
	uint32_t any = 0;

	if (m->many >= 0 && (uint64_t)m->many < n)
		n = (size_t)m->many;
	for (size_t i = 0; i < n && any < max; i++)
		if (has_bit(m->data, i))
			sbuf_printf(b, "%s%zu", any++ ? " " : before, i);
	if (any)
		sbuf_putc(b, ']');
	return any;
}

/* --- processes ----------------------------------------------------------------- */

static void put_signal(struct sbuf *b, int sig)
{
	static const struct part as_signal[] = { { .kind = PART_SIG }, { .kind = PART_END } };

	number_put(b, as_signal, (uint64_t)sig);
}

static bool put_wstatus(struct out *o, const char *name, const struct memory *m)
{
	static const char *const events[] = {
		[PTRACE_EVENT_FORK] = "PTRACE_EVENT_FORK", [PTRACE_EVENT_VFORK] = "PTRACE_EVENT_VFORK",
		[PTRACE_EVENT_CLONE] = "PTRACE_EVENT_CLONE", [PTRACE_EVENT_EXEC] = "PTRACE_EVENT_EXEC",
		[PTRACE_EVENT_VFORK_DONE] = "PTRACE_EVENT_VFORK_DONE", [PTRACE_EVENT_EXIT] = "PTRACE_EVENT_EXIT",
		[PTRACE_EVENT_SECCOMP] = "PTRACE_EVENT_SECCOMP", [PTRACE_EVENT_STOP] = "PTRACE_EVENT_STOP",
	};
	struct sbuf *b = o->b;
	int s;

	if (m->data.n < 4)
		return false;
	s = (int)bytes_number(m->data, 4);
	if (o->j) {
		json_int(o->j, name, s);
		return true;
	}
	out_name(o, name);
	sbuf_puts(b, "[{");
	if (WIFEXITED(s)) {
		sbuf_printf(b, "WIFEXITED(s) && WEXITSTATUS(s) == %d", WEXITSTATUS(s));
		s &= ~0xff00;
	} else if (WIFCONTINUED(s)) {
		sbuf_puts(b, "WIFCONTINUED(s)");
		s &= ~0xffff;
	} else if (WIFSTOPPED(s)) {
		sbuf_puts(b, "WIFSTOPPED(s) && WSTOPSIG(s) == ");
		put_signal(b, WSTOPSIG(s) & 0x7f);
		sbuf_puts(b, WSTOPSIG(s) & 0x80 ? " | 0x80" : "");
		s &= ~0xffff;
	} else {
		sbuf_puts(b, "WIFSIGNALED(s) && WTERMSIG(s) == ");
		put_signal(b, WTERMSIG(s));
		sbuf_puts(b, WCOREDUMP(s) ? " && WCOREDUMP(s)" : "");
		s &= ~0xff;
	}
	sbuf_putc(b, '}');
	if (s > 0 && s >> 16 < (int)ARRAY_SIZE(events) && events[s >> 16])
		sbuf_printf(b, "|%s<<16", events[s >> 16]);
	else if (s)
		sbuf_printf(b, "|%#x", (unsigned int)s);
	sbuf_putc(b, ']');
	return true;
}

/* kind: of 32-bit programs if it has no narrow one. The first three members are the same. */
static bool put_siginfo(struct out *o, const char *name, const struct layout *kind, struct bytes d)
{
	const struct layout *l = &layout_siginfo_none;
	int sig, code;

	if (d.n < offsetof(siginfo_t, si_code) + sizeof(int))
		return false;
	sig = (int)bytes_number(d, sizeof(int));
	code = (int)bytes_number(bytes_at(d, offsetof(siginfo_t, si_code), sizeof(int)), sizeof(int));
	if (!sig) {
		out_open(o, name, '{');
		out_close(o, '}');
		return true;
	}
	if (sig == SIGCHLD && code == CLD_EXITED)
		l = &layout_siginfo_chld;
	else if (sig == SIGCHLD && code > 0 && code <= CLD_CONTINUED)
		l = &layout_siginfo_killed;
	else if (code == SI_QUEUE)
		l = &layout_siginfo_queue;
	else if (code == SI_USER || code == SI_TKILL)
		l = &layout_siginfo_kill;
	if (!kind->narrow)
		l = l->narrow;
	out_struct(o, name, l, d);
	return true;
}

/* Sets of capabilities, in strace's form: "1<<CAP_KILL|1<<CAP_FOWNER". */
static void put_cap_set(struct out *o, const struct member *m, uint64_t set)
{
	const struct constants *names = m->type->names;
	const char *sep = "";

	if (o->j) {
		json_uint(o->j, m->name, set);
		return;
	}
	out_name(o, m->name);
	if (!set)
		sbuf_putc(o->b, '0');
	for (uint32_t i = 0; i < names->n; i++) {
		if (names->of[i].value >= 64 || !(set >> names->of[i].value & 1))
			continue;
		sbuf_printf(o->b, "%s1<<%s", sep, names->of[i].name);
		set &= ~(1ull << names->of[i].value);
		sep = "|";
	}
	if (set)
		sbuf_printf(o->b, "%s%#llx", sep, (unsigned long long)set);
	if (set && !*sep)
		sbuf_puts(o->b, " /* CAP_??? */");
}

/* In the first element, the lower 32 bits of each set; in the second, if there is one, the upper ones. */
static bool put_caps(struct out *o, const char *name, const struct layout *l, struct bytes d)
{
	struct bytes upper = bytes_at(d, l->size, l->size);

	if (!l->size || d.n < l->size || l->nmembers != 3)
		return false;
	out_open(o, name, '{');
	for (uint32_t i = 0; i < 3; i++) {
		const struct member *m = &l->members[i];
		uint64_t set = bytes_number(bytes_at(d, m->offset, m->size), m->size);

		if (upper.n == l->size)
			set |= bytes_number(bytes_at(upper, m->offset, m->size), m->size) << 32;
		put_cap_set(o, m, set);
	}
	out_close(o, '}');
	return true;
}

/* A time to set on a file: strace shows its date, too. */
static bool put_utime(struct out *o, const char *name, const struct layout *l, struct bytes d)
{
	bool nanoseconds;
	size_t half = l->size / 2;
	uint64_t v[2];

	if (d.n < l->size || l->nmembers != 2 || (half != 4 && half != 8))
		return false;
	v[0] = bytes_number(d, half);
	if (half == 4)
		v[0] = (uint64_t)(int32_t)v[0];
	v[1] = bytes_number(bytes_at(d, half, half), half);
	if (!o->j && l->members[1].name[3] == 'n' && (v[1] == UTIME_NOW || v[1] == UTIME_OMIT)) {
		out_word(o, name, v[1] == UTIME_NOW ? "UTIME_NOW" : "UTIME_OMIT");
		return true;
	}
	out_struct(o, name, l, d);
	nanoseconds = l->members[1].name[3] == 'n';
	if (!o->j && v[1] < (nanoseconds ? 1000000000 : 1000000))
		date_put(o->b, (int64_t)v[0], v[1], nanoseconds ? 9 : 6);
	return true;
}

/* As text without the call's results, which stand after the call's return value. */
static bool put_pollfd(struct out *o, const char *name, const struct layout *l, struct bytes d)
{
	if (d.n < l->size || l->nmembers != 3)
		return false;
	if (o->j) {
		out_struct(o, name, l, d);
		return true;
	}
	out_open(o, name, '{');
	out_number(o, "fd", as_int, bytes_number(d, 4));
	out_fd_name(o);
	if ((int32_t)bytes_number(d, 4) >= 0)
		out_number(o, "events", l->members[1].type, bytes_number(bytes_at(d, l->members[1].offset, 2), 2));
	out_close(o, '}');
	return true;
}

bool out_kind(struct out *o, const char *name, const struct layout *l, const struct memory *m)
{
	switch (l->kind) {
	case MEMORY_BUF:
		return put_buf(o, name, m);
	case MEMORY_STRING:
		return put_string(o, name, m);
	case MEMORY_STRINGS:
		return put_strings(o, name, m);
	case MEMORY_HEXBUF:
		return put_hexbuf(o, name, m);
	case MEMORY_TEXT:
		return put_text(o, name, m);
	case MEMORY_SOCKOPT:
		return put_sockopt(o, name, m);
	case MEMORY_IOVEC:
	case MEMORY_IOVEC_RET:
		return put_iovec(o, name, l, m, l->kind == MEMORY_IOVEC_RET);
	case MEMORY_SOCKADDR:
		return out_sockaddr(o, name, l, m->data);
	case MEMORY_SIGSET:
		return put_sigset(o, name, m);
	case MEMORY_CAPS:
		return put_caps(o, name, l, m->data);
	case MEMORY_SIGSET_P:
		return put_sigset_p(o, name, l, m);
	case MEMORY_FDSET:
		return put_fdset(o, name, m);
	case MEMORY_WSTATUS:
		return put_wstatus(o, name, m);
	case MEMORY_SIGINFO:
		return put_siginfo(o, name, l, m->data);
	case MEMORY_UTIME:
		return put_utime(o, name, l, m->data);
	case MEMORY_POLLFD:
		return put_pollfd(o, name, l, m->data);
	case MEMORY_STRUCT:
	case MEMORY_SIZED:
	case MEMORY_GOT:
	case MEMORY_POINTER:
		return false;
	default:
		return out_object(o, name, l, m);
	}
}
