// SPDX-License-Identifier: GPL-2.0-only
/*
 * What processes have mapped where. Records of process_map tell it as it happens, so also of a process that is gone when
 * its stacks are read. Of processes that began before these records did, /proc tells it while they live.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <time.h>
#include "base/json.h"
#include "symbols/perf_map.h"
#include "symbols/symbols.h"

#define TASKS_MAX	32768	/* with more tasks, all are forgotten at once */
#define MAPS_MAX	8192	/* mappings of one process that records told; with more, the oldest are forgotten */
#define MAPS_ALL	(1u << 20)	/* mappings of all, which a process that forks may copy; 40 MiB */
#define TOLD_MAX	(256u << 20)	/* bytes that perf_map keeps of all processes; with more, all is forgotten */
#define SPENT_FREE	(5 * NSEC_PER_SEC)	/* time that reading perf_map's files may take; beyond, a quarter of all */
#define LOOK_AGAIN	(NSEC_PER_SEC / 2)	/* read a task's maps again after this time, for new mappings */

struct map {
	uint64_t start, end, offset;
	char *name;		/* last part of the path; NULL: the file knows it */
	char *path;		/* of what /proc told */
	struct mapped_file *file;
};

struct maps {
	struct map *v;
	size_t n, cap;
};

struct task {
	int32_t tid;
	int32_t pid;		/* its process, which has what was told; 0: itself */
	uint64_t looked;
	struct maps told, seen;	/* by records, in their order; in /proc */
	struct perf_map jit;	/* a process's */
};

struct user_maps {
	struct task **tasks;	/* by tid */
	size_t ntasks, nmaps;
	uint64_t began, spent;	/* when the first perf_map was looked for, and the time that reading them took */
	bool live, unwinds;
	struct mapped_files *files;
};

struct user_maps *user_maps_new(bool live)
{
	struct user_maps *m = xcalloc(1, sizeof(*m));

	m->live = live;
	m->files = mapped_files_new(live, false);
	return m;
}

static void clear(struct user_maps *m, struct maps *v)
{
	m->nmaps -= v->n;
	for (size_t i = 0; i < v->n; i++) {
		free(v->v[i].name);
		free(v->v[i].path);
	}
	free(v->v);
	memset(v, 0, sizeof(*v));
}

static struct map *append(struct user_maps *m, struct maps *v)
{
	m->nmaps++;
	if (v->n == v->cap) {
		v->cap = v->cap ? 2 * v->cap : 8;
		v->v = xrealloc(v->v, v->cap * sizeof(v->v[0]));
	}
	return &v->v[v->n++];
}

/* Tasks, and the files that they map. */
static void forget_all(struct user_maps *m)
{
	for (size_t i = 0; i < m->ntasks; i++) {
		clear(m, &m->tasks[i]->told);
		clear(m, &m->tasks[i]->seen);
		perf_map_free(&m->tasks[i]->jit);
		free(m->tasks[i]);
	}
	m->ntasks = 0;
	mapped_files_free(m->files);
	m->files = mapped_files_new(m->live, m->unwinds);
}

/* Call it first: what is found after it, up to three tasks, is not forgotten before the next time. */
static void forget_many(struct user_maps *m)
{
	if (m->ntasks + 3 > TASKS_MAX || m->nmaps > MAPS_ALL || mapped_files_many(m->files))
		forget_all(m);
}

void user_maps_free(struct user_maps *m)
{
	if (!m)
		return;
	forget_all(m);
	free(m->tasks);
	mapped_files_free(m->files);
	free(m);
}

void user_maps_unwind(struct user_maps *m)
{
	m->unwinds = true;
	mapped_files_unwind(m->files);
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
		clear(m, &m->tasks[i]->seen);
		m->tasks[i]->looked = 0;
		perf_map_free(&m->tasks[i]->jit);
	}
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
	*append(m, &k->seen) = (struct map){
		.start = start, .end = end, .offset = offset,
		.name = xstrndup(name, strcspn(name, " ")), .path = xstrdup(full),
		.file = ino ? mapped_files_open(m->files, k->tid, start, end, full, makedev(maj, min), ino) : NULL,
	};
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
		clear(m, &k->seen);
		do
			add_map(m, k, line);
		while (getline(&line, &cap, f) > 0);
	}
	free(line);
	fclose(f);
}

/* The newest one, if several were there one after the other. */
static const struct map *find(const struct maps *v, uint64_t addr)
{
	for (size_t i = v->n; i-- > 0;)
		if (addr >= v->v[i].start && addr < v->v[i].end)
			return &v->v[i];
	return NULL;
}

static struct task *task_of(struct user_maps *m, int32_t tid)
{
	size_t i = place(m, tid);
	struct task *k;

	if (i < m->ntasks && m->tasks[i]->tid == tid)
		return m->tasks[i];
	k = xcalloc(1, sizeof(*k));
	k->tid = tid;
	m->tasks = xrealloc(m->tasks, (m->ntasks + 1) * sizeof(m->tasks[0]));
	memmove(&m->tasks[i + 1], &m->tasks[i], (m->ntasks - i) * sizeof(m->tasks[0]));
	m->tasks[i] = k;
	m->ntasks++;
	return k;
}

/* --- records ------------------------------------------------------------------------ */

/* One thing is mapped in one place: what the new mapping covers is gone. */
static void tell(struct user_maps *m, struct maps *v, uint64_t start, uint64_t end, uint64_t offset, struct mapped_file *file)
{
	size_t n = 0;

	for (size_t i = v->n == MAPS_MAX ? MAPS_MAX / 2 : 0; i < v->n; i++)
		if (v->v[i].start < start || v->v[i].end > end)
			v->v[n++] = v->v[i];
	m->nmaps -= v->n - n;
	v->n = n;
	*append(m, v) = (struct map){ .start = start, .end = end, .offset = offset, .file = file };
}

static void copy(struct user_maps *m, struct maps *to, const struct maps *from)
{
	clear(m, to);
	for (size_t i = 0; i < from->n; i++)
		*append(m, to) = from->v[i];
}

static uint64_t number(const struct ctrace_value *v, int n, const char *name)
{
	for (int i = 0; i < n; i++)
		if (!strcmp(v[i].field->name, name))
			return v[i].field->kind == CTRACE_FK_UINT || v[i].field->kind == CTRACE_FK_INT ? v[i].u : 0;
	return 0;
}

static char *text(const struct ctrace_value *v, int n, const char *name)
{
	for (int i = 0; i < n; i++)
		if (!strcmp(v[i].field->name, name) && v[i].field->kind == CTRACE_FK_STRING)
			return xstrndup(v[i].str.s, v[i].str.len);
	return xstrdup("");
}

void user_maps_learn(struct user_maps *m, const struct ctrace_event_type *t, const struct ctrace_record *rec)
{
	struct ctrace_value v[FIELDS_MAX];
	int n = t ? ctrace_decode(t, rec, v, FIELDS_MAX) : 0;
	char *build_id, *path;
	int32_t pid, parent;
	uint64_t start, end, dev;
	struct task *k;

	if (n <= 0)
		return;
	pid = (int32_t)number(v, n, "pid");
	parent = (int32_t)number(v, n, "parent");
	start = number(v, n, "start");
	end = number(v, n, "end");
	dev = number(v, n, "dev");
	if (pid <= 0)
		return;
	forget_many(m);
	task_of(m, rec->tid)->pid = pid;
	k = task_of(m, pid);
	k->pid = pid;
	if (start < end) {
		if (number(v, n, "first")) {
			clear(m, &k->told);
			perf_map_free(&k->jit);
		}
		build_id = text(v, n, "build_id");
		path = text(v, n, "filename");
		tell(m, &k->told, start, end, number(v, n, "offset"),
		     mapped_files_told(m->files, makedev(dev >> 20, dev & 0xfffff), number(v, n, "ino"), build_id, path));
		free(build_id);
		free(path);
	} else if (parent != pid) {
		clear(m, &k->seen);
		k->looked = 0;
		perf_map_free(&k->jit);
		if (parent > 0)
			copy(m, &k->told, &task_of(m, parent)->told);
		else
			clear(m, &k->told);
	}
}

/* --- recordings ---------------------------------------------------------------------- */

void user_maps_note(struct user_maps *m, int32_t tid)
{
	struct task *k, *process;

	forget_many(m);
	k = task_of(m, tid);
	process = k->pid ? task_of(m, k->pid) : k;
	if (!process->told.n && !k->looked)
		look(m, k);
}

void user_maps_save(const struct user_maps *m, struct json *j)
{
	for (size_t i = 0; i < m->ntasks; i++) {
		const struct maps *v = &m->tasks[i]->seen;

		for (size_t n = 0; n < v->n; n++) {
			const struct map *map = &v->v[n];

			if (!map->file || !*mapped_file_build_id(map->file))
				continue;
			json_open(j, NULL, '{');
			json_int(j, "tid", m->tasks[i]->tid);
			json_uint(j, "start", map->start);
			json_uint(j, "end", map->end);
			json_uint(j, "offset", map->offset);
			json_str(j, "build_id", mapped_file_build_id(map->file));
			json_str(j, "path", map->path);
			json_close(j, '}');
		}
	}
}

void user_maps_load(struct user_maps *m, int32_t tid, uint64_t start, uint64_t end, uint64_t offset, const char *build_id,
		    const char *path)
{
	forget_many(m);
	if (tid <= 0 || start >= end || !*build_id)
		return;
	*append(m, &task_of(m, tid)->seen) = (struct map){
		.start = start, .end = end, .offset = offset, .file = mapped_files_told(m->files, 0, 0, build_id, path),
	};
}

/* --- names -------------------------------------------------------------------------- */

static const struct map *find_seen(struct user_maps *m, struct task *k, uint64_t addr)
{
	const struct map *map = find(&k->seen, addr);

	if (!map && m->live && (!k->looked || clock_ns(CLOCK_MONOTONIC) - k->looked > LOOK_AGAIN)) {
		look(m, k);
		map = find(&k->seen, addr);
	}
	return map;
}

/* Before a map is read: those of all processes have room for it. */
static void make_room(struct user_maps *m)
{
	size_t bytes = 0;

	for (size_t i = 0; i < m->ntasks; i++)
		bytes += perf_map_bytes(&m->tasks[i]->jit);
	for (size_t i = 0; bytes > TOLD_MAX && i < m->ntasks; i++)
		perf_map_free(&m->tasks[i]->jit);
}

/* The function at addr that the process compiled itself, by what it tells. Its names are in *t. */
static const struct symbol *find_compiled(struct user_maps *m, struct task *k, uint64_t addr, struct symtab **t)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC);
	struct task *process;

	/* asked once: it may not be known */
	if (m->live && !k->pid)
		k->pid = perf_map_process(k->tid);
	if (!k->pid)
		k->pid = k->tid;
	process = task_of(m, k->pid);
	if (!m->began)
		m->began = now;
	if (m->live && m->spent < SPENT_FREE + (now - m->began) / 4 && perf_map_look(&process->jit, process->tid)) {
		m->spent += clock_ns(CLOCK_MONOTONIC) - now;
		make_room(m);
	}
	*t = &process->jit.t;
	return symtab_find(*t, addr);
}

/* What the task has mapped there. *pid: its process. */
static const struct map *mapped(struct user_maps *m, int32_t tid, uint64_t addr, int32_t *pid)
{
	struct task *k, *process;
	const struct map *map;

	forget_many(m);
	k = task_of(m, tid);
	process = k->pid ? task_of(m, k->pid) : k;
	*pid = process->tid;
	map = find(&process->told, addr);
	return map ? map : find_seen(m, k, addr);
}

const struct unwind_table *user_maps_table(struct user_maps *m, int32_t tid, uint64_t addr, uint64_t *at)
{
	const struct map *map;
	int32_t pid;

	map = mapped(m, tid, addr, &pid);
	if (!map || !map->file)
		return NULL;
	*at = addr - map->start + map->offset;
	return mapped_file_unwind(m->files, map->file, pid, map->start, map->end);
}

bool user_maps_name(struct user_maps *m, int32_t tid, uint64_t addr, bool exact, struct sbuf *b)
{
	struct symtab *t = NULL;
	const struct symbol *s;
	const struct map *map;
	const char *name;
	int32_t pid;
	uint64_t at;

	map = mapped(m, tid, addr, &pid);
	at = map ? addr - map->start + map->offset : addr;
	if (map && map->file)
		t = mapped_file_symbols(m->files, map->file, pid, map->start, map->end);
	s = t ? symtab_find(t, exact ? at : at - 1) : NULL;
	name = map ? map->name ? map->name : mapped_file_name(map->file) : NULL;
	if (!s) {
		s = find_compiled(m, task_of(m, tid), exact ? addr : addr - 1, &t);
		if (s) {
			at = addr;
			name = "jit";
		}
	}
	if (s) {
		sbuf_clean(b, symtab_shown(t, s));
		sbuf_printf(b, "+0x%llx [", (unsigned long long)(at - s->addr));
		sbuf_clean(b, name);
		sbuf_putc(b, ']');
	} else if (map) {
		sbuf_clean(b, name);
		sbuf_printf(b, "+0x%llx", (unsigned long long)at);
	}
	return s || map;
}
