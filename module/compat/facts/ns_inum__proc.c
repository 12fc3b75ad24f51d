// SPDX-License-Identifier: GPL-2.0-only
/* before 3.19 */
#include <linux/pid_namespace.h>
#include <linux/proc_ns.h>
unsigned int ctrace_fact(const struct pid_namespace *ns);
unsigned int ctrace_fact(const struct pid_namespace *ns) { return ns->proc_inum; }
