// SPDX-License-Identifier: GPL-2.0-only
/*
 * --from, --to and --last. The test makes a recording and cuts it at random moments, many of them the time of an event.
 * In each command the parts add up to the whole. The times that why reports for a part are those of the test's own table.
 */
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <json-c/json.h>
#include "base/cli.h"
#include "commands.h"
#include "ctf/sink_ctf.h"
#include "ktap.h"
#include "make_record.h"
#include "run/window.h"

#define CPUS	2
#define BEGAN	(1000ull * NSEC_PER_SEC)
#define CYCLES	400
#define CYCLE	10000000ull		/* ns: run, sleep, wait */
#define ENDED	(BEGAN + CYCLES * CYCLE)

#include "top/no_screen.c"
#include "window_recording.h"

/* --- what a command prints ------------------------------------------------------------ */

#define ARGS	20

static int last_status;

/* Its output, with what it says on standard error behind it. */
static const char *shows(const struct command *cmd, bool as_json, const char *options)
{
	static char text[1 << 24];
	char *argv[ARGS + 1] = { (char *)cmd->name }, *words = strdup(options), *save = NULL;
	int argc = 1, out[2], status;
	ssize_t n = 0, got;
	FILE *err = tmpfile();
	pid_t pid;

	for (char *w = strtok_r(words, " ", &save); w && argc < ARGS; w = strtok_r(NULL, " ", &save))
		argv[argc++] = strcmp(w, "DIR") ? w : dir;
	check_eq(pipe(out), 0);
	fflush(stdout);
	pid = fork();
	if (!pid) {
		dup2(out[1], STDOUT_FILENO);
		dup2(fileno(err), STDERR_FILENO);
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
	close(out[0]);
	waitpid(pid, &status, 0);
	rewind(err);
	n += (ssize_t)fread(text + n, 1, sizeof(text) - 1 - (size_t)n, err);
	text[n] = '\0';
	fclose(err);
	free(words);
	check(WIFEXITED(status));
	last_status = WEXITSTATUS(status);
	return text;
}

static void has(const char *text, const char *what)
{
	if (!check(strstr(text, what)))
		printf("# no '%s' in:\n# %.1500s\n", what, text);
}

/* A moment as a person writes it. */
static const char *clock_of(uint64_t time)
{
	static char text[4][64];
	static int which;
	char *at = text[which++ % 4];
	uint64_t real = time + (uint64_t)offset;
	time_t sec = (time_t)(real / NSEC_PER_SEC);
	struct tm tm;
	size_t n;

	localtime_r(&sec, &tm);
	n = strftime(at, sizeof(text[0]), "%Y-%m-%dT%H:%M:%S", &tm);
	snprintf(at + n, sizeof(text[0]) - n, ".%09llu", (unsigned long long)(real % NSEC_PER_SEC));
	return at;
}

/* The sum of a member of all rows, of all periods. member "a.b": b of object a */
static int64_t sum(const char *text, const char *member)
{
	struct json_tokener *tok = json_tokener_new();
	int64_t n = 0;

	while (*text == '{') {
		size_t len = strcspn(text, "\n");
		struct json_object *o, *rows = NULL, *v;
		char *path = strdup(member), *save = NULL;

		json_tokener_reset(tok);
		o = json_tokener_parse_ex(tok, text, (int)len);
		check(o && json_object_object_get_ex(o, "rows", &rows));
		for (size_t i = 0; rows && i < json_object_array_length(rows); i++) {
			v = json_object_array_get_idx(rows, i);
			snprintf(path, strlen(member) + 1, "%s", member);
			for (char *w = strtok_r(path, ".", &save); w && v; w = strtok_r(NULL, ".", &save))
				if (!json_object_object_get_ex(v, w, &v))
					v = NULL;
			n += v ? json_object_get_int64(v) : 0;
		}
		json_object_put(o);
		free(path);
		text += len + (text[len] == '\n');
	}
	json_tokener_free(tok);
	return n;
}

/* --- words ------------------------------------------------------------------------------ */

static char message[512];

static const char *refused(const struct window *w, const struct window_times *t)
{
	uint64_t from, to;
	FILE *f = tmpfile();
	int saved = dup(STDERR_FILENO);
	size_t n;

	dup2(fileno(f), STDERR_FILENO);
	check_eq(window_find(w, t, &from, &to), CLI_USAGE);
	dup2(saved, STDERR_FILENO);
	close(saved);
	rewind(f);
	n = fread(message, 1, sizeof(message) - 1, f);
	message[n] = '\0';
	fclose(f);
	return message;
}

static void finds(const char *from, const char *to, uint64_t begin, uint64_t end)
{
	/* it began at 23:59:30.25 UTC on 2026-11-28, a Saturday, and took an hour */
	const struct window_times t = {
		.began = 500, .ended = 500 + 3600 * NSEC_PER_SEC, .offset = 1795910370250000000ll - 500,
	};
	const struct window w = { .from = from, .to = to };
	uint64_t a, b;

	check_eq(window_find(&w, &t, &a, &b), CLI_OK);
	if (!check_eq(a, begin) | !check_eq(b, end))
		printf("# --from %s --to %s\n", from ? from : "", to ? to : "");
}

static void words(void)
{
	const struct window_times t = {
		.began = 500, .ended = 500 + 3600 * NSEC_PER_SEC, .offset = 1795910370250000000ll - 500,
	};
	const uint64_t s = NSEC_PER_SEC, b = 500;
	char text[] = "14:00..14:05", open[] = "-5m..", none[] = "14:00", dots[] = "..";
	struct window w;

	setenv("TZ", "UTC", 1);
	tzset();
	finds("+30s", "+40s", b + 30 * s, b + 40 * s);
	finds("+0", "+1.5", b, b + s * 3 / 2);
	finds("-5m", NULL, b + 3300 * s, UINT64_MAX);
	finds(NULL, "-59m", 0, b + 60 * s);
	finds("00:10", "00:10:05.2", b + 629 * s + s * 3 / 4, b + 634 * s + s * 95 / 100);
	finds("2026-11-29 00:10", "2026-11-29T00:10:00.000000001", b + 629 * s + s * 3 / 4, b + 629 * s + s * 3 / 4 + 1);
	/* within the minute, or the second, that it began in */
	finds("23:59", "23:59:30.5", b, b + s / 4);
	finds("23:59:30", "00:00", b, b + 29 * s + s * 3 / 4);
	finds("23:59:30.25", NULL, b, UINT64_MAX);
	finds("00:59", "00:59:30.25", b + 3569 * s + s * 3 / 4, UINT64_MAX);
	has(refused(&(struct window){ .from = "2026-11-28T23:58" }, &t), "--from 2026-11-28T23:58 is before the recording: it is "
	    "from 2026-11-28 23:59:30.250000 to 2026-11-29 00:59:30.250000");
	has(refused(&(struct window){ .from = "23:58" }, &t), "is behind the recording");
	has(refused(&(struct window){ .from = "-61m" }, &t), "is before the recording");
	has(refused(&(struct window){ .from = "+1h" }, &t), "is behind the recording");
	has(refused(&(struct window){ .from = "+40s", .to = "+30s" }, &t), "--from +40s is after --to +30s");
	has(refused(&(struct window){ .from = "+40s", .to = "00:00:10.25" }, &t), "there is nothing between --from +40s and");
	has(refused(&(struct window){ .to = "+0" }, &t), "there is nothing between");
	has(refused(&(struct window){ .last = "2h" }, &t), "--last 2h is longer than the recording");
	has(refused(&(struct window){ .last = "5m", .to = "+1" }, &t), "leave out --to");
	has(refused(&(struct window){ .last = "x" }, &t), "is no duration");
	for (const char *const *word = (const char *const []){ "24:00", "1:2:3:4", "14", "14:00.5", "14:00:61", "14:00:05.", "2026-13-01T14:00",
	     "2026-11-31T14:00", "2026-11-29", "+", "-x", "", "14:00x", "-1-1T10:00", NULL }; *word; word++)
		has(refused(&(struct window){ .from = *word }, &t), "is no time: write ");
	/* two hours east, the date is another */
	setenv("TZ", "XXX-2", 1);
	tzset();
	finds("02:10", NULL, b + 629 * s + s * 3 / 4, UINT64_MAX);
	finds("2026-11-29T01:59:30.25", NULL, b, UINT64_MAX);
	setenv("TZ", "UTC", 1);
	tzset();
	check_eq(window_parse(&w, text), CLI_OK);
	check(!strcmp(w.from, "14:00") && !strcmp(w.to, "14:05"));
	check_eq(window_parse(&w, open), CLI_OK);
	check(!strcmp(w.from, "-5m") && !w.to);
	check_eq(window_parse(&w, none), CLI_USAGE);
	check_eq(window_parse(&w, dots), CLI_USAGE);
}

/* --- parts add up ------------------------------------------------------------------------- */

#define PARTS	6

/* Moments in order: the beginning of each part but the first. Many are when an event was written, or a span began. */
static void cut(uint64_t edges[PARTS - 1], unsigned int seed)
{
	for (int i = 0; i < PARTS - 1; i++) {
		int cycle = CYCLES / PARTS * (i + 1) - (int)((seed * 31 + (unsigned int)i * 17) % 40);
		const struct span *s = spans[0][cycle];
		const uint64_t moments[] = {
			s[RUN].to, s[SLEEP].to, s[HOST].to, s[HOST].to + 100, s[HOST].to + 250, s[HOST].to + 400, s[NEIGHBOUR].to,
			s[HOST].from + 12345, s[HOST].to + 600, s[NEIGHBOUR].from + 77777, s[RUN].to + 1,
		};

		edges[i] = moments[(seed + (unsigned int)i * 5) % ARRAY_SIZE(moments)];
	}
}

/* The options of part i. */
static const char *part(const uint64_t edges[PARTS - 1], int i)
{
	static char text[160];

	snprintf(text, sizeof(text), "%s%s %s%s", i ? "--from " : "", i ? clock_of(edges[i - 1]) : "",
		 i < PARTS - 1 ? "--to " : "", i < PARTS - 1 ? clock_of(edges[i]) : "");
	return text;
}

#define MEMBERS_MAX	10
#define SEEDS		2

static bool near(int64_t n, uint64_t expected, uint64_t within)
{
	return n + (int64_t)within >= (int64_t)expected && n <= (int64_t)(expected + within);
}

/* within: of each part */
static void adds_up(const struct command *cmd, const char *options, const char *const *members, uint64_t within)
{
	int64_t whole[MEMBERS_MAX], all[MEMBERS_MAX];
	const char *text = shows(cmd, true, options);
	uint64_t edges[PARTS - 1];
	char line[300];
	int n = 0;

	check_eq(last_status, CLI_OK);
	for (; members[n]; n++) {
		whole[n] = sum(text, members[n]);
		check(whole[n] > 0);
	}
	for (unsigned int seed = 0; seed < SEEDS; seed++) {
		cut(edges, seed);
		memset(all, 0, sizeof(all));
		for (int i = 0; i < PARTS; i++) {
			snprintf(line, sizeof(line), "%s %s", options, part(edges, i));
			text = shows(cmd, true, line);
			check_eq(last_status, CLI_OK);
			for (int k = 0; k < n; k++)
				all[k] += sum(text, members[k]);
		}
		for (int k = 0; k < n; k++)
			if (!check(near(all[k], (uint64_t)whole[k], within * PARTS)))
				printf("# %s %s: %s, seed %u: %lld, expected %lld\n", cmd->name, options, members[k], seed,
				       (long long)all[k], (long long)whole[k]);
	}
}

#define MEMBERS(...)	((const char *const []){ __VA_ARGS__, NULL })

static void views(void)
{
	adds_up(&cmd_offcpu, "--input DIR", MEMBERS("count", "total"), 0);
	adds_up(&cmd_blame, "--input DIR one", MEMBERS("waited"), 0);
	/* calls are put together: their entries may be in the part before */
	adds_up(&cmd_stats, "--input DIR", MEMBERS("calls", "errors", "total"), 0);
	adds_up(&cmd_count, "--input DIR -e sched_run --by cpu", MEMBERS("values.count"), 0);
	/* the child got its name in another part */
	adds_up(&cmd_count, "--input DIR -e sched_block --comm child", MEMBERS("values.count"), 0);
	adds_up(&cmd_report, "--summary DIR", MEMBERS("events", "sched_run.total", "sched_wait.count", "calls.count"), 0);
}

static uint64_t lines(const char *text)
{
	uint64_t n = 0;

	for (; *text; text++)
		n += *text == '\n';
	return n - 1;	/* the account */
}

static uint64_t exported(const char *text)
{
	const char *at = strstr(text, ": ");

	at = at ? strstr(at + 2, ": ") : NULL;
	return at ? strtoull(at + 2, NULL, 10) : 0;
}

static void events(void)
{
	uint64_t whole = lines(shows(&cmd_report, true, "DIR")), all, edges[PARTS - 1], drawn;
	char line[300];

	check(whole > CYCLES * 10);
	drawn = exported(shows(&cmd_export, false, "--chrome /dev/null DIR"));
	check(drawn > CYCLES * 10);
	for (unsigned int seed = 0; seed < SEEDS; seed++) {
		cut(edges, seed);
		all = 0;
		for (int i = 0; i < PARTS; i++) {
			snprintf(line, sizeof(line), "DIR %s", part(edges, i));
			all += lines(shows(&cmd_report, true, line));
		}
		check_eq(all, whole);
		all = 0;
		for (int i = 0; i < PARTS; i++) {
			snprintf(line, sizeof(line), "--chrome /dev/null DIR %s", part(edges, i));
			all += exported(shows(&cmd_export, false, line));
		}
		check_eq(all, drawn);
	}
	/* an event at the edge is in the part that begins there */
	snprintf(line, sizeof(line), "DIR --from %s --to %s", clock_of(spans[0][7][RUN].to), clock_of(spans[0][7][RUN].to + 1));
	check_eq(lines(shows(&cmd_report, true, line)), 1);
	snprintf(line, sizeof(line), "DIR --from %s --to %s", clock_of(spans[0][7][RUN].to - 1), clock_of(spans[0][7][RUN].to));
	check_eq(lines(shows(&cmd_report, true, line)), 0);
	has(shows(&cmd_report, false, "--html - DIR --last 1s"), "\"ns\":1000000000,");
}

/* --- why --------------------------------------------------------------------------------- */

static uint64_t overlap(uint64_t from, uint64_t to, uint64_t a, uint64_t b)
{
	from = from > a ? from : a;
	to = to < b ? to : b;
	return to > from ? to - from : 0;
}

static uint64_t of_kind(int kind, uint64_t a, uint64_t b)
{
	uint64_t n = 0;

	for (int i = 0; i < CYCLES; i++)
		n += overlap(spans[0][i][kind].from, spans[0][i][kind].to, a, b);
	return n;
}

/* What it says of one..other moment, against what the threads did. */
static void check_why(const char *text, uint64_t a, uint64_t b)
{
	/* thread 22 ran for a second, and nobody knows when: it is spread */
	int64_t ran = sum(text, "spent.ran") - (int64_t)((b - a) * 1000000000 / (ENDED + 5000 - BEGAN));

	check_eq(last_status, CLI_OK);
	check(ran - (int64_t)of_kind(RUN, a, b) >= -2 && ran - (int64_t)of_kind(RUN, a, b) <= 3000);
	/* a part is written a little after it ended */
	check(near(sum(text, "spent.waited") - sum(text, "untold"), of_kind(NEIGHBOUR, a, b) + of_kind(HOST, a, b), 250));
	check(near(sum(text, "neighbours"), of_kind(NEIGHBOUR, a, b), 250));
	check_eq(sum(text, "spent.slept"), b - a);
	check_eq(sum(text, "spent.locks"), overlap(BORN, ENDED, a, b));
}

static void why(void)
{
	static const char *const members[] = {
		"spent.ran", "spent.waited", "spent.slept", "spent.files", "spent.locks", "neighbours", NULL
	};
	uint64_t edges[PARTS - 1];
	char line[300];

	adds_up(&cmd_why, "--input DIR one", members, 0);
	/* what no event covers is known to a little less than a microsecond, as events are written so much later */
	adds_up(&cmd_why, "--input DIR one", MEMBERS("time", "spent.unknown"), 1000);
	for (unsigned int seed = 0; seed < 2 * SEEDS; seed++) {
		cut(edges, seed);
		for (int i = 1; i < PARTS - 1; i++) {
			snprintf(line, sizeof(line), "--input DIR one %s", part(edges, i));
			check_why(shows(&cmd_why, true, line), edges[i - 1], edges[i]);
		}
	}
	/* the thread that slept for seconds is in each part of its sleep */
	snprintf(line, sizeof(line), "--input DIR one --from %s --to %s", clock_of(BEGAN + 2000000000), clock_of(BEGAN + 2000000000 + CYCLE));
	check_eq(sum(shows(&cmd_why, true, line), "spent.files"), CYCLE + of_kind(SLEEP, BEGAN + 2000000000, BEGAN + 2000000000 + CYCLE));
	for (const char *const *m = members; *m; m++)
		check_eq(sum(shows(&cmd_why, true, "--input DIR one --interval 333ms"), *m),
			 sum(shows(&cmd_why, true, "--input DIR one"), *m));
	snprintf(line, sizeof(line), "--input DIR one --from %s --to %s", clock_of(edges[0]), clock_of(edges[1]));
	has(shows(&cmd_why, false, line), " s from ");
	has(shows(&cmd_why, false, line), clock_of(edges[0]));
}

/* --- intervals, and what is refused --------------------------------------------------------- */

/* The label of an interval is its beginning, and leads to it. */
static void labels(void)
{
	const char *text = shows(&cmd_count, false, "--input DIR -e sched_run --interval 1");
	char label[64], *dot, line[200];

	snprintf(label, sizeof(label), "%s", clock_of(BEGAN));
	*strchr(label, 'T') = ' ';
	dot = strchr(label, '.');
	dot[7] = '\0';
	check(!strncmp(text, label, strlen(label)));
	snprintf(label, sizeof(label), "%s", clock_of(BEGAN + NSEC_PER_SEC));
	*strchr(label, 'T') = ' ';
	strchr(label, '.')[7] = '\0';
	has(text, label);
	has(shows(&cmd_report, false, "--summary --interval 1 DIR"), label);
	check_eq(sum(shows(&cmd_report, true, "--summary --interval 700ms DIR"), "sched_run.total"),
		 sum(shows(&cmd_report, true, "--summary DIR"), "sched_run.total"));
	check_eq(sum(shows(&cmd_report, true, "--summary --interval 700ms DIR"), "events"),
		 sum(shows(&cmd_report, true, "--summary DIR"), "events"));
	snprintf(line, sizeof(line), "\"began\":%llu", BEGAN + NSEC_PER_SEC);
	has(shows(&cmd_count, true, "--input DIR -e sched_run --interval 1"), line);
	has(shows(&cmd_count, true, "-e sched_run --from +1"), "add --input DIR");
	has(shows(&cmd_report, true, "DIR --from 10:00:00 --to +1 --last 3"), "--last ends with the recording");
	check_eq(last_status, CLI_USAGE);
	has(shows(&cmd_report, true, "DIR --interval 1"), "--interval is for --summary");
	has(shows(&cmd_why, true, "--input DIR one --from -2d"), "is before the recording: it is from ");
}

/* Packets outside of the window are not read: they may be broken. */
static void skipped(void)
{
	uint64_t n = (uint64_t)sum(shows(&cmd_count, true, "--input DIR -e sched_run --from +3.9s"), "values.count");
	char path[64], line[300];
	FILE *f;

	check(n > 10 && n < 40);
	for (int cpu = 0; cpu < CPUS; cpu++) {
		struct ctrace_ctf_packet h;
		long at = 0;

		snprintf(path, sizeof(path), "%s/shared_%d", dir, cpu);
		f = fopen(path, "r+");
		check(f != NULL);
		/* the first record of the first packet that has any has no length any more */
		while (fread(&h, sizeof(h), 1, f) == 1 && h.content_size / 8 <= sizeof(h))
			fseek(f, at += (long)(h.packet_size / 8), SEEK_SET);
		fseek(f, at + (long)(sizeof(h) + offsetof(struct ctrace_record, len)), SEEK_SET);
		check_eq(fwrite("\0\0", 1, 2, f), 2);
		fclose(f);
	}
	has(shows(&cmd_count, true, "--input DIR -e sched_run"), "has a packet with a broken record");
	check_eq(sum(shows(&cmd_count, true, "--input DIR -e sched_run --from +3.9s"), "values.count"), n);
	check_eq(last_status, CLI_OK);
	snprintf(line, sizeof(line), "--input DIR -e sched_run --from %s --last 1", clock_of(BEGAN));
	has(shows(&cmd_count, true, line), "leave out --from");
}

static void diff(void)
{
	const char *text;
	uint64_t ran = of_kind(RUN, BEGAN + NSEC_PER_SEC, BEGAN + 2 * NSEC_PER_SEC);

	text = shows(&cmd_diff, true, "DIR --a +1..+2 --b +2..+4 one");
	check_eq(last_status, CLI_OK);
	check(sum(text, "ran.a") > (int64_t)ran - 4000000 && sum(text, "ran.a") < (int64_t)ran + 4000000);
	check_eq(sum(text, "ran.a"), sum(shows(&cmd_report, true, "--summary DIR one --from +1 --to +2"), "sched_run.total"));
	text = shows(&cmd_diff, true, "DIR --a +1..+2 --b +2..+4 one");
	check_eq(sum(text, "ran.b"), sum(shows(&cmd_report, true, "--summary DIR one --from +2 --to +4"), "sched_run.total"));
	text = shows(&cmd_diff, true, "DIR --a +1..+2 --b +2..+4 one");
	check_eq(sum(text, "waited.b"), sum(shows(&cmd_blame, true, "--input DIR one --from +2 --to +4"), "waited"));
	text = shows(&cmd_diff, true, "DIR --a +1..+2 --b +2..+4");
	check_eq(sum(text, "errors.b"), sum(shows(&cmd_stats, true, "--input DIR --from +2 --to +4"), "errors"));
	text = shows(&cmd_diff, false, "DIR --a +1..+2 --b +2..+4");
	has(text, "\none\n");
	has(text, "because of two");
	has(text, "p99 of a wait");
	has(text, "not in both: cpu_throttled, block_io, tcp_life");
	text = shows(&cmd_diff, false, "DIR DIR");
	has(text, "+0.0%");
	check(!strstr(text, "new") && !strstr(text, "gone"));
	has(shows(&cmd_diff, false, "DIR --a +1..+2"), "choose two times");
	check_eq(last_status, CLI_USAGE);
	has(shows(&cmd_diff, false, "DIR --a +1..+2 --b +9..+10"), "is behind the recording");
	has(shows(&cmd_diff, false, "DIR --a 14:00 --b ..+1"), "is no window: write FROM..TO");
}

static const struct ktap_case cases[] = {
	{ "words", words }, { "a recording", record }, { "views", views }, { "events", events }, { "why", why },
	{ "labels", labels }, { "diff", diff }, { "skipped", skipped },
};

int main(void)
{
	int status = ktap_run(cases, ARRAY_SIZE(cases));
	char cmd[64];

	snprintf(cmd, sizeof(cmd), "rm -rf '%s'", dir);
	if (!getenv("KEEP") && system(cmd))
		status = 1;
	for (int cpu = 0; cpu < CPUS; cpu++)
		free(data[cpu]);
	return status;
}
