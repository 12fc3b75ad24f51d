// SPDX-License-Identifier: GPL-2.0-only
/* since 3.19 */
#include <linux/pid_namespace.h>
#include <linux/proc_ns.h>
unsigned int ctrace_fact(const struct pid_namespace *ns);
unsigned int ctrace_fact(const struct pid_namespace *ns) { return ns->ns.inum; }
