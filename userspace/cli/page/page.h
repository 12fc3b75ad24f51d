/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A recording as one page for a browser: data as JSON, and a script that draws it. The recording is read
 * three times: for the numbers of 'report --summary' (gather.c), for the verdicts of 'why' (gather.c), and
 * for what happened when (page.c). The first two are on the page as these commands print it with --json.
 *
 * The page is bounded however long the recording is, and whatever containers do: time has PAGE_BINS parts,
 * and each list below its length. All together is less than 24 MB (put.c adds it up).
 */
#ifndef CTRACE_PAGE_H
#define CTRACE_PAGE_H

#include <libctrace_aggregate.h>
#include "count/digest.h"
#include "export/draw.h"
#include "flame/flame.h"

#define PAGE_BINS	600u	/* parts of time */
#define PAGE_BOXES	24u	/* containers of their own; the others have one row together */
#define PAGE_CALLS	1024u	/* calls of all containers that are told apart */
#define PAGE_ROWS	256u	/* calls, and tasks, of a container's numbers */
#define PAGE_CULPRITS	64u	/* of a verdict; containers, calls and culprits of a comparison */
#define PAGE_BLAMES	256u	/* pairs of who waited and who had the CPU */
#define PAGE_FAILS	128u	/* of a container: what failed, how and where */
#define PAGE_FRAMES	16384u	/* of all flame graphs, ... */
#define PAGE_NAMES	(1u << 20)	/* ... and the bytes of their names */
#define PAGE_GAPS	256u	/* losses that are told apart */
#define PAGE_LEVELS	44u	/* of a heat map, powers of two of ns: to 2.4 hours */

/* Numbers over time. Times in ns. */
enum page_series {
	PAGE_RAN, PAGE_WAITED, PAGE_THROTTLED, PAGE_BLOCKED, PAGE_OBSERVER, PAGE_CALLED, PAGE_FAILED,
	PAGE_REQUESTS, PAGE_BYTES, PAGE_ENDED, PAGE_SENT, PAGE_RECEIVED, PAGE_SERIES
};
/* Latencies over time. */
enum page_heat { PAGE_OF_CALLS, PAGE_OF_WAITS, PAGE_OF_DISK, PAGE_HEATS };
/* Events that are kept of each part of time and container: the longest of each. */
enum page_kept { PAGE_SLOW, PAGE_SLOW_2, PAGE_FAIL, PAGE_WAIT, PAGE_BLOCK, PAGE_DISK, PAGE_KEPT };

struct page_cell {
	uint32_t bin, n, failed;
	uint64_t ns, max;
};

/* Parts of time that are not empty, in their order. */
struct page_cells {
	struct page_cell *v;
	size_t n, cap;
};

struct page_call {
	size_t box;
	char name[64];		/* "": the others of all containers */
	struct page_cells cells;
	uint64_t hist[CTRACE_TABLE_BUCKETS], max;
};

struct page_blame {
	size_t victim;
	uint32_t kind, cid;	/* of the culprit */
	bool ctrace;		/* it was ctrace itself */
	uint64_t *ns;		/* by part of time */
};

struct page_fail {
	char *call, *where;
	int err;
	uint64_t n;
};

struct page_event {
	uint64_t time, duration;
	int32_t tid;
	char comm[CTRACE_COMM_LEN], name[64];
	char *text;		/* arguments, or who had the CPU */
	char *stack;		/* frames, innermost first, a line each; NULL: none */
};

/* A flame graph, with when each frame had the CPU. */
struct page_flame {
	struct flame f;
	struct page_cells *self;	/* by node */
	size_t cap;
	uint64_t samples;
};

struct page_gap {
	uint32_t cid;		/* CTRACE_CID_ALL: of all */
	uint64_t from, to, n;
};

struct page_box {
	uint32_t cid;
	double weight;		/* before the verdicts: what it ran and waited */
	double held;		/* its verdict's share of its time, if something holds it up */
	struct sbuf row, why;	/* JSON: of report --summary, of why; why empty: it is not known */
	uint64_t *series[PAGE_SERIES];	/* NULL: all 0 */
	uint32_t *heat[PAGE_HEATS];	/* by part of time and level */
	struct page_event **kept;	/* by part of time and enum page_kept */
	struct page_fail fails[PAGE_FAILS];
	size_t nfails;
	struct page_flame flame;
};

/* Of a thread: its call's arguments, who had the CPU in its wait. Another one of this place replaces it. */
struct page_thread {
	int32_t tid;
	char args[160];
	uint64_t blamed;	/* ns */
	char culprit[96];
};
#define PAGE_THREADS	1024u

struct page {
	const struct export_opts *o;
	const char *old;	/* --diff, or NULL */
	/* gather.c */
	struct digest digest;
	struct sbuf head, diff;	/* JSON: before the rows of report --summary; of diff */
	bool whys;
	struct page_box v[PAGE_BOXES + 1];	/* the most troubled first; v[n]: all others */
	size_t n, others;
	/* page.c */
	struct draw *draw;
	uint64_t began, ended, width;
	struct page_call *calls;
	size_t ncalls;
	/* by container and name: place in calls + 1; open addressing */
	uint16_t call_places[4 * PAGE_CALLS];
	struct page_blame *blames;
	size_t nblames;
	struct page_gap gaps[PAGE_GAPS];
	size_t ngaps, frames, frame_names;
	struct page_thread threads[PAGE_THREADS];
};

/* Writes the page of a recording. old: an earlier one to compare it with, or NULL. Status to exit with. */
int page_run(const struct export_opts *o, const char *old);

/* --- gather.c --- */

int page_gather(struct page *p);

/* --- kept.c: bounded lists --- */

/* The part of time that it is in. */
uint32_t page_bin(const struct page *p, uint64_t time);
/* Adds to the cell of this part; parts come in order, or nearly so. */
void page_cells_add(struct page_cells *c, uint32_t bin, uint64_t ns, bool failed);
void page_count(struct page *p, struct page_box *b, enum page_series what, uint64_t time, uint64_t n);
/* Adds the time between two moments to all parts that it touches; what is before the first does not count. */
void page_spend(struct page *p, uint64_t **list, uint64_t from, uint64_t to);
void page_heat(struct page *p, struct page_box *b, enum page_heat what, uint64_t time, uint64_t duration);
struct page_call *page_call_of(struct page *p, size_t box, const char *name);
struct page_blame *page_blame_of(struct page *p, size_t victim, uint32_t kind, uint32_t cid, bool ctrace);
/* The place of an event of this duration, which the caller fills. NULL: longer ones are kept. */
struct page_event *page_keep(struct page *p, struct page_box *b, enum page_kept what, uint64_t time,
			     uint64_t duration);
void page_fail(struct page_box *b, const char *call, int err, const char *where);
/* Is this call's purpose to wait, so that a long one is no trouble? */
bool page_is_meant(const char *call);
void page_sample(struct page *p, struct export *x, struct page_box *b, const struct ctrace_record *rec,
		 const struct stacks *k);
void page_free(struct page *p);

/* --- put.c --- */

void page_put(struct export *x);

#endif
