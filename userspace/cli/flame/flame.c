// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "flame/flame.h"

static uint32_t hash(uint32_t parent, const char *name, size_t len)
{
	uint32_t h = 2166136261u ^ parent * 2654435761u;

	for (size_t i = 0; i < len; i++)
		h = (h ^ (unsigned char)name[i]) * 16777619u;
	return h ^ h >> 15;
}

/* The place of the frame that parent has under this name, or of a new one: there is 0. */
static uint32_t *place(const struct flame *f, uint32_t parent, const char *name, size_t len)
{
	size_t i = hash(parent, name, len) & (f->size - 1);

	for (; f->by_name[i]; i = (i + 1) & (f->size - 1)) {
		const struct flame_node *n = &f->v[f->by_name[i]];

		if (n->parent == parent && !strncmp(n->name, name, len) && !n->name[len])
			break;
	}
	return &f->by_name[i];
}

static void grow(struct flame *f)
{
	free(f->by_name);
	f->size *= 2;
	f->by_name = xcalloc(f->size, sizeof(f->by_name[0]));
	for (uint32_t i = 1; i < f->n; i++)
		*place(f, f->v[i].parent, f->v[i].name, strlen(f->v[i].name)) = i;
}

void flame_init(struct flame *f)
{
	*f = (struct flame){ .n = 1, .cap = 1024, .size = 2048 };
	f->v = xcalloc(f->cap, sizeof(f->v[0]));
	f->by_name = xcalloc(f->size, sizeof(f->by_name[0]));
	f->v[0].name = "";
}

void flame_free(struct flame *f)
{
	for (size_t i = 1; i < f->n; i++)
		free((char *)f->v[i].name);
	free(f->v);
	free(f->by_name);
	sbuf_free(&f->clean);
	*f = (struct flame){ 0 };
}

/*
 * The frame of this name, which is clean: the file may be anybody's, and each form of output takes the names
 * from here.
 */
uint32_t flame_child(struct flame *f, uint32_t parent, const char *s, size_t n)
{
	bool kernel = n > 1 && *s == FLAME_KERNEL;
	struct sbuf *clean = &f->clean;
	const char *name;
	uint32_t *at, i;
	size_t len;

	s += kernel;
	n -= kernel;
	sbuf_reset(clean);
	sbuf_clean_n(clean, s, n);
	name = clean->s;
	len = clean->len;
	at = place(f, parent, name, len);
	i = *at;

	if (i)
		return i;
	i = (uint32_t)f->n;
	*at = i;
	if (f->n == f->cap) {
		f->cap *= 2;
		f->v = xrealloc(f->v, f->cap * sizeof(f->v[0]));
	}
	f->v[f->n++] = (struct flame_node){
		.name = xstrndup(name, len), .parent = parent, .next = f->v[parent].child, .depth = f->v[parent].depth + 1,
		.kernel = kernel,
	};
	f->v[parent].child = i;
	if (f->v[i].depth > f->depth)
		f->depth = f->v[i].depth;
	if (2 * f->n > f->size)
		grow(f);
	return i;
}

/* The number at the end of the line, and where the stack before it ends. NULL: there is none. */
static const char *value(const char *line, uint64_t *n)
{
	const char *last = strrchr(line, ' ');
	char *end;

	if (!last || last == line || last[1] < '0' || last[1] > '9')
		return NULL;
	errno = 0;
	*n = strtoull(last + 1, &end, 10);
	return *end || errno ? NULL : last;
}

void flame_add(struct flame *f, const char *line, bool old)
{
	uint32_t at = 0;
	const char *end;
	uint64_t n;

	f->lines++;
	end = value(line, &n);
	if (!end) {
		f->bad++;
		return;
	}
	for (const char *s = line, *e; s < end; s = e + 1) {
		e = memchr(s, ';', (size_t)(end - s));
		if (!e)
			e = end;
		if (e > s)
			at = flame_child(f, at, s, (size_t)(e - s));
	}
	if (old)
		f->v[at].old_self += n;
	else
		f->v[at].self += n;
	f->compared |= old;
}

int flame_read(struct flame *f, FILE *in, bool old)
{
	char *line = NULL;
	size_t cap = 0;
	ssize_t len;
	int err;

	errno = 0;
	while ((len = getline(&line, &cap, in)) > 0) {
		if (line[len - 1] == '\n')
			line[--len] = '\0';
		if (len && line[0] != '#')
			flame_add(f, line, old);
	}
	err = ferror(in) ? -(errno ?: EIO) : 0;
	free(line);
	return err;
}

static const struct flame_node *sorted;

static int by_name(const void *a, const void *b)
{
	return strcmp(sorted[*(const uint32_t *)a].name, sorted[*(const uint32_t *)b].name);
}

static void sort_children(struct flame *f, uint32_t parent, uint32_t *list)
{
	size_t n = 0;

	for (uint32_t i = f->v[parent].child; i; i = f->v[i].next)
		list[n++] = i;
	if (!n)
		return;
	sorted = f->v;
	qsort(list, n, sizeof(list[0]), by_name);
	f->v[parent].child = list[0];
	for (size_t i = 0; i < n; i++)
		f->v[list[i]].next = i + 1 < n ? list[i + 1] : 0;
}

void flame_finish(struct flame *f)
{
	uint32_t *list = xcalloc(f->n, sizeof(list[0]));

	for (size_t i = 0; i < f->n; i++) {
		f->v[i].total = f->v[i].self;
		f->v[i].in_kernel = f->v[i].kernel ? f->v[i].self : 0;
		f->v[i].old_total = f->v[i].old_self;
		sort_children(f, (uint32_t)i, list);
	}
	/* a frame comes behind its caller */
	for (size_t i = f->n - 1; i > 0; i--) {
		f->v[f->v[i].parent].total += f->v[i].total;
		f->v[f->v[i].parent].in_kernel += f->v[i].in_kernel;
		f->v[f->v[i].parent].old_total += f->v[i].old_total;
	}
	free(list);
}

size_t flame_path(const struct flame *f, uint32_t i, uint32_t from, uint32_t *v)
{
	size_t n = f->v[i].depth > from ? f->v[i].depth - from : 0;

	for (size_t k = n; k-- > 0; i = f->v[i].parent)
		v[k] = i;
	return n;
}

void flame_folded(const struct flame *f, FILE *out)
{
	uint32_t *v = xcalloc((size_t)f->depth + 1, sizeof(v[0]));

	for (uint32_t i = 1; i < f->n; i++) {
		size_t n = f->v[i].self ? flame_path(f, i, 0, v) : 0;

		for (size_t k = 0; k < n; k++)
			fprintf(out, "%s%s", k ? ";" : "", f->v[v[k]].name);
		if (n)
			fprintf(out, " %llu\n", (unsigned long long)f->v[i].self);
	}
	free(v);
}
