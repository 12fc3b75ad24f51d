// SPDX-License-Identifier: GPL-2.0-only
/*
 * Stacks: they find their event among others, get names from tables of symbols, are printed as text, JSON
 * and folded lines, and are kept in a file and read back.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "show/comms.h"
#include "elf_file.h"
#include "ktap.h"
#include "make_record.h"
#include "sink_fixture.h"
#include "ctf/sink_ctf.h"

static struct symbols *symbols;
static struct made m;

/* The symbols that a recording would have brought along. */
static const char saved[] = "{\"symbols\":["
	"{\"tid\":0,\"addr\":\"ffffffff81000010\",\"exact\":false,\"name\":\"schedule+0x10\"},"
	"{\"tid\":0,\"addr\":\"ffffffff81000020\",\"exact\":false,\"name\":\"ovl_open+0x8 [overlay]\"},"
	"{\"tid\":0,\"addr\":\"ffffffff81000030\",\"exact\":true,\"name\":\"do_idle+0x3\"},"
	"{\"tid\":0,\"addr\":\"ffffffff81000040\",\"exact\":false,\"name\":\"pipe_read.part.0+0x7\"},"
	"{\"tid\":0,\"addr\":\"ffffffff81000050\",\"exact\":false,\"name\":\"mutex_lock+0x7\"},"
	"{\"tid\":0,\"addr\":\"ffffffff81000060\",\"exact\":false,\"name\":\"downstream+0x7\"},"
	"{\"tid\":101,\"addr\":\"401000\",\"exact\":true,\"name\":\"ma;in\\u001b+0x4 [app]\"}]}";

static struct ctrace_schema *stack_schema(void)
{
	static const struct ctrace_field f_whole[] = { { "duration", CTRACE_FK_UINT, 0, 8 }, { "ret", CTRACE_FK_INT, 0, 8 } };
	static const struct ctrace_field f_stack[] = {
		{ "event", CTRACE_FK_UINT, 0, 4 }, { "callstack", CTRACE_FK_SEQ, CTRACE_FD_HEX, 8 },
	};
	static const struct ctrace_field f_sample[] = {
		{ "ip", CTRACE_FK_UINT, CTRACE_FD_HEX, 8 }, { "user", CTRACE_FK_UINT, 0, 4 },
		{ "callstack_kernel", CTRACE_FK_SEQ, CTRACE_FD_HEX, 8 }, { "hz", CTRACE_FK_UINT, 0, 4 },
		{ "callstack_user", CTRACE_FK_SEQ, CTRACE_FD_HEX, 8 },
	};
	static const struct ctrace_field f_exec[] = { { "filename", CTRACE_FK_STRING, 0, 0 } };
	struct ctrace_schema *s = make_schema();

	add_type(s, CTRACE_ID_SCHED_PROCESS_EXEC, "sched", "sched_process_exec", f_exec, 1);
	add_type(s, CTRACE_ID_KERNEL_STACK, "ctrace", "kernel_stack", f_stack, 2);
	add_type(s, CTRACE_ID_USER_STACK, "ctrace", "user_stack", f_stack, 2);
	add_type(s, CTRACE_ID_CALL + 39, "syscalls", "syscall_getpid", f_whole, 2);
	add_type(s, CTRACE_ID_CPU_SAMPLE, "ctrace", "cpu_sample", f_sample, 5);
	return s;
}

static void load(struct symbols *s, const char *text)
{
	char path[] = "/tmp/ctrace-symbols-XXXXXX";
	int fd = mkstemp(path);

	check(write(fd, text, strlen(text)) == (ssize_t)strlen(text));
	close(fd);
	check_eq(symbols_load(s, path), 0);
	unlink(path);
}

static void begin(struct sink *(*new)(const struct sink_opts *o), uint32_t stacks)
{
	struct sink_opts o = { .relative = true, .stacks = stacks };

	o.symbols = symbols = symbols_new(false);
	load(symbols, saved);
	sink_begin(new, &o, stack_schema());
}

static void expect(const char *want)
{
	sink_expect(want);
	symbols_free(symbols);
}

static void give(const struct made *made)
{
	sink_record(sink, &made->rec);
}

static struct made *a_switch(uint64_t time, int32_t tid)
{
	make(&m, time, CTRACE_ID_SCHED_SWITCH, 1, tid, tid % 100);
	put_text(&m, "sh", 16);
	put_int(&m, (uint64_t)tid, 4);
	return put_int(&m, 0, 4);
}

static struct made *a_stack(uint64_t time, bool kernel, int32_t tid, uint32_t of, uint64_t a, uint64_t b)
{
	make(&m, time, kernel ? CTRACE_ID_KERNEL_STACK : CTRACE_ID_USER_STACK, 1, tid, tid % 100);
	put_int(&m, of, 4);
	put_int(&m, 1 + !!b, 4);
	put_int(&m, a, 8);
	return b ? put_int(&m, b, 8) : finish(&m);
}

static void text(void)
{
	begin(sink_text_new, CTRACE_PROBE_F_STACK | CTRACE_PROBE_F_USER_STACK);
	give(a_switch(1000000, 101));
	give(a_switch(1000001, 102));		/* in another CPU's ring */
	give(a_stack(1000002, true, 101, CTRACE_ID_SCHED_SWITCH, 0xffffffff81000010, 0xffffffff81000020));
	give(a_stack(1000003, true, 102, CTRACE_ID_SCHED_SWITCH, 0xffffffff81000010, 0));
	give(a_stack(1000004, false, 101, CTRACE_ID_SCHED_SWITCH, 0x401000, 0x5));
	give(a_stack(1000005, false, 102, CTRACE_ID_SCHED_SWITCH, 0x401000, 0));
	give(a_stack(500000000, true, 103, CTRACE_ID_SCHED_SWITCH, 0xffffffff81000010, 0));
	expect("0.000000 web  sh/101 [vtid 1] sched_switch prev_comm=\"sh\" prev_tid=101 vtids=[]\n"
	       "    > schedule+0x10\n    > ovl_open+0x8 [overlay]\n    > ma;in\\x1b+0x4 [app]\n    > 0x5\n"
	       "0.000000 web  sh/102 [vtid 2] sched_switch prev_comm=\"sh\" prev_tid=102 vtids=[]\n"
	       "    > schedule+0x10\n    > 0x401000\n"
	       "0.499000 web  103    [vtid 3] kernel_stack event=2\n    > schedule+0x10\n");
}

/* Something interrupts the task before the first event's stack is written: each stack finds its own event. */
static void interrupted(void)
{
	begin(sink_text_new, CTRACE_PROBE_F_STACK);
	make(&m, 1000000, CTRACE_ID_SCHED_PROCESS_EXEC, 1, 101, 1);
	give(put_string(&m, "/x"));
	give(a_switch(1000001, 101));
	give(a_stack(1000002, true, 101, CTRACE_ID_SCHED_PROCESS_EXEC, 0xffffffff81000010, 0));
	give(a_stack(1000003, true, 101, CTRACE_ID_SCHED_SWITCH, 0xffffffff81000020, 0));
	expect("0.000000 web  x/101 [vtid 1] sched_process_exec filename=\"/x\"\n    > schedule+0x10\n"
	       "0.000000 web  sh/101 [vtid 1] sched_switch prev_comm=\"sh\" prev_tid=101 vtids=[]\n    > ovl_open+0x8 [overlay]\n");
}

/* An entry's stack is printed under the call's single line, and not once more under its return. */
static void calls(void)
{
	begin(sink_text_new, CTRACE_PROBE_F_STACK);
	give(make_read(&m, 1000000, 1, 101));
	give(a_stack(1000001, true, 101, ENTER(0), 0xffffffff81000010, 0));
	give(make_exit(&m, 1012000, 0, 1, 101, 5));
	give(a_stack(1012001, true, 101, EXIT(0), 0xffffffff81000020, 0));
	give(make_read(&m, 3000000, 1, 101));
	give(a_stack(3000001, true, 101, ENTER(0), 0xffffffff81000010, 0));
	give(a_switch(3500000, 102));
	give(a_stack(3500001, true, 102, CTRACE_ID_SCHED_SWITCH, 0xffffffff81000020, 0));
	give(make_exit(&m, 4000000, 0, 1, 101, 5));
	give(a_stack(4000001, true, 101, EXIT(0), 0xffffffff81000020, 0));
	expect("0.000000 web  101 [vtid 1] read(3, 0x7f00, 100) = 5 <0.000012>\n    > schedule+0x10\n"
	       "0.002000 web  101 [vtid 1] read(3, 0x7f00, 100 <unfinished ...>\n    > schedule+0x10\n"
	       "0.002500 web  sh/102 [vtid 2] sched_switch prev_comm=\"sh\" prev_tid=102 vtids=[]\n"
	       "    > ovl_open+0x8 [overlay]\n"
	       "0.003000 web  101    [vtid 1] <... read resumed>) = 5 <0.001000>\n");
}

/* A whole call with the stack of its sleep: the innermost function that shows the reason counts. */
static void give_slept(uint64_t inner, uint64_t outer)
{
	make(&m, 2000000, CTRACE_ID_CALL + 39, 1, 101, 1);
	put_int(&m, 0, 8);
	give(put_int(&m, 7, 8));
	make(&m, 2000001, CTRACE_ID_KERNEL_STACK, 1, 101, 1);
	put_int(&m, CTRACE_ID_CALL + 39, 4);
	put_int(&m, 3, 4);
	put_int(&m, inner, 8);
	put_int(&m, 0xffffffff81000060, 8);
	give(put_int(&m, outer, 8));
}

static void waited(void)
{
	static const char call[] = "0.000000 web  101 [vtid 1] getpid() = 7 <0.000000>\n";
	char want[1024];

	begin(sink_text_new, CTRACE_PROBE_F_STACK);
	give_slept(0xffffffff81000010, 0xffffffff81000040);
	give_slept(0xffffffff81000050, 0xffffffff81000040);	/* no sleep: it ran */
	give_slept(0xffffffff81000010, 0xffffffff81000020);
	snprintf(want, sizeof(want), "%s    waited for: pipe\n    > schedule+0x10\n    > downstream+0x7\n"
		 "    > pipe_read.part.0+0x7\n%s    > mutex_lock+0x7\n    > downstream+0x7\n    > pipe_read.part.0+0x7\n"
		 "%s    waited for: other\n    > schedule+0x10\n    > downstream+0x7\n    > ovl_open+0x8 [overlay]\n",
		 call, call, call);
	expect(want);
	begin(sink_json_new, CTRACE_PROBE_F_STACK);
	give_slept(0xffffffff81000010, 0xffffffff81000050);
	expect("{\"event\":\"syscall_getpid\",\"time\":2000000,\"realtime\":2000000,\"cid\":1,\"container\":\"web\","
	       "\"tid\":101,\"vtid\":1,\"syscall\":\"getpid\",\"duration\":0,\"fields\":{\"duration\":0,\"ret\":7},"
	       "\"waited_for\":\"lock\",\"kernel_stack\":[\"schedule+0x10\",\"downstream+0x7\",\"mutex_lock+0x7\"]}\n");
}

static struct made *a_sample(uint64_t time)
{
	make(&m, time, CTRACE_ID_CPU_SAMPLE, 1, 101, 1);
	put_int(&m, 0xffffffff81000030, 8);
	put_int(&m, 0, 4);
	put_int(&m, 2, 4);
	put_int(&m, 0xffffffff81000030, 8);
	put_int(&m, 0xffffffff81000010, 8);
	put_int(&m, 99, 4);
	put_int(&m, 1, 4);
	return put_int(&m, 0x401000, 8);
}

static void json_lines(void)
{
	begin(sink_json_new, 0);
	give(a_sample(1000));
	expect("{\"event\":\"cpu_sample\",\"time\":1000,\"realtime\":1000,\"cid\":1,\"container\":\"web\","
	       "\"tid\":101,\"vtid\":1,\"fields\":{\"ip\":\"0xffffffff81000030\",\"user\":0,"
	       "\"callstack_kernel\":[\"0xffffffff81000030\",\"0xffffffff81000010\"],\"hz\":99,"
	       "\"callstack_user\":[\"0x401000\"]},\"kernel_stack\":[\"do_idle+0x3\",\"schedule+0x10\"],"
	       "\"user_stack\":[\"ma;in\\\\x1b+0x4 [app]\"]}\n");
}

static void folded(void)
{
	begin(sink_folded_new, CTRACE_PROBE_F_STACK);
	make(&m, 500, CTRACE_ID_SCHED_PROCESS_EXEC, 1, 101, 1);
	give(put_string(&m, "/usr/bin/my;app"));
	give(a_sample(1000));
	give(a_sample(2000));
	give(a_switch(3000, 102));
	give(a_stack(3001, true, 102, CTRACE_ID_SCHED_SWITCH, 0xffffffff81000010, 0x77));
	give(a_switch(4000, 103));		/* it has no stack, and does not count */
	expect("web;my:app;ma:in\\x1b;schedule;do_idle 2\n"
	       "web;sh;0x77;schedule 1\n");
}

/* Report finds what the recorder keeps; a second exec of the task does not mislead it. */
static void kept(void)
{
	struct symbols *live = symbols_new(true), *read;
	uint64_t here = (uint64_t)(uintptr_t)&fopen, unknown = 0x10;
	char own[128], *text;
	struct sbuf b = { 0 };
	struct made made[2];
	char run[2 * sizeof(made[0].raw)];
	size_t len = 0;

	snprintf(own, sizeof(own), "%s", symbols_user(live, getpid(), here, true));
	check(strstr(own, "+0x") != NULL);
	check_str(symbols_user(live, getpid(), unknown, false), "0x10");
	/* as records */
	schema = stack_schema();
	made[0] = *a_stack(1, false, getpid(), 2, here + 1, unknown);
	memcpy(run, made[0].raw, made[0].rec.len);
	len += made[0].rec.len;
	ctf_symbols_scan(live, schema, run, len);
	/* a record that claims to be longer than the run */
	made[0].rec.len = 0xfff8;
	memcpy(run, made[0].raw, 64);
	ctf_symbols_scan(live, schema, run, 64);
	symbols_save(live, &b);
	check(strstr(b.s, "0x10\"") == NULL);
	read = symbols_new(false);
	load(read, b.s);
	check_str(symbols_user(read, getpid(), here, true), own);
	text = xstrdup(symbols_user(live, getpid(), here + 1, true));
	check_str(symbols_user(read, getpid(), here + 1, true), text);
	check_str(symbols_user(read, getpid() + 1, here, true) + 0, symbols_user(read, 1, here, true));
	free(text);
	sbuf_free(&b);
	symbols_free(live);
	symbols_free(read);
	ctrace_schema_free(schema);
}

static void kallsyms(void)
{
	char text[] = "ffffffff81000000 T _stext\nffffffff81000000 t __hidden\nffffffff81000100 t b\n"
		      "ffffffff81000180 D data\nffffffffc0000000 t ovl_open\t[overlay]\nrubbish\n\n"
		      "ffffffffc0000040 T ovl_read\t[overlay]\n";
	char none[] = "0000000000000000 T _stext\n0000000000000000 T b\n";
	struct symtab t = { 0 };
	const struct symbol *s;
	FILE *f = fmemopen(text, strlen(text), "r");

	check_eq(symtab_read_kallsyms(&t, f), 5);
	fclose(f);
	s = symtab_find(&t, 0xffffffff810000ff);
	check(s && !strcmp(symtab_name(&t, s), "_stext") && !symtab_module(&t, s));
	s = symtab_find(&t, 0xffffffff81000190);
	check(s && !strcmp(symtab_name(&t, s), "b"));
	s = symtab_find(&t, 0xffffffffc0000044);
	check(s && !strcmp(symtab_name(&t, s), "ovl_read") && !strcmp(symtab_module(&t, s), "overlay"));
	check(!symtab_find(&t, 0xfffffffe00000000) && !symtab_find(&t, 0xfffffffff0000000));
	symtab_free(&t);
	/* a size ends a function before the next one begins */
	symtab_add(&t, 0x1000, 0x10, "f", 1, NULL, 1);
	symtab_add(&t, 0x1020, 0x10, "g", 1, NULL, 1);
	symtab_sort(&t);
	s = symtab_find(&t, 0x100f);
	check(s && !strcmp(symtab_name(&t, s), "f"));
	check(!symtab_find(&t, 0x1010) && !symtab_find(&t, 0x101f) && !symtab_find(&t, 0xfff));
	s = symtab_find(&t, 0x1020);
	check(s && !strcmp(symtab_name(&t, s), "g"));
	symtab_free(&t);
	f = fmemopen(none, strlen(none), "r");
	check_eq(symtab_read_kallsyms(&t, f), 0);
	fclose(f);
	symtab_free(&t);
}

/* ctrace reads files inside containers: every length and every spoilt byte of a file must be harmless. */
static void elf_files(void)
{
	struct symtab t = { 0 };
	char path[] = "/tmp/ctrace-elf-XXXXXX";
	int self = open("/proc/self/exe", O_RDONLY), fd = mkstemp(path);
	static char image[64 << 10];
	struct elf_facts facts;
	ssize_t n;

	unlink(path);
	check(read_elf(&t, self, &facts));
	check(t.n > 10);
	symtab_free(&t);
	n = pread(self, image, sizeof(image), 0);
	check(n == sizeof(image));
	for (size_t i = 0; i < 64; i++) {
		char was = image[i];

		for (int v = 0; v < 256; v += 15) {
			image[i] = (char)v;
			check(pwrite(fd, image, sizeof(image), 0) == sizeof(image));
			read_elf(&t, fd, &facts);
			symtab_free(&t);
		}
		image[i] = was;
	}
	for (off_t cut = 0; cut < 256; cut += 7) {
		check(!ftruncate(fd, cut));
		check(!read_elf(&t, fd, &facts));
		symtab_free(&t);
	}
	close(fd);
	close(self);
}

static const struct ktap_case cases[] = {
	{ "text: frames under their event, however rings are merged", text },
	{ "each stack with its own event of the task", interrupted },
	{ "text: a call's stack is shown once", calls },
	{ "what a call waited for, by the functions on its stack", waited },
	{ "JSON: stacks of samples as names", json_lines },
	{ "folded: counted by container, name of the task, and stack", folded },
	{ "what was looked up is kept for report", kept },
	{ "kallsyms: modules, data, hidden addresses", kallsyms },
	{ "ELF files, whole and spoilt", elf_files },
};
KTAP_MAIN(cases)
