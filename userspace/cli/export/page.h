/* SPDX-License-Identifier: GPL-2.0-only */
/* A recording as one page of HTML that needs nothing else: what is gathered for it, and its pictures. */
#ifndef CTRACE_EXPORT_PAGE_H
#define CTRACE_EXPORT_PAGE_H

#include <libctrace_aggregate.h>
#include "export/draw.h"
#include "export/heat.h"
#include "flame/flame.h"

enum page_kind { PAGE_CALLS, PAGE_CALL, PAGE_WAIT, PAGE_DISK, PAGE_TCP, PAGE_TASK, PAGE_KINDS };

/* Numbers of one container: of all its calls, of one call, of its waits for CPUs, ... */
struct page_line {
	uint32_t cid;
	enum page_kind kind;
	char name[64];		/* of a call, of a task */
	uint64_t n, failed, total, max;	/* total, max: ns */
	uint64_t bytes, more_bytes;	/* DISK: of requests; TCP: sent, received */
	uint64_t hist[CTRACE_TABLE_BUCKETS];
	struct heat *heat;	/* NULL: it has none */
};

struct page {
	struct draw *draw;
	struct flame flame;
	uint64_t samples;
	struct page_line **v;	/* open addressing, size a power of two */
	size_t n, size;
	size_t heats;
};

/* NULL: there is none. */
const struct page_line *page_find(const struct page *p, uint32_t cid, enum page_kind kind, const char *name);
/* The lines of a container, the largest total first; the caller frees the list. */
size_t page_list(const struct page *p, uint32_t cid, enum page_kind kind, const struct page_line ***list);

/* Writes the page. */
void page_put(struct export *x);

/* --- page_pictures.c --- */

void html_text(struct sbuf *b, const char *s);
/* What the container's time went to, as areas upon each other. */
void html_spent(struct sbuf *b, const struct spent_in *s, uint32_t cid);
/* Bars for a histogram of ns, with its ends and percentiles. */
void html_hist(struct sbuf *b, const struct page_line *l, const char *title);
/* Latency upwards, time to the right. Nothing if there is none. */
void html_heat(struct sbuf *b, const struct page_line *l, const char *title);
void html_base64(struct sbuf *b, const void *p, size_t n);

#endif
