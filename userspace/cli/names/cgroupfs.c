// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
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
