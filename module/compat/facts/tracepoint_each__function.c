// SPDX-License-Identifier: GPL-2.0-only
/* since 3.15 */
#include <linux/tracepoint.h>
static void ctrace_fact_p(struct tracepoint *tp, void *data) { }
void ctrace_fact(void) { for_each_kernel_tracepoint(ctrace_fact_p, NULL); }
