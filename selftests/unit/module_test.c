// SPDX-License-Identifier: GPL-2.0-only
/*
 * module_why(): learns from modprobe's output why the module is not loaded, and never asks root to be root.
 */
#include <stdlib.h>
#include <string.h>
#include "ktap.h"
#include "base/module.h"

static void told(const char *said, bool may, bool disabled, const char *words, const char *next)
{
	char *why = module_why(said, may, disabled);

	if (!strstr(why, words) || !strstr(why, next) || strstr(why, "as root"))
		printf("# of '%s': %s\n", said, why);
	check(strstr(why, words));
	check(strstr(why, next));
	check(!strstr(why, "as root"));
	free(why);
}

#define INSERT "modprobe: ERROR: could not insert 'ctrace': "

static void refused(void)
{
	told(INSERT "Operation not permitted\n", true, false, "refused the module (Operation not permitted)", "mokutil");
	told(INSERT "Key was rejected by service\n", true, false, "(Key was rejected by service)", "mokutil");
	told(INSERT "Required key not available\n", true, false, "(Required key not available)", "mokutil");
	told(INSERT "Required key not available\n", false, false, "(Required key", "mokutil");
	told(INSERT "Operation not permitted\n", false, false, "(Operation not permitted)", "on the host");
	told(INSERT "Operation not permitted\n", true, true, "switched off", "before it is");
	told(INSERT "Exec format error\n", true, false, "built for another kernel", "make install-dkms");
	told(INSERT "Cannot allocate memory\n", true, false, "does not load (Cannot allocate memory)", "dmesg");
	told(INSERT "Unknown symbol in module, or unknown parameter (see dmesg)\n", true, false, "its file is gone", "make install-dkms");
	/* busybox */
	told("modprobe: can't load module ctrace (updates/ctrace.ko): Operation not permitted\n", true, false,
	     "(Operation not permitted)", "mokutil");
	/* the last line counts */
	told("modprobe: WARNING: a word\n" INSERT "Exec format error\n\n", true, false, "another kernel", "build it");
}

static void not_there(void)
{
	told("modprobe: FATAL: Module ctrace not found in directory /lib/modules/6.1.0\n", true, false,
	     "not installed for this kernel (", "make install-dkms");
	told("modprobe: module ctrace not found in modules.dep\n", true, true, "not installed", "make install-dkms");
}

static void nothing_said(void)
{
	told("", true, false, "not loaded", "modprobe ctrace");
	told("\n", true, false, "not loaded", "modprobe ctrace");
	told("Killed", true, false, "does not load (Killed)", "dmesg");
	told("modprobe:", true, false, "does not load ()", "dmesg");
}

static const struct ktap_case cases[] = {
	{ "refused: why, and what next", refused },
	{ "not installed", not_there },
	{ "modprobe says nothing, or nothing known", nothing_said },
};
KTAP_MAIN(cases)
