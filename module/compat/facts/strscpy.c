// SPDX-License-Identifier: GPL-2.0-only
/* since 4.3; before 4.16 its result must be looked at, which we do not */
#pragma GCC diagnostic error "-Wunused-result"
#include <linux/string.h>
#include <linux/types.h>
ssize_t ctrace_fact(char *to);
ssize_t ctrace_fact(char *to)
{
	strscpy(to, "", 1);
	return strscpy(to, "", 1);
}
