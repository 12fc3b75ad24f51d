/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The sessions of one configuration: the recorder, whose rings nobody reads until something happens, and
 * small ones whose records are read as they come, because each of them sets off a dump: one for
 * the ends of processes, and one for each trigger of calls, spans and events.
 */
#ifndef CTRACE_WATCH_ENGINE_H
#define CTRACE_WATCH_ENGINE_H

#include "run/run.h"
#include "watch/config.h"

struct source {
	struct ctrace_session *session;
	struct ctrace_reader *reader;
	const struct trigger *trigger;	/* NULL: of the ends of processes */
	struct probes probes;
	uint64_t lost;			/* records overwritten before they were read, as counted so far */
};

struct engine {
	struct watch_config *config;	/* the engine's own */
	struct run run;			/* the recorder; ct, schema and ctable are the watch's */
	struct run_opts opts;
	struct source sources[1 + WATCH_RECORDS_MAX];
	size_t nsources;
	uint64_t began, ended;		/* CLOCK_MONOTONIC, ns: the recorder's; ended 0: it records */
	struct engine *older;		/* whose rings still have a part of the last seconds; or NULL */
};

/* The events that are recorded if the configuration names none. */
extern const char engine_events[];

/*
 * Reads the configuration's events with the schema. False after messages: each is of a line of the file, and
 * is counted. schema: what the module knows.
 */
bool engine_check(const struct watch_config *c, const struct ctrace_schema *schema, struct mistakes *m);

/*
 * Makes and starts the sessions; takes c, also if that fails. NULL after a message. Targets: all containers,
 * and not the host.
 */
struct engine *engine_new(struct ctrace *ct, struct ctrace_schema *schema, struct ctable *t,
			  struct watch_config *c);
/* Stops the sessions; the recorder's rings can still be read. */
void engine_stop(struct engine *e);
void engine_free(struct engine *e);

typedef void (*engine_fn)(void *arg, const struct source *s, const struct ctrace_record *rec);
/*
 * Gives the records of the small sessions, at most a batch of each. Adds those that were lost to *lost. True:
 * there may be more.
 */
bool engine_read(struct engine *e, engine_fn fn, void *arg, uint64_t *lost);

#endif
