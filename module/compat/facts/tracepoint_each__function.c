// SPDX-License-Identifier: GPL-2.0-only
/* since 3.15 */
#include <linux/tracepoint.h>
static void p(struct tracepoint *tp, void *data) { }
void ctrace_fact(void) { for_each_kernel_tracepoint(p, NULL); }
