/* SPDX-License-Identifier: GPL-2.0-only */
/* The module's own filter expressions, compiled into the file that includes this. */
#ifndef CTRACE_SELFTEST_EXPR_MODULE_H
#define CTRACE_SELFTEST_EXPR_MODULE_H

#include "../../module/lang/expr.c"
#include "../../module/lang/expr_parse.c"
#include "../../module/lang/expr_term.c"
#include "../../module/lang/expr_lex.c"
#include "../../module/lang/fields.c"

#endif
