// SPDX-License-Identifier: GPL-2.0-only
/* since 4.6; x86-64 only */
#include <linux/compat.h>
#include <asm/syscall.h>
#if defined(CONFIG_X86_64) && defined(CONFIG_IA32_EMULATION)
bool ctrace_fact(void);
bool ctrace_fact(void) { return in_ia32_syscall(); }
#endif
