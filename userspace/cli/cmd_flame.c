// SPDX-License-Identifier: GPL-2.0-only
/* ctrace flame: draws stacks as a flame graph, or writes them for a viewer of profiles. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "commands.h"
#include "base/output.h"
#include "flame/flame.h"
#include "run/recording.h"
#include "run/run.h"
#include "run/window.h"
#include "show/sink.h"

static const char usage[] =
"Usage: ctrace flame [OPTIONS] TARGET... [-- COMMAND [ARGUMENTS]]\n"
"       ctrace flame [OPTIONS] RECORDING [TARGET...]\n"
"       ctrace flame [OPTIONS] FILE\n"
"\n"
"Draws stacks as a flame graph: an SVG picture in one file, which any browser\n"
"shows. The width of a frame is its share; a click on a frame, or on a\n"
"container's name, zooms to it.\n"
"\n"
"With TARGET, it counts stacks until --duration, Ctrl-C, or the end. RECORDING\n"
"is the directory that 'ctrace record' wrote. FILE has folded stacks, a line\n"
"\"container;comm;outermost;...;innermost N\" each; - is standard input.\n";

enum { OPT_OFF_CPU = OPT_VIEW, OPT_DIFF, OPT_ICICLE, OPT_TITLE, OPT_UNIT, OPT_PPROF, OPT_SPEEDSCOPE };

static const struct cli_option options[] = {
	{ .help = "Which stacks:" },
	OPTION("off-cpu", OPT_OFF_CPU, NULL, "where tasks sleep, in microseconds, not where they run"),
	OPTION("frequency", 'F', "HZ", "samples a second on each CPU (default " TEXT_OF(SAMPLES_HZ) ")"),
	OPTION("duration", OPT_DURATION, "TIME", "end after 2, 0.5, 500ms, 2m"),
	OPTION("follow", OPT_FOLLOW, NULL, "include containers that start later"),
	OPTION("from", OPT_FROM, "WHEN",
	       "of a recording: from 14:00, --to -5m; or its --last 5m"),
	OPTION("to", OPT_TO, "WHEN", ""),
	OPTION("last", OPT_LAST, "TIME", ""),
	{ .help = "What to write:" },
	OPTION("output", 'o', "FILE",
	       "write to this file (default flame.svg, flame.pb.gz, ...); - is standard output"),
	OPTION("diff", OPT_DIFF, "OLD",
	       "compare with OLD (folded): red has more now, blue less"),
	OPTION("icicle", OPT_ICICLE, NULL, "the outermost frames on top"),
	OPTION("title", OPT_TITLE, "TEXT", "above the picture"),
	OPTION("unit", OPT_UNIT, "UNIT",
	       "what N of FILE counts: samples (default) or us (times)", "samples us"),
	OPTION("pprof", OPT_PPROF, NULL, "a profile for pprof, Parca, Pyroscope, not a picture"),
	OPTION("speedscope", OPT_SPEEDSCOPE, NULL,
	       "a file for https://www.speedscope.app: a profile for each container"),
	OPTION("folded", OPT_FOLDED, NULL, "folded stacks: equal ones become one"),
	OPTION("json", 'j', NULL, "print errors as JSON"),
	OPTION("help", 'h', NULL, "this text"),
	{ 0 },
};

enum kind { SVG, PPROF, SPEEDSCOPE, FOLDED };

static const char *const outputs[] = { "flame.svg", "flame.pb.gz", "flame.speedscope.json", "flame.folded" };

struct opts {
	const char *old, *out;
	char **words, **command;	/* command NULL: none */
	int nwords;
	const char *hz, *duration;	/* NULL: not given */
	struct window window;
	bool off_cpu, follow;
	enum kind kind;
	bool chosen;		/* kind was given */
	struct flame_form form;
};

static int add(struct flame *f, const char *path, bool old)
{
	bool is_stdin = !strcmp(path, "-");
	FILE *in = is_stdin ? stdin : fopen(path, "re");
	uint64_t lines = f->lines, bad = f->bad;
	int err;

	if (!in)
		return cli_error("cannot read '%s': %s", path, strerror(errno));
	err = flame_read(f, in, old);
	if (!is_stdin)
		fclose(in);
	if (err)
		return cli_error("cannot read '%s': %s", path, strerror(-err));
	lines = f->lines - lines;
	bad = f->bad - bad;
	if (lines && bad == lines)
		return cli_error("'%s' has no folded stacks: 'ctrace report --folded FILE' writes them", path);
	if (bad)
		fprintf(stderr, "ctrace: %llu of %llu lines of '%s' are no stacks, and are left out\n",
			(unsigned long long)bad, (unsigned long long)lines, path);
	return CLI_OK;
}

/* What another command writes with --folded: a view; of a recording's stacks, report. */
static int add_view(struct flame *f, const struct opts *o, bool recording)
{
	const struct command *view = o->off_cpu ? &cmd_offcpu : recording ? &cmd_report : &cmd_profile;
	const struct { const char *option, *word; } times[] = {
		{ "--from", o->window.from }, { "--to", o->window.to }, { "--last", o->window.last },
	};
	const char *dir;
	FILE *folded = output_temporary(&dir);
	char *path, **argv;
	int argc = 0, n = o->nwords, status, err;

	if (!folded)
		return cli_error("cannot write a temporary file in '%s': %s: TMPDIR can name another directory", dir, strerror(errno));
	for (char **c = o->command; c && *c; c++)
		n++;
	argv = xcalloc((size_t)n + 24, sizeof(argv[0]));
	path = xasprintf("/proc/self/fd/%d", fileno(folded));
	argv[argc++] = (char *)view->name;
	argv[argc++] = (char *)"--folded";
	argv[argc++] = path;
	if (o->duration) {
		argv[argc++] = (char *)"--duration";
		argv[argc++] = (char *)o->duration;
	}
	if (o->hz) {
		argv[argc++] = (char *)"-F";
		argv[argc++] = (char *)o->hz;
	}
	if (o->follow)
		argv[argc++] = (char *)"--follow";
	for (size_t i = 0; i < ARRAY_SIZE(times); i++) {
		if (!times[i].word)
			continue;
		argv[argc++] = (char *)times[i].option;
		argv[argc++] = (char *)times[i].word;
	}
	if (recording && o->off_cpu)
		argv[argc++] = (char *)"--input";
	for (int i = 0; i < o->nwords; i++)
		argv[argc++] = o->words[i];
	if (o->command)
		argv[argc++] = (char *)"--";
	for (char **c = o->command; c && *c; c++)
		argv[argc++] = *c;
	optind = 0;	/* getopt begins anew */
	folded_marks = true;
	status = view->run(argc, argv);
	err = flame_read(f, folded, false);
	if (err && status == CLI_OK)
		status = cli_error("cannot read what was counted: %s", strerror(-err));
	fclose(folded);
	free(path);
	free(argv);
	return status;
}

/* The only word is a file; the first is a recording; or all are TARGETs. */
static int add_words(struct flame *f, const struct opts *o)
{
	const char *word = o->nwords ? o->words[0] : "";
	bool is_file, recording;
	struct stat st;

	is_file = !strcmp(word, "-") || (!stat(word, &st) && !S_ISDIR(st.st_mode));
	if (is_file && (o->nwords > 1 || o->command || o->off_cpu || o->hz || o->duration || o->follow ||
		       window_given(&o->window)))
		return cli_usage("'%s' is a file of folded stacks: nothing else can be chosen", word);
	if (is_file)
		return add(f, word, false);
	recording = o->nwords && recording_is(word);
	if (!recording && window_given(&o->window))
		return cli_usage("--from, --to and --last choose a part of a recording, but '%s' is none",
				 word);
	if (recording && (o->command || o->hz || o->duration || o->follow))
		return cli_usage("'%s' is a recording: only TARGETs can be chosen", word);
	return add_view(f, o, recording);
}

/* 0 or -errno; what was written through out may have failed all the same. */
static int put(const struct flame *f, const struct opts *o, FILE *out)
{
	switch (o->kind) {
	case SVG:
		flame_svg(f, &o->form, out);
		break;
	case SPEEDSCOPE:
		flame_speedscope(f, &o->form, out);
		break;
	case FOLDED:
		flame_folded(f, out);
		break;
	case PPROF:
		return flame_pprof(f, &o->form, out);
	}
	return 0;
}

static int flame(const struct opts *o)
{
	bool is_stdout = !strcmp(o->out, "-");
	struct flame f;
	FILE *out;
	int err, status;

	flame_init(&f);
	status = add_words(&f, o);
	if (status == CLI_OK && o->old)
		status = add(&f, o->old, true);
	if (status != CLI_OK)
		goto free;
	flame_finish(&f);
	if (!f.v[0].total)
		fputs("ctrace: there are no stacks: 'ctrace record' takes samples, unless -e or --minimal leaves them out\n",
		      stderr);
	out = output_open(o->out);
	if (!out) {
		status = cli_error("cannot write '%s': %s", o->out, strerror(errno));
		goto free;
	}
	err = put(&f, o, out);
	/* of standard output, what failed is reported at the end */
	if (!is_stdout)
		err = output_close_whole(out, o->out, err);
	if (err && is_stdout && err == -EPIPE)
		status = CLI_OK;
	else if (err)
		status = cli_error("cannot write %s%s%s: %s", is_stdout ? "the output" : "'", is_stdout ? "" : o->out,
				   is_stdout ? "" : "'", strerror(-err));
	else if (!is_stdout)
		fprintf(stderr, "ctrace: %s: %llu %s in %zu frames\n", o->out, (unsigned long long)f.v[0].total,
			o->form.unit, f.n - 1);
free:
	flame_free(&f);
	return status;
}

static int choose(struct opts *o, enum kind kind)
{
	if (o->chosen && o->kind != kind)
		return cli_usage("--pprof, --speedscope and --folded are forms of output: choose one");
	o->kind = kind;
	o->chosen = true;
	return CLI_OK;
}

static int option(struct opts *o, int opt, char **argv, const struct getopts *g)
{
	switch (opt) {
	case 'o':
		o->out = optarg;
		return CLI_OK;
	case 'F':
		o->hz = optarg;
		return CLI_OK;
	case OPT_DURATION:
		o->duration = optarg;
		return CLI_OK;
	case OPT_FOLLOW:
		o->follow = true;
		return CLI_OK;
	case OPT_OFF_CPU:
		o->off_cpu = true;
		o->form.unit = "us";
		return CLI_OK;
	case OPT_DIFF:
		o->old = optarg;
		return CLI_OK;
	case OPT_ICICLE:
		o->form.icicle = true;
		return CLI_OK;
	case OPT_TITLE:
		o->form.title = optarg;
		return CLI_OK;
	case OPT_UNIT:
		o->form.unit = optarg;
		if (strcmp(optarg, "samples") && strcmp(optarg, "us"))
			return cli_usage("--unit takes samples or us, not '%s'", optarg);
		return CLI_OK;
	case OPT_PPROF:
		return choose(o, PPROF);
	case OPT_SPEEDSCOPE:
		return choose(o, SPEEDSCOPE);
	case OPT_FOLDED:
		return choose(o, FOLDED);
	case 'j':
		return CLI_OK;
	}
	return window_option(&o->window, opt) ? CLI_OK : cli_bad_option(opt, argv, g);
}

static int run_flame(int argc, char **argv)
{
	struct getopts g = getopts_of(options);
	struct opts o = { .form = { .unit = "samples" } };
	int opt, status = CLI_OK;

	argc = run_split(argc, argv, &o.command);
	while (status == CLI_OK && (opt = getopt_long(argc, argv, g.shorts, g.longs, NULL)) != -1) {
		if (opt == 'h')
			return cli_help(cli_cmd);
		status = option(&o, opt, argv, &g);
	}
	if (status != CLI_OK)
		return status;
	if (o.old && o.kind != SVG)
		return cli_usage("--diff makes a picture: leave the other form out");
	if (o.off_cpu && o.hz)
		return cli_usage("--off-cpu adds up times, and takes no samples: leave --frequency out");
	if (argc == optind && !o.command)
		return cli_usage("flame needs a TARGET, a recording, or a file with folded stacks (- is standard input)");
	o.words = argv + optind;
	o.nwords = argc - optind;
	if (!o.out)
		o.out = outputs[o.kind];
	if (!o.form.title)
		o.form.title = o.nwords && strcmp(o.words[0], "-") ? o.words[0] : o.command ? o.command[0] : "Flame graph";
	return flame(&o);
}

const struct command cmd_flame = {
	.name = "flame", .usage = usage, .options = { options }, .words = { "@targets @files" },
	.run = run_flame,
};
