// SPDX-License-Identifier: GPL-2.0-only
/* ctrace top: what each container does, on a terminal or as tables. */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "commands.h"
#include "top/top.h"

static const char usage[] =
"Usage: ctrace top [OPTIONS] [TARGET...]\n"
"       ctrace top -b [OPTIONS] [TARGET...] [-- COMMAND [ARGUMENTS]]\n"
"\n"
"Shows what each container does: how much CPU time it gets, waits for and is\n"
"denied, its memory, its reads and writes, its packets, calls, errors and page\n"
"faults. All of it is added up in the kernel, so it is exact, and its cost grows\n"
"with the number of containers, not of events.\n"
"On a terminal, Enter leads from a container to its processes, their threads and\n"
"their calls; 'h' lists the other keys; 'q' ends it.\n";

static const struct cli_option options[] = {
	{ .help = "What to show:" },
	OPTION("batch", 'b', NULL,
	       "print a table for each interval, as it does by itself if the output is no terminal"),
	OPTION("by", OPT_BY, "KEY,...", "with -b: separately for each comm, pid, tid, uid, cpu", VIEW_KEYS),
	OPTION("interval", OPT_INTERVAL, "TIME", "1 by default"),
	OPTION("sort", OPT_SORT, "COLUMN", "by %s",
	       "cpu wait throttled procs threads memory read write disk_read disk_write rx tx "
	       "calls errors faults engine "
	       "name image id"),
	{ 0 },
};

#define ROWS_LEAST	256u
#define BRIEF_ROWS	20	/* of a first look */
#define ROWS_MOST	(1u << 18)	/* of a table, on all CPUs together */

static bool option(struct view *v, int opt, int *status)
{
	struct top *t = v->own;

	(void)status;
	if (opt != 'b')
		return false;
	t->batch = true;
	return true;
}

static int words(struct view *v, char ***words, int *n)
{
	struct top *t = v->own;

	(void)words;
	(void)n;
	t->view = v;
	v->screen = !t->batch && !cli_json && !v->explain && !v->recording && isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
	if (v->screen && v->o.command)
		return cli_usage("a COMMAND would write over the screen: use 'ctrace top -b ... -- COMMAND'");
	if (v->screen && v->by)
		return cli_usage("--by is for tables: add -b; on the screen, Enter shows a container's processes");
	if (v->screen && (v->count || v->top))
		return cli_usage("--%s is for tables: add -b", v->count ? "count" : "top");
	return CLI_OK;
}

static int one_more(const struct ctrace_container *c, void *arg)
{
	*(uint32_t *)arg += !(c->flags & CTRACE_CONTAINER_F_DEAD);
	return 0;
}

static int groups(struct view *v)
{
	uint32_t n = 0, cpus = (uint32_t)sysconf(_SC_NPROCESSORS_CONF);
	struct top *t = v->own;
	int status;

	/* twice as many as there are: more will come, and what there are few kinds of has a few rows each */
	if (!v->rows && !v->recording) {
		ctrace_container_each(v->run.ct, one_more, &n);
		v->rows = 2 * n;
		if (v->rows > ROWS_MOST / cpus)
			v->rows = ROWS_MOST / cpus;
		if (v->rows < ROWS_LEAST)
			v->rows = ROWS_LEAST;
	}
	status = top_column_find(t, TOP_CONTAINERS, v->sort ? v->sort : "cpu", &t->sort, &t->turned);
	return status == CLI_OK ? top_sources(t) : status;
}

/* Takes the interval that has just ended. */
static void take(struct top *t)
{
	struct view *v = t->view;
	bool all = (!v->screen && !v->top) || top_column_is_fact(t->sort);
	size_t first = v->top;

	t->interval++;
	t->ns = v->until - v->since;
	top_lines_take(t);
	/* what is shown or ordered by must be there; the rest has time */
	if (t->interval == 1 && !v->recording && all)
		top_facts_read(t, 0, true);
	top_sort(t, &t->lines, t->sort, t->turned);
	if (!first || first > TOP_FACTS)
		first = TOP_FACTS;
	if (!v->recording && !(t->interval == 1 && all))
		top_facts_read(t, first, false);
}

static size_t shown(const struct top *t)
{
	return t->view->top && t->view->top < t->lines.n ? t->view->top : t->lines.n;
}

static void print_table(const struct top *t)
{
	const struct top_column *c[TABLE_COLUMNS];
	const char *heads[TABLE_COLUMNS];
	struct sbuf b = { 0 };
	struct table table;
	size_t n = top_columns(t, TOP_CONTAINERS, c, ARRAY_SIZE(c));

	for (size_t i = 0; i < n; i++)
		heads[i] = c[i]->head;
	table_init(&table, heads, n);
	for (size_t i = 0; i < shown(t); i++) {
		for (size_t k = 0; k < n; k++) {
			sbuf_reset(&b);
			top_column_put(t, c[k], t->lines.v[i], t->ns, &b);
			(top_column_is_text(c[k]) ? table_str : table_right)(&table, b.s);
		}
		table_end_row(&table);
	}
	table_print(&table, stdout);
	if (t->brief && shown(t) < t->lines.n)
		printf("and %zu more: ctrace top\n", t->lines.n - shown(t));
	table_free(&table);
	sbuf_free(&b);
}

static void print(struct view *v, struct json *j)
{
	struct top *t = v->own;

	if (v->screen && top_screen_paused(t->screen))
		return;
	take(t);
	if (v->screen)
		top_screen_show(t->screen);
	else if (!j)
		print_table(t);
	for (size_t i = 0; j && i < shown(t); i++)
		top_json(t, j, t->lines.v[i]);
}

static int keys(struct view *v)
{
	struct top *t = v->own;

	if (!t->screen)
		t->screen = top_screen_open(t);
	if (!t->screen)
		return -1;
	return top_screen_keys(t->screen) ? 1 : 0;
}

static void leave(struct view *v)
{
	struct top *t = v->own;

	top_screen_close(t->screen);
	t->screen = NULL;
}

static int run_as(bool brief, int argc, char **argv)
{
	static const struct view_kind kind = {
		.options = options, .option = option, .words = words, .groups = groups, .print = print,
		.interval = NSEC_PER_SEC, .sorts = true, .keys = keys, .leave = leave,
	};
	struct top t = { .brief = brief };
	int status;

	t.files = cgroup_files_new();
	status = view_run(&kind, &t, argc, argv);
	top_lines_free(&t.lines);
	cgroup_files_free(t.files);
	return status;
}

static int run_top(int argc, char **argv)
{
	return run_as(false, argc, argv);
}

int top_brief(void)
{
	static char *argv[] = { "top", "--batch", "--count", "1", "--top", TEXT_OF(BRIEF_ROWS), NULL };

	return run_as(true, ARRAY_SIZE(argv) - 1, argv);
}

const struct command cmd_top = {
	.name = "top", .kind = COMMAND_COUNTS, .usage = usage, .options = { options },
	.words = { "@targets" }, .run = run_top,
};
