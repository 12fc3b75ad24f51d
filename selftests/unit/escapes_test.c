// SPDX-License-Identifier: GPL-2.0-only
/*
 * Names that others chose, in each form of output: none has a character as it is that controls a terminal, or that hides
 * or reverses what stands beside it. The program itself shows a recording in which all names are such.
 */
#include "base/json.h"
#include "export_fixture.h"

/* ESC, C1, right-to-left override, Arabic letter mark, line separator, byte order mark, isolate, no width, tag, broken */
#define BAD	"\033[2J\302\233\342\200\256\330\234\342\200\250\357\273\277\342\201\246\342\200\213\363\240\201\201"
#define EVIL	"evil" BAD "\377"
#define COMM	"evil\033\302\233\342\200\256\377"
#define QUOTED	"'" EVIL "'"

static const char *const forbidden[] = {
	"\033", "\302\233", "\342\200\256", "\330\234", "\342\200\250", "\357\273\277", "\342\201\246", "\342\200\213",
	"\363\240\201\201",
};

/* $C is the program, $D the recording, $F a file of folded stacks. */
static const struct {
	const char *command;
	bool binary, json;
} rows[] = {
	{ .command = "$C report $D" },
	{ .command = "$C report --json $D", .json = true },
	{ .command = "$C report --summary $D" },
	{ .command = "$C report --summary --json $D" },
	{ .command = "$C report --folded - $D" },
	{ .command = "$C report --html - $D" },
	{ .command = "$C export --perfetto - $D", .binary = true },
	{ .command = "$C export --chrome - $D" },
	{ .command = "$C flame $D -o -" },
	{ .command = "$C flame --folded $D -o -" },
	{ .command = "$C flame $F -o - --title " QUOTED },
	{ .command = "$C flame $F --folded -o -" },
	{ .command = "$C flame $F --speedscope -o - --title " QUOTED },
	{ .command = "$C flame $F --pprof -o - | gzip -dc", .binary = true },
	{ .command = "$C stats --input $D" },
	{ .command = "$C stats --json --input $D" },
	{ .command = "$C profile --folded - --input $D" },
	{ .command = "$C profile --json --input $D" },
	/* errors */
	{ .command = "$C report $D " QUOTED },
	{ .command = "$C report --json $D " QUOTED },
	{ .command = "$C report " QUOTED },
	{ .command = "$C " QUOTED },
	{ .command = "$C report --" QUOTED " $D" },
};

static char folded[80];

static void write_files(void)
{
	FILE *f;

	snprintf(folded, sizeof(folded), "%s.folded", dir);
	f = fopen(folded, "we");
	fprintf(f, EVIL ";" EVIL ";main;" EVIL " 7\n");
	fclose(f);
	setenv("C", CTRACE, 0);
	setenv("D", dir, 1);
	setenv("F", folded, 1);
}

static void record(void)
{
	static const struct ctrace_field evil[] = { { EVIL, CTRACE_FK_INT, 0, 8 } };
	const struct ctrace_event_type type = {
		.id = CTRACE_ID_TCP_LIFE, .name = EVIL, .system = EVIL, .source = EVIL, .nfields = 1, .fields = evil,
	};
	static const char *const asked[] = { "calls", "sample:99", EVIL };
	struct event call = { .time = 5500, .duration = 7, .ret = 3, .cid = 9, .id = CALL(0), .tid = 109 };
	struct sbuf b = { 0 };
	struct json j = { .out = &b };
	struct ctrace_schema *types;
	struct made m;

	types = machine_types();
	check_eq(ctrace_schema_add(types, &type, sizeof(type)), 0);
	begin_with(3, types);
	ctable_add(table, &(struct ctrace_container){ .cid = 9, .path = "/" EVIL, .runtime_id = EVIL }, EVIL, EVIL, true);
	table->changed = true;
	ctf_containers(ctf);
	make(&m, 1000, CTRACE_ID_STATEDUMP_PROCESS_STATE, 9, 109, 9);
	put_int(&m, 109, 4);
	put_int(&m, 9, 4);
	put_int(&m, 109, 4);
	put_int(&m, 9, 4);
	put_comm(&m, COMM);
	add(0, &m);
	make_switch(&m, 2000, 0, 109);
	m.rec.cid = 9;
	add(0, &m);
	make_openat(&m, 3000, 9, 109, "/" EVIL, 0);
	add(0, &m);
	make_exit(&m, 4000, 257, 9, 109, -2);
	add(0, &m);
	make(&m, 5000, CTRACE_ID_TCP_LIFE, 9, 109, 9);
	put_int(&m, 1, 8);
	add(0, &m);
	make_whole(&m, &call);
	add(0, &m);
	for (int i = 0; i < 9; i++) {
		make(&m, 6000 + (uint64_t)i, CTRACE_ID_CPU_SAMPLE, 9, 109, 9);
		put_int(&m, 0x1000, 8);
		put_int(&m, 1, 4);
		put_int(&m, 0, 4);
		put_int(&m, 99, 4);
		put_int(&m, 1, 4);
		put_int(&m, 0x2000, 8);
		add(0, &m);
	}
	/* written as a hostile recorder would */
	sbuf_puts(&b, "{\"symbols\":[{\"tid\":109,\"addr\":\"2000\",\"exact\":true,\"name\":\"" EVIL "\"},{\"tid\":109,"
		  "\"addr\":\"2000\",\"exact\":false,\"name\":\"" EVIL "\"}]}\n");
	ctf_side(ctf, CTRACE_CTF_SYMBOLS, &b);
	b = (struct sbuf){ 0 };
	json_open(&j, NULL, '{');
	json_str(&j, "host", EVIL);
	json_str(&j, "kernel", EVIL);
	json_str(&j, "machine", EVIL);
	json_str(&j, "filter", EVIL);
	json_open(&j, "events", '[');
	for (size_t i = 0; i < ARRAY_SIZE(asked); i++) {
		json_open(&j, NULL, '{');
		json_str(&j, "name", asked[i]);
		json_close(&j, '}');
	}
	json_close(&j, ']');
	json_close(&j, '}');
	end(b.s);
	sbuf_free(&b);
	write_files();
}

static char text[1 << 22];

static size_t output(const char *command)
{
	size_t n = 0, got;
	FILE *p;

	p = popen(command, "re");
	while ((got = fread(text + n, 1, sizeof(text) - 1 - n, p)) > 0)
		n += got;
	text[n] = '\0';
	pclose(p);
	return n;
}

static bool is_text(size_t n)
{
	enum utf8_kind kind;
	uint32_t c;
	size_t len;

	for (size_t i = 0; i < n; i += len) {
		kind = utf8_next(text + i, n - i, &len, &c);
		if (kind != UTF8_SHOWN && c != '\n' && c != '\t')
			return false;
	}
	return true;
}

static void every_output(void)
{
	char command[512];
	size_t n;
	bool ok;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		snprintf(command, sizeof(command), "{ %s; } 2>&1", rows[i].command);
		n = output(command);
		/* the name is present, in some form */
		ok = check(memmem(text, n, "evil", 4) != NULL);
		for (size_t k = 0; k < ARRAY_SIZE(forbidden); k++)
			/* a single byte may be a number there */
			ok &= (rows[i].binary && !forbidden[k][1]) ||
			      check(!memmem(text, n, forbidden[k], strlen(forbidden[k])));
		ok &= rows[i].binary || check(is_text(n));
		ok &= !rows[i].json || check(memmem(text, n, "\\u001b[2J\\u009b\\u202e\\u061c\\u2028\\ufeff\\u2066\\u200b\\udb40\\udc41",
						   57) != NULL);
		if (!ok)
			printf("# %s\n# %.300s\n", rows[i].command, text);
	}
}

/* Which characters are shown, and which are not: the neighbours of each range. */
static void list(void)
{
	static const char *const shown[] = {
		" ", "~", "\302\240", "\330\233", "\330\235", "\342\200\212", "\342\200\220", "\342\200\247", "\342\200\257", "\342\201\237",
		"\342\201\260", "\357\273\276", "\357\277\274", "\357\277\275", "\360\237\230\200", "\303\251",
	};
	static const char *const hidden[] = {
		"\1", "\037", "\177", "\302\200", "\302\237", "\330\234", "\342\200\213", "\342\200\217", "\342\200\250", "\342\200\256",
		"\342\201\240", "\342\201\257", "\357\273\277", "\357\277\271", "\357\277\277", "\363\240\200\200", "\363\240\201\277",
		"\364\217\277\277", "\341\240\216",
	};
	static const char *const broken[] = { "\200", "\300\200", "\355\240\200", "\364\220\200\200", "\342\200", "\377" };
	uint32_t c;
	size_t len;

	for (size_t i = 0; i < ARRAY_SIZE(shown); i++) {
		check_eq(utf8_next(shown[i], strlen(shown[i]), &len, &c), UTF8_SHOWN);
		check_eq(len, strlen(shown[i]));
	}
	for (size_t i = 0; i < ARRAY_SIZE(hidden); i++) {
		check_eq(utf8_next(hidden[i], strlen(hidden[i]), &len, &c), UTF8_HIDDEN);
		check_eq(len, strlen(hidden[i]));
	}
	for (size_t i = 0; i < ARRAY_SIZE(broken); i++)
		check_eq(utf8_next(broken[i], strlen(broken[i]), &len, &c), UTF8_BROKEN);
}

static const struct ktap_case cases[] = {
	{ "what is shown as it is", list },
	{ "every form of output", every_output },
};

int main(void)
{
	int status;

	record();
	status = ktap.failed | ktap_run(cases, ARRAY_SIZE(cases));
	unlink(folded);
	remove_all();
	return status;
}
