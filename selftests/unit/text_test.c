// SPDX-License-Identifier: GPL-2.0-only
/* What the text and JSON sinks print for records: the forms of strace, escapes, losses. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "ktap.h"
#include "make_record.h"
#include "sink_fixture.h"

static struct made m;

static void begin(bool json, int32_t command)
{
	struct sink_opts o = { .relative = true, .command_vtid = command };

	o.clock_offset = 1000000;
	sink_begin(json ? sink_json_new : sink_text_new, &o, make_schema());
	ctable_add(table, &(struct ctrace_container){ .cid = 2 }, "db\033[31m", "podman", true);
}

static void give(const struct made *made)
{
	sink_record(sink, &made->rec);
}

static void one_line(void)
{
	begin(false, 0);
	give(make_openat(&m, 1000000, 1, 107, "/etc/passwd", 02000000));
	give(make_exit(&m, 1012000, 257, 1, 107, 3));
	give(make_openat(&m, 2000000, 1, 107, "/new", 0101));
	give(make_exit(&m, 2003000, 257, 1, 107, -2));
	sink_expect("0.000000 web  107 [vtid 7] openat(AT_FDCWD, \"/etc/passwd\", O_RDONLY|O_CLOEXEC) = 3 <0.000012>\n"
	       "0.001000 web  107 [vtid 7] openat(AT_FDCWD, \"/new\", O_WRONLY|O_CREAT, 0644)"
	       " = -1 ENOENT (No such file or directory) <0.000003>\n");
}

static void unfinished(void)
{
	begin(false, 0);
	give(make_read(&m, 1000000, 1, 101));
	give(make_read(&m, 2000000, 1, 102));
	give(make_exit(&m, 3000000, 0, 1, 102, 5));
	give(make_exit(&m, 4000000, 0, 1, 101, 0));
	sink_expect("0.000000 web  101 [vtid 1] read(3, 0x7f00, 100 <unfinished ...>\n"
	       "0.001000 web  102 [vtid 2] read(3, 0x7f00, 100) = 5 <0.001000>\n"
	       "0.003000 web  101 [vtid 1] <... read resumed>) = 0 <0.003000>\n");
}

static void interrupted(void)
{
	begin(false, 0);
	give(make_read(&m, 1000000, 1, 101));
	make(&m, 2000000, CTRACE_ID_SCHED_SWITCH, 1, 101, 1);
	put_text(&m, "sh", 16);
	put_int(&m, 101, 4);
	put_int(&m, 2, 4);
	put_int(&m, 101, 4);
	give(put_int(&m, 1, 4));
	give(make_exit(&m, 3000000, 0, 1, 101, -512));
	sink_expect("0.000000 web  101 [vtid 1] read(3, 0x7f00, 100 <unfinished ...>\n"
	       "0.001000 web  sh/101 [vtid 1] sched_switch prev_comm=\"sh\" prev_tid=101 vtids=[101, 1]\n"
	       "0.002000 web  sh/101 [vtid 1] <... read resumed>) = ? ERESTARTSYS"
	       " (To be restarted if SA_RESTART is set) <0.002000>\n");
}

static void never_returned(void)
{
	begin(false, 0);
	give(make_read(&m, 1000000, 1, 101));
	give(make_read(&m, 2000000, 1, 101));
	make(&m, 3000000, ENTER(231), 1, 102, 2);
	give(put_int(&m, 1, 8));
	give(make_read(&m, 4000000, 1, 103));
	sink_expect("0.000000 web  101 [vtid 1] read(3, 0x7f00, 100 <unfinished ...>\n"
	       "0.001000 web  101 [vtid 1] read(3, 0x7f00, 100 <unfinished ...>\n"
	       "0.002000 web  102 [vtid 2] exit_group(1) = ?\n"
	       "0.003000 web  103 [vtid 3] read(3, 0x7f00, 100 <unfinished ...>\n");
}

/* rt_sigreturn and similar calls return without their number. */
static void lost_number(void)
{
	begin(false, 0);
	give(make_read(&m, 1000000, 1, 101));
	make(&m, 2000000, CTRACE_ID_SYS_EXIT_UNKNOWN, 1, 101, 1);
	put_int(&m, (uint64_t)-1, 8);
	give(put_int(&m, 13, 8));
	give(make_read(&m, 3000000, 1, 101));
	give(make_read(&m, 4000000, 1, 102));
	make(&m, 5000000, CTRACE_ID_SYS_EXIT_UNKNOWN, 1, 101, 1);
	put_int(&m, (uint64_t)-1, 8);
	give(put_int(&m, 0, 8));
	sink_expect("0.000000 web  101 [vtid 1] read(3, 0x7f00, 100) = 13 <0.001000>\n"
	       "0.002000 web  101 [vtid 1] read(3, 0x7f00, 100 <unfinished ...>\n"
	       "0.003000 web  102 [vtid 2] read(3, 0x7f00, 100 <unfinished ...>\n"
	       "0.004000 web  101 [vtid 1] <... read resumed>) = 0 <0.002000>\n");
}

static void types_with_marks(void)
{
	static const struct ctrace_field entry[] = {
		{ "marks", CTRACE_FK_UINT, CTRACE_FD_HEX, 8 }, { "oldname", CTRACE_FK_STRING, 0, 0 },
		{ "newname", CTRACE_FK_STRING, 0, 0 },
	};
	static const struct ctrace_field whole[] = {
		{ "duration", CTRACE_FK_UINT, 0, 8 }, { "ret", CTRACE_FK_INT, 0, 8 },
		{ "marks", CTRACE_FK_UINT, CTRACE_FD_HEX, 8 }, { "oldname", CTRACE_FK_STRING, 0, 0 },
		{ "newname", CTRACE_FK_STRING, 0, 0 },
	};
	static const struct ctrace_field late[] = {
		{ "argument", CTRACE_FK_UINT, 0, 4 }, { "text", CTRACE_FK_STRING, 0, 0 },
	};
	static const struct ctrace_field number[] = {
		{ "marks", CTRACE_FK_UINT, CTRACE_FD_HEX, 8 }, { "oldname", CTRACE_FK_STRING, 0, 0 },
		{ "number", CTRACE_FK_UINT, 0, 8 },
	};
	static const struct ctrace_field ret[] = { { "ret", CTRACE_FK_INT, 0, 8 } };

	add_type(schema, ENTER(900), "syscalls", "syscall_entry_made_up", number, 3);
	add_type(schema, ENTER(82), "syscalls", "syscall_entry_rename", entry, 3);
	add_type(schema, EXIT(82), "syscalls", "syscall_exit_rename", ret, 1);
	add_type(schema, CTRACE_ID_CALL + 82, "syscalls", "syscall_rename", whole, 5);
	add_type(schema, CTRACE_ID_LATE_ARGUMENT, "ctrace", "late_argument", late, 2);
}

static struct made *make_rename(uint64_t time, int32_t tid, uint64_t marks, const char *from, const char *to)
{
	make(&m, time, ENTER(82), 1, tid, tid % 100);
	put_int(&m, marks, 8);
	put_string(&m, from);
	return put_string(&m, to);
}

static struct made *make_whole(uint64_t duration, int64_t ret, uint64_t marks, const char *from, const char *to)
{
	make(&m, 9000000, CTRACE_ID_CALL + 82, 1, 101, 1);
	put_int(&m, duration, 8);
	put_int(&m, (uint64_t)ret, 8);
	put_int(&m, marks, 8);
	put_string(&m, from);
	return put_string(&m, to);
}

static struct made *make_late(uint64_t time, int32_t tid, uint32_t arg, const char *text)
{
	make(&m, time, CTRACE_ID_LATE_ARGUMENT, 1, tid, tid % 100);
	put_int(&m, arg, 4);
	return put_string(&m, text);
}

/* What came late stands in the call's line; or in that of its return, if the first was shown. */
static void late_strings(void)
{
	begin(false, 0);
	types_with_marks();
	give(make_rename(1000000, 101, CTRACE_CALL_M_UNREAD(1) | CTRACE_CALL_M_NULL(0), "", "0x7f00"));
	give(make_late(1500000, 101, 1, "/a\n"));
	give(make_exit(&m, 2000000, 82, 1, 101, 0));
	give(make_rename(3000000, 101, CTRACE_CALL_M_UNREAD(0), "0x7f00", "/b"));
	give(make_read(&m, 4000000, 1, 102));
	give(make_late(5000000, 101, 0, "/c"));
	give(make_exit(&m, 5000000, 82, 1, 101, 0));
	give(make_rename(6000000, 101, CTRACE_CALL_M_UNREAD(0), "0x7f00", "/b"));
	give(make_late(6500000, 101, 7, "no such argument"));
	give(make_late(6500000, 102, 0, "another task's"));
	give(make_exit(&m, 7000000, 82, 1, 101, -14));
	give(make_rename(8000000, 101, CTRACE_CALL_M_UNREAD(0) | CTRACE_CALL_M_UNREAD(1), "0x7f00", "0x7f10"));
	give(make_read(&m, 9000000, 1, 102));
	give(make_late(9500000, 101, 0, "/e"));
	give(make_late(9500000, 101, 1, "/f"));
	give(make_exit(&m, 10000000, 82, 1, 101, 0));
	sink_expect("0.000000 web  101 [vtid 1] rename(NULL, \"/a\\n\") = 0 <0.001000>\n"
	       "0.002000 web  101 [vtid 1] rename(0x7f00, \"/b\" <unfinished ...>\n"
	       "0.003000 web  102 [vtid 2] read(3, 0x7f00, 100 <unfinished ...>\n"
	       "0.004000 web  101 [vtid 1] <... rename resumed>\"/c\") = 0 <0.002000>\n"
	       "0.005000 web  101 [vtid 1] rename(0x7f00, \"/b\") = -1 EFAULT (Bad address) <0.001000>\n"
	       "0.007000 web  101 [vtid 1] rename(0x7f00, 0x7f10 <unfinished ...>\n"
	       "0.008000 web  102 [vtid 2] read(3, 0x7f00, 100 <unfinished ...>\n"
	       "0.009000 web  101 [vtid 1] <... rename resumed>\"/e\", \"/f\") = 0 <0.002000>\n");
}

static void marks(void)
{
	begin(false, 0);
	types_with_marks();
	give(make_whole(9000000, 0, CTRACE_CALL_M_NULL(1) | CTRACE_CALL_M_UNREAD(0), "0x7f00", ""));
	give(make_whole(0, -1, CTRACE_CALL_M_DENIED, "/a", "/b"));
	give(make_whole(0, -1, CTRACE_CALL_M_UNREAD(0), "not a number", "/b"));
	/* a recording may say what the module never does */
	make(&m, 9000000, ENTER(900), 1, 101, 1);
	put_int(&m, CTRACE_CALL_M_UNREAD(1), 8);
	put_string(&m, "s");
	give(put_int(&m, 77, 8));
	sink_expect("0.000000 web  101 [vtid 1] rename(0x7f00, NULL) = 0 <0.009000>\n"
	       "0.000000 web  101 [vtid 1] rename(\"/a\", \"/b\") = -1 EPERM (Operation not permitted) <denied>\n"
	       "0.000000 web  101 [vtid 1] rename(0x0, \"/b\") = -1 EPERM (Operation not permitted) <0.000000>\n"
	       "0.000000 web  101 [vtid 1] made_up(\"s\", 77 <unfinished ...>\n");
}

static void json_marks(void)
{
	begin(true, 0);
	types_with_marks();
	give(make_whole(0, -1, CTRACE_CALL_M_DENIED | CTRACE_CALL_M_NULL(1) | CTRACE_CALL_M_UNREAD(0), "0x7f00", ""));
	sink_expect("{\"event\":\"syscall_rename\",\"time\":9000000,\"realtime\":10000000,\"cid\":1,\"container\":\"web\","
	       "\"tid\":101,\"vtid\":1,\"syscall\":\"rename\",\"errno\":\"EPERM\",\"duration\":0,\"denied\":true,"
	       "\"fields\":{\"duration\":0,\"ret\":-1,\"oldname\":32512,\"newname\":null}}\n");
}

/* Exits without an entry are printed, except a child's return from clone and our own calls from before
 * exec. */
static void orphans(void)
{
	begin(false, 9);
	give(make_exit(&m, 1000000, 0, 1, 101, 5));
	give(make_exit(&m, 1000000, 56, 1, 102, 0));
	give(make_exit(&m, 1000000, 0, 1, 109, 1));
	make(&m, 2000000, ENTER(59), 1, 109, 9);
	put_string(&m, "/bin/true");
	put_int(&m, 0x1000, 8);
	give(put_int(&m, 0, 8));
	give(make_exit(&m, 3000000, 59, 1, 109, 0));
	sink_expect("0.000000 web  101 [vtid 1] <... read resumed>) = 5\n"
	       "0.001000 web  109 [vtid 9] execve(\"/bin/true\", 0x1000, NULL) = 0 <0.001000>\n");
}

/* A task that has returned from its last call, or is new, has made a call when it returns again. */
static void no_entry(void)
{
	static const struct ctrace_field fork[] = { { "child_tid", CTRACE_FK_INT, 0, 4 } };

	begin(false, 0);
	add_type(schema, CTRACE_ID_SCHED_PROCESS_FORK, "sched", "sched_process_fork", fork, 1);
	give(make_read(&m, 1000000, 1, 101));
	give(make_exit(&m, 2000000, 0, 1, 101, 5));
	give(make_exit(&m, 3000000, 257, 1, 101, -1));
	make(&m, 4000000, CTRACE_ID_SCHED_PROCESS_FORK, 1, 101, 1);
	give(put_int(&m, 102, 4));
	give(make_exit(&m, 5000000, 56, 1, 102, 0));
	give(make_exit(&m, 6000000, 257, 1, 102, 7));
	sink_lost(sink, "overrun", 1);
	give(make_exit(&m, 7000000, 257, 1, 102, -1));
	sink_expect("0.000000 web  101 [vtid 1] read(3, 0x7f00, 100) = 5 <0.001000>\n"
	       "0.002000 web  101 [vtid 1] openat(?) = -1 EPERM (Operation not permitted) <no entry>\n"
	       "0.003000 web  101 [vtid 1] sched_process_fork child_tid=102\n"
	       "0.005000 web  102 [vtid 2] openat(?) = 7 <no entry>\n"
	       "0.006000 web  102 [vtid 2] <... openat resumed>) = -1 EPERM (Operation not permitted)\n");
}

/* A thread that executes a program goes on under its process's number. */
static void other_thread_execs(void)
{
	static const struct ctrace_field exec[] = { { "old_tid", CTRACE_FK_INT, 0, 4 } };

	begin(false, 0);
	add_type(schema, CTRACE_ID_SCHED_PROCESS_EXEC, "sched", "sched_process_exec", exec, 1);
	give(make_read(&m, 1000000, 1, 101));
	make(&m, 2000000, ENTER(59), 1, 102, 2);
	put_string(&m, "/bin/true");
	put_int(&m, 0x1000, 8);
	give(put_int(&m, 0, 8));
	make(&m, 3000000, CTRACE_ID_SCHED_PROCESS_EXEC, 1, 101, 1);
	give(put_int(&m, 102, 4));
	give(make_exit(&m, 4000000, 59, 1, 101, 0));
	sink_expect("0.000000 web  101 [vtid 1] read(3, 0x7f00, 100 <unfinished ...>\n"
	       "0.001000 web  102 [vtid 2] execve(\"/bin/true\", 0x1000, NULL <unfinished ...>\n"
	       "0.002000 web  101 [vtid 1] sched_process_exec old_tid=102\n"
	       "0.003000 web  101 [vtid 1] <... execve resumed>) = 0 <0.002000>\n");
}

/* The clock is set, or the machine sleeps: what was before keeps its time of day. */
static void clock_set(void)
{
	struct sink_opts o = { .clock_offset = 5 };
	struct wall w = { 0 };

	wall_seen(&w, 1000000000000, 1000000);
	wall_seen(&w, 1000000000900, 2000000);	/* not measured better than that */
	check_eq(wall_at(&w, 3), 1000000000003ull);
	wall_seen(&w, 3601000000000000, 50000000);
	check_eq(wall_at(&w, 1999999), 1000001999999ull);
	check_eq(wall_at(&w, 2000000), 3601000002000000ull);
	wall_seen(&w, -5000000000, 90000000);
	check_eq(wall_at(&w, 49999999), 3601000049999999ull);
	check_eq(wall_at(&w, 6000000000), 1000000000ull);
	o.wall = &w;
	sink_begin(sink_json_new, &o, make_schema());
	give(make_exit(&m, 6000000000, 0, 1, 101, 5));
	sink_expect("{\"event\":\"syscall_exit_read\",\"time\":6000000000,\"realtime\":1000000000,\"cid\":1,\"container\":\"web\","
		    "\"tid\":101,\"vtid\":1,\"syscall\":\"read\",\"fields\":{\"ret\":5}}\n");
	/* as it is: the clock of this machine */
	w = (struct wall){ 0 };
	wall_look(&w);
	check_eq(llabs((long long)(wall_at(&w, clock_ns(CLOCK_MONOTONIC)) - clock_ns(CLOCK_REALTIME))) < 1000000000, true);
}

static void hostile(void)
{
	char cut[256];

	memset(cut, 'x', 255);
	cut[255] = '\0';
	begin(false, 0);
	give(make_openat(&m, 1000000, 2, 101, "a\n\"\\\033[2J\001" "1\377", 0));
	give(make_exit(&m, 1000000, 257, 2, 101, 3));
	make(&m, 2000000, 0x3fff, 99, 5, 5);
	give(&m);
	/* a record shorter than its type requires */
	make(&m, 3000000, ENTER(257), 2, 101, 1);
	give(&m);
	sink_expect("0.000000 db\\x1b[31m 101 [vtid 1] openat(AT_FDCWD, \"a\\n\\\"\\\\\\33[2J\\0011\\377\", O_RDONLY)"
	       " = 3 <0.000000>\n"
	       "0.001000 cid-99     5   [vtid 5] event_16383\n"
	       "0.002000 db\\x1b[31m 101 [vtid 1] openat(? <unfinished ...>\n");
	begin(false, 0);
	give(make_openat(&m, 1000000, 1, 101, cut, 0));
	sink_idle(sink);
	fflush(file);
	check(strstr(out, "x\"..., O_RDONLY") != NULL);
	check(strstr(out, "<unfinished ...>") != NULL);
	sink_free(sink);
	fclose(file);
	free(out);
	ctable_free(table);
	ctrace_schema_free(schema);
}

static void json_lines(void)
{
	begin(true, 0);
	give(make_openat(&m, 1000000, 2, 101, "a\"\n\377\302\251", 0));
	give(make_exit(&m, 1500000, 257, 2, 101, -13));
	sink_lost(sink, "overrun", 7);
	give(make_read(&m, 2000000, 1, 101));
	sink_expect("{\"event\":\"syscall_entry_openat\",\"time\":1000000,\"realtime\":2000000,\"cid\":2,"
	       "\"container\":\"db\\u001b[31m\",\"tid\":101,\"vtid\":1,\"syscall\":\"openat\",\"fields\":"
	       "{\"dfd\":-100,\"filename\":\"a\\\"\\n\xef\xbf\xbd\302\251\",\"flags\":0,\"mode\":420}}\n"
	       "{\"event\":\"syscall_exit_openat\",\"time\":1500000,\"realtime\":2500000,\"cid\":2,"
	       "\"container\":\"db\\u001b[31m\",\"tid\":101,\"vtid\":1,\"syscall\":\"openat\","
	       "\"errno\":\"EACCES\",\"duration\":500000,\"fields\":{\"ret\":-13}}\n"
	       "{\"lost\":7,\"cause\":\"overrun\"}\n"
	       "{\"event\":\"syscall_entry_read\",\"time\":2000000,\"realtime\":3000000,\"cid\":1,"
	       "\"container\":\"web\",\"tid\":101,\"vtid\":1,\"syscall\":\"read\",\"fields\":"
	       "{\"fd\":3,\"buf\":\"0x7f00\",\"count\":100}}\n");
}

static void account(void)
{
	struct sbuf b = { 0 };

	begin(false, 0);
	for (int i = 0; i < 300; i++)
		give(make_exit(&m, 1000, 0, (uint32_t)(i * 7 % 30) + 1, 101, 1));
	sink_account(sink, &b);
	check_str(b.s, "300 events from 30 containers");
	give(make_exit(&m, 1000, 0, 0, 101, 1));
	sbuf_reset(&b);
	sink_account(sink, &b);
	check_str(b.s, "301 events from 30 containers and the host");
	sbuf_free(&b);
	sink_free(sink);
	fclose(file);
	free(out);
	ctable_free(table);
	ctrace_schema_free(schema);
}

/* More tasks than the table of calls has places at first, all of them in a call at once. */
static void many_tasks(void)
{
	struct pairs *p = pairs_new();
	unsigned int wrong = 0;

	for (int tid = 1; tid <= 20000; tid++) {
		struct pending *e = pairs_get(p, tid);

		e->id = ENTER(tid % 300);
		e->time = (uint64_t)tid;
	}
	for (int tid = 1; tid <= 20000; tid++) {
		struct pending *e = pairs_get(p, tid);

		wrong += e->time != (uint64_t)tid || !pairs_match(e, (uint16_t)EXIT(tid % 300));
	}
	check_eq(wrong, 0);
	pairs_free(p);
}

static void numbers(void)
{
	uint64_t v;

	check(!parse_duration("2", &v) && v == 2000000000);
	check(!parse_duration("0.5", &v) && v == 500000000);
	check(!parse_duration("500ms", &v) && v == 500000000);
	check(!parse_duration("2m", &v) && v == 120000000000);
	check(parse_duration("", &v) && parse_duration("-1", &v) && parse_duration("2x", &v));
	check(parse_duration("inf", &v) && parse_duration("1e300", &v) && parse_duration("0", &v));
	check(!parse_size("64M", &v) && v == 64 << 20);
	check(!parse_size("512KiB", &v) && v == 512 << 10);
	check(!parse_size("4096", &v) && v == 4096);
	check(parse_size("64X", &v) && parse_size("-1", &v) && parse_size("99999999999T", &v));
	check_eq(edit_distance("web", "wbe"), 1);
	check_eq(edit_distance("kitten", "sitting"), 3);
	check_eq(edit_distance("", "abc"), 3);
}

static const struct ktap_case cases[] = {
	{ "a call and its return are one line, in strace's form", one_line },
	{ "calls that overlap are unfinished and resumed", unfinished },
	{ "an event within a call comes between its halves", interrupted },
	{ "calls that never returned are shown", never_returned },
	{ "a return that lost its number", lost_number },
	{ "returns without a call", orphans },
	{ "the time of day after the clock was set", clock_set },
	{ "returns of calls that had no entry", no_entry },
	{ "a thread's exec returns in its process's first thread", other_thread_execs },
	{ "strings that came late", late_strings },
	{ "what is NULL, unread or denied", marks },
	{ "JSON: what is NULL, unread or denied", json_marks },
	{ "hostile names, strings and records are escaped", hostile },
	{ "JSON: fields, durations, errors, losses, invalid UTF-8", json_lines },
	{ "the account counts events and containers", account },
	{ "calls under way in 20000 tasks at once", many_tasks },
	{ "durations, sizes, edit distances", numbers },
};
KTAP_MAIN(cases)
