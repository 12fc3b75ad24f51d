/* SPDX-License-Identifier: GPL-2.0-only */
/* Hooks on tracepoints, which make containers known. Process context. */
#ifndef CTRACE_HOOKS_H
#define CTRACE_HOOKS_H

#include <linux/types.h>

int ctrace_hooks_start(void);
void ctrace_hooks_stop(void);	/* returns when none runs any more */

#endif /* CTRACE_HOOKS_H */
