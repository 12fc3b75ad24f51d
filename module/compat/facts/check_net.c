// SPDX-License-Identifier: GPL-2.0-only
/* since 3.14 */
#include <net/net_namespace.h>
int ctrace_fact(const struct net *net);
int ctrace_fact(const struct net *net) { return check_net((struct net *)net); }
