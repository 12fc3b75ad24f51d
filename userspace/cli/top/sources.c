// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which events are added up to what.
 *
 * CPU time is what the scheduler charges a task with, at each tick and each switch (sched_stat_runtime), and
 * not sched_run: that is written when a task leaves the CPU, so one that never leaves would seem to do
 * nothing. The files of its cgroup add up the same charges, but have to be read for each container, and the
 * host and a container without a cgroup have none. A recording may have sched_run alone.
 */
#include <stdlib.h>
#include <string.h>
#include "names/disks.h"
#include "show/file_ops.h"
#include "top/top.h"

struct source {
	const char *event;	/* as after -e */
	const char *functions;
	const char *keys;	/* or NULL */
	unsigned char nkeys;
	unsigned char sum;	/* of its first value */
};

/* A call that failed returns a number with this bit. */
#define SIGN	"ret&0x8000000000000000"

static const struct source sources[] = {
	{ "sched_stat_runtime", "sum(runtime), count()", NULL, 0, TOP_CPU },
	{ "sched_run", "sum(duration), count()", NULL, 0, TOP_CPU },
	{ "sched_wait", "sum(duration), count()", NULL, 0, TOP_WAIT },
	{ "cpu_throttled", "sum(duration), count()", NULL, 0, TOP_THROTTLED },
	{ "calls", "count(), sum(ret)", "syscall, " SIGN, 2, TOP_CALLS },
	{ "io_uring_op", "count(), sum(ret)", "opcode, " SIGN, 2, TOP_CALLS },
	{ "block_io", "sum(bytes), count()", "rwbs", 1, TOP_DISK_WRITE },
	{ "net_if_receive_skb", "sum(len), count()", NULL, 0, TOP_RX },
	{ "net_dev_queue", "sum(len), count()", NULL, 0, TOP_TX },
	{ "page_fault", "count()", NULL, 0, TOP_FAULTS },
};

/* Does the kernel have it, or the recording? */
static bool is_there(const struct view *v, const struct source *s)
{
	const struct ctrace_event_type *t;

	if (v->recording)
		return view_input_has(v, s->event);
	t = ctrace_schema_by_name(v->run.schema, s->event);
	return !strcmp(s->event, "calls") || (t && !t->reason);
}

int top_sources(struct top *t)
{
	struct view *v = t->view;
	uint64_t rows;

	if (v->o.probes.nevents)
		return cli_usage("top counts events of its own: 'ctrace count -e EVENTS --interval 1' counts others");
	for (size_t i = 0; i < ARRAY_SIZE(sources); i++) {
		const struct source *s = &sources[i];

		/* the second event for CPU time is one of recordings */
		if (!is_there(v, s) || (s->sum == TOP_CPU && t->there[TOP_CPU])) {
			v->io_uring.unseen |= s->sum == TOP_CALLS;
			continue;
		}
		t->there[s->sum] = true;
		view_add_group(v, s->event, view_aggregate(v, s->functions, s->keys));
		v->groups[v->ngroups - 1].own = i;
		/* a container makes some twenty different calls */
		rows = strcmp(s->event, "calls") ? v->rows : 8ull * v->rows;
		v->groups[v->ngroups - 1].rows = rows < CTRACE_TABLE_ROWS_MAX ? (uint32_t)rows : CTRACE_TABLE_ROWS_MAX;
	}
	if (!v->ngroups)
		return cli_error("'%s' has no events that top adds up: record them with 'ctrace record'", v->recording);
	t->there[TOP_ERRORS] = t->there[TOP_READ] = t->there[TOP_WRITE] = t->there[TOP_CALLS];
	t->there[TOP_DISK_READ] = t->there[TOP_DISK_WRITE];
	return CLI_OK;
}

bool top_source_of_tasks(const struct view_table *t)
{
	unsigned char sum = sources[t->own].sum;

	return sum != TOP_THROTTLED && sum != TOP_RX && sum != TOP_TX;
}

uint32_t top_source_keys(const struct view_table *t)
{
	return sources[t->own].nkeys;
}

/* What the call with this event type moves: TOP_READ, TOP_WRITE, or TOP_SUMS: nothing. */
static enum top_sum moves(struct top *t, uint64_t id)
{
	static const char *const names[] = {
		"read", "readv", "pread64", "preadv", "preadv2", "write", "writev", "pwrite64", "pwritev", "pwritev2",
	};
	const char *name;
	size_t i = 0;

	if (id >= ARRAY_SIZE(t->moves))
		return TOP_SUMS;
	if (!t->moves[id]) {
		name = view_call_name(t->view, id);
		name += strncmp(name, "compat_syscall_", 15) ? 0 : 15;
		while (i < ARRAY_SIZE(names) && strcmp(name, names[i]))
			i++;
		t->moves[id] = 1 + (i == ARRAY_SIZE(names) ? TOP_SUMS : i < 5 ? TOP_READ : TOP_WRITE);
	}
	return t->moves[id] - 1;
}

/* The same of an operation of io_uring. */
static enum top_sum moves_io_uring(uint64_t opcode)
{
	const char *op = file_op_io_uring(opcode);

	return !op || !file_op_moves(op) ? TOP_SUMS : *op == 'r' ? TOP_READ : TOP_WRITE;
}

static void add_call(struct top *t, const struct view_table *table, const struct ctrace_look_row *r, uint64_t *sums)
{
	uint64_t n = r->values[table->t->values[0].at];
	uint64_t key = r->key[table->t->keys[0].at];
	enum top_sum sum = view_is_io_uring(table) ? moves_io_uring(key) : moves(t, key);

	if (r->key[table->t->keys[1].at])
		sums[TOP_ERRORS] += n;
	else if (sum != TOP_SUMS)
		sums[sum] += r->values[table->t->values[1].at];
}

void top_source_add(struct top *t, const struct view_table *table, const struct ctrace_look_row *r, uint64_t *sums)
{
	bool other = r->other || r->cid == CTRACE_CID_ALL;
	enum top_sum sum = sources[table->own].sum;
	char direction;

	if (sum == TOP_CALLS && !other)
		add_call(t, table, r, sums);
	if (sum == TOP_DISK_WRITE) {
		/* flushes and discards are neither; rows of calls have no such key */
		direction = other ? 'N' : disk_direction(r->key[table->t->keys[0].at]);
		if (direction != 'R' && direction != 'W')
			return;
		sum = direction == 'R' ? TOP_DISK_READ : TOP_DISK_WRITE;
	}
	sums[sum] += r->values[table->t->values[0].at];
}
