// SPDX-License-Identifier: GPL-2.0-only
/* this kernel has no such tracepoint: its function does not exist */
#include <linux/net.h>
#include <trace/events/sock.h>
int trace_inet_sock_set_state;
