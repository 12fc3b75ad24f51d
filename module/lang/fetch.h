/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Kprobe definitions in the kernel's own syntax (Documentation/trace/kprobetrace.rst):
 *
 *	p[:[SYSTEM/]NAME] [MOD:]SYMBOL[+OFFSET][%return] [[ARG=]FETCH[:TYPE]]...
 *	r[MAXACTIVE][:[SYSTEM/]NAME] [MOD:]SYMBOL [[ARG=]FETCH[:TYPE]]...
 *
 * and one more for a span, whose event is a whole call with its duration, its result and arguments of its
 * entry:
 *
 *	f[MAXACTIVE][:[SYSTEM/]NAME] [MOD:]SYMBOL [[ARG=]FETCH[:TYPE]]...
 *
 * and kprobe:SYMBOL, kretprobe:SYMBOL, func:SYMBOL. fetch.c makes the text into a program, once; fetch_eval.c
 * runs the program, which writes a record's payload. The limits below bound all loops and nesting of both.
 *
 * Compiles on a host, too: tests and the fuzzer run the same code.
 */
#ifndef CTRACE_FETCH_H
#define CTRACE_FETCH_H

#include "lang/expr.h"
#include "lang/hosted.h"

#define CTRACE_FETCH_ARGS	32	/* of one definition */
#define CTRACE_FETCH_NAME	32	/* of an argument, with its NUL, as the kernel's */
#define CTRACE_FETCH_DEREFS	8	/* +OFFSET( in each other */
#define CTRACE_FETCH_COUNT	64	/* elements of an array, as the kernel's */
#define CTRACE_FETCH_SYMBOL	256	/* MOD:SYMBOL, with its NUL */
#define CTRACE_FETCH_MAXACTIVE	4096	/* as the kernel's */
#define CTRACE_FETCH_PAYLOAD	(CTRACE_RECORD_MAX - (u32)sizeof(struct ctrace_record))

/* What the record of a span begins with; its arguments follow. Two fields, and a multiple of 8 bytes. */
struct ctrace_fetch_span {
	u64 duration, ret;
};
#define CTRACE_FETCH_SPAN_FIELDS	2

enum ctrace_fetch_base {
	CTRACE_FETCH_IMM,	/* value is the number itself */
	CTRACE_FETCH_REG,	/* value: offset in struct pt_regs */
	CTRACE_FETCH_STACK,	/* value: which word of the stack; 0 is its top */
	CTRACE_FETCH_COMM,
};

struct ctrace_fetch_deref {
	s32 offset;
	bool user;		/* user memory, whatever the address looks like */
};

struct ctrace_fetch_arg {
	char name[CTRACE_FETCH_NAME];
	u8 base;		/* enum ctrace_fetch_base */
	u8 kind;		/* CTRACE_FK_UINT, INT: of each element; or STRING */
	u8 display;		/* enum ctrace_field_display */
	u8 size;		/* bytes of an element; STRING: 0 */
	u8 count;		/* of an array; 0: a single value */
	u8 bits, shift;		/* of a bit field; bits 0: the whole number */
	u8 nderefs;
	struct ctrace_fetch_deref derefs[CTRACE_FETCH_DEREFS];	/* innermost first */
	u64 value;
};

/* Immutable once made. */
struct ctrace_fetch {
	char system[CTRACE_FETCH_NAME];
	char name[CTRACE_NAME_MAX];	/* event type's */
	char symbol[CTRACE_FETCH_SYMBOL];
	u64 offset;			/* of the instruction; 0: the function's entry */
	u32 maxactive;			/* 0: the kernel's default */
	bool ret;			/* at the function's return */
	bool span;			/* from its entry to its return; the arguments are the entry's */
	bool plain;			/* kprobe:SYMBOL and the like: no definition of its own */
	bool kaddr;			/* an argument may be a kernel address */
	u32 max;			/* bytes of all arguments at their longest */
	u32 nfields;			/* nargs, and the fields of struct ctrace_fetch_span */
	u32 nargs;
	struct ctrace_fetch_arg args[CTRACE_FETCH_ARGS];
	struct ctrace_field_desc fields[CTRACE_FETCH_ARGS];	/* point into args */
};

/* What the parser must know about the machine. In compat/regs.c; a test has its own. */
struct ctrace_fetch_reg {
	const char *name;
	u16 offset;			/* in struct pt_regs; 8 bytes there */
};
struct ctrace_fetch_abi {
	const struct ctrace_fetch_reg *regs;
	u32 nregs;
	const char *const *args;	/* registers of a function's arguments, in order */
	u32 nargs;
	u32 stack_args;			/* word of the stack at entry that holds argument nargs + 1 */
	const char *retval;		/* register */
	const char *sp;
};
extern const struct ctrace_fetch_abi ctrace_fetch_abi;

/*
 * 0 and *out (free with ctrace_free()); or -EINVAL, -E2BIG, and why names the bad word; or -ENOMEM. Does
 * not ask whether the kernel has SYMBOL. Process context.
 */
int ctrace_fetch_new(const char *text, struct ctrace_fetch **out, char *why, size_t why_size);

/* At a hit. */
struct ctrace_fetch_ctx {
	const void *regs;		/* struct pt_regs */
	u64 sp;				/* the stack pointer in it */
	u64 stack_size;			/* size and alignment of stacks */
	const char *comm;		/* as in struct ctrace_expr_ctx */
	/*
	 * The event is a task's that has user memory. An interrupt has none: its current may be
	 * any task. A kernel thread has none: what is mapped is the last user task's.
	 */
	bool task;
};

/*
 * Any context incl. NMI; preemption off. Writes at most f->max bytes to payload, which is aligned to 8, and
 * returns how many. Memory that cannot be read gives 0, or "(fault)" for a string.
 */
u32 ctrace_fetch_eval(const struct ctrace_fetch *f, const struct ctrace_fetch_ctx *x, void *payload);

/*
 * In lang/fetch_abi.c; a test has its own. Reads n bytes; a string's bytes never cross a 32-byte boundary. 0
 * or an error; must not fault or sleep. *to is undefined after an error.
 */
long ctrace_fetch_read(const struct ctrace_fetch_ctx *x, void *to, u64 from, u32 n, bool user);

#endif
