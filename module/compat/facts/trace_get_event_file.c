// SPDX-License-Identifier: GPL-2.0-only
/* since 5.5: a trace event by subsystem and name */
#include <linux/trace_events.h>
#ifndef CONFIG_EVENT_TRACING
#error no
#endif
int ctrace_fact(void);
int ctrace_fact(void)
{
	struct trace_event_file *f = trace_get_event_file(NULL, "", "");

	trace_put_event_file(f);
	return f->event_call->flags & TRACE_EVENT_FL_TRACEPOINT && f->event_call->tp;
}
