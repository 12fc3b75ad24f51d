// SPDX-License-Identifier: GPL-2.0-only
#include <linux/elf.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/string.h>
#include "event/build_id.h"
#include "compat/fd.h"
#include "compat/kprobe.h"

#define PHDRS_MAX	64u	/* program headers that are looked at */
#define NOTES_MAX	16u	/* notes that are looked at in one of them */

#ifndef NT_GNU_BUILD_ID
#define NT_GNU_BUILD_ID	3
#endif

/*
 * The page has a reference of ours while it is read. The file may be cut during this, and putting the
 * reference then frees the page, which takes spinlocks: not where these sleep.
 */
u32 ctrace_file_head(const struct file *file, char *to, u32 max)
{
	u32 n = min_t(u32, max, PAGE_SIZE);
	struct page *page;

	if (CTRACE_COMPAT_SPINLOCKS_SLEEP)
		return 0;
	page = find_get_page(file->f_mapping, 0);
	/*
	 * older kernels also hand out entries that are no page, such as a place in swap: the lowest bits are
	 * not 0
	 */
	if (!page || (unsigned long)page & 3)
		return 0;
	/* page_address() may lack its memory, if the kernel keeps it from itself */
	if (!PageUptodate(page) || ctrace_compat_read_kernel(to, (unsigned long)page_address(page), n))
		n = 0;
	put_page(page);
	return n;
}

/* Where a program header says its part of the file is. Offsets are checked by who uses them. */
struct part {
	u64 offset, size;
};

/* Copies n bytes at `at`, if head has them. */
static bool take(void *to, u32 n, const char *head, u32 len, u64 at)
{
	if (at > len || n > len - at)
		return false;
	memcpy(to, head + at, n);
	return true;
}

/* The next program header that says there are notes. */
static bool next_notes(const char *head, u32 len, bool is64, u64 phoff, u32 phnum, u32 *i, struct part *p)
{
	union {
		Elf64_Phdr p64;
		Elf32_Phdr p32;
	} h;
	u32 size = is64 ? sizeof(h.p64) : sizeof(h.p32), n;

	while (*i < phnum && phoff <= len) {
		n = (*i)++;
		if (!take(&h, size, head, len, phoff + (u64)n * size))
			return false;
		if ((is64 ? h.p64.p_type : h.p32.p_type) != PT_NOTE)
			continue;
		p->offset = is64 ? h.p64.p_offset : h.p32.p_offset;
		p->size = is64 ? h.p64.p_filesz : h.p32.p_filesz;
		return true;
	}
	return false;
}

static bool put_id(char *to, const char *head, u32 len, u64 at, u32 n)
{
	u8 id[CTRACE_BUILD_ID_MAX];
	u32 i;

	if (!n || n > sizeof(id) || !take(id, n, head, len, at))
		return false;
	for (i = 0; i < n; i++)
		scnprintf(to + 2 * i, 3, "%02x", id[i]);
	return true;
}

/* Sizes are 32 bits wide, and offset is at most len when they are added to it, so no sum overflows. */
static bool search(char *to, const char *head, u32 len, const struct part *p)
{
	Elf32_Nhdr note;	/* the same in both classes */
	u64 at = p->offset, desc;
	char name[4];
	u32 i;

	for (i = 0; i < NOTES_MAX && at <= len && at - p->offset < p->size; i++) {
		if (!take(&note, sizeof(note), head, len, at))
			return false;
		desc = at + sizeof(note) + ALIGN((u64)note.n_namesz, 4);
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof(name) &&
		    take(name, sizeof(name), head, len, at + sizeof(note)) && !memcmp(name, "GNU", sizeof(name)))
			return put_id(to, head, len, desc, note.n_descsz);
		at = desc + ALIGN((u64)note.n_descsz, 4);
	}
	return false;
}

void ctrace_build_id(const char *head, u32 len, char to[CTRACE_BUILD_ID_TEXT])
{
	union {
		Elf64_Ehdr e64;
		Elf32_Ehdr e32;
	} h;
	struct part p;
	bool is64;
	u32 i = 0;

	to[0] = 0;
	if (!take(&h, sizeof(h), head, len, 0) || memcmp(h.e64.e_ident, ELFMAG, SELFMAG))
		return;
	is64 = h.e64.e_ident[EI_CLASS] == ELFCLASS64;
	while (next_notes(head, len, is64, is64 ? h.e64.e_phoff : h.e32.e_phoff,
			  min_t(u32, is64 ? h.e64.e_phnum : h.e32.e_phnum, PHDRS_MAX), &i, &p))
		if (search(to, head, len, &p))
			return;
}
