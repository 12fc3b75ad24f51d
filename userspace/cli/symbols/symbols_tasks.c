// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>
#include "symbols/symbols_tasks.h"

#define TASKS_MAX	32768	/* with more tasks, all are forgotten at once */
#define MAPS_ALL	(1u << 20)	/* mappings of all, which a process that forks may copy; 40 MiB */
#define PATHS_ALL	(64u << 20)	/* bytes of their names and paths */

/* --- mappings ------------------------------------------------------------------------ */

void maps_clear(struct tasks *ts, struct maps *v)
{
	ts->nmaps -= v->n;
	for (size_t i = 0; i < v->n; i++) {
		if (v->v[i].path)
			ts->bytes -= strlen(v->v[i].name) + strlen(v->v[i].path);
		free(v->v[i].name);
		free(v->v[i].path);
	}
	free(v->v);
	memset(v, 0, sizeof(*v));
}

struct map *maps_append(struct tasks *ts, struct maps *v)
{
	ts->nmaps++;
	if (v->n == v->cap) {
		v->cap = v->cap ? 2 * v->cap : 8;
		v->v = xrealloc(v->v, v->cap * sizeof(v->v[0]));
	}
	return &v->v[v->n++];
}

struct map *maps_append_path(struct tasks *ts, struct maps *v, const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	struct map *m = maps_append(ts, v);

	*m = (struct map){ .name = xstrndup(name, strcspn(name, " ")), .path = xstrdup(path) };
	ts->bytes += strlen(m->name) + strlen(m->path);
	return m;
}

void maps_tell(struct tasks *ts, struct maps *v, uint64_t start, uint64_t end, uint64_t offset, struct mapped_file *file)
{
	size_t n = 0;

	for (size_t i = v->n == MAPS_MAX ? MAPS_MAX / 2 : 0; i < v->n; i++)
		if (v->v[i].start < start || v->v[i].end > end)
			v->v[n++] = v->v[i];
	ts->nmaps -= v->n - n;
	v->n = n;
	*maps_append(ts, v) = (struct map){ .start = start, .end = end, .offset = offset, .file = file };
}

void maps_copy(struct tasks *ts, struct maps *to, const struct maps *from)
{
	maps_clear(ts, to);
	for (size_t i = 0; i < from->n; i++)
		*maps_append(ts, to) = from->v[i];
}

const struct map *maps_find(const struct maps *v, uint64_t addr)
{
	for (size_t i = v->n; i-- > 0;)
		if (addr >= v->v[i].start && addr < v->v[i].end)
			return &v->v[i];
	return NULL;
}

/* --- tasks --------------------------------------------------------------------------- */

void tasks_clear(struct tasks *ts)
{
	for (size_t i = 0; i < ts->n; i++) {
		maps_clear(ts, &ts->v[i]->told);
		maps_clear(ts, &ts->v[i]->seen);
		perf_map_free(&ts->v[i]->jit);
		free(ts->v[i]);
	}
	free(ts->v);
	memset(ts, 0, sizeof(*ts));
}

bool tasks_many(const struct tasks *ts)
{
	return ts->n + 3 > TASKS_MAX || ts->nmaps > MAPS_ALL || ts->bytes > PATHS_ALL;
}

/* The index of tid, or the one where it would be inserted. */
static size_t place(const struct tasks *ts, int32_t tid)
{
	size_t lo = 0, hi = ts->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (ts->v[mid]->tid < tid)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

struct task *task_known(const struct tasks *ts, int32_t tid)
{
	size_t i = place(ts, tid);

	return i < ts->n && ts->v[i]->tid == tid ? ts->v[i] : NULL;
}

struct task *task_of(struct tasks *ts, int32_t tid)
{
	size_t i = place(ts, tid);
	struct task *k;

	if (i < ts->n && ts->v[i]->tid == tid)
		return ts->v[i];
	k = xcalloc(1, sizeof(*k));
	k->tid = tid;
	ts->v = xrealloc(ts->v, (ts->n + 1) * sizeof(ts->v[0]));
	memmove(&ts->v[i + 1], &ts->v[i], (ts->n - i) * sizeof(ts->v[0]));
	ts->v[i] = k;
	ts->n++;
	return k;
}
