// SPDX-License-Identifier: GPL-2.0-only
/* since 5.1 the function does not exist */
#include <linux/rcupdate.h>
#define OF(x)	synchronize_##x
int OF(sched);
