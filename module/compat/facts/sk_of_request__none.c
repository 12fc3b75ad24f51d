// SPDX-License-Identifier: GPL-2.0-only
/* before 4.4: neither name exists */
#include <net/inet_sock.h>
int sk_const_to_full_sk, sk_to_full_sk;
