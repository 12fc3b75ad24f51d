// SPDX-License-Identifier: GPL-2.0-only
/* ctrace page: records for a while, or takes a recording, and shows it as one page in a browser. */
#include <errno.h>
#include <grp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "commands.h"
#include "base/cli.h"
#include "base/json.h"
#include "page/page.h"
#include "run/recording.h"
#include "run/run.h"
#include "run/window_options.h"

#define SECONDS	"10"	/* that are recorded */

static const char usage[] =
"Usage: ctrace page [OPTIONS] [TARGET...]\n"
"       ctrace page [OPTIONS] RECORDING [TARGET...]\n"
"\n"
"Shows on one page, in a browser, what holds containers up, when, because of whom\n"
"and where in their code. It records TARGETs, or all containers and the host, for\n"
SECONDS " seconds, or takes what 'ctrace record' wrote into the directory RECORDING.\n"
"It prints where the page is, and opens it if there is a desktop.\n";

enum { OPT_NO_OPEN = OPT_VIEW, OPT_DIFF };

static const struct cli_option options[] = {
	{ .help = "Options:" },
	OPTION("duration", OPT_DURATION, "TIME",
	       "record for this long: 30, 0.5, 500ms, 2m (default " SECONDS ")"),
	OPTION("output", 'o', "FILE", "write the page to FILE (default: a temporary file)"),
	OPTION("no-open", OPT_NO_OPEN, NULL, "do not open it"),
	OPTION("diff", OPT_DIFF, "OLD", "what changed since the recording OLD, too"),
	WINDOW_OPTIONS("of a RECORDING: "),
	OPTION("json", 'j', NULL, "print a JSON object: page and recording"),
	OPTION("help", 'h', NULL, "this text"),
	{ 0 },
};

struct page_opts {
	const char *duration, *out, *old;	/* NULL: not given */
	bool no_open;
	struct export_opts x;
};

/* Records what the page shows into dir. */
static int record(const struct page_opts *o, const char *dir)
{
	const char *const first[] = {
		"record", "-o", dir, "--duration", o->duration ?: SECONDS,
	};
	char **argv = xcalloc(ARRAY_SIZE(first) + (size_t)o->x.ntargets + 2, sizeof(argv[0]));
	int argc = 0, status;

	for (size_t i = 0; i < ARRAY_SIZE(first); i++)
		argv[argc++] = (char *)first[i];
	for (int i = 0; i < o->x.ntargets; i++)
		argv[argc++] = o->x.targets[i];
	if (!o->x.ntargets)
		argv[argc++] = (char *)"all";
	optind = 0;	/* getopt begins anew */
	status = cmd_record.run(argc, argv);
	free(argv);
	return status;
}

/* --- the browser ------------------------------------------------------------------------------ */

static bool has_desktop(void)
{
	const char *x = getenv("DISPLAY"), *wayland = getenv("WAYLAND_DISPLAY");

	return (x && *x) || (wayland && *wayland);
}

/* A number that sudo has left; 0: there is none. */
static uint32_t of_sudo(const char *variable)
{
	const char *text = getenv(variable);
	uint32_t n;

	return text && !parse_u32(text, &n) ? n : 0;
}

/*
 * Opens the page. A browser is not run by root, but by the user who became root by sudo: it is their desktop.
 * Whether it opens is not known: the path was printed. ours: the directory that was made for the page alone,
 * which becomes that user's; or NULL
 */
static void open_page(const char *page, const char *ours)
{
	uid_t uid = geteuid() ? 0 : of_sudo("SUDO_UID");
	gid_t gid = of_sudo("SUDO_GID");
	pid_t pid;

	if (!has_desktop() || (!geteuid() && !(uid && gid)))
		return;
	/* the page first: once the directory is theirs, its name may be a link to any file */
	if (uid && ours && (lchown(page, uid, (gid_t)-1) || lchown(ours, uid, (gid_t)-1)))
		return;
	pid = fork();
	if (!pid) {
		/* it outlives ctrace */
		if (fork())
			_exit(0);
		setsid();
		if (uid && (setgroups(0, NULL) || setgid(gid) || setuid(uid)))
			_exit(1);
		if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr))
			_exit(1);
		execlp("xdg-open", "xdg-open", page, NULL);
		_exit(1);
	}
	if (pid > 0)
		waitpid(pid, NULL, 0);
}

/* --- the command ------------------------------------------------------------------------------ */

static void print(const char *page, const char *dir)
{
	struct sbuf b = { 0 };
	struct json j = { .out = &b };

	if (cli_json) {
		json_open(&j, NULL, '{');
		json_str(&j, "page", page);
		json_str(&j, "recording", dir);
		json_close(&j, '}');
	} else {
		sbuf_clean(&b, page);
	}
	puts(b.s);
	fflush(stdout);
	sbuf_free(&b);
}

/* A directory of its own; the caller frees its name. NULL, after a message. */
static char *make_directory(void)
{
	const char *tmp = getenv("TMPDIR");
	char *dir = xasprintf("%s/ctrace-page-XXXXXX", tmp && *tmp ? tmp : "/tmp");

	if (mkdtemp(dir))
		return dir;
	cli_error("cannot make '%s': %s: TMPDIR can name another directory", dir, strerror(errno));
	free(dir);
	return NULL;
}

/* The recording stays: what the page says to type next asks it. */
static int show(struct page_opts *o, bool recorded)
{
	char *ours = recorded && o->out ? NULL : make_directory(), *dir = NULL, *page;
	int status = CLI_OK;

	if (!ours && !(recorded && o->out))
		return CLI_FAIL;
	page = o->out ? xstrdup(o->out) : xasprintf("%s/page.html", ours);
	if (!recorded) {
		dir = xasprintf("%s/recording", ours);
		status = record(o, dir);
		o->x.dir = dir;
	}
	o->x.out = page;
	/* the recording has the TARGETs alone */
	if (!recorded)
		o->x.ntargets = 0;
	if (status == CLI_OK)
		status = page_run(&o->x, o->old);
	if (status == CLI_OK && strcmp(page, "-"))
		print(page, o->x.dir);
	if (status == CLI_OK && !o->no_open && strcmp(page, "-"))
		open_page(page, o->out ? NULL : ours);
	/* only if nothing was written */
	if (status != CLI_OK && ours)
		rmdir(ours);
	free(dir);
	free(page);
	free(ours);
	return status;
}

static int run_page(int argc, char **argv)
{
	struct getopts g = getopts_of(options);
	struct page_opts o = { 0 };
	bool recorded;
	int opt;

	while ((opt = getopt_long(argc, argv, g.shorts, g.longs, NULL)) != -1) {
		if (opt == 'h')
			return cli_help(cli_cmd);
		if (opt == 'o')
			o.out = optarg;
		else if (opt == OPT_DURATION)
			o.duration = optarg;
		else if (opt == OPT_NO_OPEN)
			o.no_open = true;
		else if (opt == OPT_DIFF)
			o.old = optarg;
		else if (opt != 'j' && !window_option(&o.x.window, opt))
			return cli_bad_option(opt, argv, &g);
	}
	recorded = optind < argc && recording_is(argv[optind]);
	if (recorded && o.duration)
		return cli_usage("'%s' is a recording: --last TIME shows a part of it, --duration is for TARGETs",
				 argv[optind]);
	if (!recorded && window_given(&o.x.window))
		return cli_usage("--from, --to and --last choose a part of a recording, but none is given");
	if (!recorded && o.old && !recording_is(o.old))
		return cli_error("'%s' is not a recording: give the directory that 'ctrace record -o' wrote",
				 o.old);
	o.x.dir = recorded ? argv[optind++] : NULL;
	o.x.targets = argv + optind;
	o.x.ntargets = argc - optind;
	return show(&o, recorded);
}

const struct command cmd_page = {
	.name = "page", .usage = usage, .options = { options }, .words = { "@targets @dirs", "@targets" },
	.run = run_page,
};
