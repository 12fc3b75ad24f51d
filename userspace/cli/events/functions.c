// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/cli.h"
#include "base/util.h"
#include "events/functions.h"
#include "events/probes.h"

static const char *const lists[] = {
	"/sys/kernel/tracing/available_filter_functions", "/sys/kernel/debug/tracing/available_filter_functions",
};

const char *functions_pattern(const char *probe)
{
	const char *pattern = strchr(probe, ':');

	if (strncmp(probe, "kprobe:", 7) && strncmp(probe, "func:", 5))
		return NULL;
	return strpbrk(++pattern, "*?[") ? pattern : NULL;
}

/* All names, one a line; NULL: see errno. */
static const char *all_names(void)
{
	static struct sbuf names;
	char *line = NULL;
	size_t room = 0;
	FILE *f = NULL;

	if (names.len)
		return names.s;
	for (size_t i = 0; !f && i < ARRAY_SIZE(lists); i++)
		f = fopen(lists[i], "re");
	/* NAME [MODULE]; the module leaves its own out. A name may be missing where code was freed */
	while (f && getline(&line, &room, f) > 0) {
		if (strstr(line, " [ctrace]") || !strncmp(line, "__ftrace_invalid", 16))
			continue;
		sbuf_put(&names, line, strcspn(line, " \t\n"));
		sbuf_putc(&names, '\n');
	}
	free(line);
	if (f)
		fclose(f);
	return names.len ? names.s : NULL;
}

int functions_match(const char *pattern)
{
	const char *names = all_names();
	char name[512];
	int n = 0;

	if (!names)
		return errno ? -errno : -ENOENT;
	for (const char *s = names, *end; (end = strchr(s, '\n')); s = end + 1) {
		if ((size_t)(end - s) >= sizeof(name))
			continue;
		memcpy(name, s, (size_t)(end - s));
		name[end - s] = '\0';
		n += !fnmatch(pattern, name, 0);
	}
	return n;
}

static int check(const char *probe, const char *pattern)
{
	struct sbuf b = { 0 };
	int n = functions_match(pattern), status = CLI_OK;

	sbuf_clean(&b, probe);
	if (n < 0)
		status = cli_error("how many functions match '%s' is not known, as %s cannot be read: %s: mount tracefs there, or name one function",
				   b.s, lists[0], strerror(-n));
	else if (!n)
		status = cli_error("no function that can be traced matches '%s': %s lists them", b.s, lists[0]);
	else if ((unsigned int)n > FUNCTIONS_MAX)
		status = cli_error("'%s' matches %d functions, and at most %u can be traced by one pattern: narrow it", b.s, n, FUNCTIONS_MAX);
	sbuf_free(&b);
	return status;
}

int functions_check(const struct probes *p)
{
	int status = CLI_OK;

	for (size_t i = 0; status == CLI_OK && i < p->n; i++) {
		const char *pattern = functions_pattern(p->v[i].name);

		if (pattern)
			status = check(p->v[i].name, pattern);
	}
	return status;
}
