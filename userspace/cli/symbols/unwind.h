/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Stacks of programs without frame pointers, from the registers and the copy of the stack that came with an
 * event. The files that were mapped say how to find each caller, in .eh_frame. All three may be hostile:
 * whatever they hold, the work is bounded and no memory is read beside them.
 *
 * elfutils' libdwfl does the same, but maps the files that it opens (ELF_C_READ_MMAP_PRIVATE in
 * libdwfl/open.c). A container that truncates such a file would kill us by SIGBUS.
 */
#ifndef CTRACE_UNWIND_H
#define CTRACE_UNWIND_H

#include <libctrace.h>
#include "base/util.h"

#define UNWIND_REGISTERS	33	/* arm64's; x86-64 has 17 */

/* The registers in a frame, by their numbers in DWARF. */
struct unwind_frame {
	uint64_t v[UNWIND_REGISTERS];
	uint64_t known;			/* bit i: v[i] is known */
	unsigned int n;			/* of this machine */
	bool exact;			/* the code was interrupted there; else a call returns there */
};

/* The top of a stack, from sp on. */
struct unwind_stack {
	uint64_t sp;
	const unsigned char *bytes;
	size_t len;
	bool beyond;			/* out: more of it was asked for */
};

/* The tables of one file. */
struct unwind_table;
struct Elf;
/* e: from elf_open(). NULL: it has no tables. */
struct unwind_table *unwind_table_read(struct Elf *e);
void unwind_table_free(struct unwind_table *t);
size_t unwind_table_bytes(const struct unwind_table *t);	/* what it keeps; of NULL nothing */

enum unwind_end {
	UNWIND_ON,		/* f is the caller's frame now */
	UNWIND_DONE,		/* f is the outermost */
	UNWIND_NO_TABLE,	/* the table has nothing for this code */
	UNWIND_NO_STACK,	/* that part of the stack is not in the copy */
	UNWIND_BAD,		/* it makes no sense */
};

/* One step out. at: where the frame's code is in the file of t, in bytes. */
enum unwind_end unwind_step(const struct unwind_table *t, uint64_t at, struct unwind_frame *f, struct unwind_stack *s);

static inline uint64_t unwind_ip(const struct unwind_frame *f)
{
	return f->v[f->n - 1];
}

#endif
