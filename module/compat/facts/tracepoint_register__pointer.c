// SPDX-License-Identifier: GPL-2.0-only
/* since 3.15 */
#include <linux/tracepoint.h>
int ctrace_fact(struct tracepoint *tp);
int ctrace_fact(struct tracepoint *tp)
{
	return tracepoint_probe_register(tp, NULL, NULL) ?: tracepoint_probe_unregister(tp, NULL, NULL);
}
