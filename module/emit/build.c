// SPDX-License-Identifier: GPL-2.0-only
/* The files of this room, compiled as one: Kbuild says why. */
#include "options.c"
#include "route.c"
#include "scratch.c"
#include "stack.c"
#include "user_copy.c"
