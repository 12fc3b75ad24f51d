/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel module, where the first use did not load it. */
#ifndef CTRACE_CLI_MODULE_H
#define CTRACE_CLI_MODULE_H

#include <stdbool.h>

/* As root: asks modprobe. NULL: it is loaded now; else why not and what to do, to be freed. */
char *module_load(void);
/*
 * The same of what modprobe said, "" for nothing. may: this process may load modules as far as
 * capabilities go; disabled: kernel.modules_disabled is set.
 */
char *module_why(const char *said, bool may, bool disabled);

#endif
