// SPDX-License-Identifier: GPL-2.0-only
/* ctrace profile: which functions the CPUs' time goes to, by samples with their stacks. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "commands.h"
#include "count/view.h"

#define TOP_DEFAULT	20

static const char usage[] =
"Usage: ctrace profile [OPTIONS] [TARGET...] [-- COMMAND [ARGUMENTS]]\n"
"\n"
"Shows which functions, of the kernel and of programs, use the CPUs: it samples\n"
"what each CPU runs. Stacks are counted in the kernel, in a table of fixed size,\n"
"so it may run for hours.\n"
"SELF is the share of samples in the function itself, TOTAL the share in it and\n"
"in what it called.\n";

enum { OPT_STACKS = OPT_VIEW_OWN, OPT_UNWOUND };

static const struct cli_option options[] = {
	{ .help = "What to show:" },
	OPTION("frequency", 'F', "HZ", "samples a second on each CPU (default " TEXT_OF(SAMPLES_HZ) ")"),
	OPTION("stacks", OPT_STACKS, NULL, "stacks, and how often each was seen, not functions"),
	OPTION("folded", OPT_FOLDED, "FILE",
	       "at the end, write a line for each stack, for flame graphs; FILE - is standard output"),
	OPTION("by", OPT_BY, "KEY", "separately for each comm, tid, pid, cpu, ...: one key", VIEW_KEYS),
	OPTION("top", OPT_TOP, "N", "N functions of each container (default " TEXT_OF(TOP_DEFAULT) ")"),
	OPTION("sort", OPT_SORT, "COLUMN", "by %s", "self total function"),
	OPTION("stack", OPT_UNWOUND, "[=WHICH]", NULL),
	{ 0 },
};

struct own {
	bool stacks;
	uint32_t hz;
};

static bool option(struct view *v, int opt, int *status)
{
	struct own *own = v->own;

	if (opt == OPT_STACKS) {
		own->stacks = v->rows_alone = true;
	} else if (opt == 'F') {
		if (parse_u32(optarg, &own->hz) || !own->hz)
			*status = cli_usage("--frequency needs a number of 1 or more, not '%s'", optarg);
	} else if (opt == OPT_FOLDED) {
		v->folded = optarg;
	} else if (opt == OPT_UNWOUND) {
		*status = cli_usage("the kernel counts these stacks, and cannot unwind them: 'ctrace record -F %u --stack=dwarf "
				    "-o DIR', then --input DIR", own->hz);
	} else {
		return false;
	}
	view_check_folded(v, status);
	return true;
}

static int groups(struct view *v)
{
	const struct own *own = v->own;
	bool process = view_list_has(v->by, "pid") || view_list_has(v->by, "tid");
	char *event = xasprintf("sample:%u", own->hz);
	int status = v->o.probes.longer ? cli_usage("--longer does not apply to samples") :
		view_one_event(&v->o, event, NULL);

	free(event);
	if (status == CLI_OK && v->by && strchr(v->by, ','))
		status = cli_usage("--by takes one key here: the process and its two stacks are the others");
	if (status != CLI_OK)
		return status;
	/* a user stack's addresses are a process's own */
	v->merges = v->folded && !process;
	if (v->folded && !v->by)
		view_add_group(v, NULL, xstrdup("count() by comm, pid, ustack, stack"));
	else
		view_add_group(v, NULL, view_aggregate(v, "count()", process ? "ustack, stack" :
						       "pid, ustack, stack"));
	return CLI_OK;
}

/* --- functions ------------------------------------------------------------------ */

struct function {
	uint32_t cid;
	char *by, *name;
	uint64_t self, total;
	bool other;
};

/* name "": the whole block */
struct functions {
	struct function *v;
	size_t n, room;
};

static void add(struct functions *f, uint32_t cid, const char *by, const char *name, uint64_t self, uint64_t total)
{
	if (f->n == f->room) {
		f->room = f->room ? 2 * f->room : 1024;
		f->v = xrealloc(f->v, f->room * sizeof(f->v[0]));
	}
	f->v[f->n++] = (struct function){ cid, xstrdup(by), xstrdup(name), self, total, !strcmp(name, "(other)") };
}

/* A frame's function, without the offset. */
static void put_function(struct view *v, struct sbuf *b, const struct view_row *row, uint32_t key,
			 const uint64_t *frames, uint32_t i)
{
	const char *name = view_frame(v, row, key, frames, i), *plus = strstr(name, "+0x"), *file = plus ? strstr(plus, " [") : NULL;
	bool user = row->t->t->keys[key].kind == CTRACE_TABLE_KEY_USTACK;

	sbuf_reset(b);
	if (!strncmp(name, "0x", 2)) {
		sbuf_puts(b, user ? "(unknown)" : "(unknown) [kernel]");
		return;
	}
	sbuf_put(b, name, plus ? (size_t)(plus - name) : strlen(name));
	/* of a file without symbols, only its own name is known */
	if (file)
		sbuf_puts(b, file);
	else if (!user)
		sbuf_puts(b, " [kernel]");
}

struct chain {
	char **v;
	size_t n, room;
};

static void chain_add(struct chain *c, const char *name)
{
	for (size_t i = 0; i < c->n; i++)
		if (!strcmp(c->v[i], name))
			return;
	if (c->n == c->room) {
		c->room = c->room ? 2 * c->room : 64;
		c->v = xrealloc(c->v, c->room * sizeof(c->v[0]));
	}
	c->v[c->n++] = xstrdup(name);
}

/* The functions of a row, the innermost first, each once. */
static void chain_of(struct view *v, struct chain *c, const struct view_row *row)
{
	static const uint32_t kinds[] = { CTRACE_TABLE_KEY_STACK, CTRACE_TABLE_KEY_USTACK };
	const struct ctrace_table *t = row->t->t;
	struct sbuf b = { 0 };

	for (size_t kind = 0; kind < ARRAY_SIZE(kinds); kind++) {
		for (uint32_t k = 0; k < t->nkeys; k++) {
			const uint64_t *frames;
			uint32_t n;

			if (t->keys[k].kind != kinds[kind])
				continue;
			frames = ctrace_row_stack(row->t->gain, row->r, k, &n);
			for (uint32_t i = 0; i < n; i++) {
				put_function(v, &b, row, k, frames, i);
				chain_add(c, b.s);
			}
		}
	}
	sbuf_free(&b);
}

static void take(struct view *v, struct functions *f, const struct view_row *row)
{
	const struct ctrace_table *t = row->t->t;
	uint64_t n = view_events(t, row->r->values);
	uint32_t cid = row->r->cid;
	bool other = row->r->other || cid == CTRACE_CID_ALL;
	struct chain c = { 0 };
	struct sbuf by = { 0 };

	sbuf_reset(&by);
	for (uint32_t k = 0; !other && k < t->nkeys; k++) {
		if (!v->by || t->keys[k].kind >= CTRACE_TABLE_KEY_STACK || !view_list_has(v->by, t->keys[k].name))
			continue;
		sbuf_printf(&by, "%s = ", t->keys[k].name);
		view_put_key(v, &by, row, k);
	}
	if (!other)
		chain_of(v, &c, row);
	if (!c.n)
		chain_add(&c, other ? "(other)" : "(no stack)");
	add(f, cid, by.s, "", n, n);
	for (size_t i = 0; i < c.n; i++) {
		add(f, cid, by.s, c.v[i], i ? 0 : n, n);
		free(c.v[i]);
	}
	free(c.v);
	sbuf_free(&by);
}

static int by_place(const void *a, const void *b)
{
	const struct function *x = a, *y = b;
	int r;

	if (x->cid != y->cid)
		return x->cid < y->cid ? -1 : 1;
	r = strcmp(x->by, y->by);
	return r ? r : strcmp(x->name, y->name);
}

static int by_column(const void *a, const void *b, void *arg)
{
	const struct function *x = a, *y = b;
	bool turned;
	const char *column = view_sort_column(arg, "self", &turned);
	uint64_t wx = x->self, wy = y->self;
	int r;

	if (!strcasecmp(column, "total")) {
		wx = x->total;
		wy = y->total;
	}
	r = wx > wy ? -1 : wx < wy;
	if (!r && !strcasecmp(column, "self"))
		r = x->total > y->total ? -1 : x->total < y->total;
	if (!r || !strcasecmp(column, "function"))
		r = strcmp(x->name, y->name);
	return turned ? -r : r;
}

/* All functions of the period, in blocks; the first of a block is the block itself. */
static void make(struct view *v, struct functions *f)
{
	struct view_rows rows;
	const char *sort = v->sort;
	uint32_t top = v->top;
	size_t n = 0;

	memset(f, 0, sizeof(*f));
	/* these two are about functions */
	v->sort = NULL;
	v->top = 0;
	view_rows_get(v, 0, &rows);
	v->sort = sort;
	v->top = top;
	for (size_t i = 0; i < rows.n; i++)
		take(v, f, &rows.v[i]);
	free(rows.v);
	if (f->n)
		qsort(f->v, f->n, sizeof(f->v[0]), by_place);
	for (size_t i = 0; i < f->n; i++) {
		if (!n || by_place(&f->v[n - 1], &f->v[i])) {
			f->v[n++] = f->v[i];
			continue;
		}
		f->v[n - 1].self += f->v[i].self;
		f->v[n - 1].total += f->v[i].total;
		free(f->v[i].by);
		free(f->v[i].name);
	}
	f->n = n;
	for (size_t i = 0, end; i < f->n; i = end) {
		for (end = i + 1; end < f->n && *f->v[end].name; end++)
			;
		qsort_r(&f->v[i + 1], end - i - 1, sizeof(f->v[0]), by_column, v);
	}
}

static void functions_free(struct functions *f)
{
	for (size_t i = 0; i < f->n; i++) {
		free(f->v[i].by);
		free(f->v[i].name);
	}
	free(f->v);
}

/* --- text and JSON ---------------------------------------------------------------- */

static double share(uint64_t n, const struct function *block)
{
	return block->total ? 100 * (double)n / (double)block->total : 0;
}

/* f: a block of n, the block itself first */
static void put_block(struct view *v, struct sbuf *b, const struct function *f, size_t n)
{
	const struct own *own = v->own;
	size_t top = v->top ? v->top : TOP_DEFAULT;
	uint64_t rest = 0;

	sbuf_puts(b, "container = ");
	view_put_container(v, b, f->cid);
	sbuf_printf(b, "%s%s, ", *f->by ? ", " : "", f->by);
	sbuf_count(b, f->total, "sample");
	/* a recording does not have the rate of its samples */
	if (!v->recording) {
		sbuf_puts(b, ", about ");
		put_ns(b, f->total * NSEC_PER_SEC / own->hz);
		sbuf_puts(b, " of a CPU");
	}
	sbuf_puts(b, "\n   SELF   TOTAL   SAMPLES  FUNCTION\n");
	for (size_t i = 1; i < n; i++) {
		if (i > top) {
			rest += f[i].self;
			continue;
		}
		sbuf_printf(b, "%6.2f%% %6.2f%% %9llu  %s\n", share(f[i].self, f), share(f[i].total, f),
			    (unsigned long long)f[i].self, f[i].name);
	}
	if (n - 1 > top)
		sbuf_printf(b, "%6.2f%%         %9llu  (%zu more functions)\n", share(rest, f),
			    (unsigned long long)rest, n - 1 - top);
}

static void print_text(struct view *v, const struct functions *f)
{
	struct sbuf b = { 0 };

	for (size_t i = 0, end; i < f->n; i = end) {
		for (end = i + 1; end < f->n && *f->v[end].name; end++)
			;
		sbuf_puts(&b, i ? "\n" : "");
		put_block(v, &b, &f->v[i], end - i);
	}
	fputs(b.s ? b.s : "", stdout);
	sbuf_free(&b);
}

static void print_json(struct view *v, struct json *j, const struct functions *f)
{
	size_t place = 0;

	for (size_t i = 0; i < f->n; i++) {
		const struct function *x = &f->v[i];

		place = *x->name ? place + 1 : 0;
		if (!place || (v->top && place > v->top))
			continue;
		json_open(j, NULL, '{');
		view_json_container(v, j, x->cid, x->other);
		if (*x->by)
			json_str(j, "by", x->by);
		json_str(j, "function", x->name);
		json_uint(j, "self", x->self);
		json_uint(j, "total", x->total);
		json_uint(j, "samples", f->v[i - place].total);
		json_close(j, '}');
	}
}

static void print(struct view *v, struct json *j)
{
	const struct own *own = v->own;
	struct functions f;

	if (own->stacks) {
		view_print(v, j);
		return;
	}
	make(v, &f);
	if (j)
		print_json(v, j, &f);
	else
		print_text(v, &f);
	functions_free(&f);
}

static int run_profile(int argc, char **argv)
{
	static const struct view_kind kind = {
		.options = options, .option = option, .groups = groups, .print = print,
	};
	struct own own = { .hz = SAMPLES_HZ };

	return view_run(&kind, &own, argc, argv);
}

const struct command cmd_profile = {
	.name = "profile", .kind = COMMAND_COUNTS, .usage = usage, .options = { options },
	.words = { "@targets" }, .run = run_profile,
};
