// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "names/cgroupfs.h"
#include "watch/config.h"
#include "watch/look.h"

#define TEXT_MAX	4096u	/* bytes of a file: cpu.stat has some 400 */

/* Pressure files in the order of PRESSURE_*. */
static const struct {
	const char *name;
	enum { IN_V2, IN_CPU, IN_MEMORY } in;
} files[LOOK_FILES] = {
	{ "cpu.pressure", IN_V2 }, { "memory.pressure", IN_V2 }, { "io.pressure", IN_V2 },
	{ "cpu.stat", IN_V2 }, { "memory.events", IN_V2 },
	{ "cpu.stat", IN_CPU }, { "memory.oom_control", IN_MEMORY }, { "memory.failcnt", IN_MEMORY },
};

void looks_init(struct looks *l)
{
	l->v2 = cgroup_root(NULL);
	l->cpu = cgroup_root("cpu");
	l->memory = cgroup_root("memory");
	l->files = cgroup_files_new();
}

static void free_looked(struct looked *x)
{
	look_files_free(&x->before);
	free(x);
}

void looks_free(struct looks *l)
{
	for (size_t i = 0; i < LOOK_BUCKETS; i++) {
		while (l->buckets[i]) {
			struct looked *x = l->buckets[i];

			l->buckets[i] = x->next;
			free_looked(x);
		}
	}
	cgroup_files_free(l->files);
	free(l->v2);
	free(l->cpu);
	free(l->memory);
}

struct looked *looks_find(const struct looks *l, uint32_t cid)
{
	struct looked *x = l->buckets[cid % LOOK_BUCKETS];

	while (x && x->cid != cid)
		x = x->next;
	return x;
}

struct looked *looks_get(struct looks *l, uint32_t cid)
{
	struct looked *x = looks_find(l, cid);

	if (x || l->n >= LOOK_MAX)
		return x;
	x = xcalloc(1, sizeof(*x));
	x->cid = cid;
	x->next = l->buckets[cid % LOOK_BUCKETS];
	l->buckets[cid % LOOK_BUCKETS] = x;
	l->n++;
	return x;
}

void looks_forget(struct looks *l, uint32_t cid)
{
	struct looked **at = &l->buckets[cid % LOOK_BUCKETS], *x;

	while (*at && (*at)->cid != cid)
		at = &(*at)->next;
	x = *at;
	if (!x)
		return;
	*at = x->next;
	l->n--;
	free_looked(x);
}

void look_files_free(struct look_files *f)
{
	for (size_t i = 0; i < LOOK_FILES; i++)
		free(f->text[i]);
	*f = (struct look_files){ 0 };
}

void look_files_read(const struct looks *l, const struct ctrace_container *c, struct look_files *f)
{
	const char *const roots[] = { [IN_V2] = l->v2, [IN_CPU] = l->cpu, [IN_MEMORY] = l->memory };

	look_files_free(f);
	/* the root cgroup's files are the machine's */
	if (c->cid == CTRACE_CID_HOST || c->path[0] != '/' || !c->path[1])
		return;
	f->time = clock_ns(CLOCK_MONOTONIC);
	for (size_t i = 0; i < LOOK_FILES; i++) {
		char *path;

		if (!roots[files[i].in])
			continue;
		path = xasprintf("%s%s/%s", roots[files[i].in], c->path, files[i].name);
		f->text[i] = read_upto(path, TEXT_MAX, NULL);
		free(path);
	}
}

void look_files_put(struct json *j, const char *key, const struct look_files *f)
{
	static const char *const v1[] = { [IN_V2] = "", [IN_CPU] = "cpu/", [IN_MEMORY] = "memory/" };

	json_open(j, key, '{');
	if (f->time)
		json_uint(j, "time", f->time);
	for (size_t i = 0; i < LOOK_FILES; i++) {
		char *name;

		if (!f->text[i])
			continue;
		name = xasprintf("%s%s", v1[files[i].in], files[i].name);
		json_str(j, name, f->text[i]);
		free(name);
	}
	json_close(j, '}');
}

bool look_pressure(const struct look_files *f, int resource, bool full, double *percent)
{
	const char *text = resource >= 0 && resource < PRESSURES ? f->text[resource] : NULL;
	const char *line = text ? strstr(text, full ? "full avg10=" : "some avg10=") : NULL;

	return line && sscanf(line + strlen("some avg10="), "%lf", percent) == 1;
}
