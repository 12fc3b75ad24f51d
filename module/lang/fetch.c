// SPDX-License-Identifier: GPL-2.0-only
/* Makes a kprobe's definition into a program: its place and name here, its arguments in fetch_arg.c. */
#include "lang/fetch_internal.h"

static bool blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n';
}

static struct span next_word(const char **text)
{
	struct span w;

	while (blank(**text))
		(*text)++;
	w.at = *text;
	while (**text && !blank(**text))
		(*text)++;
	w.end = *text;
	return w;
}

/* The most bytes of a payload. All strings are at their longest: that never puts a later field earlier. */
static u32 longest(const struct ctrace_fetch *f)
{
	const struct ctrace_fetch_arg *a;
	u32 at = 0;

	for (a = f->args; a < f->args + f->nargs; a++) {
		if (a->kind == CTRACE_FK_STRING) {
			at += a->base == CTRACE_FETCH_COMM ? CTRACE_COMM_LEN : CTRACE_STR_MAX;
			continue;
		}
		if (a->count)
			at += (-at & 3) + 4;
		at += -at & (a->size - 1);
		at += (a->count ?: 1) * a->size;
	}
	return at;
}

/* --- the place --------------------------------------------------------------- */

static int parse_symbol(struct parser *p, struct span s)
{
	struct ctrace_fetch *f = p->f;
	struct span symbol = s, offset, what;
	const char *c;

	if (ctrace_fetch_split(&s, '%', &symbol, &what)) {
		if (f->span)
			return ctrace_fetch_bad(p, "a span ends at the function's return: leave '%%%.*s' out",
						SPAN(what));
		if (f->plain)
			return ctrace_fetch_bad(p, "a return is written kretprobe:FUNCTION, not with '%%%.*s'",
						SPAN(what));
		if (!is(&what, "return"))
			return ctrace_fetch_bad(p, "only %%return may follow the function, not '%%%.*s'",
						SPAN(what));
		f->ret = true;
	}
	s = symbol;
	if (ctrace_fetch_split(&s, '+', &symbol, &offset) && !ctrace_fetch_number(&offset, &f->offset))
		return ctrace_fetch_bad(p, "'+%.*s' is not an offset: write +NUMBER", SPAN(offset));
	if ((f->ret || f->span) && f->offset)
		return ctrace_fetch_bad(p, "a %s takes no offset after the function",
					f->span ? "span" : "return probe");
	for (c = symbol.at; c < symbol.end; c++)
		if (!word_char(*c) && *c != '.' && *c != ':')
			break;
	if (empty(&symbol) || c < symbol.end || (*symbol.at >= '0' && *symbol.at <= '9'))
		return ctrace_fetch_bad(p, "not the name of a kernel function");
	if (!ctrace_fetch_take(&symbol, f->symbol, sizeof(f->symbol)))
		return ctrace_fetch_bad(p, "a function's name has at most %u characters", CTRACE_FETCH_SYMBOL - 1);
	return 0;
}

static void begin_span(struct ctrace_fetch *f)
{
	f->fields[0] = (struct ctrace_field_desc){
		.name = "duration", .kind = CTRACE_FK_UINT, .size = sizeof(u64)
	};
	f->fields[1] = (struct ctrace_field_desc){
		.name = "ret", .kind = CTRACE_FK_UINT, .display = CTRACE_FD_HEX, .size = sizeof(u64)
	};
	f->nfields = CTRACE_FETCH_SPAN_FIELDS;
	f->span = true;
	f->kaddr = true;	/* the result may be one */
}

#define HEAD	"a definition begins with p[:NAME], r[MAXACTIVE][:NAME] or f[MAXACTIVE][:NAME]"
#define RULE	"use at most %u letters, digits and '_', and no digit first"

/* p, r[MAXACTIVE] or f[MAXACTIVE], then an optional :[SYSTEM/]NAME */
static int parse_head(struct parser *p)
{
	struct ctrace_fetch *f = p->f;
	struct span s = p->word, system, name;
	u64 n;

	f->ret = eat(&s, 'r');
	if (!f->ret && eat(&s, 'f'))
		begin_span(f);
	else if (!f->ret && !eat(&s, 'p'))
		return ctrace_fetch_bad(p, HEAD);
	if ((f->ret || f->span) && !empty(&s) && *s.at != ':') {
		if (!ctrace_fetch_eat_number(&s, &n) || !n || n > CTRACE_FETCH_MAXACTIVE)
			return ctrace_fetch_bad(p, "the number after %c must be from 1 to %u",
						f->ret ? 'r' : 'f', CTRACE_FETCH_MAXACTIVE);
		f->maxactive = n;
	}
	memcpy(f->system, "kprobes", sizeof("kprobes"));
	if (empty(&s))
		return 0;
	if (!eat(&s, ':'))
		return ctrace_fetch_bad(p, HEAD);
	name = s;
	if (ctrace_fetch_split(&s, '/', &system, &name)) {
		if (!ctrace_fetch_good_name(&system) || !ctrace_fetch_take(&system, f->system, sizeof(f->system)))
			return ctrace_fetch_bad(p, "'%.*s' is not a valid group name: " RULE, SPAN(system),
						(u32)sizeof(f->system) - 1);
		if (empty(&name))
			return 0;
	}
	if (!ctrace_fetch_good_name(&name) || !ctrace_fetch_take(&name, f->name, sizeof(f->name)))
		return ctrace_fetch_bad(p, "'%.*s' is not a valid event name: " RULE, SPAN(name),
					(u32)sizeof(f->name) - 1);
	return 0;
}

#define TOO_LONG	"too long for an event's name: choose one with p:NAME FUNCTION"
#define NO_FUNCTION	"the name of a kernel function must follow"

/* The name that the kernel gives to a definition without one. It has no spans. */
static int default_name(struct parser *p)
{
	struct ctrace_fetch *f = p->f;
	char *c;
	int n;

	if (f->span)
		n = snprintf(f->name, sizeof(f->name), "func_%s", f->symbol);
	else
		n = snprintf(f->name, sizeof(f->name), "%c_%s_%llu", f->ret ? 'r' : 'p', f->symbol,
			     (unsigned long long)f->offset);
	if (n >= (int)sizeof(f->name))
		return ctrace_fetch_bad(p, TOO_LONG);
	for (c = f->name; *c; c++)
		if (!word_char(*c))
			*c = '_';
	return 0;
}

static int parse_definition(struct parser *p, const char *text)
{
	struct span symbol;
	u32 room;
	int err;

	p->word = next_word(&text);
	err = parse_head(p);
	if (err)
		return err;
	symbol = next_word(&text);
	if (empty(&symbol))
		return ctrace_fetch_bad(p, NO_FUNCTION);
	p->word = symbol;
	err = parse_symbol(p, symbol);
	if (!err && !p->f->name[0])
		err = default_name(p);
	while (!err) {
		p->word = next_word(&text);
		if (empty(&p->word))
			break;
		err = ctrace_fetch_parse_arg(p, &p->word);
	}
	if (err)
		return err;
	p->f->max = longest(p->f);
	room = CTRACE_FETCH_PAYLOAD - (p->f->span ? (u32)sizeof(struct ctrace_fetch_span) : 0);
	if (p->f->max <= room)
		return 0;
	snprintf(p->why, p->why_size, "the arguments of '%s' may need %u bytes, but a record holds at most %u",
		 p->f->name, p->f->max, room);
	return -E2BIG;
}

/* kprobe:SYMBOL, kretprobe:SYMBOL: the text is the event's name. func:SYMBOL: that is func_SYMBOL. */
static int parse_plain(struct parser *p, const char *text, const char *symbol)
{
	struct ctrace_fetch *f = p->f;
	struct span all = { text, text + strlen(text) }, s = { symbol, all.end };
	int err;

	p->word = s;
	f->plain = true;
	memcpy(f->system, "kprobes", sizeof("kprobes"));
	if (empty(&s)) {
		p->word = all;
		return ctrace_fetch_bad(p, NO_FUNCTION);
	}
	if (f->span) {
		err = parse_symbol(p, s);
		return err ? err : default_name(p);
	}
	if (!ctrace_fetch_take(&all, f->name, sizeof(f->name)))
		return ctrace_fetch_bad(p, TOO_LONG);
	return parse_symbol(p, s);
}

/* Messages repeat what was typed, which may be any bytes. */
static void printable(char *s)
{
	for (; *s; s++)
		if (*s < ' ' || *s > '~')
			*s = '?';
}

int ctrace_fetch_new(const char *text, struct ctrace_fetch **out, char *why, size_t why_size)
{
	struct parser p = { .why = why, .why_size = why_size };
	int err;

	p.f = ctrace_zalloc(sizeof(*p.f));
	if (!p.f)
		return -ENOMEM;
	if (!strncmp(text, "kprobe:", 7)) {
		err = parse_plain(&p, text, text + 7);
	} else if (!strncmp(text, "kretprobe:", 10)) {
		p.f->ret = true;
		err = parse_plain(&p, text, text + 10);
	} else if (!strncmp(text, "func:", 5)) {
		begin_span(p.f);
		err = parse_plain(&p, text, text + 5);
	} else {
		err = parse_definition(&p, text);
	}
	if (err) {
		printable(why);
		ctrace_free(p.f);
		return err;
	}
	*out = p.f;
	return 0;
}
