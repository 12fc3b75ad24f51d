// SPDX-License-Identifier: GPL-2.0-only
/* since 4.1 */
#include <linux/tcp.h>
u64 ctrace_fact(const struct tcp_sock *tp);
u64 ctrace_fact(const struct tcp_sock *tp) { return tp->bytes_acked + tp->bytes_received; }
