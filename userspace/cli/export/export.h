/* SPDX-License-Identifier: GPL-2.0-only */
/* A recording, read once from its beginning to its end and written in another program's form. */
#ifndef CTRACE_EXPORT_H
#define CTRACE_EXPORT_H

#include "run/recording.h"
#include "show/comms.h"
#include "show/sink.h"
#include "strace/paint.h"

/* A task while it has its number. */
struct export_task {
	int32_t tid, pid;		/* 0: not known */
	int32_t vtid, vpid;		/* in its container's pid namespace; 0: not known */
	uint32_t cid;			/* that of its last record */
	uint32_t life;			/* how many tasks had this number before it */
	uint16_t entry;			/* the call that it is in; 0: none */
	/*
	 * it was seen to be in no call, after so many losses (draw.losses); a return then is of one that was
	 * denied
	 */
	uint32_t left;
	uint64_t began;			/* when the last call that it was seen to enter began; 0: not seen */
	bool told;			/* the writer has described it */
	bool dumped;			/* the state dump has a record of it */
	/* when it was woken, and when it fell into a sleep that nothing can end; 0: not so */
	uint64_t can_run, sleeps;
};

struct export_opts {
	const char *dir, *out;		/* out "-": standard output */
	char **targets;
	int ntargets;
	struct window window;
	void *own;		/* what the writer's x->own is at first */
};

struct export {
	struct recording r;
	struct window window;
	struct comms *comms;
	struct paints *paints;
	struct tasks *tasks;
	FILE *out;
	uint64_t first, last;		/* times of records; 0: there were none */
	uint64_t events, lost;
	uint64_t done;			/* bytes written, by export_put() */
	bool failed;			/* writing failed: errno then is in err */
	int err;
	/* what could not be written, if not the output: a directory of temporary files */
	const char *where;
	void *own;			/* the writer's */
};

struct export_writer {
	/* NULL: nothing to do. begin returns CLI_OK or a status after a message */
	int (*begin)(struct export *x);
	/* k: its stacks, or NULL */
	void (*record)(struct export *x, const struct ctrace_record *rec, uint32_t cpu, const struct stacks *k);
	void (*lost)(struct export *x, const struct ctf_loss *l);
	void (*end)(struct export *x);
	void (*free)(struct export *x);
};

extern const struct export_writer export_perfetto, export_chrome, export_trace_dat;

/* Returns the status to exit with, after a message. */
int export_run(const struct export_writer *w, const struct export_opts *o);
/*
 * Reads the recording for a writer that writes nothing of its own before the end: x->r is open, and TARGETs
 * are chosen.
 */
void export_read(struct export *x, const struct export_writer *w, bool *stopped);
/* Writes; after an error, nothing more. */
void export_put(struct export *x, const void *p, size_t n);

/* --- tasks.c --- */

struct tasks *tasks_new(void);
void tasks_free(struct tasks *t);
/* The task's place, made if there is none; NULL for tid <= 0. Good until the next call. */
struct export_task *tasks_get(struct tasks *t, int32_t tid);
/* The next task, in no order; start with *i == 0. */
struct export_task *tasks_next(struct tasks *t, size_t *i);
/* Learns from a record of any container. Returns the task that was born, or NULL. */
struct export_task *tasks_learn(struct export *x, const struct ctrace_record *rec);
/* "web · nginx"; without the second half if its name is not known. Good until the next call. */
const char *tasks_title(struct export *x, const struct export_task *t);

/* --- details.c: what is said about an event --- */

enum detail_kind { DETAIL_INT, DETAIL_UINT, DETAIL_ADDRESS, DETAIL_TEXT };
struct detail {
	const char *name;
	enum detail_kind kind;
	uint64_t n;
	size_t at;		/* TEXT: in the text, with a NUL behind it */
};
#define DETAILS_MAX	(FIELDS_MAX + 2)
struct details {
	struct detail v[DETAILS_MAX];
	size_t n;
	struct sbuf text;
};
void details_reset(struct details *d);
/* The fields of an event other than a call's, without stacks. span: without the duration, too */
void details_fields(struct details *d, const struct paint *p, const struct ctrace_value *v, int n, bool span);
/* The arguments as text, as `ctrace trace` shows them. r: the values of the return, or NULL. */
void details_args(struct details *d, const struct call_values *c, const struct call_values *r);
/* What the call returned: a number, and the name of the error. */
void details_ret(struct details *d, int64_t ret);
const char *detail_text(const struct details *d, const struct detail *x);

#endif
