/* SPDX-License-Identifier: GPL-2.0-only */
/* Lists: macros that older kernels lack. */
#ifndef CTRACE_COMPAT_LIST_H
#define CTRACE_COMPAT_LIST_H

#include <linux/list.h>
#include <linux/llist.h>

#ifndef llist_for_each_entry_safe
/* since 3.12 */
#define llist_for_each_entry_safe(pos, n, node, member)				\
	for (pos = llist_entry((node), typeof(*pos), member);			\
	     &pos->member && (n = llist_entry(pos->member.next, typeof(*n), member), true); \
	     pos = n)
#endif

#endif
