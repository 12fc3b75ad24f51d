/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Lines of columns, one for each event: snoop, tcp, files --slower, bio --lines. A form says which events and
 * which columns. All else is shared with trace.
 */
#ifndef CTRACE_LINES_H
#define CTRACE_LINES_H

#include "net/sockets.h"
#include "show/comms.h"
#include "show/sink.h"
#include "strace/paint.h"

/* What a column is made of, and how. */
enum lines_kind {
	LINES_TEXT,
	LINES_NUMBER,
	LINES_MS,	/* ns; shown as ms */
	LINES_SECONDS,	/* ns; shown as s */
	LINES_MICROSECONDS,	/* the same, to the microsecond */
	LINES_KB,	/* bytes; shown as KB, rounded up */
};

/* One event. */
struct line {
	const struct ctrace_record *rec;
	const struct paint *p;
	const struct ctrace_value *v;
	int n;
	struct comms *comms;
	struct ctable *ctable;
	struct sockets *sockets;	/* NULL: the other ends of connections are not known */
	uint64_t entered;		/* CLOCK_MONOTONIC, ns: when it began, if it has a duration */
	uint64_t first;			/* when the first line's event was recorded */
	bool live;			/* of this machine, now; not of a recording */
};

struct lines_column {
	const char *head, *key;		/* in text; in JSON */
	int width;			/* < 0: to the left */
	enum lines_kind kind;
	/* Appends a text to b, or sets *n. False: there is none, shown as "-" or null. */
	bool (*get)(struct line *l, struct sbuf *b, int64_t *n);
};

struct lines_form {
	const char *word, *summary;
	/* as after -e, without conditions; names that the kernel lacks are left out */
	const char *events;
	const char *io_uring;		/* which operations of io_uring besides, as a condition; NULL: none */
	const char *failures;		/* instead, with --failed; NULL: the same */
	const char *usual;		/* their condition unless --all is given; NULL: none */
	const char *failed;		/* their condition with --failed; NULL: they are system calls */
	bool no_failed;			/* --failed makes no sense */
	bool spans;			/* they have a duration, for --longer; system calls have it anyway */
	bool named;			/* records have the names of tasks, so tasks need not be followed */
	bool fds;			/* with names of descriptors */
	/* of calls on descriptors, only those on files, unless --all is given */
	bool files;
	bool time;			/* with the time of day */
	bool (*shows)(struct line *l);	/* NULL: each */
	const struct lines_column *columns;	/* up to one without a head */
};

extern const struct lines_form lines_snoop[];	/* up to one without a word */
extern const struct lines_form lines_tcp_life, lines_tcp_connects, lines_tcp_retransmits, lines_files, lines_bio;

struct lines_opts {
	const struct lines_form *form;
	bool time, all;
	bool failed;			/* only the form's failures */
	struct sockets *sockets;	/* outlives the sink; NULL: there are none */
};

/* Events that give names of tasks, for all forms. */
#define LINES_TASKS	"sched_process_fork,sched_process_exec"

/* lo outlives the sink. */
struct sink *sink_lines_new(const struct sink_opts *o, const struct lines_opts *lo);
/* Learns from the record. Is it one to show, for sink_record()? */
bool sink_lines_takes(struct sink *s, const struct ctrace_record *rec);

/* The form's events, or with --failed, its failures. */
static inline const char *lines_events(const struct lines_form *f, bool failed)
{
	return failed && f->failures ? f->failures : f->events;
}

/* --- lines_fields.c: what columns are made of --- */

const struct ctrace_value *line_field(const struct line *l, const char *name);
bool line_number(const struct line *l, const char *name, int64_t *n);
bool line_call_ret(const struct line *l, int64_t *ret);
/* Appends the container's label. */
bool line_container(const struct line *l, struct sbuf *b, uint32_t cid);
/* Appends ENOENT. False: err is no error. */
bool line_errno(struct sbuf *b, int64_t err);
/* Appends the text of a string that is an argument of a call, or a plain field's. */
bool line_text(const struct line *l, struct sbuf *b, const char *name);
/* Columns of many forms: the task's name, its process, its span's time. */
bool line_get_comm(struct line *l, struct sbuf *b, int64_t *n);
bool line_get_pid(struct line *l, struct sbuf *b, int64_t *n);
bool line_get_duration(struct line *l, struct sbuf *b, int64_t *n);
#define LINES_COMM	{ "COMM", "comm", -16, LINES_TEXT, line_get_comm }
#define LINES_PID	{ "PID", "pid", -7, LINES_NUMBER, line_get_pid }

#endif
