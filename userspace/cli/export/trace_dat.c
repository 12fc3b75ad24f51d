// SPDX-License-Identifier: GPL-2.0-only
/*
 * For trace-cmd and KernelShark: trace.dat, version 6 (trace-cmd.dat.v6(5)). Each CPU has its records in one
 * piece, behind heads that describe the events and the tasks. So a CPU's pages go into a temporary file
 * first, and the heads are written at the end, when it is known what must be described.
 *
 * A page is {u64 time, u64 bytes of what follows; records}. A record is {u32 type:5, delta:27; u32 length,
 * with itself; bytes}. Type 30 brings a delta that does not fit: {type:5, low:27; u32 high}.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/cli.h"
#include "base/output.h"
#include "export/trace_dat.h"

#define PAGE		65536u
#define PAGE_HEAD	16u
#define MISSED		(1ull << 31)	/* in the length of a page: events before it were lost; */
#define MISSED_STORED	(1ull << 30)	/* their number is behind its records */
#define EXTEND		30u
#define DELTA_BITS	27

struct cpu {
	FILE *pages;		/* NULL: it has no records */
	const char *dir;	/* where they are */
	uint64_t size;
	uint64_t time;		/* of the page, then of its last record */
	uint64_t missed;	/* lost before the page */
	size_t used;		/* of the page; 0: none is begun */
	uint8_t page[PAGE];
};

/* A CPU's file cannot be written, or read. */
static void fail(struct export *x, const struct cpu *c)
{
	if (x->failed)
		return;
	x->failed = true;
	x->err = errno ?: EIO;
	x->where = c->dir;
}

static void flush(struct export *x, struct cpu *c)
{
	uint64_t bytes = c->used - PAGE_HEAD;

	if (!c->used)
		return;
	if (c->missed && c->used + 8 <= PAGE) {
		memcpy(c->page + c->used, &c->missed, 8);
		bytes |= MISSED_STORED;
		c->used += 8;
	}
	if (c->missed)
		bytes |= MISSED;
	memcpy(c->page + 8, &bytes, 8);
	memset(c->page + c->used, 0, PAGE - c->used);
	errno = 0;
	if (!c->pages)
		c->pages = output_temporary(&c->dir);
	if (!c->pages || fwrite(c->page, 1, PAGE, c->pages) != PAGE)
		fail(x, c);
	c->size += PAGE;
	c->used = 0;
	c->missed = 0;
}

static void put_u32(struct cpu *c, uint32_t v)
{
	memcpy(c->page + c->used, &v, 4);
	c->used += 4;
}

static void put_record(struct export *x, struct cpu *c, uint64_t time, const struct sbuf *b)
{
	size_t len = (b->len + 3) & ~3ul;
	uint64_t delta;

	if (c->used + len + 16 > PAGE)
		flush(x, c);
	if (!c->used) {
		memcpy(c->page, &time, 8);
		c->used = PAGE_HEAD;
		c->time = time;
	}
	/* the reader of recordings hands records out by time, so time does not run backwards */
	delta = time > c->time ? time - c->time : 0;
	c->time += delta;
	if (delta >> DELTA_BITS) {
		put_u32(c, EXTEND | (uint32_t)delta << 5);
		put_u32(c, (uint32_t)(delta >> DELTA_BITS));
		delta = 0;
	}
	put_u32(c, (uint32_t)delta << 5);
	put_u32(c, (uint32_t)len + 4);
	memset(c->page + c->used, 0, len);
	memcpy(c->page + c->used, b->s, b->len);
	c->used += len;
}

/* --- the file --------------------------------------------------------------------------- */

static void put_le(struct export *x, uint64_t v, size_t size)
{
	export_put(x, &v, size);
}

static void out_sized(struct export *x, const char *s, size_t len, size_t size)
{
	put_le(x, len, size);
	export_put(x, s, len);
}

static void out_head(struct export *x)
{
	static const char page[] =
		"\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
		"\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
		"\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
		"\tfield: char data;\toffset:16;\tsize:65520;\tsigned:0;\n";
	static const char event[] =
		"# compressed entry header\n"
		"\ttype_len    :    5 bits\n\ttime_delta  :   27 bits\n\tarray       :   32 bits\n\n"
		"\tpadding     : type == 29\n\ttime_extend : type == 30\n\ttime_stamp : type == 31\n"
		"\tdata max type_len  == 28\n";

	_Static_assert(PAGE - PAGE_HEAD == 65520, "what the head says");
	export_put(x, "\x17\x08\x44tracing" "6\0" "\0\x08", 14);
	put_le(x, PAGE, 4);
	export_put(x, "header_page", 12);
	out_sized(x, page, sizeof(page) - 1, 8);
	export_put(x, "header_event", 13);
	out_sized(x, event, sizeof(event) - 1, 8);
	put_le(x, 0, 4);	/* formats of ftrace itself */
}

static void out_tasks(struct export *x)
{
	struct export_task *t;
	struct sbuf b = { 0 };

	sbuf_reset(&b);
	for (size_t i = 0; (t = tasks_next(x->tasks, &i));) {
		sbuf_printf(&b, "%d ", t->tid);
		sbuf_clean(&b, comms_get(x->comms, t->tid));
		sbuf_putc(&b, '\n');
	}
	out_sized(x, b.s, b.len, 8);
	sbuf_free(&b);
}

static void out_option(struct export *x, unsigned int id, const char *text)
{
	put_le(x, id, 2);
	out_sized(x, text, strlen(text) + 1, 4);
}

static void out_options(struct export *x)
{
	const char *release = asked_text(&x->r, "kernel"), *host = asked_text(&x->r, "host");
	char *uname = xasprintf("Linux %s %s", host ? host : "?", release ? release : "?");

	export_put(x, "options  ", 10);
	out_option(x, 4, "[mono]");	/* the clock */
	out_option(x, 5, uname);
	put_le(x, 0, 2);
	free(uname);
}

static void out_pages(struct export *x, struct cpu *c)
{
	size_t n;

	if (!c->pages)
		return;
	errno = 0;
	if (fflush(c->pages) || fseek(c->pages, 0, SEEK_SET)) {
		fail(x, c);
		return;
	}
	while (!x->failed && (n = fread(c->page, 1, PAGE, c->pages)) > 0)
		export_put(x, c->page, n);
	if (ferror(c->pages))
		fail(x, c);
}

/* --- the writer ------------------------------------------------------------------------- */

struct dat {
	struct dat_events *events;
	struct cpu **cpus;
	uint32_t ncpus;
	struct sbuf b;
};

static int begin(struct export *x)
{
	struct dat *d = xcalloc(1, sizeof(*d));

	x->own = d;
	d->events = dat_events_new();
	d->ncpus = ctf_reader_ncpus(x->r.reader);
	d->cpus = xcalloc(d->ncpus, sizeof(d->cpus[0]));
	return CLI_OK;
}

static struct cpu *cpu_of(struct dat *d, uint32_t cpu)
{
	if (cpu >= d->ncpus)
		return NULL;
	if (!d->cpus[cpu])
		d->cpus[cpu] = xcalloc(1, sizeof(*d->cpus[cpu]));
	return d->cpus[cpu];
}

static void record(struct export *x, const struct ctrace_record *rec, uint32_t cpu, const struct stacks *k)
{
	struct dat *d = x->own;
	struct cpu *c = cpu_of(d, cpu);

	tasks_learn(x, rec);
	if (!c || !recording_shows(&x->r, rec->cid))
		return;
	if (dat_event(d->events, x, rec, &d->b))
		put_record(x, c, rec->time, &d->b);
	for (int kernel = 0; k && kernel < 2; kernel++)
		if (dat_stack(d->events, x, rec, kernel ? &k->kernel : &k->user, kernel, &d->b))
			put_record(x, c, rec->time, &d->b);
}

static void lost(struct export *x, const struct ctf_loss *l)
{
	struct cpu *c = cpu_of(x->own, l->cpu);

	if (!c)
		return;
	flush(x, c);
	c->missed += l->n;
}

/* Bytes so far, and those that stand between the heads and the first page. */
static void end(struct export *x)
{
	struct dat *d = x->own;
	uint64_t at, pad;

	for (uint32_t i = 0; i < d->ncpus; i++)
		if (d->cpus[i])
			flush(x, d->cpus[i]);
	out_head(x);
	dat_events_put(d->events, x);
	put_le(x, 0, 4);	/* kernel symbols */
	put_le(x, 0, 4);	/* formats of trace_printk() */
	out_tasks(x);
	put_le(x, d->ncpus, 4);
	out_options(x);
	export_put(x, "flyrecord", 10);
	at = x->done + 16ull * d->ncpus;
	pad = (PAGE - at % PAGE) % PAGE;
	at += pad;
	for (uint32_t i = 0; i < d->ncpus; i++) {
		uint64_t size = d->cpus[i] ? d->cpus[i]->size : 0;

		put_le(x, size ? at : 0, 8);
		put_le(x, size, 8);
		at += size;
	}
	while (pad--)
		export_put(x, "", 1);
	for (uint32_t i = 0; i < d->ncpus; i++)
		if (d->cpus[i])
			out_pages(x, d->cpus[i]);
}

static void free_own(struct export *x)
{
	struct dat *d = x->own;

	for (uint32_t i = 0; i < d->ncpus; i++) {
		if (d->cpus[i] && d->cpus[i]->pages)
			fclose(d->cpus[i]->pages);
		free(d->cpus[i]);
	}
	free(d->cpus);
	dat_events_free(d->events);
	sbuf_free(&d->b);
	free(d);
}

const struct export_writer export_trace_dat = {
	.begin = begin, .record = record, .lost = lost, .end = end, .free = free_own,
};
