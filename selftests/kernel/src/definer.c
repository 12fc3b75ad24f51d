// SPDX-License-Identifier: GPL-2.0-only
/*
 * definer add DEFINITION... | hold DEFINITION... | del NAME... | list | round N FUNCTION: manages event types of
 * kprobes through libctrace alone. add and hold print the id of each; what add defines outlives the process, and
 * hold, whose definitions do not, then waits for the end of its input. list prints a line for each definition: ID
 * SYSTEM NAME DEFINITION. round makes N definitions at FUNCTION, each of its own name, deletes each before it makes
 * the next, and prints their ids.
 */
#include <stdio.h>
#include <stdlib.h>
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

static int go_round(int n, const char *function)
{
	char name[32], text[160];
	uint32_t id;

	for (int i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "round%d", i);
		snprintf(text, sizeof(text), "p:%s %s", name, function);
		if (ctrace_event_define(ct, text, 0, &id) || ctrace_event_undefine(ct, name))
			return complain(name);
		printf("%u\n", id);
	}
	return 0;
}

int main(int argc, char **argv)
{
	bool hold = argc > 1 && !strcmp(argv[1], "hold");
	uint32_t id;

	if (argc < 2)
		return 2;
	if (ctrace_open(&ct))
		return complain("open");
	if (!strcmp(argv[1], "list"))
		return list();
	if (!strcmp(argv[1], "round") && argc == 4)
		return go_round(atoi(argv[2]), argv[3]);
	for (int i = 2; i < argc; i++) {
		if (!strcmp(argv[1], "del")) {
			if (ctrace_event_undefine(ct, argv[i]))
				return complain(argv[i]);
			continue;
		}
		if (ctrace_event_define(ct, argv[i], hold ? 0 : CTRACE_EVENT_F_KEEP, &id))
			return complain(argv[i]);
		printf("%u\n", id);
	}
	fflush(stdout);
	while (hold && getchar() != EOF)
		;
	ctrace_close(ct);
	return 0;
}
