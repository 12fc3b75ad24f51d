// SPDX-License-Identifier: GPL-2.0-only
/*
 * The mappings of processes. Records of process_map report them as they are made, so also those of a process
 * that is gone when its stacks are read. Those of processes that began before the records did come from /proc
 * while they live.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <time.h>
#include "base/json.h"
#include "symbols/symbols_far.h"
#include "symbols/symbols_tasks.h"

/* bytes that perf_map keeps of all processes; with more, all is forgotten */
#define TOLD_MAX	(256u << 20)
/* time that reading perf_map's files may take; beyond, a quarter of all */
#define SPENT_FREE	(5 * NSEC_PER_SEC)
/* read a task's maps again after this time, for new mappings */
#define LOOK_AGAIN	(NSEC_PER_SEC / 2)

struct user_maps {
	struct tasks tasks;
	/* when the first perf_map was looked for, and the time that reading them took */
	uint64_t began, spent;
	bool live;
	char vdso[BUILD_ID_TEXT];	/* of the kernel that ran the tasks; "": not known */
	struct mapped_files *files;
	struct symbols_far *far;	/* reads files of others */
};

struct user_maps *user_maps_new(bool live)
{
	struct user_maps *m = xcalloc(1, sizeof(*m));

	m->live = live;
	if (live)
		vdso_build_id(m->vdso);
	m->far = symbols_far_new();
	m->files = mapped_files_new(m->far, live, false);
	return m;
}

/* Tasks, and the files that they map. */
static void forget_all(struct user_maps *m)
{
	tasks_clear(&m->tasks);
	mapped_files_clear(m->files);
}

/* Call it first: what is found after it, up to three tasks, is not forgotten before the next time. */
static void forget_many(struct user_maps *m)
{
	if (tasks_many(&m->tasks) || mapped_files_many(m->files))
		forget_all(m);
}

void user_maps_note_limits(const struct user_maps *m, struct sbuf *b)
{
	mapped_files_note(m->files, b);
	symbols_far_note(m->far, b);
}

void user_maps_free(struct user_maps *m)
{
	if (!m)
		return;
	tasks_clear(&m->tasks);
	mapped_files_free(m->files);
	symbols_far_free(m->far);
	free(m);
}

void user_maps_unwind(struct user_maps *m)
{
	mapped_files_unwind(m->files);
}

void user_maps_forget(struct user_maps *m, int32_t tid)
{
	struct task *k = task_known(&m->tasks, tid);

	if (k) {
		maps_clear(&m->tasks, &k->seen);
		k->looked = 0;
		k->late = false;
		perf_map_free(&k->jit);
	}
}

/* A 32-bit program has another vdso, and below 4 GiB. NULL: nothing is known of it. */
static struct mapped_file *vdso_at(struct user_maps *m, uint64_t start)
{
	return start >> 32 ? mapped_files_told(m->files, 0, 0, m->vdso, VDSO) : NULL;
}

/* Adds a line of maps, if executable: "7f12-7f13 r-xp 00001000 08:01 1234   /usr/lib/libc.so.6" */
static void add_map(struct user_maps *m, struct task *k, char *line)
{
	unsigned long long start, end, offset, ino;
	unsigned int maj, min;
	char perms[8];
	struct map *map;
	int at = 0;

	if (k->seen.n == MAPS_MAX || sscanf(line, "%llx-%llx %7s %llx %x:%x %llu %n", &start, &end, perms, &offset, &maj,
					    &min, &ino, &at) != 7 || perms[2] != 'x')
		return;
	if (!line[at])
		return;
	map = maps_append_path(&m->tasks, &k->seen, line + at);
	map->start = start;
	map->end = end;
	map->offset = offset;
	if (ino)
		map->file = mapped_files_open(m->files, k->tid, start, end, map->path, makedev(maj, min), ino);
	else if (!strcmp(map->path, VDSO))
		map->file = vdso_at(m, start);
}

static void look(struct user_maps *m, struct task *k)
{
	int32_t pid = k->pid ? k->pid : perf_map_process(k->tid);
	struct task *process = pid ? task_of(&m->tasks, pid) : k;
	struct sbuf text = { 0 };
	enum reading how;
	char *save = NULL;

	k->looked = clock_ns(CLOCK_MONOTONIC);
	if (process->late)
		return;
	how = symbols_far_maps(m->far, k->tid, &text);
	process->late = how == READING_NEVER;
	/* if the task has gone, what was known of it is kept */
	if (how == READING_DONE) {
		maps_clear(&m->tasks, &k->seen);
		for (char *l = strtok_r(text.s, "\n", &save); l; l = strtok_r(NULL, "\n", &save))
			add_map(m, k, l);
	}
	sbuf_free(&text);
}

/* --- records ------------------------------------------------------------------------ */

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
	uint64_t start, end, dev, ino;
	struct mapped_file *file;
	struct task *k;

	if (n <= 0)
		return;
	pid = (int32_t)number(v, n, "pid");
	parent = (int32_t)number(v, n, "parent");
	start = number(v, n, "start");
	end = number(v, n, "end");
	dev = number(v, n, "dev");
	ino = number(v, n, "ino");
	if (pid <= 0)
		return;
	forget_many(m);
	task_of(&m->tasks, rec->tid)->pid = pid;
	k = task_of(&m->tasks, pid);
	k->pid = pid;
	if (start < end) {
		if (number(v, n, "first")) {
			maps_clear(&m->tasks, &k->told);
			perf_map_free(&k->jit);
		}
		build_id = text(v, n, "build_id");
		path = text(v, n, "filename");
		if (!ino && !strcmp(path, VDSO))
			file = vdso_at(m, start);
		else
			file = mapped_files_told(m->files, makedev(dev >> 20, dev & 0xfffff), ino, build_id, path);
		if (file)
			maps_tell(&m->tasks, &k->told, start, end, number(v, n, "offset"), file);
		free(build_id);
		free(path);
	} else if (parent != pid) {
		user_maps_forget(m, pid);
		if (parent > 0)
			maps_copy(&m->tasks, &k->told, &task_of(&m->tasks, parent)->told);
		else
			maps_clear(&m->tasks, &k->told);
	}
}

/* --- recordings ---------------------------------------------------------------------- */

void user_maps_note(struct user_maps *m, int32_t tid)
{
	struct task *k, *process;

	forget_many(m);
	k = task_of(&m->tasks, tid);
	process = k->pid ? task_of(&m->tasks, k->pid) : k;
	if (!process->told.n && !k->looked)
		look(m, k);
}

void user_maps_save(const struct user_maps *m, struct json *j)
{
	for (size_t i = 0; i < m->tasks.n; i++) {
		const struct maps *v = &m->tasks.v[i]->seen;

		for (size_t n = 0; n < v->n; n++) {
			const struct map *map = &v->v[n];

			if (!map->file || !*mapped_file_build_id(map->file))
				continue;
			json_open(j, NULL, '{');
			json_int(j, "tid", m->tasks.v[i]->tid);
			json_uint(j, "start", map->start);
			json_uint(j, "end", map->end);
			json_uint(j, "offset", map->offset);
			json_str(j, "build_id", mapped_file_build_id(map->file));
			json_str(j, "path", map->path);
			json_close(j, '}');
		}
	}
}

const char *user_maps_vdso(const struct user_maps *m)
{
	return m->vdso;
}

void user_maps_load_vdso(struct user_maps *m, const char *build_id)
{
	snprintf(m->vdso, sizeof(m->vdso), "%s", build_id);
}

void user_maps_load(struct user_maps *m, int32_t tid, uint64_t start, uint64_t end, uint64_t offset, const char *build_id,
		    const char *path)
{
	forget_many(m);
	if (tid <= 0 || start >= end || !*build_id)
		return;
	*maps_append(&m->tasks, &task_of(&m->tasks, tid)->seen) = (struct map){
		.start = start, .end = end, .offset = offset, .file = mapped_files_told(m->files, 0, 0, build_id, path),
	};
}

/* --- names -------------------------------------------------------------------------- */

static const struct map *find_seen(struct user_maps *m, struct task *k, uint64_t addr)
{
	const struct map *map = maps_find(&k->seen, addr);

	if (!map && m->live && (!k->looked || clock_ns(CLOCK_MONOTONIC) - k->looked > LOOK_AGAIN)) {
		look(m, k);
		map = maps_find(&k->seen, addr);
	}
	return map;
}

/* Called before a map is read: frees maps of processes if all of them together take too much memory. */
static void make_room(struct user_maps *m)
{
	size_t bytes = 0;

	for (size_t i = 0; i < m->tasks.n; i++)
		bytes += perf_map_bytes(&m->tasks.v[i]->jit);
	for (size_t i = 0; bytes > TOLD_MAX && i < m->tasks.n; i++)
		perf_map_free(&m->tasks.v[i]->jit);
}

/* The function at addr that the process compiled itself, from its map. Its names are in *t. */
static const struct symbol *find_compiled(struct user_maps *m, struct task *k, uint64_t addr, struct symtab **t)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC);
	struct task *process;

	/* asked once: it may not be known */
	if (m->live && !k->pid)
		k->pid = perf_map_process(k->tid);
	if (!k->pid)
		k->pid = k->tid;
	process = task_of(&m->tasks, k->pid);
	if (!m->began)
		m->began = now;
	if (m->live && m->spent < SPENT_FREE + (now - m->began) / 4 && perf_map_look(&process->jit, m->far, process->tid)) {
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
	k = task_of(&m->tasks, tid);
	process = k->pid ? task_of(&m->tasks, k->pid) : k;
	*pid = process->tid;
	map = maps_find(&process->told, addr);
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
		s = find_compiled(m, task_of(&m->tasks, tid), exact ? addr : addr - 1, &t);
		if (s) {
			at = addr;
			name = "jit";
		}
	}
	if (s) {
		sbuf_clean(b, symtab_shown(t, s));
		/* names that the kernel gives to mappings without a file already have brackets */
		sbuf_printf(b, *name == '[' ? "+0x%llx " : "+0x%llx [", (unsigned long long)(at - s->addr));
		sbuf_clean(b, name);
		sbuf_puts(b, *name == '[' ? "" : "]");
	} else if (map) {
		sbuf_clean(b, name);
		sbuf_printf(b, "+0x%llx", (unsigned long long)at);
	}
	return s || map;
}
