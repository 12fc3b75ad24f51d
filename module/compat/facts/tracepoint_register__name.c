// SPDX-License-Identifier: GPL-2.0-only
/* before 3.15 */
#include <linux/tracepoint.h>
int ctrace_fact(const char *name);
int ctrace_fact(const char *name)
{
	return tracepoint_probe_register(name, NULL, NULL) ?: tracepoint_probe_unregister(name, NULL, NULL);
}
