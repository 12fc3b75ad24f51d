// SPDX-License-Identifier: GPL-2.0-only
/*
 * Names of functions, frames and stacks have numbers that stand for them in the rest of the sequence. When
 * there are many, the sequence is declared to begin anew, and the numbers too: memory has a bound.
 */
#include <stdlib.h>
#include <string.h>
#include "export/perfetto.h"

#define STACKS		16384u	/* of each kind of number; the tables are twice as large */

/* Texts by number: of functions, of files, and the bytes of frames and stacks. */
struct numbers {
	struct {
		uint32_t hash;
		uint32_t number;	/* 0: free */
		size_t at, len;		/* in text */
	} v[2 * STACKS];
	uint32_t n;
	struct sbuf text;
};

struct stacks_seen {
	struct numbers functions, files, frames, stacks;
	struct sbuf told;		/* InternedData for the next packet */
	struct sbuf frame, stack, m, inner;
};

struct stacks_seen *stacks_seen_new(void)
{
	return xcalloc(1, sizeof(struct stacks_seen));
}

void stacks_seen_free(struct stacks_seen *s)
{
	if (!s)
		return;
	sbuf_free(&s->functions.text);
	sbuf_free(&s->files.text);
	sbuf_free(&s->frames.text);
	sbuf_free(&s->stacks.text);
	sbuf_free(&s->told);
	sbuf_free(&s->frame);
	sbuf_free(&s->stack);
	sbuf_free(&s->m);
	sbuf_free(&s->inner);
	free(s);
}

static void forget(struct numbers *n)
{
	memset(n->v, 0, sizeof(n->v));
	n->n = 0;
	sbuf_reset(&n->text);
}

/* There is room for it: see perfetto_stack(). */
static uint32_t number(struct numbers *n, const char *s, size_t len, bool *is_new)
{
	uint32_t h = 2166136261u;
	size_t i;

	for (size_t k = 0; k < len; k++)
		h = (h ^ (unsigned char)s[k]) * 16777619u;
	for (i = h % (2 * STACKS); n->v[i].number; i = (i + 1) % (2 * STACKS))
		if (n->v[i].hash == h && n->v[i].len == len && !memcmp(n->text.s + n->v[i].at, s, len))
			break;
	*is_new = !n->v[i].number;
	if (!*is_new)
		return n->v[i].number;
	n->v[i].hash = h;
	n->v[i].number = ++n->n;
	n->v[i].at = n->text.len;
	n->v[i].len = len;
	sbuf_put(&n->text, s, len);
	return n->n;
}

static uint32_t number_text(struct stacks_seen *s, struct numbers *n, unsigned int field, const char *text, size_t len,
			    bool *is_new)
{
	uint32_t id = number(n, text, len, is_new);

	if (*is_new) {
		proto_number(&s->m, STRING_ID, id);
		proto_bytes(&s->m, STRING_TEXT, text, len);
		proto_message(&s->told, field, &s->m);
	}
	return id;
}

/* "schedule+0x3f", "ovl_open+0x2b [overlay]", "read+0x10 [libc.so.6]", "app+0x1234", "0x7f..." */
static uint32_t number_frame(struct stacks_seen *s, const char *name, bool kernel, uint64_t addr)
{
	const char *plus = strstr(name, "+0x"), *file = strstr(plus ? plus : name, " ["), *in = kernel ? "[kernel]" : "";
	size_t len = plus && plus > name ? (size_t)(plus - name) : file ? (size_t)(file - name) : strlen(name);
	size_t in_len = strlen(in);
	uint32_t function, mapping, id;
	bool is_new;

	if (file) {
		in = file + 2;
		in_len = strcspn(in, "]");
	}
	function = number_text(s, &s->functions, INTERNED_FUNCTION, name, len, &is_new);
	mapping = number_text(s, &s->files, INTERNED_PATH, in, in_len, &is_new);
	if (is_new) {
		proto_number(&s->m, MAPPING_ID, mapping);
		proto_number(&s->m, MAPPING_PATH, mapping);
		proto_message(&s->told, INTERNED_MAPPING, &s->m);
	}
	sbuf_reset(&s->frame);
	proto_number(&s->frame, FRAME_FUNCTION, function);
	proto_number(&s->frame, FRAME_MAPPING, mapping);
	id = number(&s->frames, s->frame.s, s->frame.len, &is_new);
	if (is_new) {
		proto_number(&s->m, FRAME_ID, id);
		sbuf_put(&s->m, s->frame.s, s->frame.len);
		proto_number(&s->m, FRAME_PC, addr);
		proto_message(&s->told, INTERNED_FRAME, &s->m);
	}
	return id;
}

static void add_frames(struct export *x, struct stacks_seen *s, const struct stack *k, bool kernel, int32_t tid)
{
	for (size_t i = k->n; i-- > 0;) {
		const char *name = frame_name(x->r.symbols, k, i, kernel, tid);

		proto_number(&s->stack, CALLSTACK_FRAME, number_frame(s, name, kernel, k->v[i]));
	}
}

void perfetto_sequence(struct export *x)
{
	struct perfetto *p = x->own;
	struct sbuf events = { 0 };
	const char *hz;

	sbuf_reset(&events);
	asked_events(&x->r, &events);
	hz = strstr(events.s, "sample:");
	if (hz) {
		proto_number(&p->event, TIMEBASE_FREQUENCY, strtoull(hz + strlen("sample:"), NULL, 10));
		proto_message(&p->inner, PERF_TIMEBASE, &p->event);
		proto_message(&p->m, DEFAULTS_PERF, &p->inner);
		proto_message(&p->packet, PACKET_DEFAULTS, &p->m);
	}
	sbuf_free(&events);
	proto_number(&p->packet, PACKET_FLAGS, FLAG_CLEARED);
	perfetto_packet(x, 0);
}

uint64_t perfetto_stack(struct export *x, const struct stacks *k, int32_t tid)
{
	struct perfetto *p = x->own;
	struct stacks_seen *s = p->stacks;
	const uint32_t most = STACKS - 2 * STACK_MAX;
	bool is_new;
	uint32_t id;

	if (!k || !(k->user.n + k->kernel.n))
		return 0;
	if (s->functions.n > most || s->frames.n > most || s->files.n > most || s->stacks.n > most) {
		forget(&s->functions);
		forget(&s->files);
		forget(&s->frames);
		forget(&s->stacks);
		perfetto_sequence(x);
	}
	sbuf_reset(&s->stack);
	add_frames(x, s, &k->user, false, tid);
	add_frames(x, s, &k->kernel, true, tid);
	id = number(&s->stacks, s->stack.s, s->stack.len, &is_new);
	if (is_new) {
		proto_number(&s->m, CALLSTACK_ID, id);
		sbuf_put(&s->m, s->stack.s, s->stack.len);
		proto_message(&s->told, INTERNED_CALLSTACK, &s->m);
	}
	if (s->told.len) {
		proto_message(&p->packet, PACKET_INTERNED, &s->told);
		proto_number(&p->packet, PACKET_FLAGS, FLAG_NEEDS_STATE);
		perfetto_packet(x, 0);
	}
	return id;
}

void perfetto_sample(struct export *x, struct export_task *t, uint32_t cpu, const struct ctrace_record *rec,
		     const struct stacks *k)
{
	uint64_t stack = perfetto_stack(x, k, rec->tid);
	struct perfetto *p = x->own;

	proto_number(&p->m, SAMPLE_CPU, cpu);
	proto_number(&p->m, SAMPLE_PID, (uint64_t)(t && t->pid ? t->pid : rec->tid));
	proto_number(&p->m, SAMPLE_TID, (uint64_t)rec->tid);
	if (stack)
		proto_number(&p->m, SAMPLE_CALLSTACK, stack);
	proto_number(&p->m, SAMPLE_MODE, k && k->kernel.n ? MODE_KERNEL : MODE_USER);
	proto_number(&p->m, SAMPLE_COUNT, 1);
	proto_message(&p->packet, PACKET_PERF_SAMPLE, &p->m);
	proto_number(&p->packet, PACKET_FLAGS, FLAG_NEEDS_STATE);
	perfetto_packet(x, rec->time);
}
