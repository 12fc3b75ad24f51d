// SPDX-License-Identifier: GPL-2.0-only
#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <time.h>
#include "base/cli.h"
#include "run/run.h"
#include "run/window.h"

bool window_option(struct window *w, int opt)
{
	if (opt == OPT_FROM)
		w->from = optarg;
	else if (opt == OPT_TO)
		w->to = optarg;
	else if (opt == OPT_LAST)
		w->last = optarg;
	else
		return false;
	return true;
}

bool window_given(const struct window *w)
{
	return w->from || w->to || w->last;
}

int window_parse(struct window *w, char *text)
{
	char *dots = strstr(text, "..");

	if (!dots || (dots == text && !dots[2]))
		return cli_usage("'%s' is no window: write FROM..TO, such as 14:00..14:05, +30s..+40s, or -5m..", text);
	*w = (struct window){ .from = dots == text ? NULL : text, .to = dots[2] ? dots + 2 : NULL };
	*dots = '\0';
	return CLI_OK;
}

/* --- words ----------------------------------------------------------------------------- */

/*
 * A moment, CLOCK_REALTIME. It was written to within `unit`: 14:00 is a minute, 14:00:05.2 a tenth of a
 * second.
 */
struct moment {
	int64_t ns, unit;
};

/* Takes n digits, at least one, and what ends them. */
static bool take_number(const char **s, size_t n, int least, int most, int *v)
{
	size_t i = 0;

	for (*v = 0; i < n && isdigit((unsigned char)**s); i++)
		*v = 10 * *v + *(*s)++ - '0';
	return i && *v >= least && *v <= most;
}

static bool take_date(const char **s, struct tm *tm)
{
	int year, month, day;
	const char *at = *s;

	if (!take_number(&at, 4, 1970, 9999, &year) || *at++ != '-' || !take_number(&at, 2, 1, 12, &month) ||
	    *at++ != '-' || !take_number(&at, 2, 1, 31, &day) || (*at != ' ' && *at != 'T'))
		return false;
	tm->tm_year = year - 1900;
	tm->tm_mon = month - 1;
	tm->tm_mday = day;
	*s = at + 1;
	return true;
}

/* 14:00, 14:00:05, 14:00:05.2 */
static bool take_clock(const char *s, struct tm *tm, int64_t *ns, int64_t *unit)
{
	*ns = 0;
	*unit = 60 * (int64_t)NSEC_PER_SEC;
	tm->tm_sec = 0;
	if (!take_number(&s, 2, 0, 23, &tm->tm_hour) || *s++ != ':' ||
	    !take_number(&s, 2, 0, 59, &tm->tm_min))
		return false;
	if (*s == ':') {
		s++;
		*unit = NSEC_PER_SEC;
		if (!take_number(&s, 2, 0, 60, &tm->tm_sec))
			return false;
	}
	if (*s == '.' && *unit == NSEC_PER_SEC) {
		if (!isdigit((unsigned char)*++s))
			return false;
		for (; isdigit((unsigned char)*s) && *unit > 1; s++) {
			*unit /= 10;
			*ns += *unit * (*s - '0');
		}
	}
	return !*s;
}

/* A time of day is the first one in the recording. False: it is no time. */
static bool read_clock(const char *word, const struct window_times *t, struct moment *m)
{
	int64_t began = (int64_t)t->began + t->offset, ns;
	time_t sec = (time_t)(began / (int64_t)NSEC_PER_SEC);
	struct tm tm, again;
	bool dated;

	if (!localtime_r(&sec, &tm))
		return false;
	dated = take_date(&word, &tm);
	if (!take_clock(word, &tm, &ns, &m->unit))
		return false;
	tm.tm_isdst = -1;
	again = tm;
	sec = mktime(&tm);
	m->ns = (int64_t)sec * (int64_t)NSEC_PER_SEC + ns;
	if (dated)
		return tm.tm_mday == again.tm_mday;	/* there is such a day */
	if (m->ns + m->unit > began)
		return true;
	again.tm_mday++;
	sec = mktime(&again);
	m->ns = (int64_t)sec * (int64_t)NSEC_PER_SEC + ns;
	return true;
}

static int refuse(const char *option, const char *word, const char *why, const struct window_times *t)
{
	struct sbuf b = { 0 };
	int status;

	sbuf_moment(&b, t->began + (uint64_t)t->offset);
	sbuf_puts(&b, " to ");
	sbuf_moment(&b, t->ended + (uint64_t)t->offset);
	status = cli_usage("%s %s %s: it is from %s", option, word, why, b.s);
	sbuf_free(&b);
	return status;
}

/* CLI_OK and *at, CLOCK_MONOTONIC; or the exit status after a message. */
static int find(const char *option, const char *word, const struct window_times *t, int64_t *at)
{
	int64_t began = (int64_t)t->began, ended = (int64_t)t->ended;
	struct moment m = { .unit = 1 };
	uint64_t ns;

	if (*word == '+' || *word == '-') {
		if (!strcmp(word + 1, "0") || !strcmp(word + 1, "0s"))
			ns = 0;
		else if (parse_duration(word + 1, &ns) || ns > INT64_MAX / 4)
			return cli_usage("%s '%s' is no time: write +30s for 30 seconds after the beginning of the "
					 "recording, -5m for 5 minutes before its end", option, word);
		*at = *word == '+' ? began + (int64_t)ns : ended - (int64_t)ns;
	} else if (read_clock(word, t, &m)) {
		*at = m.ns - t->offset;
	} else {
		return cli_usage("%s '%s' is no time: write 14:00, 14:00:05.2, 2026-11-29T14:00, +30s or -5m", option,
				 word);
	}
	/* it began within the minute, or second, that is named */
	if (*at < began && *at + m.unit > began)
		*at = began;
	return *at < began ? refuse(option, word, "is before the recording", t) : CLI_OK;
}

static int from_last(const struct window *w, const struct window_times *t, int64_t *at)
{
	uint64_t ns;

	if (w->from || w->to)
		return cli_usage("--last ends with the recording: leave out %s", w->from ? "--from" : "--to");
	if (parse_duration(w->last, &ns) || !ns)
		return cli_usage("--last '%s' is no duration: write 30s, 0.5, 500ms or 5m", w->last);
	if (ns > t->ended - t->began)
		return refuse("--last", w->last, "is longer than the recording", t);
	*at = (int64_t)(t->ended - ns);
	return CLI_OK;
}

int window_find(const struct window *w, const struct window_times *t, uint64_t *from, uint64_t *to)
{
	int64_t begin = (int64_t)t->began, end = (int64_t)t->ended;
	int status = CLI_OK;

	*from = 0;
	*to = UINT64_MAX;
	if (w->last)
		status = from_last(w, t, &begin);
	else if (w->from)
		status = find("--from", w->from, t, &begin);
	if (status == CLI_OK && w->to)
		status = find("--to", w->to, t, &end);
	if (status != CLI_OK)
		return status;
	if (begin >= (int64_t)t->ended && (w->from || w->last))
		return refuse("--from", w->from ? w->from : w->last, "is behind the recording", t);
	if (end < begin)
		return cli_usage("--from %s is after --to %s", w->from, w->to);
	if (end == begin)
		return cli_usage("there is nothing between --from %s and --to %s",
				 w->from ? w->from : "the beginning", w->to);
	if (end > (int64_t)t->ended)
		fprintf(stderr, "ctrace: the recording ends before --to %s\n", w->to);
	if (w->from || w->last)
		*from = (uint64_t)begin;
	/* the recording's last moment is in the window that ends there */
	if (w->to && end < (int64_t)t->ended)
		*to = (uint64_t)end;
	return CLI_OK;
}
