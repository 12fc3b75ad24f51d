/* SPDX-License-Identifier: GPL-2.0-only */
/* Allocation that ends the program if there is no memory, text buffers, numbers with units. */
#ifndef CTRACE_UTIL_H
#define CTRACE_UTIL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* A number that a macro names, in a text. */
#define TEXT_OF(number)	TEXT_OF_(number)
#define TEXT_OF_(number)	#number

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
#define NSEC_PER_SEC	1000000000ull
#define FIELDS_MAX	32	/* of an event type */

void *xcalloc(size_t n, size_t size);
void *xrealloc(void *p, size_t size);
char *xstrdup(const char *s);
char *xstrndup(const char *s, size_t n);
char *xasprintf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* A growing text. All zero is an empty text; s is NUL-terminated once something was written. */
struct sbuf {
	char *s;
	size_t len, cap;
};

void sbuf_reset(struct sbuf *b);
void sbuf_free(struct sbuf *b);
void sbuf_putc(struct sbuf *b, char c);
void sbuf_puts(struct sbuf *b, const char *s);
void sbuf_put(struct sbuf *b, const char *s, size_t n);
void sbuf_u64(struct sbuf *b, uint64_t v);		/* in decimal: a list has very many numbers */
void sbuf_printf(struct sbuf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Appends s as strace writes a string literal, without the quotes. */
void sbuf_escape(struct sbuf *b, const char *s, size_t n);
/*
 * Appends a name that others chose: bytes of characters that utf8_next() hides, and bytes that are not UTF-8,
 * become \xHH. Each output takes its names from here, or from JSON's writer, which uses utf8_next(), too.
 */
void sbuf_clean(struct sbuf *b, const char *s);
void sbuf_clean_n(struct sbuf *b, const char *s, size_t n);
/* The same, and characters with a meaning in HTML and XML are escaped, also for use in attributes. */
void sbuf_markup(struct sbuf *b, const char *s, size_t n);

/*
 * Is the character at s shown as it is? *len: how many of the n bytes it takes. A broken one is 1 byte, which
 * is *c.
 */
enum utf8_kind { UTF8_SHOWN, UTF8_HIDDEN, UTF8_BROKEN };
enum utf8_kind utf8_next(const char *s, size_t n, size_t *len, uint32_t *c);

/* Length of the valid UTF-8 sequence at s, 0 if there is none. */
size_t utf8_len(const char *s, size_t n);
/* The columns that a cleaned name takes on a terminal: one per character. */
size_t utf8_columns(const char *s);

/* "2", "0.5", "500ms", "2m", "1h" -> ns; "64M" -> bytes; "12" -> 12. 0 or -EINVAL. */
int parse_duration(const char *s, uint64_t *ns);
/* The same; it may be 0. */
int parse_duration_or_0(const char *s, uint64_t *ns);
int parse_size(const char *s, uint64_t *bytes);
int parse_u32(const char *s, uint32_t *v);
/* A uid, or the name of a user of this machine. */
int parse_user(const char *s, uint32_t *uid);
void sbuf_duration(struct sbuf *b, uint64_t ns);	/* 3s, 5m, 2h, 4d */
void sbuf_size(struct sbuf *b, uint64_t bytes);		/* 512, 4.0K, 64.0M */
void sbuf_clock(struct sbuf *b, uint64_t realtime);	/* ns: 14:03:21.000123, local time */
void sbuf_moment(struct sbuf *b, uint64_t realtime);	/* 2026-11-20 14:03:21.000123 */
void sbuf_count(struct sbuf *b, uint64_t n, const char *noun);	/* 1 event, 2 events */

uint64_t clock_ns(int clock);

/*
 * Read a whole regular file, and NUL-terminate the text, which the caller frees. NULL: see errno (EFBIG: it
 * is longer than the limit). read_file() is for the kernel's files, in /proc and /sys; read_upto() for files
 * that we wrote, whose limit the caller knows, SIZE_MAX for none. Files that others chose are opened by
 * base/foreign.h.
 */
#define READ_MAX	((size_t)8 << 20)
char *read_file(const char *path, size_t *len);
char *read_upto(const char *path, size_t limit, size_t *len);
/* The same for an open file, from its offset on; closes fd. fd -1: returns NULL and leaves errno as it is. */
char *read_fd(int fd, size_t limit, size_t *len);

/*
 * The number of single-character edits that turn a into b; a swap of neighbours is one edit. 64 if one of
 * the words is longer than 64 bytes.
 */
unsigned int edit_distance(const char *a, const char *b);

/* Collects the candidates nearest to a word that was not found. */
#define NEAREST_MAX	3
struct nearest {
	const char *word;
	unsigned int n;
	char *best[NEAREST_MAX];
	unsigned int dist[NEAREST_MAX];
};
void nearest_offer(struct nearest *n, const char *candidate);
/* Appends " (did you mean 'a' or 'b'?)", or nothing if none is near. Frees the candidates. */
void nearest_print(struct nearest *n, struct sbuf *b);

/* Is it a program that a shell would find? */
bool is_program(const char *word);

/*
 * Does a task in this state (task->state) sleep so that no signal wakes it? Not a kernel thread that waits
 * for work (TASK_IDLE): TASK_NOLOAD is 0x400 since 4.2, and no state had that bit before.
 */
static inline bool is_deep_sleep(uint64_t state)
{
	const uint64_t uninterruptible = 2, noload = 0x400;

	return (state & (uninterruptible | noload)) == uninterruptible;
}

/* Is the cgroup (or file) at path, of len bytes, the one at `of`, which is not "", or below it? */
bool path_below(const char *path, size_t len, const char *of);

#endif
