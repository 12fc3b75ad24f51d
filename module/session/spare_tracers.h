/* SPDX-License-Identifier: GPL-2.0-only */
/* Other tracers of system calls: hooks that see them come, and a look for existing ones. Used by spare.c. */
#ifndef CTRACE_SPARE_TRACERS_H
#define CTRACE_SPARE_TRACERS_H

/*
 * NULL, or why not. From then on, a registration of another tracer takes a hold, and its end gives it back.
 * ctrace_lock held.
 */
const char *ctrace_tracers_hook(void);
void ctrace_tracers_unhook(void);

/*
 * Why nobody may be spared, or NULL: another tracer's probe is registered, or may be soon. why: in a probe of
 * sys_enter.
 */
const char *ctrace_tracers_why(void);
const char *ctrace_tracers_look(void);	/* process context */

int ctrace_tracers_init(void);

#endif
