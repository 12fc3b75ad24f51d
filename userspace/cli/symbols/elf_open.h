/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ELF files that a container may have written: libelf is asked for nothing that would take more memory than
 * we have.
 */
#ifndef CTRACE_ELF_OPEN_H
#define CTRACE_ELF_OPEN_H

#include <gelf.h>

/* NULL: it is none, or says of itself what no linked file does. The caller ends it by elf_end(). */
Elf *elf_open(int fd);
/* The same of an image in memory, which stays as it is until elf_end(). */
Elf *elf_open_image(char *image, size_t len);
/* The vdso that the kernel gave us; NULL: none, or a 32-bit one. */
Elf *elf_open_vdso(void);
/* The contents of a section, as they are in the file; NULL: none, or too many. */
Elf_Data *elf_contents(Elf_Scn *section);

struct elf_facts;
/* Fills in f's build_id and load, which are empty before. */
void elf_read_parts(struct elf_facts *f, Elf *e);
/* The offset in the file that is loaded at the address; UINT64_MAX: none is. */
uint64_t elf_file_offset(const struct elf_facts *f, uint64_t addr);

#endif
