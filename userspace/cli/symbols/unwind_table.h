/* SPDX-License-Identifier: GPL-2.0-only */
/* What the two halves of the unwinder share: the tables, and the rules in them. */
#ifndef CTRACE_UNWIND_TABLE_H
#define CTRACE_UNWIND_TABLE_H

#include <libelf.h>
#include "symbols/unwind.h"

/* A function, or a part of one: its place and size in the file, and where its rules are in .eh_frame. */
struct cfi_place {
	uint64_t at, size;
	size_t offset;
};

struct unwind_table {
	unsigned char *bytes;	/* .eh_frame */
	size_t len;
	uint64_t addr;		/* where it would be loaded */
	struct cfi_place *v;	/* sorted */
	size_t n;
};

/* Bytes to read one after the other. bad: it was asked for more than there is, which reads as 0. */
struct cfi_at {
	const unsigned char *p, *end;
	bool bad;
};

uint64_t cfi_bytes(struct cfi_at *a, unsigned int n);	/* up to 8, a number */
int64_t cfi_signed(struct cfi_at *a, unsigned int n);
uint64_t cfi_uleb(struct cfi_at *a);
int64_t cfi_sleb(struct cfi_at *a);
struct cfi_at cfi_block(struct cfi_at *a, uint64_t len);	/* takes the next len bytes out of a */

/* What several functions have in common. */
struct cfi_cie {
	uint64_t code, ret;	/* unit of advances; the register that has the return address */
	int64_t data;		/* unit of offsets */
	uint8_t encoding;
	bool sized, signal;
	struct cfi_at rules;
};

struct cfi_fde {
	struct cfi_cie cie;
	uint64_t start, size;	/* the function's address, and its bytes */
	struct cfi_at rules;
};

/* Reads what is at offset. False: it is none, or makes no sense. */
bool cfi_cie(const struct unwind_table *t, size_t offset, struct cfi_cie *c);
bool cfi_fde(const struct unwind_table *t, size_t offset, struct cfi_fde *f);
/* at: in the file. NULL: no rules are known there. */
const struct cfi_place *cfi_find(const struct unwind_table *t, uint64_t at);

#endif
