// SPDX-License-Identifier: GPL-2.0-only
/* since 4.0: the member does not exist */
#include <linux/fs.h>
struct ctrace_fact {
	struct address_space;
	int backing_dev_info;
} ctrace_fact;
