// SPDX-License-Identifier: GPL-2.0-only
/* ctrace report: shows a recording as `ctrace trace` shows events. */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "commands.h"
#include "base/cli.h"
#include "ctf/ctf_read.h"
#include "run/run.h"
#include "show/sink.h"
#include "ctf/sink_ctf.h"

static const char usage[] =
"Usage: ctrace report [OPTIONS] DIR [TARGET...]\n"
"\n"
"Shows what 'ctrace record' wrote into DIR, in the form of 'ctrace trace'. It needs\n"
"neither the kernel module nor any permission other than to read DIR.\n"
"\n"
"TARGET is a container as for 'ctrace trace', by what was known of it when it was\n"
"recorded: a name, glob, id or number, image:, label:, runtime:, pod:, ns:, user:,\n"
"in:, not:, all, host. All that match are shown, one after another too.\n"
"\n"
"Options:\n"
"  -j, --json         print one JSON object per line\n"
"      --relative     show times since the first event, not the time of day\n"
"      --quiet-args   show flags and constants of system calls as plain numbers\n"
"      --folded FILE  print no lines; write each stack and how often it was seen, for\n"
"                     flame graphs; FILE - is standard output\n"
"  -h, --help         this text\n"
"\n"
"Examples:\n"
"  ctrace report /tmp/web | less\n"
"  ctrace report /tmp/all pod:prod/web not:web/proxy\n"
"  ctrace report --json /tmp/web | jq 'select(.errno)'\n"
"  ctrace report --folded web.folded /tmp/web; flamegraph.pl web.folded > web.svg\n"
"  babeltrace2 /tmp/web                 # the same trace, as any CTF reader sees it\n";

static bool has_metadata(const char *dir)
{
	char *p = xasprintf("%s/metadata", dir);
	bool yes = !access(p, F_OK);

	free(p);
	return yes;
}

static int cannot_load(const char *dir, int err)
{
	if (access(dir, F_OK))
		return cli_error("cannot read '%s': %s", dir, strerror(errno));
	if (err == -ENOENT && has_metadata(dir))
		return cli_error("'%s' is a CTF trace, but not from 'ctrace record': try babeltrace2 %s",
				 dir, dir);
	if (err == -ENOENT || err == -ENOTDIR)
		return cli_error("'%s' is not a trace: give the directory that 'ctrace record -o' wrote",
				 dir);
	if (err == -EPROTO)
		return cli_error("'%s' was recorded on a machine with the other byte order: try babeltrace2 %s",
				 dir, dir);
	if (err == -EBADMSG)
		return cli_error("%s/" CTF_SIDE_SCHEMA " is damaged or from a newer ctrace: try babeltrace2 %s",
				 dir, dir);
	return cli_error("cannot read %s/" CTF_SIDE_SCHEMA ": %s", dir, strerror(-err));
}

/* The containers that the TARGETs mean. */
struct chosen {
	struct ctable *table;
	struct targets in, out;
	bool all;
};

static bool has(const struct targets *ts, uint32_t cid)
{
	for (size_t i = 0; i < ts->n; i++)
		if (ts->v[i].cid == cid)
			return true;
	return false;
}

/* A container is chosen, or left out, with those around it. */
static bool is_chosen(const struct chosen *c, uint32_t cid)
{
	const struct centry *e;
	bool in = c->all;

	for (int depth = 0; depth < 64; depth++) {
		if (has(&c->out, cid))
			return false;
		in |= has(&c->in, cid);
		e = ctable_find(c->table, cid);
		if (!e || !e->known || e->c.parent == CTRACE_CID_HOST)
			break;
		cid = e->c.parent;
	}
	return in;
}

static int choose_word(struct chosen *c, struct targets *ts, char *word)
{
	static const char *const others[] = { "pid:", "cgroup:", "unit:" };
	struct word w;
	int status;

	if (!strcmp(word, "all")) {
		c->all |= ts == &c->in;
		return ts == &c->in ? CLI_OK : cli_usage("all cannot be left out");
	}
	status = word_parse(&w, c->table, word);
	for (size_t i = 0; i < ARRAY_SIZE(others) && status == CLI_OK; i++)
		if (!strncmp(w.text, others[i], strlen(others[i])))
			return cli_usage("'%s': a recording tells containers apart, not processes and cgroups", word);
	if (status != CLI_OK || targets_add_matching(ts, c->table, &w))
		return status;
	/* the only one of that name may be a user's; and there are numbers and short ids */
	if (w.plain)
		return targets_parse(ts, c->table, &word, 1, true);
	return cli_error("no container in this recording is '%s'", word);
}

static int choose(struct chosen *c, char **words, int n)
{
	int status = CLI_OK;

	c->all = true;
	for (int i = 0; i < n && status == CLI_OK; i++) {
		bool not = words[i][0] == '!' || !strncmp(words[i], "not:", 4);

		if (not)
			status = choose_word(c, &c->out, words[i] + (words[i][0] == '!' ? 1 : 4));
		else
			c->all = false;
	}
	for (int i = 0; i < n && status == CLI_OK; i++)
		if (words[i][0] != '!' && strncmp(words[i], "not:", 4))
			status = choose_word(c, &c->in, words[i]);
	return status;
}

/* Frees the sink, which may write its lines only then. */
static int show(struct ctf_reader *r, struct sink *sink, const struct chosen *c, FILE *out, const char *dir)
{
	const struct ctrace_record *rec;
	struct sbuf b = { 0 };
	const char *file, *why;
	int status = CLI_OK;
	uint64_t lost, all = 0;

	while ((rec = ctf_reader_next(r, &lost)) || lost) {
		if (lost)
			sink_lost(sink, "discarded", lost);
		all += lost;
		if (!rec)
			break;
		if (is_chosen(c, rec->cid))
			sink_record(sink, rec);
		if (ferror(out))
			break;
	}
	sink_idle(sink);
	sink_account(sink, &b);
	sink_free(sink);
	if (fflush(out) == EOF && errno != EPIPE)
		status = cli_error("cannot write the output: %s", strerror(errno));
	sbuf_printf(&b, ", %llu lost", (unsigned long long)all);
	fprintf(stderr, "ctrace: %s\n", b.s);
	sbuf_free(&b);
	file = ctf_reader_damaged(r, &why);
	if (file)
		status = cli_error("%s/%s %s: the rest of that file is not shown", dir, file, why);
	return status;
}

/* Without symbols, addresses are shown in place of names. */
static void load_symbols(const char *dir, struct symbols *sy)
{
	char *path = xasprintf("%s/" CTF_SIDE_SYMBOLS, dir);
	int err = symbols_load(sy, path);

	if (err && err != -ENOENT)
		fprintf(stderr, "ctrace: functions are shown without names: %s: %s\n", path,
			err == -EBADMSG ? "damaged" : strerror(-err));
	free(path);
}

struct report_opts {
	bool relative, folded, quiet_args;
	const char *file;	/* NULL: standard output */
	char **targets;
	int ntargets;
};

static int report(const char *dir, const struct report_opts *o)
{
	struct ctrace_schema *schema = ctrace_schema_new();
	struct ctable *table = ctable_new(NULL);
	struct sink_opts so = {
		.schema = schema, .ctable = table, .out = stdout, .relative = o->relative,
		.quiet_args = o->quiet_args, .symbols = symbols_new(false),
	};
	struct side_info info = { 0 };
	struct chosen chosen = { .table = table };
	struct ctf_reader *r = NULL;
	int err, status;

	err = schema ? side_load_schema(dir, schema, &info) : -ENOMEM;
	if (err) {
		status = cannot_load(dir, err);
		goto out;
	}
	/* without the list of containers, ids stand in for names */
	err = side_load_containers(dir, table);
	if (err)
		fprintf(stderr, "ctrace: containers are shown without names: %s/" CTF_SIDE_CONTAINERS ": %s\n", dir,
			err == -EBADMSG ? "damaged" : strerror(-err));
	status = choose(&chosen, o->targets, o->ntargets);
	if (status != CLI_OK)
		goto out;
	r = ctf_reader_open(dir, info.uuid);
	if (!r) {
		status = cli_error("cannot read '%s': %s", dir, strerror(errno));
		goto out;
	}
	so.clock_offset = info.clock_offset;
	so.stacks = info.stacks;
	load_symbols(dir, so.symbols);
	if (o->file)
		so.out = fopen(o->file, "we");
	if (!so.out) {
		status = cli_error("cannot write '%s': %s", o->file, strerror(errno));
		goto out;
	}
	status = show(r, o->folded ? sink_folded_new(&so) : cli_json ? sink_json_new(&so) :
		      sink_text_new(&so), &chosen, so.out, dir);
	if (o->file && fclose(so.out) && status == CLI_OK)
		status = cli_error("cannot write to '%s': %s", o->file, strerror(errno));
out:
	ctf_reader_close(r);
	targets_free(&chosen.in);
	targets_free(&chosen.out);
	symbols_free(so.symbols);
	ctable_free(table);
	ctrace_schema_free(schema);
	return status;
}

static int run_report(int argc, char **argv)
{
	static const struct option longs[] = {
		{ "json", no_argument, NULL, 'j' },
		{ "relative", no_argument, NULL, OPT_RELATIVE },
		{ "quiet-args", no_argument, NULL, OPT_QUIET_ARGS },
		{ "folded", required_argument, NULL, OPT_FOLDED },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	struct report_opts o = { 0 };
	int opt;

	while ((opt = getopt_long(argc, argv, ":jh", longs, NULL)) != -1) {
		if (opt == 'h')
			return cli_help(cli_cmd);
		if (opt == OPT_RELATIVE) {
			o.relative = true;
		} else if (opt == OPT_QUIET_ARGS) {
			o.quiet_args = true;
		} else if (opt == OPT_FOLDED) {
			o.folded = true;
			o.file = strcmp(optarg, "-") ? optarg : NULL;
		} else if (opt != 'j') {
			return cli_bad_option(opt, argv);
		}
	}
	if (o.folded && cli_json)
		return cli_usage("--folded and --json are two forms of output: choose one");
	if (argc == optind)
		return cli_usage("report needs a directory: the one that 'ctrace record -o' wrote");
	o.targets = argv + optind + 1;
	o.ntargets = argc - optind - 1;
	return report(argv[optind], &o);
}

const struct command cmd_report = {
	.name = "report",
	.summary = "show a recording",
	.usage = usage,
	.run = run_report,
};
