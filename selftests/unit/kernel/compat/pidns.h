/* SPDX-License-Identifier: GPL-2.0-only */
/* pid namespaces are made up (kunit/made_up.h) */
#define ctrace_compat_pidns_empty(p)	(((const struct ns *)(p))->empty)
#define ctrace_compat_pidns_closed(p)	(((const struct ns *)(p))->closed)
