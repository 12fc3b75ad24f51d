// SPDX-License-Identifier: GPL-2.0-only
#include <linux/mm.h>
unsigned long ctrace_fact(void);
unsigned long ctrace_fact(void) { return totalram_pages + 1; }
