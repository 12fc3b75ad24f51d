// SPDX-License-Identifier: GPL-2.0-only
#include <linux/module.h>
int ctrace_fact(void);
int ctrace_fact(void) { return 0; }
