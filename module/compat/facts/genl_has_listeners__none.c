// SPDX-License-Identifier: GPL-2.0-only
/* before 3.18: the function does not exist */
#include <linux/module.h>
#include <net/genetlink.h>
int genl_has_listeners;
