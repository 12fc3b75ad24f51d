// SPDX-License-Identifier: GPL-2.0-only
/* up to 5.7 */
#include <linux/uaccess.h>
int copy_from_user_nofault;
