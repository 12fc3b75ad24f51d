/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Parts of kernel functions. A compiler may split a function, or make a copy of it for some of its callers. Such a part has a symbol of
 * its own (NAME.part.0, NAME.isra.0, NAME.constprop.0), and calls that go straight to it do not pass by a probe of NAME: of
 * Debian's 6.1, most of those of __tcp_retransmit_skb().
 */
#ifndef CTRACE_FUNCTION_PARTS_H
#define CTRACE_FUNCTION_PARTS_H

/*
 * If probe is of a function (kprobe:SYMBOL, func:SYMBOL, p:NAME SYMBOL ...) and /proc/kallsyms has parts of it, says on standard error
 * which calls it does not see.
 */
void function_parts_note(const char *probe);

#endif
