/* SPDX-License-Identifier: GPL-2.0-only */
/* A run that shows records as they come. */
#ifndef CTRACE_LIVE_H
#define CTRACE_LIVE_H

#include "run/run.h"
#include "show/sink.h"

struct live {
	/* set by the caller */
	const struct run_opts *opts;
	struct sink_opts so;	/* relative and quiet_args; live_run() sets the rest */
	FILE *out;
	struct sink *(*sink)(const struct sink_opts *o, void *arg);
	/* Does the sink want the record, and count it? NULL: it does. */
	bool (*takes)(struct sink *s, const struct ctrace_record *rec);
	/*
	 * Called when the session is set up but not started. Returns as run_opts.ready; NULL: nothing to do.
	 */
	int (*ready)(struct live *l);
	void *arg;

	struct run run;
	struct wall wall;
	struct sink *s;
	struct symbols *symbols;
	struct sbuf counted;		/* the sink's own account of its events */
	struct losses seen;		/* the losses that were already reported */
	uint64_t losses_looked;
	bool looked_ahead;
};

/* The whole run. o becomes l->opts. Returns the status to exit with. Call live_free() in either case. */
int live_run(struct live *l, struct run_opts *o);
void live_free(struct live *l);

#endif
