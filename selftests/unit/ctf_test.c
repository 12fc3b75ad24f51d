// SPDX-License-Identifier: GPL-2.0-only
/*
 * Writes a CTF trace with every kind of field, as a recorder does, and has babeltrace2 read it. The text
 * that comes out is the test.
 */
#include "ctf_trace.h"

static const struct ctrace_field all_fields[] = {
	{ "small", CTRACE_FK_UINT, 0, 1 },
	{ "ret", CTRACE_FK_INT, 0, 8 },
	{ "addr", CTRACE_FK_UINT, CTRACE_FD_HEX, 8 },
	{ "comm", CTRACE_FK_TEXT, 0, 16 },
	{ "filename", CTRACE_FK_STRING, 0, 0 },
	{ "vtids", CTRACE_FK_SEQ, 0, 4 },
	{ "odd-name.x", CTRACE_FK_UINT, 0, 2 },
	{ "odd.name-x", CTRACE_FK_INT, 0, 4 },
};
static const struct ctrace_field one_string[] = { { "s", CTRACE_FK_STRING, 0, 0 } };

static const struct ctrace_event_type types[] = {
	{ .id = 2, .name = "all", .system = "test", .nfields = 8, .fields = all_fields },
	{ .id = 3, .name = "none", .system = "test" },
	{ .id = 4, .name = "str", .system = "test", .nfields = 1, .fields = one_string },
	{ .id = 5, .name = "absent", .system = "test", .reason = "not on this kernel" },
};

static void put_all(struct buf *b, uint64_t time)
{
	const uint8_t small = 200;
	const int64_t ret = -2;
	const uint64_t addr = 0xffff888000001000ull;
	const char comm[16] = "a shell";
	const uint32_t vtids[] = { 2, 11, 1 };
	const uint16_t odd = 9;
	const int32_t odd2 = -9;

	begin(b, 2, time);
	put(b, &small, 1, 1);
	put(b, &ret, 8, 8);
	put(b, &addr, 8, 8);
	put(b, comm, 16, 1);
	put(b, "/etc/h\303\251", 9, 1);
	put(b, vtids, sizeof(vtids), 4);
	put(b, &odd, 2, 2);
	put(b, &odd2, 4, 4);
	end(b);
}

static void put_str(struct buf *b, uint64_t time, const char *s)
{
	begin(b, 4, time);
	put(b, s, strlen(s) + 1, 1);
	end(b);
}

/* Makes every possible padding of a last record occur. */
static void write_trace(void)
{
	struct ctrace_ctf_env env = {
		.clock_offset_ns = 1000000000000000000,
		.hostname = "a \"host\"", .kernel_release = "6.1", .kernel_version = "#1 \\",
	};
	struct ctrace_schema *s = ctrace_schema_new();
	struct buf b = { .len = 0 };
	uint64_t seq = 0, time = 1000000001;
	char text[16];
	size_t i, pad;
	FILE *f;

	for (i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		check_eq(ctrace_schema_add(s, &types[i], sizeof(types[i])), 0);
	write_metadata(s, &env);

	f = create(STREAM);
	put_all(&b, time++);
	begin(&b, 3, time++);
	end(&b);
	put_all(&b, time++);
	write_packet(f, s, &b, seq++, 0);
	for (pad = 0; pad < 8; pad++) {
		b.len = 0;
		snprintf(text, sizeof(text), "%.*s", (int)pad, "abcdefgh");
		put_str(&b, time++, text);
		put_str(&b, time++, text);
		write_packet(f, s, &b, seq++, pad == 7 ? 5 : 0);
	}
	fclose(f);
	ctrace_schema_free(s);
}

static void reads_back(void)
{
	static const char all[] =
		"all: { cpu_id = 1, ring_cid = 7 }, { cid = 7, tid = 1234, vtid = 1 }, "
		"{ small = 200, ret = -2, addr = 0xFFFF888000001000, comm = \"a shell\", "
		"filename = \"/etc/h\303\251\", vtids_length = 2, vtids = [ [0] = 11, [1] = 1 ], "
		"odd_name_x = 9, odd_name_x_7 = -9 }\n";
	char *out, *at, *save = NULL, *line;
	unsigned int n = 0;

	if (!have_babeltrace())
		return;
	out = read_trace("--clock-gmt --clock-date");
	check(strstr(out, "[2001-09-09 01:46:41.000000001]"));
	at = strstr(out, all);
	if (!check(at))
		printf("# %s\n", out);
	check(at && strstr(at + 1, all));
	check(strstr(out, "none: { cpu_id = 1, ring_cid = 7 }, { cid = 7, tid = 1234, vtid = 1 }"));
	check(strstr(out, "{ s = \"\" }"));
	check(strstr(out, "{ s = \"abcdefg\" }"));
	check(strstr(out, "racer discarded 5 events"));
	check(!strstr(out, "absent"));
	/* The only warning is that of discarded events. */
	check(!strstr(out, "MEANINGLESS"));
	for (line = strtok_r(out, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		n += line[0] == '[';
	check_eq(n, 3 + 16);
	free(out);
}

static void environment(void)
{
	char *out;

	if (!have_babeltrace())
		return;
	out = read_trace("--component sink.text.details");
	check(strstr(out, "domain: kernel"));
	check(strstr(out, "tracer_name: lttng-modules"));
	check(strstr(out, "tracer_minor: 11"));
	check(strstr(out, "tracer_patchlevel: 0"));
	check(strstr(out, "hostname: a \"host\""));
	free(out);
}

static void setup(void)
{
	if (check(mkdtemp(dir)))
		write_trace();
}

static const struct ktap_case cases[] = {
	{ "a trace is written", setup },
	{ "babeltrace2 reads every field of every record", reads_back },
	{ "env is LTTng's kernel domain", environment },
	{ "clean up", clean_up },
};
KTAP_MAIN(cases)
