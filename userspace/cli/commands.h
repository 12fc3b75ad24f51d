/* SPDX-License-Identifier: GPL-2.0-only */
/* The subcommands: each cmd_NAME.c has one, main.c finds them. */
#ifndef CTRACE_COMMANDS_H
#define CTRACE_COMMANDS_H

#include "base/cli.h"

extern const struct command cmd_trace;
extern const struct command cmd_record;
extern const struct command cmd_report;
extern const struct command cmd_top;
extern const struct command cmd_stats;
extern const struct command cmd_runqlat;
extern const struct command cmd_blame;
extern const struct command cmd_why;
extern const struct command cmd_offcpu;
extern const struct command cmd_throttle;
extern const struct command cmd_profile;
extern const struct command cmd_bio;
extern const struct command cmd_files;
extern const struct command cmd_tcp;
extern const struct command cmd_snoop;
extern const struct command cmd_count;
extern const struct command cmd_hist;
extern const struct command cmd_agg;
extern const struct command cmd_stackcount;
extern const struct command cmd_flame;
extern const struct command cmd_export;
extern const struct command cmd_ps;
extern const struct command cmd_explain;
extern const struct command cmd_events;
extern const struct command cmd_probe;
extern const struct command cmd_doctor;
extern const struct command cmd_status;

#endif
