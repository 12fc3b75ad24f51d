// SPDX-License-Identifier: GPL-2.0-only
/* Parts of containers, and of the host, that a run has for targets: units and other cgroups. */
#include <stdlib.h>
#include <string.h>
#include "base/util.h"
#include "names/ctable.h"

static struct ctable_part *find(const struct ctable *t, uint32_t cid)
{
	for (size_t i = 0; i < t->nparts; i++)
		if (t->parts[i].cid == cid)
			return &t->parts[i];
	return NULL;
}

const struct ctable_part *ctable_part(const struct ctable *t, uint32_t cid)
{
	return find(t, cid);
}

static void set_label(struct ctable_part *p, char *label)
{
	struct sbuf b = { 0 };

	sbuf_reset(&b);
	sbuf_clean(&b, label);
	free(p->label);
	free(p->shown);
	p->label = label;
	p->shown = b.s;
}

void ctable_add_part(struct ctable *t, uint32_t cid, const char *label, const char *path, uint32_t hierarchy)
{
	struct ctable_part *p = find(t, cid);

	if (p) {
		set_label(p, xasprintf("%s, %s", p->label, label));
	} else {
		t->parts = xrealloc(t->parts, (t->nparts + 1) * sizeof(t->parts[0]));
		p = &t->parts[t->nparts++];
		*p = (struct ctable_part){ .cid = cid };
		set_label(p, xstrdup(label));
	}
	if (!path)
		return;
	p->at = xrealloc(p->at, (p->n + 1) * sizeof(p->at[0]));
	p->at[p->n].hierarchy = hierarchy;
	p->at[p->n++].path = xstrdup(path);
}

const char *ctable_label(struct ctable *t, uint32_t cid)
{
	const struct ctable_part *p = find(t, cid);

	return p ? p->label : ctable_get(t, cid)->label;
}

const char *ctable_shown(struct ctable *t, uint32_t cid)
{
	const struct ctable_part *p = find(t, cid);

	return p ? p->shown : ctable_get(t, cid)->shown;
}

bool ctable_in_part(const struct ctable_part *part, const char *path, size_t len, uint32_t hierarchy)
{
	for (size_t i = 0; i < part->n; i++)
		if (part->at[i].hierarchy == hierarchy && path_below(path, len, part->at[i].path))
			return true;
	return false;
}

uint32_t ctable_of_cgroup(struct ctable *t, const char *path, uint32_t hierarchy)
{
	uint32_t cid = CTRACE_CID_HOST;
	const struct centry *e;
	size_t longest = 0, i = 0;

	while ((e = ctable_next(t, &i))) {
		size_t n = strlen(e->c.path);

		if (n > longest && e->known && ctable_alive(e) && e->c.cgroup_id &&
		    e->c.hierarchy == hierarchy && path_below(path, strlen(path), e->c.path)) {
			longest = n;
			cid = e->c.cid;
		}
	}
	return cid;
}

void ctable_parts_free(struct ctable *t)
{
	for (size_t i = 0; i < t->nparts; i++) {
		for (size_t k = 0; k < t->parts[i].n; k++)
			free(t->parts[i].at[k].path);
		free(t->parts[i].at);
		free(t->parts[i].label);
		free(t->parts[i].shown);
	}
	free(t->parts);
}
