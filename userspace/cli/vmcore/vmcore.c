// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>
#include "base/cli.h"
#include "base/json.h"
#include "run/recording.h"
#include "show/comms.h"
#include "show/sink.h"
#include "vmcore/image.h"
#include "vmcore/last.h"
#include "vmcore/vmcore.h"

/* Records that name tasks: as many of the newest are looked at for the names of those that are shown. */
#define TELLS_MAX	65536

/* What a container did last. */
struct owner {
	uint32_t cid;
	struct last last;
};

/* One arena being shown. */
struct shown {
	const struct vmcore_opts *o;
	const struct core_arena *a;
	struct recording r;		/* only its table, its types, and the containers that are chosen */
	struct core_rings rings;
	struct core_facts facts;
	struct owner **owners;		/* by cid, open addressing; size a power of two */
	size_t nowners, size;
	struct last tells;
	int64_t clock_offset;
};

/* --- records ------------------------------------------------------------------------ */

static struct owner **find_owner(const struct shown *s, uint32_t cid)
{
	size_t i = (cid * 0x9e3779b1u) & (s->size - 1);

	while (s->owners[i] && s->owners[i]->cid != cid)
		i = (i + 1) & (s->size - 1);
	return &s->owners[i];
}

static void more_owners(struct shown *s)
{
	struct owner **old = s->owners;
	size_t n = s->size;

	s->size = n ? 2 * n : 64;
	s->owners = xcalloc(s->size, sizeof(*s->owners));
	for (size_t i = 0; i < n; i++)
		if (old[i])
			*find_owner(s, old[i]->cid) = old[i];
	free(old);
}

static struct owner *owner_of(struct shown *s, uint32_t cid)
{
	struct owner **at;

	if (2 * (s->nowners + 1) > s->size)
		more_owners(s);
	at = find_owner(s, cid);
	if (!*at) {
		*at = xcalloc(1, sizeof(**at));
		(*at)->cid = cid;
		s->nowners++;
	}
	return *at;
}

static void take(const struct ctrace_record *rec, uint32_t slot, uint64_t pos, void *arg)
{
	const struct ctrace_event_type *t;
	struct shown *s = arg;

	t = ctrace_schema_by_id(s->r.schema, rec->id);
	if (t && comms_tells(t))
		last_offer(&s->tells, rec, slot, pos, TELLS_MAX);
	if (recording_shows(&s->r, rec->cid))
		last_offer(&owner_of(s, rec->cid)->last, rec, slot, pos, s->o->last);
}

static int by_cid(const void *x, const void *y)
{
	const struct owner *const *a = x, *const *b = y;

	return (*a)->cid < (*b)->cid ? -1 : (*a)->cid > (*b)->cid;
}

/* The owners as a list, from now on. */
static void sort_owners(struct shown *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->size; i++)
		if (s->owners[i])
			s->owners[n++] = s->owners[i];
	if (n)
		qsort(s->owners, n, sizeof(*s->owners), by_cid);
}

/* --- what is said of an arena ----------------------------------------------------------- */

static void put_lack(struct sbuf *b, uint64_t n, const char *one, const char *many)
{
	if (n)
		sbuf_printf(b, "%s%llu %s", b->len ? ", " : "", (unsigned long long)n, n == 1 ? one : many);
}

/* "" if it is whole. */
static void put_lacks(struct sbuf *b, const struct shown *s)
{
	const struct core_rings *r = &s->rings;

	put_lack(b, r->pages_absent, "page is not in the file", "pages are not in the file");
	put_lack(b, r->frames_torn, "part of the list of its pages is torn",
		 "parts of the list of its pages are torn");
	put_lack(b, r->rings_torn, "ring is torn", "rings are torn");
	put_lack(b, r->subbufs_torn, "sub-buffer is torn", "sub-buffers are torn");
	put_lack(b, r->missing, "record is known to be missing", "records are known to be missing");
	put_lack(b, s->facts.parts_torn, "page about events and containers is torn",
		 "pages about events and containers are torn");
	put_lack(b, s->facts.places_torn, "container's name is torn", "containers' names are torn");
	if (!s->a->module)
		sbuf_printf(b, "%swhat the module knew of events and containers", b->len ? ", " : "");
}

static void say_arena(const struct shown *s, struct sbuf *b)
{
	const struct ctrace_core_arena *a = &s->a->a;
	struct sbuf lacks = { 0 };

	sbuf_printf(b, "session %u", a->dir.session);
	if (a->name[0]) {
		sbuf_puts(b, " '");
		sbuf_clean(b, a->name);
		sbuf_putc(b, '\'');
	}
	sbuf_printf(b, " of process %u, on Linux ", a->owner);
	sbuf_clean(b, s->a->head.release);
	sbuf_puts(b, ": ");
	sbuf_count(b, s->rings.records, "record");
	sbuf_puts(b, " in ");
	sbuf_size(b, a->dir.map_size);
	if (s->rings.newest) {
		sbuf_puts(b, ", the newest of ");
		sbuf_moment(b, s->rings.newest + (uint64_t)s->clock_offset);
	}
	sbuf_putc(b, '\n');
	if (s->rings.refused) {
		sbuf_count(b, s->rings.refused, "record");
		sbuf_puts(b, " did not fit while it recorded\n");
	}
	put_lacks(&lacks, s);
	if (lacks.len)
		sbuf_printf(b, "not whole: %s\n", lacks.s);
	sbuf_free(&lacks);
}

static void say_arena_json(const struct shown *s, struct sbuf *b)
{
	const struct ctrace_core_arena *a = &s->a->a;
	const struct core_rings *r = &s->rings;
	struct json j = { .out = b };

	json_open(&j, NULL, '{');
	json_str(&j, "vmcore", s->o->file);
	json_uint(&j, "session", a->dir.session);
	json_str(&j, "name", a->name);
	json_uint(&j, "owner", a->owner);
	json_str(&j, "kernel", s->a->head.release);
	json_str(&j, "module", s->a->head.module);
	json_uint(&j, "arena_size", a->dir.map_size);
	json_uint(&j, "records", r->records);
	if (r->newest)
		json_uint(&j, "newest_realtime", r->newest + (uint64_t)s->clock_offset);
	json_uint(&j, "rings", r->rings);
	json_uint(&j, "writing", r->writing);
	json_uint(&j, "refused", r->refused);
	json_uint(&j, "pages_absent", r->pages_absent);
	json_uint(&j, "page_lists_torn", r->frames_torn);
	json_uint(&j, "rings_torn", r->rings_torn);
	json_uint(&j, "subbufs_torn", r->subbufs_torn);
	json_uint(&j, "records_missing", r->missing);
	json_uint(&j, "facts_torn", s->facts.parts_torn);
	json_uint(&j, "containers_torn", s->facts.places_torn);
	json_flag(&j, "module_known", s->a->module);
	json_close(&j, '}');
	json_line(&j);
}

static void say_owner(struct shown *s, const struct owner *w, struct sbuf *b)
{
	const struct centry *e = ctable_get(s->r.table, w->cid);

	sbuf_printf(b, "\n%s", ctable_shown(s->r.table, w->cid));
	if (w->cid != CTRACE_CID_HOST) {
		sbuf_printf(b, " (%s%scid %u", e->known && e->c.runtime[0] ? e->c.runtime : "",
			    e->known && e->c.runtime[0] ? ", " : "", w->cid);
		if (e->known && e->c.init_pid)
			sbuf_printf(b, ", init %u", e->c.init_pid);
		sbuf_printf(b, "%s)", !e->known ? ", not known any more" : e->c.gone ? ", ended" : "");
	}
	if (w->last.n < w->last.offered)
		sbuf_printf(b, ": the last %zu of %llu records\n", w->last.n,
			    (unsigned long long)w->last.offered);
	else
		sbuf_printf(b, ": %zu record%s\n", w->last.n, w->last.n == 1 ? "" : "s");
}

static void say_owner_json(struct shown *s, const struct owner *w, struct sbuf *b)
{
	const struct centry *e = ctable_get(s->r.table, w->cid);
	struct json j = { .out = b };

	json_open(&j, NULL, '{');
	if (e->known)
		ctable_json(&j, s->r.table, e);
	else
		json_uint(&j, "cid", w->cid);
	json_uint(&j, "records", w->last.offered);
	json_uint(&j, "shown", w->last.n);
	json_close(&j, '}');
	json_line(&j);
}

/* --- showing ------------------------------------------------------------------------------ */

static void show_owner(struct shown *s, struct owner *w, struct sbuf *b)
{
	struct sink_opts so = {
		.schema = s->r.schema, .ctable = s->r.table, .out = stdout, .clock_offset = s->clock_offset,
		.relative = s->o->relative, .quiet_args = s->o->quiet_args, .color = s->o->color,
		.no_dump = !s->o->dump && !cli_json, .to = UINT64_MAX,
	};
	struct sink *sink;

	if (!w->last.n)
		return;
	last_sort(&w->last);
	so.from = w->last.v[0].time;
	sbuf_reset(b);
	if (cli_json)
		say_owner_json(s, w, b);
	else
		say_owner(s, w, b);
	fwrite(b->s, 1, b->len, stdout);
	sink = cli_json ? sink_json_new(&so) : sink_text_new(&so);
	/* the names of tasks: from what came before, or, if nothing did, from what comes later */
	for (size_t i = 0; i < s->tells.n; i++) {
		if (s->tells.v[i].time < so.from)
			sink_record(sink, s->tells.v[i].rec);
		else
			sink_ahead(sink, s->tells.v[i].rec);
	}
	for (size_t i = 0; i < w->last.n; i++)
		sink_record(sink, w->last.v[i].rec);
	sink_idle(sink);
	sink_free(sink);
}

static void read_arena(struct shown *s, struct core *c)
{
	const struct core_arena *a = s->a;

	s->r.schema = ctrace_schema_new();
	s->r.table = ctable_new(NULL);
	s->r.all = true;
	s->clock_offset = a->module ? a->module->m.clock_offset : a->a.clock_offset;
	if (a->module && s->r.schema) {
		core_types(c, a->module, s->r.schema, &s->facts);
		core_containers(c, a->module, s->r.table, &s->facts);
	}
	if (s->r.schema)
		core_dynamic(c, a, s->r.schema, &s->facts);
}

static void free_arena(struct shown *s)
{
	for (size_t i = 0; i < s->nowners; i++) {
		last_free(&s->owners[i]->last);
		free(s->owners[i]);
	}
	free(s->owners);
	last_free(&s->tells);
	recording_close(&s->r);
}

static int show_arena(struct core *c, const struct core_arena *a, const struct vmcore_opts *o)
{
	struct shown s = { .o = o, .a = a };
	struct sbuf b = { 0 };
	int status;

	read_arena(&s, c);
	status = recording_choose(&s.r, o->targets, o->ntargets);
	if (status == CLI_OK) {
		core_rings(c, a, take, &s, &s.rings);
		sort_owners(&s);
		last_sort(&s.tells);
		if (cli_json)
			say_arena_json(&s, &b);
		else
			say_arena(&s, &b);
		fwrite(b.s, 1, b.len, stdout);
		for (size_t i = 0; i < s.nowners; i++)
			show_owner(&s, s.owners[i], &b);
	}
	sbuf_free(&b);
	free_arena(&s);
	return status;
}

static bool wanted(const struct core_arena *a, const struct vmcore_opts *o)
{
	uint32_t id;

	return !o->session || !strcmp(a->a.name, o->session) ||
		(!parse_u32(o->session, &id) && id == a->a.dir.session);
}

static void say_others(const struct core *c, const char *file)
{
	for (size_t i = 0; i < c->nothers; i++) {
		const struct core_other *x = &c->others[i];
		struct sbuf b = { 0 };

		sbuf_clean(&b, x->head.module);
		if (x->abi)
			sbuf_printf(&b, " has ABI %u, this command %u", x->abi, CTRACE_ABI);
		else
			sbuf_printf(&b, " describes itself in version %u, this command reads version %u",
				    x->head.version, CTRACE_CORE_VERSION);
		fprintf(stderr, "ctrace: %s: what a module of another version left is not shown: ctrace %s\n",
			file, b.s);
		sbuf_free(&b);
	}
	if (c->damaged)
		fprintf(stderr, "ctrace: %s: %llu damaged description%s left out\n", file,
			(unsigned long long)c->damaged, c->damaged == 1 ? " is" : "s are");
}

int vmcore_show(struct core_image *im, const struct vmcore_opts *o)
{
	int status = CLI_OK, one;
	struct core c;
	size_t n = 0;

	core_find(&c, im);
	say_others(&c, o->file);
	for (size_t i = 0; i < c.narenas; i++) {
		if (!wanted(&c.arenas[i], o))
			continue;
		if (n++ && !cli_json)
			putchar('\n');
		one = show_arena(&c, &c.arenas[i], o);
		status = status == CLI_OK ? one : status;
	}
	if (!n && c.narenas)
		status = cli_error("%s: none of its %zu sessions is '%s'", o->file, c.narenas, o->session);
	else if (!n)
		status = cli_error("%s: no session of ctrace is in its %llu pages: none was recording, or "
				   "the dump left out the kernel's pages", o->file,
				   (unsigned long long)c.pages);
	core_free(&c);
	return status;
}

int vmcore_report(const struct vmcore_opts *o)
{
	char *why = NULL;
	struct image *i = image_open(o->file, &why);
	int status;

	if (!i) {
		status = cli_error("cannot read '%s': %s", o->file, why);
		free(why);
		return status;
	}
	status = vmcore_show(image_core(i), o);
	image_close(i);
	return status;
}
