// SPDX-License-Identifier: GPL-2.0-only
/* Messages with the memory that they point to, and structures whose members depend on others. */
#include <linux/perf_event.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include "strace/memory.h"

static const struct part as_int[] = { { .kind = PART_INT }, { .kind = PART_END } };
static const struct part as_uint[] = { { .kind = PART_UINT }, { .kind = PART_END } };

static uint64_t member(const struct layout *l, uint32_t i, struct bytes d)
{
	return bytes_number(bytes_at(d, l->members[i].offset, l->members[i].size), l->members[i].size);
}

static void put_member(struct out *o, const struct layout *l, uint32_t i, struct bytes d)
{
	out_number(o, l->members[i].name, l->members[i].type, member(l, i, d));
}

/* --- lengths ------------------------------------------------------------------- */

/* The value of a length before the call changed it. at: where in `was`. False: not known, or not changed. */
static bool was_other(int32_t now, struct bytes behind, struct bytes was, size_t at, int32_t *before)
{
	struct bytes d = behind.n >= 4 ? behind : bytes_at(was, at, 4);

	if (d.n < 4)
		return false;
	*before = (int32_t)bytes_number(d, 4);
	return *before != now;
}

/* As strace: "[16 => 8]", if the call changed it. */
static bool put_length(struct out *o, const char *name, const struct memory *m)
{
	int32_t now, before;

	if (m->data.n < 4)
		return false;
	now = (int32_t)bytes_number(m->data, 4);
	if (o->j) {
		json_int(o->j, name, now);
		return true;
	}
	out_name(o, name);
	if (was_other(now, bytes_at(m->data, 4, 4), m->was, 0, &before))
		sbuf_printf(o->b, "[%d => %d]", before, now);
	else
		sbuf_printf(o->b, "[%d]", now);
	return true;
}

/* --- memory that is counted, not recorded ------------------------------------------ */

/* As strace: the address, and the number of elements. The layout's name is the element's. */
static bool put_counted(struct out *o, const char *name, const struct layout *l, const struct memory *m)
{
	uint32_t n;

	if (m->data.n < 4)
		return false;
	n = (uint32_t)bytes_number(m->data, 4);
	if (o->j) {
		json_uint(o->j, name, n);
		return true;
	}
	out_name(o, name);
	if (m->at)
		sbuf_printf(o->b, "%#llx ", (unsigned long long)m->at);
	sbuf_printf(o->b, "/* %u %s */", n, n == 1 && !strcmp(l->name, "vars") ? "var" : l->name);
	return true;
}

/* --- new tasks --------------------------------------------------------------------- */

/* With the value that the kernel wrote to parent_tid: the result, which is the new task's number. */
static bool put_clone_args(struct out *o, const char *name, const struct layout *l, const struct memory *m)
{
	if (!m->data.n || !l->nmembers)
		return false;
	out_struct(o, name, l, m->data);
	if (!o->j && m->ret > 0 && m->data.n >= 8 && bytes_number(m->data, 8) & CLONE_PARENT_SETTID)
		sbuf_printf(o->b, " => {parent_tid=[%lld]}", (long long)m->ret);
	return true;
}

/* --- control messages ---------------------------------------------------------- */

static void put_descriptors(struct out *o, struct bytes d)
{
	out_open(o, "cmsg_data", '[');
	for (; d.n >= 4; d = bytes_at(d, 4, d.n)) {
		out_number(o, NULL, as_int, bytes_number(d, 4));
		out_fd_name(o);
	}
	out_close(o, ']');
}

static void put_credentials(struct out *o, struct bytes d)
{
	static const char *const names[] = { "pid", "uid", "gid" };

	out_open(o, "cmsg_data", '{');
	for (size_t i = 0; i < 3; i++)
		out_number(o, names[i], i ? as_uint : as_int, bytes_number(bytes_at(d, i * 4, 4), 4));
	out_close(o, '}');
}

static void put_control_message(struct out *o, const struct layout *l, struct bytes d, struct bytes data,
				bool cut)
{
	uint64_t level = member(l, 1, d), type = member(l, 2, d);

	out_open(o, NULL, '{');
	put_member(o, l, 0, d);
	put_member(o, l, 1, d);
	if (level == SOL_SOCKET || level == 0 || level == 41)
		put_member(o, l, level == SOL_SOCKET ? 2 : level ? 4 : 3, d);
	else
		out_number(o, "cmsg_type", as_int, type);
	if (level == SOL_SOCKET && type == SCM_RIGHTS)
		put_descriptors(o, data);
	else if (level == SOL_SOCKET && type == SCM_CREDENTIALS && data.n == 12)
		put_credentials(o, data);
	else if (data.n)
		out_hexbuf(o, "cmsg_data", data, cut);
	out_close(o, '}');
}

/* len: how many bytes there were */
static bool put_control(struct out *o, const char *name, const struct layout *l, struct bytes d, uint64_t len)
{
	const size_t unit = l && l->nmembers ? l->members[0].size : 0;
	size_t head = l ? l->size : 0;
	bool cut = len > d.n;

	if ((unit != 4 && unit != 8) || d.n < head)
		return false;
	out_open(o, name, '[');
	while (d.n >= head) {
		uint64_t each = member(l, 0, d);
		size_t n = each < d.n ? (size_t)each : d.n;

		if (each < head)
			break;
		put_control_message(o, l, d, bytes_at(d, head, n - head), each > d.n);
		d = bytes_at(d, (n + unit - 1) / unit * unit, d.n);
	}
	if (d.n || cut)
		out_more(o);
	out_close(o, ']');
	return true;
}

/* --- messages ------------------------------------------------------------------ */

enum { MSG_NAME, MSG_NAMELEN, MSG_IOV, MSG_IOVLEN, MSG_CONTROL, MSG_CONTROLLEN, MSG_FLAGS, MSG_MEMBERS };

static void put_name_length(struct out *o, const struct layout *l, const struct memory *m, bool received)
{
	const struct member *len = &l->members[MSG_NAMELEN];
	int32_t before, now = (int32_t)member(l, MSG_NAMELEN, m->data);

	out_number(o, len->name, len->type, (uint64_t)(int64_t)now);
	if (o->j || !received || !was_other(now, bytes_at(m->data, l->size, 4), m->was, len->offset, &before))
		return;
	o->b->len -= (size_t)snprintf(NULL, 0, "%d", now);
	sbuf_printf(o->b, "%d => %d", before, now);
}

/* The members of msghdr point to memory, which follows in its own fields. */
static bool put_msghdr(struct out *o, const char *name, const struct layout *l, const struct memory *m,
		       bool received)
{
	bool narrow = l->nmembers && l->members[0].size == 4;
	const struct layout *vector = narrow ? layout_iovec.narrow : &layout_iovec;
	const struct layout *head = narrow ? layout_cmsghdr.narrow : &layout_cmsghdr;
	struct bytes addr = m->addr;
	uint64_t v[MSG_MEMBERS], pieces;
	int32_t before;

	if (m->data.n < l->size || l->nmembers != MSG_MEMBERS || !vector)
		return false;
	for (uint32_t i = 0; i < MSG_MEMBERS; i++)
		v[i] = member(l, i, m->data);
	if (received && was_other((int32_t)v[MSG_NAMELEN], bytes_at(m->data, l->size, 4), m->was,
				  l->members[MSG_NAMELEN].offset, &before) && before >= 0 && (size_t)before < addr.n)
		addr.n = (size_t)before;
	pieces = v[MSG_IOVLEN] > INT32_MAX ? INT32_MAX : v[MSG_IOVLEN];
	out_open(o, name, '{');
	for (uint32_t i = 0; i < MSG_MEMBERS; i++) {
		const struct member *member = &l->members[i];

		/* a call that failed has received nothing */
		if (received && m->ret < 0 && i != MSG_NAMELEN)
			continue;
		if (!v[MSG_CONTROLLEN] && i == MSG_CONTROL)
			continue;
		if (i == MSG_NAME && v[i] && out_sockaddr(o, member->name, &layout_sockaddr, addr))
			continue;
		if (i == MSG_IOV && v[i] &&
		    out_vector(o, member->name, vector, m->iov, (int64_t)pieces, m->pieces,
			       received ? m->ret : -1, NULL))
			continue;
		if (i == MSG_CONTROL && put_control(o, member->name, head, m->control, v[MSG_CONTROLLEN]))
			continue;
		if (i == MSG_NAMELEN)
			put_name_length(o, l, m, received);
		else
			out_number(o, member->name, member->type, v[i]);
	}
	out_close(o, '}');
	return true;
}

static struct bytes take(struct bytes *from, uint64_t n)
{
	struct bytes d = bytes_at(*from, 0, n < from->n ? (size_t)n : from->n);

	*from = bytes_at(*from, d.n, from->n);
	return d;
}

/* The bytes that the pieces of a vector hold. */
static uint64_t vector_bytes(struct bytes v, size_t half)
{
	uint64_t sum = 0;

	for (; v.n >= 2 * half; v = bytes_at(v, 2 * half, v.n))
		sum += bytes_number(bytes_at(v, half, half), half) & INT64_MAX >> 4;
	return sum;
}

/*
 * A vector of messages: all addresses, vectors and pieces follow each other. l: of an element, its length
 * alone.
 */
static bool put_messages(struct out *o, const char *name, const struct layout *l, const struct memory *m,
			 bool received)
{
	const struct layout *whole = received ? &layout_msghdr_ret : &layout_msghdr;
	const struct layout *of = l->narrow ? whole : whole->narrow;
	struct memory left = *m;
	size_t n = l->size ? m->data.n / l->size : 0;

	if (!n || l->nmembers != 1 || !of || of->nmembers != MSG_MEMBERS)
		return false;
	out_open(o, name, '[');
	for (size_t i = 0; i < n && (m->many < 0 || i < (uint64_t)m->many); i++) {
		struct bytes d = bytes_at(m->data, i * l->size, l->size);
		const size_t half = of->members[0].size;
		uint64_t iovs = member(of, MSG_IOVLEN, d), sent = member(l, 0, d), pieces;
		struct memory one = { .data = bytes_at(d, 0, of->size), .many = -1, .ret = received ? (int64_t)sent : -1 };

		if (member(of, MSG_NAME, d))
			one.addr = take(&left.addr, (uint32_t)member(of, MSG_NAMELEN, d) < 128 ?
						    (uint32_t)member(of, MSG_NAMELEN, d) : 128);
		one.iov = take(&left.iov, (iovs < 4 ? iovs : 4) * 2 * half);
		pieces = vector_bytes(one.iov, half);
		one.pieces = take(&left.pieces, received && sent < pieces ? sent : pieces);
		out_open(o, NULL, '{');
		put_msghdr(o, "msg_hdr", of, &one, received);
		if (o->j || received || (m->ret > 0 && i < (uint64_t)m->ret))
			put_member(o, l, 0, d);
		out_close(o, '}');
	}
	if (m->many > 0 && (uint64_t)m->many > n)
		out_more(o);
	out_close(o, ']');
	return true;
}

/* --- events -------------------------------------------------------------------- */

enum { SIGEV_INT, SIGEV_VALUE, SIGEV_SIGNO, SIGEV_NOTIFY, SIGEV_FUNCTION, SIGEV_ATTRIBUTES, SIGEV_TID };

static bool put_sigevent(struct out *o, const char *name, const struct layout *l, struct bytes d)
{
	int notify;

	if (d.n < l->size || l->nmembers != SIGEV_TID + 1)
		return false;
	notify = (int)member(l, SIGEV_NOTIFY, d);
	out_open(o, name, '{');
	if (o->j || member(l, SIGEV_VALUE, d)) {
		out_open(o, "sigev_value", '{');
		out_number(o, "sival_int", l->members[SIGEV_INT].type, member(l, SIGEV_INT, d));
		out_number(o, "sival_ptr", l->members[SIGEV_VALUE].type, member(l, SIGEV_VALUE, d));
		out_close(o, '}');
	}
	out_number(o, "sigev_signo", notify == SIGEV_NONE || notify > 4 ? as_uint : l->members[SIGEV_SIGNO].type,
		   member(l, SIGEV_SIGNO, d));
	put_member(o, l, SIGEV_NOTIFY, d);
	if (notify == SIGEV_THREAD) {
		out_number(o, "sigev_notify_function", l->members[SIGEV_FUNCTION].type, member(l, SIGEV_FUNCTION, d));
		out_number(o, "sigev_notify_attributes", l->members[SIGEV_ATTRIBUTES].type,
			   member(l, SIGEV_ATTRIBUTES, d));
	} else if (notify == 4) {	/* SIGEV_THREAD_ID */
		out_number(o, "sigev_notify_thread_id", l->members[SIGEV_TID].type, member(l, SIGEV_TID, d));
	}
	out_close(o, '}');
	return true;
}

/* As calls.spec has them: the same config for each type. */
enum {
	PERF_TYPE, PERF_SIZE, PERF_HW, PERF_SW, PERF_CACHE, PERF_CACHE_OP, PERF_CACHE_RESULT, PERF_DECIMAL, PERF_HEX,
	PERF_PERIOD, PERF_SAMPLE, PERF_FORMAT, PERF_MEMBERS
};

/* Appends "NAME<<SHIFT|". */
static void put_shifted(struct sbuf *b, const struct part *type, uint64_t v, int shift)
{
	number_put(b, type, v);
	sbuf_printf(b, "<<%d|", shift);
}

static void put_perf_config(struct out *o, const struct layout *l, uint64_t type, uint64_t config)
{
	static const struct part as_hex[] = { { .kind = PART_HEX }, { .kind = PART_END } };
	uint32_t i = type == PERF_TYPE_HARDWARE ? PERF_HW : type == PERF_TYPE_SOFTWARE ? PERF_SW :
		     type == PERF_TYPE_HW_CACHE ? PERF_CACHE : type == PERF_TYPE_TRACEPOINT ? PERF_DECIMAL : PERF_HEX;
	struct sbuf *b = o->b;

	if (o->j || (i != PERF_HW && i != PERF_CACHE)) {
		out_number(o, "config", l->members[i].type, config);
		return;
	}
	out_name(o, "config");
	if (config >> 32)	/* which PMU */
		put_shifted(b, as_hex, config >> 32, 32);
	config = (uint32_t)config;
	if (i == PERF_CACHE) {
		if (config >> 24)
			put_shifted(b, as_hex, config >> 24, 24);
		put_shifted(b, l->members[PERF_CACHE_RESULT].type, config >> 16 & 0xff, 16);
		put_shifted(b, l->members[PERF_CACHE_OP].type, config >> 8 & 0xff, 8);
		config &= 0xff;
	}
	number_put(b, l->members[i].type, config);
}

static bool put_perf_attr(struct out *o, const char *name, const struct layout *l, struct bytes d)
{
	/* perf_event_attr's bit fields, from bit 0 on; precise_ip has two */
	static const char *const flags[] = {
		"disabled", "inherit", "pinned", "exclusive", "exclude_user", "exclude_kernel", "exclude_hv",
		"exclude_idle", "mmap", "comm", "freq", "inherit_stat", "enable_on_exec", "task", "watermark",
		"precise_ip", NULL, "mmap_data", "sample_id_all", "exclude_host", "exclude_guest",
		"exclude_callchain_kernel",
		"exclude_callchain_user", "mmap2", "comm_exec", "use_clockid", "context_switch", "write_backward",
		"namespaces", "ksymbol", "bpf_event", "aux_output", "cgroup", "text_poke", "build_id", "inherit_thread",
		"remove_on_exec", "sigtrap",
	};
	static const char *const skid[] = {
		"arbitrary skid", "constant skid", "requested to have 0 skid", "must have 0 skid",
	};
	uint64_t bits;

	if (d.n < l->size || l->nmembers != PERF_MEMBERS)
		return false;
	bits = bytes_number(bytes_at(d, 40, 8), 8);
	out_open(o, name, '{');
	put_member(o, l, PERF_TYPE, d);
	put_member(o, l, PERF_SIZE, d);
	put_perf_config(o, l, member(l, PERF_TYPE, d), member(l, PERF_HW, d));
	out_number(o, bits >> 10 & 1 ? "sample_freq" : "sample_period", l->members[PERF_PERIOD].type,
		   member(l, PERF_PERIOD, d));
	put_member(o, l, PERF_SAMPLE, d);
	put_member(o, l, PERF_FORMAT, d);
	for (size_t i = 0; i < ARRAY_SIZE(flags); i++) {
		if (i == 15) {
			out_number(o, flags[i], as_int, bits >> i & 3);
			if (!o->j)
				sbuf_printf(o->b, " /* %s */", skid[bits >> i & 3]);
		} else if (flags[i] && bits >> i & 1) {
			out_number(o, flags[i], as_int, 1);
		}
	}
	if (!o->j && bits >> 38) {
		out_name(o, "__reserved_1");
		sbuf_printf(o->b, "%#llx /* Bits 63..38 */", (unsigned long long)(bits >> 38));
	}
	out_more(o);
	out_close(o, '}');
	return true;
}

bool out_object(struct out *o, const char *name, const struct layout *l, const struct memory *m)
{
	switch (l->kind) {
	case MEMORY_LENGTH:
		return put_length(o, name, m);
	case MEMORY_MSGHDR:
	case MEMORY_MSGHDR_RET:
		return put_msghdr(o, name, l, m, l->kind == MEMORY_MSGHDR_RET);
	case MEMORY_MMSGHDR:
	case MEMORY_MMSGHDR_RET:
		return put_messages(o, name, l, m, l->kind == MEMORY_MMSGHDR_RET);
	case MEMORY_CONTROL:
		return put_control(o, name, l, m->data, m->data.n);
	case MEMORY_COUNTED:
		return put_counted(o, name, l, m);
	case MEMORY_CLONE_ARGS:
		return put_clone_args(o, name, l, m);
	case MEMORY_SIGEVENT:
		return put_sigevent(o, name, l, m->data);
	case MEMORY_PERF_ATTR:
		return put_perf_attr(o, name, l, m->data);
	default:
		return false;
	}
}
