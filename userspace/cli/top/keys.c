// SPDX-License-Identifier: GPL-2.0-only
/*
 * The keyboard: keys choose lines, enter a container and leave it, and change order, names, interval and
 * columns.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "top/screen.h"

/* --- into and out of a container ------------------------------------------------------ */

static void forget_selection(struct top_screen *s)
{
	s->at = s->first = 0;
	s->moved = false;
	s->n = 0;
}

void screen_take(struct top_screen *s)
{
	struct top_drill *d = s->level == TOP_CALLS_OF ? &s->calls : &s->tasks;
	uint64_t now = clock_ns(CLOCK_MONOTONIC);

	if (top_drill_take(s->t, d, &s->lines, s->level, &s->path[s->level - 1].key))
		screen_say(s, "the tables cannot be read");
	s->drilled = now - d->since;
	d->since = now;
	if (!d->full)
		return;
	top_drill_close(d);
	if (top_drill_open(s->t, d, &s->path[s->level - 1].key, s->level == TOP_CALLS_OF))
		screen_say(s, ctrace_errmsg(s->t->view->run.ct));
}

static void leave_name(struct top_screen *s, enum top_level level, const struct top_line *l)
{
	struct sbuf b = { 0 };
	char *comm = xstrndup(l->comm, sizeof(l->comm));

	sbuf_reset(&b);
	if (level == TOP_CONTAINERS)
		view_put_container(s->t->view, &b, l->key.cid);
	else
		sbuf_printf(&b, "%d ", l->key.tid ? l->key.tid : l->key.pid);
	if (level != TOP_CONTAINERS)
		sbuf_clean(&b, comm);
	free(comm);
	free(s->path[level].name);
	s->path[level].name = b.s;
	s->path[level].key = l->key;
	/* the line's text goes with the line */
	s->path[level].key.by = "";
}

static void go_to(struct top_screen *s, enum top_level level)
{
	const struct top_line *l = s->at < s->n ? s->shown[s->at] : NULL;
	struct ctrace *ct = s->t->view->run.ct;
	struct top_drill *d = level == TOP_CALLS_OF ? &s->calls : &s->tasks;
	int err = 0;

	if (!l || l->key.cid == CTRACE_CID_ALL || *l->key.by || l->gone) {
		screen_say(s, l ? "that has ended, or is of several" : NULL);
		return;
	}
	/* threads are counted with the processes */
	if (level != TOP_THREADS)
		err = top_drill_open(s->t, d, &l->key, level == TOP_CALLS_OF);
	if (err) {
		screen_say(s, ctrace_errmsg(ct));
		return;
	}
	/* from a process to its calls, there is no thread between */
	leave_name(s, level == TOP_CALLS_OF ? TOP_THREADS : s->level, l);
	if (level == TOP_CALLS_OF && s->level == TOP_PROCESSES) {
		free(s->path[TOP_PROCESSES].name);
		s->path[TOP_PROCESSES].name = xstrdup("process");
	}
	s->from = s->level;
	s->level = level;
	top_lines_free(&s->lines);
	forget_selection(s);
	screen_take(s);
}

static void go_back(struct top_screen *s)
{
	free(s->filter[s->level]);
	s->filter[s->level] = NULL;
	if (s->level == TOP_CONTAINERS)
		return;
	if (s->level == TOP_CALLS_OF) {
		top_drill_close(&s->calls);
		s->level = s->from;
	} else {
		s->level--;
	}
	if (s->level == TOP_CONTAINERS)
		top_drill_close(&s->tasks);
	top_lines_free(&s->lines);
	forget_selection(s);
	if (s->level != TOP_CONTAINERS)
		screen_take(s);
}

/* --- order ------------------------------------------------------------------------------ */

static void order_by(struct top_screen *s, const char *word)
{
	const struct top_column *v[TABLE_COLUMNS];
	size_t n = top_columns(s->t, s->level, v, ARRAY_SIZE(v));

	for (size_t i = 0; i < n; i++)
		if (!strcmp(v[i]->word, word)) {
			s->sort[s->level] = v[i];
			s->turned[s->level] = false;
		}
}

static void order_beside(struct top_screen *s, bool right)
{
	const struct top_column *v[TABLE_COLUMNS];
	size_t n = top_columns(s->t, s->level, v, ARRAY_SIZE(v)), i = 0;

	while (i < n && v[i] != s->sort[s->level])
		i++;
	if (right ? i + 1 < n : i > 0)
		s->sort[s->level] = v[right ? i + 1 : i - 1];
}

/* --- text that is typed ------------------------------------------------------------------- */

static void typed(struct top_screen *s)
{
	struct view *v = s->t->view;
	uint64_t ns;

	switch (s->prompt) {
	case '/':
		free(s->filter[s->level]);
		s->filter[s->level] = *s->text ? xstrdup(s->text) : NULL;
		break;
	case 'f':
		free(s->only);
		s->only = *s->text ? xstrdup(s->text) : NULL;
		break;
	case 'd':
		if (*s->text && (parse_duration(s->text, &ns) || ns < VIEW_INTERVAL_LEAST)) {
			screen_say(s, "an interval is 1, 0.5, 500ms or 1m, and 10ms or more");
		} else if (*s->text) {
			v->interval = ns;
			v->run.next = clock_ns(CLOCK_MONOTONIC) + ns;
		}
		break;
	}
	s->prompt = 0;
}

static void type(struct top_screen *s, int key)
{
	size_t n = strlen(s->text);

	if (key == SCREEN_ENTER) {
		typed(s);
	} else if (key == SCREEN_ESCAPE) {
		s->prompt = 0;
	} else if (key == SCREEN_BACKSPACE) {
		/* all of a character */
		while (n && ((unsigned char)s->text[n - 1] & 0xc0) == 0x80)
			n--;
		s->text[n ? n - 1 : 0] = '\0';
	} else if (key >= ' ' && key < 256 && n + 1 < sizeof(s->text)) {
		s->text[n] = (char)key;
		s->text[n + 1] = '\0';
	}
}

static void ask(struct top_screen *s, int key)
{
	s->prompt = (char)(key == 's' ? 'd' : key);
	s->text[0] = '\0';
}

/* --- keys ------------------------------------------------------------------------------------ */

static void move(struct top_screen *s, int key, screen_select_fn choose)
{
	size_t page = screen_page(), last = s->n ? s->n - 1 : 0, at = s->at;

	switch (key) {
	case SCREEN_UP:
		at -= at > 0;
		break;
	case SCREEN_DOWN:
		at++;
		break;
	case SCREEN_PAGE_UP:
		at = at > page ? at - page : 0;
		break;
	case SCREEN_PAGE_DOWN:
		at += page;
		break;
	case SCREEN_HOME:
		at = 0;
		break;
	case SCREEN_END:
		at = last;
		break;
	}
	choose(s, at < last ? at : last);
}

int screen_key(struct top_screen *s, int key, screen_select_fn choose)
{
	screen_say(s, NULL);
	if (s->help) {
		s->help = false;
		return key == 'q' ? -1 : 0;
	}
	if (s->prompt) {
		type(s, key);
		return 0;
	}
	switch (key) {
	case 'q':
		return -1;
	case 'h':
	case '?':
		s->help = true;
		break;
	case 'p':
	case ' ':
		s->paused = !s->paused;
		break;
	case '<':
	case '>':
		order_beside(s, key == '>');
		break;
	case '-':
	case 'R':
		s->turned[s->level] = !s->turned[s->level];
		break;
	case 'P':
		order_by(s, "cpu");
		break;
	case 'W':
		order_by(s, "wait");
		break;
	case 'M':
		order_by(s, "memory");
		break;
	case 'N':
		order_by(s, "name");
		break;
	case '/':
	case 'd':
	case 's':
	case 'f':
		ask(s, key);
		break;
	case 'c':
		if (s->level == TOP_PROCESSES || s->level == TOP_THREADS)
			go_to(s, TOP_CALLS_OF);
		break;
	case SCREEN_ENTER:
		if (s->level != TOP_CALLS_OF)
			go_to(s, s->level + 1);
		break;
	case SCREEN_ESCAPE:
	case SCREEN_BACKSPACE:
		go_back(s);
		break;
	default:
		if (key >= SCREEN_UP && key <= SCREEN_END)
			move(s, key, choose);
	}
	return 0;
}
