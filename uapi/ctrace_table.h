/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * ctrace: tables of events that are counted in the kernel instead of recorded (CTRACE_A_PROBE_AGGREGATE).
 *
 * Tables lie in the mapping of a whole session, in ctrace_dir.tables_size bytes at ctrace_dir.tables_off. A
 * view of one container has none. PROBE_ADD answers with the offset of the probe's table in the mapping
 * (CTRACE_A_PROBE_TABLE):
 *
 *   0          +----------------------------+
 *              | struct ctrace_table        |  what the columns are; never changes
 *   parts_off  +----------------------------+
 *              | part of CPU 0              |  struct ctrace_table_part
 *              |   rows[nrows]              |  at rows_off of the part, row_size bytes each
 *              |   others[nothers]          |  the same, at others_off
 *              |   stacks[nstacks]          |  at stacks_off, struct ctrace_table_stack
 *              +----------------------------+
 *              | part of CPU 1 ...          |  part i at parts_off + i * part_stride
 *              +----------------------------+
 *
 * Only its CPU writes a part. Numbers in it only grow, and no reader clears them: a reader subtracts what it
 * saw last. So any number of readers can each look at their own intervals.
 *
 * A row is struct ctrace_table_row, then key_words words of its key, then the words of its values. The same
 * key may have several rows, in one part too (an interrupt came while a row was made): a reader adds them up.
 *
 * Word 0 of a key is the container id; its upper half is 0, or CTRACE_TABLE_OTHER: all of that container's
 * events whose own keys found no row on that CPU. The key's other words are 0 then. The last row of others[]
 * has CTRACE_CID_ALL: what found no row in others[] either, and what was in the rows of containers that have
 * ended (below). So the sum over all rows is always the sum of all events.
 *
 * gen of a row is 0 before its first use, odd while the row is made, and even when it can be read. A row of a
 * container that has ended (two seconds before, or more) may be given to another key. Its numbers are then
 * added to the CTRACE_CID_ALL row of the part, and gen grows. So a reader
 *
 *  - reads ctrace_table_part.recycled (acquire) until it is even, copies the rows of the part, reads it again
 *    after a read barrier, and if it has changed, copies them anew;
 *  - leaves out a row whose gen is 0 or odd: its first event has not been counted;
 *  - if it looks at intervals and finds another gen than at its last look, subtracts what it saw then from
 *    what the CTRACE_CID_ALL row has gained.
 */
#ifndef _UAPI_CTRACE_TABLE_H
#define _UAPI_CTRACE_TABLE_H

#include <linux/types.h>

#define CTRACE_TABLE_MAGIC	0x63546162u	/* "baTc" on little-endian */
#define CTRACE_TABLE_KEYS	6u	/* keys beside the container */
#define CTRACE_TABLE_VALUES	8u
#define CTRACE_TABLE_KEY_WORDS	20u	/* words of a key, the container's included */
/* bytes of a string in a key, cut, padded with zeros, perhaps without a NUL; _MAX: of a field of that size */
#define CTRACE_TABLE_TEXT	32u
#define CTRACE_TABLE_TEXT_MAX	64u
#define CTRACE_TABLE_FRAMES	64u	/* addresses of a stack */
#define CTRACE_TABLE_ROWS_MAX	(1u << 20)	/* on one CPU */

#define CTRACE_TABLE_OTHER	(1ull << 32)	/* in word 0 of a key */

/*
 * A histogram's buckets. Bucket 0 counts values of 0 and below; bucket 1 counts 1; of the others 2k counts
 * values in (3 * 2^(k-2), 2^k], and 2k - 1 values in (2^(k-1), 3 * 2^(k-2)]. So two buckets are one of
 * OpenTelemetry's exponential histogram of scale 0, whose upper bounds are included.
 */
#define CTRACE_TABLE_BUCKETS	129u

static inline __u32 ctrace_table_bucket_unsigned(__u64 v)
{
	__u32 k;

	if (v <= 2)
		return (__u32)v;
	k = 63 ^ (__u32)__builtin_clzll(v - 1);		/* 2^k < v <= 2^(k+1) */
	return 2 * k - 1 + (__u32)((v - 1) >> (k - 1));	/* 2 is added, or 3 in the upper half */
}

static inline __u32 ctrace_table_bucket(__s64 v)
{
	return v < 0 ? 0 : ctrace_table_bucket_unsigned((__u64)v);
}

/* The largest value that bucket b counts. */
static inline __u64 ctrace_table_bucket_top(__u32 b)
{
	__u32 k = (b + 1) / 2;

	if (b <= 2)
		return b;
	if (b >= CTRACE_TABLE_BUCKETS - 1)
		return ~0ull;
	return b % 2 ? 3ull << (k - 2) : 1ull << k;
}

enum ctrace_table_fn {
	CTRACE_TABLE_COUNT	= 1,	/* one word: events */
	CTRACE_TABLE_SUM	= 2,	/* one word, as signed as the field */
	/* one word: the largest number of its sign, until the row's first event is in */
	CTRACE_TABLE_MIN	= 3,
	CTRACE_TABLE_MAX	= 4,	/* one word: the smallest, the same */
	CTRACE_TABLE_AVG	= 5,	/* two words: sum, events */
	CTRACE_TABLE_HIST	= 6,	/* CTRACE_TABLE_BUCKETS words */
};

enum ctrace_table_key {
	CTRACE_TABLE_KEY_NUMBER	= 1,	/* one word, as signed as the field */
	CTRACE_TABLE_KEY_TEXT	= 2,	/* CTRACE_TABLE_TEXT bytes, or 16 or _MAX of a field with that many */
	CTRACE_TABLE_KEY_STACK	= 3,	/* one word: 0: none; else 1 + index in stacks[] of the same part */
	CTRACE_TABLE_KEY_USTACK	= 4,	/* the same */
	CTRACE_TABLE_KEY_SYSCALL = 5,	/* one word: event type id of the whole call */
	CTRACE_TABLE_KEY_ERRNO	= 6,	/* one word: 0, or the error that the call returned, positive */
};

struct ctrace_table_column {
	__u8 kind;		/* enum ctrace_table_key, or of a value enum ctrace_table_fn */
	__u8 is_signed;		/* 1: the number is signed */
	__u8 display;		/* enum ctrace_field_display */
	__u8 words;
	__u16 at;		/* words before it: in the key, or in the values */
	__u16 _pad;
	/* as the text of the aggregate has it, cut: "dev", "sum(bytes)", "ret/4096" */
	char name[40];
};

struct ctrace_table {
	__u32 magic;		/* CTRACE_TABLE_MAGIC */
	__u32 probe;		/* id of its probe */
	__u32 ncpus;		/* parts */
	__u32 nkeys;		/* without the container */
	__u32 nvalues;
	__u32 key_words;	/* the container's included */
	__u32 value_words;
	__u32 row_size;		/* bytes */
	__u32 nrows;		/* of a part; a power of two */
	__u32 nothers;		/* the same */
	__u32 nstacks;		/* the same; 0: no key is a stack */
	__u32 _pad;
	__u64 parts_off;	/* bytes from the table's beginning */
	__u64 part_stride;
	__u64 rows_off;		/* bytes from the part's beginning */
	__u64 others_off;
	__u64 stacks_off;
	__u64 size;		/* of the whole table */
	struct ctrace_table_column keys[CTRACE_TABLE_KEYS];
	struct ctrace_table_column values[CTRACE_TABLE_VALUES];
};

struct ctrace_table_part {
	__u64 stacks_lost;	/* events whose stack found no place: their key has 0 for it */
	__u64 recycled;		/* twice the rows that were given to other keys; odd while one is */
	/* events that could not be counted: nested interrupts used all scratch memory */
	__u64 lost;
	__u64 _pad[5];
};

struct ctrace_table_row {
	__u32 gen;		/* see above */
	__u32 hash;		/* of the key; the kernel's own */
	__u64 words[];		/* the key, then the values */
};

struct ctrace_table_stack {
	__u32 gen;		/* as in a row; once even, it never changes */
	__u32 n;		/* addresses, innermost first */
	__u64 frames[CTRACE_TABLE_FRAMES];
};

#endif /* _UAPI_CTRACE_TABLE_H */
