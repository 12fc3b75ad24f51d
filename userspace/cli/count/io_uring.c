// SPDX-License-Identifier: GPL-2.0-only
/*
 * Operations of io_uring beside calls, in views of calls: a group of their own, as the event has other
 * fields. Where the kernel does not have the event, or it was not recorded, views and lines say how many
 * containers use io_uring.
 */
#include <stdlib.h>
#include <string.h>
#include "count/view.h"
#include "strace/paint.h"

#define EVENT	"io_uring_op"

static bool is_there(const struct view *v)
{
	const struct ctrace_event_type *t;

	if (v->recording)
		return view_input_has(v, EVENT);
	t = ctrace_schema_by_name(v->run.schema, EVENT);
	return t && !t->reason;
}

bool view_add_io_uring(struct view *v, const char *functions, const char *keys, const char *only)
{
	struct probes_opts *p;
	struct sbuf b = { 0 };

	if (!is_there(v)) {
		v->io_uring.unseen = true;
		return false;
	}
	sbuf_puts(&b, EVENT);
	if (only)
		sbuf_printf(&b, " if (%s)", only);
	if (v->o.probes.failed)
		sbuf_puts(&b, only ? " && ret < 0" : " if ret < 0");
	if (v->o.probes.longer)
		sbuf_printf(&b, " %s duration >= %llu", only || v->o.probes.failed ? "&&" : "if",
			    (unsigned long long)v->o.probes.longer);
	view_add_group(v, b.s, view_aggregate(v, functions, keys));
	p = &v->groups[v->ngroups - 1].events;
	p->failed = false;
	p->longer = 0;
	sbuf_free(&b);
	return true;
}

bool view_is_io_uring(const struct view_table *t)
{
	return t->type && t->type->id == CTRACE_ID_IO_URING_OP;
}

void view_put_call(struct view *v, struct sbuf *b, const struct view_row *row)
{
	bool op = view_is_io_uring(row->t);
	int k = view_key(row->t->t, op ? "opcode" : "syscall");

	if (k < 0)
		sbuf_putc(b, '?');
	else if (!op || view_is_other(row))
		view_put_key(v, b, row, (uint32_t)k);
	else
		io_uring_op_put(b, row->r->key[row->t->t->keys[k].at]);
}

/* --- what is not seen -------------------------------------------------------------------- */

static void note(struct view *v, uint32_t cid)
{
	for (size_t i = 0; i < v->io_uring.n; i++)
		if (v->io_uring.cids[i] == cid)
			return;
	v->io_uring.cids = xrealloc(v->io_uring.cids, (v->io_uring.n + 1) * sizeof(cid));
	v->io_uring.cids[v->io_uring.n++] = cid;
}

/* Programs that use io_uring make these, but not one whose ring has a thread and is older than the view. */
static const char *const calls[] = { "io_uring_setup", "io_uring_enter" };

static bool is_of_io_uring(const struct view *v, uint64_t id)
{
	const char *name = view_call_name(v, id);

	name += strncmp(name, "compat_syscall_", 15) ? 0 : 15;
	return !strcmp(name, calls[0]) || !strcmp(name, calls[1]);
}

void view_note_io_uring(struct view *v)
{
	const struct ctrace_look_row *r;

	for (size_t i = 0; v->io_uring.unseen && !v->recording && i < v->ntables; i++) {
		const struct view_table *t = &v->tables[i];
		int k = view_key(t->t, "syscall");

		if (k < 0 || t->t->keys[k].kind != CTRACE_TABLE_KEY_SYSCALL)
			continue;
		for (size_t n = 0; (r = ctrace_look_row(t->gain, n)); n++)
			if (!r->other && r->cid != CTRACE_CID_ALL && view_shows(v, r) &&
			    is_of_io_uring(v, r->key[t->t->keys[k].at]))
				note(v, r->cid);
	}
}

void view_note_io_uring_call(struct view *v, const struct ctrace_record *rec)
{
	const struct ctrace_event_type *t;

	if (!v->io_uring.unseen || ctrace_id_call(rec->id).phase == CTRACE_CALL_NONE)
		return;
	t = ctrace_schema_by_id(v->run.schema, rec->id);
	for (size_t i = 0; t && i < ARRAY_SIZE(calls); i++) {
		const char *at = strstr(t->name, calls[i]);

		if (at && !strcmp(at, calls[i]))
			note(v, rec->cid);
	}
}

void view_watch_io_uring(struct view *v, struct run *r)
{
	const struct ctrace_event_type *t = ctrace_schema_by_name(r->schema, EVENT);

	if (t && !t->reason)
		return;
	v->io_uring.unseen = true;
	for (size_t i = 0; i < r->probes.n; i++)
		if (!strcmp(r->probes.v[i].name, "calls"))
			return;
	for (size_t i = 0; i < ARRAY_SIZE(calls); i++) {
		char *entry = xasprintf("syscall_entry_%s", calls[i]);

		/*
		 * Its entry and its return, not the whole call: a session that counts calls on files would
		 * leave out one on a ring.
		 */
		if (ctrace_schema_by_name(r->schema, entry))
			view_count_besides(r, xasprintf("syscall:%s", calls[i]));
		free(entry);
	}
}

static void note_counted(struct view *v, struct run *r, const struct probe_want *w)
{
	const struct ctrace_look_row *row;
	struct ctrace_aggregate *a;
	struct ctrace_look *look;

	if (ctrace_aggregate_open(r->reader, w->table, &a))
		return;
	if (!ctrace_look_take(a, &look)) {
		for (size_t i = 0; (row = ctrace_look_row(look, i)); i++)
			if (row->cid != CTRACE_CID_ALL && follow_shows(&r->follow, row->cid))
				note(v, row->cid);
		ctrace_look_free(look);
	}
	ctrace_aggregate_close(a);
}

void view_print_io_uring(struct view *v, struct run *r)
{
	const char *why = v->recording ? "they were not recorded (-e io_uring_op)" :
		"this kernel does not tell them apart (before 6.0)";
	size_t n;

	for (size_t i = 0; i < r->probes.n; i++)
		if (!strncmp(r->probes.v[i].name, "syscall:io_uring_", strlen("syscall:io_uring_")))
			note_counted(v, r, &r->probes.v[i]);
	n = v->io_uring.n;
	if (n)
		fprintf(stderr,
			"ctrace: %zu container%s io_uring, whose operations are not among these: %s\n",
			n, n == 1 ? " uses" : "s use", why);
}
