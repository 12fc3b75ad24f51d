// SPDX-License-Identifier: GPL-2.0-only
/* since 4.6 */
#include <linux/mm.h>
long ctrace_fact(void);
long ctrace_fact(void) { return si_mem_available(); }
