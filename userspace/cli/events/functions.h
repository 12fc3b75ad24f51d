/* SPDX-License-Identifier: GPL-2.0-only */
/* Functions of the kernel by a pattern: kprobe:ext4_*, func:*ovl*. */
#ifndef CTRACE_FUNCTIONS_H
#define CTRACE_FUNCTIONS_H

#include <stdint.h>

struct probes;

/* That a pattern may match: each call of one costs, and some are called all the time. */
#define FUNCTIONS_MAX	4096u

/* The pattern of such a probe; NULL: it is another one. */
const char *functions_pattern(const char *probe);
/* How many functions match and can be traced; -errno: the kernel's list, read once, cannot be read. */
int functions_match(const char *pattern);
/* Does each pattern of p match some functions, and not too many? Status after a message. */
int functions_check(const struct probes *p);

#endif
