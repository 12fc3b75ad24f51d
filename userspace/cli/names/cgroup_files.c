// SPDX-License-Identifier: GPL-2.0-only
#include <dirent.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "base/util.h"
#include "names/cgroup_files.h"
#include "names/cgroupfs.h"

#define NSEC_PER_USEC	1000ull
#define CGROUPS_BELOW	256u	/* of a container are looked at: it may make any number */

struct cgroup_files {
	char *v2, *cpu, *cpuacct, *memory, *pids, *freezer;	/* root directories of hierarchies, or NULL */
};

struct cgroup_files *cgroup_files_new(void)
{
	struct cgroup_files *f = xcalloc(1, sizeof(*f));

	f->v2 = cgroup_root(NULL);
	f->cpu = cgroup_root("cpu");
	f->cpuacct = cgroup_root("cpuacct");
	f->memory = cgroup_root("memory");
	f->pids = cgroup_root("pids");
	f->freezer = cgroup_root("freezer");
	return f;
}

void cgroup_files_free(struct cgroup_files *f)
{
	if (!f)
		return;
	free(f->v2);
	free(f->cpu);
	free(f->cpuacct);
	free(f->memory);
	free(f->pids);
	free(f->freezer);
	free(f);
}

/*
 * A runtime gives its container one path in all hierarchies. The root cgroup's files count the whole machine.
 */
static bool has_path(const struct ctrace_container *c)
{
	return c->cid != CTRACE_CID_HOST && c->cgroup_id && c->path[0] == '/' && c->path[1];
}

/* The container's file below root, which may be NULL. The caller frees the text; NULL: there is none. */
static char *text_of(const char *root, const struct ctrace_container *c, const char *name)
{
	char *path, *text;

	if (!root || !has_path(c))
		return NULL;
	path = xasprintf("%s%s/%s", root, c->path, name);
	text = read_file(path, NULL);
	free(path);
	return text;
}

/*
 * The first number in text; or, if there is a key, the one behind it at the beginning of a line. text may be
 * NULL.
 */
static bool number_in(const char *text, const char *key, uint64_t *v)
{
	size_t n = key ? strlen(key) : 0;

	while (n && text && strncmp(text, key, n)) {
		text = strchr(text, '\n');
		text = text ? text + 1 : NULL;
	}
	return text && sscanf(text + n, "%" SCNu64, v) == 1;
}

static bool number(const char *root, const struct ctrace_container *c, const char *name, const char *key, uint64_t *v)
{
	char *text = text_of(root, c, name);
	bool yes = number_in(text, key, v);

	free(text);
	return yes;
}

bool cgroup_cpu_used(const struct cgroup_files *f, const struct ctrace_container *c, uint64_t *ns)
{
	if (number(f->v2, c, "cpu.stat", "usage_usec ", ns)) {
		*ns *= NSEC_PER_USEC;
		return true;
	}
	return number(f->cpuacct, c, "cpuacct.usage", NULL, ns);
}

bool cgroup_memory_used(const struct cgroup_files *f, const struct ctrace_container *c, uint64_t *bytes)
{
	return number(f->v2, c, "memory.current", NULL, bytes) ||
	       number(f->memory, c, "memory.usage_in_bytes", NULL, bytes);
}

bool cgroup_memory_limit(const struct cgroup_files *f, const struct ctrace_container *c, uint64_t *bytes)
{
	/* v2 says "max" for none, v1 the largest number of bytes that makes whole pages */
	return (number(f->v2, c, "memory.max", NULL, bytes) ||
		number(f->memory, c, "memory.limit_in_bytes", NULL, bytes)) && *bytes < 1ull << 62;
}

/* Adds the lines of such a file in dir and in the cgroups below it. */
static bool count_lines(const char *dir, const char *file, const struct cgroup_each *each, uint64_t *n)
{
	char *path = xasprintf("%s/%s", dir, file), *text = read_file(path, NULL), *end;
	struct dirent *e;
	struct stat st;
	DIR *d;

	free(path);
	for (char *p = text; p && *p; p = *end ? end + 1 : end) {
		long pid = strtol(p, &end, 10);

		if (end == p)
			break;
		(*n)++;
		if (each && each->fn)
			each->fn((int32_t)pid, each->arg);
	}
	free(text);
	/* most cgroups have no children: the number of links shows it without a look at the files */
	d = text && !stat(dir, &st) && st.st_nlink > 2 ? opendir(dir) : NULL;	/* the kernel's */
	while (d && (e = readdir(d))) {
		if (e->d_type != DT_DIR || e->d_name[0] == '.')
			continue;
		path = xasprintf("%s/%s", dir, e->d_name);
		count_lines(path, file, each, n);
		free(path);
	}
	if (d)
		closedir(d);
	return text;
}

/* The same of the container, in the first hierarchy that has it. */
static bool count(const struct cgroup_files *f, const struct ctrace_container *c, bool threads,
		  const struct cgroup_each *each, uint64_t *n)
{
	const char *roots[] = { f->v2, f->pids, f->memory, f->cpu };
	bool yes = false;

	*n = 0;
	for (size_t i = 0; i < ARRAY_SIZE(roots) && !yes && has_path(c); i++) {
		char *dir = roots[i] ? xasprintf("%s%s", roots[i], c->path) : NULL;

		yes = dir && count_lines(dir, !threads ? "cgroup.procs" : i ? "tasks" : "cgroup.threads", each, n);
		free(dir);
	}
	return yes;
}

bool cgroup_processes(const struct cgroup_files *f, const struct ctrace_container *c, const struct cgroup_each *each,
		      uint64_t *n)
{
	return count(f, c, false, each, n);
}

bool cgroup_threads(const struct cgroup_files *f, const struct ctrace_container *c, uint64_t *n)
{
	/* without the controller, they are counted */
	return number(f->v2, c, "pids.current", NULL, n) || number(f->pids, c, "pids.current", NULL, n) ||
		count(f, c, true, NULL, n);
}

bool cgroup_frozen(const struct cgroup_files *f, const struct ctrace_container *c)
{
	char *state = text_of(f->freezer, c, "freezer.state");
	bool is = state && !strncmp(state, "FROZEN", 6);
	uint64_t n;

	free(state);
	return is || (number(f->v2, c, "cgroup.events", "frozen ", &n) && n);
}

static bool quota_v2(const char *root, const struct ctrace_container *c, struct cgroup_quota *q)
{
	char *stat = text_of(root, c, "cpu.stat"), *max = text_of(root, c, "cpu.max");
	bool yes = max && number_in(stat, "nr_periods ", &q->periods) &&
		number_in(stat, "nr_throttled ", &q->throttled) &&
		number_in(stat, "throttled_usec ", &q->throttled_ns);

	/* "max 100000", or "20000 100000" */
	if (yes && sscanf(max, "%" SCNu64 " %" SCNu64, &q->quota, &q->period) != 2)
		q->quota = 0;
	q->quota *= NSEC_PER_USEC;
	q->period *= NSEC_PER_USEC;
	q->throttled_ns *= NSEC_PER_USEC;
	free(stat);
	free(max);
	return yes;
}

static bool quota_v1(const char *root, const struct ctrace_container *c, struct cgroup_quota *q)
{
	char *stat = text_of(root, c, "cpu.stat"), *quota = text_of(root, c, "cpu.cfs_quota_us");
	bool yes = quota && number_in(stat, "nr_periods ", &q->periods) &&
		number_in(stat, "nr_throttled ", &q->throttled) &&
		number_in(stat, "throttled_time ", &q->throttled_ns) &&
		number(root, c, "cpu.cfs_period_us", NULL, &q->period);

	/* -1 is none */
	if (yes && (*quota == '-' || !number_in(quota, NULL, &q->quota)))
		q->quota = 0;
	q->quota *= NSEC_PER_USEC;
	q->period *= NSEC_PER_USEC;
	free(stat);
	free(quota);
	return yes;
}

static uint64_t number_of_dir(const char *root, const struct ctrace_container *c)
{
	char *dir = xasprintf("%s%s", root, c->path);
	struct stat st;
	bool yes = !stat(dir, &st);	/* the kernel's */

	free(dir);
	return yes ? (uint32_t)st.st_ino : 0;
}

bool cgroup_quota_read(const struct cgroup_files *f, const struct ctrace_container *c, struct cgroup_quota *q)
{
	*q = (struct cgroup_quota){ 0 };
	if (quota_v2(f->v2, c, q)) {
		q->number = number_of_dir(f->v2, c);
		return true;
	}
	*q = (struct cgroup_quota){ 0 };
	if (!quota_v1(f->cpu, c, q))
		return false;
	q->number = number_of_dir(f->cpu, c);
	return true;
}

bool cgroup_quota_at(const struct cgroup_files *f, const struct ctrace_container *c, const char *path,
		     struct cgroup_quota *q)
{
	struct ctrace_container at = { .cid = c->cid, .cgroup_id = c->cgroup_id };

	*q = (struct cgroup_quota){ 0 };
	return (size_t)snprintf(at.path, sizeof(at.path), "%s", path) < sizeof(at.path) &&
		cgroup_quota_read(f, &at, q);
}

struct below {
	const struct cgroup_files *f;
	const struct ctrace_container *c;
	void (*fn)(void *arg, const char *path, const struct cgroup_quota *q);
	void *arg;
	unsigned int left;	/* cgroups that are still looked at */
};

static void look_below(struct below *b, const char *root, const char *path)
{
	char *dir = xasprintf("%s%s", root, path), *sub;
	struct cgroup_quota q;
	struct dirent *e;
	struct stat st;
	DIR *d;

	/* as in count_lines() */
	d = !stat(dir, &st) && st.st_nlink > 2 ? opendir(dir) : NULL;	/* the kernel's */
	while (d && b->left && (e = readdir(d))) {
		if (e->d_type != DT_DIR || e->d_name[0] == '.')
			continue;
		b->left--;
		sub = xasprintf("%s/%s", path, e->d_name);
		if (cgroup_quota_at(b->f, b->c, sub, &q) && q.quota)
			b->fn(b->arg, sub, &q);
		look_below(b, root, sub);
		free(sub);
	}
	if (d)
		closedir(d);
	free(dir);
}

void cgroup_quota_below(const struct cgroup_files *f, const struct ctrace_container *c,
			void (*fn)(void *arg, const char *path, const struct cgroup_quota *q), void *arg)
{
	struct below b = { f, c, fn, arg, CGROUPS_BELOW };
	struct cgroup_quota q = { 0 };

	if (!has_path(c))
		return;
	if (f->v2 && quota_v2(f->v2, c, &q))
		look_below(&b, f->v2, c->path);
	else if (f->cpu)
		look_below(&b, f->cpu, c->path);
}

/* Up to which byte is path's cgroup, or the one around it, that lies beside other's? 0: none does. */
static size_t beside(const char *path, const char *other)
{
	size_t same = 0, i;

	for (i = 0; path[i] && path[i] == other[i]; i++)
		same = path[i] == '/' ? i : same;
	/* the whole of one is the other, or a cgroup around it */
	if ((!path[i] && (!other[i] || other[i] == '/')) || (!other[i] && path[i] == '/'))
		return 0;
	return same + 1 + strcspn(path + same + 1, "/");
}

const char *cgroup_weights(const struct cgroup_files *f, const struct ctrace_container *a,
			   const struct ctrace_container *b, uint64_t *of_a, uint64_t *of_b)
{
	static const struct {
		bool v2;
		const char *name;
	} files[] = { { true, "cpu.weight" }, { false, "cpu.shares" } };
	struct ctrace_container x = *a, y = *b;

	if (!has_path(a) || !has_path(b) || !beside(a->path, b->path))
		return NULL;
	x.path[beside(a->path, b->path)] = '\0';
	y.path[beside(b->path, a->path)] = '\0';
	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		const char *root = files[i].v2 ? f->v2 : f->cpu;

		if (number(root, &x, files[i].name, NULL, of_a) &&
		    number(root, &y, files[i].name, NULL, of_b))
			return files[i].name;
	}
	return NULL;
}

bool cgroup_cpu_pressure(const struct cgroup_files *f, const struct ctrace_container *c, double *avg10, double *avg60)
{
	char *text = text_of(f->v2, c, "cpu.pressure");
	bool yes = text && sscanf(text, "some avg10=%lf avg60=%lf", avg10, avg60) == 2;

	free(text);
	return yes;
}
