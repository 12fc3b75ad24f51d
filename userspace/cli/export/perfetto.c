// SPDX-License-Identifier: GPL-2.0-only
/*
 * For ui.perfetto.dev and trace_processor. A container is a group of tracks: counters, its spans, its losses.
 * A process is called by its container and its program, and calls are slices on its threads. Times are
 * CLOCK_MONOTONIC's. The reader sorts by time, so packets need no order.
 */
#include <stdlib.h>
#include <string.h>
#include "base/cli.h"
#include "export/perfetto.h"

#define SEQUENCE	1

static struct perfetto *own(const struct export *x)
{
	return x->own;
}

void perfetto_packet(struct export *x, uint64_t time)
{
	struct perfetto *p = own(x);
	struct sbuf head = { 0 };

	if (time)
		proto_number(&p->packet, PACKET_TIMESTAMP, time);
	proto_number(&p->packet, PACKET_SEQUENCE, SEQUENCE);
	proto_varint(&head, TRACE_PACKET << 3 | 2);
	proto_varint(&head, p->packet.len);
	export_put(x, head.s, head.len);
	export_put(x, p->packet.s, p->packet.len);
	sbuf_reset(&p->packet);
	sbuf_free(&head);
}

/* --- tracks ---------------------------------------------------------------------------- */

/* What a track is for, in the highest bits of its number. */
enum { OF_THREAD = 1, OF_CONTAINER, OF_COUNTER, OF_SPANS, OF_MARKS, OF_LOST };

static uint64_t uuid(uint64_t of, uint64_t high, uint64_t low)
{
	return of << 60 | (high & 0xfffffff) << 32 | (low & 0xffffffff);
}

/* Is it seen for the first time? */
static bool is_new(struct perfetto *p, uint64_t track)
{
	size_t lo = 0, hi = p->ntracks;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (p->tracks[mid] == track)
			return false;
		if (p->tracks[mid] < track)
			lo = mid + 1;
		else
			hi = mid;
	}
	/* the array is full if its length is a power of two */
	if (!(p->ntracks & (p->ntracks - 1)))
		p->tracks = xrealloc(p->tracks, (p->ntracks ? 2 * p->ntracks : 1) * sizeof(p->tracks[0]));
	memmove(&p->tracks[lo + 1], &p->tracks[lo], (p->ntracks - lo) * sizeof(p->tracks[0]));
	p->tracks[lo] = track;
	p->ntracks++;
	return true;
}

/* A track that is described before its first event. */
static uint64_t track(struct export *x, uint64_t id, uint64_t parent, const char *name)
{
	struct perfetto *p = own(x);

	if (!is_new(p, id))
		return id;
	proto_number(&p->m, TRACK_UUID, id);
	proto_text(&p->m, TRACK_NAME, name);
	if (parent)
		proto_number(&p->m, TRACK_PARENT, parent);
	proto_message(&p->packet, PACKET_TRACK, &p->m);
	perfetto_packet(x, 0);
	return id;
}

/* The container's group. */
static uint64_t group(struct export *x, uint32_t cid)
{
	return track(x, uuid(OF_CONTAINER, 0, cid), 0, ctable_shown(x->r.table, cid));
}

static void put_pid(struct sbuf *b, unsigned int field, int32_t pid)
{
	proto_number(b, field, (uint64_t)(int64_t)pid);
}

static uint64_t thread_track(const struct export_task *t)
{
	return uuid(OF_THREAD, t->life, (uint32_t)t->tid);
}

static void task(struct export *x, struct export_task *t, bool born, uint64_t time)
{
	struct perfetto *p = own(x);
	int32_t pid = t->pid ? t->pid : t->tid;
	const struct task *of = comms_task(x->comms, t->tid);

	group(x, t->cid);
	if (born)
		ftrace_born(x, t, time);
	if (pid == t->tid) {
		put_pid(&p->inner, PROCESS_PID, pid);
		put_pid(&p->inner, PROCESS_PPID, of->ppid);
		proto_text(&p->inner, PROCESS_CMDLINE, tasks_title(x, t));
		if (t->vpid > 0 && t->vpid != pid)
			put_pid(&p->inner, PROCESS_NSPID, t->vpid);
		proto_message(&p->m, TREE_PROCESS, &p->inner);
	}
	put_pid(&p->inner, THREAD_TID, t->tid);
	put_pid(&p->inner, THREAD_TGID, pid);
	if (*of->comm) {
		struct sbuf comm = { 0 };

		sbuf_clean(&comm, of->comm);
		proto_text(&p->inner, THREAD_NAME, comm.s);
		sbuf_free(&comm);
	}
	if (t->vtid > 0 && t->vtid != t->tid)
		put_pid(&p->inner, THREAD_NSTID, t->vtid);
	proto_message(&p->m, TREE_THREAD, &p->inner);
	proto_message(&p->packet, PACKET_PROCESS_TREE, &p->m);
	perfetto_packet(x, time);

	proto_number(&p->m, TRACK_UUID, thread_track(t));
	put_pid(&p->inner, DESCRIPTOR_PID, pid);
	put_pid(&p->inner, DESCRIPTOR_TID, t->tid);
	proto_message(&p->m, TRACK_THREAD, &p->inner);
	proto_message(&p->packet, PACKET_TRACK, &p->m);
	perfetto_packet(x, time);
}

/* --- slices and marks ------------------------------------------------------------------ */

static void put_details(struct perfetto *p, const struct details *d)
{
	for (size_t i = 0; d && i < d->n; i++) {
		const struct detail *e = &d->v[i];

		proto_text(&p->m, DETAIL_NAME, e->name);
		switch (e->kind) {
		case DETAIL_INT:
			proto_number(&p->m, DETAIL_INT_VALUE, e->n);
			break;
		case DETAIL_UINT:
			proto_number(&p->m, DETAIL_UINT_VALUE, e->n);
			break;
		case DETAIL_ADDRESS:
			proto_number(&p->m, DETAIL_POINTER_VALUE, e->n);
			break;
		case DETAIL_TEXT:
			proto_text(&p->m, DETAIL_STRING_VALUE, detail_text(d, e));
			break;
		}
		proto_message(&p->event, EVENT_DETAIL, &p->m);
	}
}

/* s NULL: no more than the type */
static void put_event(struct export *x, uint64_t on, uint64_t type, uint64_t time, const struct slice *s,
		      uint64_t stack)
{
	struct perfetto *p = own(x);

	proto_number(&p->event, EVENT_TYPE, type);
	proto_number(&p->event, EVENT_TRACK, on);
	if (s && type != TYPE_END) {
		proto_text(&p->event, EVENT_CATEGORY, s->system);
		proto_text(&p->event, EVENT_NAME, s->name);
	}
	if (stack)
		proto_number(&p->event, EVENT_CALLSTACK, stack);
	if (s)
		put_details(p, s->details);
	proto_message(&p->packet, PACKET_TRACK_EVENT, &p->event);
	if (stack)
		proto_number(&p->packet, PACKET_FLAGS, FLAG_NEEDS_STATE);
	perfetto_packet(x, time);
}

static void put_slice(struct export *x, uint64_t on, const struct slice *s, uint64_t stack)
{
	if (s->from)
		put_event(x, on, TYPE_BEGIN, s->from, s, stack);
	if (s->to)
		put_event(x, on, TYPE_END, s->to, s->from ? NULL : s, 0);
}

static void call(struct export *x, struct export_task *t, const struct slice *s)
{
	put_slice(x, thread_track(t), s, s->from && s->stacks ? perfetto_stack(x, s->stacks, t->tid) : 0);
}

static void mark(struct export *x, struct export_task *t, uint32_t cid, const struct slice *s)
{
	uint64_t on = t ? thread_track(t) : track(x, uuid(OF_MARKS, 0, cid), group(x, cid), "events");

	put_event(x, on, TYPE_INSTANT, s->from, s, s->stacks ? perfetto_stack(x, s->stacks, t ? t->tid : 0) : 0);
}

/* Tracks of one name are shown as one, if their slices overlap as several lines. */
static void span(struct export *x, uint32_t cid, uint32_t lane, const struct slice *s)
{
	const struct ctrace_event_type *t = ctrace_schema_by_name(x->r.schema, s->name);
	uint64_t on = track(x, uuid(OF_SPANS, (t ? t->id : 0) * DRAW_LANES + lane, cid), group(x, cid), s->name);

	put_slice(x, on, s, s->stacks ? perfetto_stack(x, s->stacks, 0) : 0);
}

static void lost(struct export *x, const struct ctf_loss *l)
{
	struct details d = { .n = 2, .v = { { "events", DETAIL_UINT, l->n, 0 }, { "cpu", DETAIL_UINT, l->cpu, 0 } } };
	struct slice s = { .name = "lost", .system = "ctrace", .details = &d };
	uint32_t cid = l->cid == CTRACE_CID_ALL ? CTRACE_CID_HOST : l->cid;
	uint64_t on = track(x, uuid(OF_LOST, l->cpu, cid), group(x, cid), "lost");

	draw_lost(own(x)->draw, l);
	ftrace_lost(x, l->cpu);
	s.from = l->after && l->after < l->before ? l->after : l->before;
	s.to = l->before;
	put_slice(x, on, &s, 0);
}

/* --- counters -------------------------------------------------------------------------- */

static void put_counter(struct export *x, uint32_t cid, enum spent_on what, const char *name, const char *unit)
{
	const struct spent_in *s = draw_spent(own(x)->draw);
	uint64_t on = uuid(OF_COUNTER, (uint64_t)what, cid), last = UINT64_MAX;
	struct perfetto *p = own(x);
	bool percent = what != SPENT_LOST && what != SPENT_CALLS;

	group(x, cid);
	proto_number(&p->m, TRACK_UUID, on);
	proto_text(&p->m, TRACK_NAME, name);
	proto_number(&p->m, TRACK_PARENT, uuid(OF_CONTAINER, 0, cid));
	proto_number(&p->m, TRACK_ORDER, (uint64_t)what + 1);
	proto_text(&p->inner, COUNTER_UNIT_NAME, unit);
	proto_message(&p->m, TRACK_COUNTER, &p->inner);
	proto_message(&p->packet, PACKET_TRACK, &p->m);
	perfetto_packet(x, 0);
	for (size_t i = 0; i <= spent_parts(s); i++) {
		uint64_t v = i < spent_parts(s) ? spent_at(s, cid, what, i) : 0;
		double share = 100.0 * (double)v / (double)spent_width(s);
		uint64_t bits;

		if (v == last)
			continue;
		last = v;
		proto_number(&p->event, EVENT_TYPE, TYPE_COUNTER);
		proto_number(&p->event, EVENT_TRACK, on);
		if (percent) {
			memcpy(&bits, &share, sizeof(bits));
			proto_fixed64(&p->event, EVENT_DOUBLE, bits);
		} else {
			proto_number(&p->event, EVENT_COUNT, v);
		}
		proto_message(&p->packet, PACKET_TRACK_EVENT, &p->event);
		perfetto_packet(x, spent_began(s) + i * spent_width(s));
	}
}

static void put_counters(struct export *x)
{
	static const struct {
		enum spent_on what;
		const char *name, *unit;
	} counters[] = {
		{ SPENT_CPU, "CPU", "% of a CPU" }, { SPENT_WAIT, "wait for a CPU", "% of the time, all threads" },
		{ SPENT_NO_QUOTA, "throttled", "% of the time, all CPUs" },
		{ SPENT_STUCK, "uninterruptible sleep", "% of the time, all threads" },
		{ SPENT_CALLS, "calls", "" }, { SPENT_LOST, "lost events", "" },
	};
	const struct spent_in *s = draw_spent(own(x)->draw);
	uint32_t cid;

	for (size_t i = 0; spent_container(s, i, &cid); i++)
		for (size_t k = 0; k < ARRAY_SIZE(counters); k++)
			if (spent_has(s, cid, counters[k].what))
				put_counter(x, cid, counters[k].what, counters[k].name, counters[k].unit);
}

/* --- the trace -------------------------------------------------------------------------- */

static void put_clock(struct perfetto *p, uint64_t id, uint64_t time)
{
	proto_number(&p->inner, CLOCK_ID, id);
	proto_number(&p->inner, CLOCK_TIME, time);
	proto_message(&p->m, CLOCKS_CLOCK, &p->inner);
}

/*
 * Perfetto wants BOOTTIME. MONOTONIC stands for it: they differ only by the time that the machine was asleep
 * before, which a recording does not have.
 */
static void put_clocks(struct export *x)
{
	uint64_t began = asked_number(&x->r, "began");
	struct perfetto *p = own(x);

	put_clock(p, ID_BOOTTIME, began);
	put_clock(p, ID_MONOTONIC, began);
	put_clock(p, ID_REALTIME, began + (uint64_t)x->r.info.clock_offset);
	proto_message(&p->packet, PACKET_CLOCK_SNAPSHOT, &p->m);
	perfetto_packet(x, began);
}

/* The release decides the meaning of tasks' states. */
static void put_system(struct export *x)
{
	const char *release = asked_text(&x->r, "kernel"), *machine = asked_text(&x->r, "machine");
	struct perfetto *p = own(x);

	proto_text(&p->inner, UTSNAME_SYSNAME, "Linux");
	if (release)
		proto_text(&p->inner, UTSNAME_RELEASE, release);
	if (machine)
		proto_text(&p->inner, UTSNAME_MACHINE, machine);
	proto_message(&p->m, SYSTEM_UTSNAME, &p->inner);
	proto_number(&p->m, SYSTEM_CPUS, ctf_reader_ncpus(x->r.reader));
	proto_message(&p->packet, PACKET_SYSTEM_INFO, &p->m);
	perfetto_packet(x, 0);
}

static int begin(struct export *x)
{
	static const struct draw_ops ops = {
		.task = task, .ran = ftrace_ran, .call = call, .mark = mark, .span = span, .sample = perfetto_sample,
		.event = ftrace_event,
	};
	struct perfetto *p = xcalloc(1, sizeof(*p));

	x->own = p;
	p->draw = draw_new(x, &ops);
	p->stacks = stacks_seen_new();
	p->bundles = bundles_new(ctf_reader_ncpus(x->r.reader));
	put_clocks(x);
	put_system(x);
	perfetto_sequence(x);
	return CLI_OK;
}

static void record(struct export *x, const struct ctrace_record *rec, uint32_t cpu, const struct stacks *k)
{
	draw_record(own(x)->draw, rec, cpu, k);
}

static void end(struct export *x)
{
	draw_end(own(x)->draw);
	bundles_flush(x);
	put_counters(x);
}

static void free_own(struct export *x)
{
	struct perfetto *p = own(x);

	draw_free(p->draw);
	stacks_seen_free(p->stacks);
	bundles_free(p->bundles);
	sbuf_free(&p->packet);
	sbuf_free(&p->event);
	sbuf_free(&p->m);
	sbuf_free(&p->inner);
	free(p->tracks);
	free(p);
}

const struct export_writer export_perfetto = {
	.begin = begin, .record = record, .lost = lost, .end = end, .free = free_own,
};
