/* SPDX-License-Identifier: GPL-2.0-only */
/* A recording that is read: by report, and by views. */
#ifndef CTRACE_RECORDING_H
#define CTRACE_RECORDING_H

#include "ctf/ctf_read.h"
#include "ctf/sink_ctf.h"
#include "events/probes.h"
#include "run/target.h"
#include "run/window.h"

struct json_object;

struct recording {
	const char *dir;
	struct ctrace_schema *schema;	/* event types of the recording kernel */
	struct ctable *table;
	struct side_info info;
	struct symbols *symbols;
	struct ctf_reader *reader;
	struct targets in, out;		/* the containers that the TARGETs mean */
	bool all;
	uint64_t from, to;		/* the window: from <= time < to; 0 and UINT64_MAX: all of it */
	struct json_object *asked;	/* recording_asked()'s, NULL: an older ctrace recorded it */
};

/*
 * Opens all but the reader. Returns CLI_OK, or the exit status after a message. Call recording_close() in
 * either case.
 */
int recording_open(struct recording *r, const char *dir);
/* Takes the TARGETs: containers by what was known of them when they were recorded. Status: the same. */
int recording_choose(struct recording *r, char **words, int n);
/* Opens the reader of events. Status: the same. */
int recording_read(struct recording *r);
/* When it began and ended. Status: the same. */
int recording_times(const struct recording *r, uint64_t *began, uint64_t *ended);
/*
 * Finds the window, and has the reader give only its records. Status: the same. recording_seek() has it give
 * more: near, before: as of ctf_reader_window().
 */
int recording_window(struct recording *r, const struct window *w);
void recording_seek(struct recording *r, uint64_t near, const struct ctf_types *before);
/* Is it a record of the window? */
static inline bool recording_in_window(const struct recording *r, const struct ctrace_record *rec)
{
	return rec->time >= r->from && rec->time < r->to;
}
/* Adds the types that have the names of tasks (show/comms.h), and the places of functions. */
void recording_names(const struct recording *r, bool comms, bool stacks, struct ctf_types *t);
/* When the window ends, or the recording, if `last` is the time of its last record. */
uint64_t recording_end(const struct recording *r, uint64_t last);
/*
 * Calls fn with each record of the state dump that is about a task. They come a little later than the first
 * events, so they are read before. Needs only recording_open().
 */
void recording_dump(const struct recording *r, void (*fn)(void *arg, const struct ctrace_record *rec), void *arg);
/* Is the container chosen? */
bool recording_shows(const struct recording *r, uint32_t cid);
/*
 * Call it when all is read: says which functions' names are missing. CLI_OK; or after a message, if a file
 * was not read to its end because it is damaged.
 */
int recording_whole(const struct recording *r, const char *what);
/* Is there a recording, whole or not, in the directory? */
bool recording_is(const char *dir);
/* What the directory takes on disk, as du counts it: blocks of all its files. */
uint64_t recording_on_disk(const char *dir);
void recording_close(struct recording *r);

/* --- asked.c: what was asked for when it was recorded --- */

struct run;
struct run_opts;
struct losses;

/* What a run asks for, as JSON. ended: 0, or when it ended, CLOCK_MONOTONIC, with what was lost. */
void asked_put(struct sbuf *b, struct run *r, const struct run_opts *o, uint64_t began, uint64_t ended,
	       const struct losses *l);
int asked_load(const char *dir, struct json_object **out);
/* How completely events of this type were recorded. */
enum asked_how {
	ASKED_UNKNOWN,		/* the recording does not say what was asked for */
	ASKED_NOT,
	ASKED_PART,		/* only events for which a condition was true, or a sample */
	ASKED_ALL,
};
enum asked_how asked_type(const struct recording *r, const struct ctrace_event_type *t);
/* Appends the events that were asked for: "syscalls, sched_wait if duration > 1000". */
void asked_events(const struct recording *r, struct sbuf *b);
/* Appends the TARGETs and the COMMAND. */
void asked_targets(const struct recording *r, struct sbuf *b);
/* 0: the recording does not have it */
uint64_t asked_number(const struct recording *r, const char *key);
const char *asked_text(const struct recording *r, const char *key);
/* Of what was lost: "missed", "unfollowed", ... */
uint64_t asked_lost(const struct recording *r, const char *cause);
/* Has it each entry and each return of the calls that were asked for, but for losses? */
bool recording_has_each(const struct recording *r);

#endif
