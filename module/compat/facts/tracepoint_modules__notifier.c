// SPDX-License-Identifier: GPL-2.0-only
/* since 3.15 */
#include <linux/module.h>
#include <linux/notifier.h>
#include <linux/tracepoint.h>
int ctrace_fact(struct notifier_block *nb, struct tp_module *m);
int ctrace_fact(struct notifier_block *nb, struct tp_module *m)
{
	return m->mod->num_tracepoints + register_tracepoint_module_notifier(nb);
}
