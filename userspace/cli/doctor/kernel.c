// SPDX-License-Identifier: GPL-2.0-only
/* The running kernel: is it one that ctrace knows, and does it have what the module uses? */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <zlib.h>
#include "doctor/doctor.h"

#define CONFIG_MAX	(4u << 20)

/* gzopen() reads plain files as well. */
static char *read_config(const char *path)
{
	gzFile z = gzopen(path, "r");
	char *text;
	int n;

	if (!z)
		return NULL;
	text = xcalloc(CONFIG_MAX + 1, 1);
	n = gzread(z, text, CONFIG_MAX);
	gzclose(z);
	if (n > 0)
		return text;
	free(text);
	return NULL;
}

static void find_config(struct machine *m)
{
	static const char *const places[] = {
		"/proc/config.gz", "/boot/config-%s", "/lib/modules/%s/config", "/lib/modules/%s/build/.config",
	};

	for (size_t i = 0; i < ARRAY_SIZE(places) && !m->config; i++) {
		char *path = at_root(m, places[i], m->release);

		m->config = read_config(path);
		if (m->config)
			m->config_path = xasprintf(places[i], m->release);
		free(path);
	}
}

char *option_of(const struct machine *m, const char *option)
{
	char *line = xasprintf("\nCONFIG_%s=", option), *value = NULL;
	const char *s = m->config ? strstr(m->config, line) : NULL;

	if (s) {
		s += strlen(line);
		value = *s == '"' ? xstrndup(s + 1, strcspn(s + 1, "\"\n")) : xstrndup(s, strcspn(s, "\n"));
	}
	free(line);
	return value;
}

static void check_release(struct machine *m)
{
	unsigned int major = 0, minor = 0;
	struct utsname u;

	sscanf(m->release, "%u.%u", &major, &minor);
	if (major < 3 || (major == 3 && minor < 10)) {
		found(m, DOCTOR_BAD, "kernel", xasprintf("Linux %s is older than 3.10", m->release),
		      xstrdup("boot a newer kernel"));
		return;
	}
	if (!uname(&u) && strcmp(u.machine, "x86_64") && strcmp(u.machine, "aarch64")) {
		found(m, DOCTOR_BAD, "kernel", xasprintf("ctrace knows x86-64 and arm64, not %s", u.machine), NULL);
		return;
	}
	found(m, DOCTOR_OK, "kernel", xasprintf("Linux %s", m->release), NULL);
}

/* What the module needs to be built, and what it does without. userspace/doc/install.md lists them. */
static const char *const needed[] = { "MODULES", "NET", "CGROUPS", "TRACEPOINTS", "KPROBES" };
static const struct { const char *option, *without; } wanted[] = {
	{ "BLOCK", "events of block devices" },
	{ "INET", "events of internet sockets" },
	{ "PERF_EVENTS", "samples" },
	{ "PID_NS", "containers that are told apart by their pid namespaces" },
	{ "KALLSYMS", "names of functions in kernel stacks" },
};

char *doctor_rebuild(const char *options)
{
	return xasprintf("scripts/config%s   # in the kernel's source; then build it, and boot it", options);
}

static void check_options(struct machine *m)
{
	struct sbuf lacks = { 0 }, enable = { 0 };
	char *enabled;

	if (!m->config) {
		found(m, DOCTOR_NOTE, "options", xasprintf("no configuration of Linux %s was found", m->release),
		      doctor_headers(m));
		return;
	}
	for (size_t i = 0; i < ARRAY_SIZE(needed); i++) {
		char *value = option_of(m, needed[i]);

		if (!value) {
			sbuf_printf(&lacks, "%sCONFIG_%s", lacks.len ? ", " : "", needed[i]);
			/* nobody can ask for TRACEPOINTS */
			sbuf_printf(&enable, " -e %s", strcmp(needed[i], "TRACEPOINTS") ? needed[i] : "FTRACE");
		}
		free(value);
	}
	if (lacks.len)
		found(m, DOCTOR_BAD, "options", xasprintf("this kernel is built without %s (%s)", lacks.s, m->config_path),
		      doctor_rebuild(enable.s));
	for (size_t i = 0; i < ARRAY_SIZE(wanted); i++) {
		char *value = option_of(m, wanted[i].option);

		if (!value) {
			enabled = xasprintf(" -e %s", wanted[i].option);
			found(m, DOCTOR_NOTE, "options", xasprintf("this kernel is built without CONFIG_%s: there are no %s",
								   wanted[i].option, wanted[i].without), doctor_rebuild(enabled));
			free(enabled);
		}
		free(value);
	}
	if (!lacks.len)
		found(m, DOCTOR_OK, "options", xasprintf("the kernel has what the module needs (%s)", m->config_path), NULL);
	sbuf_free(&enable);
	sbuf_free(&lacks);
}

void doctor_kernel(struct machine *m)
{
	find_config(m);
	check_release(m);
	check_options(m);
}
