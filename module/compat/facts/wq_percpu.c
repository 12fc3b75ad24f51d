// SPDX-License-Identifier: GPL-2.0-only
/* since 6.17; later kernels want every queue to say that it is per CPU, or unbound */
#include <linux/workqueue.h>
int ctrace_fact(void);
int ctrace_fact(void) { return WQ_PERCPU; }
