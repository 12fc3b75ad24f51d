/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Names for addresses of code: the kernel's from /proc/kallsyms; a process's from its maps and the
 * symbol tables of the files mapped there, while it lives. What was found is kept. A recording takes
 * the names along, because its addresses mean nothing on another boot.
 */
#ifndef CTRACE_SYMBOLS_H
#define CTRACE_SYMBOLS_H

#include "base/util.h"

struct symbols;

/* live: ask this machine. Else only what symbols_load() brings is known. */
struct symbols *symbols_new(bool live);
void symbols_free(struct symbols *s);
/* Reads the kernel's symbols now, which takes a while. Without it they are read when first needed. */
void symbols_prepare(struct symbols *s);

/*
 * "schedule+0x3f", "ovl_open+0x2b [overlay]", "read+0x10 [libc.so.6]"; "app+0x1234" if the file has no
 * symbol for the address; "0x7f..." if nothing is known. Safe for a terminal, good until the next call.
 * exact: the address is the instruction itself, not the one that a call returns to.
 */
const char *symbols_kernel(struct symbols *s, uint64_t addr, bool exact);
const char *symbols_user(struct symbols *s, int32_t tid, uint64_t addr, bool exact);
/* What is known of an address of the task is known of its process's, too: for stacks that are counted by process. */
void symbols_share(struct symbols *s, int32_t tid, int32_t pid, uint64_t addr, bool exact);
/* Call it when the task has another program now, or has ended. */
void symbols_forget(struct symbols *s, int32_t tid);
/* Why the kernel's addresses have no names; NULL: they have. */
const char *symbols_note(const struct symbols *s);

/* Write the names that were looked up as JSON; read them back. 0 or -errno (-EBADMSG: not what we write). */
void symbols_save(const struct symbols *s, struct sbuf *b);
int symbols_load(struct symbols *s, const char *path);

/* --- symbols_table.c: addresses and names, sorted --- */

struct symtab {
	struct symbol {
		uint64_t addr;
		uint32_t name;		/* offset in text */
		uint16_t module;	/* place in the list of modules, 0: none */
		uint8_t rank;		/* if several symbols have one address, the highest rank is shown */
		uint64_t size;		/* bytes; 0: up to the next symbol */
	} *v;
	size_t n, cap;
	struct sbuf text;
	char **modules;
	size_t nmodules;
};

void symtab_free(struct symtab *t);
void symtab_add(struct symtab *t, uint64_t addr, uint64_t size, const char *name, size_t len,
		const char *module, uint8_t rank);
void symtab_sort(struct symtab *t);
/* The symbol that covers addr, or NULL. */
const struct symbol *symtab_find(const struct symtab *t, uint64_t addr);
const char *symtab_name(const struct symtab *t, const struct symbol *s);
const char *symtab_module(const struct symtab *t, const struct symbol *s);	/* or NULL */
/* Reads text in the form of /proc/kallsyms. Returns the number of symbols whose address is not 0. */
size_t symtab_read_kallsyms(struct symtab *t, FILE *f);
/* Reads the functions of an ELF file, by their offset in it. 0 or -errno. The file may hold anything. */
int symtab_read_elf(struct symtab *t, int fd);

/* --- symbols_user.c --- */

struct user_maps;
struct user_maps *user_maps_new(void);
void user_maps_free(struct user_maps *m);
void user_maps_forget(struct user_maps *m, int32_t tid);
/* Appends the name for an address of the task. False: nothing is known of it. */
bool user_maps_name(struct user_maps *m, int32_t tid, uint64_t addr, bool exact, struct sbuf *b);

#endif
