// SPDX-License-Identifier: GPL-2.0-only
/*
 * One line per event, in the form of strace -f -t -T. A call is on one line if nothing came between its
 * entry and its exit; else it is on two, "unfinished" and "resumed".
 *
 * The newest entry is held back until the next record decides which. Older entries were shown already;
 * only their ids and times are kept.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "show/comms.h"
#include "show/sink.h"
#include "strace/inner_call.h"
#include "strace/late.h"
#include "strace/paint.h"

struct text {
	struct sink s;
	struct paints *paints;
	struct inner_call *inner;	/* see inner_call() */
	uint64_t first;			/* time of the first record */
	time_t second;			/* the second whose text hms is */
	char hms[16];
	union {				/* the entry that is held back; rec.len 0: none */
		struct ctrace_record rec;
		uint64_t raw[CTRACE_RECORD_MAX / 8];
	} open;
	/* of the last call whose strings came late: CTRACE_ID_LATE_ARGUMENT */
	struct {
		int32_t tid;
		uint64_t which;		/* bit i: argument i */
		char text[6][CTRACE_STR_MAX];
	} late;
	struct late memory;		/* the same of CTRACE_ID_LATE_MEMORY, of memory_tid's call */
	int32_t memory_tid;
	struct sbuf frames;		/* the lines of its stacks */
	struct comms *comms;		/* which program a line is of: a container has several */
	int32_t gone;			/* a task whose name /proc did not have */
	size_t width, who_width;	/* columns of the widest label and of the widest task so far */
	bool command_began;
};

#define LABEL_MIN	4
#define LABEL_MAX	24
#define WHO_MAX		24		/* a name of 15 and a slash leave 8 digits */

/* A container keeps its colour: yellow, blue, magenta, cyan, and their bright forms */
static const char *const colors[] = {
	"\033[33m", "\033[34m", "\033[35m", "\033[36m", "\033[93m", "\033[94m", "\033[95m", "\033[96m",
};
#define DIM	"\033[2m"
#define BOLD	"\033[1m"
#define RED	"\033[31m"

static void put_color(struct text *t, const char *color)
{
	if (t->s.o.color)
		sbuf_puts(&t->s.line, color ? color : "\033[0m");
}

static void put_time(struct text *t, uint64_t ns)
{
	uint64_t wall;
	time_t sec;
	struct tm tm;

	if (t->s.o.relative) {
		int64_t d = (int64_t)(ns - t->first);

		sbuf_printf(&t->s.line, "%s%lld.%06lld ", d < 0 ? "-" : "",
			    llabs(d) / 1000000000, llabs(d) / 1000 % 1000000);
		return;
	}
	wall = sink_realtime(&t->s, ns);
	sec = (time_t)(wall / NSEC_PER_SEC);
	if (sec != t->second || !t->hms[0]) {
		if (!localtime_r(&sec, &tm))
			memset(&tm, 0, sizeof(tm));
		strftime(t->hms, sizeof(t->hms), "%H:%M:%S", &tm);
		t->second = sec;
	}
	sbuf_printf(&t->s.line, "%s.%06u ", t->hms, (unsigned int)(wall / 1000 % 1000000));
}

/* Fills up to the widest so far. */
static void pad(struct text *t, size_t w, size_t *widest, size_t most)
{
	if (w > *widest)
		*widest = w < most ? w : most;
	for (; w < *widest; w++)
		sbuf_putc(&t->s.line, ' ');
}

/*
 * "nginx/250": the task's name, and its number on the host. The name is not known of each task of a
 * recording.
 */
static size_t put_who(struct text *t, int32_t tid)
{
	struct sbuf *b = &t->s.line;
	size_t from = b->len;
	int32_t pid;
	const char *comm = comms_known(t->comms, tid, &pid);

	/* /proc is asked once in a row for a task that has gone */
	if (!comm && t->s.o.live && tid != t->gone) {
		comms_get(t->comms, tid);
		comm = comms_known(t->comms, tid, &pid);
		t->gone = comm ? t->gone : tid;
	}
	if (comm) {
		sbuf_clean(b, comm);
		sbuf_putc(b, '/');
	}
	sbuf_printf(b, "%d", tid);
	return utf8_columns(b->s + from);
}

/* Begins a line: everything that stands before the event itself. */
static void begin(struct text *t, const struct ctrace_record *rec)
{
	const char *shown = ctable_shown(t->s.o.ctable, rec->cid);
	size_t w = utf8_columns(shown);

	sbuf_reset(&t->s.line);
	put_color(t, DIM);
	put_time(t, rec->time);
	put_color(t, NULL);
	put_color(t, colors[rec->cid % ARRAY_SIZE(colors)]);
	sbuf_puts(&t->s.line, shown);
	put_color(t, NULL);
	pad(t, w, &t->width, LABEL_MAX);
	sbuf_puts(&t->s.line, " ");
	w = put_who(t, rec->tid);
	pad(t, w, &t->who_width, WHO_MAX);
	put_color(t, DIM);
	sbuf_printf(&t->s.line, " [vtid %d] ", rec->vtid);
	put_color(t, NULL);
}

static void end(struct text *t)
{
	sbuf_putc(&t->s.line, '\n');
	fwrite(t->s.line.s, 1, t->s.line.len, t->s.o.out);
}

static void put_frames(struct text *t, struct sbuf *b, const struct stack *k, bool kernel, int32_t tid)
{
	for (size_t i = 0; i < k->n; i++)
		sbuf_printf(b, "    > %s\n", frame_name(t->s.o.symbols, k, i, kernel, tid));
	if (k->cut)
		sbuf_printf(b, "    > (cut: %s)\n", k->cut);
}

/* k may be NULL */
static void format_stacks(struct text *t, const struct stacks *k, int32_t tid)
{
	sbuf_reset(&t->frames);
	if (!k)
		return;
	put_frames(t, &t->frames, &k->kernel, true, tid);
	put_frames(t, &t->frames, &k->user, false, tid);
}

static void show_frames(struct text *t)
{
	if (t->frames.len)
		fwrite(t->frames.s, 1, t->frames.len, t->s.o.out);
	sbuf_reset(&t->frames);
}

/* The call's name. Room is for one that each record has: syscall_NUMBER. */
static const char *call_name(const struct paint *p, const struct ctrace_record *rec, struct syscall_ref *room)
{
	if (p->call.name[0])
		return p->call.name;
	syscall_identify(room, p->type, rec);
	return room->name;
}

static int decode(const struct paint *p, const struct ctrace_record *rec, struct ctrace_value v[FIELDS_MAX])
{
	return p->type ? ctrace_decode(p->type, rec, v, FIELDS_MAX) : -1;
}

/* Writes "NAME(ARGUMENTS" of a call, or of the call that it makes. */
static const struct call_form *put_args(struct text *t, const char *name, const struct call_values *c,
					const struct call_values *r)
{
	const struct call_values *inner = inner_call(&t->inner, c, r);

	put_color(t, BOLD);
	sbuf_puts(&t->s.line, inner ? inner->p->call.name : name);
	put_color(t, NULL);
	sbuf_putc(&t->s.line, '(');
	return syscall_put_args(&t->s.line, inner ?: c, inner ?: r);
}

/*
 * Writes the first half of a call's line. r: the record of its return, or NULL. c gets its
 * values, which point to v and into rec. Returns the form of its arguments.
 */
static const struct call_form *put_entry(struct text *t, const struct ctrace_record *rec,
					 struct ctrace_value v[FIELDS_MAX], struct call_values *c,
					 const struct call_values *r)
{
	const struct paint *p = paints_get(t->paints, rec->id);
	struct syscall_ref room;
	int n = decode(p, rec, v);

	begin(t, rec);
	for (uint32_t i = 0; i < 6 && p->marks >= 0 && t->late.tid == rec->tid; i++) {
		int at = (int)(p->first + i);

		if (!(t->late.which & CTRACE_CALL_M_UNREAD(i)) || at >= n || v[at].field->kind != CTRACE_FK_STRING)
			continue;
		v[at].str.s = t->late.text[i];
		v[at].str.len = strlen(t->late.text[i]);
		v[p->marks].u &= ~CTRACE_CALL_M_UNREAD(i);
	}
	if (t->memory_tid == rec->tid)
		late_put(&t->memory, p->type, v, n);
	*c = (struct call_values){ p, v, n };
	return put_args(t, call_name(p, rec, &room), c, r);
}

/* An argument that the entry did not have: written right before the exit. */
static void keep_late(struct text *t, const struct paint *p, const struct ctrace_record *rec)
{
	struct ctrace_value v[FIELDS_MAX];
	size_t len;

	if (decode(p, rec, v) != 2 || v[0].u >= 6 || v[1].field->kind != CTRACE_FK_STRING)
		return;
	if (t->late.tid != rec->tid)
		t->late.which = 0;
	t->late.tid = rec->tid;
	t->late.which |= CTRACE_CALL_M_UNREAD(v[0].u);
	len = v[1].str.len < CTRACE_STR_MAX ? v[1].str.len : CTRACE_STR_MAX - 1;
	memcpy(t->late.text[v[0].u], v[1].str.s, len);
	t->late.text[v[0].u][len] = 0;
}

static void keep_memory(struct text *t, const struct paint *p, const struct ctrace_record *rec)
{
	struct ctrace_value v[FIELDS_MAX];

	if (t->memory_tid != rec->tid)
		late_reset(&t->memory);
	t->memory_tid = rec->tid;
	late_keep(&t->memory, v, decode(p, rec, v));
}

/* Writes the strings that came late for a call whose entry was shown before. False: none did. */
static bool put_late(struct text *t, const struct ctrace_record *rec)
{
	bool any = false;

	for (uint32_t i = 0; i < 6 && t->late.tid == rec->tid; i++) {
		const struct ctrace_value v = { .str = { t->late.text[i], strlen(t->late.text[i]) } };

		if (!(t->late.which & CTRACE_CALL_M_UNREAD(i)))
			continue;
		sbuf_puts(&t->s.line, any ? ", " : "");
		paint_string(&t->s.line, &v);
		any = true;
	}
	return any;
}

static void show_open(struct text *t)
{
	struct ctrace_value v[FIELDS_MAX];
	struct call_values c;

	if (!t->open.rec.len)
		return;
	put_entry(t, &t->open.rec, v, &c, NULL);
	sbuf_puts(&t->s.line, " <unfinished ...>");
	end(t);
	show_frames(t);
	pairs_get(t->s.pairs, t->open.rec.tid)->shown = true;
	t->open.rec.len = 0;
}

static void enter(struct text *t, const struct paint *paint, const struct ctrace_record *rec,
		  const struct stacks *k)
{
	struct ctrace_value v[FIELDS_MAX];
	struct call_values c;
	struct pending *p;

	show_open(t);
	format_stacks(t, k, rec->tid);
	if (rec->vtid == t->s.o.command_vtid)
		t->command_began = true;
	if (paint->last) {
		put_entry(t, rec, v, &c, NULL);
		sbuf_puts(&t->s.line, ") = ?");
		end(t);
		show_frames(t);
		pairs_get(t->s.pairs, rec->tid)->id = 0;
		return;
	}
	p = pairs_get(t->s.pairs, rec->tid);
	p->id = rec->id;
	p->time = rec->time;
	p->shown = false;
	memcpy(&t->open, rec, rec->len < sizeof(t->open) ? rec->len : sizeof(t->open));
}

static void put_duration(struct text *t, uint64_t ns)
{
	sbuf_printf(&t->s.line, " <%llu.%06llu>", (unsigned long long)(ns / NSEC_PER_SEC),
		    (unsigned long long)(ns / 1000 % 1000000));
}

/*
 * The stack of a return is shown only if no entry was seen. Else it would repeat the entry's: they differ
 * in the innermost frames only.
 */
static void leave(struct text *t, const struct paint *paint, const struct ctrace_record *rec,
		  const struct stacks *k)
{
	struct pending *p = pairs_get(t->s.pairs, rec->tid);
	struct ctrace_value v[FIELDS_MAX], entry_v[FIELDS_MAX];
	bool paired = pairs_match(p, rec->id), no_entry = pairs_no_entry(t->s.pairs, p);
	const struct call_values r = { paint, v, decode(paint, rec, v) };
	struct call_values c = { paint, entry_v, 0 };
	bool known = paint->ret >= 0 && paint->ret < r.n;
	int64_t ret = known ? v[paint->ret].i : 0;
	struct ctrace_value late_v[FIELDS_MAX] = { 0 };
	struct call_values late = { .v = late_v };
	const struct call_form *form;
	struct syscall_ref room;
	bool any;
	int n;

	if (paired && !p->shown && t->open.rec.len && t->open.rec.tid == rec->tid) {
		form = put_entry(t, &t->open.rec, entry_v, &c, &r);
		sbuf_puts(&t->s.line, ") ");
		t->open.rec.len = 0;
	} else {
		/*
		 * leave out a new task's return from its parent's fork, and our command's from our own call
		 */
		if (!paired && ((paint->fork && !ret) ||
				(rec->vtid == t->s.o.command_vtid && !t->command_began))) {
			pairs_left(t->s.pairs, rec->tid);
			return;
		}
		show_open(t);
		if (!paired)
			format_stacks(t, k, rec->tid);
		/* named after its entry, because the exit may have lost the number */
		if (paired && p->id != CTRACE_ID_SYS_ENTER_UNKNOWN)
			c.p = paints_get(t->paints, p->id);
		begin(t, rec);
		sbuf_printf(&t->s.line, no_entry ? "%s(?" : "<... %s resumed>", call_name(c.p, rec, &room));
		any = put_late(t, rec);
		form = syscall_form(c.p, NULL, 0);
		late.p = c.p;
		n = c.p->type && c.p->type->nfields <= FIELDS_MAX ? (int)c.p->type->nfields : 0;
		if (t->memory_tid == rec->tid && late_put(&t->memory, c.p->type, late_v, n))
			late.n = n;
		syscall_put_resumed(&t->s.line, form, &late, &r, any);
		sbuf_puts(&t->s.line, ") ");
	}
	if (t->late.tid == rec->tid)
		t->late.which = 0;
	put_color(t, known && syscall_errno(ret) ? RED : NULL);
	if (known)
		syscall_put_result(&t->s.line, form, &c, &r, ret);
	else
		sbuf_puts(&t->s.line, "= ?");
	put_color(t, NULL);
	if (paired)
		put_duration(t, rec->time > p->time ? rec->time - p->time : 0);
	else if (no_entry)
		sbuf_puts(&t->s.line, " <no entry>");
	end(t);
	if (t->memory_tid == rec->tid)
		late_reset(&t->memory);
	show_frames(t);
	pairs_left(t->s.pairs, rec->tid);
}

/* The record was written when the call returned. The line shows the time of its entry, as other calls do. */
static void whole(struct text *t, const struct paint *paint, const struct ctrace_record *rec)
{
	struct ctrace_record entry = *rec;
	struct ctrace_value v[FIELDS_MAX];
	int n = decode(paint, rec, v);
	const struct call_values c = { paint, v, n };
	const struct call_form *form;

	if (n >= 2 && v[0].u < rec->time)
		entry.time -= v[0].u;
	begin(t, &entry);
	form = put_args(t, paint->call.name, &c, &c);
	sbuf_puts(&t->s.line, ") ");
	if (n >= 2) {
		put_color(t, syscall_errno(v[1].i) ? RED : NULL);
		syscall_put_result(&t->s.line, form, &c, &c, v[1].i);
		put_color(t, NULL);
		if (syscall_marks(paint, v, n) & CTRACE_CALL_M_DENIED)
			sbuf_puts(&t->s.line, " <denied>");
		else
			put_duration(t, v[0].u);
	} else {
		sbuf_puts(&t->s.line, "= ?");
	}
	end(t);
}

/* k may be NULL */
static void put_waited(struct text *t, const struct stacks *k, int32_t tid)
{
	const char *what = k ? waited_for(t->s.o.symbols, &k->kernel, tid) : NULL;

	if (what)
		fprintf(t->s.o.out, "    waited for: %s\n", what);
}

static void text_record(struct sink *s, const struct ctrace_record *rec, const struct stacks *k)
{
	struct text *t = (struct text *)s;
	const struct paint *p = paints_get(t->paints, rec->id);
	struct ctrace_value v[FIELDS_MAX];

	if (!t->first)
		t->first = rec->time;
	if (p->call.phase == SYSCALL_ENTER) {
		enter(t, p, rec, k);
		return;
	}
	if (p->call.phase == SYSCALL_EXIT) {
		leave(t, p, rec, k);
		return;
	}
	if (rec->id == CTRACE_ID_LATE_ARGUMENT) {
		keep_late(t, p, rec);
		return;
	}
	if (rec->id == CTRACE_ID_LATE_MEMORY) {
		keep_memory(t, p, rec);
		return;
	}
	show_open(t);
	format_stacks(t, k, rec->tid);
	if (p->call.phase == SYSCALL_WHOLE) {
		whole(t, p, rec);
		put_waited(t, k, rec->tid);
		show_frames(t);
		return;
	}
	if (p->type && comms_tells(p->type))
		comms_learn(t->comms, p->type, rec);
	begin(t, rec);
	if (p->type) {
		put_color(t, BOLD);
		sbuf_clean(&s->line, p->type->name);
		put_color(t, NULL);
		fields_put_text(&s->line, p, v, decode(p, rec, v), k != NULL);
	} else {
		sbuf_printf(&s->line, "event_%u", rec->id);
	}
	end(t);
	show_frames(t);
	pairs_learn(s->pairs, p->type, rec);
}

static void text_lost(struct sink *s, const char *cause, uint64_t n)
{
	show_open((struct text *)s);
	pairs_lost(s->pairs);
	/* flush first: if both go to one terminal, the message stands where the gap is */
	fflush(s->o.out);
	fprintf(stderr, "ctrace: %llu event%s lost here (%s)\n", (unsigned long long)n,
		n == 1 ? "" : "s", cause);
}

static void text_idle(struct sink *s)
{
	show_open((struct text *)s);
}

static void text_learn(struct sink *s, const struct ctrace_record *rec)
{
	comms_learn(((struct text *)s)->comms, ctrace_schema_by_id(s->o.schema, rec->id), rec);
}

static void text_ahead(struct sink *s, const struct ctrace_record *rec)
{
	const struct ctrace_event_type *type = ctrace_schema_by_id(s->o.schema, rec->id);

	if (type && comms_tells(type))
		comms_look_ahead(((struct text *)s)->comms, type, rec);
}

static void text_free(struct sink *s)
{
	struct text *t = (struct text *)s;

	show_open(t);
	comms_free(t->comms);
	sbuf_free(&t->frames);
	late_free(&t->memory);
	free(t->inner);
	paints_free(t->paints);
}

static const struct sink_ops text_ops = {
	.record	= text_record,
	.learn	= text_learn,
	.ahead	= text_ahead,
	.lost	= text_lost,
	.idle	= text_idle,
	.free	= text_free,
};

struct sink *sink_text_new(const struct sink_opts *o)
{
	struct text *t = sink_new(sizeof(*t), &text_ops, o);

	t->s.pairs = pairs_new();
	t->paints = paints_new(o->schema, o->quiet_args);
	t->comms = comms_new(o->live);
	t->width = LABEL_MIN;
	return &t->s;
}
