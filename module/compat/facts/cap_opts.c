// SPDX-License-Identifier: GPL-2.0-only
/* since 5.1 */
#include <linux/security.h>
int ctrace_fact(void);
int ctrace_fact(void) { return CAP_OPT_NOAUDIT; }
