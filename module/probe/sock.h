/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef CTRACE_PROBE_SOCK_H
#define CTRACE_PROBE_SOCK_H

#include <linux/types.h>

struct ctrace_who;
struct net;
struct sock;

/*
 * Whose is sk (net.c says why)? Any context; preemption off. sk may be NULL; the kernel holds a reference to
 * it. net: the device's, or sk's if it is about no device. own: if a task is running, it acts for sk itself.
 * (sk's namespace is only compared: where sk is the kernel's own, its packet may outlive that.)
 */
void ctrace_sock_owner(const struct sock *sk, const struct net *net, bool own, struct ctrace_who *who);

#endif
