// SPDX-License-Identifier: GPL-2.0-only
/*
 * Names for addresses of processes: finds the file that is mapped there, and its symbol. Files are opened
 * through the mapping itself, so it does no harm if the path was deleted or means another file in the
 * container.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>
#include "symbols/symbols.h"

#define TASKS_MAX	4096	/* with more tasks, all are forgotten at once */
#define LOOK_AGAIN	(NSEC_PER_SEC / 2)	/* read a task's maps again after this time, for new mappings */

struct file {
	uint64_t dev, ino;
	struct symtab t;
};

struct map {
	uint64_t start, end, offset;
	char *name;		/* last part of the path */
	struct file *file;
};

struct task {
	int32_t tid;
	uint64_t looked;
	struct map *v;
	size_t n;
};

struct user_maps {
	struct task **tasks;	/* by tid */
	size_t ntasks;
	struct file **files;
	size_t nfiles;
};

struct user_maps *user_maps_new(void)
{
	return xcalloc(1, sizeof(struct user_maps));
}

static void clear(struct task *k)
{
	for (size_t i = 0; i < k->n; i++)
		free(k->v[i].name);
	free(k->v);
	k->v = NULL;
	k->n = 0;
}

static void forget_all(struct user_maps *m)
{
	for (size_t i = 0; i < m->ntasks; i++) {
		clear(m->tasks[i]);
		free(m->tasks[i]);
	}
	m->ntasks = 0;
}

void user_maps_free(struct user_maps *m)
{
	if (!m)
		return;
	forget_all(m);
	free(m->tasks);
	for (size_t i = 0; i < m->nfiles; i++) {
		symtab_free(&m->files[i]->t);
		free(m->files[i]);
	}
	free(m->files);
	free(m);
}

/* The index of tid, or the one where it would be inserted. */
static size_t place(const struct user_maps *m, int32_t tid)
{
	size_t lo = 0, hi = m->ntasks;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (m->tasks[mid]->tid < tid)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

void user_maps_forget(struct user_maps *m, int32_t tid)
{
	size_t i = place(m, tid);

	if (i < m->ntasks && m->tasks[i]->tid == tid) {
		clear(m->tasks[i]);
		m->tasks[i]->looked = 0;
	}
}

/*
 * Opens the file that is mapped there. Before 4.3 only a kernel built with checkpoint/restore has map_files.
 * Without it, opens the file that has the name now, but only if it is still the same file; this is checked
 * before it is opened for reading.
 */
static int open_mapped(int32_t tid, const struct map *map, const char *name, uint64_t dev, uint64_t ino)
{
	/* map_files has no leading zeros, maps may have */
	char *path = xasprintf("/proc/%d/map_files/%llx-%llx", tid, (unsigned long long)map->start,
			       (unsigned long long)map->end);
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY), named;
	struct stat st;

	free(path);
	if (fd >= 0)
		return fd;
	path = xasprintf("/proc/%d/root%s", tid, name);
	named = open(path, O_PATH | O_CLOEXEC);
	free(path);
	if (named < 0)
		return -1;
	if (!fstat(named, &st) && S_ISREG(st.st_mode) && st.st_ino == ino && st.st_dev == dev) {
		path = xasprintf("/proc/self/fd/%d", named);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		free(path);
	}
	close(named);
	return fd;
}

static struct file *file_of(struct user_maps *m, int32_t tid, const struct map *map, const char *name,
			    uint64_t dev, uint64_t ino)
{
	struct file *f;
	struct stat st;
	int fd;

	for (size_t i = 0; i < m->nfiles; i++)
		if (m->files[i]->dev == dev && m->files[i]->ino == ino)
			return m->files[i];
	fd = open_mapped(tid, map, name, dev, ino);
	/* no permission, or the process has gone: the next process that maps the file may let us open it */
	if (fd < 0)
		return NULL;
	f = xcalloc(1, sizeof(*f));
	f->dev = dev;
	f->ino = ino;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode))
		symtab_read_elf(&f->t, fd);
	close(fd);
	m->files = xrealloc(m->files, (m->nfiles + 1) * sizeof(m->files[0]));
	m->files[m->nfiles++] = f;
	return f;
}

/* Adds a line of maps, if executable: "7f12-7f13 r-xp 00001000 08:01 1234   /usr/lib/libc.so.6" */
static void add_map(struct user_maps *m, struct task *k, char *line)
{
	unsigned long long start, end, offset, ino;
	unsigned int maj, min;
	char perms[8], *full, *name;
	int at = 0;

	if (sscanf(line, "%llx-%llx %7s %llx %x:%x %llu %n", &start, &end, perms, &offset, &maj,
		   &min, &ino, &at) != 7 || perms[2] != 'x')
		return;
	line[strcspn(line, "\n")] = '\0';
	if (!line[at])
		return;
	full = line + at;
	name = strrchr(full, '/');
	name = name ? name + 1 : full;
	k->v = xrealloc(k->v, (k->n + 1) * sizeof(k->v[0]));
	k->v[k->n++] = (struct map){
		.start = start, .end = end, .offset = offset,
		.name = xstrndup(name, strcspn(name, " ")),
	};
	if (ino)
		k->v[k->n - 1].file = file_of(m, k->tid, &k->v[k->n - 1], full, makedev(maj, min), ino);
}

static void look(struct user_maps *m, struct task *k)
{
	char *path = xasprintf("/proc/%d/maps", k->tid), *line = NULL;
	FILE *f = fopen(path, "re");
	size_t cap = 0;

	free(path);
	k->looked = clock_ns(CLOCK_MONOTONIC);
	/* the task has gone: keep what was known of it */
	if (!f)
		return;
	if (getline(&line, &cap, f) > 0) {
		clear(k);
		do
			add_map(m, k, line);
		while (getline(&line, &cap, f) > 0);
	}
	free(line);
	fclose(f);
}

static const struct map *find(const struct task *k, uint64_t addr)
{
	for (size_t i = 0; i < k->n; i++)
		if (addr >= k->v[i].start && addr < k->v[i].end)
			return &k->v[i];
	return NULL;
}

static struct task *task_of(struct user_maps *m, int32_t tid)
{
	size_t i = place(m, tid);
	struct task *k;

	if (i < m->ntasks && m->tasks[i]->tid == tid)
		return m->tasks[i];
	if (m->ntasks == TASKS_MAX) {
		forget_all(m);
		i = 0;
	}
	k = xcalloc(1, sizeof(*k));
	k->tid = tid;
	m->tasks = xrealloc(m->tasks, (m->ntasks + 1) * sizeof(m->tasks[0]));
	memmove(&m->tasks[i + 1], &m->tasks[i], (m->ntasks - i) * sizeof(m->tasks[0]));
	m->tasks[i] = k;
	m->ntasks++;
	return k;
}

bool user_maps_name(struct user_maps *m, int32_t tid, uint64_t addr, bool exact, struct sbuf *b)
{
	struct task *k = task_of(m, tid);
	const struct map *map = find(k, addr);
	const struct symbol *s;
	uint64_t at;

	if (!map && (!k->looked || clock_ns(CLOCK_MONOTONIC) - k->looked > LOOK_AGAIN)) {
		look(m, k);
		map = find(k, addr);
	}
	if (!map)
		return false;
	at = addr - map->start + map->offset;
	s = map->file ? symtab_find(&map->file->t, exact ? at : at - 1) : NULL;
	if (s) {
		sbuf_clean(b, symtab_name(&map->file->t, s));
		sbuf_printf(b, "+0x%llx [", (unsigned long long)(at - s->addr));
		sbuf_clean(b, map->name);
		sbuf_putc(b, ']');
	} else {
		sbuf_clean(b, map->name);
		sbuf_printf(b, "+0x%llx", (unsigned long long)at);
	}
	return true;
}
