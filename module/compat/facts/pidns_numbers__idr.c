// SPDX-License-Identifier: GPL-2.0-only
/* since 4.15 */
#include <linux/idr.h>
#include <linux/pid_namespace.h>
unsigned int ctrace_fact(struct pid_namespace *ns, int *nr);
unsigned int ctrace_fact(struct pid_namespace *ns, int *nr)
{
	return idr_get_next(&ns->idr, nr) ? ns->pid_allocated & PIDNS_ADDING : 0;
}
