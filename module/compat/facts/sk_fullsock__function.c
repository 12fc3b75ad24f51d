// SPDX-License-Identifier: GPL-2.0-only
/* since 4.0 */
#include <net/sock.h>
bool ctrace_fact(const struct sock *sk);
bool ctrace_fact(const struct sock *sk) { return sk_fullsock(sk); }
