// SPDX-License-Identifier: GPL-2.0-only
/*
 * The files that processes have mapped, and what is kept of their symbols. symbols_find.c finds and reads
 * them.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "symbols/symbols_far.h"
#include "symbols/unwind.h"

#define LOOK_AGAIN	(5 * NSEC_PER_SEC)	/* look again after this time for a file that was not found */
#define MANY		4096			/* files that are searched one by one */
/* bytes of symbols and of tables for unwinding, of all files */
#define TABLES_MAX	((size_t)256 << 20)

struct mapped_file {
	uint64_t dev, ino;
	char build_id[BUILD_ID_TEXT];	/* "": none, or not known */
	char *path;			/* as the process saw it; NULL: it was open when we met it */
	uint64_t looked;		/* CLOCK_MONOTONIC, ns; 0: not yet */
	int32_t pid;			/* whose mapping was asked for then, if path is NULL */
	struct mapped_file *same;	/* the copy that was read, perhaps itself; NULL: none was found */
	/* it is itself, and was not read: it did not answer, or cannot be read */
	bool never;
	struct symtab t;
	struct unwind_table *unwind;	/* NULL: the file has none, or nobody unwinds */
	size_t bytes;			/* of both, when they were read; 0, too, if they were dropped then */
	char *from;			/* where they were read */
};

struct mapped_files {
	struct symbols_far *far;
	bool live;		/* the files are of this machine, in its present boot */
	bool unwinds;		/* files are read for unwinding, too */
	struct mapped_file **v;
	size_t n;
	size_t bytes;		/* of all tables */
	char *cut;		/* the first file whose symbols were left out in part; NULL: none */
	char *dropped;		/* the first one that was dropped */
	size_t ncut, ndropped;
};

struct mapped_files *mapped_files_new(struct symbols_far *far, bool live, bool unwinds)
{
	struct mapped_files *fs = xcalloc(1, sizeof(*fs));

	fs->far = far;
	fs->live = live;
	fs->unwinds = unwinds;
	return fs;
}

void mapped_files_clear(struct mapped_files *fs)
{
	for (size_t i = 0; i < fs->n; i++) {
		symtab_free(&fs->v[i]->t);
		unwind_table_free(fs->v[i]->unwind);
		free(fs->v[i]->path);
		free(fs->v[i]->from);
		free(fs->v[i]);
	}
	free(fs->v);
	fs->v = NULL;
	fs->n = fs->bytes = 0;
}

void mapped_files_free(struct mapped_files *fs)
{
	if (!fs)
		return;
	mapped_files_clear(fs);
	free(fs->cut);
	free(fs->dropped);
	free(fs);
}

void mapped_files_unwind(struct mapped_files *fs)
{
	fs->unwinds = true;
}

static struct mapped_file *add(struct mapped_files *fs, uint64_t dev, uint64_t ino)
{
	struct mapped_file *f = xcalloc(1, sizeof(*f));

	f->dev = dev;
	f->ino = ino;
	fs->v = xrealloc(fs->v, (fs->n + 1) * sizeof(fs->v[0]));
	fs->v[fs->n++] = f;
	return f;
}

/*
 * Frees the largest table, so that a process with many mapped files does not cost others their names. The
 * file is not read again, because that would take its time again and again.
 */
static void drop_largest(struct mapped_files *fs)
{
	struct mapped_file *f = NULL;

	for (size_t i = 0; i < fs->n; i++)
		if (!f || fs->v[i]->bytes > f->bytes)
			f = fs->v[i];
	if (!fs->ndropped++)
		fs->dropped = xstrdup(f->from);
	fs->bytes -= f->bytes;
	f->bytes = 0;
	symtab_free(&f->t);
	unwind_table_free(f->unwind);
	f->unwind = NULL;
}

/* f's tables are new, and were read at path. */
static void count(struct mapped_files *fs, struct mapped_file *f, const char *path)
{
	if (f->t.cut && !fs->ncut++)
		fs->cut = xstrdup(path);
	f->from = xstrdup(path);
	f->bytes = symtab_bytes(&f->t) + unwind_table_bytes(f->unwind);
	fs->bytes += f->bytes;
	while (fs->bytes > TABLES_MAX)
		drop_largest(fs);
}

static void note(struct sbuf *b, const char *path, size_t n, const char *what)
{
	if (!n)
		return;
	sbuf_puts(b, b->len ? "; functions of " : "functions of ");
	sbuf_clean(b, path);
	if (n > 1)
		sbuf_printf(b, " and %zu more file%s", n - 1, n > 2 ? "s" : "");
	sbuf_puts(b, what);
}

void mapped_files_note(const struct mapped_files *fs, struct sbuf *b)
{
	note(b, fs->cut, fs->ncut, " are shown in part without names: a file's symbols take at most 128 MiB");
	note(b, fs->dropped, fs->ndropped, " are shown without names: the symbols of all files take at most 256 MiB");
}

/* Asks for f's tables at path. f is not asked for again if that does not answer. */
static void ask(struct mapped_files *fs, struct mapped_file *f, const char *path, int32_t pid, uint64_t start, uint64_t end)
{
	const struct file_wanted w = {
		.told = f->path, .live = fs->live, .unwinds = fs->unwinds, .pid = pid, .start = start, .end = end,
		.dev = f->dev, .ino = f->ino, .build_id = f->build_id, .path = path,
	};
	struct file_read r;

	f->looked = clock_ns(CLOCK_MONOTONIC);
	switch (symbols_far_file(fs->far, &w, &r)) {
	case READING_NOTHING:
		break;
	case READING_NEVER:
		f->same = f;
		f->never = true;
		break;
	case READING_DONE:
		f->same = f;
		f->t = r.t;
		f->unwind = r.unwind;
		if (!f->path)
			memcpy(f->build_id, r.build_id, sizeof(f->build_id));
		count(fs, f, path);
	}
}

struct mapped_file *mapped_files_open(struct mapped_files *fs, int32_t tid, uint64_t start, uint64_t end,
				      const char *name, uint64_t dev, uint64_t ino)
{
	struct mapped_file *f = NULL;

	for (size_t i = 0; i < fs->n && !f; i++)
		if (!fs->v[i]->path && fs->v[i]->dev == dev && fs->v[i]->ino == ino)
			f = fs->v[i];
	if (!f)
		f = add(fs, dev, ino);
	/* no permission, or the process has gone: another process that maps the file may let us open it */
	if (!f->same && (f->pid != tid || clock_ns(CLOCK_MONOTONIC) - f->looked > LOOK_AGAIN)) {
		f->pid = tid;
		ask(fs, f, name, tid, start, end);
	}
	return f->same;
}

/* --- files that records name ------------------------------------------------------------ */

struct mapped_file *mapped_files_told(struct mapped_files *fs, uint64_t dev, uint64_t ino, const char *build_id,
				      const char *path)
{
	static const char deleted[] = " (deleted)";
	size_t len = strlen(path), tail = sizeof(deleted) - 1;
	struct mapped_file *f;

	if (len > tail && !strcmp(path + len - tail, deleted))
		len -= tail;
	for (size_t i = 0; i < fs->n; i++) {
		f = fs->v[i];
		if (f->dev == dev && f->ino == ino && f->path && !strcmp(f->build_id, build_id) &&
		    !strncmp(f->path, path, len) && !f->path[len])
			return f;
	}
	f = add(fs, dev, ino);
	snprintf(f->build_id, sizeof(f->build_id), "%s", build_id);
	f->path = xstrndup(path, len);
	return f;
}

bool mapped_files_many(const struct mapped_files *fs)
{
	return fs->n >= MANY;
}

const char *mapped_file_build_id(const struct mapped_file *f)
{
	return f->build_id;
}

const char *mapped_file_name(const struct mapped_file *f)
{
	const char *slash = strrchr(f->path, '/');

	return slash ? slash + 1 : f->path;
}

/* A copy of f that was read before, by its build-id. */
static struct mapped_file *read_before(const struct mapped_files *fs, const struct mapped_file *f)
{
	for (size_t i = 0; *f->build_id && i < fs->n; i++)
		if (fs->v[i]->same == fs->v[i] && !fs->v[i]->never && !strcmp(fs->v[i]->build_id, f->build_id))
			return fs->v[i];
	return NULL;
}

/* The file, or the copy of it that was read; NULL: none was found. */
static struct mapped_file *read_of(struct mapped_files *fs, struct mapped_file *f, int32_t pid, uint64_t start,
					 uint64_t end)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC);

	if (!f->same && (!f->looked || (fs->live && now - f->looked > LOOK_AGAIN))) {
		f->same = read_before(fs, f);
		if (!f->same)
			ask(fs, f, f->path, pid, start, end);
	}
	return f->same;
}

struct symtab *mapped_file_symbols(struct mapped_files *fs, struct mapped_file *f, int32_t pid,
					 uint64_t start, uint64_t end)
{
	struct mapped_file *r = read_of(fs, f, pid, start, end);

	return r ? &r->t : NULL;
}

const struct unwind_table *mapped_file_unwind(struct mapped_files *fs, struct mapped_file *f, int32_t pid,
					      uint64_t start, uint64_t end)
{
	const struct mapped_file *r = read_of(fs, f, pid, start, end);

	return r ? r->unwind : NULL;
}
