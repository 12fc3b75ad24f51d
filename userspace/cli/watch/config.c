// SPDX-License-Identifier: GPL-2.0-only
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "watch/config.h"

#define FILE_MAX	((size_t)256 << 10)
#define LINE_LENGTH	4096u
#define MISTAKES_MAX	100u
#define SEC(n)		((n) * NSEC_PER_SEC)

const char *const pressure_words[PRESSURES] = { "cpu", "memory", "io" };

/* Where a value stands, for messages. */
struct at {
	struct watch_config *c;
	struct mistakes *m;
	unsigned int line;
};

void mistake(struct mistakes *m, const char *path, unsigned int line, const char *fmt, ...)
{
	struct sbuf text = { 0 };
	va_list ap;
	char *raw;

	if (m->n++ >= MISTAKES_MAX)
		return;
	sbuf_clean(&text, path);
	if (line)
		sbuf_printf(&text, ":%u", line);
	sbuf_puts(&text, ": ");
	va_start(ap, fmt);
	if (vasprintf(&raw, fmt, ap) < 0)
		abort();
	va_end(ap);
	sbuf_clean(&text, raw);
	free(raw);
	sbuf_put(&m->b, text.s, text.len);
	sbuf_putc(&m->b, '\n');
	sbuf_free(&text);
}

#define wrong(at, ...)	mistake((at)->m, (at)->c->path, (at)->line, __VA_ARGS__)

/* --- values ---------------------------------------------------------------------------- */

static bool take_yes_no(const struct at *at, const char *key, const char *v, bool *to)
{
	bool yes = !strcmp(v, "yes") || !strcmp(v, "true") || !strcmp(v, "on");

	if (!yes && strcmp(v, "no") && strcmp(v, "false") && strcmp(v, "off")) {
		wrong(at, "%s: '%s' is neither yes nor no", key, v);
		return false;
	}
	*to = yes;
	return true;
}

/* text: v, as it was written; put prints the limits. */
static bool in_range(const struct at *at, const char *key, const char *text, uint64_t v, uint64_t least,
		     uint64_t most, void (*put)(struct sbuf *b, uint64_t n))
{
	struct sbuf from = { 0 }, until = { 0 };

	if (v >= least && v <= most)
		return true;
	put(&from, least);
	put(&until, most);
	wrong(at, "%s: %s is not between %s and %s", key, text, from.s, until.s);
	sbuf_free(&from);
	sbuf_free(&until);
	return false;
}

static bool take_duration(const struct at *at, const char *key, const char *v, uint64_t least, uint64_t most,
			  uint64_t *to)
{
	uint64_t ns;

	if (parse_duration(v, &ns)) {
		wrong(at, "%s: '%s' is no time: write 500ms, 30, 2m, 1h", key, v);
		return false;
	}
	if (!in_range(at, key, v, ns, least, most, sbuf_duration))
		return false;
	*to = ns;
	return true;
}

static bool take_size(const struct at *at, const char *key, const char *v, uint64_t least, uint64_t most,
		      uint64_t *to)
{
	uint64_t bytes;

	if (parse_size(v, &bytes)) {
		wrong(at, "%s: '%s' is no size: write 64M, 2G", key, v);
		return false;
	}
	if (!in_range(at, key, v, bytes, least, most, sbuf_size))
		return false;
	*to = bytes;
	return true;
}

static bool take_number(const struct at *at, const char *key, const char *v, uint32_t least, uint32_t most,
			uint32_t *to)
{
	uint32_t n;

	if (parse_u32(v, &n) || n < least || n > most) {
		wrong(at, "%s: '%s' is not a number from %u to %u", key, v, least, most);
		return false;
	}
	*to = n;
	return true;
}

static bool take_percent(const struct at *at, const char *key, const char *v, double *to)
{
	char *end;
	double p;

	errno = 0;
	p = strtod(v, &end);
	if (end == v || errno || (*end && strcmp(end, "%")) || !(p > 0 && p <= 100)) {
		wrong(at, "%s: '%s' is not a share: write 50%%", key, v);
		return false;
	}
	*to = p;
	return true;
}

int parse_rate(const char *s, struct rate_limit *r)
{
	static const struct { const char *word; uint64_t ns; } units[] = {
		{ "second", SEC(1) }, { "minute", SEC(60) }, { "hour", SEC(3600) }, { "day", SEC(86400) },
	};
	unsigned long long n;
	char per[32], rest;
	uint64_t every = 0;

	if (!strcmp(s, "none")) {
		*r = (struct rate_limit){ 0 };
		return 0;
	}
	if (!isdigit((unsigned char)*s) || sscanf(s, "%llu per %31s %c", &n, per, &rest) != 2 || !n ||
	    n > 100000)
		return -EINVAL;
	for (size_t i = 0; i < ARRAY_SIZE(units) && !every; i++)
		every = strcmp(per, units[i].word) ? 0 : units[i].ns;
	if (!every && parse_duration(per, &every))
		return -EINVAL;
	if (!every || every > SEC(86400) * 31)
		return -EINVAL;
	*r = (struct rate_limit){ .n = (uint32_t)n, .every = every };
	return 0;
}

static bool take_rate(const struct at *at, const char *key, const char *v, struct rate_limit *to)
{
	if (!parse_rate(v, to))
		return true;
	wrong(at, "%s: '%s' is no rate: write '1 per minute', '3 per 10m' or none", key, v);
	return false;
}

static void set(char **to, const char *v)
{
	free(*to);
	*to = xstrdup(v);
}

/* --- triggers --------------------------------------------------------------------------- */

static char *trim(char *s)
{
	char *end;

	while (isspace((unsigned char)*s))
		s++;
	end = s + strlen(s);
	while (end > s && isspace((unsigned char)end[-1]))
		*--end = '\0';
	return s;
}

static void take_trigger_option(const struct at *at, struct trigger *t, char *word)
{
	char *eq = strchr(word, '='), *key, *v;

	if (!eq) {
		wrong(at, "'%s' is no option of a trigger: write KEY = VALUE", trim(word));
		return;
	}
	*eq = '\0';
	key = trim(word);
	v = trim(eq + 1);
	if (!strcmp(key, "rate"))
		take_rate(at, key, v, &t->rate);
	else if (!strcmp(key, "seconds"))
		take_duration(at, key, v, SEC(1), SEC(3600), &t->seconds);
	else if (!strcmp(key, "neighbours"))
		take_yes_no(at, key, v, &t->neighbours);
	else if (!strcmp(key, "only") && *v)
		set(&t->only, v);
	else
		wrong(at, "a trigger has no option '%s': rate, seconds, neighbours or only", key);
}

/*
 * Cuts "[KEY = VALUE, ...]" off the end of v: from the last '[' behind a blank on, as globs have others. A
 * glob in a condition ends with a quotation mark.
 */
static void take_options(const struct at *at, struct trigger *t, char *v)
{
	char *open, *save = NULL;
	size_t len = strlen(v);

	if (!len || v[len - 1] != ']')
		return;
	for (open = v + len - 1; open > v && !(*open == '[' && isspace((unsigned char)open[-1])); open--)
		;
	if (open == v) {
		wrong(at, "']' without ' ['");
		v[len - 1] = '\0';
		trim(v);
		return;
	}
	v[len - 1] = '\0';
	*open = '\0';
	for (char *w = strtok_r(open + 1, ",", &save); w; w = strtok_r(NULL, ",", &save))
		take_trigger_option(at, t, w);
	trim(v);
}

/* "WORDS TIME": the last word is the time. False after a message. */
static bool split_duration(const struct at *at, struct trigger *t, const char *key, char *v)
{
	char *last = strrchr(v, ' ');

	if (!take_duration(at, key, last ? last + 1 : v, 1000, SEC(3600), &t->duration))
		return false;
	if (last)
		*last = '\0';
	else
		*v = '\0';
	trim(v);
	return true;
}

/*
 * Calls or spans that take too long. A span's condition is written out; events/probes.c adds that of calls.
 */
static bool take_span(const struct at *at, struct trigger *t, const char *key, char *v)
{
	struct sbuf b = { 0 };
	char *save = NULL;

	if (!split_duration(at, t, key, v))
		return false;
	if (!*v && t->kind == TRIGGER_SPAN) {
		wrong(at, "span: which? write 'span = sched_wait 100ms'");
		return false;
	}
	for (char *w = strtok_r(v, ", \t", &save); w; w = strtok_r(NULL, ", \t", &save))
		sbuf_printf(&b, "%s%s", b.len ? "," : "", w);
	if (t->kind == TRIGGER_SPAN)
		sbuf_printf(&b, " if duration >= %llu", (unsigned long long)t->duration);
	t->events = b.len ? b.s : xstrdup("calls");
	return true;
}

static bool take_pressure(const struct at *at, struct trigger *t, const char *v)
{
	char what[16], how[16], share[32], rest;

	if (sscanf(v, "%15s %15s %31s %c", what, how, share, &rest) != 3) {
		wrong(at, "pressure: '%s': write 'pressure = cpu some 40%%'", v);
		return false;
	}
	for (t->resource = 0; t->resource < PRESSURES; t->resource++)
		if (!strcmp(what, pressure_words[t->resource]))
			break;
	if (t->resource == PRESSURES) {
		wrong(at, "pressure: '%s' is not cpu, memory or io", what);
		return false;
	}
	t->full = !strcmp(how, "full");
	if (!t->full && strcmp(how, "some")) {
		wrong(at, "pressure: '%s' is not some or full", how);
		return false;
	}
	return take_percent(at, "pressure", share, &t->percent);
}

static bool take_trigger(const struct at *at, struct trigger *t, const char *key, char *v)
{
	bool yes = false;

	switch (t->kind) {
	case TRIGGER_ENDED:
		t->any = !strcmp(v, "any");
		if (t->any || !strcmp(v, "failed"))
			return true;
		wrong(at, "ended: '%s' is neither failed nor any", v);
		return false;
	case TRIGGER_OOM:
		return take_yes_no(at, key, v, &yes) && yes;
	case TRIGGER_THROTTLED:
		return take_percent(at, key, v, &t->percent);
	case TRIGGER_PRESSURE:
		return take_pressure(at, t, v);
	case TRIGGER_CALL:
	case TRIGGER_SPAN:
		return take_span(at, t, key, v);
	case TRIGGER_EVENT:
		set(&t->events, v);
		return true;
	case TRIGGER_ASKED:
		break;
	}
	return false;
}

static void add_trigger(const struct at *at, enum trigger_kind kind, const char *key, char *v)
{
	struct watch_config *c = at->c;
	/* 0 and NULL: the section's, which may stand below it */
	struct trigger t = { .kind = kind, .line = at->line, .text = xasprintf("%s = %s", key, v),
			     .rate.n = UINT32_MAX, .neighbours = false };

	take_options(at, &t, v);
	if (c->ntriggers == WATCH_TRIGGERS_MAX) {
		wrong(at, "more than %u triggers", WATCH_TRIGGERS_MAX);
	} else if (trigger_records(&t) && c->nrecords == WATCH_RECORDS_MAX) {
		wrong(at, "more than %u triggers of calls, spans and events", WATCH_RECORDS_MAX);
	} else if (take_trigger(at, &t, key, v)) {
		c->triggers = xrealloc(c->triggers, (c->ntriggers + 1) * sizeof(t));
		c->triggers[c->ntriggers++] = t;
		c->nrecords += trigger_records(&t);
		return;
	}
	free(t.text);
	free(t.events);
	free(t.only);
}

/* --- lines -------------------------------------------------------------------------------- */

static const struct {
	const char *key;
	enum trigger_kind kind;
} trigger_keys[] = {
	{ "ended", TRIGGER_ENDED }, { "oom", TRIGGER_OOM }, { "throttled", TRIGGER_THROTTLED },
	{ "pressure", TRIGGER_PRESSURE }, { "call", TRIGGER_CALL }, { "span", TRIGGER_SPAN },
	{ "event", TRIGGER_EVENT },
};

static const char *const keys[] = {
	"memory", "containers", "seconds", "events", "samples", "neighbours", "rate", "rate_all", "quota",
	"keep",
	"at_once", "look", "directory", "on_dump", "on_dump_time", "report_time",
};

static void take_unknown(const struct at *at, const char *key)
{
	struct nearest near = { .word = key };
	struct sbuf b = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		nearest_offer(&near, keys[i]);
	for (size_t i = 0; i < ARRAY_SIZE(trigger_keys); i++)
		nearest_offer(&near, trigger_keys[i].key);
	sbuf_reset(&b);
	nearest_print(&near, &b);
	wrong(at, "[recorder] has no '%s'%s", key, b.s);
	sbuf_free(&b);
}

static void take_recorder(const struct at *at, const char *key, char *v)
{
	struct watch_config *c = at->c;

	for (size_t i = 0; i < ARRAY_SIZE(trigger_keys); i++) {
		if (!strcmp(key, trigger_keys[i].key)) {
			add_trigger(at, trigger_keys[i].kind, key, v);
			return;
		}
	}
	if (!strcmp(key, "memory")) {
		take_size(at, key, v, 1 << 20, 64ull << 30, &c->memory);
	} else if (!strcmp(key, "containers")) {
		take_number(at, key, v, 1, 4096, &c->containers);
	} else if (!strcmp(key, "seconds")) {
		take_duration(at, key, v, SEC(1), SEC(3600), &c->seconds);
	} else if (!strcmp(key, "events")) {
		set(&c->events, v);
		c->events_line = at->line;
	} else if (!strcmp(key, "samples")) {
		take_number(at, key, v, 0, 10000, &c->samples);
	} else if (!strcmp(key, "neighbours")) {
		take_yes_no(at, key, v, &c->neighbours);
	} else if (!strcmp(key, "rate")) {
		take_rate(at, key, v, &c->rate);
	} else if (!strcmp(key, "rate_all")) {
		take_rate(at, key, v, &c->rate_all);
	} else if (!strcmp(key, "quota")) {
		take_size(at, key, v, 1 << 20, 1ull << 50, &c->quota);
	} else if (!strcmp(key, "keep")) {
		if (!strcmp(v, "always"))
			c->keep = 0;
		else
			take_duration(at, key, v, SEC(1), SEC(86400) * 3660, &c->keep);
	} else if (!strcmp(key, "at_once")) {
		take_number(at, key, v, 1, 16, &c->at_once);
	} else if (!strcmp(key, "look")) {
		take_duration(at, key, v, SEC(1), SEC(300), &c->look);
	} else if (!strcmp(key, "directory")) {
		if (*v == '/' && v[1])
			set(&c->dir, v);
		else
			wrong(at, "directory: '%s' does not begin with '/'", v);
	} else if (!strcmp(key, "on_dump")) {
		set(&c->on_dump, v);
	} else if (!strcmp(key, "on_dump_time")) {
		take_duration(at, key, v, SEC(1), SEC(3600), &c->on_dump_time);
	} else if (!strcmp(key, "report_time")) {
		take_duration(at, key, v, SEC(1), SEC(3600), &c->report_time);
	} else {
		take_unknown(at, key);
	}
}

static void take_section(const struct at *at, char *s, bool *known, bool *seen)
{
	char *end = strchr(s, ']');

	*known = false;
	if (!end || trim(end + 1)[0]) {
		wrong(at, "a section is '[NAME]', and nothing behind it");
		return;
	}
	*end = '\0';
	s = trim(s + 1);
	*known = !strcmp(s, "recorder");
	if (!*known)
		wrong(at, "no section is called [%s]: there is [recorder]", s);
	else if (*seen)
		wrong(at, "[recorder] stands here a second time");
	*seen |= *known;
}

struct seen {
	bool section, known;
	unsigned int lines[ARRAY_SIZE(keys)];	/* where each key stands */
};

static void take_line(const struct at *at, char *line, struct seen *seen)
{
	char *eq, *key, *v;

	line = trim(line);
	if (!*line || *line == '#' || *line == ';')
		return;
	if (*line == '[') {
		take_section(at, line, &seen->known, &seen->section);
		return;
	}
	eq = strchr(line, '=');
	if (!eq) {
		wrong(at, "'%.40s' is no line: write KEY = VALUE", line);
		return;
	}
	*eq = '\0';
	key = trim(line);
	v = trim(eq + 1);
	if (!seen->known) {
		if (!seen->section)
			wrong(at, "'%s' stands in no section: write [recorder] above it", key);
		return;
	}
	if (!*v) {
		wrong(at, "'%s' has no value", key);
		return;
	}
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		if (strcmp(key, keys[i]))
			continue;
		if (seen->lines[i]) {
			wrong(at, "'%s' stands on line %u already", key, seen->lines[i]);
			return;
		}
		seen->lines[i] = at->line;
	}
	take_recorder(at, key, v);
}

/* Values that depend on several lines. */
static void settle(struct watch_config *c, const struct at *at, bool section)
{
	if (!section)
		mistake(at->m, c->path, 0, "there is no [recorder], so there is nothing to do");
	for (size_t i = 0; i < c->ntriggers; i++) {
		struct trigger *t = &c->triggers[i];

		t->seconds = t->seconds ? t->seconds : c->seconds;
		t->neighbours |= c->neighbours;
		if (t->rate.n == UINT32_MAX)
			t->rate = c->rate;
	}
}

struct watch_config *watch_config_parse(const char *path, const char *text, size_t len, struct mistakes *m)
{
	struct watch_config *c = xcalloc(1, sizeof(*c));
	struct at at = { .c = c, .m = m };
	struct seen seen = { 0 };

	*c = (struct watch_config){
		.path = xstrdup(path), .memory = 64ull << 20, .containers = 16, .seconds = SEC(30),
		.rate = { 1, SEC(60) }, .rate_all = { 30, SEC(3600) }, .quota = 1ull << 30,
		.keep = SEC(86400) * 14,
		.at_once = 2, .look = SEC(10), .dir = xstrdup(WATCH_DIR), .on_dump_time = SEC(30),
		.report_time = SEC(60),
	};
	for (const char *p = text, *end = text + len; p < end;) {
		size_t n = strcspn(p, "\n");
		char *line;

		/* strcspn() ends at a NUL, too */
		n = n < (size_t)(end - p) ? n : (size_t)(end - p);
		at.line++;
		line = xstrndup(p, n);
		if (p + n < end && !p[n])
			wrong(&at, "this line has a NUL: it is no text");
		else if (n > LINE_LENGTH)
			wrong(&at, "this line is longer than %u bytes", LINE_LENGTH);
		else
			take_line(&at, line, &seen);
		free(line);
		if (p + n < end && !p[n])
			break;
		p += n + 1;
	}
	settle(c, &at, seen.section);
	return c;
}

struct watch_config *watch_config_read(const char *path, struct mistakes *m)
{
	struct watch_config *c;
	size_t len = 0;
	char *text = read_upto(path, FILE_MAX, &len);

	if (!text) {
		mistake(m, path, 0, "cannot read it: %s",
			errno == EFBIG ? "it is longer than 256 KiB" : strerror(errno));
		return watch_config_parse(path, "[recorder]\n", 11, m);
	}
	c = watch_config_parse(path, text, len, m);
	free(text);
	return c;
}

void watch_config_free(struct watch_config *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->ntriggers; i++) {
		free(c->triggers[i].text);
		free(c->triggers[i].events);
		free(c->triggers[i].only);
	}
	free(c->triggers);
	free(c->path);
	free(c->events);
	free(c->dir);
	free(c->on_dump);
	free(c);
}
