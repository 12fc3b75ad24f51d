/* SPDX-License-Identifier: GPL-2.0-only */
/* A sink that writes into memory, and container 1, which is called web. */
#ifndef CTRACE_SELFTEST_SINK_FIXTURE_H
#define CTRACE_SELFTEST_SINK_FIXTURE_H

#include <stdio.h>
#include <stdlib.h>
#include "ktap.h"
#include "show/sink.h"

static struct ctrace_schema *schema;
static struct ctable *table;
static struct sink *sink;
static char *out;
static size_t out_len;
static FILE *file;

/* Takes s. o has the options that the test wants; the rest is set here. */
static inline void sink_begin(struct sink *(*new)(const struct sink_opts *o), struct sink_opts *o, struct ctrace_schema *s)
{
	schema = s;
	table = ctable_new(NULL);
	ctable_add(table, &(struct ctrace_container){ .cid = 1 }, "web", "podman", true);
	file = open_memstream(&out, &out_len);
	o->schema = schema;
	o->ctable = table;
	o->out = file;
	sink = new(o);
}

/* Ends it. The output must be these lines. */
static inline void sink_expect(const char *want)
{
	sink_free(sink);
	fclose(file);
	check_str(out, want);
	free(out);
	ctable_free(table);
	ctrace_schema_free(schema);
}

#endif
