// SPDX-License-Identifier: GPL-2.0-only
/*
 * offcpu, locks, throttle, profile, bio and top: their events go through the writer into a recording, and the
 * commands themselves print it. A plain sum over the same events says what must come out.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include <json-c/json.h>
#include "base/cli.h"
#include "commands.h"
#include "ctf/sink_ctf.h"
#include "ktap.h"
#include "make_record.h"
#include "top/no_screen.c"

#define EVENTS	600

/* --- the recording ------------------------------------------------------------------ */

static char *data;
static struct ctrace_run records;

int __wrap_ctrace_reader_runs(struct ctrace_reader *r, ctrace_run_fn fn, ctrace_run_done_fn done, void *arg);

/* The linker makes the command ask this test for records, not a reader. */
int __wrap_ctrace_reader_runs(struct ctrace_reader *r, ctrace_run_fn fn, ctrace_run_done_fn done, void *arg)
{
	(void)r;
	if (records.count && !fn(&records, arg))
		done(&records, true, arg);
	records.count = 0;
	return 0;
}

static void add(const struct made *m)
{
	data = realloc(data, records.len + m->rec.len);
	memcpy(data + records.len, m->raw, m->rec.len);
	records.time_begin = records.count ? records.time_begin : m->rec.time;
	records.time_end = m->rec.time;
	records.last = NULL;
	records.len += m->rec.len;
	records.count++;
}

static void type(struct ctrace_schema *s, uint32_t id, const char *name, const struct ctrace_field *f, uint32_t n)
{
	const struct ctrace_event_type t = {
		.id = id, .name = name, .system = "x", .source = "x", .nfields = n, .fields = f,
	};

	check_eq(ctrace_schema_add(s, &t, sizeof(t)), 0);
}

static struct ctrace_schema *types(void)
{
	static const struct ctrace_field block[] = {
		{ "duration", CTRACE_FK_UINT, 0, 8 }, { "syscall", CTRACE_FK_INT, 0, 4 }, { "comm", CTRACE_FK_TEXT, 0, 16 },
		{ "waker_comm", CTRACE_FK_TEXT, 0, 16 }, { "waker_cid", CTRACE_FK_UINT, 0, 4 },
	};
	static const struct ctrace_field run[] = { { "duration", CTRACE_FK_UINT, 0, 8 }, { "comm", CTRACE_FK_TEXT, 0, 16 } };
	static const struct ctrace_field throttled[] = { { "duration", CTRACE_FK_UINT, 0, 8 }, { "cgroup_id", CTRACE_FK_UINT, 0, 8 } };
	static const struct ctrace_field io[] = {
		{ "duration", CTRACE_FK_UINT, 0, 8 }, { "queued", CTRACE_FK_UINT, 0, 8 },
		{ "throttled", CTRACE_FK_UINT, 0, 8 }, { "dev", CTRACE_FK_UINT, 0, 4 }, { "bytes", CTRACE_FK_UINT, 0, 4 },
		{ "error", CTRACE_FK_INT, 0, 4 }, { "rwbs", CTRACE_FK_UINT, CTRACE_FD_RWBS, 4 },
	};
	static const struct ctrace_field sample[] = {
		{ "user", CTRACE_FK_UINT, 0, 4 }, { "callstack_kernel", CTRACE_FK_SEQ, CTRACE_FD_HEX, 8 },
		{ "hz", CTRACE_FK_UINT, 0, 4 }, { "callstack_user", CTRACE_FK_SEQ, CTRACE_FD_HEX, 8 },
	};
	static const struct ctrace_field lock[] = {
		{ "duration", CTRACE_FK_UINT, 0, 8 }, { "lock", CTRACE_FK_UINT, CTRACE_FD_HEX, 8 }, { "kind", CTRACE_FK_UINT, 0, 4 },
		{ "ret", CTRACE_FK_INT, 0, 4 },
	};
	struct ctrace_schema *s = make_schema();

	type(s, CTRACE_ID_LOCK_CONTENTION, "lock_contention", lock, ARRAY_SIZE(lock));
	type(s, CTRACE_ID_SCHED_BLOCK, "sched_block", block, ARRAY_SIZE(block));
	type(s, CTRACE_ID_SCHED_RUN, "sched_run", run, ARRAY_SIZE(run));
	type(s, CTRACE_ID_CPU_THROTTLED, "cpu_throttled", throttled, ARRAY_SIZE(throttled));
	type(s, CTRACE_ID_BLOCK_IO, "block_io", io, ARRAY_SIZE(io));
	type(s, CTRACE_ID_CPU_SAMPLE, "cpu_sample", sample, ARRAY_SIZE(sample));
	return s;
}

/* Events of one CPU, i of each kind: of container 1 if i is even, else of 2. */
static uint64_t duration(int i)
{
	return 1000000ull + (unsigned int)i % 50 * 100000;
}

static uint32_t rwbs(int i)
{
	static const uint32_t all[] = {
		CTRACE_RWBS_READ, CTRACE_RWBS_WRITE | CTRACE_RWBS_SYNC, CTRACE_RWBS_PREFLUSH | CTRACE_RWBS_WRITE | CTRACE_RWBS_FUA,
		CTRACE_RWBS_FLUSH, CTRACE_RWBS_DISCARD | CTRACE_RWBS_SYNC,
	};

	return all[i % 5];
}

/* A mutex that spun and one that slept are of one kind. The last is none that this version knows. */
static uint32_t lock_kind(int i)
{
	static const uint32_t all[] = {
		CTRACE_LOCK_MUTEX, CTRACE_LOCK_MUTEX | CTRACE_LOCK_SPIN, CTRACE_LOCK_READ, CTRACE_LOCK_PERCPU | CTRACE_LOCK_WRITE, 1u << 20,
	};

	return all[i % 5];
}

/* Some requests of container two wait in the queue of a disk of their own. */
static bool on_other_disk(int i)
{
	return i % 50 == 47;
}

static void make_all(int i)
{
	uint64_t time = 1000000ull * (unsigned int)(i + 1);
	uint32_t cid = i % 2 ? 2 : 1;
	struct made m;

	make(&m, time, CTRACE_ID_SCHED_BLOCK, cid, 10, 1);
	put_int(&m, duration(i), 8);
	put_int(&m, i % 3 ? 0 : UINT32_MAX, 4);
	put_text(&m, "sh", 16);
	put_text(&m, i % 4 ? "x\033y" : "", 16);
	put_int(&m, 3 - cid, 4);
	add(&m);
	make(&m, time + 1, CTRACE_ID_SCHED_RUN, cid, 10 + i % 8 / 2, 1);
	put_int(&m, 1000u << i % 8 / 2, 8);
	put_text(&m, "sh", 16);
	add(&m);
	/* a cgroup inside it, too, and one above, which is the host's */
	make(&m, time + 2, CTRACE_ID_CPU_THROTTLED, i % 4 == 3 ? CTRACE_CID_HOST : 2, 0, 0);
	put_int(&m, duration(i), 8);
	put_int(&m, i % 4 == 3 ? 7 : i % 4 + 8, 8);
	add(&m);
	make(&m, time + 3, CTRACE_ID_BLOCK_IO, cid, 10, 1);
	put_int(&m, duration(i), 8);
	put_int(&m, cid == 1 ? 3 * duration(i) : on_other_disk(i) ? 2 * duration(i) : 0, 8);
	put_int(&m, cid == 1 ? 2 * duration(i) : 0, 8);
	put_int(&m, 8u << 20 | (on_other_disk(i) ? 33 : 17), 4);
	put_int(&m, 512u * (unsigned int)(i % 7), 4);
	put_int(&m, i == 4 ? (uint32_t)-5 : 0, 4);
	put_int(&m, rwbs(i), 4);
	add(&m);
	make(&m, time + 3, CTRACE_ID_LOCK_CONTENTION, cid, 10, 1);
	put_int(&m, duration(i), 8);
	put_int(&m, 0xffff888000000000ull + (unsigned int)(i % 3), 8);
	put_int(&m, lock_kind(i), 4);
	put_int(&m, i == 4 ? (uint32_t)-4 : 0, 4);
	add(&m);
	/* innermost first: all but one of four are in the kernel */
	make(&m, time + 4, CTRACE_ID_CPU_SAMPLE, cid, 10, 1);
	put_int(&m, !(i % 4), 4);
	put_int(&m, i % 4 ? 1 : 0, 4);
	if (i % 4)
		put_int(&m, 0xffffffff81000000ull, 8);
	put_int(&m, 49, 4);
	put_int(&m, 2, 4);
	put_int(&m, 0x401000, 8);
	put_int(&m, 0x402000, 8);
	add(&m);
}

static char dir[] = "/tmp/ctrace-waits-XXXXXX";

static void record(void)
{
	struct ctrace_schema *schema = types();
	struct ctable *table = ctable_new(NULL);
	const char *at;
	struct ctf *ctf;

	check(mkdtemp(dir) != NULL);
	ctable_add(table, &(struct ctrace_container){ .cid = 1, .path = "/x" }, "one", "podman", true);
	ctable_add(table, &(struct ctrace_container){ .cid = 2, .path = "/y" }, "two", "podman", true);
	ctf = ctf_create(dir, schema, table, NULL);
	check(ctf != NULL);
	records = (struct ctrace_run){ .cid = CTRACE_CID_ALL };
	for (int i = 0; i < EVENTS; i++)
		make_all(i);
	at = records.data = data;
	for (uint32_t i = 0; i < records.count; i++, at += records.last->len)
		records.last = (const void *)at;
	ctf_drain(ctf, NULL);
	check_eq(ctf_close(ctf), CLI_OK);
	ctable_free(table);
	ctrace_schema_free(schema);
}

/* --- what a command prints ------------------------------------------------------------ */

#define ARGS	12

/* Its output, and what it says on standard error. */
static const char *shows(const struct command *cmd, bool as_json, const char *options)
{
	static char text[1 << 20];
	char *argv[ARGS + 1] = { (char *)cmd->name, (char *)"--input", dir }, *words = strdup(options), *save = NULL;
	int argc = 3, out[2], status;
	ssize_t n = 0, got;
	pid_t pid;

	for (char *w = strtok_r(words, " ", &save); w && argc < ARGS; w = strtok_r(NULL, " ", &save))
		argv[argc++] = w;
	check_eq(pipe(out), 0);
	fflush(stdout);
	pid = fork();
	if (!pid) {
		dup2(out[1], STDOUT_FILENO);
		dup2(out[1], STDERR_FILENO);
		close(out[0]);
		cli_json = as_json;
		cli_cmd = cmd;
		status = cmd->run(argc, argv);
		fflush(stdout);
		_exit(status);
	}
	close(out[1]);
	while ((got = read(out[0], text + n, sizeof(text) - 1 - (size_t)n)) > 0)
		n += got;
	text[n] = '\0';
	close(out[0]);
	waitpid(pid, &status, 0);
	free(words);
	check(WIFEXITED(status) && WEXITSTATUS(status) <= CLI_USAGE);
	return text;
}

static void has(const char *text, const char *what)
{
	if (!check(strstr(text, what)))
		printf("# no '%s' in:\n%s", what, text);
}

/* The rows of the last command's JSON whose member is this; adds up the number. member NULL: all rows. */
static uint64_t sum(const char *text, const char *member, const char *is, const char *number)
{
	struct json_object *o = json_tokener_parse(text), *rows = NULL, *v;
	uint64_t n = 0;

	check(o && json_object_object_get_ex(o, "rows", &rows));
	for (size_t i = 0; rows && i < json_object_array_length(rows); i++) {
		struct json_object *row = json_object_array_get_idx(rows, i);

		if (member && (!json_object_object_get_ex(row, member, &v) || !v || strcmp(json_object_get_string(v), is)))
			continue;
		check(json_object_object_get_ex(row, number, &v));
		n += (uint64_t)json_object_get_int64(v);
	}
	json_object_put(o);
	return n;
}

/* --- tests ------------------------------------------------------------------------------ */

static void offcpu(void)
{
	uint64_t all = 0, none = 0, interrupt = 0;
	const char *text;

	for (int i = 0; i < EVENTS; i++) {
		all += duration(i);
		none += i % 3 ? 0 : duration(i);
		interrupt += i % 4 ? 0 : duration(i);
	}
	text = shows(&cmd_offcpu, true, "");
	check_eq(sum(text, NULL, NULL, "total"), all);
	check_eq(sum(text, NULL, NULL, "count"), EVENTS);
	check_eq(sum(text, "call", "(no call)", "total"), none);
	check_eq(sum(text, "call", "read", "total"), all - none);
	text = shows(&cmd_offcpu, true, "--wakers");
	check_eq(sum(text, "waker", "(interrupt)", "total"), interrupt);
	check_eq(sum(text, "waker", "one/x\\x1by", "count"), EVENTS / 2);
	text = shows(&cmd_offcpu, true, "--longer 2ms");
	check(sum(text, NULL, NULL, "total") < all && sum(text, NULL, NULL, "count") > 0);
	text = shows(&cmd_offcpu, false, "--by comm --top 1");
	has(text, "CONTAINER  BY         CALL  COUNT  TOTAL");
	has(text, "two        comm = sh  read  ");
	check(!strstr(text, "one "));
	has(shows(&cmd_offcpu, false, "--stack"), "no kernel stacks");
	has(shows(&cmd_offcpu, false, "--stack --wakers"), "choose one");
	has(shows(&cmd_offcpu, false, "--stack --peers"), "choose one");
	has(shows(&cmd_offcpu, false, "--sort size"), "no column 'size' to sort by: there are total count");
	has(shows(&cmd_offcpu, false, "-e read"), "sched_block alone");
}

static void locks(void)
{
	uint64_t all = 0, mutex = 0;
	const char *text;

	for (int i = 0; i < EVENTS; i++) {
		all += duration(i);
		mutex += i % 5 < 2 ? duration(i) : 0;
	}
	text = shows(&cmd_locks, true, "");
	check_eq(sum(text, NULL, NULL, "total"), all);
	check_eq(sum(text, "kind", "mutex", "total"), mutex);
	check_eq(sum(text, "kind", "mutex", "count"), EVENTS / 5 * 2);
	check_eq(sum(text, "kind", "rwsem:R", "count"), EVENTS / 5);
	check_eq(sum(text, "kind", "pcpu-sem:W", "count"), EVENTS / 5);
	check_eq(sum(text, "kind", "1048576", "count"), EVENTS / 5);
	check_eq(sum(shows(&cmd_locks, true, "--failed"), NULL, NULL, "count"), 1);
	text = shows(&cmd_locks, true, "--by lock");
	check_eq(sum(text, "by", "lock = 0xffff888000000002", "count"), EVENTS / 3);
	text = shows(&cmd_locks, false, "--longer 2ms --top 1");
	has(text, "CONTAINER  KIND   COUNT  TOTAL     AVG    P50    P99     MAX\none        mutex     96  365ms  3.80ms  ");
	has(shows(&cmd_locks, false, "--stack"), "no kernel stacks");
	has(shows(&cmd_locks, false, "--sort size"), "no column 'size' to sort by: there are total count avg");
	has(shows(&cmd_locks, false, "-e read"), "lock_contention alone");
}

/* Those of container one waited three times as long as the disk took, for two of these behind a limit. */
static void bio_queued(void)
{
	uint64_t took[2] = { 0 };
	const char *text;

	for (int i = 0; i < EVENTS; i++)
		took[i % 2] += duration(i);
	text = shows(&cmd_bio, true, "");
	check_eq(sum(text, "container", "one", "duration"), took[0]);
	check_eq(sum(text, "container", "two", "duration"), took[1]);
	check_eq(sum(text, "container", "one", "throttled"), 2 * took[0]);
	check_eq(sum(text, "container", "two", "throttled"), 0);
	check_eq(sum(text, "held_up_by", "limit", "count"), EVENTS / 2);
	check_eq(sum(text, "held_up_by", "disk", "count"), EVENTS / 2 - EVENTS / 50);
	check_eq(sum(text, "held_up_by", "queue", "count"), EVENTS / 50);
	text = shows(&cmd_bio, false, "");
	has(text, "  WBYTES  QUE50  QUE99    P50");
	has(text, "two on 8:17: the disk holds it up: its requests spent 100.0% of their time there.\n");
	has(text, "two on 8:33: the disk's queue holds it up: its requests spent 66.7% of their time there.\n");
	has(text, "one on 8:17: its limit holds it up: its requests spent 50.0% of their time behind it.\n");
	check(strstr(text, "one on") < strstr(text, "two on"));
	/* one request of 1.4 ms, and 4.2 ms before, is not worth a sentence */
	text = shows(&cmd_bio, false, "--failed");
	check(!strstr(text, "one on"));
	has(shows(&cmd_bio, true, "--failed"), "\"held_up_by\":\"nothing\"");
	text = shows(&cmd_bio, true, "--by error --top 1");
	check_eq(sum(text, "by", "error = 0", "count"), EVENTS / 2 - 1);
	has(shows(&cmd_bio, false, "--hist --interval 10000"), "     before its issue:\n");
}

static void bio(void)
{
	uint64_t reads = 0, writes = 0, rbytes = 0, wbytes = 0, bytes = 0, flushes = 0, discards = 0;
	const char *text;

	for (int i = 0; i < EVENTS; i++) {
		uint64_t n = 512u * (unsigned int)(i % 7);

		bytes += n;
		if (rwbs(i) & CTRACE_RWBS_READ) {
			reads++;
			rbytes += n;
		} else if (rwbs(i) & CTRACE_RWBS_WRITE) {
			writes++;
			wbytes += n;
		}
		flushes += rwbs(i) & CTRACE_RWBS_FLUSH ? 1 : 0;
		discards += rwbs(i) & CTRACE_RWBS_DISCARD ? 1 : 0;
	}
	text = shows(&cmd_bio, true, "");
	check_eq(sum(text, "disk", "8:17", "count"), EVENTS - EVENTS / 50);
	check_eq(sum(text, "disk", "8:33", "count"), EVENTS / 50);
	check_eq(sum(text, "container", "one", "count"), EVENTS / 2);
	check_eq(sum(text, NULL, NULL, "reads"), reads);
	check_eq(sum(text, NULL, NULL, "writes"), writes);
	check_eq(sum(text, NULL, NULL, "flushes"), flushes);
	check_eq(sum(text, NULL, NULL, "discards"), discards);
	check_eq(reads + writes + flushes + discards, EVENTS);
	check_eq(sum(text, NULL, NULL, "rbytes"), rbytes);
	check_eq(sum(text, NULL, NULL, "wbytes"), wbytes);
	check_eq(sum(text, NULL, NULL, "bytes"), bytes);
	check_eq(sum(shows(&cmd_bio, true, "--failed"), NULL, NULL, "count"), 1);
	text = shows(&cmd_bio, false, "--sort max");
	has(text, "CONTAINER  DISK  IOS  READS  WRITES  FLUSHES  DISCARDS  RBYTES  WBYTES");
	text = shows(&cmd_bio, false, "--hist");
	has(text, "container = one, disk = 8:17\n");
	has(text, "     usecs               : count     distribution\n");
	text = shows(&cmd_bio, false, "--lines --longer 5900us");
	has(text, "CONTAINER        TIME(s)     COMM            PID     DISK      T   SECTOR      BYTES     QUE(ms)  THR(ms)  LAT(ms) ERR\n"
	    "two              0.000000    -               -       8:17      DS  -           0           0.000    0.000    5.900 -\n");
	has(text, "\ntwo              0.050000    ");
	has(shows(&cmd_bio, true, "--lines --failed"), "\"rwbs\":\"DS\",\"sector\":null,\"bytes\":2048,\"queued\":4200000,\"throttled\":2800000,\"duration\":1400000,\"errno\":\"EIO\"}\n");
	has(shows(&cmd_bio, false, "--lines --hist"), "choose one");
	has(shows(&cmd_bio, false, "--lines --top 3"), "--top is for tables, but 'bio --lines' prints a line for each event");
}

/* What a disk read is no write. A flush and a discard are neither. */
static void top(void)
{
	uint64_t read = 0, written = 0;
	const char *text;

	for (int i = 0; i < EVENTS; i++) {
		uint64_t n = 512u * (unsigned int)(i % 7);

		read += rwbs(i) & CTRACE_RWBS_READ ? n : 0;
		written += rwbs(i) & CTRACE_RWBS_WRITE ? n : 0;
	}
	text = shows(&cmd_top, true, "--interval 60");
	check_eq(sum(text, NULL, NULL, "disk_read"), read);
	check_eq(sum(text, NULL, NULL, "disk_write"), written);
}

static void profile(void)
{
	const char *text = shows(&cmd_profile, true, "");

	check_eq(sum(text, NULL, NULL, "self"), EVENTS);
	check_eq(sum(text, "function", "(unknown) [kernel]", "self"), EVENTS * 3 / 4);
	/* two frames of a stack that have one name count once */
	check_eq(sum(text, "function", "(unknown)", "total"), EVENTS);
	check_eq(sum(text, "function", "(unknown)", "self"), EVENTS / 4);
	text = shows(&cmd_profile, false, "--top 1");
	has(text, "container = one, 300 samples\n   SELF   TOTAL   SAMPLES  FUNCTION\n 50.00% 100.00%       150  (unknown)\n");
	has(text, " 50.00%               150  (1 more functions)\n");
	has(text, "container = two, 300 samples\n   SELF   TOTAL   SAMPLES  FUNCTION\n100.00% 100.00%       300  (unknown) [kernel]\n");
	has(shows(&cmd_profile, false, "--by comm,cpu"), "one key");
	has(shows(&cmd_profile, false, "-F 0"), "needs a number");
	has(shows(&cmd_profile, false, "--sort size"), "no column");
}

static void throttle(void)
{
	uint64_t longest = 0, above = 0, ran = 0;
	const char *text;

	for (int i = 0; i < EVENTS; i++) {
		uint64_t *most = i % 4 == 3 ? &above : &longest;

		*most = duration(i) > *most ? duration(i) : *most;
		ran += i % 2 ? 1000u << i % 8 / 2 : 0;
	}
	text = shows(&cmd_throttle, true, "");
	check_eq(sum(text, NULL, NULL, "cpu_waits"), EVENTS);
	check_eq(sum(text, "container", "two", "cpu_waits"), EVENTS / 4 * 3);
	check_eq(sum(text, "container", "two", "longest"), longest);
	check_eq(sum(text, "cgroup", "id:7", "cpu_waits"), EVENTS / 4);
	check_eq(sum(text, "cgroup", "id:7", "longest"), above);
	check_eq(sum(text, "container", "two", "ran"), ran);
	has(text, "\"threads\":[{\"name\":\"sh/13\",\"ran\":");
	text = shows(&cmd_throttle, false, "");
	has(text, "CONTAINER  CGROUP  PERIODS  THROTTLED  THROTTLED_TIME  %THROT  QUOTA  LIMIT  CPU_WAITS  LONGEST  USED BY\n");
	has(text, "sh/13 53%, sh/12 27%, sh/11 13%\n");
	check(!strstr(text, "\none"));
	has(shows(&cmd_throttle, false, "one"), "\none ");
	has(shows(&cmd_throttle, false, "-e read"), "leave out -e");
}

/* The words that the options' table of a command has for --sort, for help and completion. */
static const char *sort_words(const struct command *cmd)
{
	for (const struct cli_option *o = cmd->options[0]; o->name || o->help; o++)
		if (o->name && !strcmp(o->name, "sort"))
			return o->values;
	return "";
}

/* A word that is no column is refused, with those that there are; each of these is none of that kind. */
static void sort(void)
{
	static const struct { const struct command *cmd; const char *options, *columns; } all[] = {
		{ &cmd_stats, "", NULL }, { &cmd_runqlat, "", NULL }, { &cmd_blame, "", NULL }, { &cmd_offcpu, "", NULL }, { &cmd_offcpu, "--stack ", NULL },
		{ &cmd_locks, "", NULL },
		{ &cmd_throttle, "", NULL }, { &cmd_profile, "", NULL }, { &cmd_profile, "--folded /dev/null ", NULL }, { &cmd_bio, "", NULL }, { &cmd_bio, "--hist ", NULL },
		{ &cmd_files, "--all ", NULL }, { &cmd_tcp, "--summary ", NULL },
		{ &cmd_count, "sched_run --by comm ", "count comm event container" },
		{ &cmd_agg, "-e sched_run=>sum(duration),max(duration) ", "sum max count event container" },
		{ &cmd_hist, "duration -e sched_run ", "hist event container" },
		{ &cmd_profile, "--stacks ", "count pid event container" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		const char *columns = all[i].columns ? all[i].columns : sort_words(all[i].cmd);
		const char *options = all[i].options;
		struct sbuf b = { 0 };

		check(*columns != '\0');
		sbuf_printf(&b, "no column 'nonsense' to sort by: there are %s\n", columns);
		for (int turned = 0; turned < 2; turned++) {
			char *given = xasprintf("%s--sort %snonsense", options, turned ? "-" : "");

			has(shows(all[i].cmd, false, given), b.s);
			free(given);
		}
		sbuf_free(&b);
		for (const char *w = columns; *w; w += strspn(w, " ")) {
			char *given = xasprintf("%s--sort %.*s", options, (int)strcspn(w, " "), w);

			if (!check(!strstr(shows(all[i].cmd, false, given), "no column ")))
				printf("# ctrace %s %s\n", all[i].cmd->name, given);
			free(given);
			w += strcspn(w, " ");
		}
	}
	has(shows(&cmd_tcp, false, "--sort nonsense"), "--sort is for tables");
	/* in letters of any case, the other way round */
	has(shows(&cmd_blame, false, "--sort Container"), "sched_blame");
}

static const struct ktap_case cases[] = {
	{ "a recording of each kind of event", record }, { "offcpu", offcpu }, { "locks", locks }, { "bio", bio }, { "bio_queued", bio_queued }, { "top", top },
	{ "profile", profile }, { "throttle", throttle }, { "columns to sort by", sort },
};

int main(void)
{
	int status = ktap_run(cases, ARRAY_SIZE(cases));
	char cmd[64];

	snprintf(cmd, sizeof(cmd), "rm -rf '%s'", dir);
	if (system(cmd))
		status = 1;
	free(data);
	return status;
}
