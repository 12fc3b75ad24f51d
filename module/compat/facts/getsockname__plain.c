// SPDX-License-Identifier: GPL-2.0-only
/* since 4.17: it returns the length */
#include <linux/net.h>
int ctrace_fact(struct socket *sock, struct sockaddr *a);
int ctrace_fact(struct socket *sock, struct sockaddr *a) { return kernel_getsockname(sock, a); }
