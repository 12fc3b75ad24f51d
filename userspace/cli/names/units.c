// SPDX-License-Identifier: GPL-2.0-only
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include "names/cgroupfs.h"
#include "names/units.h"
#include "base/util.h"

#define UNITS_MAX	8	/* a user may make many */
#define DEPTH_MAX	16

struct walk {
	struct units *u;
	size_t root;		/* length of the hierarchy's directory */
	const char *name;
	char *service;
	char *manager;		/* the cgroup of the user's manager; NULL: the system's is asked for */
};

/*
 * Cgroups below nothing but slices, in directories that root owns, are units of the system's manager and of
 * nobody else. A user's units are below slices in the cgroup of their manager; processes of that user could
 * make such cgroups themselves.
 */
static bool is_theirs(const struct walk *w, const char *dir)
{
	char *above = xstrndup(dir, (size_t)(strrchr(dir, '/') - dir)), *save = NULL;
	const char *path = above + w->root;
	size_t n = w->manager ? strlen(w->manager) : 0;
	bool yes = w->manager ? !strncmp(path, w->manager, n) && (!path[n] || path[n] == '/') :
		   path_only_roots(above);
	char *copy = xstrdup(yes ? path + n : "");

	for (char *p = strtok_r(copy, "/", &save); p && yes; p = strtok_r(NULL, "/", &save)) {
		n = strlen(p);
		yes = n > 6 && !strcmp(p + n - 6, ".slice");
	}
	free(copy);
	free(above);
	return yes;
}

static void found(struct walk *w, const char *dir)
{
	struct units *u = w->u;
	bool theirs = is_theirs(w, dir);

	if (u->n && u->theirs && !theirs)
		return;
	if (theirs && !u->theirs)
		units_free(u);
	if (u->n == UNITS_MAX)
		return;
	u->theirs = theirs;
	u->v = xrealloc(u->v, (u->n + 1) * sizeof(u->v[0]));
	u->v[u->n++] = xstrdup(dir + w->root);
}

static void walk(struct walk *w, const char *dir, unsigned int depth)
{
	DIR *d = depth < DEPTH_MAX ? opendir(dir) : NULL;	/* the kernel's */
	struct dirent *e;

	while (d && (e = readdir(d))) {
		char *p;

		if (e->d_type != DT_DIR || e->d_name[0] == '.')
			continue;
		p = xasprintf("%s/%s", dir, e->d_name);
		if (!strcmp(e->d_name, w->name) || (w->service && !strcmp(e->d_name, w->service)))
			found(w, p);
		walk(w, p, depth + 1);
		free(p);
	}
	if (d)
		closedir(d);
}

void units_find(struct units *u, const char *name, const uint32_t *uid)
{
	char *root = *name && !strchr(name, '/') ? cgroup_of_systemd() : NULL;
	struct walk w = { .u = u, .name = name };

	memset(u, 0, sizeof(*u));
	if (!root)
		return;
	w.root = strlen(root);
	w.service = strchr(name, '.') ? NULL : xasprintf("%s.service", name);
	w.manager = uid ? xasprintf("/user.slice/user-%u.slice/user@%u.service", *uid, *uid) : NULL;
	walk(&w, root, 0);
	free(w.manager);
	free(w.service);
	free(root);
}

void units_free(struct units *u)
{
	for (size_t i = 0; i < u->n; i++)
		free(u->v[i]);
	free(u->v);
	memset(u, 0, sizeof(*u));
}
