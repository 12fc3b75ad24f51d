/* SPDX-License-Identifier: GPL-2.0-only */
/* Classes of system calls: %file, %network, ... with strace's names and meaning; name has no %. */
#ifndef CTRACE_CLASSES_H
#define CTRACE_CLASSES_H

#include <stdbool.h>
#include <stddef.h>

bool class_exists(const char *name);
bool class_has(const char *name, const char *call);
/* The i-th class, from 0; NULL past the end. */
const char *class_name(size_t i);

#endif
