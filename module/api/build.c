// SPDX-License-Identifier: GPL-2.0-only
/* The files of this room, compiled as one: Kbuild says why. */
#include "dev.c"
#include "dev_poll.c"
#include "dev_read.c"
#include "may.c"
#include "netlink.c"
#include "nl_dump.c"
#include "nl_event.c"
#include "nl_session.c"
#include "nl_tracepoint.c"
#include "put.c"
#include "reply.c"
#include "view.c"
