// SPDX-License-Identifier: GPL-2.0-only
/* since 4.3; x86 only. asm/tsc.h of 5.4 does not compile on its own */
#include <asm/cpufeature.h>
#include <asm/msr.h>
#include <asm/tsc.h>
u64 ctrace_fact(void);
u64 ctrace_fact(void) { return rdtsc_ordered(); }
