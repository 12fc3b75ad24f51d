// SPDX-License-Identifier: GPL-2.0-only
/* The files of this room, compiled as one: Kbuild says why. */
#include "arena.c"
#include "describe.c"
#include "freeze.c"
#include "layout.c"
#include "quota.c"
#include "slots.c"
#include "wake.c"
