/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A heat map in the terminal: a line for each interval and container, values to the right, shades for their
 * number.
 */
#ifndef CTRACE_VIEW_HEAT_H
#define CTRACE_VIEW_HEAT_H

#include "count/view.h"

#define HEAT_COLUMNS	42u	/* 0 and 1; up to 2, 4, ... 2^40; more */

/*
 * Prints the period's lines. ns: the values are times. *most: the largest number in a column so far, 0 at
 * first.
 */
void heat_show(struct view *v, bool ns, uint64_t *most);
/* Appends the columns for a histogram. */
void heat_put_columns(struct sbuf *b, const uint64_t *hist, uint64_t most);
/* The largest number in a column. */
uint64_t heat_largest(const uint64_t *hist);

#endif
