// SPDX-License-Identifier: GPL-2.0-only
/* Fields of events as text: name=value. Numbers that have names are shown by name. */
#include <seccomp.h>
#include <stdlib.h>
#include <string.h>
#include "strace/paint.h"

/* The enum in the kernel's include/net/tcp_states.h. It is ABI, because a tracepoint has these numbers. */
static const char *const tcp_states[] = {
	"", "TCP_ESTABLISHED", "TCP_SYN_SENT", "TCP_SYN_RECV", "TCP_FIN_WAIT1", "TCP_FIN_WAIT2",
	"TCP_TIME_WAIT", "TCP_CLOSE", "TCP_CLOSE_WAIT", "TCP_LAST_ACK", "TCP_LISTEN", "TCP_CLOSING",
	"TCP_NEW_SYN_RECV",
};

/* As /proc/softirqs calls them: the order has been the same since Linux 3.10. */
static const char *const softirqs[] = {
	"HI", "TIMER", "NET_TX", "NET_RX", "BLOCK", "IRQ_POLL", "TASKLET", "SCHED", "HRTIMER", "RCU",
};

/* enum ctrace_wait_reason, ctrace_culprit, ctrace_run_reason */
static const char *const wait_reasons[] = { "", "WOKEN", "PREEMPTED", "BEFORE", "YIELDED" };
static const char *const culprits[] = {
	"", "SELF", "NEIGHBOUR", "HOST", "IDLE", "THROTTLED", "EARLIER", "HYPERVISOR", "INTERRUPTS",
	"RT_LIMIT",
};
static const char *const tcp_hows[] = { "", "TIMEOUT", "FAST", "PROBE", "SYNACK" };
static const char *const run_reasons[] = { "", "PREEMPTED", "SLEPT", "EXITED" };

/* enum ctrace_lock_kind, with the names that perf lock contention has */
static const struct {
	uint32_t kind;
	const char *name;
} lock_kinds[] = {
	{ 0, "semaphore" },
	{ CTRACE_LOCK_SPIN, "spinlock" },
	{ CTRACE_LOCK_SPIN | CTRACE_LOCK_READ, "rwlock:R" },
	{ CTRACE_LOCK_SPIN | CTRACE_LOCK_WRITE, "rwlock:W" },
	{ CTRACE_LOCK_READ, "rwsem:R" },
	{ CTRACE_LOCK_WRITE, "rwsem:W" },
	{ CTRACE_LOCK_RT, "rtmutex" },
	{ CTRACE_LOCK_RT | CTRACE_LOCK_READ, "rwlock-rt:R" },
	{ CTRACE_LOCK_RT | CTRACE_LOCK_WRITE, "rwlock-rt:W" },
	{ CTRACE_LOCK_PERCPU | CTRACE_LOCK_READ, "pcpu-sem:R" },
	{ CTRACE_LOCK_PERCPU | CTRACE_LOCK_WRITE, "pcpu-sem:W" },
	{ CTRACE_LOCK_MUTEX, "mutex" },
	{ CTRACE_LOCK_MUTEX | CTRACE_LOCK_SPIN, "mutex" },
};

bool is_list(const struct ctrace_event_type *t, const struct ctrace_field *f)
{
	if (!t || f->kind != CTRACE_FK_STRING)
		return false;
	return t->id == CTRACE_ID_SCHED_PROCESS_EXEC ? !strcmp(f->name, "argv") :
	       t->id == CTRACE_ID_PROCESS_ENV && !strcmp(f->name, "env");
}

bool is_error(const struct ctrace_event_type *t, const struct ctrace_field *f)
{
	if (!t || f->kind != CTRACE_FK_INT)
		return false;
	return t->id == CTRACE_ID_TCP_CONNECT ? !strcmp(f->name, "error") :
	       t->id == CTRACE_ID_LOCK_CONTENTION ? !strcmp(f->name, "ret") :
	       t->id == CTRACE_ID_IO_URING_OP ? !strcmp(f->name, "ret") :
	       t->id == CTRACE_ID_CAP_CAPABLE && !strcmp(f->name, "result");
}

bool argv_next(const char **s, const char *end, struct sbuf *arg)
{
	sbuf_reset(arg);
	for (; *s < end; (*s)++) {
		if (**s == ' ') {
			(*s)++;
			return true;
		}
		if (**s == '\\' && *s + 1 < end)
			(*s)++;
		sbuf_putc(arg, **s);
	}
	return false;
}

static void paint_uint(struct sbuf *b, const struct ctrace_value *v)
{
	sbuf_printf(b, "%llu", (unsigned long long)v->u);
}

void paint_int(struct sbuf *b, const struct ctrace_value *v)
{
	sbuf_printf(b, "%lld", (long long)v->i);
}

static void paint_hex(struct sbuf *b, const struct ctrace_value *v)
{
	sbuf_printf(b, "0x%llx", (unsigned long long)v->u);
}

static void paint_named(struct sbuf *b, const struct ctrace_value *v, const char *name)
{
	if (name)
		sbuf_puts(b, name);
	else if (v->field->kind == CTRACE_FK_INT)
		paint_int(b, v);
	else
		paint_uint(b, v);
}

static void paint_signal(struct sbuf *b, const struct ctrace_value *v)
{
	paint_named(b, v, v->u <= 64 ? signal_name((int)v->u) : NULL);
}

static void paint_tcp_state(struct sbuf *b, const struct ctrace_value *v)
{
	paint_named(b, v, v->u && v->u < ARRAY_SIZE(tcp_states) ? tcp_states[v->u] : NULL);
}

static void paint_tcp_how(struct sbuf *b, const struct ctrace_value *v)
{
	paint_named(b, v, v->u && v->u < ARRAY_SIZE(tcp_hows) ? tcp_hows[v->u] : NULL);
}

static void paint_io_uring_op(struct sbuf *b, const struct ctrace_value *v)
{
	paint_named(b, v, io_uring_op_name(v->u));
}

static void paint_wait_reason(struct sbuf *b, const struct ctrace_value *v)
{
	paint_named(b, v, v->u && v->u < ARRAY_SIZE(wait_reasons) ? wait_reasons[v->u] : NULL);
}

static void paint_culprit(struct sbuf *b, const struct ctrace_value *v)
{
	paint_named(b, v, v->u && v->u < ARRAY_SIZE(culprits) ? culprits[v->u] : NULL);
}

static void paint_run_reason(struct sbuf *b, const struct ctrace_value *v)
{
	paint_named(b, v, v->u && v->u < ARRAY_SIZE(run_reasons) ? run_reasons[v->u] : NULL);
}

/* A kernel's result: a number, or an error by its name. */
static void paint_error(struct sbuf *b, const struct ctrace_value *v)
{
	paint_named(b, v, syscall_errno(v->i) ? errno_name(syscall_errno(v->i)) : NULL);
}

void wait_status_put(struct sbuf *b, int status)
{
	const char *name = signal_name(status & 0x7f);

	if (!(status & 0x7f))
		sbuf_printf(b, "exited with %d", status >> 8 & 0xff);
	else if (name)
		sbuf_printf(b, "killed by %s", name);
	else
		sbuf_printf(b, "killed by signal %d", status & 0x7f);
	if (status & 0x7f && status & 0x80)
		sbuf_puts(b, ", core dumped");
}

/* 0 needs no words. */
static void paint_wait_status(struct sbuf *b, const struct ctrace_value *v)
{
	paint_int(b, v);
	if (!v->i)
		return;
	sbuf_puts(b, " (");
	wait_status_put(b, (int)v->i);
	sbuf_putc(b, ')');
}

static void paint_capability(struct sbuf *b, const struct ctrace_value *v)
{
	paint_named(b, v, capability_name(v->i));
}

/* The native number of the call that a task sleeps in; -1: none */
static void paint_call(struct sbuf *b, const struct ctrace_value *v)
{
	char *name = v->i < 0 ? NULL : seccomp_syscall_resolve_num_arch(SCMP_ARCH_NATIVE, (int)v->i);

	paint_named(b, v, name);
	free(name);
}

static void paint_lock_kind(struct sbuf *b, const struct ctrace_value *v)
{
	const char *name = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(lock_kinds); i++)
		if (v->u == lock_kinds[i].kind)
			name = lock_kinds[i].name;
	paint_named(b, v, name);
}

static void paint_softirq(struct sbuf *b, const struct ctrace_value *v)
{
	paint_named(b, v, v->u < ARRAY_SIZE(softirqs) ? softirqs[v->u] : NULL);
}

static void paint_text(struct sbuf *b, const struct ctrace_value *v)
{
	sbuf_putc(b, '"');
	sbuf_escape(b, v->str.s, v->str.len);
	sbuf_putc(b, '"');
}

/* The module cuts longer ones. */
void paint_string(struct sbuf *b, const struct ctrace_value *v)
{
	paint_text(b, v);
	if (v->str.len >= CTRACE_STR_MAX - 1)
		sbuf_puts(b, "...");
}

/* sched_process_exec's arguments, as a list */
static void paint_argv(struct sbuf *b, const struct ctrace_value *v)
{
	const char *s = v->str.s, *end = s + v->str.len;
	struct sbuf arg = { 0 };
	bool more = true;

	sbuf_putc(b, '[');
	for (bool first = true; more; first = false) {
		more = argv_next(&s, end, &arg);
		sbuf_puts(b, first ? "\"" : ", \"");
		sbuf_escape(b, arg.s, arg.len);
		sbuf_putc(b, '"');
	}
	sbuf_puts(b, v->str.len >= CTRACE_ARGV_MAX - 2 ? "...]" : "]");
	sbuf_free(&arg);
}

static void paint_sequence(struct sbuf *b, const struct ctrace_value *v)
{
	sbuf_putc(b, '[');
	for (size_t i = 0; i < v->seq.n; i++) {
		unsigned long long u = ctrace_value_at(v, i);

		sbuf_puts(b, i ? ", " : "");
		if (v->field->kind == CTRACE_FK_SEQ_INT)
			sbuf_printf(b, "%lld", (long long)u);
		else
			sbuf_printf(b, v->field->display == CTRACE_FD_HEX ? "0x%llx" : "%llu", u);
	}
	sbuf_putc(b, ']');
}

void rwbs_put(struct sbuf *b, uint64_t bits)
{
	if (bits & CTRACE_RWBS_PREFLUSH)
		sbuf_putc(b, 'F');
	sbuf_puts(b, bits & CTRACE_RWBS_WRITE ? "W" : bits & CTRACE_RWBS_SECURE ? "DE" :
		  bits & CTRACE_RWBS_DISCARD ? "D" : bits & CTRACE_RWBS_READ ? "R" : bits & CTRACE_RWBS_FLUSH ? "F" : "N");
	if (bits & CTRACE_RWBS_FUA)
		sbuf_putc(b, 'F');
	if (bits & CTRACE_RWBS_RAHEAD)
		sbuf_putc(b, 'A');
	if (bits & CTRACE_RWBS_SYNC)
		sbuf_putc(b, 'S');
	if (bits & CTRACE_RWBS_META)
		sbuf_putc(b, 'M');
}

static void paint_rwbs(struct sbuf *b, const struct ctrace_value *v)
{
	rwbs_put(b, v->u);
}

static paint_fn number_paint(const struct ctrace_event_type *t, const struct ctrace_field *f)
{
	if (f->kind == CTRACE_FK_UINT && f->display == CTRACE_FD_HEX)
		return paint_hex;
	if (f->display == CTRACE_FD_RWBS)
		return paint_rwbs;
	if (!strcmp(t->system, "signal") && !strcmp(f->name, "sig"))
		return paint_signal;
	if (!strcmp(t->system, "sock") &&
	    (!strcmp(f->name, "oldstate") || !strcmp(f->name, "newstate") || !strcmp(f->name, "state")))
		return paint_tcp_state;
	if (!strcmp(t->name, "tcp_retransmit") && !strcmp(f->name, "how"))
		return paint_tcp_how;
	if (is_error(t, f))
		return paint_error;
	if (t->id == CTRACE_ID_SCHED_PROCESS_EXIT &&
	    (!strcmp(f->name, "exit_code") || !strcmp(f->name, "wait_status")))
		return paint_wait_status;
	if (!strcmp(t->name, "cap_capable") && !strcmp(f->name, "cap"))
		return paint_capability;
	if (!strcmp(t->name, "io_uring_op") && !strcmp(f->name, "opcode"))
		return paint_io_uring_op;
	if ((!strcmp(t->name, "sched_wait") || !strcmp(t->name, "sched_blame")) && !strcmp(f->name, "reason"))
		return paint_wait_reason;
	if (!strcmp(t->name, "sched_blame") && !strcmp(f->name, "culprit"))
		return paint_culprit;
	if (!strcmp(t->name, "sched_run") && !strcmp(f->name, "reason"))
		return paint_run_reason;
	if ((!strcmp(t->name, "sched_run") || !strcmp(t->name, "sched_block")) && !strcmp(f->name, "syscall"))
		return paint_call;
	if (!strcmp(t->name, "lock_contention") && !strcmp(f->name, "kind"))
		return paint_lock_kind;
	if (!strcmp(t->system, "irq") && !strcmp(f->name, "vec"))
		return paint_softirq;
	return f->kind == CTRACE_FK_INT ? paint_int : paint_uint;
}

paint_fn field_paint(const struct ctrace_event_type *t, const struct ctrace_field *f)
{
	switch (f->kind) {
	case CTRACE_FK_TEXT:
		return paint_text;
	case CTRACE_FK_STRING:
		return is_list(t, f) ? paint_argv : paint_string;
	case CTRACE_FK_SEQ:
	case CTRACE_FK_SEQ_INT:
		return paint_sequence;
	}
	return number_paint(t, f);
}

void fields_put_text(struct sbuf *b, const struct paint *p, const struct ctrace_value *v, int n, bool framed)
{
	if (n < 0)
		sbuf_puts(b, " (record and schema do not agree)");
	for (int i = 0; i < n; i++) {
		if (framed && p->fields[i].stack)
			continue;
		sbuf_printf(b, " %s=", v[i].field->name);
		p->fields[i].fn(b, &v[i]);
	}
}
