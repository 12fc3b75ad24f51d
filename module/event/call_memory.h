/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The memory that arguments of system calls point to, and the names of descriptors: fields of a call's type
 * that follow its arguments. Each is a sequence of bytes as the program has them: ARG_data; of an iovec's
 * pieces ARG_bytes; of a msghdr also ARG_addr, ARG_iov and ARG_control; ARG_names of the descriptors in that
 * memory; in a whole call, ARG_was for what the call has changed. Or it is a string: ARG_path, ret_path. A
 * field is empty if nothing was recorded.
 */
#ifndef CTRACE_CALL_MEMORY_H
#define CTRACE_CALL_MEMORY_H

#include "event/event.h"
#include "../uapi/ctrace_netlink.h"
#include "compat/syscall.h"

/* How many bytes a field has; never more than max. */
enum ctrace_memory_how {
	CTRACE_MEM_FIXED,	/* max */
	CTRACE_MEM_COUNT,	/* argument `by` counts elements of `unit` bytes */
	CTRACE_MEM_AT,		/* argument `by` points to the number, an int */
	/* argument `by` says so, or points to it if not IN; 0 if the level in argument 1 has keys */
	CTRACE_MEM_SOCKOPT,
	CTRACE_MEM_SIZED,	/* an int in it says so, `by` bytes from its beginning */
	CTRACE_MEM_PAGES,	/* argument `by` has the length of as many pages; a byte each */
	/* it has pointers to structures of `unit` bytes: these; argument `by` counts them */
	CTRACE_MEM_EACH,
	/* an int that the call changes; in whole calls what it was before follows, if known */
	CTRACE_MEM_LENGTH,
	CTRACE_MEM_RET,		/* the result counts elements of `unit` bytes */
	CTRACE_MEM_BITS,	/* argument `by` counts bits */
	/* no argument's: the mask in the frame of a signal, for rt_sigreturn(); at the entry alone */
	CTRACE_MEM_SIGFRAME,
	CTRACE_MEM_IOCTL,	/* the request, argument `by`, decides */
	CTRACE_MEM_FCNTL,	/* so does the command */
	CTRACE_MEM_PRCTL,	/* and the option: a name, a program of a filter, or nothing */
	CTRACE_MEM_SECCOMP,	/* and the operation */
	CTRACE_MEM_QUOTA,	/* and the command of quotactl() */
	CTRACE_MEM_IOV,		/* argument `by` counts the elements of an iovec array */
	CTRACE_MEM_IOV_BYTES,	/* the pieces of that, one after the other */
	/* a msghdr that the call changes; in whole calls the length before follows, as of LENGTH */
	CTRACE_MEM_MSG,
	CTRACE_MEM_MSG_ADDR,	/* of a msghdr: the address, */
	CTRACE_MEM_MSG_IOV,	/* its iovec array, */
	CTRACE_MEM_MSG_BYTES,	/* its pieces, */
	CTRACE_MEM_MSG_CONTROL,	/* and its control messages */
	CTRACE_MEM_MSG_NAMES,	/* names of the descriptors that these pass on */
	CTRACE_MEM_MSGS,	/* a vector of msghdrs; argument `by` counts them: these, */
	CTRACE_MEM_MSGS_ADDR,	/* and of one after the other: the addresses, */
	CTRACE_MEM_MSGS_IOV,	/* the iovec arrays, */
	CTRACE_MEM_MSGS_BYTES,	/* and their pieces */
	CTRACE_MEM_CAPS,	/* argument `by` points to a version, which decides */
	/* socketcall() makes another call: */
	CTRACE_MEM_SOCKET_ARGS,	/* all arguments of that one, */
	CTRACE_MEM_SOCKET_ADDR,	/* its address, */
	CTRACE_MEM_SOCKET_BYTES, /* and what it sends or receives */
	/* of ipc(): two arguments of the call that it makes, if these are in memory */
	CTRACE_MEM_IPC,
	/* Names of descriptors, each with its NUL, of those that have a place for them: */
	/* there are `by` of them, or argument `by` - CTRACE_MEM_BY counts them; one in `unit` bytes */
	CTRACE_MEM_NAMES,
	CTRACE_MEM_SET_NAMES,	/* of a set as it was at the entry; argument `by` counts its bits */
	/* a string; `unit`: only if argument `by` is the number of one of these bits; 0: always */
	CTRACE_MEM_STRING,
	CTRACE_MEM_POINTED,	/* it begins with a pointer: max bytes from there */
	CTRACE_MEM_VARS,	/* an array of strings: how many there are, */
	/* and how many entries of a directory, if `unit` bytes come before the length of each */
	CTRACE_MEM_ENTRIES,
	CTRACE_MEM_ARGV,	/* an array of strings: all these, each with its NUL but one that is cut */
	CTRACE_MEM_PATH,	/* argument `arg` is a descriptor: its name */
	/* the result is one; by: only if that argument is F_DUPFD or F_DUPFD_CLOEXEC */
	CTRACE_MEM_RET_PATH,
};

#define CTRACE_MEM_IN		1u	/* the bytes are valid at the entry; else only after success */
#define CTRACE_MEM_PRIVATE	2u	/* what people read and write: only as much as a session asks for */
#define CTRACE_MEM_COMPAT	4u	/* the same for 32-bit and x32 programs */
#define CTRACE_MEM_ADDRESS	16u	/* a socket's address */
#define CTRACE_MEM_AGAIN	32u	/* with IN: the call changes it, so it is in the exit, too */
#define CTRACE_MEM_BROKEN	8u	/* the bytes are valid if a signal interrupted the call */
/* the call changes it: whole calls have two fields, ARG_data as it is, and ARG_was */
#define CTRACE_MEM_BEFORE	64u
#define CTRACE_MEM_WAS		128u	/* that second one */

struct ctrace_memory {
	u8 arg, how, by, flags;
	u16 unit, max;
	u16 narrow;		/* max for 32-bit programs, unless CTRACE_MEM_COMPAT; 0: not recorded */
};

struct ctrace_memory_calls {
	const char *calls;		/* separated by blanks */
	struct ctrace_memory of[9];
};

extern const struct ctrace_memory_calls ctrace_memory_table[];
extern const u32 ctrace_memory_ntable;

#define CTRACE_MEM_IOVECS	4u
#define CTRACE_MEM_VECTOR	4u	/* msghdrs */
#define CTRACE_MEM_BY		16u
#define CTRACE_MEM_SOCKADDR	128u	/* the kernel's own limit is sizeof(struct sockaddr_storage) */
#define CTRACE_MEM_SET_BITS	1024u

/* What a session wants beyond what all have. */
struct ctrace_detail {
	u32 data;		/* bytes of private memory */
	bool paths;		/* names of descriptors */
};

static __always_inline bool ctrace_detail_any(const struct ctrace_detail *d)
{
	return d->data || d->paths;
}

/* A call, for ctrace_memory_put(). */
struct ctrace_memory_call {
	const u64 *args;		/* [6], as ctrace_args_numbers() makes them */
	const struct ctrace_detail *detail;
	/* the name that the descriptor had which it closed; NULL: it closed none */
	const char *closed;
	/* of an exec: its arguments as they were at the entry; NULL: look there */
	const char *argv;
	u32 argv_len;
	/* of an exec: how many variables it was given, and 1; 0: not known, so look there */
	u32 vars;
	u32 before;			/* of a length: what it was at the entry, and 1; 0: not known */
	const struct ctrace_memory_was *was; /* of other memory that the call has changed; NULL: not known */
	long ret;
	u8 phase;			/* enum ctrace_call_phase */
	bool is32;
	u32 nr;				/* its place in ctrace_syscall_layouts[is32] */
};

/*
 * Appends the fields at to + len. to is aligned to 8, in the record as well; it has room for max bytes.
 * Returns the new length. Context: as ctrace_args_put().
 */
u32 ctrace_memory_put(const struct ctrace_memory_call *c, char *to, u32 len, u32 max);

/*
 * Something that ctrace_memory_put() looked for was not there since this was false. It may be at the return.
 * Context: as ctrace_args_put().
 */
DECLARE_PER_CPU(bool, ctrace_memory_missed);
/*
 * At the return of a call whose entry missed something: field i of those that the entry has, as it is now,
 * into to[max]. Returns how many bytes; 0: none, or the exit has them; < 0: the entry has no such field.
 */
int ctrace_memory_late(const struct ctrace_memory_call *c, u32 i, char *to, u32 max);

/*
 * The strings of an array that ends with a NULL, into to[max]. Returns how many bytes. Context: as
 * ctrace_args_put().
 */
u32 ctrace_memory_argv(char *to, u64 from, bool is32, u32 max);
#define CTRACE_MEM_ARGV_MAX	512u
/* How many of them there are, and 1. 0: more than can be counted. Context: as ctrace_args_put(). */
u32 ctrace_memory_vars(u64 from, bool is32);
#define CTRACE_MEM_VARS_MAX	1024u
#define CTRACE_MEM_ENTRIES_MAX	4096u

/*
 * Is the call about a file? It is if one of its descriptors is a regular file or a directory, or if it has
 * none, or a path. args: as ctrace_args_numbers() makes them. Context: the call's entry; see event/fd_name.h.
 */
bool ctrace_memory_of_file(u32 nr, bool is32, const u64 *args);

/* Describes them in f. phase: enum ctrace_call_phase. Returns how many. */
u32 ctrace_memory_describe(u32 nr, bool is32, u8 phase, struct ctrace_field_desc *f);

/* [is32][nr]: the call's fields. */
struct ctrace_memory_fields {
	u16 first;
	u8 n;
	/*
	 * bytes of the entry's, and of the whole call's, if these are names alone, all empty; else
	 * CTRACE_MEM_OTHERS
	 */
	u8 entry, whole;
	/*
	 * It has a CTRACE_MEM_LENGTH: that is `length` - 1 bytes from where the argument points to. 0: it has
	 * none
	 */
	u8 length, length_arg;
	/* argument `closes` - 1 is a descriptor that it closes: its name is gone at the return; 0: none */
	u8 closes;
};
#define CTRACE_MEM_OTHERS	0xff
extern struct ctrace_memory_fields ctrace_memory_fields[2][CTRACE_NR_SYSCALLS];

/* As ctrace_memory_put() for n names that are empty. */
static __always_inline u32 ctrace_memory_put_empty(char *to, u32 len, u32 n)
{
	while (n--)
		to[len++] = 0;
	return len;
}

/* --- among the files of call_memory --- */

static inline bool ctrace_memory_read(void *to, u64 from, u32 n)
{
	if (from && likely(!ctrace_compat_read_user(to, (const void __user *)(uintptr_t)from, n)))
		return true;
	if (from)
		__this_cpu_write(ctrace_memory_missed, true);
	return false;
}

/* As ctrace_compat_read_user_string(). */
static inline long ctrace_memory_string(char *to, u64 from, u32 max)
{
	long n = ctrace_compat_read_user_string(to, (const char __user *)(uintptr_t)from, max);

	if (n < 0)
		__this_cpu_write(ctrace_memory_missed, true);
	return n;
}

/* n bytes, or none */
static inline u32 ctrace_memory_copy(char *to, u64 from, u32 n)
{
	return n && ctrace_memory_read(to, from, n) ? n : 0;
}

/*
 * For what ctrace_memory_copy() has just refused: as many whole elements as there are before the end of a
 * page.
 */
u32 ctrace_memory_copy_page(char *to, u64 from, u32 n, u32 unit);

/* The bytes of as many whole elements as there are, and as max has place for. */
static inline u32 ctrace_memory_elements(u64 count, u32 unit, u32 max)
{
	return min_t(u64, count, max / unit) * unit;
}

/* Of the memory of a field that is one piece: how many bytes it has. May be more than m->max. */
u32 ctrace_memory_size(const struct ctrace_memory *m, const struct ctrace_memory_call *c);

/* At most max bytes of a field that is a vector, a msghdr, or several. */
u32 ctrace_memory_vector(const struct ctrace_memory *m, const struct ctrace_memory_call *c, char *to, u32 max);
/* Of one that is put together from what the memory has. */
u32 ctrace_memory_made(const struct ctrace_memory *m, const struct ctrace_memory_call *c, char *to, u32 max);
/* Of one that consists of names. */
u32 ctrace_memory_names(const struct ctrace_memory *m, const struct ctrace_memory_call *c, char *to, u32 max);

/* The control messages of a msghdr: as many bytes of them as fit. */
u32 ctrace_memory_control(u64 msg, bool is32, char *to, u32 max);
#define CTRACE_MEM_CONTROL	256u

/*
 * A length of the call that arg is to point to, as it is now, for ctrace_memory_call.before. Context: at the
 * entry.
 */
u32 ctrace_memory_before(u32 nr, bool is32, const u64 *args);
#define CTRACE_MEM_BEFORE_MAX	0x1fffu
/*
 * The call's fields CTRACE_MEM_WAS as they are at the entry: the bytes of each, in their order, behind their
 * number.
 */
struct ctrace_memory_was {
	char of[3 * (2 + 128) + 2 + 16];	/* three sets and a time: select() has most */
};
/* Of argument arg at the return, *len bytes. NULL: it is not known. */
const char *ctrace_memory_as_it_was(const struct ctrace_memory_call *c, u8 arg, u32 *len);
/* Context: at the entry of a call that has such fields. */
void ctrace_memory_keep(u32 nr, bool is32, const u64 *args, struct ctrace_memory_was *was);

/* Does the program give the kernel what an ioctl's argument points to? Else the kernel fills it in. */
bool ctrace_memory_ioctl_in(u32 request);
/* Does the kernel then add to it? These are about network interfaces. */
bool ctrace_memory_ioctl_again(u32 request);
/* The same for a command of quotactl(). */
bool ctrace_memory_quota_in(u32 command);

/* Finds out what each call has, and completes its layout. Process context. 0 or -ENOMEM. */
int ctrace_memory_init(const struct ctrace_syscall *(*call)(u32 nr, bool is32));
void ctrace_memory_exit(void);

#endif
