/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds the system of a tracepoint. */
#ifndef CTRACE_TRACEPOINTS_H
#define CTRACE_TRACEPOINTS_H

struct tracepoints;

/* Reads tracefs if it is mounted; if not, no system is known. */
struct tracepoints *tracepoints_new(void);
void tracepoints_free(struct tracepoints *t);
/* NULL: not known. name has no system in front. */
const char *tracepoints_system(const struct tracepoints *t, const char *name);

#endif
