// SPDX-License-Identifier: GPL-2.0-only
/*
 * libiberty, as perf and gdb have it: C++, and both of Rust's ways. It is a small static library, so nothing
 * more has to be installed to run ctrace. libstdc++ knows C++ alone, and its __cxa_demangle() cannot be
 * stopped: a name of a hundred bytes, which any container may choose, can stand for more text than there is
 * memory.
 */
#include <setjmp.h>
#include <string.h>
#include "symbols/demangle.h"

#ifdef CTRACE_LIBIBERTY

#define NAME_LONG	4096	/* bytes of a name, and of what it stands for; longer ones stay as they are */

/* Distributions put the header in different places, or nowhere. */
typedef void (*demangle_callbackref)(const char *s, size_t n, void *arg);
int cplus_demangle_v3_callback(const char *name, int options, demangle_callbackref put, void *arg);
int rust_demangle_callback(const char *name, int options, demangle_callbackref put, void *arg);

struct text {
	struct sbuf *b;
	size_t from;		/* where the name begins in it */
	jmp_buf full;
};

/* libiberty has no other way to stop. At most it loses the memory of one identifier then. */
static void put(const char *s, size_t n, void *arg)
{
	struct text *t = arg;

	if (t->b->len - t->from + n > NAME_LONG)
		longjmp(t->full, 1);
	if (n)
		sbuf_put(t->b, s, n);
}

bool demangle(const char *name, struct sbuf *b)
{
	struct text t = { .b = b, .from = b->len };

	if (name[0] != '_' || (name[1] != 'Z' && name[1] != 'R') || strlen(name) > NAME_LONG)
		return false;
	/* Rust's older names are C++'s with a hash at their end */
	if (!setjmp(t.full)) {
		if (rust_demangle_callback(name, 0, put, &t) && b->len > t.from)
			return true;
		b->len = t.from;
		if (cplus_demangle_v3_callback(name, 0, put, &t) && b->len > t.from)
			return true;
	}
	b->len = t.from;
	return false;
}

#else

bool demangle(const char *name, struct sbuf *b)
{
	(void)name;
	(void)b;
	return false;
}

#endif
