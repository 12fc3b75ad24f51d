/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef CTRACE_CALL_LIST_H
#define CTRACE_CALL_LIST_H

#include "session/probe.h"

/* Sets p's ranges by its name: calls, call:NAME,... Process context. 0, or -errno with a sentence in why. */
int ctrace_call_list(struct ctrace_probe *p, char *why);

#endif
