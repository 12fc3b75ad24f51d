// SPDX-License-Identifier: GPL-2.0-only
/*
 * definer add DEFINITION... | del NAME... | list: manages event types of kprobes through libctrace alone.
 * add prints the id of each; list prints a line for each definition: ID SYSTEM NAME DEFINITION.
 */
#include <stdio.h>
#include <string.h>
#include <ctrace/libctrace.h>

static struct ctrace *ct;

static int complain(const char *what)
{
	fprintf(stderr, "definer: %s: %s\n", what, ctrace_errmsg(ct));
	return 1;
}

static int list(void)
{
	const struct ctrace_event_type *t;
	struct ctrace_schema *s;

	if (ctrace_schema_get(ct, &s))
		return complain("list");
	for (size_t i = 0; (t = ctrace_schema_at(s, i)); i++)
		if (t->definition)
			printf("%u %s %s %s\n", t->id, t->system, t->name, t->definition);
	ctrace_schema_free(s);
	return 0;
}

int main(int argc, char **argv)
{
	uint32_t id;

	if (argc < 2)
		return 2;
	if (ctrace_open(&ct))
		return complain("open");
	if (!strcmp(argv[1], "list"))
		return list();
	for (int i = 2; i < argc; i++) {
		if (!strcmp(argv[1], "del")) {
			if (ctrace_event_undefine(ct, argv[i]))
				return complain(argv[i]);
			continue;
		}
		if (ctrace_event_define(ct, argv[i], &id))
			return complain(argv[i]);
		printf("%u\n", id);
	}
	ctrace_close(ct);
	return 0;
}
