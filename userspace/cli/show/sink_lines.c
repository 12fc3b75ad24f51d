// SPDX-License-Identifier: GPL-2.0-only
/* A line of columns for each event, as text or as a JSON object. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "base/cli.h"
#include "show/lines.h"

#define CONTAINER_WIDTH	16

struct lines {
	struct sink s;
	const struct lines_opts *o;
	struct paints *paints;
	struct comms *comms;
	struct sbuf cell, clean;
	struct ctrace_value v[FIELDS_MAX];
	struct line line;
	uint64_t first;
};

/* Is the type one of the form's, not one that only gives names of tasks? */
static bool is_shown(const struct lines *x, const struct ctrace_event_type *t)
{
	const char *events = lines_events(x->o->form, x->o->failed);

	if (!t || t->id == CTRACE_ID_SCHED_PROCESS_FORK || t->id == CTRACE_ID_STATEDUMP_START ||
	    t->id == CTRACE_ID_STATEDUMP_END || t->id == CTRACE_ID_STATEDUMP_PROCESS_STATE ||
	    t->id == CTRACE_ID_STATEDUMP_NAMESPACES || t->id == CTRACE_ID_STATEDUMP_FILE_DESCRIPTOR ||
	    t->id == CTRACE_ID_STATEDUMP_BLOCK_DEVICE)
		return false;
	return t->id != CTRACE_ID_SCHED_PROCESS_EXEC || !strncmp(events, t->name, strlen(t->name));
}

static void begin(struct lines *x, const struct ctrace_record *rec)
{
	const struct paint *p = paints_get(x->paints, rec->id);
	int64_t duration = 0;

	x->line = (struct line){
		.rec = rec, .p = p, .v = x->v, .comms = x->comms, .ctable = x->s.o.ctable, .entered = rec->time, .first = x->first,
		.live = x->s.o.live, .sockets = x->o->sockets,
		.n = p->type ? ctrace_decode(p->type, rec, x->v, FIELDS_MAX) : -1,
	};
	if (line_number(&x->line, "duration", &duration) && (uint64_t)duration < rec->time)
		x->line.entered -= (uint64_t)duration;
}

bool sink_lines_takes(struct sink *s, const struct ctrace_record *rec)
{
	struct lines *x = (struct lines *)s;
	const struct ctrace_event_type *t = ctrace_schema_by_id(s->o.schema, rec->id);

	comms_learn(x->comms, t, rec);
	if (!is_shown(x, t))
		return false;
	if (!x->o->form->shows || x->o->all)
		return true;
	begin(x, rec);
	return x->o->form->shows(&x->line);
}

/* --- text -------------------------------------------------------------------- */

static void pad(struct sbuf *b, size_t columns, size_t width)
{
	for (; columns < width; columns++)
		sbuf_putc(b, ' ');
}

static void put_cell(struct sbuf *b, const char *text, int width, bool last)
{
	size_t columns = utf8_columns(text), w = (size_t)abs(width);

	if (width > 0)
		pad(b, columns, w);
	sbuf_puts(b, text);
	if (width < 0 && !last)
		pad(b, columns, w);
	if (!last)
		sbuf_putc(b, ' ');
}

static void put_value(struct sbuf *b, enum lines_kind kind, int64_t n)
{
	switch (kind) {
	case LINES_MS:
		sbuf_printf(b, "%.3f", (double)n / 1e6);
		break;
	case LINES_SECONDS:
		sbuf_printf(b, "%.2f", (double)n / 1e9);
		break;
	case LINES_MICROSECONDS:
		sbuf_printf(b, "%.6f", (double)n / 1e9);
		break;
	case LINES_KB:
		sbuf_printf(b, "%" PRId64, (n + 1023) / 1024);
		break;
	default:
		sbuf_printf(b, "%" PRId64, n);
	}
}

static void put_text(struct lines *x)
{
	const struct lines_column *c = x->o->form->columns;
	struct sbuf *b = &x->s.line, *cell = &x->cell;
	struct line *l = &x->line;

	put_cell(b, ctable_shown(l->ctable, l->rec->cid), -CONTAINER_WIDTH, false);
	if (x->o->time) {
		sbuf_clock(b, sink_realtime(&x->s, l->entered));
		sbuf_putc(b, ' ');
	}
	for (; c->head; c++) {
		int64_t n = 0;

		sbuf_reset(cell);
		if (!c->get(l, cell, &n)) {
			sbuf_reset(cell);
			sbuf_putc(cell, '-');
		} else if (c->kind != LINES_TEXT) {
			put_value(cell, c->kind, n);
		}
		/* names are others' */
		sbuf_reset(&x->clean);
		sbuf_clean(&x->clean, cell->s);
		put_cell(b, x->clean.s, c->width, !c[1].head);
	}
	sbuf_putc(b, '\n');
}

static void put_heads(struct lines *x)
{
	const struct lines_column *c = x->o->form->columns;
	struct sbuf *b = &x->s.line;

	sbuf_reset(b);
	put_cell(b, "CONTAINER", -CONTAINER_WIDTH, false);
	if (x->o->time)
		put_cell(b, "TIME", -15, false);
	for (; c->head; c++)
		put_cell(b, c->head, c->width, !c[1].head);
	fprintf(x->s.o.out, "%s\n", b->s);
	fflush(x->s.o.out);
}

/* --- JSON -------------------------------------------------------------------- */

static void put_json(struct lines *x)
{
	const struct lines_column *c = x->o->form->columns;
	struct json j = { .out = &x->s.line };
	struct line *l = &x->line;

	json_open(&j, NULL, '{');
	json_str(&j, "event", l->p->type->name);
	json_uint(&j, "time", l->rec->time);
	json_uint(&j, "realtime", sink_realtime(&x->s, l->rec->time));
	json_uint(&j, "cid", l->rec->cid);
	json_str(&j, "container", ctable_label(l->ctable, l->rec->cid));
	json_int(&j, "tid", l->rec->tid);
	for (; c->head; c++) {
		int64_t n = 0;

		sbuf_reset(&x->cell);
		if (!c->get(l, &x->cell, &n))
			json_null(&j, c->key);
		else if (c->kind == LINES_TEXT)
			json_strn(&j, c->key, x->cell.s, x->cell.len);
		else
			json_int(&j, c->key, n);
	}
	json_close(&j, '}');
	json_line(&j);
}

/* ----------------------------------------------------------------------------- */

static void lines_record(struct sink *s, const struct ctrace_record *rec, const struct stacks *k)
{
	struct lines *x = (struct lines *)s;

	(void)k;
	if (!x->first)
		x->first = rec->time;
	begin(x, rec);
	sbuf_reset(&s->line);
	if (cli_json)
		put_json(x);
	else
		put_text(x);
	fwrite(s->line.s, 1, s->line.len, s->o.out);
}

static void lines_lost(struct sink *s, const char *cause, uint64_t n)
{
	if (cli_json) {
		sink_lost_json(s, cause, n);
		return;
	}
	fflush(s->o.out);
	fprintf(stderr, "ctrace: %" PRIu64 " event%s lost here (%s)\n", n, n == 1 ? "" : "s", cause);
}

static void lines_free(struct sink *s)
{
	struct lines *x = (struct lines *)s;

	paints_free(x->paints);
	comms_free(x->comms);
	sbuf_free(&x->cell);
	sbuf_free(&x->clean);
}

static const struct sink_ops lines_ops = {
	.record	= lines_record,
	.lost	= lines_lost,
	.idle	= sink_holds_nothing,
	.free	= lines_free,
};

struct sink *sink_lines_new(const struct sink_opts *o, const struct lines_opts *lo)
{
	struct lines *x = sink_new(sizeof(*x), &lines_ops, o);

	x->o = lo;
	x->paints = paints_new(o->schema, o->quiet_args);
	x->comms = comms_new(o->live);
	if (!cli_json)
		put_heads(x);
	return &x->s;
}
