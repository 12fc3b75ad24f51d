// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include "names/cgroupfs.h"
#include "base/util.h"

struct mount {
	char *dir;
	char *options;		/* of the super block; of a v1 mount, they name its controllers */
	bool v2;
};

struct mounts {
	struct mount *v;
	size_t n;
};

/* Undoes the octal escapes of /proc/self/mountinfo (\040 is a space), in place. */
static void unescape(char *s)
{
	char *to = s;

	while (*s) {
		if (s[0] == '\\' && s[1] >= '0' && s[1] <= '3' && s[2] && s[3]) {
			*to++ = (char)((s[1] - '0') << 6 | (s[2] - '0') << 3 | (s[3] - '0'));
			s += 4;
		} else {
			*to++ = *s++;
		}
	}
	*to = '\0';
}

static void mounts_read(struct mounts *m)
{
	FILE *f = fopen("/proc/self/mountinfo", "re");
	char *line = NULL, root[256], dir[1024], type[32], opts[512];
	size_t cap = 0;

	memset(m, 0, sizeof(*m));
	if (!f)
		return;
	while (getline(&line, &cap, f) > 0) {
		char *tail = strstr(line, " - ");
		bool v2;

		if (!tail || sscanf(line, "%*d %*d %*s %255s %1023s", root, dir) != 2 ||
		    sscanf(tail, " - %31s %*s %511s", type, opts) != 2)
			continue;
		v2 = !strcmp(type, "cgroup2");
		/* paths below a mount of a part of a hierarchy are not the kernel's paths */
		if ((!v2 && strcmp(type, "cgroup")) || strcmp(root, "/"))
			continue;
		unescape(dir);
		m->v = xrealloc(m->v, (m->n + 1) * sizeof(m->v[0]));
		/* v2 goes first: most paths are meant to be in it */
		if (v2)
			memmove(m->v + 1, m->v, m->n * sizeof(m->v[0]));
		m->v[v2 ? 0 : m->n] = (struct mount){ xstrdup(dir), xstrdup(opts), v2 };
		m->n++;
	}
	free(line);
	fclose(f);
}

static void mounts_free(struct mounts *m)
{
	for (size_t i = 0; i < m->n; i++) {
		free(m->v[i].dir);
		free(m->v[i].options);
	}
	free(m->v);
}

static bool is_dir(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISDIR(st.st_mode);
}

static char *below(const struct mount *m, const char *path)
{
	char *p = xasprintf("%s%s%s", m->dir, *path == '/' ? "" : "/", path);

	if (is_dir(p))
		return p;
	free(p);
	return NULL;
}

char *cgroup_find(const char *path)
{
	char *found = NULL, *real = path[0] == '/' ? realpath(path, NULL) : NULL;
	struct mounts m;

	mounts_read(&m);
	for (size_t i = 0; real && i < m.n && !found; i++) {
		size_t len = strlen(m.v[i].dir);

		if (!strncmp(real, m.v[i].dir, len) && (!real[len] || real[len] == '/') &&
		    is_dir(real))
			found = xstrdup(real);
	}
	free(real);
	for (int bare = 0; bare < 2; bare++)
		for (size_t i = 0; i < m.n && !found; i++)
			if (!!strstr(m.v[i].options, ",name=") == bare)
				found = below(&m.v[i], path);
	mounts_free(&m);
	return found;
}

char *cgroup_of_systemd(void)
{
	struct mounts m;
	char *dir = NULL;

	mounts_read(&m);
	for (size_t i = 0; i < m.n && !dir; i++)
		if (strstr(m.v[i].options, "name=systemd"))
			dir = xstrdup(m.v[i].dir);
	if (!dir && m.n)
		dir = xstrdup(m.v[0].dir);
	mounts_free(&m);
	return dir;
}

/* Is word in the comma-separated list? */
static bool has_word(const char *list, const char *word, size_t len)
{
	while (*list) {
		size_t n = strcspn(list, ",");

		if (n == len && !strncmp(list, word, len))
			return true;
		list += n + (list[n] == ',');
	}
	return false;
}

char *cgroup_root(const char *controller)
{
	struct mounts m;
	char *dir = NULL;

	mounts_read(&m);
	for (size_t i = 0; i < m.n && !dir; i++)
		if (controller ? !m.v[i].v2 && has_word(m.v[i].options, controller, strlen(controller)) : m.v[i].v2)
			dir = xstrdup(m.v[i].dir);
	mounts_free(&m);
	return dir;
}

/* The controllers of v1 hierarchy number h, as /proc/self/cgroup lists them. */
static char *controllers(uint32_t h)
{
	FILE *f = fopen("/proc/self/cgroup", "re");
	char *line = NULL, *list = NULL;
	size_t cap = 0;

	while (f && !list && getline(&line, &cap, f) > 0) {
		char *end;

		if (strtoul(line, &end, 10) != h || *end != ':')
			continue;
		list = xstrndup(end + 1, strcspn(end + 1, ":"));
	}
	free(line);
	if (f)
		fclose(f);
	return list;
}

/* The directory of a cgroup by hierarchy number (0: v2) and path; NULL if there is none. */
static char *cgroup_dir(uint32_t hierarchy, const char *path)
{
	char *list = hierarchy ? controllers(hierarchy) : NULL, *found = NULL;
	struct mounts m;

	mounts_read(&m);
	for (size_t i = 0; i < m.n && !found; i++) {
		if (!hierarchy && !m.v[i].v2)
			continue;
		if (hierarchy && (m.v[i].v2 || !list ||
				  !has_word(m.v[i].options, list, strcspn(list, ","))))
			continue;
		found = below(&m.v[i], path);
	}
	mounts_free(&m);
	free(list);
	return found;
}

/* The number of the v1 hierarchy that is mounted with these options. */
static uint32_t hierarchy_of(const char *options)
{
	FILE *f = fopen("/proc/self/cgroup", "re");
	uint32_t number = 0;
	char *line = NULL;
	size_t cap = 0;

	while (f && !number && getline(&line, &cap, f) > 0) {
		char *list = strchr(line, ':');

		if (list && has_word(options, list + 1, strcspn(list + 1, ",:")))
			number = (uint32_t)strtoul(line, NULL, 10);
	}
	free(line);
	if (f)
		fclose(f);
	return number;
}

char *cgroup_path(const char *path, uint32_t *hierarchy)
{
	char *dir = *path ? cgroup_find(path) : NULL, *found = NULL;
	size_t best = 0;
	struct mounts m;

	if (!dir)
		return NULL;
	mounts_read(&m);
	for (size_t i = 0; i < m.n; i++) {
		size_t len = strlen(m.v[i].dir);

		if (len < best || strncmp(dir, m.v[i].dir, len) || (dir[len] && dir[len] != '/'))
			continue;
		best = len;
		free(found);
		found = xstrdup(dir[len] ? dir + len : "/");
		*hierarchy = m.v[i].v2 ? 0 : hierarchy_of(m.v[i].options);
	}
	mounts_free(&m);
	free(dir);
	return found;
}

static bool only_roots(const char *path)
{
	struct stat st;

	return !stat(path, &st) && !st.st_uid && !(st.st_mode & S_IWOTH) &&
	       (!st.st_gid || !(st.st_mode & S_IWGRP));
}

bool path_only_roots(const char *path)
{
	char *real = realpath(path, NULL), *p;
	bool yes = real && only_roots(real);

	while (yes && (p = strrchr(real, '/')) && real[1]) {
		p[p == real] = '\0';
		yes = only_roots(real);
	}
	free(real);
	return yes;
}

bool cgroup_only_roots(const struct ctrace_container *c)
{
	char *above, *dir, *end;
	bool yes;

	/* a path that was cut off does not name the directory */
	if (c->path[0] != '/' || strlen(c->path) + 1 >= sizeof(c->path))
		return false;
	if (!c->path[1])
		return true;
	above = xstrndup(c->path, (size_t)(strrchr(c->path, '/') - c->path));
	dir = cgroup_dir(c->hierarchy, *above ? above : "/");
	end = dir ? dir + strlen(dir) - strlen(above) : NULL;
	yes = dir && only_roots(dir);
	/* from the innermost to the hierarchy's root */
	for (char *p; yes && *above && (p = strrchr(end, '/'));) {
		*p = '\0';
		yes = only_roots(p == dir ? "/" : dir);
	}
	free(above);
	free(dir);
	return yes;
}
