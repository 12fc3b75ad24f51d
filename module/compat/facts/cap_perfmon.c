// SPDX-License-Identifier: GPL-2.0-only
#include <linux/capability.h>
int ctrace_fact(void);
int ctrace_fact(void) { return CAP_PERFMON; }
