// SPDX-License-Identifier: GPL-2.0-only
/* Runs a definition's program: from registers and memory to a payload. */
#include "lang/copy_string.h"
#include "lang/fetch.h"

static u64 base_value(const struct ctrace_fetch_arg *a, const struct ctrace_fetch_ctx *x)
{
	u64 at, v;

	switch (a->base) {
	case CTRACE_FETCH_REG:
		memcpy(&v, (const char *)x->regs + a->value, sizeof(v));
		return v;
	case CTRACE_FETCH_STACK:
		at = x->sp + a->value * sizeof(u64);
		/* Beyond the stack is other memory, which was not asked for. */
		if ((at ^ x->sp) & ~(x->stack_size - 1) ||
		    ctrace_fetch_read(x, &v, at, sizeof(v), false))
			return 0;
		return v;
	default:
		return a->value;
	}
}

/* Follows all but the last dereference. */
static bool address(const struct ctrace_fetch_arg *a, const struct ctrace_fetch_ctx *x, u64 *to)
{
	u64 v = base_value(a, x);
	u32 i;

	for (i = 0; i + 1 < a->nderefs; i++)
		if (ctrace_fetch_read(x, &v, v + a->derefs[i].offset, sizeof(v), a->derefs[i].user))
			return false;
	*to = v + a->derefs[i].offset;
	return true;
}

static u64 load(const void *from, u32 size)
{
	union { u8 b; u16 h; u32 w; u64 d; } v;

	memcpy(&v, from, size);
	return size == 1 ? v.b : size == 2 ? v.h : size == 4 ? v.w : v.d;
}

static void store(void *to, u64 n, u32 size)
{
	union { u8 b; u16 h; u32 w; u64 d; } v;

	switch (size) {
	case 1: v.b = n; break;
	case 2: v.h = n; break;
	case 4: v.w = n; break;
	default: v.d = n;
	}
	memcpy(to, &v, size);
}

static u64 bits(const struct ctrace_fetch_arg *a, u64 v)
{
	return a->bits ? (v >> a->shift) & (~0ull >> (64 - a->bits)) : v;
}

/* One element, from memory; 0 if its address was not found (there is false) or cannot be read. */
static void element(const struct ctrace_fetch_arg *a, const struct ctrace_fetch_ctx *x, bool there,
		    u64 from, void *to)
{
	char room[8];
	u64 v = 0;

	if (there && !ctrace_fetch_read(x, room, from, a->size, a->derefs[a->nderefs - 1].user))
		v = load(room, a->size);
	store(to, bits(a, v), a->size);
}

/* Zeroes the payload up to the next multiple of size, and returns that. */
static u32 pad(char *payload, u32 at, u32 size)
{
	u32 pad = -at & (size - 1);

	memset(payload + at, 0, pad);
	return at + pad;
}

static u32 put_number(const struct ctrace_fetch_arg *a, const struct ctrace_fetch_ctx *x, char *payload,
		  u32 at)
{
	u32 i, n = a->count ?: 1, count = a->count;
	bool there;
	u64 from = 0;

	if (count) {
		at = pad(payload, at, sizeof(count));
		memcpy(payload + at, &count, sizeof(count));
		at += sizeof(count);
	}
	at = pad(payload, at, a->size);
	if (!a->nderefs) {
		store(payload + at, bits(a, base_value(a, x)), a->size);
		return at + a->size;
	}
	there = address(a, x, &from);
	for (i = 0; i < n; i++, at += a->size)
		element(a, x, there, from + i * a->size, payload + at);
	return at;
}

struct place {
	const struct ctrace_fetch_ctx *x;
	bool user;
};

static __always_inline long read_place(void *to, u64 at, u32 n, const void *arg)
{
	const struct place *p = arg;

	return ctrace_fetch_read(p->x, to, at, n, p->user);
}

static u32 string(const struct ctrace_fetch_arg *a, const struct ctrace_fetch_ctx *x, char *to)
{
	struct place p = { .x = x };
	u64 from;
	u32 n;

	if (a->base == CTRACE_FETCH_COMM) {
		/* Read each byte once: the task may be renaming itself. */
		for (n = 0; n < CTRACE_COMM_LEN - 1; n++) {
			to[n] = x->comm[n];
			if (!to[n])
				return n + 1;
		}
		to[n] = 0;
		return n + 1;
	}
	if (address(a, x, &from)) {
		p.user = a->derefs[a->nderefs - 1].user;
		return ctrace_copy_string(to, from, read_place, &p);
	}
	memcpy(to, CTRACE_FAULT, sizeof(CTRACE_FAULT));
	return sizeof(CTRACE_FAULT);
}

u32 ctrace_fetch_eval(const struct ctrace_fetch *f, const struct ctrace_fetch_ctx *x, void *payload)
{
	const struct ctrace_fetch_arg *a;
	u32 at = 0;

	for (a = f->args; a < f->args + f->nargs; a++) {
		if (a->kind == CTRACE_FK_STRING)
			at += string(a, x, (char *)payload + at);
		else
			at = put_number(a, x, payload, at);
	}
	return at;
}
