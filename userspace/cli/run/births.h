/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef CTRACE_BIRTHS_H
#define CTRACE_BIRTHS_H

#include <libctrace.h>

/*
 * Prints a line for each container that is born or dies from now on, until a signal, or until the reader of
 * the output has gone. Returns the exit status.
 */
int births_follow(struct ctrace *ct);

#endif
