// SPDX-License-Identifier: GPL-2.0-only
/* before 4.0: and sockets that are requests, which it tells from others, are not in skbs either */
#include <net/sock.h>
#include <net/tcp_states.h>
int sk_fullsock, TCP_NEW_SYN_RECV;
