// SPDX-License-Identifier: GPL-2.0-only
/* since 4.15 */
#include <net/sock.h>
bool ctrace_fact(const struct sock *sk);
bool ctrace_fact(const struct sock *sk) { return sock_owned_by_user_nocheck(sk); }
