/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The types of system calls' arguments. The tables are in constants.c, which gen-constants makes of
 * constants.spec, calls.spec and the headers of the system that this is built for.
 */
#ifndef CTRACE_CALLS_H
#define CTRACE_CALLS_H

#include <stdbool.h>
#include <stdint.h>
#include "base/util.h"

struct constant {
	uint64_t value;
	const char *name;
};

struct constants {
	/* "AF_???", for the comment after a number that has no name; or "%d"; NULL: no comment */
	const char *unknown;
	uint32_t n;
	const struct constant *of;	/* an enumeration's: sorted by value */
};

enum part_kind {
	PART_END, PART_ENUM, PART_BITS, PART_OCTAL, PART_SIGNAL, PART_NUMBER, PART_SHIFTED, PART_WRAPPED,
	/* whole arguments */
	PART_INT, PART_UINT, PART_LONG, PART_ULONG, PART_HEX, PART_ADDRESS, PART_DIRFD, PART_UID, PART_MODE, PART_DEV,
	PART_SIG, PART_IOCTL, PART_CLOCK, PART_TIME, PART_RLIM, PART_RLIM32,
	PART_VERSION,
	PART_MEMORY,
};

struct layout;

/*
 * How many elements the memory has. 0: one. 1 to 6: the value of argument MANY - 1. MANY_RET: the call's
 * result. MANY_THERE: as many as were recorded. More than MANY_FIXED: a fixed number.
 */
enum { MANY_RET = 7, MANY_THERE = 8, MANY_FIXED = 16 };

struct part {
	enum part_kind kind;
	uint8_t shift;			/* to the right, before names are looked up */
	uint64_t mask;			/* the bits that it shows */
	const struct constants *names;
	/* PART_SHIFTED: the text after "<<"; PART_WRAPPED: before the parts */
	const char *name;
	const struct layout *memory;	/* PART_MEMORY: of the memory at the address */
	uint8_t many;
};

/* How memory is shown. MEMORY_STRUCT: its members; MEMORY_POINTER: a number; else as memory_kinds.c says. */
enum memory_kind {
	MEMORY_STRUCT, MEMORY_POINTER, MEMORY_BUF, MEMORY_TEXT, MEMORY_SOCKADDR, MEMORY_SIGSET, MEMORY_FDSET,
	MEMORY_WSTATUS, MEMORY_SIGINFO, MEMORY_IOVEC, MEMORY_IOVEC_RET, MEMORY_MSGHDR, MEMORY_MSGHDR_RET, MEMORY_UTIME,
	MEMORY_POLLFD, MEMORY_SOCKOPT, MEMORY_HEXBUF, MEMORY_CAPS, MEMORY_STRINGS, MEMORY_LENGTH, MEMORY_SIZED,
	MEMORY_MMSGHDR, MEMORY_MMSGHDR_RET, MEMORY_CONTROL, MEMORY_PERF_ATTR, MEMORY_SIGEVENT, MEMORY_GOT, MEMORY_COUNTED,
	MEMORY_CLONE_ARGS, MEMORY_STRING, MEMORY_SIGSET_P,
};

struct member {
	const char *name;
	uint16_t offset, size, n;	/* n elements of this size */
	const struct part *type;
	/* shown only if member `on` & mask equals the value, or does not (!equal); mask 0: always */
	uint8_t on;
	bool equal;
	uint64_t mask, value;
};

struct layout {
	const char *name;
	enum memory_kind kind;
	bool both;			/* 32-bit programs have the same layout, */
	const struct layout *narrow;	/* or this one; NULL: not known */
	uint32_t size;			/* 0: not known, or as many bytes as there are */
	const struct member *members;	/* in the order in which they are shown */
	bool more;			/* it has members that are not shown */
	uint32_t nmembers;
	const struct part *number;	/* MEMORY_POINTER */
	/*
	 * MEMORY_SIZED: how many members are always shown, as 0 if the memory ends before them. MEMORY_GOT:
	 * how many members the program sets; the kernel sets the others if the call succeeds.
	 */
	uint32_t base;
};

struct call_form {
	uint8_t nargs;
	const struct part *args[6];	/* up to PART_END; NULL: not shown */
	const struct part *ret;		/* NULL: a plain number */
	const char *ret_label;		/* "flags": as "0x2 (flags O_RDWR)"; NULL: without the number */
};

struct call_variant {
	uint64_t mask, value;		/* it fits if the argument's bits in mask equal value, */
	uint8_t also;			/* and so do this argument's, in also_mask and also_value */
	uint64_t also_mask, also_value;
	struct call_form form;
};

struct call_args {
	const char *name;		/* "openat", "compat_fallocate" */
	uint8_t by;			/* the argument that chooses among variants */
	uint16_t nvariants;
	const struct call_variant *variants;
	struct call_form form;		/* if none fits */
};

/* of siginfo, by the kind of signal */
extern const struct layout layout_siginfo_none, layout_siginfo_kill, layout_siginfo_queue, layout_siginfo_chld;
extern const struct layout layout_siginfo_killed;
extern const struct layout layout_sockaddr, layout_iovec, layout_msghdr, layout_msghdr_ret, layout_cmsghdr;

extern const struct call_args call_args[];
extern const uint32_t ncall_args;

struct field_arg {
	const char *name;
	const struct part *arg;
};

/* Arguments by name, of calls that are not in the table. */
extern const struct field_arg field_args[];
extern const uint32_t nfield_args;

/* --- number_text.c --- */

/* Appends the number as strace shows it. */
void number_put(struct sbuf *b, const struct part *parts, uint64_t v);
/*
 * Appends the comment that strace puts after a time; nothing for 0. fraction: of a second, in `digits`
 * digits.
 */
void date_put(struct sbuf *b, int64_t sec, uint64_t fraction, int digits);

#endif
