/* SPDX-License-Identifier: GPL-2.0-only */
/* Classes of system calls: %file, %network, ... with strace's words and meaning. Names without the %. */
#ifndef CTRACE_CLASSES_H
#define CTRACE_CLASSES_H

#include <stdbool.h>
#include <stddef.h>

bool class_exists(const char *name);
bool class_has(const char *name, const char *call);
/* i-th class, NULL past the end. */
const char *class_name(size_t i);

#endif
