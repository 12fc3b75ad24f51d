// SPDX-License-Identifier: GPL-2.0-only
/* before 3.15: there is no notifier for modules with tracepoints; the function does not exist */
#include <linux/module.h>
#include <linux/tracepoint.h>
int register_tracepoint_module_notifier;
