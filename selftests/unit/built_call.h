/* SPDX-License-Identifier: GPL-2.0-only */
/* The record of a whole call, as the command sees it. */
#ifndef CTRACE_SELFTEST_BUILT_CALL_H
#define CTRACE_SELFTEST_BUILT_CALL_H

#include <stdlib.h>
#include <string.h>
#include "make_record.h"
#include "strace/paint.h"

#define NARGS	6

/* One whole call, whose fields lie in pieces of memory that are as long as they are. */
struct built {
	struct ctrace_schema *schema;
	struct paints *paints;
	struct ctrace_field f[64];
	struct ctrace_value v[64];
	void *mem[64];
	uint32_t n;
	struct call_values c;
};

static const char *const arg_names[NARGS] = { "a", "b", "c", "d", "e", "f" };
static const char *const suffixes[ABOUT_N] = {
	"_data", "_addr", "_iov", "_bytes", "_control", "_names", "_was", "_path",
};
static char names[NARGS][ABOUT_N][16];

static void add_number(struct built *b, const char *name, uint64_t u)
{
	b->f[b->n] = (struct ctrace_field){ name, CTRACE_FK_UINT, CTRACE_FD_HEX, 8 };
	b->v[b->n++].u = u;
}

/* text: a string, else bytes */
static void add_about(struct built *b, int arg, enum about k, const void *s, size_t n)
{
	snprintf(names[arg][k], sizeof(names[arg][k]), "%s%s", arg_names[arg], suffixes[k]);
	b->mem[b->n] = malloc(n ?: 1);
	if (n)
		memcpy(b->mem[b->n], s, n);
	if (k == ABOUT_PATH) {
		b->f[b->n] = (struct ctrace_field){ names[arg][k], CTRACE_FK_STRING, 0, 0 };
		b->v[b->n].str.s = b->mem[b->n];
		b->v[b->n++].str.len = n;
		return;
	}
	b->f[b->n] = (struct ctrace_field){ names[arg][k], CTRACE_FK_SEQ, 0, 1 };
	b->v[b->n].seq.v = b->mem[b->n];
	b->v[b->n++].seq.n = n;
}

static void begin(struct built *b, const uint64_t args[NARGS], int64_t ret)
{
	memset(b, 0, sizeof(*b));
	add_number(b, "duration", 0);
	add_number(b, "ret", (uint64_t)ret);
	for (int i = 0; i < NARGS; i++)
		add_number(b, arg_names[i], args[i]);
}

static void finish_call(struct built *b, const char *name, bool compat, bool plain)
{
	uint32_t id = (compat ? CTRACE_ID_COMPAT_CALL : CTRACE_ID_CALL) + 1;
	char event[96];

	snprintf(event, sizeof(event), "%ssyscall_%s", compat ? "compat_" : "", name);
	b->schema = ctrace_schema_new();
	add_type(b->schema, id, "syscalls", event, b->f, b->n);
	b->paints = paints_new(b->schema, plain);
	b->c.p = paints_get(b->paints, (uint16_t)id);
	b->c.v = b->v;
	b->c.n = (int)b->n;
	for (uint32_t i = 0; i < b->n; i++)
		b->v[i].field = &b->c.p->type->fields[i];
}

static void end(struct built *b)
{
	paints_free(b->paints);
	ctrace_schema_free(b->schema);
	for (uint32_t i = 0; i < b->n; i++)
		free(b->mem[i]);
}

#endif
