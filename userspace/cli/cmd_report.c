// SPDX-License-Identifier: GPL-2.0-only
/* ctrace report: shows a recording as `ctrace trace` shows events. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "commands.h"
#include "base/cli.h"
#include "base/output.h"
#include "export/export.h"
#include "page/page.h"
#include "run/recording.h"
#include "run/run.h"
#include "run/window_options.h"
#include "show/sink.h"
#include "count/summary.h"
#include "count/view.h"
#include "vmcore/vmcore.h"

#define HTML_DEFAULT	"report.html"

enum { OPT_SUMMARY = OPT_VIEW_OWN, OPT_HTML, OPT_DIFF, OPT_VMCORE, OPT_SESSION };

static const struct cli_option options[] = {
	{ .help = "Options:" },
	OPTION("summary", OPT_SUMMARY, NULL,
	       "one screen: what was recorded, and of each container its calls, errors, time on and waiting "
	       "for CPUs, disk and network. 'ctrace stats --input DIR' and others show more"),
	OPTION("html", OPT_HTML, "FILE",
	       "write the page that 'ctrace page' shows, for a browser; FILE - is standard output; without "
	       "FILE, it is " HTML_DEFAULT),
	OPTION("diff", OPT_DIFF, "OLD", "with --html: what changed since the recording OLD, too"),
	OPTION("vmcore", OPT_VMCORE, "FILE",
	       "what each container did last, from the memory of a machine that has panicked; --last N: N "
	       "records of each (default " TEXT_OF(VMCORE_LAST) ")"),
	OPTION("session", OPT_SESSION, "NAME", "with --vmcore: of this session alone, by its name or number"),
	OPTION("json", 'j', NULL, "print one JSON object per line"),
	WINDOW_OPTIONS(""),
	OPTION("interval", OPT_INTERVAL, "TIME", "with --summary: one for each interval: 1, 500ms, 1m"),
	OPTION("relative", OPT_RELATIVE, NULL, "show times since the first event, not the time of day"),
	OPTION("color", OPT_COLOR, "WHEN",
	       "colours: %s (default auto: on a terminal, unless NO_COLOR is set)", "auto always never"),
	OPTION("state-dump", OPT_STATE_DUMP, NULL,
	       "show the state dump, too: the tasks that existed before (--json always has it)"),
	OPTION("quiet-args", OPT_QUIET_ARGS, NULL, "show flags and constants of system calls as numbers"),
	OPTION("folded", OPT_FOLDED, "FILE",
	       "print no lines; write each stack and how often it was seen, for flame graphs; FILE - is "
	       "standard output"),
	OPTION("help", 'h', NULL, "this text"),
	{ 0 },
};

static const char usage[] =
"Usage: ctrace report [OPTIONS] DIR [TARGET...]\n"
"       ctrace report --summary [--json] DIR [TARGET...]\n"
"       ctrace report --html [FILE] DIR [TARGET...]\n"
"       ctrace report --vmcore FILE [--last N] [TARGET...]\n"
"\n"
"Shows what 'ctrace record' wrote into DIR, in the form of 'ctrace trace'. It\n"
"needs neither the kernel module nor any permission other than to read DIR.\n"
"\n"
"TARGET is a container, by what was known of it when it was recorded: a name,\n"
"glob, id or number, image:, label:, runtime:, pod:, ns:, user:, in:, not:, all,\n"
"host. All that match are shown, even if one came after another.\n";

/*
 * Frees the sink, which may write its lines only then. Writing to out may have failed: who closes it finds
 * that.
 */
static int show(const struct recording *r, struct sink *sink, FILE *out)
{
	const struct ctrace_record *rec;
	struct sbuf b = { 0 };
	uint64_t lost, all = 0;

	while ((rec = ctf_reader_next(r->reader, &lost)) || lost) {
		if (lost)
			sink_lost(sink, "discarded", lost);
		all += lost;
		if (!rec)
			break;
		if (recording_shows(r, rec->cid))
			sink_record(sink, rec);
		if (ferror(out))
			break;
	}
	sink_idle(sink);
	sink_account(sink, &b);
	sink_free(sink);
	output_flush(out);
	losses_print(&(struct losses){ .discarded = all }, &b);
	fprintf(stderr, "ctrace: %s\n", b.s);
	sbuf_free(&b);
	return recording_whole(r, "shown");
}

struct report_opts {
	bool relative, folded, quiet_args, summary, dump, color;
	const char *file;	/* NULL: standard output */
	struct window window;
	char **targets;
	int ntargets;
};

/* Limits the records to the window: stacks come behind their events, names of tasks and functions before. */
static void seek(struct recording *r, struct sink_opts *so, bool folded, struct ctf_types *before)
{
	bool stacks = r->info.stacks || folded;

	so->from = r->from;
	so->to = r->to;
	recording_names(r, folded, stacks, before);
	recording_seek(r, stacks ? STACK_NEAR : 0, stacks ? before : NULL);
}

static int report(const char *dir, const struct report_opts *o)
{
	struct sink_opts so = { .out = stdout, .relative = o->relative, .quiet_args = o->quiet_args };
	const struct ctrace_event_type *t;
	struct ctf_types before = { 0 };
	struct recording r;
	int status = recording_open(&r, dir), err;

	if (status == CLI_OK)
		status = recording_choose(&r, o->targets, o->ntargets);
	if (status == CLI_OK)
		status = recording_read(&r);
	if (status == CLI_OK)
		status = recording_window(&r, &o->window);
	if (status != CLI_OK)
		goto out;
	if (window_given(&o->window))
		seek(&r, &so, o->folded, &before);
	so.schema = r.schema;
	so.ctable = r.table;
	so.symbols = r.symbols;
	so.clock_offset = r.info.clock_offset;
	so.stacks = r.info.stacks;
	t = ctrace_schema_by_id(r.schema, CTRACE_ID_PROCESS_MAP);
	so.maps = t && asked_type(&r, t) != ASKED_NOT;
	if (o->file)
		so.out = output_open(o->file);
	if (!so.out) {
		status = cli_error("cannot write '%s': %s", output_name(o->file), strerror(errno));
		goto out;
	}
	so.color = o->color && so.out == stdout;
	so.no_dump = !o->dump && !cli_json && !o->folded;
	status = show(&r, o->folded ? sink_folded_new(&so) : cli_json ? sink_json_new(&so) : sink_text_new(&so),
		      so.out);
	err = o->file ? output_close_whole(so.out, o->file, 0) : 0;
	if (err && so.out != stdout)
		status = cli_error("cannot write '%s': %s", output_name(o->file), strerror(-err));
out:
	recording_close(&r);
	return status;
}

/* What all else but the options of sinks asks for, a vmcore does not have. */
static int report_vmcore(struct vmcore_opts *v, const struct report_opts *o)
{
	uint32_t n;

	if (o->summary || o->folded || o->window.from || o->window.to)
		return cli_usage("--vmcore shows the last records: leave out --summary, --folded, "
				 "--from and --to");
	if (o->window.last) {
		if (parse_u32(o->window.last, &n) || !n || n > VMCORE_LAST_MAX)
			return cli_usage("--last '%s': with --vmcore it is a number of records, from 1 to %u",
					 o->window.last, VMCORE_LAST_MAX);
		v->last = n;
	}
	v->relative = o->relative;
	v->quiet_args = o->quiet_args;
	v->color = o->color;
	v->dump = o->dump;
	return vmcore_report(v);
}

static int run_report(int argc, char **argv)
{
	struct getopts g = getopts_of(options);
	struct report_opts o = { 0 };
	struct vmcore_opts v = { .last = VMCORE_LAST };
	const char *html = NULL, *old = NULL, *color = "auto";
	uint64_t interval = 0;
	int opt, status;

	while ((opt = getopt_long(argc, argv, g.shorts, g.longs, NULL)) != -1) {
		if (opt == 'h')
			return cli_help(cli_cmd);
		if (opt == OPT_RELATIVE) {
			o.relative = true;
		} else if (opt == OPT_SUMMARY) {
			o.summary = true;
		} else if (opt == OPT_QUIET_ARGS) {
			o.quiet_args = true;
		} else if (opt == OPT_COLOR) {
			color = optarg;
		} else if (opt == OPT_STATE_DUMP) {
			o.dump = true;
		} else if (opt == OPT_INTERVAL) {
			status = view_interval(optarg, &interval);
			if (status != CLI_OK)
				return status;
		} else if (opt == OPT_HTML) {
			html = optarg;
		} else if (opt == OPT_DIFF) {
			old = optarg;
		} else if (opt == OPT_VMCORE) {
			v.file = optarg;
		} else if (opt == OPT_SESSION) {
			v.session = optarg;
		} else if (opt == OPT_FOLDED) {
			o.folded = true;
			o.file = optarg;
		} else if (!window_option(&o.window, opt) && opt != 'j') {
			return cli_bad_option(opt, argv, &g);
		}
	}
	status = sink_color(color, stdout, &o.color);
	if (status != CLI_OK)
		return status;
	/* flame's --json is about errors */
	if (o.folded && cli_json && strcmp(cli_cmd->name, "flame"))
		return cli_usage("--folded and --json are two forms of output: choose one");
	if (o.summary && (o.folded || o.relative || o.quiet_args))
		return cli_usage("--summary shows no events: leave out --folded, --relative and --quiet-args");
	if (html && (o.summary || o.folded || o.relative || o.quiet_args))
		return cli_usage("--html writes a page: leave out --summary, --folded, --relative and --quiet-args");
	if (old && !html)
		return cli_usage("--diff is for --html: 'ctrace diff OLD NEW' prints what changed");
	if (interval && !o.summary)
		return cli_usage("--interval is for --summary: report itself shows each event");
	if (v.session && !v.file)
		return cli_usage("--session is for --vmcore: a recording is of one session");
	if (v.file && (html || interval))
		return cli_usage("--vmcore shows the last records: leave out --html and --interval");
	if (v.file) {
		v.targets = argv + optind;
		v.ntargets = argc - optind;
		return report_vmcore(&v, &o);
	}
	/* FILE was forgotten */
	if (html && recording_is(html) && (argc == optind || !recording_is(argv[optind]))) {
		argv[--optind] = (char *)html;
		html = HTML_DEFAULT;
	}
	if (argc == optind)
		return cli_usage("report needs a directory: the one that 'ctrace record -o' wrote");
	o.targets = argv + optind + 1;
	o.ntargets = argc - optind - 1;
	if (html)
		return page_run(&(struct export_opts){ .dir = argv[optind], .out = html, .targets = o.targets,
				.ntargets = o.ntargets, .window = o.window }, old);
	return o.summary ? summary_run(argv[optind], o.targets, o.ntargets, &o.window, interval) :
		report(argv[optind], &o);
}

const struct command cmd_report = {
	.name = "report", .usage = usage, .options = { options }, .words = { "@dirs", "@targets" },
	.run = run_report,
};
