/* SPDX-License-Identifier: GPL-2.0-only */
#include "symbols/elf_open.h"
#include "symbols/symbols.h"

/* False: it is no ELF file. */
static inline bool read_elf(struct symtab *t, int fd, struct elf_facts *f)
{
	Elf *e = elf_open(fd);

	if (e)
		symtab_read_elf(t, e, f);
	elf_end(e);
	return e;
}
