/* SPDX-License-Identifier: GPL-2.0-only */
/* A summary of a recording on one screen: a view of several events at once. */
#ifndef CTRACE_VIEW_SUMMARY_H
#define CTRACE_VIEW_SUMMARY_H

#include "run/window.h"

/* interval: 0, or one for each so many ns. Status to exit with. */
int summary_run(const char *dir, char **targets, int ntargets, const struct window *w, uint64_t interval);

#endif
