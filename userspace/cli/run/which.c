// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>
#include "base/cli.h"
#include "names/pods.h"
#include "names/units.h"
#include "run/which.h"

#define ID_MIN		3	/* an id's prefix has at least this many digits */
#define LIST_MAX	8	/* candidates that a message lists */

/* e is not there yet. */
static void append(struct which *w, struct centry *e)
{
	w->v = xrealloc(w->v, (w->n + 1) * sizeof(w->v[0]));
	w->v[w->n++] = e;
}

static void put(struct which *w, struct centry *e)
{
	for (size_t i = 0; i < w->n; i++)
		if (w->v[i] == e)
			return;
	append(w, e);
}

struct centry *which_cid(struct ctable *t, uint32_t cid)
{
	struct centry *e = ctable_find(t, cid);

	return e && ctable_alive(e) ? e : NULL;
}

void which_units(struct sbuf *b, const char *word, const uint32_t *uid)
{
	struct units u;

	units_find(&u, word, uid);
	for (size_t i = 0; i < u.n; i++) {
		sbuf_puts(b, i ? ", " : u.theirs ? "; there is a unit of that name: " : uid ?
			  "; there are cgroups of that name, not of that user's manager: " :
			  "; there are cgroups of that name, not of the system: ");
		sbuf_puts(b, "cgroup:");
		sbuf_clean(b, u.v[i]);
	}
	units_free(&u);
}

void which_offer(struct ctable *t, struct nearest *near)
{
	struct centry *e;

	for (size_t i = 0; (e = ctable_next(t, &i));)
		if (ctable_alive(e) && e->c.cid != CTRACE_CID_HOST)
			nearest_offer(near, ctable_get(t, e->c.cid)->label);
}

int which_none(struct ctable *t, const char *word)
{
	struct nearest near = { .word = word };
	struct sbuf b = { 0 }, units = { 0 };
	int r;

	sbuf_reset(&b);
	which_offer(t, &near);
	sbuf_puts(&b, "no container '");
	sbuf_clean(&b, word);
	sbuf_putc(&b, '\'');
	nearest_print(&near, &b);
	sbuf_reset(&units);
	/* a recording has no units, and no programs are run in it */
	if (t->names)
		which_units(&units, word, NULL);
	if (t->names && !strchr(word, ':') && is_program(word)) {
		sbuf_puts(&units, "; to run the program, put -- before it: -- ");
		sbuf_clean(&units, word);
	}
	r = cli_error("%s%s%s", b.s, t->names ? ": 'ctrace ps' lists all" : " in this recording", units.s);
	sbuf_free(&units);
	sbuf_free(&b);
	return r;
}

static int several(const struct which *w, const char *word)
{
	struct sbuf b = { 0 };
	int r;

	sbuf_puts(&b, "'");
	sbuf_clean(&b, word);
	sbuf_puts(&b, "' is the name or id of several containers: ");
	for (size_t i = 0; i < w->n && i < LIST_MAX; i++) {
		const struct centry *e = w->v[i];

		sbuf_printf(&b, "%scid:%u (%s%s%s, ", i ? ", " : "", e->c.cid, e->shown,
			    e->runtime[0] ? ", " : "", e->runtime);
		sbuf_clean(&b, e->c.path);
		sbuf_putc(&b, ')');
	}
	if (w->n > LIST_MAX)
		sbuf_printf(&b, " and %zu more", w->n - LIST_MAX);
	r = cli_error("%s: name one by its number, as cid:%u", b.s, w->v[0]->c.cid);
	sbuf_free(&b);
	return r;
}

static bool has(const struct which *w, uint32_t cid)
{
	for (size_t i = 0; i < w->n; i++)
		if (w->v[i]->c.cid == cid)
			return true;
	return false;
}

/* Leaves out what lies inside another of them: a target includes it anyway. */
static void only_outermost(struct ctable *t, struct which *w)
{
	struct which all = *w;

	w->v = NULL;
	w->n = 0;
	for (size_t i = 0; i < all.n; i++) {
		const struct centry *e = all.v[i];
		bool inner = false;

		for (int depth = 0; e && e->c.parent && depth < 64 && !inner; depth++) {
			inner = has(&all, e->c.parent);
			e = which_cid(t, e->c.parent);
		}
		if (!inner)
			put(w, all.v[i]);
	}
	free(all.v);
}

static void by_id(struct ctable *t, struct which *w, const char *word, size_t len)
{
	struct centry *e;

	if (strspn(word, "0123456789abcdef") != len)
		return;
	for (size_t i = 0; (e = ctable_next(t, &i));)
		if (ctable_alive(e) && !strncmp(e->c.runtime_id, word, len))
			put(w, ctable_get(t, e->c.cid));
}

/* A label is one container's alone. A name may be that of several, and then a stand-in does not count. */
static void by_name(struct ctable *t, struct which *w, const char *word)
{
	struct centry *e;

	/* looks all names up before labels are compared */
	for (size_t i = 0; (e = ctable_next(t, &i));)
		ctable_get(t, e->c.cid);
	for (size_t i = 0; (e = ctable_next(t, &i));)
		if (ctable_alive(e) && !strcmp(ctable_get(t, e->c.cid)->label, word))
			put(w, e);
	for (int named = 1; named >= 0 && !w->n; named--)
		for (size_t i = 0; (e = ctable_next(t, &i));)
			if (ctable_alive(e) && e->named == named &&
			    (!strcmp(e->name, word) || (e->full && !strcmp(e->full, word))))
				put(w, e);
}

/* All that the word may mean. */
static void find(struct ctable *t, struct which *w, const char *word)
{
	size_t len = strlen(word);
	uint32_t cid;

	by_name(t, w, word);
	/* A user may call a container by the number or the short id of another. */
	if (!parse_u32(word, &cid) && which_cid(t, cid))
		put(w, ctable_get(t, cid));
	if (len >= (w->n ? ID_SHORT : ID_MIN))
		by_id(t, w, word, len);
	only_outermost(t, w);
}

bool which_known(struct ctable *t, const char *word)
{
	struct which w = { 0 };

	find(t, &w, word);
	free(w.v);
	return w.n;
}

bool which_any(struct ctable *t, const char *word)
{
	struct which w = { 0 };
	bool any = false;
	uint32_t cid;

	find(t, &w, word);
	for (size_t i = 0; i < w.n; i++)
		any |= w.v[i]->owner == NAME_OF_SYSTEM || (!parse_u32(word, &cid) && w.v[i]->c.cid == cid) ||
		       (w.v[i]->apart == APART_BY_CID && !strcmp(w.v[i]->label, word));
	free(w.v);
	return any;
}

struct centry *which_container(struct ctable *t, const char *word, int *status)
{
	struct centry *e = NULL;
	struct which w = { 0 };

	find(t, &w, word);
	if (w.n == 1)
		e = w.v[0];
	else
		*status = w.n ? several(&w, word) : which_none(t, word);
	if (w.n != 1)
		e = NULL;
	free(w.v);
	return e;
}

static void put_owner(struct sbuf *b, const struct centry *e)
{
	if (e->owner == NAME_OF_SYSTEM)
		sbuf_puts(b, "the system's");
	else
		sbuf_printf(b, e->owner == NAME_OF_USER ? "user %u's" : "in container %u", e->whose);
}

/* Lists one container of each pod, or of each owner of such a namespace. */
static int several_pods(const struct which *w, const char *word, bool ns)
{
	bool by_ns = false;
	struct sbuf b = { 0 };
	size_t listed = 0;
	int r;

	sbuf_clean(&b, word);
	sbuf_puts(&b, ns ? "' is a namespace of several: " : "' is the name of several pods: ");
	for (size_t i = 0; i < w->n && listed < LIST_MAX; i++) {
		const struct centry *e = w->v[i];
		bool again = false;

		for (size_t k = 0; k < i && !again; k++)
			again = ns ? w->v[k]->owner == e->owner && w->v[k]->whose == e->whose :
				!pod_compare(w->v[k], e);
		if (again)
			continue;
		by_ns |= !ns && pod_ns_differs(w->v[0], e);
		sbuf_puts(&b, listed++ ? ", " : "");
		if (!ns)
			pod_put(&b, e);
		sbuf_puts(&b, ns ? "" : " (");
		put_owner(&b, e);
		sbuf_printf(&b, ", with cid:%u%s", e->c.cid, ns ? "" : ")");
	}
	r = by_ns ? cli_error("'%s: write pod:NAMESPACE/NAME", b.s) :
		cli_error("'%s: name containers by their numbers, as cid:%u", b.s, w->v[0]->c.cid);
	sbuf_free(&b);
	return r;
}

int which_pod(struct ctable *t, const char *word, bool ns, struct which *w)
{
	bool system = false, mixed = false;
	struct sbuf b = { 0 };
	struct centry *e;
	size_t n = 0;
	int r = CLI_OK;

	if (!*word || !strcmp(word, "/"))
		return cli_usage("'%s:' needs a name: 'ctrace ps --tree' lists pods", ns ? "ns" : "pod");
	for (size_t i = 0; (e = ctable_next(t, &i));) {
		if (!ctable_alive(e))
			continue;
		ctable_get(t, e->c.cid);
		if (ns ? !pod_in_ns(e, word) : !pod_is(e, word))
			continue;
		append(w, e);
		system |= e->owner == NAME_OF_SYSTEM;
	}
	for (size_t i = 0; i < w->n; i++)
		if (!system || w->v[i]->owner == NAME_OF_SYSTEM)
			w->v[n++] = w->v[i];
	w->n = n;
	for (size_t i = 1; i < n; i++)
		mixed |= ns ? w->v[i]->owner != w->v[0]->owner || w->v[i]->whose != w->v[0]->whose :
			pod_compare(w->v[i], w->v[0]) != 0;
	if (!n) {
		sbuf_clean(&b, word);
		r = cli_error("no container is in %s '%s': 'ctrace ps --tree' lists pods",
			      ns ? "namespace" : "pod", b.s);
		sbuf_free(&b);
	} else if (mixed) {
		r = several_pods(w, word, ns);
		w->n = 0;
	}
	return r;
}

struct centry *which_target(struct ctable *t, const char *word, int *status)
{
	struct centry *e;
	uint32_t cid;

	if (strncmp(word, "cid:", 4)) {
		if (strcmp(word, "host"))
			return which_container(t, word, status);
		word = "cid:0";
	}
	if (parse_u32(word + 4, &cid)) {
		*status = cli_usage("'%s' is not a container number: write cid:N", word);
		return NULL;
	}
	e = which_cid(t, cid);
	if (!e)
		*status = which_none(t, word);
	return e;
}
