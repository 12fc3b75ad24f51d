/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Patterns of cgroups' paths that an administrator adds in /etc/ctrace/runtimes.d. They give labels to
 * containers whose runtime the module does not know. They do not decide what is a container: the module does.
 */
#ifndef CTRACE_PATTERNS_H
#define CTRACE_PATTERNS_H

#include "names/names.h"

struct pattern {
	char *file, *glob, *runtime;
	unsigned int line;
};

/* Reads the directory. Malformed lines are reported. */
void patterns_read(struct names *n);
void patterns_free(struct names *n);
/*
 * The first pattern that c's path matches; NULL: none. *id, if there is {id} in it: c's, which the caller
 * frees.
 */
const struct pattern *pattern_of(const struct names *n, const struct ctrace_container *c, char **id);
/* Fills in c's runtime and id as far as they are empty and a pattern gives them. */
void patterns_apply(const struct names *n, struct ctrace_container *c);

#endif
