/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Views: commands that count events in the kernel and show the numbers. A view is one or a few aggregates and
 * a printer; the rest is shared: options (options.c), probes (plan.c), the run (view.c), names and order of
 * rows (rows.c), text and JSON (show.c, show_json.c, bars.c).
 */
#ifndef CTRACE_VIEW_H
#define CTRACE_VIEW_H

#include <libctrace_aggregate.h>
#include "base/cli.h"
#include "base/table.h"
#include "run/run.h"
#include "run/window.h"
#include "symbols/stacks.h"
#include "symbols/symbols.h"

#define VIEW_ROWS	1024	/* of a table on each CPU; of more than four tables, fewer */

#define VIEW_INTERVAL_LEAST	10000000u	/* ns */

struct view;
struct view_row;
struct input;

/* Events that are counted alike. */
struct view_group {
	struct probes_opts events;	/* its events[] are freed with the view */
	char *aggregate;
	size_t own;		/* for the command */
	uint32_t rows;		/* of its tables, on each CPU; 0: as for all */
};

/* The table of one probe. */
struct view_table {
	struct ctrace_aggregate *a;
	const struct ctrace_table *t;
	struct ctrace_look *last;	/* the look at the end of the period before, or NULL */
	struct ctrace_look *gain;	/* the counts of this period */
	char *event;			/* as users write it */
	const struct ctrace_event_type *type;	/* NULL: it has events of several types */
	size_t group, own;	/* own: the group's */
	uint64_t at;			/* where it is in the mapping of a session of the command's own */
	int call;			/* the key that is the system call, shown as the event; -1: none */
};

/* The parts of a view that differ between commands. */
struct view_kind {
	const struct cli_option *options;	/* of the command, from OPT_VIEW_OWN on */
	bool (*option)(struct view *v, int opt, int *status);
	/*
	 * Takes the other words of the command line; leaves the TARGETs in *words and *n. The module is not
	 * asked yet.
	 */
	int (*words)(struct view *v, char ***words, int *n);
	/* Makes groups. The types are known. */
	int (*groups)(struct view *v);
	/*
	 * The session is set up and not started yet, or the recording not read: CLI_OK, or the exit status
	 * after a message. Then, each second, live. Or NULL.
	 */
	int (*begin)(struct view *v);
	void (*tick)(struct view *v);
	/*
	 * Prints a period, rows of all tables' gain. j: as the elements of "rows"; NULL: as text, to standard
	 * output.
	 */
	void (*print)(struct view *v, struct json *j);
	void (*take)(struct view *v);	/* NULL, or takes a period in place of print() */
	void (*head_json)(struct view *v, struct json *j);	/* NULL, or writes members before "rows" */
	/*
	 * Of a recording, in place of print(): takes each record, and whether it was counted. NULL: there is
	 * none
	 */
	void (*each)(struct view *v, const struct ctrace_record *rec, const struct stacks *k, bool counted);
	/* with each: takes what came before the window */
	void (*learn)(struct view *v, const struct ctrace_record *rec);
	/*
	 * Spans of a recording count for as long as they last within the period, whenever they end. Before
	 * the first period it is called for each span of the recording, with its time. NULL: they count in
	 * the period in which they end
	 */
	void (*span)(struct view *v, const struct ctrace_record *rec, uint64_t from, uint64_t to);
	/* of a line of --folded; NULL: events */
	uint64_t (*weight)(const struct ctrace_table *t, const uint64_t *values);
	bool symbols;			/* it may show stacks */
	bool waits;			/* it counts waits for a CPU when they end */
	bool sorts;			/* it looks for the column of --sort itself */
	bool timed;			/* print() prints the time of the interval */
	bool quiet;			/* its recording is read again by somebody who says what was lost */
	uint64_t interval;		/* ns, if none is given; 0: all is shown at the end */
	/*
	 * Only for a view that takes the whole terminal (view.screen). keys() takes it and reads keys: 0; 1:
	 * end; -1: it failed, after a message. leave() gives it back.
	 */
	int (*keys)(struct view *v);
	void (*leave)(struct view *v);
	/*
	 * Of lines in place of tables: r, a live run, is set up and not started yet; or it has ended. NULL:
	 * nothing to do
	 */
	void (*lines)(struct view *v, struct run *r, bool ended);
	/* Runs instead of counting, and returns the status to exit with; -1 or NULL: the view counts. */
	int (*instead)(struct view *v);
};

struct view_account {
	uint64_t events, other, ended;	/* other: in (other); ended: in the row of CTRACE_CID_ALL */
	uint64_t lost, stacks_lost;
};

struct view {
	struct run run;
	struct run_opts o;
	const struct view_kind *kind;
	const char *by, *sort, *folded;	/* NULL: not given */
	const char *recording;		/* --input: its directory; NULL: live */
	struct window window;		/* of the recording */
	struct input *input;		/* of a recording that is read */
	struct ctrace_aggregate **counted;	/* its tables, by probe */
	uint32_t top, rows, count;	/* 0: not given */
	uint64_t interval;		/* ns, 0: not given */
	bool rows_alone;		/* view_print() prints it: the columns of --sort are the tables' */
	/*
	 * The command added the key pid because a user stack's addresses are a process's own. Once they have
	 * names, stacks of several processes count together, and pid is not shown
	 */
	bool merges;
	bool explain, verbose, screen, failed;	/* failed: the terminal could not be taken */
	void *own;			/* the command's */
	struct view_group *groups;
	size_t ngroups;
	struct view_table *tables;
	size_t ntables;
	struct symbols *symbols;
	bool has_stacks;
	uint64_t began, since, until;	/* CLOCK_MONOTONIC, ns: of the run, of the period */
	uint32_t periods;		/* that were shown */
	struct view_account account, period;
	int error;			/* -errno of a look that failed */
	struct {
		bool unseen;		/* the view's calls are without operations of io_uring */
		uint32_t *cids;		/* of containers that were seen to use it */
		size_t n;
	} io_uring;
};

enum {
	OPT_BY = OPT_VIEW, OPT_TOP, OPT_SORT, OPT_INTERVAL, OPT_COUNT, OPT_ROWS, OPT_EXPLAIN, OPT_VIEW_OWN,
};

/* The whole of a view's run(). own: for the kind's functions. */
int view_run(const struct view_kind *kind, void *own, int argc, char **argv);
/* The same of a recording, without a command line. */
int view_run_recording(const struct view_kind *kind, void *own, const char *dir, char **targets, int ntargets,
		       const struct window *window, uint64_t interval);

/* The module counts these functions of a duration, in this order, with the fewest instructions. */
#define VIEW_DURATIONS	"count(), sum(duration), min(duration), max(duration), hist(duration)"

/* keys for --by; events of some commands have more */
#define VIEW_KEYS	"container comm tid vtid pid uid gid cpu stack ustack syscall errno"
#define VIEW_BY_OPTION \
	OPTION("by", OPT_BY, "KEY,...", \
	       "count separately for each KEY, at most 6: comm tid vtid pid uid gid cpu, a " \
	       "field, FIELD/N, FIELD&N, " \
	       "log2(FIELD), stack, ustack; of system calls syscall and errno. The container is " \
	       "always the first", VIEW_KEYS)
#define VIEW_VERBOSE_OPTION \
	OPTION("verbose", 'v', NULL, "at the end, say how many events were counted, even if none was lost")

/* --- options.c --- */

/* Options of snoop and the counting commands; of the counting commands only. */
extern const struct cli_option view_source_options[], view_count_options[];

/* --interval. Status after a message. */
int view_interval(const char *text, uint64_t *ns);
/* Sets *status, after a message, if --folded is given together with what it excludes. */
void view_check_folded(const struct view *v, int *status);
/* Reads options and words. Returns CLI_OK, or the exit status after a message; *help: --help was given. */
int view_options(struct view *v, int argc, char **argv, bool *help);

/* --- one_event.c: views of one event --- */

/* Only this event is counted, if --longer and, with --failed, `failed` are true. Status after a message. */
int view_one_event(struct run_opts *o, const char *event, const char *failed);
/*
 * Is --sort, if it is given, one of the words that the command's table of options has for it? If there are
 * none, the tables have the columns, and are not known yet. Status after a message.
 */
int view_sort_is(const struct view *v);
/* --sort without its "-", or the first of the columns. *turned: it has one */
const char *view_sort_column(const struct view *v, const char *first, bool *turned);

/* --- io_uring.c --- */

/*
 * Beside a group of calls: adds one of io_uring's operations, with the same --failed and --longer; only: an
 * expression, or NULL. False: there are none to count.
 */
bool view_add_io_uring(struct view *v, const char *functions, const char *keys, const char *only);
bool view_is_io_uring(const struct view_table *t);
/* Appends the call of the row, or io_uring:openat. */
void view_put_call(struct view *v, struct sbuf *b, const struct view_row *row);
/*
 * If operations are not counted, the containers that use io_uring are noted: by the calls of this period, or
 * by a call in a recording.
 */
void view_note_io_uring(struct view *v);
void view_note_io_uring_call(struct view *v, const struct ctrace_record *rec);
/* If r's kernel has no event for operations, and r does not count all calls: counts the calls of io_uring. */
void view_watch_io_uring(struct view *v, struct run *r);
/* Notes who made the calls that r counted, and says how many containers were noted. */
void view_print_io_uring(struct view *v, struct run *r);

/* --- plan.c --- */

/* Adds a group; takes aggregate. events NULL: the events of -e. */
void view_add_group(struct view *v, const char *events, char *aggregate);
/* "FUNCTIONS by KEYS", with extra keys before the user's --by; extra may be NULL. The caller frees it. */
char *view_aggregate(const struct view *v, const char *functions, const char *extra);
int view_plan(struct run *r, void *arg);
/* Adds a probe of that name, which it takes: its events are counted for each container, besides. */
void view_count_besides(struct run *r, char *name);
/* Adds the probes of all groups to v->run, and a table for each to v. Status after a message. */
int view_want(struct view *v);
/* Opens the tables of the session's probes, or the recording's. */
int view_open_tables(struct view *v);
/* Looks at the table; its gain is then the counts since the last look. 0 or -errno. */
int view_table_look(struct view_table *t);
/* Does the list a,b,c name the word? list NULL: no. */
bool view_list_has(const char *list, const char *word);

/* --- input.c: a recording in place of the module --- */

/* A whole run, except for the part of view_run() that live runs share. */
int view_input_run(struct view *v);
/* Was the event recorded, or some of its kind? "calls": whole calls, or entries and exits. */
bool view_input_has(const struct view *v, const char *event);
struct recording;
const struct recording *view_input_recording(const struct view *v);
/* When it ended, or how far it was read: CLOCK_MONOTONIC. */
uint64_t view_input_end(const struct view *v);
/* Records of a container that were read, and all. */
uint64_t view_input_events(const struct view *v, uint32_t cid);
uint64_t view_input_all_events(const struct view *v);
void view_input_forget(const struct view *v);
/* Nanoseconds from CLOCK_MONOTONIC to CLOCK_REALTIME when it was recorded. */
int64_t view_input_clock(const struct view *v);
/* Appends what of the recording did not count, or was not read, to the account. False: nothing. */
bool view_input_account(const struct view *v, struct sbuf *b);
const char *view_input_blind(const struct view *v);	/* events that losses.blind is about */
uint64_t view_input_lost(const struct view *v);	/* 0: live */
void view_input_losses(const struct view *v, struct losses *l);
void view_input_free(struct view *v);

/* --- view.c --- */

/* Shows the period that ends now (CLOCK_MONOTONIC). Returns -1 if the run cannot continue. */
int view_show_period(struct view *v, uint64_t now);
/* CLOCK_REALTIME, ns, of a moment of CLOCK_MONOTONIC. */
uint64_t view_realtime(const struct view *v, uint64_t at);
/* The end of a run: stacks and account. Returns the status. */
int view_finish(struct view *v, int status);

/* --- rows.c --- */

/* A row to show. */
struct view_row {
	const struct view_table *t;
	const struct ctrace_look_row *r;
};
struct view_rows {
	struct view_row *v;
	size_t n;
};

/* Is it a row without keys of its own: (other), or of ended containers? */
static inline bool view_is_other(const struct view_row *row)
{
	return row->r->other || row->r->cid == CTRACE_CID_ALL;
}

/* The rows of a group that are shown, in order, at most --top. The caller frees rows->v. */
void view_rows_get(struct view *v, size_t group, struct view_rows *rows);
/* Has a table the column of --sort, if rows are in the order of tables' columns? Status after a message. */
int view_rows_sort_is(const struct view *v);
/* Is it shown, or of a container that --follow has let go? */
bool view_shows(const struct view *v, const struct ctrace_look_row *r);
bool view_is_gone(const struct view *v, uint32_t cid);
/* Appends names, safe for a terminal. */
void view_put_container(const struct view *v, struct sbuf *b, uint32_t cid);
/* The same of another party in the row: the waker, the task that had the CPU. */
void view_put_other_container(const struct view *v, struct sbuf *b, uint32_t cid);
void view_put_key(const struct view *v, struct sbuf *b, const struct view_row *row, uint32_t key);
void view_put_event(const struct view *v, struct sbuf *b, const struct view_row *row);
/* The key of this name, a "$" before it aside, -1: none. */
int view_key(const struct ctrace_table *t, const char *name);
/* The first column of values of this kind, -1: none. */
int view_column(const struct ctrace_table *t, uint32_t fn);
/* Number of events of a row; 0 if no column has it. */
uint64_t view_events(const struct ctrace_table *t, const uint64_t *values);
/* Has no event had the field of this min() or avg() yet? A max() of unsigned numbers does not say. */
bool view_value_none(const struct ctrace_table_column *c, const uint64_t *values);
/* The largest of a histogram's values; max: since the beginning, which may be older. */
uint64_t view_hist_max(const uint64_t *h, uint64_t max);
uint64_t view_hist_min(const uint64_t *h, uint64_t min);
const char *view_call_name(const struct view *v, uint64_t id);

/* --- waiting.c --- */

/* Threads of the targets that can run and have no CPU now. The longest wait is that of tid. */
struct view_waiting {
	size_t threads;
	uint64_t total, longest;	/* ns */
	uint32_t cid, tid;
	char comm[16];
};
/* False: they are not known, or the view counts something else. */
bool view_waiting(struct view *v, struct view_waiting *w);
void view_waiting_json(struct view *v, struct json *j);
void view_waiting_print(struct view *v);	/* a line, if one waits for long */

/* --- show.c, show_json.c, bars.c --- */

/* The printer of views that show their tables as they are. */
void view_print(struct view *v, struct json *j);
void view_print_json(struct view *v, struct json *j);	/* its part, in show_json.c */
void view_json_container(const struct view *v, struct json *j, uint32_t cid, bool other);
void view_json_other_container(const struct view *v, struct json *j, uint32_t cid);
void view_json_hist(struct json *j, const uint64_t *h, uint64_t max);
/* Writes "container;keys;outermost;...;innermost N" lines for flame graphs. */
void view_fold(struct view *v, FILE *out);
/*
 * The text for frame i of the row's stack in this key; good until the next call. If the view merges, an
 * address without a name is (unknown): equal ones of two processes need not be one function's.
 */
const char *view_frame(struct view *v, const struct view_row *r, uint32_t key, const uint64_t *frames, uint32_t i);
/* Appends the stack, a line for each frame. */
void view_put_stack(struct view *v, struct sbuf *b, const struct view_row *r, uint32_t key);
/* Learns the names of user stacks' functions, while the processes live. */
void view_learn_symbols(struct view *v);

enum bars_unit { BARS_PLAIN, BARS_USECS, BARS_MSECS };
/* A histogram as lines, powers of two, without its empty ends. unit: of values in ns. */
void bars_put(struct sbuf *b, const uint64_t *h, const char *name, enum bars_unit unit);
/* Appends 850ns, 12.3us, 4.56ms, 1.23s. */
void put_ns(struct sbuf *b, uint64_t ns);
void table_ns(struct table *t, uint64_t ns);	/* the same, as a cell */
/*
 * A percentile is as exact as its bucket is narrow. So text has its first two digits, never more than the
 * largest value that stands beside it; JSON has the number itself.
 */
uint64_t two_digits(uint64_t n);
/* Appends 850ns, 12us, 4.5ms, 1.2s: the first two digits. */
void put_percentile(struct sbuf *b, uint64_t ns);
/* A shade for n of at most most: 0 for 0, up to shades - 1; even steps of the logarithm. */
unsigned int shade_of(uint64_t n, uint64_t most, unsigned int shades);

/*
 * The value that a share p of h's values does not exceed; at most max, though the bucket may reach further.
 */
static inline uint64_t view_percentile(const uint64_t *h, double p, uint64_t max)
{
	uint64_t v = ctrace_hist_percentile(h, p);

	return v < max ? v : max;
}

#endif
