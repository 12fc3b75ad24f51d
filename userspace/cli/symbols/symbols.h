/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Names for addresses of code: the kernel's from /proc/kallsyms; a process's from its mappings and the symbol
 * tables of the mapped files. The mappings come from records, also when the process is gone, or from /proc
 * while it lives. Names that were found are kept. A recording takes the names along, because its addresses
 * mean nothing after another boot.
 */
#ifndef CTRACE_SYMBOLS_H
#define CTRACE_SYMBOLS_H

#include <libctrace.h>
#include "base/util.h"

struct json;
struct symbols;
struct unwind_table;
struct unwind_frame;
struct unwind_stack;

/*
 * live: ask this machine. Else names come only from symbols_load(), and from files of this machine whose
 * build-id a record has.
 */
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
/*
 * Looks an address of the task up, and makes it known of its process, too: for stacks that are counted by
 * process.
 */
void symbols_share(struct symbols *s, int32_t tid, int32_t pid, uint64_t addr, bool exact);
/*
 * Learns what processes map from records of process_map and sched_process_exec; others are passed by. Call it
 * with each, in the order of time, so that a stack is named by what was mapped then.
 */
void symbols_learn(struct symbols *s, const struct ctrace_schema *schema, const struct ctrace_record *rec);
/* Call it before symbols_unwind(), and before files are read for names. */
void symbols_unwinds(struct symbols *s);
/*
 * Puts the addresses of a stack into to[], innermost first, at most max, by what the task maps now; *f is
 * used up. Returns why the stack ends there in words, or NULL: it is whole.
 */
const char *symbols_unwind(struct symbols *s, int32_t tid, struct unwind_frame *f, struct unwind_stack *k, uint64_t *to,
			   size_t max, size_t *n);
/* A note on missing names, and why; NULL: none is missing, as far as is known. Good until the next call. */
const char *symbols_note(struct symbols *s);

/* Saves the task's present mappings, because a stack of it will be unwound when the recording is read. */
void symbols_note_maps(struct symbols *s, int32_t tid);
/* Write the names that were looked up as JSON; read them back. 0 or -errno (-EBADMSG: not what we write). */
void symbols_save(struct symbols *s, struct sbuf *b);
int symbols_load(struct symbols *s, const char *path);

/* --- symbols_table.c: addresses and names, sorted --- */

struct symtab {
	struct symbol {
		uint64_t addr;
		uint32_t name;		/* offset in text */
		uint16_t module;	/* place in the list of modules, 0: none */
		uint8_t rank;		/* if several symbols have one address, the highest rank is shown */
		bool shown;		/* name is what demangle() made of it */
		uint64_t size;		/* bytes; 0: up to the next symbol */
	} *v;
	size_t n, cap;
	struct sbuf text;
	char **modules;
	size_t nmodules;
	bool cut;		/* there are more symbols than may be kept */
};

void symtab_free(struct symtab *t);
void symtab_add(struct symtab *t, uint64_t addr, uint64_t size, const char *name, size_t len,
		const char *module, uint8_t rank);
void symtab_sort(struct symtab *t);
/* What it keeps. Of one file, no more than SYMTAB_MAX and a name. */
#define SYMTAB_MAX	((size_t)128 << 20)
size_t symtab_bytes(const struct symtab *t);
/*
 * The last of n sorted rows whose place is not beyond `at`; NULL: none. A row has size bytes, and its place
 * in the first 8.
 */
const void *place_find(const void *rows, size_t n, size_t size, uint64_t at);
/* The symbol that covers addr, or NULL. */
const struct symbol *symtab_find(const struct symtab *t, uint64_t addr);
const char *symtab_name(const struct symtab *t, const struct symbol *s);
/* The name as a programmer writes it, if it is of C++ or Rust; t keeps it. */
const char *symtab_shown(struct symtab *t, const struct symbol *s);
const char *symtab_module(const struct symtab *t, const struct symbol *s);	/* or NULL */
/* Reads text in the form of /proc/kallsyms. Returns the number of symbols whose address is not 0. */
size_t symtab_read_kallsyms(struct symtab *t, FILE *f);
/* --- symbols_elf.c: the functions of ELF files, by their offset in the file; files may hold anything --- */

#define BUILD_ID_TEXT	41	/* bytes of a build-id in hexadecimal, with the NUL */
#define LOADS_MAX	16	/* parts of a file that are mapped; linkers make up to six */

struct elf_facts {
	char build_id[BUILD_ID_TEXT];	/* "": none */
	bool all;			/* it has a table of all its functions */
	char link[256];			/* the name of the file that has it, by .gnu_debuglink; "": none */
	uint32_t crc;			/* that file's */
	struct {
		uint64_t addr, size, offset;
	} load[LOADS_MAX];
	size_t nloads;
};

struct Elf;
/* The vdso's that we have. "": there is none, or the kernel gave it none. */
void vdso_build_id(char to[BUILD_ID_TEXT]);
/* Adds the file's own symbols, and fills in f. Sort t after that. e: from elf_open(). */
void symtab_read_elf(struct symtab *t, struct Elf *e, struct elf_facts *f);
/*
 * Adds what another file has, if it belongs to that one: the build-id is the same or, if that has none, the
 * CRC. False: nothing.
 */
bool symtab_read_debug(struct symtab *t, int fd, const struct elf_facts *of);

/* --- symbols_debug.c --- */

/* A directory below which files are looked for as if it were the root; this machine's: both are "". */
struct root {
	const char *at;		/* a path to it, good as long as it is held open */
	const char *name;	/* where a user finds it */
};

/* Says that this path in the root is looked at: far_at(). */
void root_look(const struct root *root, const char *path);

/*
 * Adds the symbols of a file that lies at path below root, and was stripped: from a file of symbols that is
 * in the same root, or on this machine.
 */
void symtab_read_apart(struct symtab *t, const struct elf_facts *of, const struct root *root, const char *path);

/* --- symbols_files.c: the files that are mapped --- */

struct mapped_files;
struct mapped_file;
struct symbols_far;
/*
 * far: reads the files, and lives longer. live: see symbols_new(). unwinds: files are read for unwinding,
 * too.
 */
struct mapped_files *mapped_files_new(struct symbols_far *far, bool live, bool unwinds);
void mapped_files_unwind(struct mapped_files *fs);
void mapped_files_free(struct mapped_files *fs);
void mapped_files_clear(struct mapped_files *fs);	/* forgets all files, but not the note */
/* Has the file read that a living task has mapped there. NULL: it cannot be opened now. */
struct mapped_file *mapped_files_open(struct mapped_files *fs, int32_t tid, uint64_t start, uint64_t end,
				      const char *name, uint64_t dev, uint64_t ino);
/* The file that a record names. It is not looked for until its symbols are asked for. */
struct mapped_file *mapped_files_told(struct mapped_files *fs, uint64_t dev, uint64_t ino, const char *build_id,
				      const char *path);
/*
 * The kernel gives the vdso, which each process has, this path; its dev and ino are 0. We read the vdso of
 * our own process.
 */
#define VDSO	"[vdso]"
/* True: there are too many files to keep; forget them all, with the mappings that point to them. */
bool mapped_files_many(const struct mapped_files *fs);
/* Appends which files' names were left out because of a limit, and which. */
void mapped_files_note(const struct mapped_files *fs, struct sbuf *b);
/* The last part of its path, of a file that a record named. */
const char *mapped_file_name(const struct mapped_file *f);
const char *mapped_file_build_id(const struct mapped_file *f);	/* "": none */
/* NULL: it was not found. pid, start, end: where it is, or was, mapped. */
struct symtab *mapped_file_symbols(struct mapped_files *fs, struct mapped_file *f, int32_t pid,
					   uint64_t start, uint64_t end);

/* The same of how to unwind its frames. NULL: it does not say, or was not found. */
const struct unwind_table *mapped_file_unwind(struct mapped_files *fs, struct mapped_file *f, int32_t pid,
					      uint64_t start, uint64_t end);

/* --- symbols_user.c --- */

struct user_maps;
struct user_maps *user_maps_new(bool live);
void user_maps_free(struct user_maps *m);
/* The task has another program now: what /proc said of it is old. */
void user_maps_forget(struct user_maps *m, int32_t tid);
/* rec: of process_map; t: its type, or NULL */
void user_maps_learn(struct user_maps *m, const struct ctrace_event_type *t, const struct ctrace_record *rec);
/*
 * Reads the task's mappings if no record has them: for user_maps_save(), in case the process is gone when its
 * stacks are unwound.
 */
void user_maps_note(struct user_maps *m, int32_t tid);
void user_maps_save(const struct user_maps *m, struct json *j);	/* the elements of a list */
/* The build-id of the vdso, which belongs to the kernel; "": not known. */
const char *user_maps_vdso(const struct user_maps *m);
void user_maps_load_vdso(struct user_maps *m, const char *build_id);
void user_maps_load(struct user_maps *m, int32_t tid, uint64_t start, uint64_t end, uint64_t offset, const char *build_id,
		    const char *path);
void user_maps_note_limits(const struct user_maps *m, struct sbuf *b);	/* mapped_files_note() */
/* From now on, files are read for unwinding, too. */
void user_maps_unwind(struct user_maps *m);
/*
 * How to unwind the frame of that code of the task, and *at, its place in the table's file. NULL: it is not
 * known.
 */
const struct unwind_table *user_maps_table(struct user_maps *m, int32_t tid, uint64_t addr, uint64_t *at);
/* Appends the name for an address of the task. False: nothing is known of it. */
bool user_maps_name(struct user_maps *m, int32_t tid, uint64_t addr, bool exact, struct sbuf *b);

#endif
