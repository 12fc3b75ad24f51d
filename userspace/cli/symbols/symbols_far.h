/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files that others chose and that hold names of functions are read by a process with a deadline
 * (base/far.h): a container's programs and libraries, their separate files of symbols, and the maps of
 * functions that processes compiled themselves.
 */
#ifndef CTRACE_SYMBOLS_FAR_H
#define CTRACE_SYMBOLS_FAR_H

#include "symbols/perf_map.h"
#include "symbols/symbols.h"

struct file_wanted {
	bool told;		/* a record names it, so a copy will do; else the process has it mapped now */
	bool live, unwinds;	/* as for mapped_files_new() */
	int32_t pid;
	uint64_t start, end;	/* where the process has, or had, it mapped */
	uint64_t dev, ino;
	const char *build_id;	/* "": none, or not known */
	const char *path;	/* as the process saw it */
};

/* All zero: nothing. */
struct file_read {
	char build_id[BUILD_ID_TEXT];
	struct symtab t;	/* sorted */
	struct unwind_table *unwind;
};

void file_read_free(struct file_read *r);

enum reading {
	READING_DONE,
	READING_NOTHING,	/* there is no such file now */
	READING_NEVER,		/* do not ask for it again: it did not answer, or needs too much memory */
};

struct symbols_far *symbols_far_new(void);
void symbols_far_free(struct symbols_far *x);
/* Fills in *r. */
enum reading symbols_far_file(struct symbols_far *x, const struct file_wanted *w, struct file_read *r);
/* Fills in *t and *f if the file is not what *f says. */
enum reading symbols_far_map(struct symbols_far *x, const struct perf_map_of *of, struct perf_map_file *f, struct symtab *t);
/*
 * Appends a newline, and the lines of /proc/TID/maps that are of executable mappings. Reading it waits for
 * the lock of the process's memory, which a task holds that waits for a file system in mmap() or munmap().
 */
enum reading symbols_far_maps(struct symbols_far *x, int32_t tid, struct sbuf *b);
/* Appends what was not read, and why. */
void symbols_far_note(const struct symbols_far *x, struct sbuf *b);

/* --- symbols_find.c: in that process --- */

/*
 * For symbols_far_maps(). most: bytes of b; what is beyond is left out, as are more than MAPS_MAX mappings.
 */
void maps_read(int32_t tid, size_t most, struct sbuf *b);
/* False: there is no such file. */
bool file_find(const struct file_wanted *w, struct file_read *r);
/*
 * A process may end while its files are read. Its root, once opened, stays: this is a path to it, for
 * root->at. Close what it returns; -1: the process has gone, or may not be looked into.
 */
struct held_root {
	char at[32], name[32];
};
int root_hold(struct held_root *h, struct root *root, int32_t pid);

#endif
