// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finds the files that processes have mapped, and reads them. While the process lives, a file is opened
 * through the mapping itself, so it does no harm if the path was deleted or means another file in the
 * container. Later, copies are looked for in other processes' roots, in the layers of images, and on this
 * machine. A copy counts only if it has the same build-id; or, without one, is the same file.
 *
 * All this runs in a process with a deadline, so each step first says which file system it may wait for
 * (base/foreign.h).
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>
#include "base/far.h"
#include "base/foreign.h"
#include "symbols/elf_open.h"
#include "symbols/symbols_far.h"
#include "symbols/symbols_tasks.h"
#include "symbols/unwind.h"

#define ROOTS_MAX	512			/* mount namespaces that are looked into */
#define OVERLAYFS	0x794c7630		/* OVERLAYFS_SUPER_MAGIC, which older headers lack */

static const struct root here = { "", "" };	/* this machine's */

int root_hold(struct held_root *h, struct root *root, int32_t pid)
{
	int fd;

	snprintf(h->name, sizeof(h->name), "/proc/%d/root", pid);
	root->name = h->name;
	root->at = h->at;
	far_at(h->name);
	far_touch(0);
	fd = open(h->name, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0)
		snprintf(h->at, sizeof(h->at), "/proc/self/fd/%d", fd);
	return fd;
}

void root_look(const struct root *root, const char *path)
{
	char *full = xasprintf("%s%s", root->name, path);

	far_at(full);
	free(full);
}

/* --- reading -------------------------------------------------------------------------- */

/* Reads what e has. False: it has another build-id. e is ours. */
static bool read_elf(const struct file_wanted *w, Elf *e, struct file_read *r, struct elf_facts *facts)
{
	bool is;

	symtab_read_elf(&r->t, e, facts);
	is = !*w->build_id || !strcmp(w->build_id, facts->build_id);
	if (is) {
		r->unwind = w->unwinds ? unwind_table_read(e) : NULL;
		memcpy(r->build_id, facts->build_id, sizeof(r->build_id));
	} else {
		symtab_free(&r->t);
	}
	elf_end(e);
	return is;
}

/*
 * Reads and closes the file, which lies at w->path below root, and its separate file of symbols. False: it
 * has another build-id, or is not an ELF file.
 */
static bool read_file_at(const struct file_wanted *w, int fd, const struct root *root, struct file_read *r)
{
	Elf *e = elf_open(fd);
	struct elf_facts facts;
	bool is = e && read_elf(w, e, r, &facts);

	/* before another file system is touched */
	foreign_close(fd);
	if (!is)
		return false;
	symtab_read_apart(&r->t, &facts, root, w->path);
	symtab_sort(&r->t);
	return true;
}

/* --- what a process has mapped ------------------------------------------------------------ */

static int open_mapping(const struct file_wanted *w, struct stat *st)
{
	/* map_files has no leading zeros, maps may have */
	char *path = xasprintf("/proc/%d/map_files/%llx-%llx", w->pid, (unsigned long long)w->start, (unsigned long long)w->end);
	int fd = foreign_open(path, w->dev, st);

	free(path);
	return fd;
}

/*
 * The file that is mapped there. Before 4.3 only a kernel built with checkpoint/restore has map_files.
 * Without it, the file that has the name now, but only if it is still the same file.
 */
static bool find_mapped(const struct file_wanted *w, struct file_read *r)
{
	struct held_root h;
	struct root root;
	struct stat st;
	int held = root_hold(&h, &root, w->pid), fd;

	/* no permission, or the process has gone */
	if (held < 0)
		return false;
	root_look(&root, w->path);
	fd = open_mapping(w, &st);
	if (fd < 0) {
		fd = foreign_open_in_root(root.at, w->path, &st);
		if (fd >= 0 && (st.st_ino != w->ino || st.st_dev != w->dev)) {
			foreign_close(fd);
			fd = -1;
		}
	}
	if (fd >= 0)
		read_file_at(w, fd, &root, r);
	close(held);
	return fd >= 0;
}

void maps_read(int32_t tid, size_t most, struct sbuf *b)
{
	char *path = xasprintf("/proc/%d/maps", tid), *line = NULL, perms[8];
	size_t cap = 0, n = 0;
	ssize_t len;
	FILE *f;

	far_at(path);
	/* whichever file system it waits for, it is not known */
	far_touch(0);
	f = fopen(path, "re");	/* the kernel's */
	while (f && n < MAPS_MAX && (len = getline(&line, &cap, f)) > 0) {
		if (!b->len)
			sbuf_putc(b, '\n');
		if (sscanf(line, "%*s %7s", perms) != 1 || perms[2] != 'x')
			continue;
		if (b->len + (size_t)len > most)
			break;
		sbuf_put(b, line, (size_t)len);
		n++;
	}
	free(line);
	free(path);
	if (f)
		fclose(f);
}

/* --- looking for a copy --------------------------------------------------------------- */

/* dev and ino of a layer's file are seen through overlayfs with another dev. */
static bool is_file(const struct file_wanted *w, int fd, const struct stat *st)
{
	struct statfs fs;

	return st->st_ino == w->ino &&
	       (st->st_dev == w->dev || (!fstatfs(fd, &fs) && (unsigned long)fs.f_type == OVERLAYFS));
}

/* Reads and closes the file, which was found below root, if it is the one, or a copy. */
static bool try(const struct file_wanted *w, int fd, const struct stat *st, const struct root *root, struct file_read *r)
{
	if (fd >= 0 && (*w->build_id || (w->live && is_file(w, fd, st))))
		return read_file_at(w, fd, root, r);
	foreign_close(fd);
	return false;
}

static bool try_in(const struct file_wanted *w, const struct root *root, struct file_read *r)
{
	struct stat st;

	root_look(root, w->path);
	return try(w, foreign_open_in_root(root->at, w->path, &st), &st, root, r);
}

/* In the process that has it mapped, if that lives. */
static bool try_process(const struct file_wanted *w, struct file_read *r)
{
	struct held_root h;
	struct root root;
	struct stat st;
	int held = root_hold(&h, &root, w->pid);
	bool found;

	if (held < 0)
		return false;
	root_look(&root, w->path);
	found = try(w, open_mapping(w, &st), &st, &root, r) || (*w->path == '/' && try_in(w, &root, r));
	close(held);
	return found;
}

/* The roots of all processes, each mount namespace once. */
static bool try_roots(const struct file_wanted *w, struct file_read *r)
{
	DIR *proc = opendir("/proc");	/* the kernel's */
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
				found = try_in(w, &(struct root){ path, path }, r);
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

static bool try_layers(const struct file_wanted *w, struct file_read *r)
{
	bool found = false;
	struct dirent *e;
	char *dir;
	DIR *d;

	for (size_t i = 0; i < ARRAY_SIZE(layers) && !found; i++) {
		far_at(layers[i].dir);
		d = foreign_dir(-1, layers[i].dir);
		while (d && !found && foreign_touch(dirfd(d)) && (e = readdir(d))) {
			if (e->d_name[0] == '.')
				continue;
			dir = xasprintf("%s/%s%s", layers[i].dir, e->d_name, layers[i].below);
			found = try_in(w, &(struct root){ dir, dir }, r);
			free(dir);
		}
		if (d)
			closedir(d);
	}
	return found;
}

static bool find_told(const struct file_wanted *w, struct file_read *r)
{
	struct elf_facts facts;
	Elf *e;

	if (!strcmp(w->path, VDSO)) {
		/* the same kernel's: by its build-id, or because it runs */
		e = *w->build_id || w->live ? elf_open_vdso() : NULL;
		if (!e || !read_elf(w, e, r, &facts))
			return false;
		symtab_read_apart(&r->t, &facts, &here, w->path);
		symtab_sort(&r->t);
		return true;
	}
	if (w->live && try_process(w, r))
		return true;
	/* on another machine, or after another boot, numbers of files mean nothing */
	if (*w->path != '/' || (!w->live && !*w->build_id))
		return false;
	return try_in(w, &here, r) || try_roots(w, r) || try_layers(w, r);
}

bool file_find(const struct file_wanted *w, struct file_read *r)
{
	return w->told ? find_told(w, r) : find_mapped(w, r);
}
