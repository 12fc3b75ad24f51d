// SPDX-License-Identifier: GPL-2.0-only
#include <linux/compiler.h>
#ifndef data_race
#error none
#endif
unsigned long ctrace_fact(const unsigned long *p);
unsigned long ctrace_fact(const unsigned long *p)
{
	/* data_race: since 5.8; RHEL 8's does not take what is const, with gcc before 11 */
	return data_race(*p);
}
