// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>
#include "symbols/demangle.h"
#include "symbols/symbols.h"

/* Bytes: a symbol without a size covers no more. Beyond that is another module, or nothing. */
#define REACH		(1ull << 20)

void symtab_free(struct symtab *t)
{
	for (size_t i = 0; i < t->nmodules; i++)
		free(t->modules[i]);
	free(t->modules);
	free(t->v);
	sbuf_free(&t->text);
	memset(t, 0, sizeof(*t));
}

/* The module's index + 1, 0: none. Symbols of one module follow one another, so only the last is compared. */
static uint16_t module_index(struct symtab *t, const char *module)
{
	if (!module || t->nmodules == UINT16_MAX)
		return 0;
	if (!t->nmodules || strcmp(t->modules[t->nmodules - 1], module)) {
		t->modules = xrealloc(t->modules, (t->nmodules + 1) * sizeof(t->modules[0]));
		t->modules[t->nmodules++] = xstrdup(module);
	}
	return (uint16_t)t->nmodules;
}

void symtab_add(struct symtab *t, uint64_t addr, uint64_t size, const char *name, size_t len,
		const char *module, uint8_t rank)
{
	if (t->text.len + len + 1 > UINT32_MAX)
		return;
	if (t->n == t->cap) {
		t->cap = t->cap ? 2 * t->cap : 1024;
		t->v = xrealloc(t->v, t->cap * sizeof(t->v[0]));
	}
	t->v[t->n++] = (struct symbol){
		.addr = addr, .size = size, .name = (uint32_t)t->text.len, .rank = rank,
		.module = module_index(t, module),
	};
	sbuf_put(&t->text, name, len);
	sbuf_putc(&t->text, '\0');
}

size_t symtab_bytes(const struct symtab *t)
{
	return t->n * sizeof(t->v[0]) + t->text.len;
}

static int by_address(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return x->name < y->name ? 1 : x->name > y->name ? -1 : 0;
}

void symtab_sort(struct symtab *t)
{
	if (!t->n)
		return;
	qsort(t->v, t->n, sizeof(t->v[0]), by_address);
	/* there may be many tables, and few grow any more */
	t->cap = t->n;
	t->v = xrealloc(t->v, t->cap * sizeof(t->v[0]));
	t->text.cap = t->text.len + 1;
	t->text.s = xrealloc(t->text.s, t->text.cap);
}

const void *place_find(const void *rows, size_t n, size_t size, uint64_t at)
{
	const char *first = rows;
	size_t lo = 0, hi = n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (*(const uint64_t *)(first + mid * size) <= at)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo ? first + (lo - 1) * size : NULL;
}

const struct symbol *symtab_find(const struct symtab *t, uint64_t addr)
{
	const struct symbol *s = place_find(t->v, t->n, sizeof(t->v[0]), addr);

	return s && addr - s->addr < (s->size ? s->size : REACH) ? s : NULL;
}

const char *symtab_name(const struct symtab *t, const struct symbol *s)
{
	return t->text.s + s->name;
}

const char *symtab_shown(struct symtab *t, const struct symbol *s)
{
	struct symbol *own = &t->v[s - t->v];
	struct sbuf b = { 0 };

	if (!own->shown && demangle(symtab_name(t, s), &b) && t->text.len + b.len + 1 <= UINT32_MAX) {
		own->name = (uint32_t)t->text.len;
		sbuf_put(&t->text, b.s, b.len);
		sbuf_putc(&t->text, '\0');
	}
	own->shown = true;
	sbuf_free(&b);
	return symtab_name(t, s);
}

const char *symtab_module(const struct symtab *t, const struct symbol *s)
{
	return s->module ? t->modules[s->module - 1] : NULL;
}

size_t symtab_read_kallsyms(struct symtab *t, FILE *f)
{
	char *line = NULL;
	size_t cap = 0, known = 0;

	while (getline(&line, &cap, f) > 0) {
		char *end, *name, *module;
		uint64_t addr = strtoull(line, &end, 16);
		size_t len;

		/* "ffffffff81000000 T _stext", with "\t[overlay]" after it if it is a module's */
		if (end == line || end[0] != ' ' || !end[1] || end[2] != ' ' || !strchr("TtWw", end[1]))
			continue;
		name = end + 3;
		len = strcspn(name, "\t\n ");
		module = strchr(name, '[');
		if (module) {
			module++;
			module[strcspn(module, "]")] = '\0';
		}
		known += !!addr;
		symtab_add(t, addr, 0, name, len, module,
			   (uint8_t)((end[1] == 'T') + (name[0] != '_')));
	}
	free(line);
	symtab_sort(t);
	return known;
}
