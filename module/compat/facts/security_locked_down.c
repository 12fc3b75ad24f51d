// SPDX-License-Identifier: GPL-2.0-only
#include <linux/security.h>
int ctrace_fact(void);
int ctrace_fact(void)
{
	/* since 5.4 */
	return security_locked_down(LOCKDOWN_KPROBES) | security_locked_down(LOCKDOWN_TRACEFS);
}
