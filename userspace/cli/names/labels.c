// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>
#include "names/labels.h"

void labels_free(struct labels *l)
{
	for (size_t i = 0; i < l->size; i++)
		free(l->v[i].word);
	free(l->v);
	memset(l, 0, sizeof(*l));
}

static struct label_use *slot(const struct labels *l, const char *word)
{
	uint32_t h = 2166136261u;	/* FNV-1a */
	size_t i;

	for (const char *p = word; *p; p++)
		h = (h ^ (unsigned char)*p) * 16777619u;
	for (i = h & (l->size - 1); l->v[i].word && strcmp(l->v[i].word, word);)
		i = (i + 1) & (l->size - 1);
	return &l->v[i];
}

/* Makes room, and frees the words that no living container has. */
static void grow(struct labels *l)
{
	struct labels old = *l;

	l->n = 0;
	for (size_t i = 0; i < old.size; i++)
		l->n += old.v[i].word && old.v[i].all;
	for (l->size = 64; 4 * l->n >= l->size;)
		l->size *= 2;
	l->v = xcalloc(l->size, sizeof(l->v[0]));
	for (size_t i = 0; i < old.size; i++)
		if (old.v[i].all)
			*slot(l, old.v[i].word) = old.v[i];
		else
			free(old.v[i].word);
	free(old.v);
}

void labels_count(struct labels *l, const char *word, bool named, int by)
{
	struct label_use *u;

	if (2 * (l->n + 1) > l->size)
		grow(l);
	u = slot(l, word);
	if (!u->word) {
		u->word = xstrdup(word);
		l->n++;
	}
	u->all += (unsigned int)by;
	if (named)
		u->named += (unsigned int)by;
}

struct label_use labels_use(const struct labels *l, const char *word)
{
	struct label_use none = { 0 };

	return l->size ? *slot(l, word) : none;
}

bool label_misleads(const char *word, uint32_t cid)
{
	if (cid == CTRACE_CID_HOST || cid == CTRACE_CID_UNKNOWN)
		return false;
	/* a name with '#' could look like another one with its cid */
	return !strcmp(word, "host") || !strcmp(word, "unknown") || !strcmp(word, "all") || strchr(word, '#');
}

void label_show(struct sbuf *b, const char *label, uint32_t cid)
{
	struct sbuf all = { 0 }, tail = { 0 };
	size_t columns = LABEL_SHOWN, n = 0;

	sbuf_reset(&all);
	sbuf_clean(&all, label);
	if (utf8_columns(all.s) > LABEL_SHOWN) {
		sbuf_printf(&tail, "…#%u", cid);
		columns -= utf8_columns(tail.s);
	}
	/* up to the first byte of the next character */
	while (all.s[n] && (columns || ((unsigned char)all.s[n] & 0xc0) == 0x80))
		columns -= ((unsigned char)all.s[n++] & 0xc0) != 0x80;
	sbuf_put(b, all.s, n);
	if (tail.s)
		sbuf_puts(b, tail.s);
	sbuf_free(&all);
	sbuf_free(&tail);
}

char *label_stand_in(const struct ctrace_container *c, bool known, bool *by_path)
{
	const char *base = strrchr(c->path, '/');
	size_t n;

	*by_path = false;
	if (c->cid == CTRACE_CID_HOST)
		return xstrdup("host");
	if (c->cid == CTRACE_CID_UNKNOWN)
		return xstrdup("unknown");
	if (c->runtime_id[0])
		return xstrndup(c->runtime_id, LABEL_ID);
	base = base ? base + 1 : c->path;
	if (known && c->cgroup_id && *base) {
		*by_path = true;
		if (!strncmp(base, "lxc.payload.", 12) && base[12])
			return xstrdup(base + 12);
		n = strlen(base);
		if (n > 14 && !strncmp(base, "machine-", 8) && !strcmp(base + n - 6, ".scope"))
			return xstrndup(base + 8, n - 14);
		*by_path = false;
		return xstrdup(base);
	}
	if (c->pidns)
		return xasprintf("pidns-%u", c->pidns);
	return xasprintf("cid-%u", c->cid);
}
