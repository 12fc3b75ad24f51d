// SPDX-License-Identifier: GPL-2.0-only
#include <linux/uaccess.h>
long ctrace_fact(void *d, const void *s);
long ctrace_fact(void *d, const void *s) { return copy_from_kernel_nofault(d, s, 1); }
