/* SPDX-License-Identifier: GPL-2.0-only */
/* The options of window.h, in a command's table. of: what is said before each, such as "with --input: ". */
#ifndef CTRACE_WINDOW_OPTIONS_H
#define CTRACE_WINDOW_OPTIONS_H

#include "run/run.h"
#include "run/window.h"

#define WINDOW_OPTIONS(of) \
	OPTION("from", OPT_FROM, "WHEN", \
	       of "from 14:00, 14:00:05.2, 2026-11-29T14:00; +30s: after its beginning; -5m: before its end"), \
	OPTION("to", OPT_TO, "WHEN", of "until then"), \
	OPTION("last", OPT_LAST, "TIME", of "its last 30s, 5m, ...")

#endif
