// SPDX-License-Identifier: GPL-2.0-only
/* before 5.10: the member does not exist */
#include <linux/tracepoint.h>
struct ctrace_fact {
	struct tracepoint;
	int iterator;
} ctrace_fact;
