// SPDX-License-Identifier: GPL-2.0-only
/* before 3.15: who asks for news of them is not told; the name is free */
#include <linux/module.h>
#include <linux/tracepoint.h>
int register_tracepoint_module_notifier;
