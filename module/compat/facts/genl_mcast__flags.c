// SPDX-License-Identifier: GPL-2.0-only
#include <net/genetlink.h>
struct genl_multicast_group ctrace_fact = { .flags = GENL_MCAST_CAP_SYS_ADMIN };
