// SPDX-License-Identifier: GPL-2.0-only
/*
 * The terminal: ncurses draws it and reads the keys. Nothing waits here: run_loop() calls after a key or an
 * interval. A key draws the last interval again, in the new order or at the new place.
 */
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "top/screen.h"

#include <curses.h>
#include <term.h>
#include <termios.h>
#include <unistd.h>

/* term.h has words of its own for what a terminal can do */
#undef columns
#undef lines

#define ESCAPE	27
#define DELETE	127
#define HEAD	3	/* lines above the table's */

enum { COLOUR_GONE = 1, COLOUR_NOTE };

/* --- begin and end ---------------------------------------------------------------- */

/* For a signal that ends the program at once: what puts the terminal right needs no ncurses then. */
static struct termios before;
static char restore[128];

static void put_back(void)
{
	if (tcsetattr(STDIN_FILENO, TCSANOW, &before) || write(STDOUT_FILENO, restore, strlen(restore)) < 0)
		return;
}

static void remember_terminal(void)
{
	const char *leave = exit_ca_mode, *cursor = cursor_normal;

	snprintf(restore, sizeof(restore), "%s%s", leave ? leave : "", cursor ? cursor : "");
	run_before_exit = put_back;
}

struct top_screen *top_screen_open(struct top *t)
{
	struct top_screen *s = xcalloc(1, sizeof(*s));

	setlocale(LC_CTYPE, "");
	tcgetattr(STDIN_FILENO, &before);
	s->terminal = newterm(NULL, stdout, stdin);
	if (s->terminal && !cursor_address) {
		endwin();
		delscreen(s->terminal);
		s->terminal = NULL;
	}
	if (!s->terminal) {
		free(s);
		cli_error("this terminal cannot be drawn on ($TERM is '%s'): set TERM, or use 'ctrace top -b'",
			  getenv("TERM") ? getenv("TERM") : "");
		return NULL;
	}
	remember_terminal();
	cbreak();
	noecho();
	nonl();
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	set_escdelay(25);
	curs_set(0);
	if (!getenv("NO_COLOR") && has_colors() && start_color() == OK && use_default_colors() == OK) {
		init_pair(COLOUR_GONE, COLOR_RED, -1);
		init_pair(COLOUR_NOTE, COLOR_YELLOW, -1);
		s->colours = true;
	}
	s->t = t;
	s->sort[TOP_CONTAINERS] = t->sort;
	s->turned[TOP_CONTAINERS] = t->turned;
	top_column_find(t, TOP_PROCESSES, "cpu", &s->sort[TOP_PROCESSES], &s->turned[TOP_PROCESSES]);
	top_column_find(t, TOP_THREADS, "cpu", &s->sort[TOP_THREADS], &s->turned[TOP_THREADS]);
	top_column_find(t, TOP_CALLS_OF, "total", &s->sort[TOP_CALLS_OF], &s->turned[TOP_CALLS_OF]);
	screen_draw(s);
	return s;
}

void top_screen_close(struct top_screen *s)
{
	if (!s)
		return;
	endwin();
	run_before_exit = NULL;
	delscreen(s->terminal);
	top_drill_close(&s->tasks);
	top_drill_close(&s->calls);
	top_lines_free(&s->lines);
	for (size_t i = 0; i < ARRAY_SIZE(s->path); i++)
		free(s->path[i].name);
	free(s->shown);
	free(s->only);
	for (size_t i = 0; i < ARRAY_SIZE(s->filter); i++)
		free(s->filter[i]);
	free(s->message);
	free((char *)s->selected.by);
	free(s);
}

/* --- what is shown ------------------------------------------------------------------ */

static struct top_lines *lines_of(struct top_screen *s)
{
	return s->level == TOP_CONTAINERS ? &s->t->lines : &s->lines;
}

static bool passes(struct top_screen *s, const struct top_line *l, const struct top_column *name, struct sbuf *b)
{
	if (!s->filter[s->level])
		return true;
	sbuf_reset(b);
	top_column_put(s->t, name, l, s->ns, b);
	return strcasestr(b->s, s->filter[s->level]);
}

static bool same_key(const struct top_key *a, const struct top_key *b)
{
	return a->cid == b->cid && a->pid == b->pid && a->tid == b->tid && !strcmp(a->by ? a->by : "", b->by ? b->by : "");
}

/* Makes s->shown: the lines that pass the filter, in order; and finds the selected one again. */
static void choose_lines(struct top_screen *s)
{
	struct top_lines *l = lines_of(s);
	const struct top_column *name;
	struct sbuf b = { 0 };
	bool turned;

	top_sort(s->t, l, s->sort[s->level], s->turned[s->level]);
	top_column_find(s->t, s->level, "name", &name, &turned);
	s->shown = xrealloc(s->shown, (l->n + 1) * sizeof(s->shown[0]));
	s->n = 0;
	for (size_t i = 0; i < l->n; i++) {
		if (!passes(s, l->v[i], name, &b))
			continue;
		if (s->moved && same_key(&l->v[i]->key, &s->selected))
			s->at = s->n;
		s->shown[s->n++] = l->v[i];
	}
	if (s->at >= s->n)
		s->at = s->n ? s->n - 1 : 0;
	sbuf_free(&b);
}

static void select_at(struct top_screen *s, size_t at)
{
	s->at = at;
	s->moved = true;
	free((char *)s->selected.by);
	s->selected = (struct top_key){ 0 };
	if (at >= s->n)
		return;
	s->selected = s->shown[at]->key;
	s->selected.by = xstrdup(s->selected.by);
}

/* --- drawing ------------------------------------------------------------------------- */

/* The bytes of text that take at most so many columns. */
static size_t clip(const char *text, size_t columns)
{
	size_t n = 0, len = strlen(text);

	while (n < len && columns--) {
		size_t c = utf8_len(text + n, len - n);

		n += c ? c : 1;
	}
	return n;
}

static void put_text(int y, int x, const char *text, int columns)
{
	if (y < 0 || y >= LINES || x >= COLS || columns <= 0)
		return;
	if (columns > COLS - x)
		columns = COLS - x;
	mvaddnstr(y, x, text, (int)clip(text, (size_t)columns));
}

struct layout {
	const struct top_column *c[TABLE_COLUMNS];
	int width[TABLE_COLUMNS];
	size_t n;
};

/* What all columns take, the names as short as they may be. */
static int least(const struct layout *l)
{
	int all = -1;

	for (size_t i = 0; i < l->n; i++)
		all += 1 + (top_column_is_text(l->c[i]) ? l->c[i]->width : l->width[i]);
	return all;
}

static void drop_one(struct layout *l)
{
	size_t worst = 0;

	for (size_t i = 1; i < l->n; i++)
		if (l->c[i]->rank >= l->c[worst]->rank)
			worst = i;
	memmove(&l->c[worst], &l->c[worst + 1], (l->n - worst - 1) * sizeof(l->c[0]));
	memmove(&l->width[worst], &l->width[worst + 1], (l->n - worst - 1) * sizeof(l->width[0]));
	l->n--;
}

/* Which columns there is room for, and how wide they are. */
static void lay_out(struct top_screen *s, struct layout *l, size_t rows)
{
	size_t all = top_columns(s->t, s->level, l->c, ARRAY_SIZE(l->c));
	struct sbuf b = { 0 };
	int spare;

	l->n = 0;
	for (size_t i = 0; i < all; i++)
		if (!s->only || !l->c[i]->rank || view_list_has(s->only, l->c[i]->word))
			l->c[l->n++] = l->c[i];
	for (size_t i = 0; i < l->n; i++) {
		l->width[i] = l->c[i]->width;
		if ((int)strlen(l->c[i]->head) > l->width[i])
			l->width[i] = (int)strlen(l->c[i]->head);
		for (size_t k = s->first; k < s->n && k < s->first + rows; k++) {
			sbuf_reset(&b);
			top_column_put(s->t, l->c[i], s->shown[k], s->ns, &b);
			if ((int)utf8_columns(b.s) > l->width[i])
				l->width[i] = (int)utf8_columns(b.s);
		}
	}
	sbuf_free(&b);
	while (l->n > 1 && least(l) > COLS)
		drop_one(l);
	spare = COLS - least(l);
	for (size_t i = 0; i < l->n; i++) {
		int more = l->width[i] - l->c[i]->width;

		if (!top_column_is_text(l->c[i]))
			continue;
		more = more < spare ? more : spare;
		more = more > 0 ? more : 0;
		l->width[i] = l->c[i]->width + more;
		spare -= more;
	}
}

static void draw_cells(struct top_screen *s, const struct layout *l, int y, const struct top_line *line)
{
	struct sbuf b = { 0 };
	int x = 0;

	for (size_t i = 0; i < l->n; i++) {
		bool text = top_column_is_text(l->c[i]);
		int w = l->width[i];

		sbuf_reset(&b);
		if (line)
			top_column_put(s->t, l->c[i], line, s->ns, &b);
		else
			sbuf_puts(&b, l->c[i]->head);
		if (!line && l->c[i] == s->sort[s->level])
			attron(A_BOLD | A_UNDERLINE);
		put_text(y, text ? x : x + w - (int)utf8_columns(b.s), b.s, w);
		if (!line && l->c[i] == s->sort[s->level])
			attroff(A_BOLD | A_UNDERLINE);
		x += w + 1;
	}
	sbuf_free(&b);
}

static void draw_row(struct top_screen *s, const struct layout *l, int y, const struct top_line *line, attr_t attr)
{
	attron(attr);
	if (attr & A_REVERSE)
		mvhline(y, 0, ' ', COLS);
	draw_cells(s, l, y, line);
	attroff(attr);
}

static void draw_title(struct top_screen *s)
{
	static const char *const what[] = { "containers", "processes", "threads", "calls" };
	struct sbuf b = { 0 };
	time_t now = time(NULL);
	struct tm tm;
	char at[16] = "";

	if (localtime_r(&now, &tm))
		strftime(at, sizeof(at), "%H:%M:%S", &tm);
	sbuf_printf(&b, "ctrace top  %s  %zu %s  every ", at, s->n, what[s->level]);
	put_ns(&b, s->t->view->interval);
	if (s->paused)
		sbuf_puts(&b, "  paused");
	if (s->filter[s->level]) {
		sbuf_puts(&b, "  /");
		sbuf_clean(&b, s->filter[s->level]);
	}
	put_text(0, 0, b.s, COLS);
	sbuf_reset(&b);
	for (unsigned int i = 0; i < (unsigned int)s->level; i++)
		sbuf_printf(&b, "%s%s", i ? " > " : "", s->path[i].name);
	put_text(1, 0, b.s, COLS);
	sbuf_free(&b);
}

static void draw_foot(struct top_screen *s)
{
	struct sbuf b = { 0 };

	sbuf_reset(&b);
	if (s->prompt) {
		sbuf_puts(&b, s->prompt == '/' ? "name has: " : s->prompt == 'd' ? "interval (1, 500ms): " :
			  "columns (cpu,wait,...; none: all that fit): ");
		sbuf_clean(&b, s->text);
		sbuf_putc(&b, '_');
	} else if (s->message) {
		sbuf_puts(&b, s->message);
	} else {
		sbuf_puts(&b, s->level == TOP_CONTAINERS ? "q quit  h help  Enter processes  < > order  - reverse  / name" :
			  s->level == TOP_PROCESSES ? "q quit  h help  Enter threads  c calls  Esc back" :
			  s->level == TOP_THREADS ? "q quit  h help  Enter calls  Esc back" : "q quit  h help  Esc back");
	}
	attron(A_DIM);
	put_text(LINES - 1, 0, b.s, COLS);
	attroff(A_DIM);
	sbuf_free(&b);
}

static void draw_help(void)
{
	static const char *const text[] = {
		"Up Down PgUp PgDn Home End   choose a line",
		"Enter       its processes, then their threads, then their calls",
		"c           calls of the process or the thread",
		"Esc BkSp    back",
		"< >         order by the next column on the left, right",
		"P W M N     order by CPU, waiting, memory, name",
		"- R         the other way round",
		"/           only names that have this text; none: all",
		"d s         the interval",
		"f           which columns",
		"p Space     pause",
		"q Ctrl-C    quit",
		"",
		"CPU%        of one CPU; WAIT% could run, but had none; THR% its quota had run out",
		"            on a CPU. A wait counts when it ends.",
		"READ WRITE  what read and write calls moved; DISKR DISKW what devices did",
	};

	for (size_t i = 0; i < ARRAY_SIZE(text); i++)
		put_text((int)i, 0, text[i], COLS);
}

void screen_draw(struct top_screen *s)
{
	size_t rows = LINES > HEAD + 1 ? (size_t)(LINES - HEAD - 1) : 0;
	struct layout l;

	erase();
	if (s->help) {
		draw_help();
		refresh();
		return;
	}
	s->ns = s->level == TOP_CONTAINERS ? s->t->ns : s->drilled;
	choose_lines(s);
	if (s->at < s->first)
		s->first = s->at;
	if (rows && s->at >= s->first + rows)
		s->first = s->at - rows + 1;
	lay_out(s, &l, rows);
	draw_title(s);
	draw_row(s, &l, 2, NULL, A_REVERSE);
	if (!s->t->interval && s->level == TOP_CONTAINERS)
		put_text(HEAD, 0, "counting ...", COLS);
	for (size_t i = 0; i < rows && s->first + i < s->n; i++) {
		const struct top_line *line = s->shown[s->first + i];
		attr_t attr = s->first + i == s->at ? A_REVERSE : 0;

		if (line->gone)
			attr |= s->colours ? (attr_t)COLOR_PAIR(COLOUR_GONE) : A_DIM;
		else if (line->sums[TOP_THROTTLED] && s->colours)
			attr |= (attr_t)COLOR_PAIR(COLOUR_NOTE);
		draw_row(s, &l, HEAD + (int)i, line, attr);
	}
	draw_foot(s);
	refresh();
}

size_t screen_page(void)
{
	return LINES > HEAD + 2 ? (size_t)(LINES - HEAD - 2) : 1;
}

/* --- intervals and keys ---------------------------------------------------------------- */

bool top_screen_paused(const struct top_screen *s)
{
	return s->paused;
}

void screen_say(struct top_screen *s, const char *text)
{
	free(s->message);
	s->message = text ? xstrdup(text) : NULL;
}

void top_screen_show(struct top_screen *s)
{
	if (s->level != TOP_CONTAINERS)
		screen_take(s);
	screen_draw(s);
}

int top_screen_keys(struct top_screen *s)
{
	bool any = false;
	int key;

	while ((key = getch()) != ERR) {
		any = true;
		switch (key) {
		case KEY_UP: key = SCREEN_UP; break;
		case KEY_DOWN: key = SCREEN_DOWN; break;
		case KEY_PPAGE: key = SCREEN_PAGE_UP; break;
		case KEY_NPAGE: key = SCREEN_PAGE_DOWN; break;
		case KEY_HOME: key = SCREEN_HOME; break;
		case KEY_END: key = SCREEN_END; break;
		case KEY_ENTER: case '\n': case '\r': key = SCREEN_ENTER; break;
		case KEY_BACKSPACE: case DELETE: case '\b': key = SCREEN_BACKSPACE; break;
		case ESCAPE: key = SCREEN_ESCAPE; break;
		default:
			if (key > 255)
				continue;	/* the size has changed, or a key that means nothing here */
		}
		if (screen_key(s, key, select_at))
			return -1;
	}
	if (any)
		screen_draw(s);
	return 0;
}
