// SPDX-License-Identifier: GPL-2.0-only
/* ctrace: finds the subcommand and runs it. */
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "commands.h"
#include "doctor/doctor.h"
#include "watch/report.h"
#include "base/cli.h"
#include "base/group.h"
#include "base/habits.h"
#include "base/output.h"
#include "base/util.h"

#define COLUMNS	80	/* of each help text */

const struct command_row commands[] = {
#define LOOK(name, summary)	{ &cmd_##name, summary, "Look at what happens" },
#define COUNT(name, summary)	{ &cmd_##name, summary, "Count" },
#define RECORD(name, summary)	{ &cmd_##name, summary, "Record, and look at it later" },
#define SETUP(name, summary)	{ &cmd_##name, summary, "Set up" },
	CTRACE_COMMANDS_LOOK(LOOK)
	CTRACE_COMMANDS_COUNT(COUNT)
	CTRACE_COMMANDS_RECORD(RECORD)
	CTRACE_COMMANDS_SETUP(SETUP)
	{ 0 },
};

static const char main_usage[] =
"Usage: ctrace TARGET [--duration TIME]\n"
"       ctrace COMMAND [ARGUMENTS]\n"
"       ctrace help [COMMAND|TOPIC]\n"
"\n"
"Traces containers. With a TARGET alone: what it is, and where its time goes.\n";

static const char main_options[] =
"\n"
"Options:\n"
"  -h, --help     this text; after a command, that command's help\n"
"  -V, --version  version of ctrace\n";

const struct command *command_find(const char *name)
{
	for (const struct command_row *c = commands; c->cmd; c++)
		if (!strcmp(c->cmd->name, name))
			return c->cmd;
	return NULL;
}

static const struct topic *find_topic(const char *name)
{
	for (const struct topic *t = topics; t->name; t++)
		if (!strcmp(t->name, name))
			return t;
	return NULL;
}

/* of_help: it may be a topic, too. Takes what is near already. */
static int unknown(struct nearest *near, bool of_help)
{
	struct sbuf hint = { 0 };

	for (const struct command_row *c = commands; c->cmd; c++)
		nearest_offer(near, c->cmd->name);
	for (const struct topic *t = topics; of_help && t->name; t++)
		nearest_offer(near, t->name);
	sbuf_reset(&hint);
	nearest_print(near, &hint);
	cli_usage("unknown command%s '%s'%s", of_help ? " or topic" : "", near->word, hint.s);
	sbuf_free(&hint);
	return CLI_USAGE;
}

/* Which they are, for the topic that has their options. */
static void print_counting(void)
{
	const char *const first = "The counting commands are";
	size_t column = strlen(first);
	const char *sep = "";

	fputs(first, stdout);
	for (const struct command_row *c = commands; c->cmd; c++) {
		const struct command *cmd = c->cmd;
		size_t len = strlen(cmd->name) + strlen(" ,");
		bool fits = column + len <= COLUMNS;

		if (cmd->kind != COMMAND_COUNTS)
			continue;
		printf("%s%s%s", sep, fits ? " " : "\n", cmd->name);
		column = fits ? column + len : len;
		sep = ",";
	}
	puts(".\n");
}

static void print_shared(void)
{
	struct sbuf b = { 0 };

	for (const struct shared_options *s = shared_options; s->who; s++) {
		sbuf_printf(&b, "%s\n", s->who);
		options_put(&b, s->options, OPTIONS_COLUMN);
	}
	puts(b.s);
	sbuf_free(&b);
}

static int topic_help(const struct topic *topic)
{
	const struct command *cmd = command_find(topic->name);

	if (!strcmp(topic->name, "options")) {
		print_counting();
		print_shared();
	}
	fputs(topic->text, stdout);
	if (!cmd)
		return CLI_OK;
	/* a command has that name, too */
	putchar('\n');
	return cli_help(cmd);
}

static int main_help(const char *name)
{
	const struct topic *topic = name ? find_topic(name) : NULL;
	const struct command *cmd = name ? command_find(name) : NULL;

	if (topic)
		return topic_help(topic);
	if (cmd)
		return cli_help(cmd);
	if (name && strcmp(name, "all"))
		return unknown(&(struct nearest){ .word = name }, true);
	fputs(main_usage, stdout);
	for (const struct command_row *c = commands; c->cmd; c++) {
		if (c == commands || strcmp(c->group, c[-1].group))
			printf("\n%s:\n", c->group);
		printf("  %-10s %s\n", c->cmd->name, c->summary);
	}
	printf("%s\nExamples:\n%s\nTopics:\n", main_options, cli_examples(""));
	for (topic = topics; topic->name; topic++)
		printf("  %-10s %s\n", topic->name, topic->summary);
	return CLI_OK;
}

/*
 * A word that is no command: what users of other tools type, or a target. The command's name goes before, so
 * a container called as a command is reached by 'ctrace why NAME'.
 */
static int run_other(int argc, char **argv)
{
	struct nearest near = { .word = argv[1] };
	const char *here, *with = habit_command(argv[1], &here);
	char **v, *words, *save = NULL;
	int n = 1, status;

	if (here && !with)
		return cli_usage("unknown command '%s': here it is %s", argv[1], here);
	if (!with) {
		status = first_look(argc, argv, &near);
		return status >= 0 ? status : unknown(&near, false);
	}
	v = xcalloc((size_t)argc + strlen(with), sizeof(v[0]));
	v[0] = argv[0];
	words = xstrdup(with);
	for (char *w = strtok_r(words, " ", &save); w; w = strtok_r(NULL, " ", &save))
		v[n++] = w;
	memcpy(&v[n], argv + 2, (size_t)(argc - 2) * sizeof(v[0]));
	n += argc - 2;
	cli_end = &v[n];
	cli_cmd = command_find(v[1]);
	status = cli_cmd->run(n - 1, v + 1);
	free(words);
	free(v);
	return status;
}

int main(int argc, char **argv)
{
	const char *word = argc > 1 ? argv[1] : NULL;

	output_init();
	group_exec(argv);
	doctor_more = watch_doctor;
	cli_program = argv[0];
	cli_end = argv + argc;
	/* A closed pipe is an ordinary end: let writes fail with EPIPE. */
	signal(SIGPIPE, SIG_IGN);
	/* Errors about options must be JSON objects, too, so look for --json before anything else. */
	for (int i = 1; i < argc && strcmp(argv[i], "--"); i++)
		cli_json |= !strcmp(argv[i], "--json") || !strcmp(argv[i], "-j");

	if (!word) {
		if (isatty(STDOUT_FILENO) && first_screen() == CLI_OK)
			return cli_finish(CLI_OK);
		main_help(NULL);
		return cli_finish(CLI_USAGE);
	}
	if (!strcmp(word, "help") || !strcmp(word, "-h") || !strcmp(word, "--help"))
		return cli_finish(main_help(argc > 2 ? argv[2] : NULL));
	if (!strcmp(word, "--complete")) {
		complete(argv + 2, argc - 2);
		return cli_finish(CLI_OK);
	}
	if (!strcmp(word, "version") || !strcmp(word, "-V") || !strcmp(word, "--version")) {
		printf("ctrace %s\n", ctrace_version());
		return cli_finish(CLI_OK);
	}
	cli_cmd = command_find(word);
	return cli_finish(cli_cmd ? cli_cmd->run(argc - 1, argv + 1) : run_other(argc, argv));
}
