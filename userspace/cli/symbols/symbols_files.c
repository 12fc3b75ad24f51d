// SPDX-License-Identifier: GPL-2.0-only
/*
 * The files that processes have mapped, and their symbols. A file is opened through the mapping itself while the process
 * lives, so it does no harm if the path was deleted or means another file in the container. Later it is looked
 * for where a copy may be: in other processes' roots, in the layers of images, on this machine. What is found there
 * counts only if it has the same build-id; or, without one, is the same file.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>
#include "base/foreign.h"
#include "symbols/elf_open.h"
#include "symbols/symbols.h"
#include "symbols/unwind.h"

#define LOOK_AGAIN	(5 * NSEC_PER_SEC)	/* look again after this time for a file that was not found */
#define MANY		4096			/* files that are searched one by one */
#define TABLES_MAX	((size_t)256 << 20)	/* bytes of symbols and of tables for unwinding, of all files */
#define ROOTS_MAX	512			/* mount namespaces that are looked into */
#define OVERLAYFS	0x794c7630		/* OVERLAYFS_SUPER_MAGIC, which older headers lack */

struct mapped_file {
	uint64_t dev, ino;
	char build_id[BUILD_ID_TEXT];	/* "": none, or not known */
	char *path;			/* as the process saw it; NULL: it was open when we met it */
	uint64_t looked;		/* CLOCK_MONOTONIC, ns; 0: not yet */
	struct mapped_file *same;	/* the copy that was read, perhaps itself; NULL: none was found */
	struct symtab t;
	struct unwind_table *unwind;	/* NULL: the file has none, or nobody unwinds */
	size_t bytes;			/* of both, when they were read; 0, too, if they were dropped then */
	char *from;			/* where they were read */
};

struct mapped_files {
	bool live;		/* this machine is the one, and runs as it did when it was told of the files */
	bool unwinds;		/* files are read for unwinding, too */
	struct mapped_file **v;
	size_t n;
	size_t bytes;		/* of all tables */
	char *cut;		/* the first file whose symbols were left out in part; NULL: none */
	char *dropped;		/* the first one that was dropped */
	size_t ncut, ndropped;
};

struct mapped_files *mapped_files_new(bool live, bool unwinds)
{
	struct mapped_files *fs = xcalloc(1, sizeof(*fs));

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

/* --- opening ------------------------------------------------------------------------- */

static char *map_files_path(int32_t tid, uint64_t start, uint64_t end)
{
	/* map_files has no leading zeros, maps may have */
	return xasprintf("/proc/%d/map_files/%llx-%llx", tid, (unsigned long long)start, (unsigned long long)end);
}

/* A process may end while its file is read. Its root, once opened, stays: here is a path to it. Close what it returns. */
static int hold_root(int32_t tid, char path[32])
{
	int fd;

	snprintf(path, 32, "/proc/%d/root", tid);
	fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0)
		snprintf(path, 32, "/proc/self/fd/%d", fd);
	return fd;
}

/*
 * Opens the file that is mapped there. Before 4.3 only a kernel built with checkpoint/restore has map_files.
 * Without it, opens the file that has the name now, but only if it is still the same file.
 */
static int open_mapped(int32_t tid, const char *root, uint64_t start, uint64_t end, const char *name, uint64_t dev, uint64_t ino)
{
	char *path = map_files_path(tid, start, end);
	struct stat st;
	int fd = foreign_open(path, &st);

	free(path);
	if (fd >= 0)
		return fd;
	fd = foreign_open_in_root(root, name, &st);
	if (fd >= 0 && (st.st_ino != ino || st.st_dev != dev)) {
		close(fd);
		fd = -1;
	}
	return fd;
}

/*
 * Those who have many mapped should not take the names of others' files: what goes is the largest table. It is not read
 * again, which would take its time each time.
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

/*
 * Reads the file, which lies at path below root, and what has its symbols apart. False: it has not f's build-id, or is no
 * ELF file, and e is NULL. e is ours.
 */
static bool read_symbols(struct mapped_files *fs, struct mapped_file *f, Elf *e, const char *root, const char *path)
{
	struct symtab t = { 0 };
	struct elf_facts facts;
	bool is;

	if (!e)
		return false;
	symtab_read_elf(&t, e, &facts);
	is = !*f->build_id || !strcmp(f->build_id, facts.build_id);
	if (is) {
		symtab_read_apart(&t, &facts, root, path);
		symtab_sort(&t);
		f->t = t;
		f->unwind = fs->unwinds ? unwind_table_read(e) : NULL;
		f->same = f;
		count(fs, f, path);
		if (!f->path)
			memcpy(f->build_id, facts.build_id, sizeof(f->build_id));
	} else {
		symtab_free(&t);
	}
	elf_end(e);
	return is;
}

struct mapped_file *mapped_files_open(struct mapped_files *fs, int32_t tid, uint64_t start, uint64_t end,
				      const char *name, uint64_t dev, uint64_t ino)
{
	struct mapped_file *f;
	char root[32];
	struct stat st;
	int fd, held;

	for (size_t i = 0; i < fs->n; i++)
		if (!fs->v[i]->path && fs->v[i]->dev == dev && fs->v[i]->ino == ino)
			return fs->v[i];
	held = hold_root(tid, root);
	/* no permission, or the process has gone: the next process that maps the file may let us open it */
	if (held < 0)
		return NULL;
	fd = open_mapped(tid, root, start, end, name, dev, ino);
	f = fd >= 0 ? add(fs, dev, ino) : NULL;
	if (f) {
		f->same = f;
		if (!fstat(fd, &st) && S_ISREG(st.st_mode))
			read_symbols(fs, f, elf_open(fd), root, name);
		close(fd);
	}
	close(held);
	return f;
}

/* --- looking for a copy --------------------------------------------------------------- */

/* dev and ino of a layer's file are seen through overlayfs with another dev. */
static bool is_file(const struct mapped_file *f, int fd, const struct stat *st)
{
	struct statfs fs;

	return st->st_ino == f->ino &&
	       (st->st_dev == f->dev || (!fstatfs(fd, &fs) && (unsigned long)fs.f_type == OVERLAYFS));
}

/* Reads and closes the file, which was found below root, if it is the one, or a copy. */
static bool try(struct mapped_files *fs, struct mapped_file *f, int fd, const struct stat *st, const char *root)
{
	bool is = fd >= 0 && (*f->build_id || (fs->live && is_file(f, fd, st))) &&
		  read_symbols(fs, f, elf_open(fd), root, f->path);

	if (fd >= 0)
		close(fd);
	return is;
}

static bool try_in(struct mapped_files *fs, struct mapped_file *f, const char *dir, const char *below)
{
	char *root = xasprintf("%s%s", dir, below);
	struct stat st;
	int fd = foreign_open_in_root(root, f->path, &st);
	bool found = try(fs, f, fd, &st, root);

	free(root);
	return found;
}

/* The roots of all processes, each mount namespace once. */
static bool try_roots(struct mapped_files *fs, struct mapped_file *f)
{
	DIR *proc = opendir("/proc");
	uint64_t seen[ROOTS_MAX];
	bool found = false;
	struct dirent *e;
	size_t n = 0, i;
	struct stat st;
	char *path;

	while (proc && !found && n < ROOTS_MAX && (e = readdir(proc))) {
		if (e->d_name[0] < '1' || e->d_name[0] > '9')
			continue;
		path = xasprintf("/proc/%s/ns/mnt", e->d_name);
		if (!stat(path, &st)) {
			for (i = 0; i < n && seen[i] != st.st_ino; i++)
				;
			if (i == n) {
				seen[n++] = st.st_ino;
				free(path);
				path = xasprintf("/proc/%s/root", e->d_name);
				found = try_in(fs, f, path, "");
			}
		}
		free(path);
	}
	if (proc)
		closedir(proc);
	return found;
}

/* Where runtimes keep the layers of images, and what lies below a layer's own directory. */
static const struct {
	const char *dir, *below;
} layers[] = {
	{ "/var/lib/containers/storage/overlay", "/diff" },
	{ "/var/lib/containers/storage/vfs/dir", "" },
	{ "/var/lib/docker/overlay2", "/diff" },
	{ "/var/lib/containerd/io.containerd.snapshotter.v1.overlayfs/snapshots", "/fs" },
};

static bool try_layers(struct mapped_files *fs, struct mapped_file *f)
{
	bool found = false;
	struct dirent *e;
	char *dir;
	DIR *d;

	for (size_t i = 0; i < ARRAY_SIZE(layers) && !found; i++) {
		d = foreign_dir(-1, layers[i].dir);
		while (d && !found && (e = readdir(d))) {
			if (e->d_name[0] == '.')
				continue;
			dir = xasprintf("%s/%s", layers[i].dir, e->d_name);
			found = try_in(fs, f, dir, layers[i].below);
			free(dir);
		}
		if (d)
			closedir(d);
	}
	return found;
}

static struct mapped_file *read_before(const struct mapped_files *fs, const struct mapped_file *f)
{
	for (size_t i = 0; *f->build_id && i < fs->n; i++)
		if (fs->v[i]->same == fs->v[i] && !strcmp(fs->v[i]->build_id, f->build_id))
			return fs->v[i];
	return NULL;
}

/* In the process that has it mapped, if that lives. */
static bool try_process(struct mapped_files *fs, struct mapped_file *f, int32_t pid, uint64_t start, uint64_t end)
{
	char *path, root[32];
	struct stat st;
	int held = hold_root(pid, root);
	bool found;

	if (held < 0)
		return false;
	path = map_files_path(pid, start, end);
	found = try(fs, f, foreign_open(path, &st), &st, root) || (*f->path == '/' && try_in(fs, f, root, ""));
	free(path);
	close(held);
	return found;
}

static void look_for(struct mapped_files *fs, struct mapped_file *f, int32_t pid, uint64_t start, uint64_t end)
{
	f->same = read_before(fs, f);
	if (!f->same && !strcmp(f->path, VDSO)) {
		/* the same kernel's: by its build-id, or because it runs */
		if (*f->build_id || fs->live)
			read_symbols(fs, f, elf_open_vdso(), "", f->path);
		return;
	}
	if (f->same || (fs->live && try_process(fs, f, pid, start, end)))
		return;
	/* on another machine, or after another boot, numbers of files mean nothing */
	if (*f->path != '/' || (!fs->live && !*f->build_id))
		return;
	if (!try_in(fs, f, "", "") && !try_roots(fs, f))
		try_layers(fs, f);
}

/* --- files that records tell of --------------------------------------------------------- */

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

/* The file, or the copy of it that was read; NULL: none was found. */
static struct mapped_file *read_of(struct mapped_files *fs, struct mapped_file *f, int32_t pid, uint64_t start,
					 uint64_t end)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC);

	if (!f->same && (!f->looked || (fs->live && now - f->looked > LOOK_AGAIN))) {
		look_for(fs, f, pid, start, end);
		f->looked = now;
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
