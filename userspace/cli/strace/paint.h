/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How the records of each event type are shown as text: determined once, when the type's first record comes.
 */
#ifndef CTRACE_PAINT_H
#define CTRACE_PAINT_H

#include "strace/memory.h"
#include "strace/syscall.h"

typedef void (*paint_fn)(struct sbuf *b, const struct ctrace_value *v);

#define CALL_ARGS	6

/* Which fact about an argument a field of a call's record has, besides the argument itself. */
enum about {
	ABOUT_DATA,	/* the memory that the argument points to */
	ABOUT_ADDR,	/* msghdr: the address that it points to, */
	ABOUT_IOV,	/* and the vector */
	ABOUT_PIECES,	/* the contents of the vector's pieces */
	ABOUT_CONTROL,	/* its control messages */
	ABOUT_NAMES,	/* names of the descriptors in the memory */
	ABOUT_WAS,	/* in a whole call that changes the memory: as it was when the call began */
	ABOUT_PATH,	/* the descriptor's name */
	ABOUT_N
};

struct paint {
	const struct ctrace_event_type *type;	/* NULL: there is none with this id */
	/* phase SYSCALL_NONE: no call's. Without a name if each record has its own */
	struct syscall_ref call;
	bool last;			/* the call never returns */
	bool fork, clone;
	uint32_t first;			/* the call's first argument among the fields */
	uint32_t nargs;			/* how many of them are arguments */
	/* the fields with the call's result and the result's name; -1: none */
	int ret, ret_path;
	int16_t about[CALL_ARGS][ABOUT_N];	/* fields about the arguments; -1: none */
	/* fields with the mask that rt_sigreturn() restores: in an entry, in a whole call; -1: none */
	int16_t frame[2];
	bool plain;			/* numbers are wanted */
	bool timeout;			/* it waits for a time, and returns 0 when that is over */
	int marks;			/* the field with the call's marks; -1: it has none */
	const struct call_args *args;	/* NULL: not known, or plain numbers are wanted */
	struct {
		paint_fn fn;
		/* instead of fn, unless a form of the call says otherwise; may be NULL */
		const struct part *arg;
		bool stack, number;
		enum about about;	/* ABOUT_N: it is an argument or the like */
		uint8_t of;		/* the argument that it is about */
	} fields[];			/* type->nfields */
};

struct paints;
/* schema outlives it. plain: numbers of system calls without their names */
struct paints *paints_new(const struct ctrace_schema *schema, bool plain);
void paints_free(struct paints *p);
/* Good until paints_free(), or until the next call with this id. */
const struct paint *paints_get(struct paints *p, uint16_t id);

/* --- fields_text.c --- */

/* Numbers as they are; numbers that have names, by name. */
paint_fn field_paint(const struct ctrace_event_type *t, const struct ctrace_field *f);
/* Appends CTRACE_RWBS_* in the kernel's letters. */
void rwbs_put(struct sbuf *b, uint64_t bits);
void paint_int(struct sbuf *b, const struct ctrace_value *v);
void paint_string(struct sbuf *b, const struct ctrace_value *v);
/*
 * Appends what wait() says of a process that has this status, as strace does: "exited with 1", "killed by
 * SIGKILL".
 */
void wait_status_put(struct sbuf *b, int status);
/* Appends the event's n fields as "name=value ...". framed: without its stacks, which are shown elsewhere. */
void fields_put_text(struct sbuf *b, const struct paint *p, const struct ctrace_value *v, int n, bool framed);

/* --- io_uring_names.c --- */

#define IO_URING_OP	"io_uring:"
/* OPENAT of IORING_OP_OPENAT; NULL: it is newer. */
const char *io_uring_op_name(uint64_t opcode);
/* Appends io_uring:openat, or io_uring:99 of a newer one. */
void io_uring_op_put(struct sbuf *b, uint64_t opcode);
/*
 * Sets b to the name of the system call that does the same: read of READ, READ_FIXED and READ_MULTISHOT; of
 * an operation that no call does, to its own. False: there is no such operation, and none with a higher
 * number.
 */
bool io_uring_op_call(struct sbuf *b, uint64_t opcode);

/* --- call_memory.c --- */

struct call_values;
/* The 8 bytes of the mask that rt_sigreturn() restores; NULL: it is another call, or they were not there. */
const void *call_frame(const struct call_values *c);

/* One record of a call. */
struct call_values {
	const struct paint *p;
	const struct ctrace_value *v;
	int n;				/* < 0: it did not decode */
};

/* Finds the fields about arguments, for syscall_paint(). */
void call_about(struct paint *p, const struct ctrace_schema *s);
/*
 * The memory of an argument. c has the arguments; r is the record of the return, which may be c; NULL: there
 * is none yet. False: it was not recorded.
 */
bool call_memory(struct memory *m, const struct call_form *form, uint32_t arg, const struct call_values *c,
		 const struct call_values *r);
/* Does the record of a whole call have a field for the argument's memory as it was when the call began? */
bool call_tells_was(const struct call_values *c, uint32_t arg);
/* A descriptor's name, NULL if there is none. */
const struct ctrace_value *call_path(const struct call_values *c, int field);

/* --- clone_text.c --- */

/*
 * Appends clone()'s arguments; flags: the type of its flags. False: they are unusual, and nothing was
 * appended.
 */
bool clone_put_args(struct sbuf *b, const struct call_values *c, const struct call_values *r, const struct part *flags);

/* --- found.c --- */

/*
 * Does the call write its results into memory of this layout? Then the argument shows the memory before the
 * call.
 */
bool found_in(const struct paint *p, const struct layout *l);
/*
 * Appends the results of a call that waits, and the time that was left, after a return value > 0: " (in [3],
 * left {...})". c has the arguments.
 */
void found_put(struct sbuf *b, const struct call_form *form, const struct call_values *c, const struct call_values *r,
	       int64_t ret);

/* --- syscall_args.c --- */

/* Fills in the rest of a call's paint, whose type and call are set. plain: see paints_new(). */
void syscall_paint(struct paint *p, const struct ctrace_schema *s, bool plain);
/* The types of the call's arguments; a table only for 32-bit programs is preferred. NULL: not known. */
const struct call_args *syscall_find_args(const struct syscall_ref *call);
/* The call's CTRACE_CALL_M_*, or 0. */
uint64_t syscall_marks(const struct paint *p, const struct ctrace_value *v, int n);
/* The form that the call has with these arguments; NULL: not known. n may be 0: as if they were unknown. */
const struct call_form *syscall_form(const struct paint *p, const struct ctrace_value *v, uint32_t n);
/* r: as for call_memory(). Returns the form that these arguments have, for syscall_put_return(). */
const struct call_form *syscall_put_args(struct sbuf *b, const struct call_values *c, const struct call_values *r);
/*
 * Appends the memory and names that the return's record has, for a line whose arguments were shown before.
 * entry: the late memory of the call's entry; its other values have no field. after: an argument stands
 * before it.
 */
void syscall_put_resumed(struct sbuf *b, const struct call_form *form, const struct call_values *entry,
			 const struct call_values *r, bool after);
/* form NULL: not known */
void syscall_put_return(struct sbuf *b, const struct call_form *form, int64_t ret);
/* The same, with a descriptor's name, and with the results of a call that waits. c has the arguments. */
void syscall_put_result(struct sbuf *b, const struct call_form *form, const struct call_values *c,
			const struct call_values *r, int64_t ret);

#endif
