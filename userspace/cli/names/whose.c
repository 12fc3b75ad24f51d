// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "base/util.h"
#include "names/whose.h"

/* of cgroups: Linux 6.1 has 14 controllers, and v1 may have some with a name only */
#define HIERARCHIES	32

/* A line of /proc/PID/cgroup. */
struct place {
	uint32_t hierarchy;
	const char *path;
	size_t len;
};

/* Splits the text into at most max places, and returns their number. */
static size_t places(const char *text, struct place *v, size_t max)
{
	const char *end;
	size_t n = 0;
	char *path;

	for (const char *line = text; line && *line && n < max; line = end + (*end == '\n')) {
		v[n].hierarchy = (uint32_t)strtoul(line, &path, 10);
		end = line + strcspn(line, "\n");
		path = *path == ':' ? strchr(path + 1, ':') : NULL;
		if (!path || path >= end)
			continue;
		v[n].path = path + 1;
		v[n].len = (size_t)(end - v[n].path);
		n++;
	}
	return n;
}

static bool is_in(const struct ctable_part *part, const struct place *at, size_t n)
{
	for (size_t k = 0; k < n; k++)
		if (ctable_in_part(part, at[k].path, at[k].len, at[k].hierarchy))
			return true;
	return false;
}

uint32_t process_container(struct ctable *t, const char *pid, bool *meant)
{
	char *cgroup = xasprintf("/proc/%s/cgroup", pid), *ns = xasprintf("/proc/%s/ns/pid", pid);
	char *text = read_file(cgroup, NULL);
	struct place at[HIERARCHIES];
	size_t n = places(text, at, ARRAY_SIZE(at)), longest = 0, i = 0;
	uint32_t cid = CTRACE_CID_UNKNOWN;
	const struct ctable_part *part;
	const struct centry *e;
	struct stat st;

	if (!text || stat(ns, &st))
		st.st_ino = 0;
	while (st.st_ino && (e = ctable_next(t, &i))) {
		if (!e->known || !ctable_alive(e))
			continue;
		/* a container without a cgroup of its own is in another one's cgroup */
		if (!e->c.cgroup_id && e->c.pidns == st.st_ino) {
			cid = e->c.cid;
			break;
		}
		for (size_t k = 0; e->c.cgroup_id && k < n; k++) {
			if (at[k].hierarchy != e->c.hierarchy || strlen(e->c.path) <= longest ||
			    !path_below(at[k].path, at[k].len, e->c.path))
				continue;
			longest = strlen(e->c.path);
			cid = e->c.cid;
		}
	}
	part = ctable_part(t, cid == CTRACE_CID_UNKNOWN ? CTRACE_CID_HOST : cid);
	*meant = !part || is_in(part, at, n);
	free(cgroup);
	free(ns);
	free(text);
	return cid;
}

uint32_t process_owner(struct ctable *t, const char *pid)
{
	bool meant;
	uint32_t cid = process_container(t, pid, &meant);
	const struct ctable_part *part = ctable_part(t, cid == CTRACE_CID_UNKNOWN ? CTRACE_CID_HOST : cid);

	if (part)
		cid = meant ? part->cid : CTRACE_CID_UNKNOWN;
	return cid;
}
