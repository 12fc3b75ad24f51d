// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/cli.h"
#include "show/sink.h"

int sink_color(const char *when, FILE *out, bool *color)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

	if (!strcmp(when, "always") || !strcmp(when, "never")) {
		*color = *when == 'a';
		return CLI_OK;
	}
	if (strcmp(when, "auto"))
		return cli_usage("--color is auto, always or never, not '%s'", when);
	*color = isatty(fileno(out)) && !(no && *no) && term && strcmp(term, "dumb");
	return CLI_OK;
}
