/* SPDX-License-Identifier: GPL-2.0-only */
/* Loads the kernel module if the kernel did not do so on first use, or says why it cannot be loaded. */
#ifndef CTRACE_CLI_MODULE_H
#define CTRACE_CLI_MODULE_H

#include <stdbool.h>

/*
 * Runs modprobe, as root. Returns NULL if the module is loaded now; else why not and what to do, which
 * the caller frees.
 */
char *module_load(void);
/*
 * Returns why not and what to do, from what modprobe said ("": nothing); the caller frees it. may: this
 * process may have the capability to load modules; disabled: kernel.modules_disabled is set.
 */
char *module_why(const char *said, bool may, bool disabled);

#endif
