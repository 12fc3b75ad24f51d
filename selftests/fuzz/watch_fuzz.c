// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads the input as a configuration of `ctrace watch`. Beyond what the sanitizers see, it checks that each
 * mistake has a line of the input, that there are no more triggers than the limit, and that a file without
 * mistakes is read the same way twice.
 *
 * sources: cli/watch/config.c cli/base/sbuf.c cli/base/util.c
 */
#include <stdlib.h>
#include <string.h>
#include "watch/config.h"

#define require(x)	do { if (!(x)) __builtin_trap(); } while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static unsigned long lines_of(const char *text, size_t len)
{
	unsigned long n = 1;

	while (len--)
		n += *text++ == '\n';
	return n;
}

static void check_mistakes(const struct mistakes *m, unsigned long lines)
{
	size_t n = 0;

	for (const char *s = m->b.len ? m->b.s : ""; *s; s = strchr(s, '\n') + 1, n++) {
		unsigned long line;

		require(!strncmp(s, "f:", 2) && strchr(s, '\n'));
		/* a section that is missing has no line */
		if (s[2] == ' ')
			continue;
		line = strtoul(s + 2, NULL, 10);
		require(line >= 1 && line <= lines);
	}
	require(n <= m->n && !n == !m->n);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct mistakes first = { 0 }, second = { 0 };
	struct watch_config *c, *again;
	char *text = xcalloc(1, size + 1);

	memcpy(text, data, size);
	c = watch_config_parse("f", text, size, &first);
	again = watch_config_parse("f", text, size, &second);
	require(c && again && first.n == second.n);
	check_mistakes(&first, lines_of(text, size));
	require(c->ntriggers <= WATCH_TRIGGERS_MAX && c->nrecords <= WATCH_RECORDS_MAX);
	if (!first.n) {
		require(c->ntriggers == again->ntriggers && c->memory == again->memory);
		for (size_t i = 0; i < c->ntriggers; i++)
			require(!strcmp(c->triggers[i].text, again->triggers[i].text));
	}
	watch_config_free(c);
	watch_config_free(again);
	sbuf_free(&first.b);
	sbuf_free(&second.b);
	free(text);
	return 0;
}
