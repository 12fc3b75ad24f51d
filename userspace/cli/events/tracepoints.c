// SPDX-License-Identifier: GPL-2.0-only
/* Inside the kernel, a tracepoint has no system. Only the directories of tracefs show it. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include "events/tracepoints.h"
#include "base/util.h"

struct tracepoint {
	char *name;
	uint16_t system;	/* in systems */
};

struct tracepoints {
	struct tracepoint *v;	/* by name */
	size_t n;
	char **systems;
	size_t nsystems;
};

static const char *const mounts[] = {
	"/sys/kernel/tracing/events", "/sys/kernel/debug/tracing/events",
};

static void read_system(struct tracepoints *t, const char *dir, const char *system)
{
	char *path = xasprintf("%s/%s", dir, system);
	DIR *d = opendir(path);
	struct dirent *e;

	free(path);
	if (!d)
		return;
	t->systems = xrealloc(t->systems, (t->nsystems + 1) * sizeof(t->systems[0]));
	t->systems[t->nsystems] = xstrdup(system);
	while ((e = readdir(d))) {
		/* events are directories; enable and filter are files */
		if (e->d_name[0] == '.' || e->d_type == DT_REG)
			continue;
		/* the array is full if its length is a power of two: double it */
		if (!(t->n & (t->n - 1)))
			t->v = xrealloc(t->v, (t->n ? 2 * t->n : 1) * sizeof(t->v[0]));
		t->v[t->n++] = (struct tracepoint){ xstrdup(e->d_name), (uint16_t)t->nsystems };
	}
	t->nsystems++;
	closedir(d);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct tracepoint *)a)->name, ((const struct tracepoint *)b)->name);
}

struct tracepoints *tracepoints_new(void)
{
	struct tracepoints *t = xcalloc(1, sizeof(*t));
	struct dirent *e;
	DIR *d = NULL;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(mounts) && !d; i++)
		d = opendir(mounts[i]);
	while (d && (e = readdir(d)))
		/* the events of syscalls are made from sys_enter and sys_exit; they are no tracepoints */
		if (e->d_name[0] != '.' && e->d_type == DT_DIR && strcmp(e->d_name, "syscalls") &&
		    t->nsystems < UINT16_MAX)
			read_system(t, mounts[i - 1], e->d_name);
	if (d)
		closedir(d);
	if (t->n)
		qsort(t->v, t->n, sizeof(t->v[0]), by_name);
	return t;
}

void tracepoints_free(struct tracepoints *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->n; i++)
		free(t->v[i].name);
	for (size_t i = 0; i < t->nsystems; i++)
		free(t->systems[i]);
	free(t->v);
	free(t->systems);
	free(t);
}

const char *tracepoints_system(const struct tracepoints *t, const char *name)
{
	const struct tracepoint key = { .name = (char *)name }, *found;

	found = t->n ? bsearch(&key, t->v, t->n, sizeof(t->v[0]), by_name) : NULL;
	return found ? t->systems[found->system] : NULL;
}
