// SPDX-License-Identifier: GPL-2.0-only
/* 5.5 to 5.7, and where it was backported */
#include <linux/uaccess.h>
long ctrace_fact(void *d, const void __user *s);
long ctrace_fact(void *d, const void __user *s) { return probe_user_read(d, s, 1); }
int copy_from_user_nofault;
