// SPDX-License-Identifier: GPL-2.0-only
/*
 * What ctrace watch needs no kernel for: each kind of mistake in its configuration is named with its line; names of
 * containers become names of directories; quotas and rates; the directory of dumps with what a killed watch left.
 */
#include <errno.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/cli.h"
#include "ktap.h"
#include "watch/store.h"

#define SEC	NSEC_PER_SEC

bool cli_json;

int cli_vreport(int status, const char *fmt, va_list ap)
{
	(void)fmt;
	(void)ap;
	return status;
}

/* --- the configuration ------------------------------------------------------------------- */

static struct mistakes found;

static struct watch_config *conf(const char *text)
{
	sbuf_free(&found.b);
	found = (struct mistakes){ 0 };
	return watch_config_parse("f", text, strlen(text), &found);
}

static void good(void)
{
	struct watch_config *c = conf("# a comment\n\n[recorder]\r\n"
				      "memory = 128M\n containers = 40 \nseconds=20\nevents = calls, sched_wait if duration > 5\n"
				      "samples = 49\nneighbours = no\nrate = 2 per 10m\nrate_all = none\nquota = 2G\nkeep = always\n"
				      "at_once = 3\nlook = 5s\ndirectory = /x\non_dump = a = b # c\non_dump_time = 3s\nreport_time = 1m\n"
				      "; another\n"
				      "ended = any\noom = yes\noom = no\nthrottled = 12.5%\npressure = io full 3%\n"
				      "call = 1s\ncall = fsync, openat 20ms [only = a[bc]*, seconds = 5, neighbours = yes, rate = 1 per hour]\n"
				      "span = sched_wait,block_io 100ms\nevent = sched_process_exec if filename ~ \"*[ab]\"\n");

	check_eq(found.n, 0);
	check_eq(c->memory, 128ull << 20);
	check_eq(c->containers, 40);
	check_eq(c->seconds, 20 * SEC);
	check_str(c->events, "calls, sched_wait if duration > 5");
	check_eq(c->rate.n, 2);
	check_eq(c->rate.every, 600 * SEC);
	check_eq(c->rate_all.n, 0);
	check_eq(c->quota, 2ull << 30);
	check_eq(c->keep, 0);
	check_eq(c->at_once, 3);
	check_eq(c->look, 5 * SEC);
	check_str(c->dir, "/x");
	check_str(c->on_dump, "a = b # c");
	check_eq(c->report_time, 60 * SEC);
	/* "oom = no" is none */
	if (!check_eq(c->ntriggers, 8))
		goto out;
	check(c->triggers[0].kind == TRIGGER_ENDED && c->triggers[0].any);
	check_eq(c->triggers[0].seconds, 20 * SEC);
	check_eq(c->triggers[0].rate.every, 600 * SEC);
	check(c->triggers[2].kind == TRIGGER_THROTTLED && c->triggers[2].percent == 12.5);
	check(c->triggers[3].resource == PRESSURE_IO && c->triggers[3].full);
	check_str(c->triggers[4].events, "calls");
	check_eq(c->triggers[4].duration, SEC);
	check_str(c->triggers[5].events, "fsync,openat");
	check_eq(c->triggers[5].duration, SEC / 50);
	check_eq(c->triggers[5].seconds, 5 * SEC);
	check(c->triggers[5].neighbours);
	check_eq(c->triggers[5].rate.every, 3600 * SEC);
	check_str(c->triggers[6].events, "sched_wait,block_io if duration >= 100000000");
	check_str(c->triggers[7].events, "sched_process_exec if filename ~ \"*[ab]\"");
	check_eq(c->nrecords, 4);
out:
	watch_config_free(c);
}

static void globs(void)
{
	/* the last '[' opens the options, so a glob with brackets stands in none */
	struct watch_config *c = conf("[recorder]\nended = failed [only = web-*]\n");

	check_eq(found.n, 0);
	check_str(c->triggers[0].only, "web-*");
	watch_config_free(c);
}

static void mistakes(void)
{
	static const struct { const char *line, *says; } all[] = {
		{ "memory = 1K", "memory: 1K is not between" },
		{ "memory = much", "'much' is no size" },
		{ "memory = -1", "'-1' is no size" },
		{ "containers = 0", "not a number from 1 to 4096" },
		{ "containers = 4097", "not a number from 1 to 4096" },
		{ "seconds = 0", "no time" },
		{ "seconds = 2h", "not between 1s and" },
		{ "seconds = soon", "'soon' is no time" },
		{ "secnds = 3", "did you mean 'seconds'?" },
		{ "neighbours = maybe", "neither yes nor no" },
		{ "rate = 1", "is no rate" },
		{ "rate = 0 per minute", "is no rate" },
		{ "rate = 1 per fortnight", "is no rate" },
		{ "rate = 1 per minute please", "is no rate" },
		{ "quota = 1K", "not between" },
		{ "keep = never", "no time" },
		{ "at_once = 99", "not a number" },
		{ "directory = here", "does not begin with '/'" },
		{ "directory = /", "does not begin with '/'" },
		{ "memory =", "has no value" },
		{ "memory", "is no line" },
		{ "[metrics]", "no section is called [metrics]" },
		{ "[recorder", "a section is" },
		{ "[recorder] x", "a section is" },
		{ "[recorder]", "a second time" },
		{ "ended = maybe", "neither failed nor any" },
		{ "oom = perhaps", "neither yes nor no" },
		{ "throttled = 0%", "is not a share" },
		{ "throttled = 101%", "is not a share" },
		{ "throttled = nan%", "is not a share" },
		{ "throttled = 1e", "is not a share" },
		{ "pressure = cpu", "write 'pressure" },
		{ "pressure = net some 4%", "not cpu, memory or io" },
		{ "pressure = cpu most 4%", "not some or full" },
		{ "call = fsync", "'fsync' is no time" },
		{ "call = fsync 1ns", "not between" },
		{ "span = 1s", "span: which?" },
		{ "ended = failed [foo]", "is no option of a trigger" },
		{ "ended = failed [foo = 1]", "a trigger has no option 'foo'" },
		{ "ended = failed [only = ]", "a trigger has no option 'only'" },
		{ "ended = failed [seconds = 0]", "no time" },
		{ "ended = failed ]", "']' without ' ['" },
		{ "event = a\x1b[31m \x80 if b =", "" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		char *text = xasprintf("[recorder]\n\n%s\nsamples = 4\n", all[i].line);
		struct watch_config *c = conf(text);

		if (*all[i].says && !check_eq(found.n, 1))
			printf("# '%s' says: %s", all[i].line, found.b.s);
		else if (*all[i].says) {
			if (!check(!strncmp(found.b.s, "f:3: ", 5)) || !check(strstr(found.b.s, all[i].says)))
				printf("# '%s' says: %s", all[i].line, found.b.s);
		}
		/* it goes on behind the mistake */
		if (c->samples != 4)
			check(*all[i].line == '[');
		watch_config_free(c);
		free(text);
	}
}

static void more_mistakes(void)
{
	struct watch_config *c;
	struct sbuf b = { 0 };

	c = conf("memory = 64M\n");
	check_eq(found.n, 2);	/* no section, and nothing to do */
	check(strstr(found.b.s, "f:1: 'memory' stands in no section"));
	watch_config_free(c);
	c = conf("[recorder]\nmemory = 64M\nmemory = 65M\n");
	check(strstr(found.b.s, "f:3: 'memory' stands on line 2 already"));
	watch_config_free(c);
	c = conf("[recorder]\na\x1b[31m\xff = 1\n");
	check(found.b.s && !strchr(found.b.s, '\x1b') && !strchr(found.b.s, '\xff'));
	watch_config_free(c);

	sbuf_free(&found.b);
	found = (struct mistakes){ 0 };
	c = watch_config_parse("f", "[recorder]\nab\0c\n", 17, &found);
	check(found.n == 1 && strstr(found.b.s, "f:2: this line has a NUL"));
	watch_config_free(c);

	sbuf_puts(&b, "[recorder]\non_dump = ");
	for (int i = 0; i < 5000; i++)
		sbuf_putc(&b, 'x');
	c = conf(b.s);
	check(found.n == 1 && strstr(found.b.s, "longer than 4096"));
	watch_config_free(c);
	sbuf_reset(&b);
	sbuf_puts(&b, "[recorder]\n");
	for (int i = 0; i < 9; i++)
		sbuf_puts(&b, "call = 1s\n");
	c = conf(b.s);
	check(found.n == 1 && strstr(found.b.s, "f:10: more than 8 triggers of calls"));
	watch_config_free(c);
	sbuf_reset(&b);
	sbuf_puts(&b, "[recorder]\n");
	for (int i = 0; i < 70; i++)
		sbuf_puts(&b, "ended = failed\n");
	c = conf(b.s);
	check(found.n == 6 && strstr(found.b.s, "f:66: more than 64 triggers"));
	watch_config_free(c);
	/* so many mistakes that not all are told */
	sbuf_reset(&b);
	for (int i = 0; i < 1000; i++)
		sbuf_puts(&b, "x\n");
	c = conf(b.s);
	check_eq(found.n, 1001);
	check(found.b.len < 100 * 80);
	watch_config_free(c);
	sbuf_free(&b);
	sbuf_free(&found.b);
	found = (struct mistakes){ 0 };
	c = watch_config_read("/nonexistent/watch.conf", &found);
	check(found.n == 1 && strstr(found.b.s, "cannot read it: No such file"));
	watch_config_free(c);
	sbuf_free(&found.b);
}

/* --- names ------------------------------------------------------------------------------------- */

static void clean(void)
{
	static const struct { const char *name, *is; } all[] = {
		{ "web", "web" }, { "", "_" }, { "..", "_." }, { "-rf", "_rf" }, { "a/../../b", "a_.._.._b" },
		{ "a b\n\x1b[31m", "a_b___31m" }, { "\xc3\xa9", "__" }, { ".hidden", "_hidden" }, { "k8s_a-b.c", "k8s_a-b.c" },
	};
	struct sbuf b = { 0 };
	char longer[300];

	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		sbuf_reset(&b);
		store_clean(&b, all[i].name);
		check_str(b.s, all[i].is);
	}
	memset(longer, 'x', sizeof(longer));
	longer[sizeof(longer) - 1] = '\0';
	sbuf_reset(&b);
	store_clean(&b, longer);
	check_eq(b.len, WATCH_NAME_MAX);
	sbuf_free(&b);

	check(store_is_id("20261130T010203.004-web-exit-3"));
	check(!store_is_id(""));
	check(!store_is_id(".."));
	check(!store_is_id(".new-2026"));
	check(!store_is_id("2026/../../etc"));
	check(!store_is_id("2 x"));
	check(!store_is_id("web"));
	check(!store_is_id(longer));
}

/* --- rates, quotas --------------------------------------------------------------------------- */

static void rates(void)
{
	const struct rate_limit one = { 2, 10 * SEC }, all = { 5, 100 * SEC }, none = { 0 };
	struct rates r = { 0 };
	enum unwritten why;
	uint64_t now = 7;
	char name[16];

	check(rates_take(&r, "a", &one, &all, now, &why));
	check(rates_take(&r, "a", &one, &all, now + 1, &why));
	check(!rates_take(&r, "a", &one, &all, now + 2, &why));
	check_eq(why, UNWRITTEN_RATE);
	check(rates_take(&r, "b", &one, &all, now + 2, &why));
	/* its time is over */
	check(rates_take(&r, "a", &one, &all, now + 10 * SEC, &why));
	check(rates_take(&r, "c", &none, &all, now + 11 * SEC, &why));
	check(!rates_take(&r, "d", &none, &all, now + 12 * SEC, &why));
	check_eq(why, UNWRITTEN_RATE_ALL);
	/* what was refused by the rate of all was not counted for the name */
	check(!rates_take(&r, "d", &one, &all, now + 12 * SEC, &why));
	check(rates_take(&r, "d", &one, &all, now + 100 * SEC, &why));
	check(rates_take(&r, "d", &one, &all, now + 100 * SEC, &why));
	rates_free(&r);

	/* any number of names takes a bounded memory */
	for (int i = 0; i < 10000; i++) {
		snprintf(name, sizeof(name), "n%d", i);
		check(rates_take(&r, name, &one, &none, now, &why) == (i < (int)RATES_MAX));
	}
	check_eq(r.n, RATES_MAX);
	check(rates_take(&r, "late", &one, &none, now + 10 * SEC, &why));
	check_eq(r.n, 1);
	rates_free(&r);
}

static void excess(void)
{
	struct dump_entry v[] = { { "1", 10, 100 }, { "2", 20, 200 }, { "3", 30, 300 }, { "4", 40, 400 } };
	const struct dumps d = { v, 4, 100 };
	size_t old;

	check_eq(store_excess(&d, 100, 0, 1000, &old), 0);
	check_eq(store_excess(&d, 99, 0, 1000, &old), 1);
	check_eq(old, 0);
	check_eq(store_excess(&d, 70, 0, 1000, &old), 2);
	check_eq(store_excess(&d, 69, 0, 1000, &old), 3);
	check_eq(store_excess(&d, 0, 0, 1000, &old), 4);
	check_eq(store_excess(&d, 100, 500, 800, &old), 2);
	check_eq(old, 2);
	check_eq(store_excess(&d, 40, 500, 800, &old), 3);
	check_eq(old, 2);
	/* the clock was set back */
	check_eq(store_excess(&d, 100, 500, 50, &old), 0);
}

static void account(void)
{
	struct account a = { .written = 3, .notices = 5, .away_ns = 7 }, b = { .written = 1 }, c;
	struct json_object *o, *v;
	struct sbuf text = { 0 };
	struct json j = { .out = &text };

	a.unwritten[UNWRITTEN_SPACE] = 11;
	json_open(&j, NULL, '{');
	account_put(&j, "a", &a, NULL);
	account_put(&j, "since", &a, &b);
	json_close(&j, '}');
	o = json_tokener_parse(text.s);
	check(json_object_object_get_ex(o, "a", &v));
	account_load(&c, v);
	check(!memcmp(&a, &c, sizeof(a)));
	check(json_object_object_get_ex(o, "since", &v));
	account_load(&c, v);
	check_eq(c.written, 2);
	check_eq(c.unwritten[UNWRITTEN_SPACE], 11);
	json_object_put(o);
	account_load(&c, NULL);
	check_eq(c.written, 0);
	o = json_tokener_parse("{\"written\":-4,\"not_written\":[1]}");
	account_load(&c, o);
	check_eq(c.written, 0);
	json_object_put(o);
	sbuf_reset(&text);
	account_words(&text, &a);
	check_str(text.s, "11 without room on the disk");
	sbuf_free(&text);
}

/* --- the directory --------------------------------------------------------------------------- */

static void make(const char *dir, const char *name, size_t bytes)
{
	char *path = xasprintf("%s/%s", dir, name), *file = xasprintf("%s/%s/data", dir, name);
	FILE *f;

	check_eq(mkdir(path, 0700), 0);
	f = fopen(file, "w");
	for (size_t i = 0; f && i < bytes; i++)
		fputc('x', f);
	if (f)
		fclose(f);
	free(path);
	free(file);
}

static void store(void)
{
	char top[] = "/tmp/ctrace-watch-XXXXXX", *dir, *link, *id;
	struct account a = { 0 }, b;
	struct dumps d;
	struct stat st;

	check(mkdtemp(top));
	dir = xasprintf("%s/a/b/dumps", top);
	check_eq(store_list(dir, &d), 0);
	check_eq(d.n, 0);
	check_eq(store_make(dir), 0);
	check_eq(store_make(dir), 0);
	check(!stat(dir, &st) && (st.st_mode & 07777) == 0700);
	/* one that others may look into is closed */
	chmod(dir, 0755);
	check_eq(store_make(dir), 0);
	check(!stat(dir, &st) && (st.st_mode & 07777) == 0700);
	link = xasprintf("%s/link", top);
	check_eq(symlink(dir, link), 0);
	check_eq(store_make(link), -ENOTDIR);

	make(dir, ".new-20260101T000000.000-web-oom", 10);
	make(dir, ".new-20260101T000001.000-web-oom", 10);
	make(dir, "20260101T000002.000-web-oom", 10);
	make(dir, "20260101T000003.000-db-oom", 10);
	make(dir, "strange", 10);
	check_eq(store_remove_unfinished(dir), 2);
	check_eq(store_list(dir, &d), 0);
	check_eq(d.n, 2);
	store_list_free(&d);
	id = store_find(dir, "last");
	check(id);
	free(id);
	id = store_find(dir, "20260101T000003");
	check_str(id, "20260101T000003.000-db-oom");
	free(id);
	check(!store_find(dir, "2026"));
	check(!store_find(dir, ""));
	check(!store_find(dir, "../b"));
	check(!store_find(dir, "strange"));
	store_trim(dir, 0, 0, 0, &a);
	check_eq(a.removed_quota, 2);
	check_eq(store_list(dir, &d), 0);
	check_eq(d.n, 0);
	store_list_free(&d);

	a.unwritten[UNWRITTEN_RATE] = 42;
	check_eq(store_save_state(dir, &a, true), 0);
	usleep(20000);
	store_load_state(dir, &b);
	check_eq(b.unwritten[UNWRITTEN_RATE], 42);
	check(b.away_ns >= 10000000 && b.away_ns < 60 * SEC);
	check_eq(store_remove_tree(top), 0);
	check(access(top, F_OK));
	free(dir);
	free(link);
}

static const struct ktap_case cases[] = {
	{ "a good configuration", good }, { "options behind a trigger", globs }, { "mistakes, each with its line", mistakes },
	{ "mistakes of several lines, and too many", more_mistakes }, { "names of directories", clean },
	{ "rates", rates }, { "which dumps to remove", excess }, { "the account", account },
	{ "the directory of dumps", store },
};
KTAP_MAIN(cases)
