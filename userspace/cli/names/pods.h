/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Pods. The kernel knows only containers. Containers are one pod if their records have the same namespace and
 * the same pod's name, and come from files of the same owner: a user's pod is not the system's pod of the
 * same name.
 */
#ifndef CTRACE_PODS_H
#define CTRACE_PODS_H

#include "names/ctable.h"

/* Order by pod: 0 if both are in one pod, or both in none. Containers without a pod come first. */
int pod_compare(const struct centry *a, const struct centry *b);
/* Are both in pods whose namespaces differ? */
bool pod_ns_differs(const struct centry *a, const struct centry *b);
/*
 * Is e in the pod that word means: NAMESPACE/NAME, NAME of any namespace, /NAME of none, 12 digits or more of
 * its id?
 */
bool pod_is(const struct centry *e, const char *word);
/* Is e in a pod of this namespace? */
bool pod_in_ns(const struct centry *e, const char *ns);
/* Appends NAMESPACE/NAME, or NAME, safe for a terminal. e is in a pod. */
void pod_put(struct sbuf *b, const struct centry *e);

#endif
