// SPDX-License-Identifier: GPL-2.0-only
/* since 3.13, with IPv6 */
#include <net/sock.h>
const void *ctrace_fact(const struct sock *sk);
const void *ctrace_fact(const struct sock *sk) { return &sk->sk_v6_daddr == &sk->sk_v6_rcv_saddr ? sk : NULL; }
