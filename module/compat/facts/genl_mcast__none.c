// SPDX-License-Identifier: GPL-2.0-only
/* every process may join a group: neither the member nor the flag that would forbid it exists */
#include <net/genetlink.h>
#ifdef GENL_MCAST_CAP_SYS_ADMIN
#error no
#endif
struct ctrace_fact {
	struct genl_multicast_group;
	int cap_sys_admin;
} ctrace_fact;
int GENL_MCAST_CAP_SYS_ADMIN;
