/* SPDX-License-Identifier: GPL-2.0-only */
/* since 4.2 */
#include <linux/ftrace_event.h>
