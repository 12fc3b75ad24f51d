/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The memory that system calls' arguments point to, as text in strace's form and as JSON. The bytes come from
 * a record, which may be cut or hostile: nothing outside them is read.
 */
#ifndef CTRACE_MEMORY_H
#define CTRACE_MEMORY_H

#include "base/json.h"
#include "strace/calls.h"

struct bytes {
	const unsigned char *s;
	size_t n;
};

/* The memory of one argument, as it was recorded. */
struct memory {
	const struct layout *layout;	/* of the program that made the call */
	struct bytes data;		/* from the address on; may be cut */
	struct bytes was;		/* the same at the call's entry, if it is known */
	struct bytes addr, iov, pieces;	/* a msghdr's name and vector, and the bytes of a vector's pieces */
	struct bytes control;		/* and its control messages */
	struct bytes names;		/* of the descriptors in data, one after the other, with NULs */
	/* how many elements, or bytes of a buffer, there were; < 0: not known */
	int64_t many;
	int64_t ret;			/* the call's result; < 0: not known, or it failed */
	uint64_t at;			/* the address; 0: not known */
};

/* False: this cannot be shown, and nothing was written: show the address. */
bool memory_put_text(struct sbuf *b, const struct part *p, const struct memory *m);
/* False: nothing was written. */
bool memory_put_json(struct json *j, const char *key, const struct part *p, const struct memory *m);
/* Appends poll()'s results: "[{fd=3, revents=POLLIN}]". */
void memory_put_polled(struct sbuf *b, const struct memory *m);
/* Appends `before`, at most max descriptors of a set, and "]". Returns how many; 0: nothing was appended. */
uint32_t memory_put_ready(struct sbuf *b, const char *before, const struct memory *m, int64_t max);

/* --- for memory_kinds.c, memory_objects.c and memory_sockaddr.c --- */

/* Where memory is written: as text, or if j is set as JSON. Names are NULL within arrays. */
struct out {
	struct sbuf *b;
	struct json *j;
	bool comma;		/* text: something was written at this level */
	struct bytes *names;	/* text: the names of the descriptors that follow; may be NULL */
};

void out_open(struct out *o, const char *name, char bracket);
void out_close(struct out *o, char bracket);
/* text: "...", for elements or members that are not shown */
void out_more(struct out *o);
/*
 * Ends the array m (NULL: its address is not known), of which len bytes were shown; an element has size
 * bytes. more: it has elements that were not shown. If the call failed because they are not mapped, text has
 * their address.
 */
void out_end(struct out *o, const struct memory *m, size_t len, size_t size, bool more);
/* As text, only the part before the value. */
void out_name(struct out *o, const char *name);
void out_number(struct out *o, const char *name, const struct part *type, uint64_t v);
/* Text: the name of the descriptor that was written last. */
void out_fd_name(struct out *o);
/* In quotes; more: it was cut. */
void out_string(struct out *o, const char *name, struct bytes d, bool more);
/* The same text for both; as JSON, a string. */
void out_word(struct out *o, const char *name, const char *word);
void out_struct(struct out *o, const char *name, const struct layout *l, struct bytes d);
/* n bytes from `at` on, or as many of them as there are. */
struct bytes bytes_at(struct bytes d, size_t at, size_t n);
/* The number of that size at the beginning of d, which has it. */
uint64_t bytes_number(struct bytes d, size_t size);

/* In hexadecimal. */
void out_hexbuf(struct out *o, const char *name, struct bytes d, bool more);
/* Appends the name of a descriptor as strace does. */
void path_put(struct sbuf *b, const char *s, size_t n);
/*
 * The vector v of `many` elements with layout l. The pieces' data follow each other in d. total: bytes in all
 * pieces; < 0: the pieces are full. m: the argument that v is; NULL: v is not an argument.
 */
bool out_vector(struct out *o, const char *name, const struct layout *l, struct bytes v, int64_t many, struct bytes d,
		int64_t total, const struct memory *m);

/* False: this is not an address, and nothing was written. */
bool out_sockaddr(struct out *o, const char *name, const struct layout *l, struct bytes d);
/* Memory of a kind that is not a structure. False: nothing was written. */
bool out_kind(struct out *o, const char *name, const struct layout *l, const struct memory *m);
/* The kinds that memory_objects.c shows. */
bool out_object(struct out *o, const char *name, const struct layout *l, const struct memory *m);

#endif
