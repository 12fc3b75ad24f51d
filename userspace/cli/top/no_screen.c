// SPDX-License-Identifier: GPL-2.0-only
/* In place of screen.c and keys.c, where there is no ncurses to build with. */
#include "base/cli.h"
#include "top/top.h"

struct top_screen *top_screen_open(struct top *t)
{
	(void)t;
	cli_error("this ctrace was built without ncurses, so top has no screen: use 'ctrace top -b'");
	return NULL;
}

void top_screen_show(struct top_screen *s)
{
	(void)s;
}

bool top_screen_paused(const struct top_screen *s)
{
	(void)s;
	return false;
}

int top_screen_keys(struct top_screen *s)
{
	(void)s;
	return -1;
}

void top_screen_close(struct top_screen *s)
{
	(void)s;
}
