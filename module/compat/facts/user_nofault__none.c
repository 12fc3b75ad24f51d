// SPDX-License-Identifier: GPL-2.0-only
#include <linux/uaccess.h>
int copy_from_user_nofault, probe_user_read;
