// SPDX-License-Identifier: GPL-2.0-only
/* What all sinks have in common, and the table of calls under way. */
#include <stdlib.h>
#include <string.h>
#include "base/json.h"
#include "show/sink.h"

void *sink_new(size_t size, const struct sink_ops *ops, const struct sink_opts *o)
{
	struct sink *s = xcalloc(1, size);

	s->ops = ops;
	s->o = *o;
	return s;
}

static void count_cid(struct sink *s, uint32_t cid)
{
	size_t lo = 0, hi = s->ncids;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (s->cids[mid] == cid)
			return;
		if (s->cids[mid] < cid)
			lo = mid + 1;
		else
			hi = mid;
	}
	/* the array is full if its length is a power of two: double it */
	if (!(s->ncids & (s->ncids - 1)))
		s->cids = xrealloc(s->cids, (s->ncids ? 2 * s->ncids : 1) * sizeof(s->cids[0]));
	memmove(&s->cids[lo + 1], &s->cids[lo], (s->ncids - lo) * sizeof(s->cids[0]));
	s->cids[lo] = cid;
	s->ncids++;
}

static bool is_dump(uint16_t id)
{
	return (id >= CTRACE_ID_STATEDUMP_START && id <= CTRACE_ID_STATEDUMP_END) ||
	       id == CTRACE_ID_STATEDUMP_FILE_DESCRIPTOR || id == CTRACE_ID_STATEDUMP_BLOCK_DEVICE;
}

/*
 * Mappings are recorded for the names in stacks, and shown only if asked for. Copies of stacks are never
 * shown.
 */
static bool shown(const struct sink *s, const struct ctrace_record *rec)
{
	return !stack_is_copy(rec->id) && (rec->id != CTRACE_ID_PROCESS_MAP || s->o.maps) &&
		!(s->o.no_dump && is_dump(rec->id));
}

static bool in_window(const struct sink *s, const struct ctrace_record *rec)
{
	return !s->o.to || (rec->time >= s->o.from && rec->time < s->o.to);
}

static void out(void *arg, const struct ctrace_record *rec, uint32_t cpu, const struct stacks *k)
{
	struct sink *s = arg;

	(void)cpu;
	if (in_window(s, rec) && shown(s, rec))
		s->ops->record(s, rec, k);
	else if (s->ops->learn && (in_window(s, rec) ? is_dump(rec->id) : rec->time < s->o.from))
		s->ops->learn(s, rec);
	if (s->o.symbols)
		symbols_learn(s->o.symbols, s->o.schema, rec);
}

void sink_record(struct sink *s, const struct ctrace_record *rec)
{
	if (in_window(s, rec) && (shown(s, rec) || !s->o.live)) {
		s->events++;
		s->hidden += !shown(s, rec);
		count_cid(s, rec->cid);
	}
	/* no stack belongs to this record, and it is none */
	if (!s->o.symbols || (!s->o.stacks && rec->id != CTRACE_ID_CPU_SAMPLE &&
			      rec->id != CTRACE_ID_KERNEL_STACK && rec->id != CTRACE_ID_USER_STACK)) {
		out(s, rec, 0, NULL);
		return;
	}
	if (!s->queue)
		s->queue = stack_queue_new(s->o.schema, s->o.stacks, s->o.symbols, out, s);
	stack_queue_put(s->queue, rec, 0);
}

void sink_ahead(struct sink *s, const struct ctrace_record *rec)
{
	if (s->ops->ahead)
		s->ops->ahead(s, rec);
}

void sink_settle(struct sink *s, uint64_t before)
{
	if (s->queue)
		stack_queue_flush(s->queue, before);
}

void sink_lost(struct sink *s, const char *cause, uint64_t n)
{
	s->ops->lost(s, cause, n);
}

void sink_lost_json(struct sink *s, const char *cause, uint64_t n)
{
	struct json j = { .out = &s->line };

	sbuf_reset(&s->line);
	json_open(&j, NULL, '{');
	json_uint(&j, "lost", n);
	json_str(&j, "cause", cause);
	json_close(&j, '}');
	json_line(&j);
	fwrite(s->line.s, 1, s->line.len, s->o.out);
}

void sink_holds_nothing(struct sink *s)
{
	(void)s;
}

void sink_idle(struct sink *s)
{
	sink_settle(s, UINT64_MAX);
	s->ops->idle(s);
}

void sink_free(struct sink *s)
{
	if (!s)
		return;
	stack_queue_free(s->queue);
	s->ops->free(s);
	pairs_free(s->pairs);
	sbuf_free(&s->line);
	free(s->cids);
	free(s);
}

void sink_account(const struct sink *s, struct sbuf *b)
{
	bool host = s->ncids && s->cids[0] == CTRACE_CID_HOST;
	size_t n = s->ncids - host;

	sbuf_printf(b, "%llu event%s", (unsigned long long)s->events, s->events == 1 ? "" : "s");
	if (n || !host)
		sbuf_printf(b, " from %zu container%s", n, n == 1 ? "" : "s");
	if (host)
		sbuf_puts(b, n ? " and the host" : " from the host");
	if (s->hidden)
		sbuf_printf(b, ", %llu of them not shown", (unsigned long long)s->hidden);
}

uint64_t sink_realtime(const struct sink *s, uint64_t time)
{
	return s->o.wall ? wall_at(s->o.wall, time) : time + (uint64_t)s->o.clock_offset;
}

const char *frame_name(struct symbols *s, const struct stack *k, size_t i, bool kernel, int32_t tid)
{
	bool exact = k->exact && !i;

	return kernel ? symbols_kernel(s, k->v[i], exact) : symbols_user(s, tid, k->v[i], exact);
}
