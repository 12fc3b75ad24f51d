// SPDX-License-Identifier: GPL-2.0-only
/* since 3.12 */
#include <linux/err.h>
int ctrace_fact(const void *p);
int ctrace_fact(const void *p) { return PTR_ERR_OR_ZERO(p); }
