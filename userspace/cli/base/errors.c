// SPDX-License-Identifier: GPL-2.0-only
/* Error messages. Each function returns the exit status that belongs to its error. */
#include "base/cli.h"

int cli_error(const char *fmt, ...)
{
	va_list ap;
	int status;

	va_start(ap, fmt);
	status = cli_vreport(CLI_FAIL, fmt, ap);
	va_end(ap);
	return status;
}

int cli_usage(const char *fmt, ...)
{
	va_list ap;
	int status;

	va_start(ap, fmt);
	status = cli_vreport(CLI_USAGE, fmt, ap);
	va_end(ap);
	return status;
}
