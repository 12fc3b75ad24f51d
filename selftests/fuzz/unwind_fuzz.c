// SPDX-License-Identifier: GPL-2.0-only
/*
 * Takes any bytes as a file's .eh_frame, and steps out of frames by it. The input: a byte of switches (1: arm64; 2: the
 * frame is where the code was interrupted; 4: registers hold anything, not just places on the stack), one with the length of
 * the stack in words of 8 bytes, the stack, the registers if they hold anything, and .eh_frame.
 *
 * Beyond what the sanitizers see, it checks: a step returns one of its ends, no register is known that the
 * machine lacks, the registers that the next step needs are known, and the table is sorted.
 *
 * sources: cli/symbols/unwind.c cli/symbols/unwind_table.c cli/symbols/symbols_elf.c cli/symbols/symbols_table.c
 * sources: cli/symbols/demangle.c cli/symbols/xz.c cli/base/sbuf.c cli/base/util.c
 * libraries: libelf zlib
 * packages: libelf-dev zlib1g-dev
 */
#include <stdlib.h>
#include <string.h>
#include "symbols/elf_open.h"
#include "symbols/unwind_table.h"

#define require(x)	do { if (!(x)) __builtin_trap(); } while (0)
#define ADDRESS		0x10000000	/* of .eh_frame; what it refers to may lie before it */
#define SP		0x7fff0000
#define FRAMES		8
#define PLACES		16

static const char names[] = "\0.eh_frame\0.names";

/* A file in memory, of one part and these sections. */
struct file {
	Elf64_Ehdr h;
	Elf64_Phdr part;
	Elf64_Shdr sections[3];
	char names[sizeof(names)];
	unsigned char frames[];
};

static struct file *file_of(const uint8_t *frames, size_t n)
{
	struct file *f = calloc(1, sizeof(*f) + n);

	f->h = (Elf64_Ehdr){
		.e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT }, .e_type = ET_DYN, .e_version = EV_CURRENT,
		.e_phoff = offsetof(struct file, part), .e_shoff = offsetof(struct file, sections), .e_ehsize = sizeof(f->h),
		.e_phentsize = sizeof(f->part), .e_phnum = 1, .e_shentsize = sizeof(f->sections[0]), .e_shnum = 3, .e_shstrndx = 2,
	};
	f->part = (Elf64_Phdr){ .p_type = PT_LOAD, .p_filesz = 1ull << 40, .p_memsz = 1ull << 40 };
	f->sections[1] = (Elf64_Shdr){
		.sh_name = 1, .sh_type = SHT_PROGBITS, .sh_addr = ADDRESS, .sh_offset = offsetof(struct file, frames), .sh_size = n,
	};
	f->sections[2] = (Elf64_Shdr){
		.sh_name = 11, .sh_type = SHT_STRTAB, .sh_offset = offsetof(struct file, names), .sh_size = sizeof(names),
	};
	memcpy(f->names, names, sizeof(names));
	if (n)
		memcpy(f->frames, frames, n);
	return f;
}

/* From one function to the next in the table, as if each had called the one before. */
static void walk(const struct unwind_table *t, size_t first, struct unwind_frame f, struct unwind_stack s)
{
	unsigned int sp = f.n == UNWIND_REGISTERS ? 31 : 7, n = f.n;

	for (size_t i = 0; i < FRAMES; i++) {
		const struct cfi_place *p = &t->v[(first + i) % t->n];
		enum unwind_end end = unwind_step(t, p->at + (i % 2 ? p->size - 1 : 0), &f, &s);

		require(end <= UNWIND_BAD && f.n == n && !(f.known >> n));
		if (end != UNWIND_ON)
			break;
		require(f.known >> sp & 1 && f.known >> (n - 1) & 1 && unwind_ip(&f));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct unwind_frame f = { .n = 17 };
	struct unwind_stack s = { .sp = SP };
	struct unwind_table *t;
	struct file *file;
	unsigned char *stack;
	uint8_t how;
	Elf *e;

	if (size < 2)
		return 0;
	how = data[0];
	s.len = data[1] * 8u < size - 2 ? data[1] * 8u : size - 2;
	/* of its own, so that what is read beside it is noticed */
	s.bytes = stack = malloc(s.len ? s.len : 1);
	memcpy(stack, data + 2, s.len);
	data += 2 + s.len;
	size -= 2 + s.len;
	f.n = how & 1 ? UNWIND_REGISTERS : 17;
	f.known = (1ull << f.n) - 1;
	f.exact = how & 2;
	for (unsigned int i = 0; i < f.n; i++)
		f.v[i] = SP + 8 * i;
	if (how & 4 && size >= sizeof(f.v[0]) * f.n) {
		memcpy(f.v, data, sizeof(f.v[0]) * f.n);
		data += sizeof(f.v[0]) * f.n;
		size -= sizeof(f.v[0]) * f.n;
	} else {
		f.v[f.n == 17 ? 7 : 31] = SP;
	}
	file = file_of(data, size);
	e = elf_open_image((char *)file, sizeof(*file) + size);
	require(e);
	t = unwind_table_read(e);
	elf_end(e);
	free(file);
	for (size_t i = 0; t && i < t->n; i++)
		require(t->v[i].size && (!i || t->v[i - 1].at <= t->v[i].at));
	for (size_t i = 0; t && i < t->n && i < PLACES; i++)
		walk(t, i, f, s);
	unwind_table_free(t);
	free(stack);
	return 0;
}
