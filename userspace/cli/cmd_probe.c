// SPDX-License-Identifier: GPL-2.0-only
/* ctrace probe: defines kprobes by name. Any session may use them, until they are deleted. */
#include <stdlib.h>
#include <string.h>
#include "commands.h"
#include "base/cli.h"
#include "events/field_type.h"
#include "events/probes.h"
#include "run/function_parts.h"
#include "base/table.h"

static const char usage[] =
"Usage: ctrace probe add DEFINITION...\n"
"       ctrace probe del NAME...\n"
"       ctrace probe list [--json]\n"
"\n"
"Defines events of kernel functions, for 'ctrace trace -e NAME', until they are\n"
"deleted or the module is unloaded. Nothing is probed until a session uses the\n"
"event. A definition is one argument, in the kernel's own syntax for kprobes\n"
"(kprobetrace.rst):\n"
"  p:NAME SYMBOL[+OFFSET] [ARG=FETCH[:TYPE]]...  when execution reaches SYMBOL\n"
"  r:NAME SYMBOL [ARG=FETCH[:TYPE]]...           when SYMBOL returns\n"
"  f:NAME SYMBOL [ARG=FETCH[:TYPE]]...           when SYMBOL returns: its\n"
"                                                duration in ns, its result in\n"
"                                                ret, and ARGs of its entry\n"
"                                                (ctrace's own)\n"
"FETCH is %REGISTER, $argN, $stackN, $retval, $comm, @ADDRESS, \\NUMBER, or what\n"
"one of them points to: +OFFSET(FETCH). TYPE is u8 to u64, s8 to s64, x8 to x64,\n"
"string or ustring; or an array of numbers, such as u8[4].\n";

static const struct cli_option options[] = {
	{ .help = "Options:" },
	OPTION("json", 'j', NULL, "print a JSON object per line and definition; errors as JSON"),
	OPTION("help", 'h', NULL, "this text"),
	{ 0 },
};

static int add(struct ctrace *ct, char **words, int n)
{
	if (!n)
		return cli_usage("probe add needs a definition: 'p:NAME SYMBOL ARG...'");
	for (int i = 0; i < n; i++) {
		/* without quotes, the shell has split the definition into words */
		if (!probe_is_definition(words[i]) || !strchr(words[i], ' '))
			return cli_usage("'%s' is not a definition: write 'p:NAME SYMBOL ARG...', in quotes",
					 words[i]);
		if (ctrace_event_define(ct, words[i], CTRACE_EVENT_F_KEEP, NULL))
			return cli_error("%s", ctrace_errmsg(ct));
		function_parts_note(words[i]);
	}
	return CLI_OK;
}

static int del(struct ctrace *ct, char **words, int n)
{
	if (!n)
		return cli_usage("probe del needs a name: 'ctrace probe list' has them");
	for (int i = 0; i < n; i++)
		if (ctrace_event_undefine(ct, words[i]))
			return cli_error("%s", ctrace_errmsg(ct));
	return CLI_OK;
}

static void put_json(const struct ctrace_event_type *t)
{
	struct sbuf b = { 0 };
	struct json j = { .out = &b };

	json_open(&j, NULL, '{');
	json_str(&j, "name", t->name);
	json_str(&j, "system", t->system);
	json_uint(&j, "id", t->id);
	json_str(&j, "definition", t->definition);
	field_types_json(&j, t);
	json_close(&j, '}');
	json_line(&j);
	fputs(b.s, stdout);
	sbuf_free(&b);
}

static int list(struct ctrace *ct)
{
	static const char *const heads[] = { "NAME", "FIELDS", "DEFINITION" };
	const struct ctrace_event_type *t;
	struct ctrace_schema *s;
	struct table table;

	if (ctrace_schema_get(ct, &s))
		return cli_error("%s", ctrace_errmsg(ct));
	table_init(&table, heads, ARRAY_SIZE(heads));
	for (size_t i = 0; (t = ctrace_schema_at(s, i)); i++) {
		struct sbuf b = { 0 };

		if (!t->definition)
			continue;
		if (cli_json) {
			put_json(t);
			continue;
		}
		sbuf_reset(&b);
		field_types_put(&b, t);
		table_str(&table, t->name);
		table_str(&table, b.s);
		table_str(&table, t->definition);
		table_end_row(&table);
		sbuf_free(&b);
	}
	if (!cli_json)
		table_print(&table, stdout);
	table_free(&table);
	ctrace_schema_free(s);
	return CLI_OK;
}

static int run_probe(int argc, char **argv)
{
	struct getopts g = getopts_of(options);
	const char *what;
	struct ctrace *ct;
	int opt, status, n;

	while ((opt = getopt_long(argc, argv, g.shorts, g.longs, NULL)) != -1) {
		if (opt == 'h')
			return cli_help(cli_cmd);
		if (opt != 'j')
			return cli_bad_option(opt, argv, &g);
	}
	what = optind < argc ? argv[optind++] : "";
	n = argc - optind;
	if (strcmp(what, "add") && strcmp(what, "del") && strcmp(what, "list"))
		return *what ? cli_usage("unknown command 'probe %s': use add, del or list", what) :
			       cli_usage("probe needs a command: add, del or list");
	if (!strcmp(what, "list") && n)
		return cli_usage("probe list takes no arguments");
	ct = cli_open();
	if (!ct)
		return CLI_FAIL;
	status = *what == 'a' ? add(ct, argv + optind, n) :
		 *what == 'd' ? del(ct, argv + optind, n) : list(ct);
	ctrace_close(ct);
	return status;
}

const struct command cmd_probe = {
	.name = "probe", .usage = usage, .options = { options }, .words = { "add del list", "@probes" },
	.run = run_probe,
};
