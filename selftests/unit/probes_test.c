// SPDX-License-Identifier: GPL-2.0-only
/* The meaning of -e: names, classes, patterns, conditions, exclusions; and what other options add to it. */
#include <stdio.h>
#include <stdlib.h>
#include "events/classes.h"
#include "base/cli.h"
#include "ktap.h"
#include "make_record.h"
#include "events/probes.h"
#include "base/util.h"

/* Replaces main.c's; keeps the last message. */
bool cli_json;
const struct command *cli_cmd;
static char *message;

int cli_vreport(int status, const char *fmt, va_list ap)
{
	free(message);
	if (vasprintf(&message, fmt, ap) < 0)
		message = NULL;
	return status;
}

static void add(struct ctrace_schema *s, struct ctrace_event_type t)
{
	ctrace_schema_add(s, &t, sizeof(t));
}

/* Has this kernel the event of io_uring's operations? */
static bool with_io_uring;

static struct ctrace_schema *schema(void)
{
	static const char *const calls[] = {
		"read", "openat", "close", "futex", "kill", "connect", "execve", "mmap", "unlink",
	};
	static const struct { const char *system, *name, *reason; } events[] = {
		{ "sched", "sched_switch", NULL }, { "sched", "sched_wakeup", NULL },
		{ "sched", "sched_process_fork", NULL }, { "irq", "irq_handler_entry", NULL },
		{ "irq", "irq_lacking", "this kernel has no such tracepoint" },
	};
	struct ctrace_schema *s = ctrace_schema_new();

	add(s, (struct ctrace_event_type){ .id = 1, .name = "lost", .system = "ctrace" });
	for (uint32_t i = 0; i < ARRAY_SIZE(events); i++)
		add(s, (struct ctrace_event_type){
			.id = 2 + i, .name = events[i].name, .system = events[i].system,
			.source = events[i].name, .reason = events[i].reason });
	if (with_io_uring)
		add(s, (struct ctrace_event_type){ .id = CTRACE_ID_IO_URING_OP, .name = "io_uring_op",
				  .system = "io_uring", .source = "io_uring_complete" });
	add(s, (struct ctrace_event_type){ .id = CTRACE_ID_DYNAMIC, .name = "ovl",
			  .system = "kprobes" });
	add(s, (struct ctrace_event_type){ .id = CTRACE_ID_DYNAMIC + 1, .name = "ovl",
			  .system = "kprobes", .definition = "p:ovl ovl_open" });
	for (uint32_t i = 0; i < ARRAY_SIZE(calls); i++) {
		char *name = xasprintf("syscall_entry_%s", calls[i]);

		add(s, (struct ctrace_event_type){ .id = ENTER(i), .name = name,
				  .system = "syscalls", .source = "sys_enter" });
		free(name);
	}
	add(s, (struct ctrace_event_type){ .id = CTRACE_ID_COMPAT_SYS_ENTER,
			  .name = "compat_syscall_entry_socketcall", .system = "syscalls",
			  .source = "sys_enter" });
	add(s, (struct ctrace_event_type){ .id = CTRACE_ID_COMPAT_SYS_ENTER + 1,
			  .name = "compat_syscall_entry_read", .system = "syscalls",
			  .source = "sys_enter" });
	return s;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct probe_want *)a)->name, ((const struct probe_want *)b)->name);
}

/* Returns "openat call:read{ret < 0}": sorted names, with filters in braces; or "!STATUS". */
static char *meant(struct probes_opts *o, const char *const *values)
{
	struct ctrace_schema *s = schema();
	struct probes p = { 0 };
	struct sbuf b = { 0 };
	char *copies[8];
	int status;

	for (o->nevents = 0; values[o->nevents]; o->nevents++)
		copies[o->nevents] = xstrdup(values[o->nevents]);
	o->events = copies;
	status = probes_parse(&p, s, o);
	sbuf_reset(&b);
	if (status)
		sbuf_printf(&b, "!%d", status);
	else
		qsort(p.v, p.n, sizeof(p.v[0]), by_name);
	for (size_t i = 0; !status && i < p.n; i++) {
		sbuf_printf(&b, "%s%s", i ? " | " : "", p.v[i].name);
		if (p.v[i].filter)
			sbuf_printf(&b, "{%s}", p.v[i].filter);
		if (p.v[i].freeze)
			sbuf_puts(&b, "*");
	}
	for (size_t i = 0; i < o->nevents; i++)
		free(copies[i]);
	probes_free(&p);
	ctrace_schema_free(s);
	return b.s;
}

#define VALUES(...)	((const char *const[]){ __VA_ARGS__ __VA_OPT__(,) NULL })
#define expect_opts(opts, want, ...) do {				\
	struct probes_opts o_ = opts;					\
	char *got_ = meant(&o_, VALUES(__VA_ARGS__));			\
	check_str(got_, want);						\
	free(got_);							\
} while (0)
#define NONE		((struct probes_opts){ 0 })
#define expect(want, ...)	expect_opts(NONE, want, __VA_ARGS__)
#define refused(words, ...) do {					\
	struct probes_opts o_ = NONE;					\
	char *got_ = meant(&o_, VALUES(__VA_ARGS__));			\
	check(got_[0] == '!');						\
	check(message && strstr(message, words));			\
	if (!message || !strstr(message, words))			\
		printf("# message: %s\n", message ? message : "none");	\
	free(got_);							\
} while (0)

static void names(void)
{
	expect("syscall:openat | syscall:read", "openat,read");
	expect("syscall:openat | syscall:read", "openat", "read", "openat");
	expect("syscall:openat", "trace=openat");
	expect("syscall:openat", "syscall_entry_openat");
	expect("sched_switch", "sched:sched_switch");
	expect("syscall:socketcall", "socketcall");
	expect("call:openat", "call:openat");
	expect("calls", "calls");
	expect("kprobe:do_exit", "kprobe:do_exit");
	expect("ext4:ext4_da_write_begin", "ext4:ext4_da_write_begin");
	expect("raw:sched_switch", "raw:sched_switch");
	expect("irq:sched_switch", "irq:sched_switch");	/* the kernel says that there is no such event */
	refused("did you mean 'openat'", "opneat");
	refused("no such tracepoint", "irq_lacking");
	refused("needs an event: ", "");
	refused("no event or system call 'unknown'", "unknown");
	refused("no event or system call 'notif'", "notif");	/* its end is no condition */
}

static void groups(void)
{
	expect("sched_process_fork | sched_switch | sched_wakeup", "sched");
	expect("irq_handler_entry", "irq");		/* without the events that this kernel lacks */
	expect("sched_process_fork | syscalls");
	expect("sched_wakeup", "sched_w*");
	expect("sched_wakeup", "sched:*wakeup");
	expect("syscall:openat", "open*");
	expect("irq_handler_entry | sched_process_fork | sched_switch | sched_wakeup | syscalls", "all");
	expect("kprobes:ovl", "ovl");
	expect("kprobes:ovl", "kprobes");
	expect("syscalls", "syscalls,openat");
	expect("syscalls", "openat", "syscalls");
}

static void class_words(void)
{
	expect("syscall:execve | syscall:openat | syscall:unlink", "%file");
	expect("syscall:connect", "%network");
	expect("syscall:connect", "%net");
	expect("syscall:execve | syscall:kill", "%process");
	expect("syscall:mmap", "%memory");
	expect("syscall:kill", "%signal");
	expect("syscall:close | syscall:mmap | syscall:openat | syscall:read | syscall:socketcall",
	       "%desc");
	refused("did you mean 'network'", "%netwrok");
	check(class_has("file", "openat") && !class_has("file", "open_") && !class_has("file", "pen"));
	check(class_has("network", "shutdown") && class_has("file", "access") && !class_has("x", "openat"));
	for (size_t i = 0; class_name(i); i++)
		check(class_exists(class_name(i)));
}

/* include/uapi/linux/io_uring.h */
#define OPEN_STAT	"opcode == 18 || opcode == 21 || opcode == 28"
#define RENAMES		"opcode >= 35 && opcode <= 39 || opcode == 42 || opcode == 44"
#define FILE_CALLS	" | syscall:execve | syscall:openat | syscall:unlink"
#define SOCKETS		"opcode >= 9 && opcode <= 10 || opcode == 13 || opcode == 16 || " \
			"opcode >= 26 && opcode <= 27 || opcode == 34 || opcode == 45 || " \
			"opcode >= 47 && opcode <= 48 || opcode >= 56 && opcode <= 58"

static void operations(void)
{
	struct probes_opts o = { .failed = true };
	char *cond;

	with_io_uring = true;
	expect("io_uring_op{" OPEN_STAT " || " RENAMES "}" FILE_CALLS, "%file");
	expect("io_uring_op{" SOCKETS "} | syscall:connect", "%net");
	expect("io_uring_op{opcode == 25} | syscall:mmap", "%memory");
	/* no operation sends a signal */
	expect("syscall:kill", "%signal");
	/* one condition for all classes of one condition, so that neighbours share two comparisons */
	expect("io_uring_op{opcode == 18 || opcode == 21 || opcode == 25 || opcode == 28 || " RENAMES "}"
	       " | syscall:execve | syscall:mmap | syscall:openat | syscall:unlink", "%file,%memory");
	expect("call:execve{ret < 0} | call:openat{ret < 0} | call:unlink{ret < 0} | "
	       "io_uring_op{opcode == 25 || (" OPEN_STAT " || " RENAMES ") && (ret < 0)} | syscall:mmap",
	       "%memory,%file if ret < 0");
	/* what leaves out a call leaves out its operation */
	expect("io_uring_op{opcode == 21 || " RENAMES "} | syscall:execve | syscall:unlink", "%file,!open*");
	expect("io_uring_op | sched_process_fork | syscalls");
	expect("io_uring_op{!(opcode == 25)} | sched_process_fork | syscall:close | syscall:connect | "
	       "syscall:execve | syscall:futex | syscall:kill | syscall:openat | syscall:read | "
	       "syscall:socketcall | syscall:unlink", "!%memory");
	/* the event by its own name has all; a call has none */
	expect("io_uring_op" FILE_CALLS, "%file,io_uring_op");
	expect("io_uring_op{ret < 0}" FILE_CALLS, "%file", "io_uring_op if ret < 0");
	expect("syscall:execve | syscall:openat | syscall:unlink", "%file,!io_uring_op");
	expect("syscall:openat", "openat");
	expect_opts(o, "call:kill{ret < 0 && ret >= -4095}", "%signal");
	expect_opts(o, "call:mmap{ret < 0 && ret >= -4095} | "
		    "io_uring_op{(opcode == 25) && ret < 0 && ret >= -4095}", "%memory");
	expect_opts(o, "calls{ret < 0 && ret >= -4095} | io_uring_op{ret < 0 && ret >= -4095}");
	o = (struct probes_opts){ .calls_alone = true };
	expect_opts(o, "syscall:mmap", "%memory");
	o.events = (char *[]){ (char *)"read,%memory if ret < 0" };
	o.nevents = 1;
	check(!probes_ops(&o, &cond));
	check_str(cond, "(opcode == 25) && (ret < 0)");
	free(cond);
	with_io_uring = false;
}

static void left_out(void)
{
	expect("syscall:execve | syscall:unlink", "%file,!openat");
	expect("syscall:execve | syscall:unlink", "!open*", "%file");
	expect("sched_process_fork | syscall:close | syscall:connect | syscall:execve | syscall:kill | "
	       "syscall:mmap | syscall:openat | syscall:read | syscall:socketcall | syscall:unlink",
	       "!futex");
	expect("syscall:connect | syscall:execve | syscall:futex | syscall:kill | syscall:unlink",
	       "syscalls,!%memory,!%desc,close");
	expect("sched_switch | sched_wakeup", "sched,!sched_process_*");
	expect("syscalls", "!sched");
	refused("no event or system call 'futx'", "!futx");
	refused("takes no condition", "!futex if ret < 0");
	refused("leaves nothing to record", "openat,!openat");
}

static void conditions(void)
{
	expect("call:openat{ret < 0} | syscall:read", "read,openat if ret < 0");
	expect("sched_switch{prev_comm ~ \"nginx*\" && prev_prio < 100}",
	       "sched:sched_switch if prev_comm ~ \"nginx*\" && prev_prio < 100");
	expect("call:openat{filename ~ \"a,b if c\"}", "openat if filename ~ \"a,b if c\"");
	expect("sched_switch{(prev_tid == 1)}", "sched_switch if(prev_tid == 1)");
	expect("calls{ret == -13}", "syscalls if ret == -13");
	expect("call:execve{ret < 0} | call:openat{ret < 0} | call:unlink{ret < 0}", "%file if ret < 0");
	/* An event named by itself takes precedence over its class. */
	expect("call:openat{ret < 0} | syscall:execve | syscall:unlink", "%file", "openat if ret < 0");
	expect("call:openat{ret < 0} | syscall:close | syscall:connect | syscall:execve | syscall:futex | "
	       "syscall:kill | syscall:mmap | syscall:read | syscall:socketcall | syscall:unlink",
	       "syscalls", "openat if ret < 0");
	refused("'openat' twice", "openat if ret < 0", "openat if ret > 0");
	refused("'sched_switch' twice", "sched_switch", "sched_switch if prev_tid == 1");
	refused("'if' needs an event before it", "if ret < 0");
	refused("'if' needs a condition after it", "openat if ");
}

/* A star means that it freezes. */
static void freezing(void)
{
	expect("call:openat{ret < 0}*", "openat if ret < 0 => freeze");
	expect("call:openat* | syscall:read", "read,openat=>freeze");
	expect("call:openat{filename ~ \"a => b\"}*", "openat if filename ~ \"a => b\" =>  freeze ");
	expect("call:openat{filename ~ \"\\\"=>\"}", "openat if filename ~ \"\\\"=>\"");
	expect("calls{duration > 9}*", "syscalls if duration > 9 => freeze");
	expect("kprobe:vfs_read* | sched_switch", "sched_switch", "kprobe:vfs_read => freeze");
	expect("p:x ovl_open*", "p:x ovl_open => freeze");
	/* the same event asked for twice freezes; one of a call does not make the others do so */
	expect("sched_switch*", "sched_switch", "sched_switch => freeze");
	expect("call:openat{ret < 0}* | syscall:execve | syscall:unlink", "%file", "openat if ret < 0 => freeze");
	refused("only 'freeze' can follow", "openat => count()");
	refused("only 'freeze' can follow", "openat =>");
	refused("cannot freeze", "openat => count(), freeze");
	refused("takes no '=> freeze'", "openat,!close => freeze");
	refused("needs an event", "=> freeze");
	refused("'if' needs a condition after it", "openat if => freeze");
}

static void definitions(void)
{
	expect("p:ovl ovl_fill_merge ctx=%di name=+0(%si):string",
	       "p:ovl ovl_fill_merge ctx=%di name=+0(%si):string");
	expect("r:opened do_sys_openat2 fd=$retval{fd < 0}", "r:opened do_sys_openat2 fd=$retval if fd < 0");
	expect("p do_exit if=%di", "p do_exit if=%di");
	check(probe_is_definition("p:x y") && probe_is_definition("r8:x y") && probe_is_definition("p y") &&
	      probe_is_definition("f:x y") && probe_is_definition("f16:x y"));
	check(!probe_is_definition("prctl") && !probe_is_definition("read") && !probe_is_definition("poll") &&
	      !probe_is_definition("func:x") && !probe_is_definition("fsync"));
}

static void options(void)
{
	struct probes_opts o = { .longer = 200000000 };

	expect_opts(o, "calls{duration >= 200000000}");
	expect_opts(o, "call:openat{duration >= 200000000} | sched_switch", "openat,sched_switch");
	o.failed = true;
	expect_opts(o, "call:openat{(flags & 1) && duration >= 200000000 && ret < 0 && ret >= -4095}",
		    "openat if flags & 1");
	o.longer = 0;
	expect_opts(o, "calls{ret < 0 && ret >= -4095}");
	expect_opts(o, "!2", "sched_switch");
	check(message && strstr(message, "--failed selects system calls"));
	o = (struct probes_opts){ .frequency = 99 };
	expect_opts(o, "sample:99");
	expect_opts(o, "sample:99 | syscall:openat", "openat");
}

static const struct ktap_case cases[] = {
	{ "events, calls, raw tracepoints and kprobes by name", names },
	{ "groups, patterns, definitions, all", groups },
	{ "strace's classes; what the kernel lacks is passed over", class_words },
	{ "operations of io_uring go with the calls of their names", operations },
	{ "!NAME leaves out", left_out },
	{ "EVENT if EXPRESSION, to the end of the -e", conditions },
	{ "EVENT => freeze", freezing },
	{ "kprobes by definition", definitions },
	{ "--longer, --failed and -F", options },
};
KTAP_MAIN(cases)
