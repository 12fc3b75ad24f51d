// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>
#include "names/pods.h"

/* NULL is before every word. */
static int compare(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) : !!a - !!b;
}

int pod_compare(const struct centry *a, const struct centry *b)
{
	int order = !!a->r.pod - !!b->r.pod;

	if (order || !a->r.pod)
		return order;
	if (a->owner != b->owner)
		return a->owner < b->owner ? -1 : 1;
	if (a->whose != b->whose)
		return a->whose < b->whose ? -1 : 1;
	order = compare(a->r.ns, b->r.ns);
	return order ? order : strcmp(a->r.pod, b->r.pod);
}

bool pod_ns_differs(const struct centry *a, const struct centry *b)
{
	return a->r.pod && b->r.pod && compare(a->r.ns, b->r.ns);
}

/*
 * Is word the beginning of the pod's id, and too long for a name? Some of podman's pods have no known name.
 */
static bool has_uid(const struct centry *e, const char *word)
{
	size_t n = strlen(word);

	return e->r.pod_uid && n >= LABEL_ID && strspn(word, "0123456789abcdef-") == n &&
	       !strncmp(e->r.pod_uid, word, n);
}

bool pod_is(const struct centry *e, const char *word)
{
	const char *name = strchr(word, '/');
	size_t n = name ? (size_t)(name - word) : 0;

	if (has_uid(e, word))
		return true;
	if (!e->r.pod || strcmp(e->r.pod, name ? name + 1 : word))
		return false;
	if (!name)
		return true;
	return e->r.ns ? strlen(e->r.ns) == n && !strncmp(e->r.ns, word, n) : !n;
}

bool pod_in_ns(const struct centry *e, const char *ns)
{
	return e->r.ns && !strcmp(e->r.ns, ns);
}

void pod_put(struct sbuf *b, const struct centry *e)
{
	if (e->r.ns) {
		sbuf_clean(b, e->r.ns);
		sbuf_putc(b, '/');
	}
	sbuf_clean(b, e->r.pod);
}
