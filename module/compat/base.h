/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Words that ctrace uses and older kernels lack; Kbuild includes this before everything else.
 * What is a macro is asked for as such, the rest by facts/. (Before 4.13 ARRAY_SIZE() wants linux/bug.h.)
 */
#ifndef CTRACE_COMPAT_BASE_H
#define CTRACE_COMPAT_BASE_H

#include <linux/bug.h>
#include <linux/compiler.h>
#include "facts.h"

#ifndef data_race
/* data_race: since 5.8; it tells KCSAN alone something */
#define data_race(expr)	(expr)
#endif
#ifndef fallthrough
#define fallthrough	do { } while (0)
#endif

#endif
