// SPDX-License-Identifier: GPL-2.0-only
/* The forms: which events, and their columns. */
#include <arpa/inet.h>
#include <inttypes.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include "names/cgroup_files.h"
#include "show/file_ops.h"
#include "show/lines.h"

/* --- columns of many forms ---------------------------------------------------- */

/* Of the process, as the event has it, if it does; else only if it is known. */
static bool get_ppid(struct line *l, struct sbuf *b, int64_t *n)
{
	const struct task *t;

	(void)b;
	if (line_number(l, "ppid", n) && *n)
		return true;
	t = comms_task(l->comms, l->rec->tid);
	if (t->pid && t->pid != t->tid)
		t = comms_task(l->comms, t->pid);
	*n = t->ppid;
	return *n;
}

static bool get_tid(struct line *l, struct sbuf *b, int64_t *n)
{
	(void)b;
	*n = l->rec->tid;
	return true;
}

static bool get_errno(struct line *l, struct sbuf *b, int64_t *n)
{
	return line_number(l, "ret", n) && line_errno(b, *n);
}

#define PPID	{ "PPID", "ppid", -7, LINES_NUMBER, get_ppid }
#define ERR	{ "ERR", "errno", -12, LINES_TEXT, get_errno }

/* --- exec ----------------------------------------------------------------------- */

static bool get_exec_ret(struct line *l, struct sbuf *b, int64_t *n)
{
	if (l->rec->id == CTRACE_ID_SCHED_PROCESS_EXEC)
		sbuf_puts(b, "0");
	return l->rec->id == CTRACE_ID_SCHED_PROCESS_EXEC || get_errno(l, b, n);
}

static bool get_args(struct line *l, struct sbuf *b, int64_t *n)
{
	const struct ctrace_value *argv = line_field(l, "argv"), *data = line_field(l, "argv_data");
	struct sbuf arg = { 0 };
	bool more = true;

	(void)n;
	if (argv && argv->field->kind == CTRACE_FK_STRING) {
		const char *s = argv->str.s, *end = s + argv->str.len;

		for (bool first = true; more; first = false) {
			more = argv_next(&s, end, &arg);
			sbuf_puts(b, first ? "" : " ");
			sbuf_put(b, arg.s, arg.len);
		}
		sbuf_free(&arg);
		if (argv->str.len >= CTRACE_ARGV_MAX - 2)
			sbuf_puts(b, "...");
		return true;
	}
	/* a call that failed: all strings, each with its NUL */
	if (!data || data->field->kind != CTRACE_FK_SEQ || !data->seq.n)
		return line_text(l, b, "filename");
	for (size_t i = 0; i < data->seq.n; i++) {
		char c = (char)ctrace_value_at(data, i);

		if (c || i + 1 < data->seq.n)
			sbuf_putc(b, c ? c : ' ');
	}
	return true;
}

static bool get_exec_file(struct line *l, struct sbuf *b, int64_t *n)
{
	(void)n;
	return line_text(l, b, "filename");
}

static const struct lines_column exec_columns[] = {
	{ "PCOMM", "comm", -16, LINES_TEXT, line_get_comm }, LINES_PID, PPID,
	{ "RET", "ret", -8, LINES_TEXT, get_exec_ret },
	{ "FILE", "file", -24, LINES_TEXT, get_exec_file },
	{ "ARGS", "args", 0, LINES_TEXT, get_args },
	{ NULL, NULL, 0, 0, NULL }
};

/* --- open ------------------------------------------------------------------------ */

static bool get_fd(struct line *l, struct sbuf *b, int64_t *n)
{
	(void)b;
	return line_number(l, "ret", n) && !syscall_errno(*n);
}

static bool get_path(struct line *l, struct sbuf *b, int64_t *n)
{
	(void)n;
	return line_text(l, b, "filename") || line_text(l, b, "pathname") || line_text(l, b, "path");
}

static const struct lines_column open_columns[] = {
	LINES_PID, LINES_COMM,
	{ "FD", "fd", -4, LINES_NUMBER, get_fd }, ERR,
	{ "PATH", "path", 0, LINES_TEXT, get_path },
	{ NULL, NULL, 0, 0, NULL }
};

/* --- exit ------------------------------------------------------------------------ */

/* The process's, if its last thread ends; else the thread's. */
static bool get_age(struct line *l, struct sbuf *b, int64_t *n)
{
	int64_t began;

	(void)b;
	if (!line_number(l, "start_time", &began))
		return false;
	*n = (int64_t)l->rec->time - began;
	return *n >= 0;
}

/* As wait() returns it of a process; of a thread that leaves others, its own. */
static bool get_exit_code(struct line *l, struct sbuf *b, int64_t *n)
{
	const char *name;
	int status, sig;

	if (!line_number(l, line_number(l, "group_dead", n) && *n ? "wait_status" : "exit_code", n))
		return false;
	status = (int)*n;
	sig = status & 0x7f;
	name = signal_name(sig);
	if (!sig) {
		sbuf_printf(b, status >> 8 ? "code %d" : "%d", status >> 8 & 0xff);
		return true;
	}
	sbuf_printf(b, "signal %d (%s)%s", sig, name ? name : "?", status & 0x80 ? ", core dumped" : "");
	return true;
}

static const struct lines_column exit_columns[] = {
	{ "PCOMM", "comm", -16, LINES_TEXT, line_get_comm }, LINES_PID, PPID,
	{ "TID", "tid", -7, LINES_NUMBER, get_tid },
	{ "AGE(s)", "age", -8, LINES_SECONDS, get_age },
	{ "EXIT_CODE", "exit_code", 0, LINES_TEXT, get_exit_code },
	{ NULL, NULL, 0, 0, NULL }
};

/* --- oom ------------------------------------------------------------------------- */

static bool get_comm_field(struct line *l, struct sbuf *b, int64_t *n)
{
	(void)n;
	return line_text(l, b, "comm");
}

static bool get_victim(struct line *l, struct sbuf *b, int64_t *n)
{
	(void)b;
	return line_number(l, "pid", n);
}

static bool get_score_adj(struct line *l, struct sbuf *b, int64_t *n)
{
	(void)b;
	return line_number(l, "oom_score_adj", n);
}

static bool get_trigger(struct line *l, struct sbuf *b, int64_t *n)
{
	return line_number(l, "trigger_tid", n) && *n && line_number(l, "trigger_cid", n) &&
	       line_container(l, b, (uint32_t)*n);
}

static bool get_trigger_comm(struct line *l, struct sbuf *b, int64_t *n)
{
	(void)n;
	return line_text(l, b, "trigger_comm");
}

static bool get_trigger_tid(struct line *l, struct sbuf *b, int64_t *n)
{
	(void)b;
	return line_number(l, "trigger_tid", n) && *n;
}

/* What the victim's container may use, if it lives yet. */
static bool get_limit(struct line *l, struct sbuf *b, int64_t *n)
{
	struct cgroup_files *files = cgroup_files_new();
	uint64_t bytes;
	bool has = cgroup_memory_limit(files, &ctable_get(l->ctable, l->rec->cid)->c, &bytes);

	(void)n;
	cgroup_files_free(files);
	if (has)
		sbuf_size(b, bytes);
	return has;
}

static const struct lines_column oom_columns[] = {
	{ "COMM", "comm", -16, LINES_TEXT, get_comm_field },
	{ "PID", "pid", -7, LINES_NUMBER, get_victim },
	{ "ADJ", "oom_score_adj", 5, LINES_NUMBER, get_score_adj },
	{ "LIMIT", "limit", 7, LINES_TEXT, get_limit },
	{ "TRIGGERED_BY", "by", -16, LINES_TEXT, get_trigger },
	{ "BY_COMM", "by_comm", -16, LINES_TEXT, get_trigger_comm },
	{ "BY_TID", "by_tid", 0, LINES_NUMBER, get_trigger_tid },
	{ NULL, NULL, 0, 0, NULL }
};

/* --- cap ------------------------------------------------------------------------- */

static bool get_cap(struct line *l, struct sbuf *b, int64_t *n)
{
	(void)b;
	return line_number(l, "cap", n);
}

static bool get_cap_name(struct line *l, struct sbuf *b, int64_t *n)
{
	const char *name = line_number(l, "cap", n) ? capability_name(*n) : NULL;

	sbuf_puts(b, name ? name : "");
	return name;
}

static bool get_audit(struct line *l, struct sbuf *b, int64_t *n)
{
	(void)b;
	return line_number(l, "audit", n);
}

static bool get_cap_result(struct line *l, struct sbuf *b, int64_t *n)
{
	if (!line_number(l, "result", n))
		return false;
	if (!line_errno(b, *n))
		sbuf_puts(b, "yes");
	return true;
}

static const struct lines_column cap_columns[] = {
	LINES_COMM, LINES_PID,
	{ "CAP", "cap", 4, LINES_NUMBER, get_cap },
	{ "NAME", "name", -22, LINES_TEXT, get_cap_name },
	{ "AUDIT", "audit", 5, LINES_NUMBER, get_audit },
	{ "RESULT", "result", 0, LINES_TEXT, get_cap_result },
	{ NULL, NULL, 0, 0, NULL }
};

/* --- kill ------------------------------------------------------------------------ */

/* Is it the sender's record? If only the sender is traced, the receiver's container is not known. */
static bool of_sender(const struct line *l)
{
	int64_t to;

	return line_number(l, "tid", &to) && to != l->rec->tid;
}

static bool get_signal(struct line *l, struct sbuf *b, int64_t *n)
{
	const char *name;

	if (!line_number(l, "sig", n))
		return false;
	name = *n > 0 && *n < 65 ? signal_name((int)*n) : NULL;
	if (name)
		sbuf_puts(b, name);
	else
		sbuf_printf(b, "%" PRId64, *n);
	return true;
}

static bool get_to(struct line *l, struct sbuf *b, int64_t *n)
{
	(void)n;
	return !of_sender(l) && line_container(l, b, l->rec->cid);
}

static bool get_to_comm(struct line *l, struct sbuf *b, int64_t *n)
{
	if (line_text(l, b, "comm"))
		return true;
	if (!line_number(l, "tid", n) || !*n)
		return false;
	sbuf_puts(b, comms_get(l->comms, (int32_t)*n));
	return true;
}

static bool get_to_pid(struct line *l, struct sbuf *b, int64_t *n)
{
	(void)b;
	return line_number(l, "tid", n);
}

static bool get_from(struct line *l, struct sbuf *b, int64_t *n)
{
	return line_number(l, "sender_tid", n) && *n && line_number(l, "sender_cid", n) &&
	       line_container(l, b, (uint32_t)*n);
}

static bool get_from_comm(struct line *l, struct sbuf *b, int64_t *n)
{
	if (!line_number(l, "sender_tid", n) || !*n)
		return false;
	sbuf_puts(b, comms_get(l->comms, (int32_t)*n));
	return true;
}

static bool get_from_pid(struct line *l, struct sbuf *b, int64_t *n)
{
	const struct task *t;

	(void)b;
	if (!line_number(l, "sender_tid", n) || !*n)
		return false;
	t = comms_task(l->comms, (int32_t)*n);
	*n = t->pid ? t->pid : *n;
	return true;
}

/* The kernel's enum of the tracepoint. */
static bool get_kill_result(struct line *l, struct sbuf *b, int64_t *n)
{
	static const char *const results[] = { "delivered", "ignored", "pending", "overflow", "lost" };

	if (!line_number(l, "result", n) || *n < 0 || (size_t)*n >= ARRAY_SIZE(results))
		return false;
	sbuf_puts(b, results[*n]);
	return true;
}

static const struct lines_column kill_columns[] = {
	{ "SIG", "sig", -9, LINES_TEXT, get_signal },
	{ "TO", "to", -16, LINES_TEXT, get_to },
	{ "TCOMM", "to_comm", -16, LINES_TEXT, get_to_comm },
	{ "TPID", "to_pid", -7, LINES_NUMBER, get_to_pid },
	{ "FROM", "from", -16, LINES_TEXT, get_from },
	{ "COMM", "comm", -16, LINES_TEXT, get_from_comm },
	{ "PID", "pid", -7, LINES_NUMBER, get_from_pid },
	{ "RESULT", "result", 0, LINES_TEXT, get_kill_result },
	{ NULL, NULL, 0, 0, NULL }
};

/* --- mount ----------------------------------------------------------------------- */

/* As strace shows it. */
static bool get_call(struct line *l, struct sbuf *b, int64_t *n)
{
	const struct call_values c = { l->p, l->v, l->n };
	const struct call_form *form;

	if (l->p->call.phase != SYSCALL_WHOLE || l->n < 2)
		return false;
	sbuf_printf(b, "%s(", l->p->call.name);
	form = syscall_put_args(b, &c, &c);
	sbuf_puts(b, ") ");
	*n = l->v[1].i;
	syscall_put_result(b, form, &c, &c, *n);
	return true;
}

static const struct lines_column mount_columns[] = {
	LINES_COMM, LINES_PID,
	{ "CALL", "call", 0, LINES_TEXT, get_call },
	{ NULL, NULL, 0, 0, NULL }
};

/* --- all of snoop ------------------------------------------------------------------ */

const struct lines_form lines_snoop[] = {
	{ .word = "exec", .summary = "programs that are started, with their arguments", .events = "sched_process_exec",
	  .failures = "execve,execveat", .columns = exec_columns },
	{ .word = "open", .summary = "files that are opened, and what is looked for in vain",
	  .events = "open,openat,openat2,creat", .io_uring = FILE_OPS_IO_URING_OPEN,
	  .columns = open_columns },
	{ .word = "exit", .summary = "processes that end: how old they were, and why",
	  .events = "sched_process_exit", .usual = "group_dead == 1",
	  .failed = "wait_status != 0 || (group_dead == 0 && exit_code != 0)", .columns = exit_columns },
	{ .word = "oom", .summary = "processes that the OOM killer ends, and who needed the memory",
	  .events = "oom_mark_victim", .no_failed = true, .time = true, .columns = oom_columns },
	{ .word = "cap", .summary = "capabilities that the kernel asks for, and what it decides",
	  .events = "cap_capable", .usual = "audit == 1", .failed = "result < 0", .columns = cap_columns },
	{ .word = "kill", .summary = "signals that tasks send, from whom to whom; and all SIGKILLs",
	  .events = "signal_generate", .no_failed = true, .time = true,
	  .usual = "code == 0 || code == -1 || code == -6 || sig == 9", .columns = kill_columns },
	{ .word = "mount", .summary = "file systems that are mounted and unmounted",
	  .events = "mount,umount,umount2,pivot_root,move_mount,open_tree,fsopen,fsconfig,fsmount,fspick,mount_setattr",
	  .columns = mount_columns },
	{ .word = NULL }
};

/* --- files --------------------------------------------------------------------------- */

static const char *op_of(const struct line *l)
{
	const char *op = NULL;
	int64_t opcode;

	if (l->rec->id != CTRACE_ID_IO_URING_OP)
		return file_op(l->p->call.name);
	if (line_number(l, "opcode", &opcode))
		op = file_op_io_uring((uint64_t)opcode);
	return op ? op : "?";
}

static bool get_op(struct line *l, struct sbuf *b, int64_t *n)
{
	(void)n;
	sbuf_printf(b, "%s%s", l->rec->id == CTRACE_ID_IO_URING_OP ? IO_URING_OP : "", op_of(l));
	return true;
}

static bool get_bytes(struct line *l, struct sbuf *b, int64_t *n)
{
	(void)b;
	return file_op_moves(op_of(l)) && line_number(l, "ret", n) && !syscall_errno(*n);
}

/*
 * The descriptor's, or that of the one which the call returned; else what the call was given, or where that
 * begins.
 */
static bool get_file(struct line *l, struct sbuf *b, int64_t *n)
{
	const struct ctrace_value *path = NULL, *dir = line_field(l, "dfd_path");

	(void)n;
	for (int i = 0; i < l->n && !path; i++) {
		const struct ctrace_value *v = &l->v[i];
		const char *suffix = v->field->kind == CTRACE_FK_STRING ? strrchr(v->field->name, '_') : NULL;

		if (suffix && !strcmp(suffix, "_path") && v != dir && v->str.len)
			path = v;
	}
	if (path)
		sbuf_put(b, path->str.s, path->str.len);
	return path || line_text(l, b, "filename") || line_text(l, b, "pathname") || line_text(l, b, "path") ||
	       line_text(l, b, "oldname") || line_text(l, b, "dfd_path");
}

static const struct lines_column file_columns[] = {
	LINES_COMM, LINES_PID,
	{ "OP", "op", -8, LINES_TEXT, get_op },
	{ "BYTES", "bytes", 8, LINES_NUMBER, get_bytes },
	{ "LAT(ms)", "duration", 10, LINES_MS, line_get_duration },
	{ "ERR", "errno", -8, LINES_TEXT, get_errno },
	{ "FILENAME", "filename", 0, LINES_TEXT, get_file },
	{ NULL, NULL, 0, 0, NULL }
};

const struct lines_form lines_files = {
	.word = "files --slower", .events = FILE_OPS, .io_uring = FILE_OPS_IO_URING_FILE, .fds = true,
	.files = true, .time = true, .columns = file_columns,
};
