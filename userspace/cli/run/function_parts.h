/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Parts of kernel functions. A compiler may split a function, or copy it for some of its callers. Such a part
 * has a symbol of its own (NAME.part.0, NAME.isra.0, NAME.constprop.0). Calls that go straight to it do not
 * pass a probe of NAME. On Debian's 6.1, tcp_retransmit_skb() calls __tcp_retransmit_skb.part.0; a probe of
 * __tcp_retransmit_skb() sees only the calls of others.
 */
#ifndef CTRACE_FUNCTION_PARTS_H
#define CTRACE_FUNCTION_PARTS_H

/*
 * If probe is of a function (kprobe:SYMBOL, func:SYMBOL, p:NAME SYMBOL ...) and /proc/kallsyms has parts of
 * it, says on standard error which calls it does not see.
 */
void function_parts_note(const char *probe);

#endif
