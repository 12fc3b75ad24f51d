// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "base/util.h"
#include "names/cgroupfs.h"
#include "names/usage.h"

struct usage {
	char *v2, *cpuacct, *memory;	/* root directories of hierarchies, or NULL */
};

struct usage *usage_new(void)
{
	struct usage *u = xcalloc(1, sizeof(*u));

	u->v2 = cgroup_root(NULL);
	u->cpuacct = cgroup_root("cpuacct");
	u->memory = cgroup_root("memory");
	return u;
}

void usage_free(struct usage *u)
{
	if (!u)
		return;
	free(u->v2);
	free(u->cpuacct);
	free(u->memory);
	free(u);
}

/* The number in the file root/path/name: its first word, or what follows key there. */
static bool number(const char *root, const char *path, const char *name, const char *key, uint64_t *v)
{
	char *file = xasprintf("%s%s/%s", root, path, name), *text = read_file(file, NULL);
	const char *at = text && key ? strstr(text, key) : text;
	bool yes = at && sscanf(at + (key ? strlen(key) : 0), "%" SCNu64, v) == 1;

	free(file);
	free(text);
	return yes;
}

/* A runtime gives its container one path in all hierarchies. The root's files are those of the whole machine. */
static bool has_path(const struct ctrace_container *c)
{
	return c->cid != CTRACE_CID_HOST && c->cgroup_id && c->path[0] == '/' && c->path[1];
}

bool usage_cpu(const struct usage *u, const struct ctrace_container *c, uint64_t *ns)
{
	if (!has_path(c))
		return false;
	if (u->v2 && number(u->v2, c->path, "cpu.stat", "usage_usec ", ns)) {
		*ns *= 1000;
		return true;
	}
	return u->cpuacct && number(u->cpuacct, c->path, "cpuacct.usage", NULL, ns);
}

bool usage_memory(const struct usage *u, const struct ctrace_container *c, uint64_t *bytes)
{
	if (!has_path(c))
		return false;
	return (u->v2 && number(u->v2, c->path, "memory.current", NULL, bytes)) ||
	       (u->memory && number(u->memory, c->path, "memory.usage_in_bytes", NULL, bytes));
}
