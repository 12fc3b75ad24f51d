/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Names for addresses of code: the kernel's from /proc/kallsyms, a process's from its maps and
 * the symbol tables of the files in them, while it lives. What was found is kept, and a
 * recording takes it along: its addresses mean nothing on another boot.
 */
#ifndef CTRACE_SYMBOLS_H
#define CTRACE_SYMBOLS_H

#include "base/util.h"

struct symbols;

/* live: ask this machine. Else only what symbols_load() brings is known. */
struct symbols *symbols_new(bool live);
void symbols_free(struct symbols *s);
/* Reads the kernel's now, which takes a while; else it is done when first needed. */
void symbols_prepare(struct symbols *s);

/*
 * "schedule+0x3f", "ovl_open+0x2b [overlay]", "read+0x10 [libc.so.6]", "app+0x1234" where a file
 * has no symbol for it, "0x7f..." where nothing is known. Clean for a terminal, good until the next call.
 * exact: the address is the instruction itself, not the one that a call returns to.
 */
const char *symbols_kernel(struct symbols *s, uint64_t addr, bool exact);
const char *symbols_user(struct symbols *s, int32_t tid, uint64_t addr, bool exact);
/* The task has another program now, or none. */
void symbols_forget(struct symbols *s, int32_t tid);
/* Why the kernel's addresses have no names, or NULL. */
const char *symbols_note(const struct symbols *s);

/* All that was looked up, as JSON, and back. 0 or -errno (-EBADMSG: not as we write it). */
void symbols_save(const struct symbols *s, struct sbuf *b);
int symbols_load(struct symbols *s, const char *path);

/* --- symbols_table.c: addresses and names, sorted --- */

struct symtab {
	struct symbol {
		uint64_t addr;
		uint32_t name;		/* offset in text */
		uint16_t module;	/* offset in modules' list, 0: none */
		uint8_t rank;		/* of several at one address the highest is shown */
		uint64_t size;		/* 0: up to the next */
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
/* The one that covers addr, or NULL. */
const struct symbol *symtab_find(const struct symtab *t, uint64_t addr);
const char *symtab_name(const struct symtab *t, const struct symbol *s);
const char *symtab_module(const struct symtab *t, const struct symbol *s);	/* or NULL */
/* From text in the form of /proc/kallsyms; number of symbols that have an address. */
size_t symtab_read_kallsyms(struct symtab *t, FILE *f);
/* Functions of the ELF file, by their offset in it. 0 or -errno; the file may be anything. */
int symtab_read_elf(struct symtab *t, int fd);

/* --- symbols_user.c --- */

struct user_maps;
struct user_maps *user_maps_new(void);
void user_maps_free(struct user_maps *m);
void user_maps_forget(struct user_maps *m, int32_t tid);
/* Appends the name for addr of the task; false: nothing is known. */
bool user_maps_name(struct user_maps *m, int32_t tid, uint64_t addr, bool exact, struct sbuf *b);

#endif
