// SPDX-License-Identifier: GPL-2.0-only
/* .eh_frame of a file: which rules hold for which code. The form is in the Linux Standard Base, 10.6. */
#include <stdlib.h>
#include <string.h>
#include "symbols/elf_open.h"
#include "symbols/symbols.h"
#include "symbols/unwind_table.h"

#define BYTES_MAX	(64u << 20)	/* of .eh_frame */
/* letters; so the work on a file is in proportion to its size, however it refers to itself */
#define AUGMENTATION	8

/* --- reading ------------------------------------------------------------------------ */

uint64_t cfi_bytes(struct cfi_at *a, unsigned int n)
{
	uint64_t v = 0;

	if (n > (size_t)(a->end - a->p)) {
		a->bad = true;
		return 0;
	}
	for (unsigned int i = 0; i < n; i++)
		v |= (uint64_t)a->p[i] << 8 * i;
	a->p += n;
	return v;
}

int64_t cfi_signed(struct cfi_at *a, unsigned int n)
{
	unsigned int shift = 64 - 8 * n;

	return (int64_t)(cfi_bytes(a, n) << shift) >> shift;
}

/* The bits of a LEB128, and how many. The longest has 10 bytes. */
static uint64_t leb(struct cfi_at *a, unsigned int *bits, bool *negative)
{
	uint64_t v = 0, byte;

	*bits = 0;
	do {
		byte = cfi_bytes(a, 1);
		v |= (byte & 0x7f) << *bits;
		*bits += 7;
	} while (byte & 0x80 && *bits < 64);
	a->bad |= !!(byte & 0x80);
	*negative = byte & 0x40;
	return v;
}

uint64_t cfi_uleb(struct cfi_at *a)
{
	unsigned int bits;
	bool negative;

	return leb(a, &bits, &negative);
}

int64_t cfi_sleb(struct cfi_at *a)
{
	unsigned int bits;
	bool negative;
	uint64_t v = leb(a, &bits, &negative);

	return (int64_t)(negative && bits < 64 ? v | ~0ull << bits : v);
}

struct cfi_at cfi_block(struct cfi_at *a, uint64_t len)
{
	struct cfi_at b = { a->p, a->p, a->bad };

	if (len > (uint64_t)(a->end - a->p)) {
		a->bad = b.bad = true;
		return b;
	}
	b.end = a->p += len;
	return b;
}

/* The address of what a points to. */
static uint64_t address(const struct unwind_table *t, const struct cfi_at *a)
{
	return t->addr + (uint64_t)(a->p - t->bytes);
}

/* A pointer in the encoding that the augmentation says: DW_EH_PE_* */
static uint64_t pointer(const struct unwind_table *t, struct cfi_at *a, uint8_t enc, bool length)
{
	uint64_t base = !length && (enc & 0x70) == 0x10 ? address(t, a) : 0, v;

	/* absolute, or from where it stands; not through another pointer */
	if (!length && enc & 0xe0) {
		a->bad = true;
		return 0;
	}
	switch (enc & 0xf) {
	case 0x0:
	case 0x4:
		v = cfi_bytes(a, 8);
		break;
	case 0x1:
		v = cfi_uleb(a);
		break;
	case 0x2:
		v = cfi_bytes(a, 2);
		break;
	case 0x3:
		v = cfi_bytes(a, 4);
		break;
	case 0x9:
		v = (uint64_t)cfi_sleb(a);
		break;
	case 0xa:
		v = (uint64_t)cfi_signed(a, 2);
		break;
	case 0xb:
		v = (uint64_t)cfi_signed(a, 4);
		break;
	case 0xc:
		v = cfi_bytes(a, 8);
		break;
	default:
		a->bad = true;
		v = 0;
	}
	return base + v;
}

/* --- entries ------------------------------------------------------------------------- */

/*
 * The entry at offset; what follows its length and its id. *id: 0 is a CIE; else from the id back to the CIE.
 * False: the end.
 */
static bool entry(const struct unwind_table *t, size_t offset, struct cfi_at *a, uint64_t *id, size_t *id_at)
{
	struct cfi_at all = { t->bytes + offset, t->bytes + t->len, false };
	uint64_t len = cfi_bytes(&all, 4);

	if (len == 0xffffffff)
		len = cfi_bytes(&all, 8);
	if (all.bad || len < 4)
		return false;
	*a = cfi_block(&all, len);
	*id_at = (size_t)(a->p - t->bytes);
	*id = cfi_bytes(a, 4);
	return !a->bad;
}

bool cfi_cie(const struct unwind_table *t, size_t offset, struct cfi_cie *c)
{
	const unsigned char *augmentation;
	struct cfi_at a, extra;
	uint64_t id, version;
	size_t at;

	*c = (struct cfi_cie){ .encoding = 0 };
	if (offset >= t->len || !entry(t, offset, &a, &id, &at) || id)
		return false;
	version = cfi_bytes(&a, 1);
	augmentation = a.p;
	for (at = 0; at < AUGMENTATION && cfi_bytes(&a, 1); at++)
		;
	/* version 4 is of .debug_frame */
	if (a.bad || at == AUGMENTATION || (version != 1 && version != 3))
		return false;
	c->code = cfi_uleb(&a);
	c->data = cfi_sleb(&a);
	c->ret = version == 1 ? cfi_bytes(&a, 1) : cfi_uleb(&a);
	if (*augmentation && *augmentation != 'z')
		return false;
	if (*augmentation) {
		extra = cfi_block(&a, cfi_uleb(&a));
		c->sized = true;
		for (augmentation++; *augmentation; augmentation++) {
			if (*augmentation == 'R')
				c->encoding = (uint8_t)cfi_bytes(&extra, 1);
			else if (*augmentation == 'L')
				cfi_bytes(&extra, 1);
			else if (*augmentation == 'S')
				c->signal = true;
			else if (*augmentation == 'P')
				/* whichever: only its length matters */
				pointer(t, &extra, (uint8_t)cfi_bytes(&extra, 1) & 0xf, true);
			else if (*augmentation != 'B')
				return false;
		}
		if (extra.bad)
			return false;
	}
	c->rules = a;
	return !a.bad;
}

bool cfi_fde(const struct unwind_table *t, size_t offset, struct cfi_fde *f)
{
	struct cfi_at a;
	uint64_t id;
	size_t at;

	if (!entry(t, offset, &a, &id, &at) || !id || id > at || !cfi_cie(t, at - id, &f->cie))
		return false;
	f->start = pointer(t, &a, f->cie.encoding, false);
	f->size = pointer(t, &a, f->cie.encoding & 0xf, true);
	if (f->cie.sized)
		cfi_block(&a, cfi_uleb(&a));
	f->rules = a;
	return !a.bad;
}

const struct cfi_place *cfi_find(const struct unwind_table *t, uint64_t at)
{
	const struct cfi_place *p = place_find(t->v, t->n, sizeof(t->v[0]), at);

	return p && at - p->at < p->size ? p : NULL;
}

/* --- the file ------------------------------------------------------------------------ */

static int by_place(const void *a, const void *b)
{
	const struct cfi_place *x = a, *y = b;

	return x->at < y->at ? -1 : x->at > y->at;
}

/* Lists the code that has rules, by its offset in the file. */
static void list(struct unwind_table *t, Elf *e)
{
	size_t offset = 0, cap = 0, at;
	struct elf_facts facts = { .nloads = 0 };
	struct cfi_fde f;
	struct cfi_at a;
	uint64_t id;

	elf_read_parts(&facts, e);
	for (; entry(t, offset, &a, &id, &at); offset = (size_t)(a.end - t->bytes)) {
		if (!id || !cfi_fde(t, offset, &f))
			continue;
		f.start = elf_file_offset(&facts, f.start);
		if (f.start == UINT64_MAX || !f.size)
			continue;
		if (t->n == cap) {
			cap = cap ? 2 * cap : 256;
			t->v = xrealloc(t->v, cap * sizeof(t->v[0]));
		}
		t->v[t->n++] = (struct cfi_place){ f.start, f.size, offset };
	}
	if (t->n)
		qsort(t->v, t->n, sizeof(t->v[0]), by_place);
}

static struct unwind_table *read_section(Elf *e, Elf_Scn *section, const GElf_Shdr *sh)
{
	Elf_Data *data = sh->sh_size <= BYTES_MAX && sh->sh_type != SHT_NOBITS ? elf_contents(section) : NULL;
	struct unwind_table *t;

	if (!data || !data->d_buf || !data->d_size)
		return NULL;
	t = xcalloc(1, sizeof(*t));
	t->len = data->d_size;
	t->bytes = xcalloc(1, t->len);
	memcpy(t->bytes, data->d_buf, t->len);
	t->addr = sh->sh_addr;
	list(t, e);
	return t;
}

struct unwind_table *unwind_table_read(Elf *e)
{
	struct unwind_table *t = NULL;
	Elf_Scn *section = NULL;
	const char *name;
	GElf_Ehdr eh;
	GElf_Shdr sh;
	size_t names;

	if (gelf_getehdr(e, &eh) && eh.e_ident[EI_CLASS] == ELFCLASS64 && eh.e_ident[EI_DATA] == ELFDATA2LSB &&
	    !elf_getshdrstrndx(e, &names) && elf_contents(elf_getscn(e, names))) {
		while (!t && (section = elf_nextscn(e, section))) {
			name = gelf_getshdr(section, &sh) ? elf_strptr(e, names, sh.sh_name) : NULL;
			if (name && !strcmp(name, ".eh_frame"))
				t = read_section(e, section, &sh);
		}
	}
	return t;
}

size_t unwind_table_bytes(const struct unwind_table *t)
{
	return t ? t->len + t->n * sizeof(t->v[0]) : 0;
}

void unwind_table_free(struct unwind_table *t)
{
	if (!t)
		return;
	free(t->bytes);
	free(t->v);
	free(t);
}
