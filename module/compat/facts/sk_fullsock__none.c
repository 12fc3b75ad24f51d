// SPDX-License-Identifier: GPL-2.0-only
/* before 4.0: no skb points to a request socket either, which the function would rule out */
#include <net/sock.h>
#include <net/tcp_states.h>
int sk_fullsock, TCP_NEW_SYN_RECV;
