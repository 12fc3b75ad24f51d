// SPDX-License-Identifier: GPL-2.0-only
/* since 3.17 */
#include <linux/module.h>
bool ctrace_fact(unsigned long at);
bool ctrace_fact(unsigned long at) { return within_module(at, THIS_MODULE); }
