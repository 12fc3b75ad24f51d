// SPDX-License-Identifier: GPL-2.0-only
/*
 * Structures, numbers and arrays by their layouts, which gen-constants makes of calls.spec and the headers.
 */
#include <errno.h>
#include <string.h>
#include "strace/memory.h"

/* --- text or JSON -------------------------------------------------------------- */

void out_name(struct out *o, const char *name)
{
	sbuf_puts(o->b, o->comma ? ", " : "");
	o->comma = true;
	if (name) {
		sbuf_puts(o->b, name);
		sbuf_putc(o->b, '=');
	}
}

void out_open(struct out *o, const char *name, char bracket)
{
	if (o->j) {
		json_open(o->j, name, bracket);
		return;
	}
	out_name(o, name);
	sbuf_putc(o->b, bracket);
	o->comma = false;
}

void out_close(struct out *o, char bracket)
{
	if (o->j) {
		json_close(o->j, bracket);
		return;
	}
	sbuf_putc(o->b, bracket);
	o->comma = true;
}

void out_more(struct out *o)
{
	if (o->j)
		return;
	out_name(o, NULL);
	sbuf_puts(o->b, "...");
}

static bool is_signed(const struct part *type)
{
	switch (type->kind) {
	case PART_INT:
	case PART_DIRFD:
	case PART_LONG:
	case PART_TIME:
	case PART_CLOCK:
		return true;
	default:
		return false;
	}
}

void out_number(struct out *o, const char *name, const struct part *type, uint64_t v)
{
	char hex[24];

	if (!o->j) {
		out_name(o, name);
		number_put(o->b, type, v);
		return;
	}
	if (type->kind == PART_ADDRESS) {
		snprintf(hex, sizeof(hex), "0x%llx", (unsigned long long)v);
		json_str(o->j, name, hex);
	} else if (is_signed(type)) {
		json_int(o->j, name, (int64_t)v);
	} else {
		json_uint(o->j, name, v);
	}
}

void out_fd_name(struct out *o)
{
	struct bytes *left = o->names;
	size_t n;

	if (!left || !left->n)
		return;
	n = strnlen((const char *)left->s, left->n);
	if (n && !o->j)
		path_put(o->b, (const char *)left->s, n);
	*left = bytes_at(*left, n + 1, left->n);
}

void out_string(struct out *o, const char *name, struct bytes d, bool more)
{
	if (o->j) {
		json_strn(o->j, name, (const char *)d.s, d.n);
		return;
	}
	out_name(o, name);
	sbuf_putc(o->b, '"');
	sbuf_escape(o->b, (const char *)d.s, d.n);
	sbuf_puts(o->b, more ? "\"..." : "\"");
}

void out_word(struct out *o, const char *name, const char *word)
{
	if (o->j) {
		json_str(o->j, name, word);
		return;
	}
	out_name(o, name);
	sbuf_puts(o->b, word);
}

/* --- bytes --------------------------------------------------------------------- */

struct bytes bytes_at(struct bytes d, size_t at, size_t n)
{
	if (at > d.n)
		at = d.n;
	return (struct bytes){ d.s ? d.s + at : NULL, n < d.n - at ? n : d.n - at };
}

uint64_t bytes_number(struct bytes d, size_t size)
{
	union { uint8_t u8; uint16_t u16; uint32_t u32; uint64_t u64; } n = { .u64 = 0 };

	memcpy(&n, d.s, size);
	return size == 1 ? n.u8 : size == 2 ? n.u16 : size == 4 ? n.u32 : n.u64;
}

static bool number_size(size_t size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

static uint64_t typed_number(const struct part *type, struct bytes d, size_t size)
{
	uint64_t v = bytes_number(d, size);

	if (size < 8 && is_signed(type) && v >> (8 * size - 1))
		v |= ~0ull << (8 * size);
	return v;
}

/* --- structures ---------------------------------------------------------------- */

enum member_state { MEMBER_SHOWN, MEMBER_HIDDEN, MEMBER_CUT };

static enum member_state member_state(const struct layout *l, const struct member *m, struct bytes d)
{
	const struct member *on = &l->members[m->on];

	if (m->mask) {
		if ((size_t)on->offset + on->size > d.n || !number_size(on->size))
			return MEMBER_HIDDEN;
		if (((bytes_number(bytes_at(d, on->offset, on->size), on->size) & m->mask) == m->value) != m->equal)
			return MEMBER_HIDDEN;
	}
	return (size_t)m->offset + (size_t)m->size * m->n > d.n ? MEMBER_CUT : MEMBER_SHOWN;
}

static void put_element(struct out *o, const char *name, const struct member *m, struct bytes d)
{
	const struct memory nested = { .data = d, .many = -1, .ret = -1 };
	const struct layout *l = m->type->memory;

	if (m->type->kind != PART_MEMORY) {
		if (number_size(m->size))
			out_number(o, name, m->type, typed_number(m->type, d, m->size));
		else
			out_more(o);
	} else if (l->kind == MEMORY_STRUCT || l->kind == MEMORY_SIZED) {
		out_struct(o, name, l, d);
	} else if (!out_kind(o, name, l, &nested)) {
		out_more(o);
	}
}

static void put_member(struct out *o, const struct member *m, struct bytes d)
{
	if (m->n == 1) {
		put_element(o, m->name, m, bytes_at(d, m->offset, m->size));
		return;
	}
	out_open(o, m->name, '[');
	for (uint32_t i = 0; i < m->n; i++)
		put_element(o, NULL, m, bytes_at(d, m->offset + (size_t)i * m->size, m->size));
	out_close(o, ']');
}

/* Its first n members. */
static void put_struct(struct out *o, const char *name, const struct layout *l, struct bytes d, uint32_t n)
{
	unsigned char zeros[256] = { 0 };
	bool more = l->more;
	uint32_t first = 0;
	size_t there;

	out_open(o, name, '{');
	if (l->kind == MEMORY_SIZED && d.n < sizeof(zeros)) {
		for (there = 0; there < d.n; there++)
			zeros[there] = d.s[there];
		for (uint32_t i = 0; i < l->base; i++)
			put_member(o, &l->members[i], (struct bytes){ zeros, sizeof(zeros) });
		first = l->base;
	}
	for (const struct member *m = l->members + first; m < l->members + n; m++) {
		enum member_state state = member_state(l, m, d);

		if (state == MEMBER_SHOWN)
			put_member(o, m, d);
		more |= state == MEMBER_CUT && l->kind != MEMORY_SIZED;
	}
	if (more)
		out_more(o);
	out_close(o, '}');
}

void out_struct(struct out *o, const char *name, const struct layout *l, struct bytes d)
{
	put_struct(o, name, l, d, l->nmembers);
}

/* --- whole arguments ----------------------------------------------------------- */

static bool put_object(struct out *o, const char *name, const struct layout *l, const struct memory *m)
{
	switch (l->kind) {
	case MEMORY_STRUCT:
	case MEMORY_SIZED:
		/* less than the first member */
		if (!m->data.n || !l->nmembers || (l->kind == MEMORY_STRUCT && m->data.n < l->members->size))
			return false;
		out_struct(o, name, l, m->data);
		return true;
	case MEMORY_GOT:
		if (!m->data.n || !l->nmembers)
			return false;
		put_struct(o, name, l, m->data, m->ret < 0 ? l->base : l->nmembers);
		return true;
	case MEMORY_POINTER:
		if (m->data.n < l->size)
			return false;
		out_number(o, name, l->number, typed_number(l->number, m->data, l->size));
		out_fd_name(o);
		return true;
	default:
		return out_kind(o, name, l, m);
	}
}

/* Does the kind count in bytes or bits, or count its elements itself? */
static bool has_own_count(enum memory_kind kind)
{
	return kind == MEMORY_BUF || kind == MEMORY_HEXBUF || kind == MEMORY_FDSET || kind == MEMORY_SOCKOPT ||
	       kind == MEMORY_IOVEC || kind == MEMORY_IOVEC_RET || kind == MEMORY_SIGSET ||
	       kind == MEMORY_MMSGHDR || kind == MEMORY_MMSGHDR_RET;
}

void out_end(struct out *o, const struct memory *m, size_t len, size_t size, bool more)
{
	const uint64_t page = 4096, at = (m ? m->at : 0) + len;

	if (!o->j && more && m && m->at && m->ret == -EFAULT && (!(at % page) || at % page + size > page)) {
		out_name(o, NULL);
		sbuf_printf(o->b, "... /* 0x%llx */", (unsigned long long)at);
	} else if (more) {
		out_more(o);
	}
}

static bool put_array(struct out *o, const char *name, const struct layout *l, const struct memory *m)
{
	size_t n = l->size ? m->data.n / l->size : 0;

	if (!l->size || (!n && m->many))
		return false;
	if (m->many >= 0 && (uint64_t)m->many < n)
		n = (size_t)m->many;
	out_open(o, name, '[');
	for (size_t i = 0; i < n; i++) {
		struct memory one = *m;

		one.data = bytes_at(m->data, i * l->size, l->size);
		one.many = -1;
		put_object(o, NULL, l, &one);
	}
	out_end(o, m, n * l->size, l->size, m->many < 0 ? m->data.n % l->size != 0 : (uint64_t)m->many > n);
	out_close(o, ']');
	return true;
}

static void put_bracketed(struct out *o, const char *name, const struct layout *l, const struct memory *m)
{
	out_open(o, name, '[');
	put_object(o, NULL, l, m);
	out_close(o, ']');
}

static bool put(struct out *o, const char *name, const struct part *p, const struct memory *m)
{
	const struct layout *l = m->layout;

	if (p->kind != PART_MEMORY)
		return false;
	if (p->many && !has_own_count(l->kind))
		return put_array(o, name, l, m);
	/* as text, a number stands in brackets, and so does its value after the call, if that differs */
	if (l->kind == MEMORY_POINTER && !o->j && m->data.n >= l->size) {
		struct memory was = *m;

		was.data = m->was;
		if (m->was.n == l->size && memcmp(m->was.s, m->data.s, l->size)) {
			put_bracketed(o, name, l, &was);
			sbuf_puts(o->b, " => ");
			name = NULL;
			o->comma = false;
		}
		put_bracketed(o, name, l, m);
		return true;
	}
	return put_object(o, name, l, m);
}

bool memory_put_text(struct sbuf *b, const struct part *p, const struct memory *m)
{
	struct bytes names = m->names;

	return put(&(struct out){ .b = b, .names = &names }, NULL, p, m);
}

bool memory_put_json(struct json *j, const char *key, const struct part *p, const struct memory *m)
{
	return put(&(struct out){ .j = j }, key, p, m);
}

void memory_put_polled(struct sbuf *b, const struct memory *m)
{
	const struct layout *l = m->layout;
	struct out o = { .b = b };
	size_t n = l->size ? m->data.n / l->size : 0;

	if (m->many >= 0 && (uint64_t)m->many < n)
		n = (size_t)m->many;
	out_open(&o, NULL, '[');
	for (size_t i = 0; i < n && l->nmembers == 3; i++) {
		struct bytes d = bytes_at(m->data, i * l->size, l->size);
		const struct member *revents = &l->members[2];

		if (!bytes_number(bytes_at(d, revents->offset, revents->size), revents->size))
			continue;
		out_open(&o, NULL, '{');
		put_member(&o, &l->members[0], d);
		put_member(&o, revents, d);
		out_close(&o, '}');
	}
	if (m->many > 0 && (uint64_t)m->many > n)
		out_more(&o);
	out_close(&o, ']');
}
