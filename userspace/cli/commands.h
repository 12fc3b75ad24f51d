/* SPDX-License-Identifier: GPL-2.0-only */
/* The subcommands: each cmd_NAME.c has one, main.c finds them. */
#ifndef CTRACE_COMMANDS_H
#define CTRACE_COMMANDS_H

#include "base/cli.h"

extern const struct command cmd_trace, cmd_record, cmd_report, cmd_ps, cmd_events, cmd_probe,
	cmd_status, cmd_explain;

#endif
