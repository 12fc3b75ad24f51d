// SPDX-License-Identifier: GPL-2.0-only
/* ctrace ps: lists the containers that the kernel sees. */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "commands.h"
#include "base/cli.h"
#include "names/ctable.h"
#include "names/processes.h"
#include "base/table.h"

static const char usage[] =
"Usage: ctrace ps [OPTIONS]\n"
"\n"
"Lists all containers that the kernel sees, with the names that podman, docker,\n"
"containerd, CRI-O, crun and runc keep on disk.\n"
"\n"
"Options:\n"
"  -a, --all   list the host, too, and containers that have just ended\n"
"  -j, --json  print one JSON object per line\n"
"  -h, --help  this text\n"
"\n"
"Fields:\n"
"  CID      the container's number: every event has it; it is never given twice\n"
"  NAME     its name, else its id or its cgroup's name\n"
"  RUNTIME  the tool that made it, if known\n"
"  INIT     its first process, as the host numbers it\n"
"  PROCS    number of processes in its cgroup and below\n"
"  AGE      time since ctrace first saw it\n"
"  PARENT   number of the container that it is nested in; - for none\n"
"  CGROUP   its cgroup\n"
"\n"
"Examples:\n"
"  ctrace ps\n"
"  ctrace ps --json | jq -r .name\n";

static int by_cid(const void *a, const void *b)
{
	const struct centry *x = *(struct centry *const *)a, *y = *(struct centry *const *)b;

	return x->c.cid < y->c.cid ? -1 : x->c.cid > y->c.cid;
}

static void put_row(struct table *t, const struct centry *e, const struct processes *running)
{
	const struct ctrace_container *c = &e->c;
	uint64_t now = clock_ns(CLOCK_MONOTONIC);
	long procs = processes_in(running, c);
	struct sbuf age = { 0 };

	table_num(t, c->cid);
	table_str(t, e->shown);
	table_str(t, e->runtime[0] ? e->runtime : "-");
	if (c->init_pid)
		table_num(t, c->init_pid);
	else
		table_str(t, "-");
	if (procs >= 0)
		table_num(t, (uint64_t)procs);
	else
		table_str(t, "-");
	if (c->flags & CTRACE_CONTAINER_F_DEAD)
		sbuf_puts(&age, "gone");
	else
		sbuf_duration(&age, c->first_seen && now > c->first_seen ? now - c->first_seen : 0);
	table_str(t, c->cid == CTRACE_CID_HOST ? "-" : age.s);
	sbuf_free(&age);
	if (c->parent)
		table_num(t, c->parent);
	else
		table_str(t, "-");
	table_str(t, c->path[0] ? c->path : "-");
	table_end_row(t);
}

static void put_json(const struct centry *e, const struct processes *running)
{
	struct sbuf b = { 0 };
	struct json j = { .out = &b };
	long procs = processes_in(running, &e->c);

	json_open(&j, NULL, '{');
	ctable_json(&j, e);
	if (procs >= 0)
		json_uint(&j, "procs", (uint64_t)procs);
	json_close(&j, '}');
	json_line(&j);
	fputs(b.s, stdout);
	sbuf_free(&b);
}

static int show(struct ctrace *ct, bool all)
{
	static const char *const heads[] = {
		"CID", "NAME", "RUNTIME", "INIT", "PROCS", "AGE", "PARENT", "CGROUP",
	};
	struct ctable *ctable = ctable_new(ct);
	struct processes *running = NULL;
	struct centry **list, *e;
	struct table t;
	size_t n = 0;
	int status = CLI_OK;

	if (ctable_list(ctable)) {
		status = cli_error("%s", ctrace_errmsg(ct));
		goto out;
	}
	list = xcalloc(ctable->n, sizeof(list[0]));
	for (size_t i = 0; (e = ctable_next(ctable, &i));)
		if (all || (e->c.cid != CTRACE_CID_HOST && !(e->c.flags & CTRACE_CONTAINER_F_DEAD)))
			list[n++] = e;
	qsort(list, n, sizeof(list[0]), by_cid);
	running = processes_read();
	table_init(&t, heads, ARRAY_SIZE(heads));
	for (size_t i = 0; i < n; i++) {
		e = ctable_get(ctable, list[i]->c.cid);
		if (cli_json)
			put_json(e, running);
		else
			put_row(&t, e, running);
	}
	if (!cli_json)
		table_print(&t, stdout);
	table_free(&t);
	free(list);
out:
	processes_free(running);
	ctable_free(ctable);
	return status;
}

static int run_ps(int argc, char **argv)
{
	static const struct option longs[] = {
		{ "all", no_argument, NULL, 'a' },
		{ "json", no_argument, NULL, 'j' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	struct ctrace *ct;
	bool all = false;
	int opt, status;

	while ((opt = getopt_long(argc, argv, ":ajh", longs, NULL)) != -1) {
		if (opt == 'h')
			return cli_help(cli_cmd);
		if (opt == 'a')
			all = true;
		else if (opt != 'j')
			return cli_bad_option(opt, argv);
	}
	if (optind < argc)
		return cli_usage("ps takes no arguments");
	ct = cli_open();
	if (!ct)
		return CLI_FAIL;
	status = show(ct, all);
	ctrace_close(ct);
	return status;
}

const struct command cmd_ps = {
	.name = "ps",
	.summary = "list containers",
	.usage = usage,
	.run = run_ps,
};
