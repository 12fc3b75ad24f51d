// SPDX-License-Identifier: GPL-2.0-only
/* ctrace blame: who had the CPU while tasks waited for it. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "base/table.h"
#include "commands.h"
#include "count/shares.h"

/* so many containers, those that waited longest: each costs some system calls */
#define SETTINGS_OF	8

static const char usage[] =
"Usage: ctrace blame [OPTIONS] [TARGET...] [-- COMMAND [ARGUMENTS]]\n"
"\n"
"Shows which containers waited for a CPU, and who had the CPU in that time. The\n"
"times of a container add up to all that its tasks waited. CULPRIT is a\n"
"container, host, or:\n"
"  (self)       other tasks of the same container\n"
"  (idle)       nobody: the CPU was idle, and had to wake up\n"
"  (rt limit)   nobody: real-time tasks may not take all of the CPU's time\n"
"  (hypervisor), (interrupts): who had the CPU did not get it, by /proc/stat\n"
"  (throttled)  a quota was used up; 'ctrace throttle' shows which (cpu.max, ...)\n"
"  (earlier)    not known: so many tasks ran since that the module has forgotten\n"
"TOP TASK is the task name with most of the time. If there is more than one\n"
"container, the last rows are the sums of all, (all).\n";

static const struct cli_option options[] = {
	{ .help = "What to show:" },
	OPTION("by", OPT_BY, "KEY",
	       "separately for each comm, pid, tid, reason, ... of the tasks that waited", VIEW_KEYS),
	OPTION("top", OPT_TOP, "N", "only the first N containers"),
	OPTION("sort", OPT_SORT, "COLUMN", "by %s", "waited container"),
	{ 0 },
};

static int groups(struct view *v)
{
	if (v->o.probes.nevents)
		return cli_usage("blame shows sched_blame alone: 'ctrace agg -e \"EVENT => ...\"' counts others");
	if (v->by && strchr(v->by, ','))
		return cli_usage("blame takes one key in --by, as it has three of its own, not '%s'", v->by);
	view_add_group(v, "sched_blame", view_aggregate(v, "count(), sum(duration)", BLAME_KEYS));
	return CLI_OK;
}

static int by_name(const void *a, const void *b, void *arg)
{
	const struct blame_victim *x = a, *y = b;
	struct sbuf s = { 0 }, t = { 0 };
	int r;

	view_put_container(arg, &s, x->cid);
	view_put_container(arg, &t, y->cid);
	r = strcmp(s.s, t.s);
	sbuf_free(&s);
	sbuf_free(&t);
	return r ? r : strcmp(x->by, y->by);
}

static void turn(struct blame *b)
{
	for (size_t i = 0; i < b->n / 2; i++) {
		struct blame_victim x = b->v[i];

		b->v[i] = b->v[b->n - 1 - i];
		b->v[b->n - 1 - i] = x;
	}
}

static void make(struct view *v, struct blame *b)
{
	bool turned;
	const char *column = view_sort_column(v, "waited", &turned);

	blame_make(v, 0, NULL, 0, b);
	if (b->n && !strcasecmp(column, "container"))
		qsort_r(b->v, b->n, sizeof(b->v[0]), by_name, v);
	if (turned)
		turn(b);
}

static void put_ms(struct table *t, uint64_t ns, uint64_t all)
{
	struct sbuf b = { 0 };

	sbuf_printf(&b, "%.1f", (double)ns / 1e6);
	table_right(t, b.s);
	sbuf_reset(&b);
	sbuf_printf(&b, "%.1f%%", all ? 100 * (double)ns / (double)all : 0);
	table_right(t, b.s);
	sbuf_free(&b);
}

static void put_victim(struct view *v, struct table *t, const struct blame_victim *x, const char *name, bool by)
{
	struct sbuf b = { 0 };

	table_str(t, name);
	if (by)
		table_str(t, x->by);
	table_str(t, "(total)");
	put_ms(t, x->ns, x->ns);
	table_end_row(t);
	for (size_t i = 0; i < x->n; i++) {
		const struct blame_culprit *c = &x->v[i];

		table_str(t, "");
		if (by)
			table_str(t, "");
		sbuf_reset(&b);
		blame_put_culprit(v, &b, c);
		table_str(t, b.s);
		put_ms(t, c->ns, x->ns);
		sbuf_reset(&b);
		if (*c->comm)
			sbuf_printf(&b, "%s%s %.0f%%", c->comm, blame_is_observer(c) ? " (the observer)" : "",
				    c->ns ? 100 * (double)c->comm_ns / (double)c->ns : 0);
		table_str(t, b.s);
		table_end_row(t);
	}
	sbuf_free(&b);
}

static void print_text(struct view *v, const struct cgroup_files *f, const struct blame *all, size_t n)
{
	bool by = v->by && *v->by;
	const char *heads[] = { "CONTAINER", v->by, "CULPRIT", "WAITED ms", "%", "TOP TASK" };
	struct sbuf b = { 0 }, head = { 0 };
	struct shares s;
	struct table t;

	sbuf_reset(&head);
	for (const char *s = v->by; by && *s; s++)
		sbuf_putc(&head, (char)toupper((unsigned char)*s));
	/* without --by there is no column for it */
	heads[!by] = "CONTAINER";
	heads[1] = by ? head.s : heads[1];
	table_init(&t, heads + !by, ARRAY_SIZE(heads) - !by);
	for (size_t i = 0; i < n; i++) {
		sbuf_reset(&b);
		view_put_container(v, &b, all->v[i].cid);
		put_victim(v, &t, &all->v[i], b.s, by);
	}
	if (all->n > 1)
		put_victim(v, &t, &all->all, "(all)", by);
	table_print(&t, stdout);
	table_free(&t);
	sbuf_reset(&b);
	for (size_t i = 0; i < n && i < SETTINGS_OF; i++)
		if (shares_read(v, f, &all->v[i], &s))
			shares_put(v, &b, &s);
	if (b.len)
		printf("\n%s\n", b.s);
	sbuf_free(&b);
	sbuf_free(&head);
}

static void json_victim(const struct view *v, struct json *j, const struct cgroup_files *f,
			const struct blame_victim *x)
{
	struct shares s;

	json_open(j, NULL, '{');
	view_json_container(v, j, x->cid, x->cid == CTRACE_CID_ALL);
	if (*x->by)
		json_str(j, "by", x->by);
	json_uint(j, "waited", x->ns);
	blame_json_culprits(v, j, x);
	if (shares_read(v, f, x, &s))
		shares_json(v, j, &s);
	json_close(j, '}');
}

static void print(struct view *v, struct json *j)
{
	struct cgroup_files *f = v->recording ? NULL : cgroup_files_new();
	struct blame all;
	size_t n;

	make(v, &all);
	n = v->top && v->top < all.n ? v->top : all.n;
	for (size_t i = 0; j && i < n; i++)
		json_victim(v, j, i < SETTINGS_OF ? f : NULL, &all.v[i]);
	if (!j)
		print_text(v, f, &all, n);
	cgroup_files_free(f);
	blame_free(&all);
}

static int run_blame(int argc, char **argv)
{
	static const struct view_kind kind = {
		.options = options, .groups = groups, .print = print,
	};

	return view_run(&kind, NULL, argc, argv);
}

const struct command cmd_blame = {
	.name = "blame", .kind = COMMAND_COUNTS, .usage = usage, .options = { options },
	.words = { "@targets" }, .run = run_blame,
};
