// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/util.h"
#include "events/probes.h"
#include "run/function_parts.h"

/*
 * Returns the length of the probe's symbol, which *symbol becomes; 0: it is of no function's entry or return.
 */
static size_t symbol_of(const char *probe, const char **symbol)
{
	size_t n;

	if (probe_is_definition(probe)) {
		*symbol = probe + strcspn(probe, " \t");
		*symbol += strspn(*symbol, " \t");
	} else if (!strncmp(probe, "kprobe:", 7) || !strncmp(probe, "func:", 5)) {
		*symbol = strchr(probe, ':') + 1;
	} else {
		return 0;
	}
	n = strcspn(*symbol, ": \t");
	if ((*symbol)[n] == ':')	/* it was a module's name */
		*symbol += n + 1;
	n = strcspn(*symbol, "+% \t");
	return (*symbol)[n] == '+' ? 0 : n;
}

/*
 * Is what follows the symbol what a compiler calls a part? Other suffixes are of cold code, which is jumped
 * to, and of unique names.
 */
static bool is_part(const char *suffix)
{
	return !strncmp(suffix, ".part.", 6) || !strncmp(suffix, ".isra.", 6) || !strncmp(suffix, ".constprop.", 11);
}

/* The names of all parts, each after a line's end, and one at the end. They are read once. */
static const char *all_parts(void)
{
	static struct sbuf names;
	char *line = NULL, *name, *dot;
	size_t room = 0;
	FILE *f;

	if (names.len)
		return names.s;
	sbuf_puts(&names, "\n");
	f = fopen("/proc/kallsyms", "re");
	/* ADDRESS TYPE NAME [MODULE] */
	while (f && getline(&line, &room, f) > 0) {
		name = strchr(line, ' ');
		name = name && name[1] ? strchr(name + 1, ' ') : NULL;
		if (!name++)
			continue;
		name[strcspn(name, " \t\n")] = '\0';
		dot = strchr(name, '.');
		if (dot && is_part(dot))
			sbuf_printf(&names, "%s\n", name);
	}
	free(line);
	if (f)
		fclose(f);
	return names.s;
}

void function_parts_note(const char *probe)
{
	struct sbuf parts = { 0 };
	const char *symbol = NULL, *at;
	size_t n = symbol_of(probe, &symbol);
	char *name;

	for (at = n ? all_parts() : ""; *at && at[1]; at = strchr(at + 1, '\n')) {
		if (strncmp(at + 1, symbol, n) || !is_part(at + 1 + n))
			continue;
		name = xasprintf("%.*s", (int)strcspn(at + 1, "\n"), at + 1);
		/* functions of one name may have parts of one name */
		if (!parts.len || !strstr(parts.s, name))
			sbuf_printf(&parts, "%s%s", parts.len ? ", " : "", name);
		free(name);
	}
	if (parts.len)
		fprintf(stderr, "ctrace: the compiler has split %.*s: calls that go straight to %s are not seen; ask for those, too\n",
			(int)n, symbol, parts.s);
	sbuf_free(&parts);
}
