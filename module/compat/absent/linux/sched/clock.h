/* SPDX-License-Identifier: GPL-2.0-only */
/* since 4.11 */
#include <linux/sched.h>
