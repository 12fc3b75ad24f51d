// SPDX-License-Identifier: GPL-2.0-only
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/util.h"
#include "names/processes.h"

/* One process in one hierarchy. */
struct place {
	uint32_t hierarchy;
	char *path;
};

struct processes {
	struct place *v;	/* in order of hierarchy and path */
	size_t n, cap;
	ino_t *pidns;		/* the namespace of each process, in order */
	size_t npidns, pidns_cap;
};

/*
 * Are we in the machine's first namespace of this kind, whose number is the same on every kernel (proc_ns.h)?
 */
static bool first_ns(const char *kind, unsigned int number)
{
	char *path = xasprintf("/proc/self/ns/%s", kind), *first = xasprintf("%s:[%u]", kind, number);
	char is[64] = "";
	bool yes = readlink(path, is, sizeof(is) - 1) < 0 ? errno == ENOENT : !strcmp(is, first);

	free(path);
	free(first);
	return yes;
}

static void add(struct processes *p, uint32_t hierarchy, const char *path, size_t len)
{
	if (p->n == p->cap) {
		p->cap = p->cap ? 2 * p->cap : 256;
		p->v = xrealloc(p->v, p->cap * sizeof(p->v[0]));
	}
	p->v[p->n++] = (struct place){ hierarchy, xstrndup(path, len) };
}

/* Each line of /proc/PID/cgroup is HIERARCHY:CONTROLLERS:PATH. */
static void add_process(struct processes *p, const char *pid)
{
	char *file = xasprintf("/proc/%s/cgroup", pid), *text = read_file(file, NULL), *line, *end, *path;
	unsigned long hierarchy;

	free(file);
	for (line = text; line && *line; line = end + (*end == '\n')) {
		end = line + strcspn(line, "\n");
		hierarchy = strtoul(line, &path, 10);
		path = *path == ':' ? strchr(path + 1, ':') : NULL;
		if (path && path < end)
			add(p, (uint32_t)hierarchy, path + 1, (size_t)(end - path - 1));
	}
	free(text);
}

static void add_pidns(struct processes *p, const char *pid)
{
	char *file = xasprintf("/proc/%s/ns/pid", pid);
	struct stat st;

	if (!stat(file, &st)) {
		if (p->npidns == p->pidns_cap) {
			p->pidns_cap = p->pidns_cap ? 2 * p->pidns_cap : 256;
			p->pidns = xrealloc(p->pidns, p->pidns_cap * sizeof(p->pidns[0]));
		}
		p->pidns[p->npidns++] = st.st_ino;
	}
	free(file);
}

static int by_number(const void *a, const void *b)
{
	ino_t x = *(const ino_t *)a, y = *(const ino_t *)b;

	return x < y ? -1 : x > y;
}

static int in_order(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->hierarchy != y->hierarchy)
		return x->hierarchy < y->hierarchy ? -1 : 1;
	return strcmp(x->path, y->path);
}

struct processes *processes_read(void)
{
	struct processes *p;
	struct dirent *e;
	DIR *d;

	if (!first_ns("cgroup", 0xeffffffb) || !first_ns("pid", 0xeffffffc))
		return NULL;
	d = opendir("/proc");
	if (!d)
		return NULL;
	p = xcalloc(1, sizeof(*p));
	while ((e = readdir(d))) {
		if (e->d_name[0] < '1' || e->d_name[0] > '9')
			continue;
		add_process(p, e->d_name);
		add_pidns(p, e->d_name);
	}
	closedir(d);
	if (p->npidns)
		qsort(p->pidns, p->npidns, sizeof(p->pidns[0]), by_number);
	if (p->n)
		qsort(p->v, p->n, sizeof(p->v[0]), in_order);
	return p;
}

void processes_free(struct processes *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->n; i++)
		free(p->v[i].path);
	free(p->v);
	free(p->pidns);
	free(p);
}

/* The first place that is not before path and then tail. */
static size_t from(const struct processes *p, uint32_t hierarchy, const char *path, const char *tail)
{
	size_t low = 0, high = p->n, len = strlen(path);

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		const struct place *at = &p->v[mid];
		int order = at->hierarchy < hierarchy ? -1 : at->hierarchy > hierarchy;

		if (!order)
			order = strncmp(at->path, path, len);
		if (!order)
			order = strcmp(at->path + len, tail);
		if (order < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static long in_pidns(const struct processes *p, ino_t number)
{
	size_t low = 0, high = p->npidns, n = 0;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (p->pidns[mid] < number)
			low = mid + 1;
		else
			high = mid;
	}
	while (low + n < p->npidns && p->pidns[low + n] == number)
		n++;
	return (long)n;
}

long processes_in(const struct processes *p, const struct ctrace_container *c)
{
	uint32_t h = c->hierarchy;
	size_t first;

	if (p && !c->cgroup_id && c->pidns)
		return in_pidns(p, c->pidns);
	if (!p || !c->cgroup_id || !c->path[0])
		return -ENOENT;
	if (!strcmp(c->path, "/"))
		return (long)(from(p, h + 1, "", "") - from(p, h, "", ""));
	first = from(p, h, c->path, "");
	/* most of very many containers may be empty: this is quick for them */
	if (first == p->n || p->v[first].hierarchy != h || strncmp(p->v[first].path, c->path, strlen(c->path)))
		return 0;
	/*
	 * Counts the processes in it and below it: a name such as web-2 sorts between web and web/. '0'
	 * follows '/'.
	 */
	return (long)(from(p, h, c->path, "\1") - first +
		      from(p, h, c->path, "0") - from(p, h, c->path, "/"));
}
