// SPDX-License-Identifier: GPL-2.0-only
/* before 4.6 */
#include <linux/compat.h>
#include <asm/syscall.h>
#if !defined(CONFIG_X86_64) || !defined(CONFIG_IA32_EMULATION)
#error no
#endif
bool ctrace_fact(void);
bool ctrace_fact(void) { return is_ia32_task(); }
int in_ia32_syscall;
