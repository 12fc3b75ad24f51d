/* SPDX-License-Identifier: GPL-2.0-only */
/* Which subsystem a tracepoint is of. */
#ifndef CTRACE_TRACEPOINTS_H
#define CTRACE_TRACEPOINTS_H

struct tracepoints;

/* Reads tracefs where it is mounted; else it knows none. */
struct tracepoints *tracepoints_new(void);
void tracepoints_free(struct tracepoints *t);
/* NULL: not known. */
const char *tracepoints_system(const struct tracepoints *t, const char *name);

#endif
