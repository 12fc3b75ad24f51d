// SPDX-License-Identifier: GPL-2.0-only
/*
 * Checks the requirements for building the module: headers, compiler, DKMS. They matter less if the module is
 * loaded or installed.
 */
#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>
#include "base/cli.h"
#include "doctor/doctor.h"

/* A missing requirement is only a note if the module is loaded or installed. */
static enum verdict needed(const struct machine *m)
{
	return m->loaded || m->ko ? DOCTOR_NOTE : DOCTOR_BAD;
}

/* Installs the newest kernel that apt has: it may have no headers of the running one. NULL: none. */
static char *newest_kernel(const struct machine *m)
{
	static const char *const kinds[] = { "amd64", "arm64", "generic" };
	char *fix = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(kinds) && !fix; i++) {
		char *headers = xasprintf("linux-headers-%s", kinds[i]);
		char *install = install_of(m, headers, headers, headers);

		if (install)
			fix = xasprintf("%s linux-image-%s   # then boot that kernel", install, kinds[i]);
		free(install);
		free(headers);
	}
	return fix;
}

char *doctor_headers(const struct machine *m)
{
	char *debian = xasprintf("linux-headers-%s", m->release), *fedora = xasprintf("kernel-devel-%s", m->release);
	char *fix = install_of(m, debian, fedora, "kernel-devel");

	free(debian);
	free(fedora);
	return fix ?: newest_kernel(m) ?:
	       xasprintf("install the headers of Linux %s from where that kernel came", m->release);
}

static void check_headers(struct machine *m)
{
	if (exists(m, "/lib/modules/%s/build/Makefile", m->release)) {
		found(m, DOCTOR_OK, "headers", xasprintf("/lib/modules/%s/build", m->release), NULL);
		return;
	}
	found(m, needed(m), "headers", xasprintf("there are no headers of Linux %s to build the module with", m->release),
	      doctor_headers(m));
}

/* Is there a program of this name in PATH? */
static bool has_program(const char *name)
{
	const char *path = getenv("PATH") ?: "/usr/bin:/bin";
	bool yes = false;

	while (*path && !yes) {
		size_t n = strcspn(path, ":");
		char *file = xasprintf("%.*s/%s", (int)n, path, name);

		yes = !access(file, X_OK);
		free(file);
		path += n + (path[n] == ':');
	}
	return yes;
}

/*
 * The compiler's name and major version, from a text such as "gcc-12 (Debian 12.2.0-14) 12.2.0". 0: not
 * understood.
 */
static unsigned int compiler_version(const char *text)
{
	const char *last = NULL;

	for (const char *s = text; *s; s++)
		if (isdigit((unsigned char)*s) && (s == text || s[-1] == ' ') && strchr(s, '.'))
			last = s;
	return last ? (unsigned int)strtoul(last, NULL, 10) : 0;
}

static char *kernels_compiler(const struct machine *m)
{
	char *text = option_of(m, "CC_VERSION_TEXT"), *version, *from, *to;

	if (text)
		return text;
	/* before 4.20 only /proc/version says it: "... (gcc version 8.3.0 (Debian 8.3.0-6)) ..." */
	version = text_of(m, "/proc/version");
	from = version ? strstr(version, "gcc version ") : NULL;
	if (from) {
		to = from + strlen("gcc version ");
		text = xasprintf("gcc %.*s", (int)strcspn(to, " )"), to);
	}
	free(version);
	return text;
}

static void check_compiler(struct machine *m)
{
	char *kernels = kernels_compiler(m), *command = NULL, *here = NULL, *package;
	bool clang = kernels && strstr(kernels, "clang");
	unsigned int want = kernels ? compiler_version(kernels) : 0, have;
	const char *name = clang ? "clang" : "gcc";

	if (!has_program("make"))
		found(m, needed(m), "compiler", xstrdup("there is no make"),
		      install_of(m, "make", "make", "make") ?: xstrdup("install make"));
	if (!has_program(name)) {
		package = xasprintf(clang ? "clang-%u" : "gcc-%u", want);
		found(m, needed(m), "compiler", xasprintf("there is no %s; the kernel was built with %s", name,
							  kernels ?: "a compiler that is not known"),
		      install_of(m, want ? package : name, name, name) ?: install_of(m, name, name, name) ?:
		      xasprintf("install %s", name));
		free(package);
		goto out;
	}
	command = xasprintf("%s --version 2> /dev/null", name);
	here = said_by(command);
	have = here ? compiler_version(here) : 0;
	if (want && have && have < want) {
		package = xasprintf("%s-%u", name, want);
		found(m, needed(m), "compiler",
		      xasprintf("%s %u is older than the kernel's, %u: it may not know the options that the kernel is built with",
				name, have, want),
		      install_of(m, package, name, package) ?: xasprintf("install %s %u or later", name, want));
		free(package);
	} else {
		found(m, DOCTOR_OK, "compiler", xasprintf("%s; the kernel's is %s", here ?: name, kernels ?: "not known"), NULL);
	}
out:
	free(here);
	free(command);
	free(kernels);
}

/* A line with an error comes before make's own lines about it. */
char *doctor_decisive(const char *log)
{
	static const char *const words[] = { " error: ", "fatal error:", "ctrace: ", "ERROR: ", ": not found", "*** " };
	const char *best = NULL, *line;
	size_t rank = ARRAY_SIZE(words), n;

	for (line = log; *line; line += n + (line[n] == '\n')) {
		n = strcspn(line, "\n");
		for (size_t i = 0; i < rank; i++) {
			const char *at = strstr(line, words[i]);

			if (at && at < line + n) {
				rank = i;
				best = line;
			}
		}
	}
	return best ? xstrndup(best, strcspn(best, "\n")) : NULL;
}

/* Of the versions that DKMS has, the newest by name. */
static char *dkms_version(const struct machine *m)
{
	char *dir = at_root(m, "/var/lib/dkms/ctrace"), *best = NULL;
	DIR *d = opendir(dir);
	struct dirent *e;

	while (d && (e = readdir(d))) {
		if (!isdigit((unsigned char)e->d_name[0]) || (best && strverscmp(e->d_name, best) <= 0))
			continue;
		free(best);
		best = xstrdup(e->d_name);
	}
	if (d)
		closedir(d);
	free(dir);
	return best;
}

char *doctor_installs(const struct machine *m)
{
	bool packaged = exists(m, "/usr/libexec/ctrace/ctrace");
	char *fix = NULL;

	/* the lists of Debian itself do not have it: fetching them anew would not help */
	if (packaged && m->os == OS_DEBIAN && !apt_has("ctrace-dkms"))
		fix = xstrdup("apt-get install ./dist/ctrace-dkms_*.deb   # in ctrace's source, after 'make deb'");
	else if (packaged)
		fix = install_of(m, "ctrace-dkms", "ctrace-dkms", "ctrace-dkms");
	return fix ?: xstrdup("make install-dkms   # in ctrace's source");
}

static void check_dkms(struct machine *m)
{
	char *version = dkms_version(m), *log, *line, *fix;

	if (!version) {
		if (m->ko || m->loaded)
			return;		/* it was installed in another way */
		found(m, DOCTOR_BAD, "dkms", xstrdup("DKMS does not have the module's source"), doctor_installs(m));
		return;
	}
	if (exists(m, "/var/lib/dkms/ctrace/%s/%s", version, m->release)) {
		found(m, DOCTOR_OK, "dkms", xasprintf("ctrace %s is built for Linux %s", version, m->release), NULL);
		goto out;
	}
	fix = xasprintf("dkms install ctrace/%s -k %s", version, m->release);
	log = text_of(m, "/var/lib/dkms/ctrace/%s/build/make.log", version);
	line = log ? doctor_decisive(log) : NULL;
	if (line)
		found(m, needed(m), "dkms", xasprintf("the build of ctrace %s failed: %s (/var/lib/dkms/ctrace/%s/build/make.log)",
						      version, line, version), fix);
	else if (!has_trouble(m, "headers") && !has_trouble(m, "compiler"))
		found(m, needed(m), "dkms", xasprintf("ctrace %s is not built for Linux %s", version, m->release), fix);
	else
		free(fix);	/* DKMS cannot build it yet */
	free(line);
	free(log);
out:
	free(version);
}

void doctor_build(struct machine *m)
{
	check_headers(m);
	check_compiler(m);
	check_dkms(m);
}
