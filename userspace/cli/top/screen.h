/* SPDX-License-Identifier: GPL-2.0-only */
/* What the two halves of the screen share: screen.c draws, keys.c does what keys say. */
#ifndef CTRACE_TOP_SCREEN_H
#define CTRACE_TOP_SCREEN_H

#include "top/top.h"

struct screen;	/* ncurses' SCREEN */

struct top_screen {
	struct top *t;
	struct screen *terminal;
	enum top_level level, from;	/* from: which one led to calls */
	/* of each level, what leads to the next */
	struct { struct top_key key; char *name; } path[TOP_CALLS_OF];
	struct top_drill tasks, calls;
	struct top_lines lines;		/* of processes, threads or calls */
	uint64_t ns, drilled;		/* the time that the lines are of; of s->lines */
	const struct top_column *sort[TOP_CALLS_OF + 1];
	bool turned[TOP_CALLS_OF + 1];
	struct top_line **shown;	/* point to the lines; from one draw to the next */
	size_t n;
	size_t at, first;		/* the chosen line, the first on the screen */
	bool moved;			/* a line was chosen: it stays chosen, wherever it goes */
	struct top_key selected;	/* its by is our own */
	char *filter[TOP_CALLS_OF + 1];	/* of each level: NULL, or what names must have */
	char *only, *message;		/* or NULL; only: the columns */
	char prompt, text[128];		/* '/', 'd' or 'f': text is being typed */
	bool paused, help, colours;
};

enum {
	SCREEN_UP = 256, SCREEN_DOWN, SCREEN_PAGE_UP, SCREEN_PAGE_DOWN, SCREEN_HOME, SCREEN_END, SCREEN_ENTER,
	SCREEN_BACKSPACE, SCREEN_ESCAPE,
};

/* --- screen.c --- */
void screen_draw(struct top_screen *s);
size_t screen_page(void);	/* lines of a page */
void screen_say(struct top_screen *s, const char *text);	/* in the last line, until the next key */

/* --- keys.c --- */
typedef void (*screen_select_fn)(struct top_screen *s, size_t at);
/* -1: the user wants to end. */
int screen_key(struct top_screen *s, int key, screen_select_fn choose);
/* Takes an interval of processes, threads or calls. */
void screen_take(struct top_screen *s);

#endif
