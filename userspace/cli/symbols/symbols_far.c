// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include "base/far.h"
#include "symbols/symbols_far.h"
#include "symbols/unwind_table.h"

/* bytes that reading may take: two sections of a file, and its tables */
#define MEMORY_MAX	((size_t)1 << 30)
/* bytes of the tables of one file; its own limits leave some 450 MiB at most */
#define TOLD_MAX	((size_t)512 << 20)
#define PATH_LONG	(4 * PATH_MAX)		/* as /proc writes it: with escapes */
#define QUIET		(5 * NSEC_PER_SEC)	/* a disk may be busy, and its files have no other chance */
#define LONGEST		(20 * NSEC_PER_SEC)
/* what reading a process's mappings may take: no file is read for that */
#define MAPS_MEMORY	((size_t)256 << 20)
#define MAPS_TEXT	((size_t)64 << 20)	/* bytes of their lines */
#define MAPS_QUIET	(2 * NSEC_PER_SEC)
#define MAPS_LONGEST	(10 * NSEC_PER_SEC)
#define LATE_NAMED	8			/* of the places that did not answer */

struct symbols_far {
	struct far *far;
	/* so that processes whose mappings cannot be read take no time from files, nor these from them */
	struct far *maps;
	struct sbuf late, died;	/* where it did not answer, or ended */
	size_t nlate, ndied;
	bool refused;		/* something was not asked for, because too much time was lost before */
	int none;		/* errno: why there was no process */
};

void file_read_free(struct file_read *r)
{
	symtab_free(&r->t);
	unwind_table_free(r->unwind);
	memset(r, 0, sizeof(*r));
}

/* --- tables as bytes ------------------------------------------------------------------- */

/* The first message. The bytes of these tables follow in this order. */
struct head {
	char build_id[BUILD_ID_TEXT];
	uint8_t cut, unwinds;	/* a bool of a stranger may be neither true nor false */
	struct perf_map_file map;
	uint64_t addr;		/* unwind_table.addr */
	uint64_t symbols, text, frames, places;	/* bytes */
};

static void tell_bytes(struct far *f, const void *what, size_t n)
{
	for (size_t at = 0, k; at < n; at += k) {
		k = n - at < FAR_TELL_MAX ? n - at : FAR_TELL_MAX;
		far_tell(f, (const char *)what + at, k);
	}
}

static void tell(struct far *f, const struct file_read *r, const struct perf_map_file *map)
{
	const struct unwind_table *u = r->unwind;
	struct head h = {
		.cut = r->t.cut, .unwinds = !!u, .symbols = r->t.n * sizeof(r->t.v[0]), .text = r->t.text.len, .addr = u ? u->addr : 0,
		.frames = u ? u->len : 0, .places = u ? u->n * sizeof(u->v[0]) : 0, .map = *map,
	};

	memcpy(h.build_id, r->build_id, sizeof(h.build_id));
	far_tell(f, (const char *)&h, sizeof(h));
	tell_bytes(f, r->t.v, h.symbols);
	tell_bytes(f, r->t.text.s, h.text);
	tell_bytes(f, u ? u->bytes : NULL, h.frames);
	tell_bytes(f, u ? u->v : NULL, h.places);
}

struct taking {
	struct file_read r;
	struct perf_map_file map;
	bool begun;
	struct {
		char *at;
		size_t left;
	} part[4];
	size_t n;		/* the part that comes next; 4: that was all */
};

static bool begin(struct taking *t, const char *told, size_t n)
{
	struct symtab *s = &t->r.t;
	struct unwind_table *u;
	uint64_t parts[4];
	struct head h;

	if (n != sizeof(h))
		return false;
	memcpy(&h, told, sizeof(h));
	parts[0] = h.symbols;
	parts[1] = h.text;
	parts[2] = h.frames;
	parts[3] = h.places;
	for (size_t i = 0, left = TOLD_MAX; i < ARRAY_SIZE(parts); left -= parts[i++])
		if (parts[i] > left)
			return false;
	t->begun = true;
	t->map = h.map;
	snprintf(t->r.build_id, sizeof(t->r.build_id), "%.*s", BUILD_ID_TEXT - 1, h.build_id);
	s->cut = h.cut;
	s->n = s->cap = h.symbols / sizeof(s->v[0]);
	s->v = s->n ? xcalloc(s->n, sizeof(s->v[0])) : NULL;
	s->text = (struct sbuf){ .s = h.text ? xcalloc(1, h.text + 1) : NULL, .len = h.text, .cap = h.text ? h.text + 1 : 0 };
	t->part[0].at = (char *)s->v;
	t->part[0].left = s->n * sizeof(s->v[0]);
	t->part[1].at = s->text.s;
	t->part[1].left = h.text;
	if (!h.unwinds)
		return true;
	u = t->r.unwind = xcalloc(1, sizeof(*u));
	u->addr = h.addr;
	u->len = h.frames;
	u->bytes = xcalloc(1, u->len + 1);
	u->n = h.places / sizeof(u->v[0]);
	u->v = xcalloc(u->n + 1, sizeof(u->v[0]));
	t->part[2].at = (char *)u->bytes;
	t->part[2].left = u->len;
	t->part[3].at = (char *)u->v;
	t->part[3].left = u->n * sizeof(u->v[0]);
	return true;
}

static void skip_full(struct taking *t)
{
	while (t->n < ARRAY_SIZE(t->part) && !t->part[t->n].left)
		t->n++;
}

/* For far_ask(). A message is of one part. */
static void take(void *arg, const char *told, size_t n)
{
	struct taking *t = arg;

	if (t->begun) {
		if (t->n == ARRAY_SIZE(t->part) || n > t->part[t->n].left)
			return;
		memcpy(t->part[t->n].at, told, n);
		t->part[t->n].at += n;
		t->part[t->n].left -= n;
	} else if (!begin(t, told, n)) {
		return;
	}
	skip_full(t);
}

/*
 * Has every part arrived, and do all offsets lie within them? Rows in the wrong order would give wrong names,
 * and do no other harm.
 */
static bool is_whole(struct taking *t)
{
	struct symtab *s = &t->r.t;
	const struct unwind_table *u = t->r.unwind;

	if (!t->begun || t->n < ARRAY_SIZE(t->part) || (s->n && (!s->text.len || s->text.s[s->text.len - 1])))
		return false;
	for (size_t i = 0; i < s->n; i++) {
		if (s->v[i].name >= s->text.len || s->v[i].module)
			return false;
		/* none was yet; and a bool of a stranger may be neither */
		s->v[i].shown = false;
	}
	for (size_t i = 0; u && i < u->n; i++)
		if (u->v[i].offset >= u->len)
			return false;
	return true;
}

/* --- requests --------------------------------------------------------------------------- */

static void serve_file(struct far *f, const char *request)
{
	const struct perf_map_file none = { 0 };
	unsigned long long start, end, dev, ino;
	struct file_read r = { .unwind = NULL };
	char build_id[BUILD_ID_TEXT];
	int pid, told, live, unwinds, at = 0;

	if (sscanf(request, "file %d %d %d %d %llx %llx %llu %llu %40s %n", &told, &live, &unwinds, &pid, &start, &end, &dev, &ino,
		   build_id, &at) != 9 || !at)
		return;
	if (file_find(&(struct file_wanted){ told, live, unwinds, pid, start, end, dev, ino, strcmp(build_id, "-") ? build_id : "",
					     request + at }, &r))
		tell(f, &r, &none);
	file_read_free(&r);
}

static void serve_map(struct far *f, const char *request)
{
	struct file_read r = { .unwind = NULL };
	struct perf_map_file map;
	struct perf_map_of of;

	if (sscanf(request, "map %d %d %u %llu %lld %lld %lld", &of.pid, &of.inner, &of.uid, &map.ino, &map.size, &map.sec,
		   &map.nsec) == 7 && perf_map_read(&of, &map, &r.t))
		tell(f, &r, &map);
	file_read_free(&r);
}

/* A newline, if the process has mappings, and the lines of those that are executable. */
static void serve_maps(struct far *f, void *arg, const char *request)
{
	struct sbuf b = { 0 };

	(void)arg;
	maps_read(atoi(request), MAPS_TEXT, &b);
	tell_bytes(f, b.s, b.len);
	sbuf_free(&b);
}

static void serve(struct far *f, void *arg, const char *request)
{
	(void)arg;
	if (*request == 'f')
		serve_file(f, request);
	else
		serve_map(f, request);
}

/* --- in our process --------------------------------------------------------------------- */

struct symbols_far *symbols_far_new(void)
{
	struct symbols_far *x = xcalloc(1, sizeof(*x));

	x->far = far_new(serve, x, (struct far_limits){ MEMORY_MAX, QUIET, LONGEST, true });
	x->maps = far_new(serve_maps, x, (struct far_limits){ MAPS_MEMORY, MAPS_QUIET, MAPS_LONGEST, false });
	return x;
}

void symbols_far_free(struct symbols_far *x)
{
	if (!x)
		return;
	far_free(x->far);
	far_free(x->maps);
	sbuf_free(&x->late);
	sbuf_free(&x->died);
	free(x);
}

static void name_place(struct sbuf *b, size_t *n, const char *place)
{
	if ((*n)++ >= LATE_NAMED)
		return;
	sbuf_puts(b, b->len ? ", " : "");
	sbuf_clean(b, place);
}

/* Asks, and keeps for symbols_far_note() what was not answered. */
static enum far_end ask_far(struct symbols_far *x, struct far *f, const char *request, size_t most, far_take_fn *fn, void *arg)
{
	enum far_end how = far_ask(f, request, most, false, fn, arg);

	if (how == FAR_LATE || how == FAR_AGAIN)
		name_place(&x->late, &x->nlate, far_place(f));
	else if (how == FAR_DIED)
		name_place(&x->died, &x->ndied, far_place(f));
	else if (how == FAR_NOT)
		x->refused = true;
	else if (how == FAR_NONE)
		x->none = errno;
	return how;
}

/* Takes request. */
static enum reading ask(struct symbols_far *x, char *request, struct taking *t)
{
	enum far_end how;

	do {
		file_read_free(&t->r);
		memset(t, 0, sizeof(*t));
		how = ask_far(x, x->far, request, sizeof(struct head) + TOLD_MAX, take, t);
	} while (how == FAR_AGAIN);
	free(request);
	if (how == FAR_DONE && is_whole(t))
		return READING_DONE;
	file_read_free(&t->r);
	return how == FAR_LATE || how == FAR_DIED ? READING_NEVER : READING_NOTHING;
}

enum reading symbols_far_file(struct symbols_far *x, const struct file_wanted *w, struct file_read *r)
{
	struct taking t = { .n = 0 };
	enum reading how = READING_NOTHING;

	/* a recording may name anything */
	if (strlen(w->path) <= PATH_LONG)
		how = ask(x, xasprintf("file %d %d %d %d %llx %llx %llu %llu %s %s", w->told, w->live, w->unwinds, w->pid,
				       (unsigned long long)w->start, (unsigned long long)w->end, (unsigned long long)w->dev,
				       (unsigned long long)w->ino, *w->build_id ? w->build_id : "-", w->path), &t);
	*r = t.r;
	return how;
}

enum reading symbols_far_map(struct symbols_far *x, const struct perf_map_of *of, struct perf_map_file *f, struct symtab *s)
{
	struct taking t = { .n = 0 };
	enum reading how = ask(x, xasprintf("map %d %d %u %llu %lld %lld %lld", of->pid, of->inner, of->uid, f->ino, f->size, f->sec,
					    f->nsec), &t);

	if (how == READING_DONE) {
		*f = t.map;
		*s = t.r.t;
		t.r.t = (struct symtab){ 0 };
	}
	file_read_free(&t.r);
	return how;
}

static void take_text(void *arg, const char *told, size_t n)
{
	sbuf_put(arg, told, n);
}

enum reading symbols_far_maps(struct symbols_far *x, int32_t tid, struct sbuf *b)
{
	char *request = xasprintf("%d", tid);
	enum far_end how = ask_far(x, x->maps, request, MAPS_TEXT, take_text, b);

	free(request);
	if (how == FAR_DONE && b->len)
		return READING_DONE;
	sbuf_reset(b);
	return how == FAR_LATE || how == FAR_DIED ? READING_NEVER : READING_NOTHING;
}

static void note(struct sbuf *b, const struct sbuf *places, size_t n, const char *what)
{
	if (!n)
		return;
	sbuf_puts(b, b->len ? "; " : "");
	sbuf_put(b, places->s, places->len);
	if (n > LATE_NAMED)
		sbuf_printf(b, " and %zu more", n - LATE_NAMED);
	sbuf_puts(b, what);
}

void symbols_far_note(const struct symbols_far *x, struct sbuf *b)
{
	note(b, &x->late, x->nlate, " did not answer: functions there are shown without names");
	note(b, &x->died, x->ndied, " cannot be read, or needs too much memory for it: functions there are shown without names");
	if (x->refused)
		sbuf_printf(b, "%ssome files with names of functions were not read, because others did not answer", b->len ? "; " : "");
	if (x->none)
		sbuf_printf(b, "%ssome files with names of functions were not read, because no process can be made for that: %s",
			    b->len ? "; " : "", strerror(x->none));
}
