// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "base/json.h"
#include "base/json_read.h"
#include "names/names.h"
#include "symbols/symbols.h"
#include "symbols/unwind.h"

#define KERNEL		0	/* tid 0 has no user addresses */
#define NAMES_MAX	((size_t)256 << 20)	/* bytes of names that were looked up */
#define LOOK_AGAIN	(NSEC_PER_SEC)	/* read kallsyms again after this time, for modules loaded since */

struct entry {
	char *text;		/* NULL: a free place */
	uint64_t addr;
	int32_t tid;
	bool exact;
	bool found;		/* text is a name, not the bare address */
	bool loaded;		/* from a recording, which knew best */
};

struct symbols {
	bool live;
	struct symtab kernel;
	uint64_t looked;	/* when kallsyms was last read; CLOCK_MONOTONIC, ns */
	bool hidden;		/* kallsyms shows names but no addresses */
	struct user_maps *user;
	struct entry *v;	/* open addressing, size a power of two */
	size_t n, size;
	size_t bytes;		/* of their texts */
	size_t without;		/* addresses whose names would be beyond NAMES_MAX */
	struct sbuf note;
};

struct symbols *symbols_new(bool live)
{
	struct symbols *s = xcalloc(1, sizeof(*s));

	s->live = live;
	s->user = user_maps_new(live);
	s->size = 1024;
	s->v = xcalloc(s->size, sizeof(s->v[0]));
	return s;
}

void symbols_free(struct symbols *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->size; i++)
		free(s->v[i].text);
	free(s->v);
	symtab_free(&s->kernel);
	user_maps_free(s->user);
	sbuf_free(&s->note);
	free(s);
}

void symbols_prepare(struct symbols *s)
{
	FILE *f;

	if (!s->live || (s->looked && clock_ns(CLOCK_MONOTONIC) - s->looked < LOOK_AGAIN))
		return;
	symtab_free(&s->kernel);
	f = fopen("/proc/kallsyms", "re");
	s->hidden = !f || !symtab_read_kallsyms(&s->kernel, f);
	if (s->hidden)
		symtab_free(&s->kernel);
	if (f)
		fclose(f);
	s->looked = clock_ns(CLOCK_MONOTONIC);
}

const char *symbols_note(struct symbols *s)
{
	sbuf_reset(&s->note);
	if (s->hidden)
		sbuf_puts(&s->note, "kernel functions are shown without names: /proc/kallsyms hides their addresses "
			  "(see kernel.kptr_restrict in proc(5))");
	user_maps_note_limits(s->user, &s->note);
	if (s->without)
		sbuf_printf(&s->note, "%s%zu addresses are shown without names: all names take at most 256 MiB",
			    s->note.len ? "; " : "", s->without);
	return s->note.len ? s->note.s : NULL;
}

static struct entry *slot(const struct symbols *s, int32_t tid, uint64_t addr, bool exact)
{
	uint64_t h = (addr ^ ((uint64_t)(uint32_t)tid << 40) ^ exact) * 0x9e3779b97f4a7c15ull;
	size_t i = (size_t)(h >> 32) & (s->size - 1);
	struct entry *e;

	for (;; i = (i + 1) & (s->size - 1)) {
		e = &s->v[i];
		if (!e->text || (e->addr == addr && e->tid == tid && e->exact == exact))
			return e;
	}
}

static struct entry *put(struct symbols *s, int32_t tid, uint64_t addr, bool exact, char *text,
			 bool found)
{
	struct entry *e;

	if (2 * (s->n + 1) > s->size) {
		struct entry *old = s->v;
		size_t n = s->size;

		s->size *= 2;
		s->v = xcalloc(s->size, sizeof(s->v[0]));
		for (size_t i = 0; i < n; i++)
			if (old[i].text)
				*slot(s, old[i].tid, old[i].addr, old[i].exact) = old[i];
		free(old);
	}
	e = slot(s, tid, addr, exact);
	s->n += !e->text;
	s->bytes += strlen(text) - (e->text ? strlen(e->text) : 0);
	free(e->text);
	*e = (struct entry){ .text = text, .addr = addr, .tid = tid, .exact = exact, .found = found };
	return e;
}

static bool name_kernel(struct symbols *s, uint64_t addr, bool exact, struct sbuf *b)
{
	const struct symbol *sym;

	if (!s->looked)
		symbols_prepare(s);
	sym = symtab_find(&s->kernel, exact ? addr : addr - 1);
	if (!sym && !s->hidden) {
		symbols_prepare(s);
		sym = symtab_find(&s->kernel, exact ? addr : addr - 1);
	}
	if (!sym)
		return false;
	sbuf_clean(b, symtab_shown(&s->kernel, sym));
	sbuf_printf(b, "+0x%llx", (unsigned long long)(addr - sym->addr));
	if (symtab_module(&s->kernel, sym))
		sbuf_printf(b, " [%s]", symtab_module(&s->kernel, sym));
	return true;
}

static const char *look_up(struct symbols *s, int32_t tid, uint64_t addr, bool exact)
{
	struct entry *e = slot(s, tid, addr, exact);
	struct sbuf b = { 0 };
	bool found = false;

	/* a task may run another program by now, so its addresses are looked up each time */
	if (e->text && (tid == KERNEL || e->loaded))
		return e->text;
	if (tid != KERNEL)
		found = user_maps_name(s->user, tid, addr, exact, &b);
	else if (s->live)
		found = name_kernel(s, addr, exact, &b);
	if (!found && e->text) {
		sbuf_free(&b);
		return e->text;
	}
	if (found && s->bytes + b.len > NAMES_MAX) {
		s->without++;
		found = false;
		sbuf_reset(&b);
	}
	if (!found)
		sbuf_printf(&b, "0x%llx", (unsigned long long)addr);
	return put(s, tid, addr, exact, b.s, found)->text;
}

const char *symbols_kernel(struct symbols *s, uint64_t addr, bool exact)
{
	return look_up(s, KERNEL, addr, exact);
}

const char *symbols_user(struct symbols *s, int32_t tid, uint64_t addr, bool exact)
{
	return look_up(s, tid, addr, exact);
}

void symbols_share(struct symbols *s, int32_t tid, int32_t pid, uint64_t addr, bool exact)
{
	const struct entry *e = slot(s, tid, addr, exact);

	/* later the task may have another program */
	if (!e->text) {
		look_up(s, tid, addr, exact);
		e = slot(s, tid, addr, exact);
	}
	if (tid != pid && e->found && s->bytes < NAMES_MAX && !slot(s, pid, addr, exact)->text)
		put(s, pid, addr, exact, xstrdup(e->text), e->found);
}

void symbols_learn(struct symbols *s, const struct ctrace_schema *schema, const struct ctrace_record *rec)
{
	if (rec->id == CTRACE_ID_SCHED_PROCESS_EXEC)
		user_maps_forget(s->user, rec->tid);
	else if (rec->id == CTRACE_ID_PROCESS_MAP)
		user_maps_learn(s->user, ctrace_schema_by_id(schema, rec->id), rec);
}

/* --- unwinding ---------------------------------------------------------------------- */

void symbols_unwinds(struct symbols *s)
{
	user_maps_unwind(s->user);
}

const char *symbols_unwind(struct symbols *s, int32_t tid, struct unwind_frame *f, struct unwind_stack *k, uint64_t *to,
			   size_t max, size_t *n)
{
	const struct unwind_table *t;
	enum unwind_end end;
	uint64_t at;

	for (*n = 0; *n < max;) {
		to[(*n)++] = unwind_ip(f);
		/*
		 * a call may be the last thing that a function does, so what it returns to may be another's
		 */
		t = user_maps_table(s->user, tid, unwind_ip(f) - !f->exact, &at);
		if (!t)
			return "nothing says how to unwind this code";
		end = unwind_step(t, at, f, k);
		if (end == UNWIND_DONE)
			return NULL;
		if (end == UNWIND_NO_TABLE)
			return "its file does not say how to unwind this code";
		if (end == UNWIND_NO_STACK)
			return k->beyond ? "the copy of the stack ends here" : "this part of the stack is elsewhere";
		if (end == UNWIND_BAD)
			return "what its file says of this code makes no sense here";
	}
	return "there are more frames";
}

/* --- saving ------------------------------------------------------------------------- */

/* A recorder meets the rings one by one: a stack may come to it before the record of what was mapped. */
static void look_again(struct symbols *s)
{
	struct sbuf b = { 0 };
	struct entry *e;

	for (size_t i = 0; i < s->size; i++) {
		e = &s->v[i];
		if (!e->text || e->found || e->tid == KERNEL || !user_maps_name(s->user, e->tid, e->addr, e->exact, &b))
			continue;
		s->bytes += b.len - strlen(e->text);
		free(e->text);
		e->text = b.s;
		e->found = true;
		b = (struct sbuf){ 0 };
	}
}

void symbols_note_maps(struct symbols *s, int32_t tid)
{
	user_maps_note(s->user, tid);
}

void symbols_save(struct symbols *s, struct sbuf *b)
{
	struct json j = { .out = b };
	char addr[24];

	look_again(s);

	json_open(&j, NULL, '{');
	json_open(&j, "symbols", '[');
	for (size_t i = 0; i < s->size; i++) {
		const struct entry *e = &s->v[i];

		if (!e->text || !e->found)
			continue;
		json_open(&j, NULL, '{');
		json_int(&j, "tid", e->tid);
		snprintf(addr, sizeof(addr), "%llx", (unsigned long long)e->addr);
		json_str(&j, "addr", addr);
		json_flag(&j, "exact", e->exact);
		json_str(&j, "name", e->text);
		json_close(&j, '}');
	}
	json_close(&j, ']');
	json_open(&j, "maps", '[');
	user_maps_save(s->user, &j);
	json_close(&j, ']');
	if (*user_maps_vdso(s->user))
		json_str(&j, "vdso", user_maps_vdso(s->user));
	json_close(&j, '}');
	json_line(&j);
}

static void load_name(struct symbols *s, struct json_object *v)
{
	const char *addr = names_str(v, "addr"), *name = names_str(v, "name");
	struct sbuf b = { 0 };

	if (!addr || !name)
		return;
	/* the file may come from an untrusted source */
	sbuf_clean(&b, name);
	put(s, json_object_get_int(names_get(v, "tid")), strtoull(addr, NULL, 16),
	    json_object_get_boolean(names_get(v, "exact")), b.s, true)->loaded = true;
}

static void load_map(struct symbols *s, struct json_object *v)
{
	const char *build_id = names_str(v, "build_id"), *path = names_str(v, "path");

	if (build_id && path)
		user_maps_load(s->user, (int32_t)names_number(v, "tid"), names_number(v, "start"), names_number(v, "end"),
			       names_number(v, "offset"), build_id, path);
}

static void load(void *arg, const char *key, struct json_object *v)
{
	struct symbols *s = arg;

	if (!strcmp(key, "symbols"))
		load_name(s, v);
	else if (!strcmp(key, "maps"))
		load_map(s, v);
	else if (!strcmp(key, "vdso") && json_object_is_type(v, json_type_string))
		user_maps_load_vdso(s->user, json_object_get_string(v));
}

int symbols_load(struct symbols *s, const char *path)
{
	return json_read_each(path, load, s);
}
