// SPDX-License-Identifier: GPL-2.0-only
/*
 * Facts that only files have: memory and its limit, processes and threads. Opening files costs far more than
 * adding up rows, so each interval reads the files of the containers that are shown first, and of some others
 * in turn.
 */
#include <ctype.h>
#include <dirent.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "top/top.h"

static void read_container(const struct top *t, struct top_line *l)
{
	const struct centry *e = ctable_find(t->view->run.ctable, l->key.cid);
	uint64_t n;

	l->read = t->interval;
	if (!e || l->gone || *l->key.by)
		return;
	l->memory = cgroup_memory_used(t->files, &e->c, &n) ? (int64_t)n : -1;
	l->limit = l->memory >= 0 && cgroup_memory_limit(t->files, &e->c, &n) ? (int64_t)n : -1;
	l->threads = cgroup_threads(t->files, &e->c, &n) ? (int64_t)n : -1;
	l->procs = cgroup_processes(t->files, &e->c, NULL, &n) ? (int64_t)n : -1;
}

void top_facts_read(struct top *t, size_t first, bool all)
{
	struct top_lines *l = &t->lines;
	size_t others = TOP_FACTS;

	for (size_t i = 0; i < l->n && (i < first || all); i++)
		read_container(t, l->v[i]);
	/* a container that has just come */
	for (size_t i = 0; i < l->n && others; i++)
		if (!l->v[i]->read) {
			read_container(t, l->v[i]);
			others--;
		}
	for (size_t i = 0; i < l->n && others; i++, others--) {
		struct top_line *line;

		t->turn = t->turn + 1 < l->n ? t->turn + 1 : 0;
		line = l->v[t->turn];
		if (line->read != t->interval)
			read_container(t, line);
	}
}

/* --- processes and threads ----------------------------------------------------------- */

/* The number of threads, the memory in bytes, and the name. */
static bool read_task(const char *dir, struct top_line *l)
{
	char *path = xasprintf("%s/stat", dir), *text = read_file(path, NULL), *name = NULL, *end = NULL;
	int64_t threads, pages;
	bool yes = false;

	free(path);
	if (text) {
		/* the name may have brackets, too */
		name = strchr(text, '(');
		end = strrchr(text, ')');
	}
	if (name && end && name < end &&
	    sscanf(end + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %" SCNd64
		   " %*d %*u %*u %" SCNd64, &threads, &pages) == 2) {
		l->threads = threads;
		l->memory = pages * sysconf(_SC_PAGESIZE);
		memset(l->comm, 0, sizeof(l->comm));
		memcpy(l->comm, name + 1, (size_t)(end - name - 1) < sizeof(l->comm) ?
		       (size_t)(end - name - 1) : sizeof(l->comm));
		yes = true;
	}
	free(text);
	return yes;
}

bool top_facts_task(struct top_line *l)
{
	char dir[64];

	if (l->key.tid)
		snprintf(dir, sizeof(dir), "/proc/%d/task/%d", l->key.pid, l->key.tid);
	else
		snprintf(dir, sizeof(dir), "/proc/%d", l->key.pid);
	return read_task(dir, l);
}

struct found {
	struct top_lines *lines;
	uint32_t cid;
};

static void one_process(int32_t pid, void *arg)
{
	const struct found *f = arg;
	const struct top_key key = { .cid = f->cid, .pid = pid, .by = "" };
	struct top_line *line = top_line_get(f->lines, &key);

	line->there = true;
	line->gone = !top_facts_task(line);
}

void top_facts_processes(struct top *t, struct top_lines *l, uint32_t cid)
{
	const struct centry *e = ctable_find(t->view->run.ctable, cid);
	const struct cgroup_each each = { one_process, &(struct found){ l, cid } };
	uint64_t n;

	if (e)
		cgroup_processes(t->files, &e->c, &each, &n);
}

void top_facts_threads(struct top_lines *l, uint32_t cid, int32_t pid)
{
	struct dirent *e;
	char dir[32];
	DIR *d;

	snprintf(dir, sizeof(dir), "/proc/%d/task", pid);
	d = opendir(dir);
	while (d && (e = readdir(d))) {
		struct top_key key = { .cid = cid, .pid = pid, .by = "" };
		struct top_line *line;

		if (!isdigit((unsigned char)e->d_name[0]))
			continue;
		key.tid = atoi(e->d_name);
		line = top_line_get(l, &key);
		line->there = true;
		line->gone = !top_facts_task(line);
		line->threads = -1;
	}
	if (d)
		closedir(d);
}
