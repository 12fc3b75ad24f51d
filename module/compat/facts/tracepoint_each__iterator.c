// SPDX-License-Identifier: GPL-2.0-only
/* before 3.15 */
#include <linux/tracepoint.h>
struct tracepoint *ctrace_fact(struct tracepoint_iter *i);
struct tracepoint *ctrace_fact(struct tracepoint_iter *i)
{
	tracepoint_iter_start(i);
	tracepoint_iter_next(i);
	tracepoint_iter_stop(i);
	return *i->tracepoint;
}
int for_each_kernel_tracepoint;
