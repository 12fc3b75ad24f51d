// SPDX-License-Identifier: GPL-2.0-only
/* Lines of columns: what snoop, tcp and files --slower print for records, hostile ones too. */
#include <stdio.h>
#include <stdlib.h>
#include "base/cli.h"
#include "ktap.h"
#include "make_record.h"
#include "sink_fixture.h"
#include "show/file_ops.h"
#include "show/lines.h"

bool cli_json;

#define INT(n, s)	{ n, CTRACE_FK_INT, 0, s }
#define UINT(n, s)	{ n, CTRACE_FK_UINT, 0, s }
#define COMM_OF(n)	{ n, CTRACE_FK_TEXT, 0, 16 }
#define STRING(n)	{ n, CTRACE_FK_STRING, 0, 0 }
#define BYTES(n)	{ n, CTRACE_FK_SEQ, 0, 1 }
#define ADD(id, system, name, f)	add_type(s, id, system, name, f, sizeof(f) / sizeof((f)[0]))

static struct made m;
static struct lines_opts opts;

static struct sink *new_lines(const struct sink_opts *o)
{
	return sink_lines_new(o, &opts);
}

static struct ctrace_schema *types(void)
{
	static const struct ctrace_field f_fork[] = {
		COMM_OF("parent_comm"), INT("parent_tid", 4), INT("parent_pid", 4),
		COMM_OF("child_comm"), INT("child_tid", 4), INT("child_pid", 4),
	}, f_exec[] = { INT("tid", 4), INT("old_tid", 4), STRING("filename"), STRING("argv") },
	f_exit[] = {
		COMM_OF("comm"), INT("tid", 4), INT("prio", 4), INT("exit_code", 4), INT("pid", 4), INT("ppid", 4),
		UINT("group_dead", 4), INT("wait_status", 4), UINT("start_time", 8),
	},
	f_open[] = {
		UINT("duration", 8), INT("ret", 8), { "marks", CTRACE_FK_UINT, CTRACE_FD_HEX, 8 }, INT("dfd", 8),
		STRING("filename"), INT("flags", 8), UINT("mode", 8), STRING("dfd_path"), STRING("ret_path"),
	}, f_fsync[] = {
		UINT("duration", 8), INT("ret", 8), { "marks", CTRACE_FK_UINT, CTRACE_FD_HEX, 8 }, UINT("fd", 8),
		STRING("fd_path"),
	},
	f_io_uring[] = {
		UINT("duration", 8), UINT("user_data", 8), INT("ret", 4), INT("fd", 4), UINT("opcode", 4),
		UINT("sqe_flags", 4), UINT("file", 4), STRING("path"),
	},
	f_signal[] = {
		INT("sig", 4), INT("code", 4), COMM_OF("comm"), INT("tid", 4), INT("result", 4), INT("sender_tid", 4),
		UINT("sender_cid", 4),
	}, f_connect[] = {
		UINT("duration", 8), INT("error", 4), UINT("sport", 2), UINT("dport", 2), BYTES("saddr"), BYTES("daddr"),
	}, f_life[] = {
		UINT("duration", 8), UINT("tx_bytes", 8), UINT("rx_bytes", 8), UINT("sport", 2), UINT("dport", 2),
		BYTES("saddr"), BYTES("daddr"), UINT("srtt", 4), UINT("min_rtt", 4), UINT("retransmits", 4),
		UINT("before", 4),
	}, f_again[] = {
		UINT("state", 4), UINT("before", 4), UINT("sport", 2), UINT("dport", 2), BYTES("saddr"), BYTES("daddr"),
		UINT("how", 4),
	}, f_cap[] = { INT("cap", 4), UINT("audit", 4), INT("result", 4) };
	struct ctrace_schema *s = ctrace_schema_new();

	ADD(CTRACE_ID_SCHED_PROCESS_FORK, "sched", "sched_process_fork", f_fork);
	ADD(CTRACE_ID_SCHED_PROCESS_EXEC, "sched", "sched_process_exec", f_exec);
	ADD(CTRACE_ID_SCHED_PROCESS_EXIT, "sched", "sched_process_exit", f_exit);
	ADD(CTRACE_ID_CALL + 257, "syscalls", "syscall_openat", f_open);
	ADD(CTRACE_ID_CALL + 74, "syscalls", "syscall_fsync", f_fsync);
	ADD(CTRACE_ID_IO_URING_OP, "io_uring", "io_uring_op", f_io_uring);
	ADD(CTRACE_ID_SIGNAL_GENERATE, "signal", "signal_generate", f_signal);
	ADD(CTRACE_ID_TCP_CONNECT, "sock", "tcp_connect", f_connect);
	ADD(CTRACE_ID_TCP_LIFE, "sock", "tcp_life", f_life);
	ADD(CTRACE_ID_TCP_RETRANSMIT, "sock", "tcp_retransmit", f_again);
	ADD(CTRACE_ID_CAP_CAPABLE, "security", "cap_capable", f_cap);
	return s;
}

static void begin(const struct lines_form *form, bool json)
{
	struct sink_opts o = { 0 };

	cli_json = json;
	opts = (struct lines_opts){ .form = form };
	sink_begin(new_lines, &o, types());
}

static void begin_snoop(const char *word)
{
	const struct lines_form *f = lines_snoop;

	while (strcmp(f->word, word))
		f++;
	begin(f, false);
}

static void give(const struct made *made)
{
	if (sink_lines_takes(sink, &made->rec))
		sink_record(sink, &made->rec);
}

/* Process `pid` forks task `tid` of process `of`. */
static void fork_of(uint64_t time, int32_t pid, int32_t tid, int32_t of)
{
	make(&m, time, CTRACE_ID_SCHED_PROCESS_FORK, 1, pid, 1);
	put_text(&m, "sh", 16);
	put_int(&m, (uint32_t)pid, 4);
	put_int(&m, (uint32_t)pid, 4);
	put_text(&m, "sh", 16);
	put_int(&m, (uint32_t)tid, 4);
	give(put_int(&m, (uint32_t)of, 4));
}

static void execs(void)
{
	begin_snoop("exec");
	fork_of(1000, 100, 101, 101);
	make(&m, 2000, CTRACE_ID_SCHED_PROCESS_EXEC, 1, 101, 2);
	put_int(&m, 101, 4);
	put_int(&m, 101, 4);
	put_string(&m, "/bin/echo");
	give(put_string(&m, "echo one two\\ words \033[31m"));
	sink_expect("CONTAINER        PCOMM            PID     PPID    RET      FILE                     ARGS\n"
		    "web              echo             101     100     0        /bin/echo                echo one two words "
		    "\\x1b[31m\n");
}

static void one_exit(int32_t tid, const char *comm, uint32_t code, uint32_t pid, uint32_t dead, uint32_t status)
{
	make(&m, 3000000000, CTRACE_ID_SCHED_PROCESS_EXIT, 1, tid, 2);
	put_text(&m, comm, 16);
	put_int(&m, (uint32_t)tid, 4);
	put_int(&m, 20, 4);
	put_int(&m, code, 4);
	put_int(&m, pid, 4);
	put_int(&m, pid == 103 ? 0 : 1, 4);	/* hidden; or not the one that forked it any more */
	put_int(&m, dead, 4);
	put_int(&m, status, 4);
	give(put_int(&m, dead ? 1000000000 : 2500000000, 8));
}

static void exits(void)
{
	begin_snoop("exit");
	fork_of(1000000000, 100, 101, 101);
	fork_of(2000000000, 101, 102, 101);	/* a thread */
	fork_of(2500000000, 100, 103, 103);
	/* a line for --all alone: the kernel is asked for the others */
	one_exit(101, "first", 0, 101, 0, 0);
	one_exit(102, "thread", 0, 101, 1, 7 << 8);
	one_exit(103, "killed", 15, 103, 1, 15);
	one_exit(103, "dumped", 11 | 0x80, 103, 1, 11 | 0x80);
	sink_expect("CONTAINER        PCOMM            PID     PPID    TID     AGE(s)   EXIT_CODE\n"
		    "web              first            101     1       101     0.50     0\n"
		    "web              thread           101     1       102     2.00     code 7\n"
		    "web              killed           103     100     103     2.00     signal 15 (SIGTERM)\n"
		    "web              dumped           103     100     103     2.00     signal 11 (SIGSEGV), core dumped\n");
}

static struct made *openat_of(uint64_t duration, int64_t ret, uint64_t marks, const char *path, const char *name)
{
	make(&m, 9000000, CTRACE_ID_CALL + 257, 1, 101, 1);
	put_int(&m, duration, 8);
	put_int(&m, (uint64_t)ret, 8);
	put_int(&m, marks, 8);
	put_int(&m, (uint64_t)-100, 8);
	put_string(&m, path);
	put_int(&m, 0, 8);
	put_int(&m, 0, 8);
	put_string(&m, "/where/it/began");
	return put_string(&m, name);
}

static struct made *op_of(uint32_t opcode, int32_t ret, const char *path)
{
	make(&m, 9000000, CTRACE_ID_IO_URING_OP, 1, 101, 1);
	put_int(&m, 2500000, 8);
	put_int(&m, 0xfeed, 8);
	put_int(&m, (uint32_t)ret, 4);
	put_int(&m, (uint32_t)-1, 4);
	put_int(&m, opcode, 4);
	put_int(&m, 0, 4);
	put_int(&m, 1, 4);
	return put_string(&m, path);
}

/* The condition has the operations that have a name, and no other. */
static void io_uring(void)
{
	begin_snoop("open");
	fork_of(1000, 100, 101, 101);
	give(op_of(18, 4, "/etc/passwd"));
	give(op_of(28, -2, "no\n"));
	sink_expect("CONTAINER        PID     COMM             FD   ERR          PATH\n"
		    "web              101     sh               4    -            /etc/passwd\n"
		    "web              101     sh               -    ENOENT       no\\x0a\n");
	begin(&lines_files, false);
	fork_of(1000, 100, 101, 101);
	give(op_of(23, 1000, "/data/made"));
	give(op_of(4, 500, ""));
	give(op_of(36, -2, "gone"));
	sink_expect("CONTAINER        COMM             PID     OP          BYTES    LAT(ms) ERR      FILENAME\n"
		    "web              sh               101     io_uring:write     1000      2.500 -        /data/made\n"
		    "web              sh               101     io_uring:read      500      2.500 -        -\n"
		    "web              sh               101     io_uring:unlink        -      2.500 ENOENT   gone\n");
	for (uint32_t i = 0; i < 256; i++) {
		char term[32];

		snprintf(term, sizeof(term), "opcode == %u ", i);
		check_eq(strstr(FILE_OPS_IO_URING " ", term) != NULL, file_op_io_uring(i) != NULL);
	}
}

static void opens(void)
{
	begin_snoop("open");
	fork_of(1000, 100, 101, 101);
	give(openat_of(1, 3, 0, "/etc/passwd", ""));
	give(openat_of(1, -2, 0, "not here", ""));
	give(openat_of(1, -14, CTRACE_CALL_M_NULL(1), "", ""));
	sink_expect("CONTAINER        PID     COMM             FD   ERR          PATH\n"
		    "web              101     sh               3    -            /etc/passwd\n"
		    "web              101     sh               -    ENOENT       not here\n"
		    "web              101     sh               -    EFAULT       -\n");
}

static void slow_files(void)
{
	begin(&lines_files, false);
	fork_of(1000, 100, 101, 101);
	give(openat_of(1500000, 3, 0, "name", "/data/name"));
	give(openat_of(1500000, -2, 0, "name", ""));
	make(&m, 9000000, CTRACE_ID_CALL + 74, 1, 101, 1);
	put_int(&m, 8000000, 8);
	put_int(&m, 0, 8);
	put_int(&m, 0, 8);
	put_int(&m, 3, 8);
	give(put_string(&m, "/data/\n"));
	sink_expect("CONTAINER        COMM             PID     OP          BYTES    LAT(ms) ERR      FILENAME\n"
		    "web              sh               101     open            -      1.500 -        /data/name\n"
		    "web              sh               101     open            -      1.500 ENOENT   name\n"
		    "web              sh               101     fsync           -      8.000 -        /data/\\x0a\n");
}

static void signals(void)
{
	begin_snoop("kill");
	fork_of(1000, 100, 101, 101);
	make(&m, 2000, CTRACE_ID_SIGNAL_GENERATE, 1, 101, 2);
	put_int(&m, 15, 4);
	put_int(&m, 0, 4);
	put_text(&m, "victim", 16);
	put_int(&m, 101, 4);
	put_int(&m, 0, 4);
	put_int(&m, 100, 4);
	give(put_int(&m, 1, 4));
	/* only the sender is traced */
	make(&m, 2000, CTRACE_ID_SIGNAL_GENERATE, 1, 100, 2);
	put_int(&m, 34, 4);
	put_int(&m, 0, 4);
	put_text(&m, "", 16);
	put_int(&m, 1000000001, 4);
	put_int(&m, 9, 4);
	put_int(&m, 100, 4);
	give(put_int(&m, 1, 4));
	sink_expect("CONTAINER        SIG       TO               TCOMM            TPID    FROM             COMM             "
		    "PID     RESULT\n"
		    "web              SIGTERM   web              victim           101     web              sh               "
		    "100     delivered\n"
		    "web              34        -                tid-1000000001   1000000001 web              sh               "
		    "100     -\n");
}

static void put_address(const void *v, uint32_t n)
{
	put_int(&m, n, 4);
	memcpy((char *)m.raw + m.len, v, n);
	m.len += n;
	finish(&m);
}

static void connects(void)
{
	static const unsigned char one[4] = { 127, 0, 0, 1 }, two[16] = { 0xfe, 0x80, [15] = 1 };

	begin(&lines_tcp_connects, false);
	fork_of(1000, 100, 101, 101);
	for (int i = 0; i < 3; i++) {
		make(&m, 9000000, CTRACE_ID_TCP_CONNECT, 1, 101, 2);
		put_int(&m, 1234567, 8);
		put_int(&m, i ? (uint32_t)-111 : 0, 4);
		put_int(&m, 4000, 2);
		put_int(&m, 80, 2);
		put_address(i == 2 ? (const void *)"abc" : i ? two : one, i == 2 ? 3 : i ? 16 : 4);
		put_address(one, 4);
		give(&m);
	}
	sink_expect(
		"CONTAINER        COMM             PID     LADDR           LPORT RADDR           RPORT PEER               LAT(ms) ERR\n"
		"web              sh               101     127.0.0.1       4000  127.0.0.1       80    -                    1.235 -\n"
		"web              sh               101     fe80::1         4000  127.0.0.1       80    -                    1.235 ECONNREFUSED\n"
		"web              sh               101     -               4000  127.0.0.1       80    -                    1.235 ECONNREFUSED\n");
}

static void lives(void)
{
	static const unsigned char one[4] = { 10, 0, 0, 1 };

	begin(&lines_tcp_life, true);
	fork_of(1000, 100, 101, 101);
	for (uint32_t before = 0; before < 2; before++) {
		make(&m, 9000000, CTRACE_ID_TCP_LIFE, 1, 101, 2);
		put_int(&m, before ? 0 : 5000000, 8);
		put_int(&m, 1025, 8);
		put_int(&m, 0, 8);
		put_int(&m, 4000, 2);
		put_int(&m, 80, 2);
		put_address(one, 4);
		put_address(one, 4);
		put_int(&m, 1500, 4);
		put_int(&m, 0, 4);
		put_int(&m, 3, 4);
		give(put_int(&m, before, 4));
	}
#define LIFE	"{\"event\":\"tcp_life\",\"time\":9000000,\"realtime\":9000000,\"cid\":1,\"container\":\"web\",\"tid\":101," \
		"\"comm\":\"sh\",\"pid\":101,\"laddr\":\"10.0.0.1\",\"lport\":4000,\"raddr\":\"10.0.0.1\",\"rport\":80," \
		"\"peer\":null,\"tx_bytes\":1025,\"rx_bytes\":0,\"duration\":"
#define QUALITY	",\"srtt\":1500000,\"min_rtt\":null,\"retransmits\":3}\n"
	sink_expect(LIFE "5000000" QUALITY LIFE "null" QUALITY);
}

#define AGAIN \
	"web              sh               101     10.0.0.1        4000  10.0.0.1        80    -                TCP_"

static void sent_again(void)
{
	static const unsigned char one[4] = { 10, 0, 0, 1 };

	begin(&lines_tcp_retransmits, false);
	fork_of(1000, 100, 101, 101);
	for (uint32_t how = 1; how <= 5; how++) {
		make(&m, 9000000, CTRACE_ID_TCP_RETRANSMIT, 1, 101, 2);
		put_int(&m, how == CTRACE_TCP_SYNACK ? 3 : 1, 4);
		put_int(&m, how, 4);
		put_int(&m, 4000, 2);
		put_int(&m, 80, 2);
		put_address(one, 4);
		put_address(one, 4);
		give(put_int(&m, how, 4));
	}
	sink_expect(
		"CONTAINER        COMM             PID     LADDR           LPORT RADDR           RPORT PEER             STATE           "
		"WHY      BEFORE\n" AGAIN "ESTABLISHED TIMEOUT       1\n" AGAIN
		"ESTABLISHED FAST          2\n" AGAIN "ESTABLISHED PROBE         3\n" AGAIN
		"SYN_RECV    SYNACK        4\n" AGAIN "ESTABLISHED 5             5\n");
}

static void capabilities(void)
{
	begin_snoop("cap");
	fork_of(1000, 100, 101, 101);
	for (uint32_t i = 0; i < 2; i++) {
		make(&m, 2000, CTRACE_ID_CAP_CAPABLE, 1, 101, 2);
		put_int(&m, i ? 1000 : 21, 4);
		put_int(&m, 1, 4);
		give(put_int(&m, i ? 0 : (uint32_t)-1, 4));
	}
	/* a record that is too short for its type */
	give(make(&m, 2000, CTRACE_ID_CAP_CAPABLE, 1, 101, 2));
	sink_expect("CONTAINER        COMM             PID      CAP NAME                   AUDIT RESULT\n"
		    "web              sh               101       21 CAP_SYS_ADMIN              1 EPERM\n"
		    "web              sh               101     1000 -                          1 yes\n"
		    "web              sh               101        - -                          - -\n");
}

static const struct ktap_case cases[] = {
	{ "exec: parents are learned from forks; arguments cannot harm a terminal", execs },
	{ "exit: ages, codes and signals, of processes and of threads", exits },
	{ "open: descriptors, errors by name, NULL", opens },
	{ "open, files: operations of io_uring", io_uring },
	{ "files --slower: the name of the descriptor, or what the call was given", slow_files },
	{ "kill: both sides, or the sender alone", signals },
	{ "tcp --connects: addresses of both kinds and of none; errors by name", connects },
	{ "tcp: JSON has bytes and ns; a round trip that was not measured, and the age of what began before, are null", lives },
	{ "tcp --retransmits: why, by name", sent_again },
	{ "cap: names, answers; a record that does not decode", capabilities },
};
KTAP_MAIN(cases)
