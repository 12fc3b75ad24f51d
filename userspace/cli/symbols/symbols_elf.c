// SPDX-License-Identifier: GPL-2.0-only
/*
 * The functions of ELF files. A container may have written the file: all that costs memory or time has a
 * limit.
 */
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include "symbols/elf_open.h"
#include "symbols/symbols.h"
#include "symbols/xz.h"

#define SECTION_MAX	(256u << 20)	/* bytes of a section that is read */
#define SYMBOLS_MAX	(4u << 20)	/* of one file */
#define NAME_KEPT	4096		/* bytes of a name; demangle() takes no longer ones */
#define PARTS_MAX	1024		/* program headers that are looked at */
#define DEBUG_FILE_MAX	(256 << 20)	/* bytes that are read to compare a checksum */
#define DEBUGDATA_MAX	(64u << 20)	/* bytes of .gnu_debugdata, unpacked */

/* --- opening ------------------------------------------------------------------------- */

/*
 * Numbers that do not fit the header stand elsewhere, and may be up to 2^32. Linked files have no so many
 * sections, and libelf takes memory for each. Zero and all ones look alike in both byte orders.
 */
static bool too_many(const Elf64_Ehdr *h)
{
	const Elf32_Ehdr *small = (const Elf32_Ehdr *)h;

	if (h->e_ident[EI_CLASS] == ELFCLASS32)
		return (!small->e_shnum && small->e_shoff) || small->e_phnum == PN_XNUM;
	return (!h->e_shnum && h->e_shoff) || h->e_phnum == PN_XNUM;
}

static bool plausible(const Elf64_Ehdr *h)
{
	return !memcmp(h->e_ident, ELFMAG, SELFMAG) && !too_many(h);
}

Elf *elf_open_image(char *image, size_t len)
{
	elf_version(EV_CURRENT);
	return len >= sizeof(Elf64_Ehdr) && plausible((const Elf64_Ehdr *)image) ? elf_memory(image, len) : NULL;
}

Elf *elf_open(int fd)
{
	Elf64_Ehdr h = { .e_ident = "" };
	Elf *e;

	if (pread(fd, &h, sizeof(h), 0) < (ssize_t)sizeof(Elf32_Ehdr) || !plausible(&h))
		return NULL;
	elf_version(EV_CURRENT);
	/* read the file, do not map it: a container may truncate it at any time */
	e = elf_begin(fd, ELF_C_READ, NULL);
	if (e && elf_kind(e) == ELF_K_ELF)
		return e;
	elf_end(e);
	return NULL;
}

/* The kernel maps the whole file, and at its end are the headers of its sections. */
Elf *elf_open_vdso(void)
{
	char *image = (char *)getauxval(AT_SYSINFO_EHDR);
	const Elf64_Ehdr *h = (const Elf64_Ehdr *)image;

	return image && h->e_ident[EI_CLASS] == ELFCLASS64 ?
	       elf_open_image(image, h->e_shoff + (size_t)h->e_shnum * h->e_shentsize) : NULL;
}

Elf_Data *elf_contents(Elf_Scn *section)
{
	GElf_Shdr sh;

	return section && gelf_getshdr(section, &sh) && sh.sh_size <= SECTION_MAX ? elf_rawdata(section, NULL) : NULL;
}

/* --- symbols ------------------------------------------------------------------------- */

uint64_t elf_file_offset(const struct elf_facts *f, uint64_t addr)
{
	for (size_t i = 0; i < f->nloads; i++)
		if (addr >= f->load[i].addr && addr - f->load[i].addr < f->load[i].size)
			return addr - f->load[i].addr + f->load[i].offset;
	return UINT64_MAX;
}

static void read_symbols(struct symtab *t, const struct elf_facts *f, Elf *e, Elf_Scn *section, const GElf_Shdr *sh)
{
	GElf_Sym sym;
	Elf_Data *data;

	if (sh->sh_size > SECTION_MAX || !elf_contents(elf_getscn(e, sh->sh_link)))
		return;
	data = elf_getdata(section, NULL);
	for (int i = 0; t->n < SYMBOLS_MAX && gelf_getsym(data, i, &sym); i++) {
		int type = GELF_ST_TYPE(sym.st_info);
		const char *name;
		uint64_t at;

		if ((type != STT_FUNC && type != STT_GNU_IFUNC) || !sym.st_value)
			continue;
		name = elf_strptr(e, sh->sh_link, sym.st_name);
		at = name && *name ? elf_file_offset(f, sym.st_value) : UINT64_MAX;
		if (at == UINT64_MAX)
			continue;
		/* names may overlap, so the section's size says nothing of what their copies take */
		if (symtab_bytes(t) > SYMTAB_MAX) {
			t->cut = true;
			break;
		}
		symtab_add(t, at, sym.st_size, name, strnlen(name, NAME_KEPT), NULL,
			   GELF_ST_BIND(sym.st_info) == STB_GLOBAL);
	}
}

/*
 * One table of each kind, as there may be. True: there is a table of all functions, not just of those for
 * others.
 */
static bool read_tables(struct symtab *t, const struct elf_facts *f, Elf *e)
{
	bool all = false, dynamic = false;
	Elf_Scn *section = NULL;
	GElf_Shdr sh;

	while ((section = elf_nextscn(e, section))) {
		bool *seen = !gelf_getshdr(section, &sh) ? NULL : sh.sh_type == SHT_SYMTAB ? &all :
			     sh.sh_type == SHT_DYNSYM ? &dynamic : NULL;

		if (seen && !*seen) {
			*seen = true;
			read_symbols(t, f, e, section, &sh);
		}
	}
	return all;
}

/* --- facts about a file ---------------------------------------------------------------- */

static void put_build_id(char *to, const unsigned char *id, size_t n)
{
	if (2 * n >= BUILD_ID_TEXT)
		return;
	for (size_t i = 0; i < n; i++)
		snprintf(to + 2 * i, 3, "%02x", id[i]);
}

static void read_notes(char *to, Elf_Data *data)
{
	size_t name, desc, at, next;
	GElf_Nhdr note;

	for (at = 0; data && !*to && (next = gelf_getnote(data, at, &note, &name, &desc)); at = next)
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && !memcmp((const char *)data->d_buf + name, "GNU", 4))
			put_build_id(to, (const unsigned char *)data->d_buf + desc, note.n_descsz);
}

void elf_read_parts(struct elf_facts *f, Elf *e)
{
	size_t n;
	GElf_Phdr p;

	if (elf_getphdrnum(e, &n))
		return;
	for (size_t i = 0; i < n && i < PARTS_MAX; i++) {
		if (!gelf_getphdr(e, (int)i, &p))
			continue;
		if (p.p_type == PT_NOTE && !*f->build_id && p.p_filesz <= SECTION_MAX)
			read_notes(f->build_id, elf_getdata_rawchunk(e, (int64_t)p.p_offset, p.p_filesz, ELF_T_NHDR));
		if (p.p_type == PT_LOAD && f->nloads < LOADS_MAX) {
			f->load[f->nloads].addr = p.p_vaddr;
			f->load[f->nloads].size = p.p_filesz;
			f->load[f->nloads++].offset = p.p_offset;
		}
	}
}

void vdso_build_id(char to[BUILD_ID_TEXT])
{
	struct elf_facts f = { .nloads = 0 };
	Elf *e = elf_open_vdso();

	if (e)
		elf_read_parts(&f, e);
	elf_end(e);
	memcpy(to, f.build_id, sizeof(f.build_id));
}

/*
 * .gnu_debuglink: a name, zeros up to a multiple of four, and the CRC of that file, in the file's byte order
 */
static void read_link(struct elf_facts *f, Elf *e, const Elf_Data *data)
{
	size_t len = data->d_buf ? strnlen(data->d_buf, data->d_size) : 0, at = (len + 4) & ~(size_t)3;
	const unsigned char *crc = (const unsigned char *)data->d_buf + at;
	const char *ident = elf_getident(e, NULL);

	if (!len || len >= sizeof(f->link) || at + 4 > data->d_size || memchr(data->d_buf, '/', len))
		return;
	memcpy(f->link, data->d_buf, len + 1);
	for (int i = 0; i < 4; i++)
		f->crc = f->crc << 8 | crc[ident[EI_DATA] == ELFDATA2MSB ? i : 3 - i];
}

/* .gnu_debugdata: another ELF file, packed, with the functions that are not for others */
static void read_debugdata(struct symtab *t, const struct elf_facts *f, const Elf_Data *data)
{
	size_t len;
	char *plain = xz_unpack(data->d_buf, data->d_size, DEBUGDATA_MAX, &len);
	Elf *e;

	if (!plain)
		return;
	e = elf_open_image(plain, len);
	if (e)
		read_tables(t, f, e);
	elf_end(e);
	xz_free(plain);
}

/* Reads sections that are known by their names. */
static void read_named(struct symtab *t, struct elf_facts *f, Elf *e)
{
	bool linked = false, packed = false;
	Elf_Scn *section = NULL;
	const char *name;
	Elf_Data *data;
	GElf_Shdr sh;
	size_t names;

	if (elf_getshdrstrndx(e, &names) || !elf_contents(elf_getscn(e, names)))
		return;
	while ((!linked || !packed) && (section = elf_nextscn(e, section))) {
		name = gelf_getshdr(section, &sh) && sh.sh_type == SHT_PROGBITS ? elf_strptr(e, names, sh.sh_name) : NULL;
		if (name && !linked && !strcmp(name, ".gnu_debuglink")) {
			linked = true;
			data = elf_contents(section);
			if (data)
				read_link(f, e, data);
		} else if (name && !packed && !strcmp(name, ".gnu_debugdata")) {
			packed = true;
			data = elf_contents(section);
			if (data)
				read_debugdata(t, f, data);
		}
	}
}

void symtab_read_elf(struct symtab *t, Elf *e, struct elf_facts *f)
{
	memset(f, 0, sizeof(*f));
	elf_read_parts(f, e);
	f->all = read_tables(t, f, e);
	if (!f->all)
		read_named(t, f, e);
}

/* --- files with symbols alone ------------------------------------------------------------ */

static bool has_crc(int fd, uint32_t want)
{
	unsigned char buf[65536];
	uint32_t crc = 0;
	struct stat st;
	ssize_t n;
	off_t at;

	if (fstat(fd, &st) || st.st_size > DEBUG_FILE_MAX)
		return false;
	for (at = 0; at < DEBUG_FILE_MAX && (n = pread(fd, buf, sizeof(buf), at)) > 0; at += n)
		crc = (uint32_t)crc32(crc, buf, (unsigned int)n);
	return crc == want;
}

/* Searches sections: program headers may have been copied from the stripped file, with wrong offsets. */
static bool has_build_id(Elf *e, const char *want)
{
	char id[BUILD_ID_TEXT] = "";
	Elf_Scn *section = NULL;
	GElf_Shdr sh;

	while (!*id && (section = elf_nextscn(e, section)))
		if (gelf_getshdr(section, &sh) && sh.sh_type == SHT_NOTE && sh.sh_size <= SECTION_MAX)
			read_notes(id, elf_getdata(section, NULL));
	return !strcmp(id, want);
}

bool symtab_read_debug(struct symtab *t, int fd, const struct elf_facts *of)
{
	Elf *e = elf_open(fd);
	bool all = e && (*of->build_id ? has_build_id(e, of->build_id) : has_crc(fd, of->crc)) && read_tables(t, of, e);

	elf_end(e);
	return all;
}
