/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ctrace top: shared by its parts. The kernel counts what each container does (sources.c), lines.c makes a
 * line of each, facts.c reads the numbers that only files have, columns.c turns lines into text, JSON and
 * order; drill.c looks into one container, and screen.c shows it all on a terminal.
 */
#ifndef CTRACE_TOP_H
#define CTRACE_TOP_H

#include "base/table.h"
#include "names/cgroup_files.h"
#include "count/view.h"

/* Sums of a line: times in ns, sizes in bytes; the others are numbers of events. */
enum top_sum {
	TOP_CPU, TOP_WAIT, TOP_THROTTLED, TOP_CALLS, TOP_ERRORS, TOP_READ, TOP_WRITE, TOP_DISK_READ, TOP_DISK_WRITE,
	TOP_RX, TOP_TX, TOP_FAULTS,
	TOP_SUMS
};

struct top_key {
	uint32_t cid;
	int32_t pid, tid;	/* as the host numbers them; 0: of all */
	const char *by;		/* keys of --by, or what a call is called; "": of all */
};

struct top_line {
	struct top_key key;	/* its by belongs to the line */
	uint64_t sums[TOP_SUMS];	/* of the interval */
	bool there;		/* it lives, or did something in the interval */
	bool busy;		/* it did something */
	bool gone;		/* it has ended in the interval */
	char comm[16];		/* of a process or a thread; no NUL if it is long */
	/* from files; -1: not known */
	int64_t memory, limit, procs, threads;
	uint32_t read;		/* in which interval the files were read, from 1 on; 0: never */
	struct { uint64_t calls, errors, total, max; } call;	/* of a line of calls */
	uint64_t *hist;		/* how long they took; NULL: it has none */
};

/* Lines, found by their key. */
struct top_lines {
	struct top_line **v;	/* in order, once sorted */
	size_t n, room;
	uint32_t *slots;	/* open addressing: 1 + index in v; 0: free */
	size_t size;		/* a power of two; 0: none yet */
};

struct top;

/* --- sources.c: which events are added up to what -------------------------------- */

/* Adds the groups of a view, one for each event; and says in t->there what this kernel has events for. */
int top_sources(struct top *t);
/* Adds what a row of this table gained to the sums. */
void top_source_add(struct top *t, const struct view_table *table, const struct ctrace_look_row *r, uint64_t *sums);
/* Do its events belong to tasks, and not to a container as a whole? */
bool top_source_of_tasks(const struct view_table *t);
/* How many keys its rows have before the keys of --by. */
uint32_t top_source_keys(const struct view_table *t);

/* --- lines.c ----------------------------------------------------------------------- */

struct top_line *top_line_get(struct top_lines *l, const struct top_key *key);
/* Zeroes the sums, and marks all lines as absent. Lines that are found again are present. */
void top_lines_begin(struct top_lines *l);
void top_call_hist(struct top_line *line, const uint64_t *hist);	/* adds it to the line's */
/* Frees the lines that are still absent. */
void top_lines_end(struct top_lines *l);
void top_lines_free(struct top_lines *l);
/* Makes the lines of an interval out of the view's tables. */
void top_lines_take(struct top *t);

/* --- facts.c ----------------------------------------------------------------------- */

/* containers whose files are read in one interval, beside those first in order */
#define TOP_FACTS	32u

/* Reads the files of the first `first` lines, and of others in turn; all: of all lines. */
void top_facts_read(struct top *t, size_t first, bool all);
/* Adds a line for each process of the container, for each thread of the process. */
void top_facts_processes(struct top *t, struct top_lines *l, uint32_t cid);
/* Reads the line's process or thread from /proc. false: it has ended. */
bool top_facts_task(struct top_line *l);
void top_facts_threads(struct top_lines *l, uint32_t cid, int32_t pid);

/* --- columns.c --------------------------------------------------------------------- */

enum top_level { TOP_CONTAINERS, TOP_PROCESSES, TOP_THREADS, TOP_CALLS_OF };
#define TOP_BRIEF	0x80u	/* of containers at the first look */

struct top_column {
	const char *head, *word;	/* on the screen; for --sort, and in JSON */
	unsigned char kind, sum;	/* how it is shown; which sum, or which fact */
	unsigned char width;		/* at least, on the screen */
	unsigned char rank;		/* where there is no room, the columns of higher rank go first */
	unsigned char levels;		/* a bit for each enum top_level that has it, and TOP_BRIEF */
};

/* The columns of a level, at most max. Returns their number. */
size_t top_columns(const struct top *t, enum top_level level, const struct top_column **v, size_t max);
bool top_column_is_text(const struct top_column *c);
bool top_column_is_fact(const struct top_column *c);	/* facts.c reads it */
void top_column_put(const struct top *t, const struct top_column *c, const struct top_line *l, uint64_t ns,
		    struct sbuf *b);
/* CLI_OK, or the exit status after a message. *turned: the word begins with '-'. */
int top_column_find(const struct top *t, enum top_level level, const char *word, const struct top_column **c,
		    bool *turned);
void top_sort(const struct top *t, struct top_lines *l, const struct top_column *by, bool turned);
void top_json(const struct top *t, struct json *j, const struct top_line *l);

/* --- drill.c: processes, threads and calls of one container ------------------------ */

struct top_drill {
	struct ctrace_session *session;
	struct ctrace_reader *reader;
	struct view_table *tables;
	size_t ntables;
	uint64_t since;			/* CLOCK_MONOTONIC, ns */
	bool full;			/* tasks that have ended took its rows up: open it anew */
};

/*
 * Counts what a container's processes and threads do; of calls: what this process or thread calls. 0 or
 * -errno.
 */
int top_drill_open(struct top *t, struct top_drill *d, const struct top_key *key, bool calls);
/*
 * Makes the lines of the time since the last look: of processes, or of the threads of pid, or of calls. 0 or
 * -errno.
 */
int top_drill_take(struct top *t, struct top_drill *d, struct top_lines *l, enum top_level level,
		   const struct top_key *key);
void top_drill_close(struct top_drill *d);

/* --- screen.c ---------------------------------------------------------------------- */

struct top_screen;

/* Takes the terminal. NULL after a message. */
struct top_screen *top_screen_open(struct top *t);
bool top_screen_paused(const struct top_screen *s);
/* An interval has ended: shows it. */
void top_screen_show(struct top_screen *s);
/* Looks at the keys. -1: the user wants to end. */
int top_screen_keys(struct top_screen *s);
/* Gives the terminal back. s may be NULL. */
void top_screen_close(struct top_screen *s);

/* ------------------------------------------------------------------------------------ */

/* cmd_top.c: a table of one second. Returns the status to exit with. */
int top_brief(void);

struct top {
	struct view *view;
	struct top_lines lines;		/* of containers */
	struct cgroup_files *files;
	struct top_screen *screen;
	const struct top_column *sort;
	bool turned, batch;
	bool brief;			/* only the columns that a first look needs */
	bool there[TOP_SUMS];		/* this kernel has events for it */
	uint64_t ns;			/* the length of the last interval */
	uint32_t interval;		/* its number, from 1 on */
	size_t turn;			/* whose files are read next */
	unsigned char moves[1 << 16];	/* sources.c: by event type of calls */
};

#endif
