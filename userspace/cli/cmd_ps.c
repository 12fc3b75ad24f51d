// SPDX-License-Identifier: GPL-2.0-only
/* ctrace ps: lists the containers that the kernel sees. */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "commands.h"
#include "base/cli.h"
#include "names/pods.h"
#include "run/births.h"
#include "run/which.h"
#include "run/word.h"
#include "show/ps_columns.h"

static const char usage[] =
"Usage: ctrace ps [OPTIONS] [TARGET...]\n"
"\n"
"Lists all containers that the kernel sees, or those that TARGETs mean: names,\n"
"globs, ids, numbers, image:, label:, runtime:, pod: and ns:. Their names are\n"
"those that podman, docker, containerd, CRI-O, crun and runc keep on disk, or\n"
"that are in /run/ctrace/names.d.\n";

static const char notes[] =
"Fields:\n"
"  CID      the container's number: every event has it; it is never given twice\n"
"  NAME     its name, else its id or its cgroup's name; if another has the same,\n"
"           NAMESPACE/POD/CONTAINER or db#7\n"
"  RUNTIME  the tool that made it, if known\n"
"  INIT     its first process, as the host numbers it\n"
"  PROCS    number of processes in its cgroup and below, or in its pid namespace\n"
"  AGE      time since ctrace first saw it\n"
"  PARENT   number of the container in which it is nested; - for none\n"
"  CGROUP   its cgroup\n"
"  CPU      CPU time that it has used\n"
"  MEM      memory that it has now\n"
"  ID       its id, shortened\n"
"  NAMESPACE, POD, POD_UID, CONTAINER, RESTARTS, IMAGE, LABELS\n"
"           from the file that gave its name\n";

static const struct cli_option options[] = {
	{ .help = "Options:" },
	OPTION("all", 'a', NULL, "list the host, too, and containers that have just ended"),
	OPTION("wide", 'w', NULL, "show also CPU, MEM, NAMESPACE, POD, ID, IMAGE, LABELS"),
	OPTION("columns", 'c', "LIST", "show these columns: name,pod,restarts,cpu,mem", ",@columns"),
	OPTION("tree", 't', NULL,
	       "list each container below its pod, and below the container in which it is nested"),
	OPTION("follow", 'f', NULL, "print a line for each container that is born or dies, as it happens"),
	OPTION("json", 'j', NULL, "print one JSON object per line"),
	OPTION("help", 'h', NULL, "this text"),
	{ 0 },
};

struct show {
	bool all, tree;
	char **words;		/* the containers that are wanted; NULL at the end. None: all */
	struct ps_columns columns;
};

static int by_cid(const void *a, const void *b)
{
	const struct centry *x = *(struct centry *const *)a, *y = *(struct centry *const *)b;

	return x->c.cid < y->c.cid ? -1 : x->c.cid > y->c.cid;
}

static void put_json(const struct ctable *t, const struct centry *e, const struct ps_columns *c)
{
	struct sbuf b = { 0 };
	struct json j = { .out = &b };
	long procs = processes_in(c->running, &e->c);
	uint64_t v;

	json_open(&j, NULL, '{');
	ctable_json(&j, t, e);
	if (procs >= 0)
		json_uint(&j, "procs", (uint64_t)procs);
	if (cgroup_cpu_used(c->files, &e->c, &v))
		json_uint(&j, "cpu_ns", v);
	if (cgroup_memory_used(c->files, &e->c, &v))
		json_uint(&j, "memory", v);
	json_close(&j, '}');
	json_line(&j);
	fputs(b.s, stdout);
	sbuf_free(&b);
}

/* A container and whose child it is in the tree: the host's, if its parent is not listed. */
struct node {
	struct centry *e;
	uint32_t parent;
};

struct tree {
	struct node *v;		/* by parent, pod and number */
	size_t n;
	struct row *rows;
	size_t nrows;
};

static int in_order(const void *a, const void *b)
{
	const struct node *x = a, *y = b;
	int pod = pod_compare(x->e, y->e);

	if (x->parent != y->parent)
		return x->parent < y->parent ? -1 : 1;
	if (pod)
		return pod;
	return by_cid(&x->e, &y->e);
}

/* Puts the children of parent: first containers without a pod, then pods, and below each its containers. */
static void put_children(struct tree *t, uint32_t parent, unsigned int depth)
{
	size_t lo = 0, hi = t->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (t->v[mid].parent < parent)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (size_t i = lo; i < t->n && t->v[i].parent == parent; i++) {
		struct centry *e = t->v[i].e;

		if (e->r.pod && (i == lo || pod_compare(t->v[i - 1].e, e)))
			t->rows[t->nrows++] = (struct row){ e, depth, true };
		t->rows[t->nrows++] = (struct row){ e, depth + !!e->r.pod, false };
		/* all are the host's: those stand at the margin */
		if (e->c.cid != CTRACE_CID_HOST)
			put_children(t, e->c.cid, depth + 1 + !!e->r.pod);
	}
}

/* Puts each below its pod and its parent. list is by number. */
static struct row *make_tree(struct centry **list, size_t n, size_t *rows)
{
	struct tree t = { .n = n };

	t.v = xcalloc(n + 1, sizeof(t.v[0]));
	t.rows = xcalloc(2 * n + 1, sizeof(t.rows[0]));
	for (size_t i = 0; i < n; i++) {
		struct centry key = { .c.cid = list[i]->c.parent }, *parent = &key;
		bool listed = bsearch(&parent, list, n, sizeof(list[0]), by_cid);

		t.v[i] = (struct node){ list[i], listed ? key.c.cid : CTRACE_CID_HOST };
	}
	qsort(t.v, n, sizeof(t.v[0]), in_order);
	put_children(&t, CTRACE_CID_HOST, 0);
	free(t.v);
	*rows = t.nrows;
	return t.rows;
}

static struct row *make_list(struct centry **list, size_t n, size_t *rows)
{
	struct row *v = xcalloc(n + 1, sizeof(v[0]));

	for (size_t i = 0; i < n; i++)
		v[i].e = list[i];
	*rows = n;
	return v;
}

static void print(const struct show *o, const struct ctable *all, const struct row *rows, size_t n)
{
	struct table t;

	ps_columns_init_table(&o->columns, &t);
	for (size_t i = 0; i < n; i++) {
		if (!cli_json)
			ps_columns_put(&o->columns, &t, &rows[i]);
		else if (!rows[i].pod)
			put_json(all, rows[i].e, &o->columns);
	}
	if (!cli_json)
		table_print(&t, stdout);
	table_free(&t);
}

/* Keeps the containers that a word means. Status after a message, if a word means none. */
static int choose(struct ctable *t, struct centry **list, size_t *n, char **words)
{
	size_t left = 0;

	for (char **word = words; *word; word++) {
		struct centry *one = NULL;
		int status = CLI_OK;
		size_t before = left;
		struct word w;

		status = word_parse(&w, t, *word);
		if (status == CLI_OK && w.plain)
			one = which_target(t, *word, &status);
		if (status != CLI_OK)
			return status;
		/* those that are kept stand first */
		for (size_t i = left; i < *n; i++) {
			struct centry *e = list[i];

			if (w.plain ? e != one : !word_matches(t, e, &w))
				continue;
			list[i] = list[left];
			list[left++] = e;
		}
		if (left == before && !w.plain)
			return cli_error("no container is '%s': 'ctrace ps --wide' has what is known of them",
					 *word);
	}
	*n = left;
	return CLI_OK;
}

static int show(struct ctrace *ct, struct show *o)
{
	struct ctable *ctable = ctable_new(ct);
	struct processes *running;
	struct centry **list, *e;
	struct cgroup_files *files;
	struct row *rows;
	int status = CLI_OK;
	size_t n = 0;

	if (ctable_list(ctable)) {
		ctable_free(ctable);
		return cli_error("%s", ctrace_errmsg(ct));
	}
	list = xcalloc(ctable->n, sizeof(list[0]));
	for (size_t i = 0; (e = ctable_next(ctable, &i));)
		if (o->all || (e->c.cid != CTRACE_CID_HOST && !(e->c.flags & CTRACE_CONTAINER_F_DEAD)))
			list[n++] = e;
	for (size_t i = 0; i < n; i++)
		ctable_get(ctable, list[i]->c.cid);
	if (*o->words)
		status = choose(ctable, list, &n, o->words);
	qsort(list, n, sizeof(list[0]), by_cid);
	o->columns.running = running = processes_read();
	o->columns.files = files = cgroup_files_new();
	o->columns.now = clock_ns(CLOCK_MONOTONIC);
	rows = o->tree ? make_tree(list, n, &n) : make_list(list, n, &n);
	if (status == CLI_OK)
		print(o, ctable, rows, n);
	cgroup_files_free(files);
	processes_free(running);
	free(rows);
	free(list);
	ctable_free(ctable);
	return status;
}

static int run_ps(int argc, char **argv)
{
	struct getopts g = getopts_of(options);
	struct ctrace *ct;
	const char *columns = NULL;
	struct show o = { 0 };
	bool follow = false;
	int opt, status;

	while ((opt = getopt_long(argc, argv, g.shorts, g.longs, NULL)) != -1) {
		if (opt == 'h')
			return cli_help(cli_cmd);
		if (opt == 'a')
			o.all = true;
		else if (opt == 'w')
			columns = PS_COLUMNS_WIDE;
		else if (opt == 'c')
			columns = optarg;
		else if (opt == 't')
			o.tree = true;
		else if (opt == 'f')
			follow = true;
		else if (opt != 'j')
			return cli_bad_option(opt, argv, &g);
	}
	o.words = argv + optind;
	if (follow && (o.all || o.tree || columns || *o.words))
		return cli_usage("--follow has lines of its own: --json is the only option that goes with it");
	status = ps_columns_parse(&o.columns, columns ? columns : PS_COLUMNS_DEFAULT);
	if (status != CLI_OK)
		return status;
	ct = cli_open();
	if (!ct)
		return CLI_FAIL;
	status = follow ? births_follow(ct) : show(ct, &o);
	ctrace_close(ct);
	return status;
}

const struct command cmd_ps = {
	.name = "ps", .usage = usage, .options = { options }, .notes = notes,
	.words = { "@containers" }, .run = run_ps,
};
