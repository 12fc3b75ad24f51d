// SPDX-License-Identifier: GPL-2.0-only
/*
 * The library's writer of traces, by its public calls: directories that it takes and refuses, what it leaves
 * after errors, numbers, types that are added while it writes. What a killed one leaves is ctf_killed_test's.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libctrace.h"
#include "ctf_format.h"
#include "ktap.h"
#include "make_record.h"

static char dir[64];
static struct ctrace_schema *schema;
static struct ctrace_ctf *w;

static struct run {
	struct ctrace_run run;
	char data[4096];
} one;

/* Makes a run of n records that begins at a time. */
static const struct ctrace_run *reads(uint32_t cid, uint64_t time, uint32_t n)
{
	struct made m;

	memset(&one, 0, sizeof(one));
	one.run = (struct ctrace_run) {
		.slot = cid, .cid = cid, .cpu = 1, .count = n, .data = one.data, .time_begin = time,
	};
	for (uint32_t i = 0; i < n; i++) {
		make_read(&m, time + i, cid, 100);
		one.run.last = (void *)(one.data + one.run.len);
		memcpy(one.data + one.run.len, m.raw, m.rec.len);
		one.run.len += m.rec.len;
		one.run.time_end = m.rec.time;
	}
	return &one.run;
}

static int add(const struct ctrace_run *run)
{
	return ctrace_ctf_write(w, run) ?: ctrace_ctf_done(w, run, true);
}

/* In place of the reader's: one run each time, or an error. */
static int reader_err;
int ctrace_reader_runs(struct ctrace_reader *r, ctrace_run_fn fn, ctrace_run_done_fn done, void *arg)
{
	(void)r;
	return reader_err ?: fn(&one.run, arg) ?: done(&one.run, true, arg) ?: 1;
}

static void start(void)
{
	strcpy(dir, "/tmp/ctrace-writer-XXXXXX");
	check(mkdtemp(dir) != NULL);
	schema = make_schema();
	w = NULL;
	reader_err = 0;
}

static void finish_case(void)
{
	char cmd[128];

	ctrace_schema_free(schema);
	snprintf(cmd, sizeof(cmd), "rm -rf '%s'", dir);
	check_eq(system(cmd), 0);
}

static const char *path(const char *name)
{
	static char p[160];

	snprintf(p, sizeof(p), "%s/%s", dir, name);
	return p;
}

static bool there(const char *name)
{
	return !access(path(name), F_OK);
}

static void touch(const char *name)
{
	fclose(fopen(path(name), "w"));
}

static int begin(const char *at, uint32_t flags)
{
	return ctrace_ctf_open(AT_FDCWD, at, schema, &(struct ctrace_ctf_opts){ sizeof(struct ctrace_ctf_opts), flags },
			       &w);
}

/* Reads a file of the trace; the text is good until the next call. */
static const char *text_of(const char *name)
{
	static char text[16384];
	FILE *f = fopen(path(name), "r");

	text[f ? fread(text, 1, sizeof(text) - 1, f) : 0] = '\0';
	if (f)
		fclose(f);
	return text;
}

/* The number of events that babeltrace2 reads; -1: it refuses the trace. -2: there is no babeltrace2. */
static int babeltrace(const char *at)
{
	char cmd[160], line[512];
	int n = 0;
	FILE *p;

	if (system("command -v babeltrace2 >/dev/null"))
		return -2;
	snprintf(cmd, sizeof(cmd), "babeltrace2 '%s' 2>/dev/null", at);
	p = popen(cmd, "r");
	while (fgets(line, sizeof(line), p))
		n++;
	return pclose(p) ? -1 : n;
}

static void check_events(const char *at, int n)
{
	int seen = babeltrace(at);

	if (seen == -2)
		printf("# no babeltrace2\n");
	else
		check_eq(seen, n);
}

static void bad_directories(void)
{
	start();
	touch("file");
	check_eq(begin(path("file/t"), 0), -ENOTDIR);
	check(w && strstr(ctrace_ctf_errmsg(w), "/file/t': Not a directory"));
	/* it is good for nothing else, and says so */
	check_eq(ctrace_ctf_metadata(w), -ENOTDIR);
	check_eq(add(reads(7, 1000, 1)), -ENOTDIR);
	check_eq(ctrace_ctf_close(w), -ENOTDIR);
	check_eq(begin(path("none/t"), 0), -ENOENT);
	check(strstr(ctrace_ctf_errmsg(w), "/none/t': No such file"));
	check_eq(ctrace_ctf_close(w), -ENOENT);
	check_eq(begin(path("file"), 0), -ENOTDIR);
	check_eq(ctrace_ctf_close(w), -ENOTDIR);
	check_eq(ctrace_ctf_close(NULL), 0);
	check_str(ctrace_ctf_errmsg(NULL), "out of memory");
	finish_case();
}

static void relative(void)
{
	struct stat st;
	int fd;

	start();
	fd = open(dir, O_RDONLY | O_DIRECTORY);
	umask(022);
	check_eq(ctrace_ctf_open(fd, "t", schema, NULL, &w), 0);
	close(fd);	/* it has its own */
	check_eq(add(reads(7, 1000, 5)), 0);
	check_str(ctrace_ctf_errmsg(w), "");
	check_eq(ctrace_ctf_close(w), 0);
	check_eq(stat(path("t/c7_1"), &st), 0);
	check_eq(st.st_mode & 0777, 0644);
	check_eq(stat(path("t"), &st), 0);
	check_eq(st.st_mode & 0777, 0755);
	check_events(path("t"), 5);
	finish_case();
}

static void options(void)
{
	struct { struct ctrace_ctf_opts o; uint64_t more; } longer = { .o.sz = sizeof(longer) };
	struct ctrace_ctf_opts none = { .sz = 0 };

	start();
	check_eq(ctrace_ctf_open(AT_FDCWD, dir, schema, &none, &w), -EINVAL);
	check_eq(ctrace_ctf_close(w), -EINVAL);
	check_eq(begin(dir, 1u << 31), -EINVAL);
	check_eq(ctrace_ctf_close(w), -EINVAL);
	longer.more = 1;
	check_eq(ctrace_ctf_open(AT_FDCWD, dir, schema, &longer.o, &w), -E2BIG);
	check(strstr(ctrace_ctf_errmsg(w), "newer"));
	check_eq(ctrace_ctf_close(w), -E2BIG);
	check(!there("metadata"));
	longer.more = 0;
	check_eq(ctrace_ctf_open(AT_FDCWD, dir, schema, &longer.o, &w), 0);
	check_eq(ctrace_ctf_close(w), 0);
	check(there("metadata"));
	finish_case();
}

static void existing_files(void)
{
	static const char *const ours[] = {
		"metadata", "c3_0", "shared_1.2", "ctrace/schema.json", "ctrace/symbols.json", "ctrace/c3_0.1.new",
	};
	static const char *const theirs[] = { "precious", "c3_0.txt", "ctrace/Makefile" };
	size_t i;

	start();
	check_eq(mkdir(path("ctrace"), 0755), 0);
	for (i = 0; i < sizeof(ours) / sizeof(ours[0]); i++)
		touch(ours[i]);
	for (i = 0; i < sizeof(theirs) / sizeof(theirs[0]); i++)
		touch(theirs[i]);
	check_eq(begin(dir, 0), -ENOTEMPTY);
	check(strstr(ctrace_ctf_errmsg(w), "not empty"));
	check_eq(ctrace_ctf_close(w), -ENOTEMPTY);
	for (i = 0; i < sizeof(ours) / sizeof(ours[0]); i++)
		check(there(ours[i]));
	check_eq(begin(dir, CTRACE_CTF_REPLACE), 0);
	for (i = 1; i < sizeof(ours) / sizeof(ours[0]); i++)
		check(!there(ours[i]));
	check(strstr(text_of("metadata"), "CTF 1.8"));
	/* a name that the trace needs and something else has: it is not replaced */
	touch("c7_1");
	check_eq(add(reads(7, 1000, 5)), -EEXIST);
	check(strstr(ctrace_ctf_errmsg(w), "c7_1: File exists"));
	check_eq(ctrace_ctf_close(w), -EEXIST);
	/* no packet was written: nothing is left but what is not ours */
	check(!there("metadata") && there("c7_1"));
	for (i = 0; i < sizeof(theirs) / sizeof(theirs[0]); i++)
		check(there(theirs[i]));
	finish_case();
}

static void limit_files(rlim_t to, struct rlimit *was)
{
	struct rlimit lim;

	getrlimit(RLIMIT_FSIZE, &lim);
	if (was)
		*was = lim;
	lim.rlim_cur = to;
	check_eq(setrlimit(RLIMIT_FSIZE, &lim), 0);
}

/* The limit comes after the writer has looked for one, so that a write fails as on a full disk. */
static void no_space(void)
{
	struct rlimit was;
	int err;

	start();
	signal(SIGXFSZ, SIG_IGN);
	/* before the first packet */
	check_eq(begin(path("a"), 0), 0);
	limit_files(100, &was);
	err = add(reads(7, 1000, 5));
	limit_files(was.rlim_cur, NULL);
	check_eq(err, -EFBIG);
	check(strstr(ctrace_ctf_errmsg(w), "/a/c7_1: File too large"));
	check_eq(add(reads(7, 2000, 5)), -EFBIG);
	check_eq(ctrace_ctf_file(w, "more", "", 0), -EFBIG);
	check_eq(ctrace_ctf_close(w), -EFBIG);
	check(!there("a/metadata") && !there("a/ctrace") && !there("a/c7_1"));
	check_eq(rmdir(path("a")), 0);
	/* after it: the trace up to there is whole */
	check_eq(begin(path("b"), 0), 0);
	check_eq(add(reads(7, 1000, 5)), 0);
	limit_files(400, &was);
	err = add(reads(7, 2000, 5));
	limit_files(was.rlim_cur, NULL);
	check_eq(err, -EFBIG);
	check_eq(ctrace_ctf_drain(w, NULL), -EFBIG);
	check_eq(ctrace_ctf_close(w), -EFBIG);
	check(there("b/c7_1"));
	check_events(path("b"), 5);
	finish_case();
}

/* A file beside the streams is written whole or not at all. */
static void half_a_file(void)
{
	char text[8192];
	struct rlimit was;
	int err;

	start();
	signal(SIGXFSZ, SIG_IGN);
	memset(text, 'x', sizeof(text));
	check_eq(begin(path("a"), 0), 0);
	limit_files(sizeof(text) - 100, &was);
	err = ctrace_ctf_file(w, "more", text, sizeof(text));
	limit_files(was.rlim_cur, NULL);
	check_eq(err, -EFBIG);
	check(!there("a/ctrace/more"));
	check_eq(ctrace_ctf_close(w), -EFBIG);
	finish_case();
}

/* A limit that is known from the start is no error. */
static void short_files(void)
{
	struct ctrace_ctf_info info;
	struct rlimit was;
	int err = 0;

	start();
	limit_files(16384, &was);
	check_eq(begin(path("t"), 0), 0);
	for (uint64_t i = 1; i <= 20 && !err; i++)
		err = add(reads(7, 1000 * i, 40));
	limit_files(was.rlim_cur, NULL);
	check_eq(err, 0);
	ctrace_ctf_info(w, &info, sizeof(info));
	check(info.streams > 1);
	check_eq(info.records, 20 * 40);
	check_eq(ctrace_ctf_close(w), 0);
	check(there("t/c7_1") && there("t/c7_1.1"));
	check_events(path("t"), 20 * 40);
	finish_case();
}

/* The program has nearly all of its files open: the streams take turns. */
static void few_files(void)
{
	struct rlimit lim, was;
	int fds[64], n = 0, err = 0;

	start();
	getrlimit(RLIMIT_NOFILE, &was);
	lim = was;
	lim.rlim_cur = 40;
	check_eq(begin(path("t"), 0), 0);
	check_eq(setrlimit(RLIMIT_NOFILE, &lim), 0);
	while (n < 64 && (fds[n] = dup(1)) >= 0)
		n++;
	for (int i = 0; i < 3 && n; i++)
		close(fds[--n]);
	for (uint64_t t = 1; t <= 2; t++)
		for (uint32_t cid = 1; cid <= 10 && !err; cid++)
			err = add(reads(cid, 1000 * t, 2));
	check_eq(err, 0);
	check_eq(ctrace_ctf_close(w), 0);
	while (n)
		close(fds[--n]);
	setrlimit(RLIMIT_NOFILE, &was);
	check_events(path("t"), 2 * 2 * 10);
	finish_case();
}

static void metadata_again(void)
{
	struct ctrace_run *run = &one.run;
	struct made m;

	start();
	check_eq(begin(path("t"), 0), 0);
	check_eq(add(reads(7, 1000, 5)), 0);
	check(!strstr(text_of("t/metadata"), "brand_new"));
	add_type(schema, CTRACE_ID_DYNAMIC, "kprobes", "brand_new", NULL, 0);
	check_eq(ctrace_ctf_metadata(w), 0);
	check(strstr(text_of("t/metadata"), "brand_new"));
	check(strstr(text_of("t/metadata"), "syscall_entry_read"));
	check(!there("t/ctrace/metadata.new"));
	reads(7, 2000, 1);
	make(&m, 2000, CTRACE_ID_DYNAMIC, 7, 100, 1);
	memcpy(one.data, m.raw, m.rec.len);
	run->len = m.rec.len;
	check_eq(add(run), 0);
	check_events(path("t"), 6);	/* also before its end */
	check_eq(ctrace_ctf_close(w), 0);
	check_events(path("t"), 6);
	finish_case();
}

static void own_files(void)
{
	static const char *const bad[] = { "", ".", "..", ".x", "a/b", "../x", "x.new", "c3_0", "shared_1.1" };
	char name[300];

	start();
	check_eq(begin(path("t"), 0), 0);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		check_eq(ctrace_ctf_file(w, bad[i], "x", 1), -EINVAL);
	memset(name, 'n', sizeof(name));
	name[252] = '\0';
	check_eq(ctrace_ctf_file(w, name, "x", 1), -EINVAL);
	name[251] = '\0';
	check_eq(ctrace_ctf_file(w, name, "x", 1), 0);
	check_eq(ctrace_ctf_file(w, "names.json", "{ old and longer }", 18), 0);
	check_eq(ctrace_ctf_file(w, "names.json", "{}", 2), 0);
	check_str(text_of("t/ctrace/names.json"), "{}");
	check(!there("t/ctrace/names.json.new"));
	check_eq(ctrace_ctf_close(w), 0);
	finish_case();
}

static void numbers(void)
{
	struct { struct ctrace_ctf_info i; uint64_t more; } longer;
	struct ctrace_run *run = &one.run;
	struct ctrace_ctf_info info;
	struct stat first, second;

	start();
	check_eq(begin(path("t"), 0), 0);
	check_eq(ctrace_ctf_done(w, reads(7, 1000, 5), true), -EINVAL);
	check_eq(ctrace_ctf_write(w, run), 0);
	check_eq(ctrace_ctf_done(w, run, true), 0);
	check_eq(ctrace_ctf_done(w, run, true), -EINVAL);
	/* overwritten: it leaves nothing, and what was lost before it comes again */
	reads(7, 2000, 5);
	run->lost = 3;
	run->refused = 4;
	check_eq(ctrace_ctf_write(w, run), 0);
	check_eq(ctrace_ctf_done(w, run, false), 0);
	check_eq(ctrace_ctf_done(w, run, true), -EINVAL);
	ctrace_ctf_info(w, &info, sizeof(info));
	check_eq(info.records, 5);
	check_eq(info.lost, 0);
	/* time runs backwards: the losses are written in another file */
	reads(7, 500, 2);
	run->lost = 8;
	run->refused = 4;
	check_eq(ctrace_ctf_drain(w, NULL), 1);
	ctrace_ctf_info(w, &info, sizeof(info));
	check_eq(info.records, 7);
	check_eq(info.lost, 12);
	check_eq(info.streams, 2);
	check(info.clock_offset_ns > 0);
	/* a packet's head has the magic first, then the uuid */
	check(!memcmp(text_of("t/c7_1") + 4, info.uuid, sizeof(info.uuid)));
	/* by another size */
	memset(&longer, 0xff, sizeof(longer));
	ctrace_ctf_info(w, &longer.i, sizeof(longer));
	check(!memcmp(&longer.i, &info, sizeof(info)) && !longer.more);
	memset(&longer, 0xff, sizeof(longer));
	ctrace_ctf_info(w, &longer.i, offsetof(struct ctrace_ctf_info, bytes));
	check_eq(longer.i.records, 7);
	check_eq(longer.i.bytes, ~0ull);
	check_eq(ctrace_ctf_close(w), 0);
	/* each file begins with a packet without events, so that a reader can see the next one's losses; not counted */
	check_eq(stat(path("t/c7_1"), &first), 0);
	check_eq(stat(path("t/c7_1.1"), &second), 0);
	check_eq(first.st_size + second.st_size, info.bytes + 2 * sizeof(struct ctrace_ctf_packet));
	finish_case();
}

static void bad_rings(void)
{
	start();
	check_eq(begin(path("t"), 0), 0);
	check_eq(add(reads(7, 1000, 5)), 0);
	reader_err = -EPROTO;
	check_eq(ctrace_ctf_drain(w, NULL), -EPROTO);
	check(strstr(ctrace_ctf_errmsg(w), "rings"));
	reader_err = 0;
	check_eq(ctrace_ctf_drain(w, NULL), -EPROTO);
	check_eq(ctrace_ctf_close(w), -EPROTO);
	check_events(path("t"), 5);
	finish_case();
}

static const struct ktap_case cases[] = {
	{ "directories that cannot be made or are none", bad_directories },
	{ "a path that begins at a descriptor; modes", relative },
	{ "options by their size", options },
	{ "a directory with files in it", existing_files },
	{ "no space: nothing is left, or a whole trace", no_space },
	{ "a file that cannot be written whole is not there", half_a_file },
	{ "a limit on the length of files", short_files },
	{ "fewer descriptors than streams", few_files },
	{ "metadata after a type was added", metadata_again },
	{ "files beside the streams", own_files },
	{ "numbers, and what _done() accepts", numbers },
	{ "rings that make no sense", bad_rings },
};
KTAP_MAIN(cases)
