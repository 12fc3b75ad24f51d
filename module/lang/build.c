// SPDX-License-Identifier: GPL-2.0-only
/* The files of this room, compiled as one: Kbuild says why. */
#include "expr.c"
#include "expr_lex.c"
#include "expr_parse.c"
#include "expr_term.c"
#include "fetch.c"
#include "fields.c"
#include "agg.c"
#include "agg_parse.c"
#include "fetch_abi.c"
#include "fetch_arg.c"
#include "fetch_eval.c"
#include "fetch_text.c"
