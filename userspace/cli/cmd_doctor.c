// SPDX-License-Identifier: GPL-2.0-only
/* ctrace doctor: why it does not load, does not see, or is slow. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/json.h"
#include "commands.h"
#include "doctor/doctor.h"

static const char usage[] =
"Usage: ctrace doctor [OPTIONS]\n"
"\n"
"Looks at what ctrace needs on this machine, and says what to type where\n"
"something is missing: the kernel and its options, headers, compiler, DKMS,\n"
"signatures, lockdown, permission, cgroups, names of functions and of containers,\n"
"other tracers.\n"
"\n"
"Run it as root: other users may not see all of it. As root, it loads the module\n"
"if that works.\n";

static const char notes[] =
"Exit status: 0 ctrace works; 1 it does not, or not yet.\n";

static const struct cli_option options[] = {
	{ .help = "Options:" },
	OPTION("quiet", 'q', NULL, "print only what is not well"),
	OPTION("json", 'j', NULL, "print one JSON object"),
	OPTION("help", 'h', NULL, "this text"),
	{ 0 },
};

void (*doctor_more)(struct machine *m);

static char *first_of(const struct machine *m, const char *dir)
{
	static const char *const ends[] = { "", ".xz", ".zst", ".gz" };

	for (size_t i = 0; i < ARRAY_SIZE(ends); i++) {
		char *path = xasprintf("/lib/modules/%s/%s/ctrace.ko%s", m->release, dir, ends[i]);

		if (exists(m, "%s", path))
			return path;
		free(path);
	}
	return NULL;
}

static void look(struct machine *m)
{
	/* where DKMS, make install and packages of distributions put modules; depmod's order */
	static const char *const dirs[] = { "updates/dkms", "updates", "extra", "weak-updates", "kernel/extra" };
	char *os = text_of(m, "/etc/os-release");

	m->release = text_of(m, "/proc/sys/kernel/osrelease") ?: xstrdup("?");
	m->loaded = exists(m, "/sys/module/ctrace");
	m->root_user = !geteuid();
	for (size_t i = 0; i < ARRAY_SIZE(dirs) && !m->ko; i++)
		m->ko = first_of(m, dirs[i]);
	if (os && (strstr(os, "debian") || strstr(os, "ubuntu")))
		m->os = OS_DEBIAN;
	else if (os && (strstr(os, "fedora") || strstr(os, "rhel")))
		m->os = OS_FEDORA;
	else if (os && strstr(os, "suse"))
		m->os = OS_SUSE;
	free(os);
}

static void print(const struct machine *m, bool quiet)
{
	static const char *const words[] = { "ok", "note", "BAD" };
	struct sbuf b = { 0 };

	for (size_t i = 0; i < m->n; i++) {
		const struct finding *f = &m->v[i];

		if (quiet && f->verdict == DOCTOR_OK)
			continue;
		sbuf_printf(&b, "%-5s %-11s ", words[f->verdict], f->check);
		/* texts of files, that others may have written */
		sbuf_clean(&b, f->what);
		sbuf_putc(&b, '\n');
		if (!f->fix)
			continue;
		sbuf_printf(&b, "      %-11s ", "");
		sbuf_clean(&b, f->fix);
		sbuf_putc(&b, '\n');
	}
	if (b.len)
		fwrite(b.s, 1, b.len, stdout);
	sbuf_free(&b);
	if (!quiet || m->troubles)
		printf(m->troubles == 1 ? "ctrace does not work here yet: 1 trouble\n" : m->troubles ?
		       "ctrace does not work here yet: %zu troubles\n" : "ctrace works here\n", m->troubles);
}

static void print_json(const struct machine *m)
{
	static const char *const words[] = { "ok", "note", "bad" };
	struct sbuf b = { 0 };
	struct json j = { .out = &b };

	json_open(&j, NULL, '{');
	json_open(&j, "checks", '[');
	for (size_t i = 0; i < m->n; i++) {
		const struct finding *f = &m->v[i];

		json_open(&j, NULL, '{');
		json_str(&j, "check", f->check);
		json_str(&j, "status", words[f->verdict]);
		json_str(&j, "what", f->what);
		if (f->fix)
			json_str(&j, "fix", f->fix);
		json_close(&j, '}');
	}
	json_close(&j, ']');
	json_uint(&j, "troubles", m->troubles);
	json_close(&j, '}');
	json_line(&j);
	fputs(b.s, stdout);
	sbuf_free(&b);
}

static int run_doctor(int argc, char **argv)
{
	struct getopts g = getopts_of(options);
	struct machine m = { .root = getenv("CTRACE_ROOT") ?: "" };
	bool quiet = false;
	int opt;

	while ((opt = getopt_long(argc, argv, g.shorts, g.longs, NULL)) != -1) {
		if (opt == 'h')
			return cli_help(cli_cmd);
		if (opt == 'q')
			quiet = true;
		else if (opt != 'j')
			return cli_bad_option(opt, argv, &g);
	}
	if (optind < argc)
		return cli_usage("doctor takes no words, only options: '%s'", argv[optind]);
	look(&m);
	doctor_look(&m);
	if (doctor_more)
		doctor_more(&m);
	if (cli_json)
		print_json(&m);
	else
		print(&m, quiet);
	for (size_t i = 0; i < m.n; i++) {
		free(m.v[i].what);
		free(m.v[i].fix);
	}
	free(m.v);
	free(m.release);
	free(m.config);
	free(m.config_path);
	free(m.ko);
	return m.troubles ? CLI_FAIL : CLI_OK;
}

const struct command cmd_doctor = {
	.name = "doctor", .usage = usage, .options = { options }, .notes = notes, .run = run_doctor,
};
