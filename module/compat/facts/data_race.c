// SPDX-License-Identifier: GPL-2.0-only
/* since 5.8; RHEL 8's does not take what is const, with gcc before 11 */
#include <linux/compiler.h>
#ifndef data_race
#error none
#endif
unsigned long ctrace_fact(const unsigned long *p);
unsigned long ctrace_fact(const unsigned long *p) { return data_race(*p); }
