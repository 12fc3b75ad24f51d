// SPDX-License-Identifier: GPL-2.0-only
/* since 4.4: requests are sockets too, and point to the listening socket they came in by */
#include <net/inet_sock.h>
const struct sock *ctrace_fact(const struct sock *sk);
const struct sock *ctrace_fact(const struct sock *sk) { return sk_const_to_full_sk(sk); }
