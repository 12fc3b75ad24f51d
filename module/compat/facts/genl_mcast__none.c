// SPDX-License-Identifier: GPL-2.0-only
/* a group is open to all: what would close it is a free name, as a member and as a flag */
#include <net/genetlink.h>
#ifdef GENL_MCAST_CAP_SYS_ADMIN
#error no
#endif
struct ctrace_fact {
	struct genl_multicast_group;
	int cap_sys_admin;
} ctrace_fact;
int GENL_MCAST_CAP_SYS_ADMIN;
