// SPDX-License-Identifier: GPL-2.0-only
/*
 * The page of 'ctrace report --html': its numbers are those that 'report --summary' and 'why' print, and those that the
 * test recorded; its length is bounded; names in it are text, whatever they are. The program itself writes it, compiled with
 * the checks of these tests. With KEEP=1 and TMPDIR, the recording of 'incident' stays for selftests/page.
 */
#include <json-c/json.h>
#include "page_recording.h"
#include "text_look.h"

#define PAGE_MOST	24000000u
#define BINS		600

/* The output of the program; words: of a shell, $D is the recording. The caller frees it. */
static char *says(const char *words, int want)
{
	char *cmd = xasprintf("%s %s 2>/dev/null", CTRACE, words), *text = NULL;
	size_t len = 0, cap = 0, n;
	FILE *p;

	setenv("D", dir, 1);
	p = popen(cmd, "r");
	do {
		cap = 2 * cap + 65536;
		text = realloc(text, cap);
		n = fread(text + len, 1, cap - 1 - len, p);
		len += n;
	} while (n);
	text[len] = '\0';
	check_eq(strlen(text), len);
	n = (size_t)pclose(p);
	if (want >= 0 && !check_eq(n, (size_t)want * 256))
		printf("# %s\n", cmd);
	free(cmd);
	return text;
}

/* The data in the page, as the browser finds it: up to the end of its element. */
static struct json_object *data_of(const char *page)
{
	static const char head[] = "<script type=\"application/json\" id=\"data\">";
	const char *at = strstr(page, head), *end = at ? strstr(at, "</script>") : NULL;
	struct json_tokener *tok = json_tokener_new_ex(64);
	struct json_object *o = NULL;

	if (check(end != NULL)) {
		at += strlen(head);
		o = json_tokener_parse_ex(tok, at, (int)(end - at));
		check_eq(json_tokener_get_error(tok), json_tokener_success);
		check_eq((size_t)json_tokener_get_parse_end(tok), (size_t)(end - at));
	}
	json_tokener_free(tok);
	return o;
}

static struct json_object *page_data(const char *options)
{
	char *words = xasprintf("report --html - \"$D\" %s", options), *text = says(words, 0);
	struct json_object *o = data_of(text);

	/* a frame, one script that runs, and the data */
	check_eq(times(text, "<script"), 2);
	check_eq(times(text, "</script"), 2);
	check_eq(times(text, "<style>"), 1);
	check(strstr(text, "default-src 'none'; script-src 'sha256-") != NULL);
	check(strlen(text) < PAGE_MOST);
	free(words);
	free(text);
	return o;
}

static const char *text_of(struct json_object *o)
{
	return json_object_get_string(o) ?: "";
}

static struct json_object *get(struct json_object *o, const char *key)
{
	struct json_object *v = NULL;

	return o && json_object_object_get_ex(o, key, &v) ? v : NULL;
}

static int64_t number(struct json_object *o, const char *part, const char *key)
{
	return json_object_get_int64(get(part ? get(o, part) : o, key));
}

static size_t length(struct json_object *list)
{
	return list ? (size_t)json_object_array_length(list) : 0;
}

static struct json_object *nth(struct json_object *list, size_t i)
{
	return i < length(list) ? json_object_array_get_idx(list, i) : NULL;
}

/* Of a list of numbers, in which -N stands for N zeros. It has a number for each part of time. */
static int64_t sum(struct json_object *list)
{
	int64_t n = 0, parts = 0;

	for (size_t i = 0; i < length(list); i++) {
		int64_t v = json_object_get_int64(nth(list, i));

		n += v > 0 ? v : 0;
		parts += v < 0 ? -v : 1;
	}
	check(!list || parts == BINS);
	return n;
}

/* Every `size`th number, from the first on. */
static int64_t sum_of(struct json_object *list, size_t first, size_t size)
{
	int64_t n = 0;

	for (size_t i = first; i < length(list); i += size)
		n += json_object_get_int64(nth(list, i));
	return n;
}

static struct json_object *container(struct json_object *o, uint32_t cid)
{
	struct json_object *list = get(o, "containers");

	for (size_t i = 0; i < length(list); i++) {
		struct json_object *c = nth(list, i);

		if (get(c, "name") && number(c, NULL, "cid") == cid)
			return c;
	}
	return NULL;
}

/* --- as other commands say -------------------------------------------------------------- */

static const struct {
	const char *series, *part, *key;
} same[] = {
	{ "ran", "sched_run", "total" }, { "waited", "sched_wait", "total" }, { "throttled", "cpu_throttled", "total" },
	{ "calls", "calls", "count" }, { "failed", "calls", "errors" }, { "requests", "block_io", "count" },
	{ "bytes", "block_io", "bytes" }, { "ended", "tcp_life", "count" }, { "sent", "tcp_life", "tx_bytes" },
	{ "received", "tcp_life", "rx_bytes" },
};

/* All numbers of a container: those of the summary, and their parts of time, which add up to them. */
static void check_container(struct json_object *c, struct json_object *row)
{
	struct json_object *series = get(c, "series"), *calls = get(c, "calls");
	int64_t n = 0, failed = 0, ns = 0;

	check_str(json_object_to_json_string(get(c, "row")), json_object_to_json_string(row));
	for (size_t i = 0; i < ARRAY_SIZE(same); i++)
		if (get(row, same[i].part) &&
		    !check_eq(sum(get(series, same[i].series)), number(row, same[i].part, same[i].key)))
			printf("# %s of %s\n", same[i].series, json_object_get_string(get(c, "name")));
	for (size_t i = 0; i < length(calls); i++) {
		struct json_object *cells = get(nth(calls, i), "cells");

		n += sum_of(cells, 1, 5);
		failed += sum_of(cells, 2, 5);
		ns += sum_of(cells, 3, 5);
	}
	check_eq(n, number(row, "calls", "count"));
	check_eq(failed, number(row, "calls", "errors"));
	check_eq(ns, number(row, "calls", "total"));
	check_eq(sum_of(get(get(c, "heat"), "calls"), 2, 3), n);
	check_eq(sum_of(get(get(c, "heat"), "disk"), 2, 3), number(row, "block_io", "count"));
}

static void check_summary(struct json_object *page)
{
	char *text = says("report --summary --json \"$D\"", 0);
	struct json_object *o = json_tokener_parse(text), *rows = get(o, "rows");

	check_eq(number(page, "summary", "events"), number(o, NULL, "events"));
	check(length(rows) > 0);
	for (size_t i = 0; i < length(rows); i++) {
		struct json_object *row = nth(rows, i);
		struct json_object *c = container(page, (uint32_t)number(row, NULL, "cid"));

		if (check(c != NULL))
			check_container(c, row);
	}
	json_object_put(o);
	free(text);
}

static void summary(void)
{
	struct json_object *o;

	for (uint64_t s = 21; s < 24; s++) {
		run_machine(s);
		o = page_data("");
		check_summary(o);
		for (uint32_t cid = 1; cid <= CIDS; cid++) {
			struct json_object *c = container(o, cid);

			/* what has not returned is no call yet: two tasks of each container */
			check_eq(sum(get(get(c, "series"), "calls")),
				 (int64_t)must.calls[cid] - in_call[2 * cid - 1] - in_call[2 * cid]);
			check_eq(sum(get(get(c, "series"), "failed")), (int64_t)must.failed[cid]);
			check_eq(sum(get(get(c, "series"), "requests")), (int64_t)must.ios[cid]);
		}
		json_object_put(o);
		remove_all();
	}
}

/* The same sentences as the command prints. */
static void check_why(struct json_object *page, uint32_t cid, const char *options)
{
	char *words = xasprintf("why %u --json --input \"$D\" %s", cid, options), *text = says(words, 0);
	struct json_object *o = json_tokener_parse(text), *rows = get(o, "rows"), *c = container(page, cid);

	if (check(length(rows) == 1 && c))
		check_str(json_object_to_json_string(get(c, "why")),
			  json_object_to_json_string(nth(rows, 0)));
	json_object_put(o);
	free(text);
	free(words);
}

/* Who had the CPU while it waited: as blame says, in all. */
static void check_blame(struct json_object *page)
{
	char *text = says("blame --json --input \"$D\" all", 0);
	struct json_object *o = json_tokener_parse(text), *rows = get(o, "rows"), *list = get(page, "blame");
	int64_t waited = 0, parts = 0;

	for (size_t i = 0; i < length(rows); i++)
		waited += number(nth(rows, i), NULL, "waited");
	for (size_t i = 0; i < length(list); i++)
		parts += sum(get(nth(list, i), "ns"));
	check(waited > 0);
	check_eq(parts, waited);
	json_object_put(o);
	free(text);
}

static void incident(void)
{
	struct json_object *o, *list, *e;
	int64_t observer, worst = 0;

	record_incident(1);
	o = page_data("");
	check_summary(o);
	for (uint32_t cid = WEB; cid <= EVIL; cid++)
		check_why(o, cid, "");
	check_blame(o);
	/* the one in trouble is first, and the host last */
	list = get(o, "containers");
	check_str(text_of(get(nth(list, 0), "name")), "batch");
	check_str(text_of(get(nth(list, length(list) - 1), "name")), "host");
	/* ctrace's own share of it is marked */
	observer = sum(get(get(container(o, CTRACE_CID_HOST), "series"), "observer"));
	check_eq(observer, 300 * (int64_t)MSEC);
	/* the longest waits are kept, with who had the CPU, and each failure has its error and path */
	list = get(o, "events");
	for (size_t i = 0; i < length(list); i++) {
		e = nth(list, i);
		if (strcmp(text_of(get(e, "kind")), "wait") || number(e, NULL, "ns") <= worst)
			continue;
		worst = number(e, NULL, "ns");
		check_str(text_of(get(e, "text")), "db, postgres had it for 16.0ms");
	}
	check_eq(worst, 16 * (int64_t)MSEC);
	e = nth(get(container(o, WEB), "fails"), 0);
	check_str(text_of(get(e, "call")), "openat");
	check_str(text_of(get(e, "errno")), "ENOENT");
	check_str(text_of(get(e, "where")), "/etc/nginx.conf");
	check_eq(number(e, NULL, "n"), 43);
	json_object_put(o);
	/* of a part, too; there it is web that is held up */
	o = page_data("--from +3s --to +4s");
	for (uint32_t cid = WEB; cid <= EVIL; cid++)
		check_why(o, cid, "--from +3s --to +4s");
	check_eq(number(o, "time", "ns"), (int64_t)NSEC_PER_SEC);
	json_object_put(o);
	remove_all();
}

static void compared(void)
{
	char old[sizeof(dir)], *text;
	struct json_object *o, *page;

	record_incident(1);
	memcpy(old, dir, sizeof(old));
	record_incident(2);
	setenv("OLD", old, 1);
	page = page_data("--diff \"$OLD\"");
	text = says("diff --json \"$OLD\" \"$D\"", 0);
	o = json_tokener_parse(text);
	check_str(json_object_to_json_string(get(page, "diff")), json_object_to_json_string(o));
	json_object_put(page);
	json_object_put(o);
	free(text);
	text = says("report --diff \"$OLD\" \"$D\"", 2);
	free(text);
	remove_all();
	memcpy(dir, old, sizeof(old));
	remove_all();
}

/* --- hostile, long, torn --- */

static void hostile_names(void)
{
	static const char *const forbidden[] = { "<!--", "\342\200\250", "\342\200\256", "<b>" };
	struct json_object *o;
	char *text;

	record_incident(1);
	o = page_data("");
	check_str(text_of(get(get(container(o, EVIL), "row"), "container")), EVIL_NAME);
	json_object_put(o);
	text = says("report --html - \"$D\"", 0);
	for (size_t i = 0; i < ARRAY_SIZE(forbidden); i++)
		if (!check(!strstr(text, forbidden[i])))
			printf("# it has '%s'\n", forbidden[i]);
	check(!strstr(text, "alert(1)") || strstr(text, "\\u003cscript>alert(1)"));
	free(text);
	remove_all();
}

/* Ten times as long, and more containers and files than are told apart: the page hardly grows. */
static void bounded(void)
{
	struct json_object *o, *list;
	size_t frames = 0;
	char name[64];

	begin_with(3, page_types());
	for (uint32_t cid = 5; cid < 80; cid++) {
		snprintf(name, sizeof(name), "box-%u", cid);
		ctable_add(table, &(struct ctrace_container){ .cid = cid, .path = "/x" }, name, "podman", true);
	}
	ctf_containers(ctf);
	for (int i = 0; i < 60000; i++) {
		uint64_t t = BEGAN + (uint64_t)i * MSEC;
		uint32_t cid = 5 + draw(75);

		snprintf(name, sizeof(name), "/tmp/%u", draw(100000));
		does_run(t, t + 300000, cid, 100 + (int32_t)cid, "work");
		does_open(t, t + 1 + (1u << draw(28)), cid, 100 + (int32_t)cid, name, draw(2) ? 3 : -2);
		does_sample(t, cid, 100 + (int32_t)cid, draw(60000));
	}
	write_kept();
	end("{\"began\":1000000000000,\"events\":[{\"name\":\"sched_run\"},{\"name\":\"calls\"},{\"name\":\"sample:99\"}]}\n");
	o = page_data("");
	list = get(o, "containers");
	check_eq(length(list), 25);
	check_eq(number(nth(list, 24), NULL, "others"), 75 - 24);
	check_eq(sum(get(get(nth(list, 24), "series"), "calls")) > 0, 1);
	for (size_t i = 0; i < length(list); i++) {
		check(length(get(nth(list, i), "fails")) <= 32);
		frames += length(get(nth(list, i), "flame"));
	}
	check(frames > 10000 && frames <= 16384);
	check(length(get(o, "events")) <= 4000);
	check(number(o, NULL, "events_left_out") > 0);
	json_object_put(o);
	remove_all();
}

static void torn(void)
{
	char path[128], *text;
	struct json_object *o;
	struct stat st;

	record_incident(7);
	snprintf(path, sizeof(path), "%s/shared_0", dir);
	check_eq(stat(path, &st), 0);
	for (off_t size = st.st_size - 1; size >= 0; size -= 1 + (off_t)draw(500000)) {
		check_eq(truncate(path, size), 0);
		text = says("report --html - \"$D\"", size ? 1 : 0);
		o = data_of(text);
		check(!size || get(get(o, "lost"), "file"));
		json_object_put(o);
		free(text);
	}
	remove_all();
}

/* Any bytes may be in a file: the sanitizer watches, and what is written is well formed. */
static void spoilt(void)
{
	char path[128], byte, *text;
	FILE *f;

	for (uint64_t s = 0; s < 10; s++) {
		record_incident(10 + s);
		snprintf(path, sizeof(path), "%s/shared_0", dir);
		f = fopen(path, "r+");
		for (uint32_t i = 0; i < 40; i++) {
			fseek(f, draw(5) ? 80 + 8 * draw(20000) + 8 + draw(6) : draw(90), SEEK_SET);
			byte = (char)draw(256);
			fwrite(&byte, 1, 1, f);
		}
		fclose(f);
		text = says("report --html - \"$D\"", -1);
		json_object_put(data_of(text));
		free(text);
		remove_all();
	}
}

/* A call whose return was lost, and the return of another one whose entry was: nothing is known of either. */
static void halves(void)
{
	struct json_object *o, *calls;
	struct made m;

	begin_with(23, machine_types());
	make_read(&m, 1000000, 1, 101);
	add(0, &m);
	make_exit(&m, 2000000, 257, 1, 101, 3);
	add(0, &m);
	make_read(&m, 3000000, 1, 101);
	add(0, &m);
	make_exit(&m, 4000000, 0, 1, 101, 3);
	add(0, &m);
	end(NULL);
	o = page_data("");
	calls = get(container(o, 1), "calls");
	check_eq(length(calls), 1);
	check_str(text_of(get(nth(calls, 0), "name")), "read");
	check_eq(sum_of(get(nth(calls, 0), "cells"), 1, 5), 1);
	json_object_put(o);
	remove_all();
}

static void nothing(void)
{
	struct json_object *o;

	begin_with(1, page_types());
	end(NULL);
	o = page_data("");
	check_eq(length(get(o, "containers")), 0);
	json_object_put(o);
	remove_all();
}

static const struct ktap_case cases[] = {
	{ "numbers are those of report --summary, and of the machine", summary },
	{ "verdicts are those of why, culprits those of blame; what is first", incident },
	{ "compared with an earlier one as diff does", compared },
	{ "names are text", hostile_names },
	{ "bounded", bounded }, { "torn", torn }, { "spoilt", spoilt }, { "halves", halves },
	{ "nothing", nothing },
};
KTAP_MAIN(cases)
