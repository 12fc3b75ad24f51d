/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef CTRACE_SELFTEST_STRACE_H
#define CTRACE_SELFTEST_STRACE_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* The strace that tests compare with: other versions differ in more than the tests list. */
#define STRACE	"strace -- version 6.1\n"

static inline bool has_strace(void)
{
	char version[64] = "";
	FILE *f = popen("strace -V 2>&1", "r");

	if (f && !fgets(version, sizeof(version), f))
		version[0] = '\0';
	if (f)
		pclose(f);
	return !strcmp(version, STRACE);
}

#endif
