// SPDX-License-Identifier: GPL-2.0-only
/* Containers that an event has frozen: their reader says so, takes their records, and thaws them. */
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "base/cli.h"
#include "run/run.h"

/*
 * How long a freeze waits for a reader to run dry. Others may write so much that it never does; what it has
 * not read by then may be overwritten, and is counted.
 */
#define PATIENCE	(NSEC_PER_SEC)

struct thaw {
	struct run *run;
	uint64_t now;
	bool dry;
};

/* "openat()" of a call, whether it is recorded as a whole or by its entry or exit; else the event's name. */
static void put_event(struct sbuf *b, const struct ctrace_schema *s, uint32_t id)
{
	static const char *const phases[] = {
		[CTRACE_CALL_ENTRY] = "entry_", [CTRACE_CALL_EXIT] = "exit_", [CTRACE_CALL_WHOLE] = "",
	};
	const struct ctrace_event_type *t = ctrace_schema_by_id(s, id);
	struct ctrace_id_call call = ctrace_id_call(id);
	const char *name = t ? t->name : NULL, *before;

	if (!name) {
		sbuf_printf(b, "event %u", id);
		return;
	}
	if (call.phase == CTRACE_CALL_NONE) {
		sbuf_puts(b, name);
		return;
	}
	name += strncmp(name, "compat_", strlen("compat_")) ? 0 : strlen("compat_");
	name += strncmp(name, "syscall_", strlen("syscall_")) ? 0 : strlen("syscall_");
	before = phases[call.phase];
	name += strncmp(name, before, strlen(before)) ? 0 : strlen(before);
	sbuf_printf(b, "%s()", name);
}

/* One line is written at once: others may write to the same terminal. */
static int thaw(const struct ctrace_frozen_info *i, void *arg)
{
	const struct thaw *t = arg;
	struct run *r = t->run;
	struct sbuf b = { 0 };

	if (!t->dry && (int64_t)(t->now - i->time) < (int64_t)PATIENCE)
		return 0;
	/* it may have been thawed by itself in this moment: then it was frozen all the same */
	if (!r->at_end)
		ctrace_session_thaw(r->session, i->cid);
	sbuf_puts(&b, ctable_get(r->ctable, i->cid)->shown);
	sbuf_puts(&b, ": frozen by ");
	put_event(&b, r->schema, i->event_id);
	sbuf_puts(&b, " at ");
	sbuf_clock(&b, i->time + clock_ns(CLOCK_REALTIME) - clock_ns(CLOCK_MONOTONIC));
	sbuf_printf(&b, " (thread %d)", i->tid);
	/* on a terminal the last line may be how far a recording is */
	fprintf(stderr, "%sctrace: %s\n", isatty(STDERR_FILENO) ? "\r\033[K" : "", b.s);
	sbuf_free(&b);
	return 0;
}

void run_thaw(struct run *r, uint64_t now, bool dry)
{
	struct thaw t = { .run = r, .now = now, .dry = dry };

	/* the kernel's own word, in the mapping: without a freeze this costs one load */
	if (__atomic_load_n(&ctrace_reader_dir(r->reader)->frozen, __ATOMIC_RELAXED))
		ctrace_session_frozen(r->session, thaw, &t);
}
