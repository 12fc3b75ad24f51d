// SPDX-License-Identifier: GPL-2.0-only
/* before 5.10: there is no such member */
#include <linux/tracepoint.h>
struct ctrace_fact {
	struct tracepoint;
	int iterator;
} ctrace_fact;
