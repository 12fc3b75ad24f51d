// SPDX-License-Identifier: GPL-2.0-only
/* since 3.11: nsproxy's pid namespace has a name that says whose it is */
#include <linux/nsproxy.h>
const void *ctrace_fact(const struct nsproxy *n);
const void *ctrace_fact(const struct nsproxy *n) { return n->pid_ns_for_children; }
