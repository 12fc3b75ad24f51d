// SPDX-License-Identifier: GPL-2.0-only
/* One argument of a system call as text: names for its constants, in strace's form. */
#include <fcntl.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>
#include "strace/calls.h"
#include "strace/syscall.h"

static const char *name_of(const struct constants *c, uint64_t v)
{
	uint32_t low = 0, high = c->n;

	while (low < high) {
		uint32_t mid = (low + high) / 2;

		if (c->of[mid].value == v)
			return c->of[mid].name;
		if (c->of[mid].value < v)
			low = mid + 1;
		else
			high = mid;
	}
	return NULL;
}

/* Most of a line's text is numbers: this is much faster than sbuf_printf(). */
static void put_digits(struct sbuf *b, uint64_t v, unsigned int base)
{
	char digits[24], *s = digits + sizeof(digits);

	do
		*--s = "0123456789abcdef"[v % base];
	while (v /= base);
	sbuf_put(b, s, (size_t)(digits + sizeof(digits) - s));
}

static void put_hex(struct sbuf *b, uint64_t v)
{
	sbuf_puts(b, v ? "0x" : "");
	put_digits(b, v, 16);
}

static void put_signed(struct sbuf *b, int64_t v)
{
	sbuf_puts(b, v < 0 ? "-" : "");
	put_digits(b, v < 0 ? -(uint64_t)v : (uint64_t)v, 10);
}

/* Appends a number without a name, after others if any. If it is alone, a comment such as AF_??? follows. */
static void put_unknown(struct sbuf *b, const struct constants *c, uint64_t v, bool any, bool last)
{
	sbuf_puts(b, any ? "|" : "");
	if (c->unknown && *c->unknown == '%') {
		put_signed(b, (int32_t)v);
		return;
	}
	put_hex(b, v);
	if (!any && last && c->unknown)
		sbuf_printf(b, " /* %s */", c->unknown);
}

static void put_enum(struct sbuf *b, const struct constants *c, uint64_t v, bool any)
{
	const char *name = name_of(c, v);

	if (!name) {
		put_unknown(b, c, v, any, true);
		return;
	}
	sbuf_puts(b, any ? "|" : "");
	sbuf_puts(b, name);
}

static bool octal_follows(const struct part *p)
{
	while ((++p)->kind != PART_END)
		if (p->kind == PART_OCTAL)
			return true;
	return false;
}

/* Returns whether something was written, now or before. */
static bool put_bits(struct sbuf *b, const struct part *p, uint64_t v, bool any)
{
	const struct constants *c = p->names;
	const uint64_t all = v;

	for (const struct constant *k = c->of; k < c->of + c->n && (v || !all); k++) {
		if ((v & k->value) != k->value || (!k->value && (all || any)))
			continue;
		sbuf_puts(b, any ? "|" : "");
		sbuf_puts(b, k->name);
		v &= ~k->value;
		any = true;
		if (!all)
			break;
	}
	if (v)
		put_unknown(b, c, v, any, !octal_follows(p));
	return any || v;
}

static void put_signal(struct sbuf *b, uint64_t v)
{
	const char *name = v <= 64 ? signal_name((int)v) : NULL;

	if (name)
		sbuf_puts(b, name);
	else if (v == 32)
		sbuf_puts(b, "SIGRTMIN");
	else if (v > 32 && v <= 64)
		sbuf_printf(b, "SIGRT_%u", (unsigned int)v - 32);
	else
		put_signed(b, (int32_t)v);
}

/* An ioctl without a name: direction, driver, number, and size of the memory it points to. */
static void put_ioctl(struct sbuf *b, const struct constants *c, uint64_t v)
{
	static const char *const dirs[] = { "_IOC_NONE", "_IOC_WRITE", "_IOC_READ", "_IOC_READ|_IOC_WRITE" };
	const char *name = name_of(c, v);

	if (name) {
		sbuf_puts(b, name);
		return;
	}
	sbuf_printf(b, "_IOC(%s, ", dirs[v >> 30 & 3]);
	put_hex(b, v >> 8 & 0xff);
	sbuf_puts(b, ", ");
	put_hex(b, v & 0xff);
	sbuf_puts(b, ", ");
	put_hex(b, v >> 16 & 0x3fff);
	sbuf_putc(b, ')');
}

void date_put(struct sbuf *b, int64_t sec, uint64_t fraction, int digits)
{
	time_t t = (time_t)sec;
	char text[64];
	struct tm tm;

	if ((!sec && !fraction) || !localtime_r(&t, &tm))
		return;
	strftime(text, sizeof(text), "%FT%T", &tm);
	sbuf_printf(b, " /* %s", text);
	if (fraction)
		sbuf_printf(b, ".%0*llu", digits, (unsigned long long)fraction);
	strftime(text, sizeof(text), "%z", &tm);
	sbuf_printf(b, "%s */", text);
}

static void put_whole(struct sbuf *b, const struct part *p, uint64_t v)
{
	switch (p->kind) {
	case PART_DIRFD:
		if ((int32_t)v == AT_FDCWD) {
			sbuf_puts(b, "AT_FDCWD");
			return;
		}
		/* fall through */
	case PART_INT:
		put_signed(b, (int32_t)v);
		return;
	case PART_UID:
		if ((uint32_t)v == UINT32_MAX) {
			sbuf_puts(b, "-1");
			return;
		}
		/* fall through */
	case PART_UINT:
		put_digits(b, (uint32_t)v, 10);
		return;
	case PART_LONG:
		put_signed(b, (int64_t)v);
		return;
	case PART_ULONG:
		put_digits(b, v, 10);
		return;
	case PART_HEX:
		put_hex(b, v);
		return;
	case PART_VERSION:	/* of a kernel */
		sbuf_printf(b, "KERNEL_VERSION(%u, %u, %u)", (uint32_t)v >> 16, (uint32_t)v >> 8 & 0xff, (uint32_t)v & 0xff);
		return;
	case PART_MODE:
		sbuf_printf(b, "%#03o", (uint32_t)v);
		return;
	case PART_SIG:
		put_signal(b, (uint32_t)v);
		return;
	case PART_DEV:
		sbuf_puts(b, "makedev(");
		put_hex(b, major((uint32_t)v));
		sbuf_puts(b, ", ");
		put_hex(b, minor((uint32_t)v));
		sbuf_putc(b, ')');
		return;
	case PART_IOCTL:
		put_ioctl(b, p->names, (uint32_t)v);
		return;
	case PART_CLOCK:
		put_signed(b, (int64_t)v);
		if (v)
			sbuf_printf(b, " /* %.2f s */", (double)(int64_t)v / (double)sysconf(_SC_CLK_TCK));
		return;
	case PART_TIME:
		put_signed(b, (int64_t)v);
		date_put(b, (int64_t)v, 0, 0);
		return;
	case PART_RLIM:
	case PART_RLIM32:
		if (v == (p->kind == PART_RLIM ? UINT64_MAX : UINT32_MAX)) {
			sbuf_puts(b, p->kind == PART_RLIM ? "RLIM64_INFINITY" : "RLIM_INFINITY");
			return;
		}
		put_digits(b, v > 1024 && !(v % 1024) ? v / 1024 : v, 10);
		sbuf_puts(b, v > 1024 && !(v % 1024) ? "*1024" : "");
		return;
	default:
		if (v)
			put_hex(b, v);
		else
			sbuf_puts(b, "NULL");
	}
}

/* One of several parts. Returns whether something was written, now or before. */
static bool put_part(struct sbuf *b, const struct part *p, uint64_t v, bool any)
{
	if (p->kind == PART_BITS)
		return put_bits(b, p, v, any);
	if (p->kind == PART_ENUM) {
		v >>= p->shift;
		/* nothing, among others */
		if (!v && (p[1].kind != PART_END || any) && !name_of(p->names, v))
			return any;
		put_enum(b, p->names, v, any);
		return true;
	}
	if (!v && (p->kind == PART_SIGNAL || p->kind == PART_SHIFTED))
		return any;
	sbuf_puts(b, any ? "|" : "");
	if (p->kind == PART_OCTAL)
		sbuf_printf(b, "%#03o", (uint32_t)v);
	else if (p->kind == PART_SIGNAL)
		put_signal(b, v);
	else
		put_digits(b, v >> p->shift, 10);
	if (p->kind == PART_SHIFTED)
		sbuf_printf(b, "<<%s", p->name);
	return true;
}

static void put_wrapped(struct sbuf *b, const struct part *p, uint64_t v)
{
	sbuf_puts(b, p->name);
	for (const struct part *q = p + 1; q->kind != PART_END; q++) {
		sbuf_puts(b, q > p + 1 ? ", " : "");
		if (q->kind == PART_ENUM)
			put_enum(b, q->names, (v & q->mask) >> q->shift, false);
		else
			put_part(b, q, v & q->mask, false);
	}
	sbuf_putc(b, ')');
}

void number_put(struct sbuf *b, const struct part *p, uint64_t v)
{
	bool any = false;

	if (p->kind >= PART_INT) {
		put_whole(b, p, v);
		return;
	}
	if (p->kind == PART_WRAPPED) {
		put_wrapped(b, p, v);
		return;
	}
	if (p->kind == PART_ENUM && p[1].kind == PART_END) {
		put_enum(b, p->names, v & p->mask, false);
		return;
	}
	for (; p->kind != PART_END; p++)
		any = put_part(b, p, v & p->mask, any);
	if (!any)
		sbuf_putc(b, '0');
}
