// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the program prints as help: each text fits a screen of 80 columns, has three examples, and leads to topics that
 * exist. 'ctrace help' lists the commands and the topics. A shell completes the options that the manual page of the
 * command has. An option that is refused is named as it was typed.
 */
#include <ctype.h>
#include <stdlib.h>
#include <sys/wait.h>
#include "base/util.h"
#include "ktap.h"

#define COLUMNS		80u
#define SCREEN		40u
#define LONG_SCREEN	60u	/* of the list of commands, trace, record, report, and topics */

static char text[1 << 16];

/* Runs ctrace with these words; leaves what it prints, errors too, in text. Returns its status. */
static int run(const char *format, const char *word)
{
	char words[100], line[256];
	size_t n;
	FILE *f;
	int status;

	snprintf(words, sizeof(words), format, word);
	snprintf(line, sizeof(line), "'%s' %s 2>&1", CTRACE, words);
	f = popen(line, "re");
	if (!check(f != NULL))
		return 128;
	n = fread(text, 1, sizeof(text) - 1, f);
	text[n] = '\0';
	status = pclose(f);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

static void fits(const char *what, unsigned int screen)
{
	unsigned int lines = 0, widest = 0, strange = 0, column = 0;

	for (const char *c = text; *c; c++) {
		strange += *c != '\n' && !isprint((unsigned char)*c);
		column = *c == '\n' ? 0 : column + 1;
		lines += *c == '\n';
		widest = column > widest ? column : widest;
	}
	if (!check(lines > 2 && lines <= screen) | !check(widest <= COLUMNS) | !check_eq(strange, 0) | !check_eq(column, 0))
		printf("# 'ctrace %s': %u lines, the longest of %u\n", what, lines, widest);
}

/* Calls fn for each name between the line `from` and an empty line of 'ctrace help'. Returns their number. */
static unsigned int each(const char *from, void (*fn)(const char *name))
{
	static char list[sizeof(text)];
	unsigned int n = 0;
	char *at;

	check_eq(run("help", ""), 0);
	strcpy(list, text);
	at = strstr(list, from);
	if (!check(at != NULL))
		return 0;
	at += strlen(from);
	while (!strncmp(at, "  ", 2)) {
		char *end = at + strcspn(at, "\n"), *next = end + (*end == '\n');

		at[2 + strcspn(at + 2, " \n")] = '\0';
		fn(at + 2);
		n++;
		at = next;
	}
	return n;
}

/* Adds the words of a list to another, each once, in order. */
static void add_word(char *list, const char *word, size_t len)
{
	char known[100];

	snprintf(known, sizeof(known), " %.*s ", (int)len, word);
	if (!strstr(list, known))
		strcat(list, known + 1);
}

/* The long options in the heads of a page's OPTIONS. */
static void options_of_page(const char *command, char *list)
{
	char line[4096];
	bool inside = false, head = false;
	FILE *f;

	snprintf(line, sizeof(line), "'%s/join' '%s/ctrace-%s.1.in'", MAN, MAN, command);
	f = popen(line, "re");
	if (!check(f != NULL))
		return;
	while (fgets(line, sizeof(line), f)) {
		if (!strncmp(line, ".SH", 3))
			inside = !strcmp(line, ".SH OPTIONS\n");
		for (char *at = line; inside && head && (at = strstr(at, "\\-\\-")); at++) {
			char word[100] = "--";
			size_t n = 2;

			for (at += strlen("\\-\\-"); n < sizeof(word) - 1 && (islower((unsigned char)*at) || *at == '\\'); at++)
				if (*at != '\\')
					word[n++] = *at;
				else if (at[1] == '-')
					word[n++] = *++at;
				else
					break;
			add_word(list, word, n);
		}
		head = !strcmp(line, ".TP\n");
	}
	check_eq(pclose(f), 0);
}

static bool has_all(const char *what, const char *list, const char *of, const char *command)
{
	char word[100];
	bool all = true;

	for (const char *at = of; sscanf(at, " %99s", word) == 1; at = strchr(at + 1, ' ') ?: "") {
		char known[110];

		snprintf(known, sizeof(known), " %s ", word);
		if (strstr(list, known))
			continue;
		printf("# %s of '%s' lack %s\n", what, command, word);
		all = false;
	}
	return all;
}

/* Completion, which reads the tables of the command, has the options of the page. */
static void options_are(const char *command)
{
	static char page[8192], told[8192];

	strcpy(page, " ");
	strcpy(told, " ");
	options_of_page(command, page);
	check_eq(run("--complete %s --", command), 0);
	for (char *at = text; *at; at += strcspn(at, "\n") + 1)
		add_word(told, at, strcspn(at, "\t"));
	check(strlen(told) > strlen(" --help "));
	check(has_all("the options", told, page, command) & has_all("OPTIONS of the page", page, told, command));
}

static void topic_is(const char *name)
{
	if (!check_eq(run("help %s", name), 0))
		printf("# there is no topic '%s'\n", name);
	fits(name, LONG_SCREEN);
}

static void command_is(const char *name)
{
	bool is_long = !strcmp(name, "trace") || !strcmp(name, "record") || !strcmp(name, "report");
	static char own[sizeof(text)];
	unsigned int examples = 0;
	char manual[80];
	const char *at;

	check_eq(run("%s --help", name), 0);
	fits(name, is_long ? LONG_SCREEN : SCREEN);
	strcpy(own, text);
	check(!strncmp(own, "Usage: ctrace ", strlen("Usage: ctrace ")));
	at = strstr(own, "\nExamples:\n");
	if (check(at != NULL))
		for (at += strlen("\nExamples:\n"); !strncmp(at, "  ", 2); at += strcspn(at, "\n") + 1)
			examples += at[2] != ' ';
	if (!check_eq(examples, 3))
		printf("# examples of '%s'\n", name);
	snprintf(manual, sizeof(manual), "anual: man ctrace-%s\n", name);
	check(strlen(own) > strlen(manual) && !strcmp(own + strlen(own) - strlen(manual), manual));
	options_are(name);
	/* --json is known to each, and makes its errors JSON */
	check_eq(run("%s --json --nonsense", name), 2);
	check_str(text, "{\"error\":\"unknown option '--nonsense'\"}\n");
	/* as a word of help; it comes last if a topic has the name, too */
	check_eq(run("help %s", name), 0);
	check(strlen(text) >= strlen(own) && !strcmp(text + strlen(text) - strlen(own), own));
	/* the topics that it names */
	for (at = own; (at = strstr(at, ": ctrace help ")); at++) {
		char topic[20];

		if (check_eq(sscanf(at, ": ctrace help %19[a-z]", topic), 1))
			topic_is(topic);
	}
}

static void list(void)
{
	check_eq(run("help", ""), 0);
	fits("help", LONG_SCREEN);
}

/* Each has its heading, and none has two. */
static void each_command(void)
{
	check(each("\nLook at what happens:\n", command_is) >= 5);
	check(each("\nCount:\n", command_is) > 10);
	check(each("\nRecord, and look at it later:\n", command_is) >= 5);
	check(each("\nSet up:\n", command_is) >= 3);
}

static void each_topic(void)
{
	check_eq(each("\nTopics:\n", topic_is), 3);
}

static void unknown(void)
{
	check_eq(run("help %s", "targts"), 2);
	check(strstr(text, "unknown command or topic 'targts' (did you mean 'targets'?)"));
	check_eq(run("help %s", "staus"), 2);
	check(strstr(text, "'status'"));
	/* a topic is no command */
	check_eq(run("%s", "targets"), 2);
	check(strstr(text, "unknown command 'targets'"));
	check(!strstr(text, "did you mean 'targets'"));
}

/* What users of other tools type first: it is the command that it means here, or the error says what to type. */
static void habits(void)
{
	static const char *const commands[][2] = {
		{ "ls", "ps" }, { "list", "ps" }, { "inspect", "explain" }, { "script", "report" }, { "-p 1", "trace" },
		{ "-f", "trace" }, { "-c", "stats" }, { "trace -c", "stats" }, { "trace -f", "trace" },
		{ "trace -f -c -p 1", "stats" }, { "top --once", "top" }, { "top -n 1", "top" }, { "top -d 5", "top" },
		{ "record -a", "record" }, { "stats --all", "stats" },
	};
	static const char *const said[][2] = {
		{ "logs web", "unknown command 'logs': here it is ctrace trace NAME" },
		{ "attach web", "here it is ctrace trace NAME" }, { "exec web ls", "here it is ctrace trace NAME" },
		{ "stop", "Ctrl-C where it runs" }, { "trace -q web", "2> /dev/null" }, { "ps -q", "here it is ctrace ps --columns id" },
		{ "trace -n 5 web", "head -n N" }, { "stats -d 5 web", "--duration N" },
		{ "trace --durations 5 web", "unknown option '--durations' (did you mean '--duration'?)" },
		{ "trace ls -l", "put -- before it: ctrace trace -- ls -l" },
		{ "logs --json", "{\"error\":\"unknown command 'logs'" },
	};
	char manual[80], words[100];

	for (size_t i = 0; i < ARRAY_SIZE(commands); i++) {
		snprintf(words, sizeof(words), "%s --help", commands[i][0]);
		snprintf(manual, sizeof(manual), "man ctrace-%s\n", commands[i][1]);
		if (!check_eq(run("%s", words), 0) | !check(strstr(text, manual)))
			printf("# 'ctrace %s' says: %.200s\n", words, text);
	}
	for (size_t i = 0; i < ARRAY_SIZE(said); i++)
		if (!check_eq(run("%s", said[i][0]), 2) | !check(strstr(text, said[i][1])))
			printf("# 'ctrace %s' says: %s", said[i][0], text);
}

/* Not on a terminal, and without a module: usage, as 'ctrace help' prints it, and status 2. */
static void alone(void)
{
	static char all[sizeof(text)];

	check_eq(run("help %s", "all"), 0);
	strcpy(all, text);
	check_eq(run("help", ""), 0);
	check_str(text, all);
	check_eq(run("", ""), 2);
	check_str(text, all);
}

/* The words are refused with this text. */
static void refused(const char *words, const char *as)
{
	if (!check_eq(run("%s", words), 2) | !check(strstr(text, as)))
		printf("# 'ctrace %s' says: %s", words, text);
}

static void options_refused(void)
{
	/* long, with a value, short, alone and among others, behind a word and behind another option */
	refused("stats --nonsense", ": unknown option '--nonsense'\n");
	refused("trace web --nonsense=5", ": unknown option '--nonsense'\n");
	refused("profile -Z", ": unknown option '-Z'\n");
	refused("snoop exec '-?'", ": unknown option '-?'\n");
	refused("ps -Zw", ": unknown option '-Z'\n");
	refused("ps --follow -Zw", ": unknown option '-Z'\n");
	refused("record --follow -fZ", ": unknown option '-f'\n");
	refused("status --json -jZ", "\"unknown option '-Z'\"");
	refused("top -bZb", ": unknown option '-Z'\n");
	refused("doctor --json -Zj", "\"unknown option '-Z'\"");
	/* no value, and one too many */
	refused("stats --sort", ": option '--sort' needs a value\n");
	refused("stats --so", ": option '--so' needs a value\n");
	refused("trace -e", ": option '-e' needs a value\n");
	refused("report -j --html", "option '--html' needs a value");
	refused("bio -me", ": option '-e' needs a value\n");
	refused("trace --failed=yes", ": option '--failed' takes no value\n");
	refused("hist --hea=5", ": option '--hea' takes no value\n");
	/* the beginning of several */
	refused("trace --st", ": '--st' begins several options: --stack, --state-dump, --stop-when-full\n");
	refused("profile --f=5", ": '--f' begins several options: --frequency, --folded, --failed, --follow, --filter, "
		"--from\n");
	/* an option that flame gives to another command is not typed as that one takes it; an option twice */
	refused("flame --off-cpu --frequency 49 web", "leave --frequency out");
	refused("flame --json --off-cpu --frequency 49 web", "{\"error\":\"");
	refused("hist --heat --heat -Z", ": unknown option '-Z'\n");
}

static const struct ktap_case cases[] = {
	{ "list", list },
	{ "each_command", each_command },
	{ "each_topic", each_topic },
	{ "unknown", unknown },
	{ "habits", habits },
	{ "alone", alone },
	{ "options_refused", options_refused },
};
KTAP_MAIN(cases)
