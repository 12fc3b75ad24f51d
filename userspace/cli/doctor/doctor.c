// SPDX-License-Identifier: GPL-2.0-only
/* What the checks share. */
#include <dirent.h>
#include <stdarg.h>
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

char *install_of(const struct machine *m, const char *debian, const char *fedora, const char *suse)
{
	switch (m->os) {
	case OS_DEBIAN:
		return xasprintf("apt-get install %s", debian);
	case OS_FEDORA:
		return xasprintf("dnf install %s", fedora);
	case OS_SUSE:
		return xasprintf("zypper install %s", suse);
	case OS_OTHER:
		break;
	}
	return NULL;
}
