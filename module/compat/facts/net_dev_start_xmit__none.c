// SPDX-License-Identifier: GPL-2.0-only
/* before 3.14 */
#include <linux/netdevice.h>
#include <trace/events/net.h>
int trace_net_dev_start_xmit;
