// SPDX-License-Identifier: GPL-2.0-only
/* Views' rows as text and JSON, their order, sums over keys, over a table made by hand. */
#include <stdlib.h>
#include <unistd.h>
#include "fake_table.h"
#include "ktap.h"
#include "names_fixture.h"
#include "count/sums.h"

bool cli_json;
const struct command *cli_cmd;

int cli_vreport(int status, const char *fmt, va_list ap)
{
	(void)fmt, (void)ap;
	return status;
}

bool view_input_has(const struct view *of, const char *event)
{
	(void)of, (void)event;
	return false;
}

static struct fake_table f;
static struct view_table table;
static struct view v;

static void set_up(void)
{
	static const struct ctrace_container web = { .cid = 7 }, old = { .cid = 8, .flags = CTRACE_CONTAINER_F_DEAD };

	f = fake_table();
	/* comm alone; no key is a stack */
	f.t->nkeys = 2;
	f.t->keys[1] = (struct ctrace_table_column){ .kind = CTRACE_TABLE_KEY_NUMBER, .words = 1, .at = 3, .name = "n" };
	v = (struct view){ .ngroups = 1, .tables = &table, .ntables = 1 };
	v.run.ctable = ctable_new(NULL);
	v.run.schema = ctrace_schema_new();
	ctable_add(v.run.ctable, &web, "web", "podman", true);
	ctable_add(v.run.ctable, &old, "old", "podman", true);
	check_eq(fake_open(&f), 0);
	table = (struct view_table){ .a = f.a, .t = ctrace_aggregate_table(f.a), .event = (char *)"read", .call = -1 };
	fake_key(fake_row(&f, 0, 0), 7, "nginx", 5);
	fake_key(fake_row(&f, 0, 1), 7, "sh", 6);
	fake_key(fake_row(&f, 0, 2), 8, "a\x1b", 6);
	fake_key(fake_row(&f, 0, ROWS), 7 | CTRACE_TABLE_OTHER, "", 0);
	fake_key(fake_row(&f, 0, ROWS + OTHERS - 1), CTRACE_CID_ALL | CTRACE_TABLE_OTHER, "", 0);
	for (int i = 0; i < 10; i++)
		fake_count(fake_row(&f, 0, 1), 100);
	fake_count(fake_row(&f, 0, 0), 200);
	fake_count(fake_row(&f, 0, 2), 7);
	fake_count(fake_row(&f, 0, 2), 7);
	fake_count(fake_row(&f, 0, ROWS), 7);
	for (int i = 0; i < 3; i++)
		fake_count(fake_row(&f, 0, ROWS + OTHERS - 1), 7);
	check_eq(ctrace_look_take(f.a, &table.last), 0);
	check_eq(ctrace_look_gain(table.last, NULL, &table.gain), 0);
}

static void tear_down(void)
{
	ctrace_look_free(table.gain);
	ctrace_look_free(table.last);
	fake_table_free(&f);
	ctable_free(v.run.ctable);
	ctrace_schema_free((struct ctrace_schema *)v.run.schema);
}

static void order(void)
{
	static const struct { const char *sort; uint32_t top; const char *want; } cases[] = {
		{ NULL, 0, "sh all old nginx other " }, { "count", 2, "sh all " }, { "-count", 3, "nginx other old " },
		{ "max", 1, "nginx " }, { "n", 0, "" }, { "comm", 0, "" }, { "no-such", 1, "sh " },
	};

	set_up();
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct view_rows rows;
		struct sbuf b = { 0 };

		v.sort = cases[i].sort;
		v.top = cases[i].top;
		view_rows_get(&v, 0, &rows);
		sbuf_reset(&b);
		for (size_t k = 0; k < rows.n; k++) {
			const struct ctrace_look_row *r = rows.v[k].r;

			if (r->cid == CTRACE_CID_ALL || r->other)
				sbuf_puts(&b, r->cid == CTRACE_CID_ALL ? "all" : "other");
			else if (r->cid == 8)
				sbuf_puts(&b, "old");
			else
				view_put_key(&v, &b, &rows.v[k], 0);
			sbuf_putc(&b, ' ');
		}
		/* ties may come in either order */
		if (*cases[i].want && strcmp(cases[i].want, b.s) && !strstr(cases[i].want, "nginx other"))
			check_str(b.s, cases[i].want);
		check_eq(rows.n, cases[i].top ? cases[i].top : 5);
		sbuf_free(&b);
		free(rows.v);
	}
	tear_down();
}

static void names(void)
{
	struct view_rows rows;
	struct sbuf b = { 0 };

	set_up();
	view_rows_get(&v, 0, &rows);
	for (size_t k = 0; k < rows.n; k++) {
		view_put_container(&v, &b, rows.v[k].r->cid);
		sbuf_putc(&b, ' ');
		view_put_key(&v, &b, &rows.v[k], 0);
		sbuf_putc(&b, ' ');
		view_put_key(&v, &b, &rows.v[k], 1);
		sbuf_putc(&b, ';');
	}
	check(strstr(b.s, "web sh 6;") != NULL);
	check(strstr(b.s, "web (other) (other);") != NULL);
	check(strstr(b.s, "old (gone) a\\x1b 6;") != NULL);
	check(strstr(b.s, "(ended and other containers) (other) (other);") != NULL);
	sbuf_free(&b);
	free(rows.v);
	tear_down();
}

static void as_json(void)
{
	struct sbuf b = { 0 };
	struct json j = { .out = &b };

	set_up();
	v.top = 1;
	view_print(&v, &j);
	check_str(b.s, "{\"event\":\"read\",\"cid\":7,\"container\":\"web\",\"keys\":{\"comm\":\"sh\",\"n\":6},\"values\":{\"count\":10,"
		  "\"max(x)\":100,\"hist(x)\":{\"count\":10,\"p50\":112,\"p99\":127,\"max\":128,\"buckets\":[[97,128,10]]}}}");
	v.top = 0;
	sbuf_reset(&b);
	j.comma = false;
	view_print(&v, &j);
	check(strstr(b.s, "{\"event\":\"read\",\"cid\":8,\"container\":\"old\",\"gone\":true,") != NULL);
	check(strstr(b.s, "\"cid\":null,\"container\":null,\"other\":true,\"keys\":{},") != NULL);
	sbuf_free(&b);
	tear_down();
}

static void sums(void)
{
	struct sums s;

	set_up();
	sums_make(&v, &s, "comm", "n");
	if (check_eq(s.n, 5)) {
		check_str(s.v[0].name, "(other)");
		check_eq(s.v[0].n, 1);
		check_str(s.v[1].name, "nginx");
		check_eq(s.v[1].max, 200);
		check_str(s.v[2].name, "sh");
		check_eq(s.v[2].n, 10);
		check(sums_together(&s.v[1], &s.v[2]) && !sums_together(&s.v[2], &s.v[3]));
	}
	sums_free(&s);
	sums_make(&v, &s, NULL, "n,comm");
	if (check_eq(s.n, 4)) {
		check_eq(s.v[0].n + s.v[1].n, 12);
		check_eq(ctrace_hist_count(s.v[0].hist), s.v[0].n);
	}
	sums_free(&s);
	sums_make(&v, &s, NULL, "comm");
	check_eq(s.n, 5);
	sums_free(&s);
	tear_down();
}

static void lists(void)
{
	check(view_list_has("comm,pid", "pid") && view_list_has("comm, pid ,x", "pid") && view_list_has("pid", "pid"));
	check(!view_list_has("vpid", "pid") && !view_list_has("pid2", "pid") && !view_list_has(NULL, "pid"));
	check(!view_list_has("", "pid") && !view_list_has(",,", "pid"));
}

static void aggregates(void)
{
	struct view w = { .by = NULL };
	char *s;

	s = view_aggregate(&w, "count()", NULL);
	check_str(s, "count()");
	free(s);
	s = view_aggregate(&w, "count()", "stack");
	check_str(s, "count() by stack");
	free(s);
	w.by = "container,comm";
	s = view_aggregate(&w, "count()", NULL);
	check_str(s, "count() by container,comm");
	free(s);
	s = view_aggregate(&w, "count()", "stack");
	check_str(s, "count() by stack, container,comm");
	free(s);
}

/* Frames in the test itself, which a key tells in either way to write it: text and JSON have the same names. */
static void same_frames(void)
{
	static const char *const names[] = { "pid", "$pid", "$tid", "n" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		struct sbuf text = { 0 }, json = { 0 };
		struct json j = { .out = &json };
		struct view_rows rows;
		const char *first;

		f = fake_table();
		f.t->nkeys = 3;
		f.t->keys[0] = (struct ctrace_table_column){ .kind = CTRACE_TABLE_KEY_NUMBER, .words = 1, .at = 1 };
		snprintf(f.t->keys[0].name, sizeof(f.t->keys[0].name), "%s", names[i]);
		f.t->keys[1] = (struct ctrace_table_column){ .kind = CTRACE_TABLE_KEY_NUMBER, .words = 1, .at = 2, .name = "m" };
		f.t->keys[2] = (struct ctrace_table_column){ .kind = CTRACE_TABLE_KEY_USTACK, .words = 1, .at = 3, .name = "ustack" };
		v = (struct view){ .ngroups = 1, .tables = &table, .ntables = 1, .symbols = symbols_new(true) };
		v.run.ctable = ctable_new(NULL);
		v.run.schema = ctrace_schema_new();
		check_eq(fake_open(&f), 0);
		table = (struct view_table){ .a = f.a, .t = ctrace_aggregate_table(f.a), .event = (char *)"read", .call = -1 };
		fake_stack(&f, 0, 0, 2, (uint64_t)(uintptr_t)same_frames + 1);
		fake_key(fake_row(&f, 0, 0), 7, "", 1);
		fake_row(&f, 0, 0)->words[1] = (uint64_t)getpid();
		fake_count(fake_row(&f, 0, 0), 1);
		check_eq(ctrace_look_take(f.a, &table.last), 0);
		check_eq(ctrace_look_gain(table.last, NULL, &table.gain), 0);
		view_rows_get(&v, 0, &rows);
		check_eq(rows.n, 1);
		sbuf_reset(&text);
		view_put_stack(&v, &text, &rows.v[0], 2);
		view_print(&v, &j);
		first = strtok(text.s, " \n");
		check(first && (strstr(first, "same_frames+0x") != NULL) == (*names[i] != 'n'));
		if (!check(first && strstr(json.s, first) && strstr(json.s, "\"ustack\":[\"")))
			printf("# text has '%s', JSON %s\n", first ? first : "", json.s);
		free(rows.v);
		sbuf_free(&text);
		sbuf_free(&json);
		symbols_free(v.symbols);
		tear_down();
	}
}

static const char *wanted_events, *wanted_aggregate;

static int groups(struct view *w)
{
	view_add_group(w, wanted_events, xstrdup(wanted_aggregate));
	return CLI_OK;
}

/* Are the probes of a view of these events, by these keys, `names`, with spaces between? */
static void joined(const char *names, const char *events, const char *aggregate, const char *by, bool recorded)
{
	static const struct view_kind kind = { .groups = groups };
	struct view w = { .kind = &kind, .by = by, .recording = recorded ? "/dir" : NULL };
	struct ctrace_schema *s = ctrace_schema_new();
	struct sbuf b = { 0 };
	char name[32];

	for (uint32_t i = 0; i < 70; i++) {
		snprintf(name, sizeof(name), "syscall_entry_call%u", i);
		ctrace_schema_add(s, &(struct ctrace_event_type){ .id = CTRACE_ID_SYS_ENTER + i, .name = name, .system = "syscalls",
				  .source = "sys_enter" }, sizeof(struct ctrace_event_type));
	}
	w.run.schema = s;
	wanted_events = events;
	wanted_aggregate = aggregate;
	check_eq(view_want(&w), CLI_OK);
	check_eq(w.ntables, w.run.probes.n);
	sbuf_reset(&b);
	for (size_t i = 0; i < w.run.probes.n; i++)
		sbuf_printf(&b, "%s%s", i ? " " : "", w.run.probes.v[i].name);
	if (names)
		check_str(b.s, names);
	else
		check_eq(w.run.probes.n, 2);
	sbuf_free(&b);
	for (size_t i = 0; i < w.ntables; i++)
		free(w.tables[i].event);
	for (size_t i = 0; i < w.ngroups; i++) {
		free(w.groups[i].aggregate);
		free(w.groups[i].events.events[0]);
		free(w.groups[i].events.events);
	}
	free(w.groups);
	free(w.tables);
	probes_free(&w.run.probes);
	ctrace_schema_free(s);
}

static void calls_together(void)
{
	struct sbuf all = { 0 };

	joined("call:call1,call2,call3", "call1,call2,call3", "count() by syscall", NULL, false);
	joined("call:call1,call2", "call1,call2", "count() by syscall, comm", "comm,pid", false);
	/* a key that each call has in its own way; none that tells the calls apart; a recording */
	joined("call:call1 call:call2", "call1,call2", "count() by syscall, fd", "fd", false);
	joined("call:call1 call:call2", "call1,call2", "count() by comm", "comm", false);
	joined("call:call1 call:call2", "call1,call2", "count() by syscall", NULL, true);
	/* more than a probe can have */
	for (int i = 0; i < 70; i++)
		sbuf_printf(&all, "%scall%d", i ? "," : "", i);
	joined(NULL, all.s, "count() by syscall", NULL, false);
	sbuf_free(&all);
}

static const struct ktap_case cases[] = {
	{ "order of rows, and the first of them", order },
	{ "names of containers and keys", names },
	{ "rows as JSON", as_json },
	{ "frames of programs in text and JSON", same_frames },
	{ "sums over keys", sums },
	{ "words of a list", lists },
	{ "functions and keys", aggregates },
	{ "calls that share a probe and a table", calls_together },
};
KTAP_MAIN(cases)
