// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
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
	if (t->n)
		qsort(t->v, t->n, sizeof(t->v[0]), by_address);
}

const struct symbol *symtab_find(const struct symtab *t, uint64_t addr)
{
	size_t lo = 0, hi = t->n;
	const struct symbol *s;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (t->v[mid].addr <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (!lo)
		return NULL;
	s = &t->v[lo - 1];
	return addr - s->addr < (s->size ? s->size : REACH) ? s : NULL;
}

const char *symtab_name(const struct symtab *t, const struct symbol *s)
{
	return t->text.s + s->name;
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

/* The offset in the file that is loaded at the address; UINT64_MAX: none is. */
static uint64_t file_offset(Elf *e, size_t nparts, uint64_t addr)
{
	GElf_Phdr p;

	for (size_t i = 0; i < nparts; i++)
		if (gelf_getphdr(e, (int)i, &p) && p.p_type == PT_LOAD && addr >= p.p_vaddr &&
		    addr - p.p_vaddr < p.p_filesz)
			return addr - p.p_vaddr + p.p_offset;
	return UINT64_MAX;
}

static void read_symbols(struct symtab *t, Elf *e, Elf_Scn *section, const GElf_Shdr *sh)
{
	Elf_Data *data = elf_getdata(section, NULL);
	size_t nparts;
	GElf_Sym sym;

	if (!data || elf_getphdrnum(e, &nparts))
		return;
	for (int i = 0; gelf_getsym(data, i, &sym); i++) {
		int type = GELF_ST_TYPE(sym.st_info);
		const char *name;
		uint64_t at;

		if ((type != STT_FUNC && type != STT_GNU_IFUNC) || !sym.st_value)
			continue;
		name = elf_strptr(e, sh->sh_link, sym.st_name);
		at = name && *name ? file_offset(e, nparts, sym.st_value) : UINT64_MAX;
		if (at != UINT64_MAX)
			symtab_add(t, at, sym.st_size, name, strlen(name), NULL,
				   GELF_ST_BIND(sym.st_info) == STB_GLOBAL);
	}
}

static void put_build_id(char *to, const unsigned char *id, size_t n)
{
	if (2 * n >= BUILD_ID_TEXT)
		return;
	for (size_t i = 0; i < n; i++)
		snprintf(to + 2 * i, 3, "%02x", id[i]);
}

static void read_build_id(Elf *e, char *to)
{
	size_t nparts, name, desc, at, next;
	GElf_Nhdr note;
	Elf_Data *data;
	GElf_Phdr p;

	to[0] = '\0';
	if (elf_getphdrnum(e, &nparts))
		return;
	for (size_t i = 0; i < nparts && !*to; i++) {
		if (!gelf_getphdr(e, (int)i, &p) || p.p_type != PT_NOTE)
			continue;
		data = elf_getdata_rawchunk(e, (int64_t)p.p_offset, p.p_filesz, ELF_T_NHDR);
		for (at = 0; data && !*to && (next = gelf_getnote(data, at, &note, &name, &desc)); at = next)
			if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
			    !memcmp((const char *)data->d_buf + name, "GNU", 4))
				put_build_id(to, (const unsigned char *)data->d_buf + desc, note.n_descsz);
	}
}

int symtab_read_elf(struct symtab *t, int fd, char build_id[BUILD_ID_TEXT])
{
	Elf_Scn *section = NULL;
	GElf_Shdr sh;
	Elf *e;

	/* read the file, do not map it: a container may truncate it meanwhile */
	elf_version(EV_CURRENT);
	e = elf_begin(fd, ELF_C_READ, NULL);
	if (!e || elf_kind(e) != ELF_K_ELF) {
		elf_end(e);
		return -ENOEXEC;
	}
	while ((section = elf_nextscn(e, section)))
		if (gelf_getshdr(section, &sh) && (sh.sh_type == SHT_SYMTAB || sh.sh_type == SHT_DYNSYM))
			read_symbols(t, e, section, &sh);
	read_build_id(e, build_id);
	elf_end(e);
	symtab_sort(t);
	return 0;
}
