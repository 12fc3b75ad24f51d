// SPDX-License-Identifier: GPL-2.0-only
/* What the checks share. */
#include <ctype.h>
#include <dirent.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "doctor/doctor.h"

void found(struct machine *m, enum verdict verdict, const char *check, char *what, char *fix)
{
	m->v = xrealloc(m->v, (m->n + 1) * sizeof(m->v[0]));
	m->v[m->n++] = (struct finding){ .verdict = verdict, .check = check, .what = what, .fix = fix };
	m->troubles += verdict == DOCTOR_BAD;
}

static char *vpath(const struct machine *m, const char *fmt, va_list ap)
{
	char *path, *whole;

	if (vasprintf(&path, fmt, ap) < 0)
		abort();
	whole = xasprintf("%s%s", m->root, path);
	free(path);
	return whole;
}

char *at_root(const struct machine *m, const char *fmt, ...)
{
	va_list ap;
	char *path;

	va_start(ap, fmt);
	path = vpath(m, fmt, ap);
	va_end(ap);
	return path;
}

char *text_of(const struct machine *m, const char *fmt, ...)
{
	char *path, *text;
	va_list ap;
	size_t len;

	va_start(ap, fmt);
	path = vpath(m, fmt, ap);
	va_end(ap);
	text = read_file(path, &len);
	if (text && len && text[len - 1] == '\n')
		text[len - 1] = '\0';
	free(path);
	return text;
}

bool exists(const struct machine *m, const char *fmt, ...)
{
	va_list ap;
	char *path;
	bool yes;

	va_start(ap, fmt);
	path = vpath(m, fmt, ap);
	va_end(ap);
	yes = !access(path, F_OK);
	free(path);
	return yes;
}

bool has_trouble(const struct machine *m, const char *check)
{
	for (size_t i = 0; i < m->n; i++)
		if (m->v[i].verdict == DOCTOR_BAD && !strcmp(m->v[i].check, check))
			return true;
	return false;
}

char *said_by(const char *command)
{
	FILE *p = popen(command, "re");
	char line[256] = "";

	if (!p)
		return NULL;
	if (!fgets(line, sizeof(line), p))
		line[0] = '\0';
	pclose(p);
	line[strcspn(line, "\n")] = '\0';
	return *line ? xstrdup(line) : NULL;
}

/* Has apt fetched lists of packages? Images of machines have none, and apt then knows no package. */
static bool has_lists(const struct machine *m)
{
	char *dir = at_root(m, "/var/lib/apt/lists");
	DIR *d = opendir(dir);
	struct dirent *e;
	bool yes = false;

	while (d && !yes && (e = readdir(d)))
		yes = strstr(e->d_name, "_Packages");
	if (d)
		closedir(d);
	free(dir);
	return yes;
}

bool apt_has(const char *package)
{
	/* part of it may be the kernel's release: the shell and apt-cache must take it as a name alone */
	bool name = isalnum((unsigned char)*package) && !package[strspn(package, "abcdefghijklmnopqrstuvwxyz"
		"ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-._~")];
	char *command, *line;
	bool yes;

	if (!name)
		return false;
	command = xasprintf("LC_ALL=C apt-cache policy %s 2> /dev/null | grep '^ *Candidate: [^(]'", package);
	line = said_by(command);
	yes = line;
	free(line);
	free(command);
	return yes;
}

char *install_of(const struct machine *m, const char *debian, const char *fedora, const char *suse)
{
	switch (m->os) {
	case OS_DEBIAN:
		if (!has_lists(m))
			return xasprintf("apt-get update && apt-get install %s", debian);
		return apt_has(debian) ? xasprintf("apt-get install %s", debian) : NULL;
	case OS_FEDORA:
		return xasprintf("dnf install %s", fedora);
	case OS_SUSE:
		return xasprintf("zypper install %s", suse);
	case OS_OTHER:
		break;
	}
	return NULL;
}

void doctor_look(struct machine *m)
{
	doctor_kernel(m);
	if (m->troubles && !m->loaded) {
		found(m, DOCTOR_NOTE, "module",
		      xstrdup("headers, compiler, DKMS and the module were not looked at: each belongs to one kernel"),
		      xstrdup("ctrace doctor   # again, on another kernel"));
	} else {
		doctor_build(m);
		doctor_module(m);
	}
	doctor_host(m);
}
