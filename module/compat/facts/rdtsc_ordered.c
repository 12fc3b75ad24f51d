// SPDX-License-Identifier: GPL-2.0-only
/* since 4.3; of x86 alone; 5.4's asm/tsc.h does not compile alone */
#include <asm/cpufeature.h>
#include <asm/msr.h>
#include <asm/tsc.h>
u64 ctrace_fact(void);
u64 ctrace_fact(void) { return rdtsc_ordered(); }
