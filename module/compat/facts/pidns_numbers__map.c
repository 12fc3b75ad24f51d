// SPDX-License-Identifier: GPL-2.0-only
/* before 4.15: numbers are bits in pages; the struct pid of a number is found by hashing */
#include <linux/pid_namespace.h>
unsigned int ctrace_fact(struct pid_namespace *ns);
unsigned int ctrace_fact(struct pid_namespace *ns)
{
	return ns->pidmap[PIDMAP_ENTRIES - 1].page ? ns->nr_hashed & PIDNS_HASH_ADDING : 0;
}
