// SPDX-License-Identifier: GPL-2.0-only
/* since 5.8 */
#include <linux/uaccess.h>
long ctrace_fact(void *d, const void __user *s);
long ctrace_fact(void *d, const void __user *s) { return copy_from_user_nofault(d, s, 1); }
