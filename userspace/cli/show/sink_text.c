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
#include "show/sink.h"

struct text {
	struct sink s;
	uint64_t first;			/* time of the first record */
	time_t second;			/* the second whose text hms is */
	char hms[16];
	union {				/* the entry that is held back; rec.len 0: none */
		struct ctrace_record rec;
		uint64_t raw[CTRACE_RECORD_MAX / 8];
	} open;
	struct sbuf frames;		/* the lines of its stacks */
	size_t width;			/* columns of the widest label so far */
	bool command_began;
};

#define LABEL_MIN	4
#define LABEL_MAX	24

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
	wall = ns + (uint64_t)t->s.o.clock_offset;
	sec = (time_t)(wall / NSEC_PER_SEC);
	if (sec != t->second || !t->hms[0]) {
		if (!localtime_r(&sec, &tm))
			memset(&tm, 0, sizeof(tm));
		strftime(t->hms, sizeof(t->hms), "%H:%M:%S", &tm);
		t->second = sec;
	}
	sbuf_printf(&t->s.line, "%s.%06u ", t->hms, (unsigned int)(wall / 1000 % 1000000));
}

/* Begins a line: everything that stands before the event itself. */
static void begin(struct text *t, const struct ctrace_record *rec)
{
	struct centry *e = ctable_get(t->s.o.ctable, rec->cid);
	size_t w = utf8_columns(e->shown);

	sbuf_reset(&t->s.line);
	put_time(t, rec->time);
	sbuf_puts(&t->s.line, e->shown);
	if (w > t->width)
		t->width = w < LABEL_MAX ? w : LABEL_MAX;
	for (; w < t->width; w++)
		sbuf_putc(&t->s.line, ' ');
	sbuf_printf(&t->s.line, " [vtid %d] ", rec->vtid);
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

/* Writes the first half of a call's line. */
static void put_entry(struct text *t, struct syscall_ref *ref, const struct ctrace_record *rec)
{
	const struct ctrace_event_type *type = ctrace_schema_by_id(t->s.o.schema, rec->id);

	syscall_identify(ref, type, rec);
	begin(t, rec);
	sbuf_printf(&t->s.line, "%s(", ref->name);
	syscall_put_args(&t->s.line, ref, type, rec);
}

static void show_open(struct text *t)
{
	struct syscall_ref ref;

	if (!t->open.rec.len)
		return;
	put_entry(t, &ref, &t->open.rec);
	sbuf_puts(&t->s.line, " <unfinished ...>");
	end(t);
	show_frames(t);
	pairs_get(t->s.pairs, t->open.rec.tid)->shown = true;
	t->open.rec.len = 0;
}

static void enter(struct text *t, struct syscall_ref *ref, const struct ctrace_record *rec,
		  const struct stacks *k)
{
	struct pending *p;

	show_open(t);
	format_stacks(t, k, rec->tid);
	if (rec->vtid == t->s.o.command_vtid)
		t->command_began = true;
	if (syscall_is_last(ref)) {
		put_entry(t, ref, rec);
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

/* Names a resumed call after its entry, because the exit may have lost the number. */
static void identify_pending(struct text *t, struct syscall_ref *ref, const struct pending *p)
{
	const struct ctrace_record rec = { .id = p->id, .len = sizeof(rec) };

	if (p->id != CTRACE_ID_SYS_ENTER_UNKNOWN)
		syscall_identify(ref, ctrace_schema_by_id(t->s.o.schema, p->id), &rec);
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
static void leave(struct text *t, struct syscall_ref *ref, const struct ctrace_event_type *type,
		  const struct ctrace_record *rec, const struct stacks *k)
{
	struct pending *p = pairs_get(t->s.pairs, rec->tid);
	struct ctrace_value v[FIELDS_MAX];
	bool paired = pairs_match(p, rec->id);
	int n = type ? ctrace_decode(type, rec, v, FIELDS_MAX) : -1;
	int64_t ret = n > 0 ? v[n - 1].i : 0;

	if (paired && !p->shown && t->open.rec.len && t->open.rec.tid == rec->tid) {
		struct syscall_ref entry;

		put_entry(t, &entry, &t->open.rec);
		sbuf_puts(&t->s.line, ") ");
		t->open.rec.len = 0;
	} else {
		/* leave out a new task's return from its parent's fork, and our command's from our own call */
		if (!paired && ((syscall_is_fork(ref) && !ret) ||
				(rec->vtid == t->s.o.command_vtid && !t->command_began)))
			return;
		if (paired)
			identify_pending(t, ref, p);
		show_open(t);
		if (!paired)
			format_stacks(t, k, rec->tid);
		begin(t, rec);
		sbuf_printf(&t->s.line, "<... %s resumed>) ", ref->name);
	}
	if (n > 0)
		syscall_put_return(&t->s.line, ref, ret);
	else
		sbuf_puts(&t->s.line, "= ?");
	if (paired)
		put_duration(t, rec->time > p->time ? rec->time - p->time : 0);
	end(t);
	show_frames(t);
	p->id = 0;
}

/* The record was written when the call returned. The line shows the time of its entry, as other calls do. */
static void whole(struct text *t, struct syscall_ref *ref, const struct ctrace_event_type *type,
		  const struct ctrace_record *rec)
{
	struct ctrace_record entry = *rec;
	uint64_t duration;
	int64_t ret;
	bool good = syscall_whole(type, rec, &duration, &ret);

	if (good && duration < rec->time)
		entry.time -= duration;
	begin(t, &entry);
	sbuf_printf(&t->s.line, "%s(", ref->name);
	syscall_put_args(&t->s.line, ref, type, rec);
	sbuf_puts(&t->s.line, ") ");
	if (good) {
		syscall_put_return(&t->s.line, ref, ret);
		put_duration(t, duration);
	} else {
		sbuf_puts(&t->s.line, "= ?");
	}
	end(t);
}

static void text_record(struct sink *s, const struct ctrace_record *rec, const struct stacks *k)
{
	struct text *t = (struct text *)s;
	const struct ctrace_event_type *type = ctrace_schema_by_id(s->o.schema, rec->id);
	struct syscall_ref ref;

	if (!t->first)
		t->first = rec->time;
	syscall_identify(&ref, type, rec);
	if (ref.phase == SYSCALL_ENTER) {
		enter(t, &ref, rec, k);
		return;
	}
	if (ref.phase == SYSCALL_EXIT) {
		leave(t, &ref, type, rec, k);
		return;
	}
	show_open(t);
	format_stacks(t, k, rec->tid);
	if (ref.phase == SYSCALL_WHOLE) {
		whole(t, &ref, type, rec);
		show_frames(t);
		return;
	}
	begin(t, rec);
	if (type) {
		sbuf_clean(&s->line, type->name);
		fields_put_text(&s->line, type, rec, k != NULL);
	} else {
		sbuf_printf(&s->line, "event_%u", rec->id);
	}
	end(t);
	show_frames(t);
	if (rec->id == CTRACE_ID_SCHED_PROCESS_EXIT)
		pairs_get(s->pairs, rec->tid)->id = 0;
}

static void text_lost(struct sink *s, const char *cause, uint64_t n)
{
	show_open((struct text *)s);
	/* flush first: if both go to one terminal, the message stands where the gap is */
	fflush(s->o.out);
	fprintf(stderr, "ctrace: %llu event%s lost here (%s)\n", (unsigned long long)n,
		n == 1 ? "" : "s", cause);
}

static void text_idle(struct sink *s)
{
	show_open((struct text *)s);
}

static void text_free(struct sink *s)
{
	show_open((struct text *)s);
	sbuf_free(&((struct text *)s)->frames);
}

static const struct sink_ops text_ops = {
	.record	= text_record,
	.lost	= text_lost,
	.idle	= text_idle,
	.free	= text_free,
};

struct sink *sink_text_new(const struct sink_opts *o)
{
	struct text *t = xcalloc(1, sizeof(*t));

	t->s.ops = &text_ops;
	t->s.o = *o;
	t->s.pairs = pairs_new();
	t->width = LABEL_MIN;
	return &t->s;
}
