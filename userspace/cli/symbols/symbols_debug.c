// SPDX-License-Identifier: GPL-2.0-only
/* Files that hold the symbols of stripped ones, where distributions and gdb put them. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "base/foreign.h"
#include "symbols/symbols.h"

#define DEBUG	"/usr/lib/debug"

/* Takes path. */
static bool try(struct symtab *t, const struct elf_facts *of, const struct root *root, char *path)
{
	struct stat st;
	bool found;
	int fd;

	root_look(root, path);
	fd = foreign_open_in_root(root->at, path, &st);
	found = fd >= 0 && symtab_read_debug(t, fd, of);
	foreign_close(fd);
	free(path);
	return found;
}

static bool try_root(struct symtab *t, const struct elf_facts *of, const struct root *root, const char *path)
{
	const char *slash = strrchr(path, '/');
	int dir = slash ? (int)(slash - path) : 0;

	if (*of->build_id && try(t, of, root, xasprintf(DEBUG "/.build-id/%.2s/%s.debug", of->build_id, of->build_id + 2)))
		return true;
	return *of->link &&
	       (try(t, of, root, xasprintf("%.*s/%s", dir, path, of->link)) ||
		try(t, of, root, xasprintf("%.*s/.debug/%s", dir, path, of->link)) ||
		try(t, of, root, xasprintf(DEBUG "%.*s/%s", dir, path, of->link)));
}

void symtab_read_apart(struct symtab *t, const struct elf_facts *of, const struct root *root, const char *path)
{
	static const struct root here = { "", "" };

	if (!of->all && !try_root(t, of, root, path) && *root->at)
		try_root(t, of, &here, path);
}
