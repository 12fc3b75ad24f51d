// SPDX-License-Identifier: GPL-2.0-only
/* before 3.13: the function does not exist */
#include <linux/module.h>
#include <net/genetlink.h>
int genl_set_err;
