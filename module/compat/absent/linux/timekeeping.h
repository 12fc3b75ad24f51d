/* SPDX-License-Identifier: GPL-2.0-only */
/* since 3.18 */
#include <linux/hrtimer.h>
#include <linux/ktime.h>
#include <linux/time.h>
