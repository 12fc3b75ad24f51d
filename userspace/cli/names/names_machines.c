// SPDX-License-Identifier: GPL-2.0-only
/*
 * systemd-machined's list: /run/systemd/machines/NAME. Only here is the name of a container that was started
 * by systemd-nspawn --keep-unit, whose cgroup is that of a service.
 */
#include <stdlib.h>
#include <string.h>
#include "names/names.h"

/* The value of KEY=VALUE among the lines; NULL: no such line. The caller frees it. */
static char *line(const char *text, const char *key)
{
	size_t n = strlen(key);

	for (const char *l = text; l; l = strchr(l, '\n')) {
		l += *l == '\n';
		if (!strncmp(l, key, n) && l[n] == '=')
			return xstrndup(l + n + 1, strcspn(l + n + 1, "\n"));
	}
	return NULL;
}

static void machine(struct names *n, const char *path, const char *name)
{
	char *text = names_text(n, path, NULL), *class, *leader, *unit, *service;
	struct name_entry e = { .name = (char *)name, .file = (char *)path, .rank = NAME_MANAGER };

	/* unit:NAME.service is a link to the file of the unit's machine */
	if (!text || strchr(name, ':')) {
		free(text);
		return;
	}
	class = line(text, "CLASS");
	leader = line(text, "LEADER");
	unit = line(text, "SCOPE");	/* since version 209 of systemd; both are the unit's name */
	if (!unit)
		unit = line(text, "UNIT");
	service = line(text, "SERVICE");
	if (class && !strcmp(class, "container") && leader && !parse_u32(leader, &e.pid)) {
		e.unit = unit;
		e.runtime = !service ? "" : !strcmp(service, "systemd-nspawn") ? "nspawn" : service;
		names_add(n, &e);
	}
	free(class);
	free(leader);
	free(unit);
	free(service);
	free(text);
}

void names_from_machines(struct names *n)
{
	names_each(n, "/run/systemd/machines", machine);
}
