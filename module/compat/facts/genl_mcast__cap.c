// SPDX-License-Identifier: GPL-2.0-only
/* the same, as stable releases before 6.1 have it */
#include <net/genetlink.h>
struct genl_multicast_group ctrace_fact = { .cap_sys_admin = 1 };
