// SPDX-License-Identifier: GPL-2.0-only
/* since 5.2: the family has one policy for all commands; before, each command has its own */
#include <net/genetlink.h>
struct genl_family ctrace_fact = { .policy = NULL };
