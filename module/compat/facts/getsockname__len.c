// SPDX-License-Identifier: GPL-2.0-only
/* before 4.17 */
#include <linux/net.h>
int ctrace_fact(struct socket *sock, struct sockaddr *a, int *len);
int ctrace_fact(struct socket *sock, struct sockaddr *a, int *len) { return kernel_getsockname(sock, a, len); }
