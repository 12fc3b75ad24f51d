// SPDX-License-Identifier: GPL-2.0-only
/* The files of this room, compiled as one: Kbuild says why. */
#include "inflight.c"
#include "limit.c"
#include "option.c"
#include "probe.c"
#include "session.c"
#include "spare.c"
#include "spare_give.c"
#include "spare_tracers.c"
#include "target.c"
#include "tasks.c"
#include "threads.c"
