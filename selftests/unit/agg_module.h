/* SPDX-License-Identifier: GPL-2.0-only */
/* The module's own aggregates, compiled into the file that includes this. */
#ifndef CTRACE_SELFTEST_AGG_MODULE_H
#define CTRACE_SELFTEST_AGG_MODULE_H

#include "expr_module.h"

/* names that the language of filters has in its files, too */
#define is		agg_is
#define parse		agg_parse
#define take_operand	agg_take_operand
#include "../../module/lang/agg.c"
#include "../../module/lang/agg_parse.c"
#undef is
#undef parse
#undef take_operand

#endif
