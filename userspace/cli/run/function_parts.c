// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/util.h"
#include "events/probes.h"
#include "run/function_parts.h"

/* Returns the length of the probe's symbol, which *symbol becomes; 0: it is of no function's entry or return. */
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

/* Is what follows the symbol what a compiler calls a part? Other suffixes are of cold code, which is jumped to, and of unique names. */
static bool is_part(const char *suffix)
{
	return !strncmp(suffix, ".part.", 6) || !strncmp(suffix, ".isra.", 6) || !strncmp(suffix, ".constprop.", 11);
}

void function_parts_note(const char *probe)
{
	struct sbuf parts = { 0 };
	char *line = NULL, *name;
	const char *symbol = NULL;
	size_t n = symbol_of(probe, &symbol), room = 0;
	FILE *f = n ? fopen("/proc/kallsyms", "re") : NULL;

	/* ADDRESS TYPE NAME [MODULE] */
	while (f && getline(&line, &room, f) > 0) {
		name = strchr(line, ' ');
		name = name && name[1] ? strchr(name + 1, ' ') : NULL;
		if (!name || strncmp(++name, symbol, n) || !is_part(name + n))
			continue;
		name[strcspn(name, " \t\n")] = '\0';
		/* functions of one name may have parts of one name */
		if (!parts.len || !strstr(parts.s, name))
			sbuf_printf(&parts, "%s%s", parts.len ? ", " : "", name);
	}
	if (parts.len)
		fprintf(stderr, "ctrace: the compiler has split %.*s: calls that go straight to %s are not seen; ask for those, too\n",
			(int)n, symbol, parts.s);
	sbuf_free(&parts);
	free(line);
	if (f)
		fclose(f);
}
