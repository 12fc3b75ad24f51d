// SPDX-License-Identifier: GPL-2.0-only
/* since 4.12: a command can return an error text */
#include <net/genetlink.h>
const char *ctrace_fact(struct genl_info *info);
const char *ctrace_fact(struct genl_info *info) { return info->extack->_msg; }
