// SPDX-License-Identifier: GPL-2.0-only
/* Fields of events as text: name=value. Numbers that have names are shown by name. */
#include <string.h>
#include "show/paint.h"

/* The enum in the kernel's include/net/tcp_states.h. It is ABI, because a tracepoint has these numbers. */
static const char *const tcp_states[] = {
	"", "TCP_ESTABLISHED", "TCP_SYN_SENT", "TCP_SYN_RECV", "TCP_FIN_WAIT1", "TCP_FIN_WAIT2",
	"TCP_TIME_WAIT", "TCP_CLOSE", "TCP_CLOSE_WAIT", "TCP_LAST_ACK", "TCP_LISTEN", "TCP_CLOSING",
	"TCP_NEW_SYN_RECV",
};

/* IORING_OP_* in the kernel's include/uapi/linux/io_uring.h, of 7.3. */
static const char *const io_uring_ops[] = {
	"NOP", "READV", "WRITEV", "FSYNC", "READ_FIXED", "WRITE_FIXED", "POLL_ADD", "POLL_REMOVE", "SYNC_FILE_RANGE",
	"SENDMSG", "RECVMSG", "TIMEOUT", "TIMEOUT_REMOVE", "ACCEPT", "ASYNC_CANCEL", "LINK_TIMEOUT", "CONNECT",
	"FALLOCATE", "OPENAT", "CLOSE", "FILES_UPDATE", "STATX", "READ", "WRITE", "FADVISE", "MADVISE", "SEND",
	"RECV", "OPENAT2", "EPOLL_CTL", "SPLICE", "PROVIDE_BUFFERS", "REMOVE_BUFFERS", "TEE", "SHUTDOWN", "RENAMEAT",
	"UNLINKAT", "MKDIRAT", "SYMLINKAT", "LINKAT", "MSG_RING", "FSETXATTR", "SETXATTR", "FGETXATTR", "GETXATTR",
	"SOCKET", "URING_CMD", "SEND_ZC", "SENDMSG_ZC", "READ_MULTISHOT", "WAITID", "FUTEX_WAIT", "FUTEX_WAKE",
	"FUTEX_WAITV", "FIXED_FD_INSTALL", "FTRUNCATE", "BIND", "LISTEN", "RECV_ZC", "EPOLL_WAIT", "READV_FIXED",
	"WRITEV_FIXED", "PIPE", "NOP128", "URING_CMD128",
};

bool is_list(const struct ctrace_event_type *t, const struct ctrace_field *f)
{
	if (!t || f->kind != CTRACE_FK_STRING)
		return false;
	return t->id == CTRACE_ID_SCHED_PROCESS_EXEC ? !strcmp(f->name, "argv") :
	       t->id == CTRACE_ID_PROCESS_ENV && !strcmp(f->name, "env");
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

static void paint_io_uring_op(struct sbuf *b, const struct ctrace_value *v)
{
	paint_named(b, v, v->u < ARRAY_SIZE(io_uring_ops) ? io_uring_ops[v->u] : NULL);
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

static paint_fn number_paint(const struct ctrace_event_type *t, const struct ctrace_field *f)
{
	if (f->kind == CTRACE_FK_UINT && f->display == CTRACE_FD_HEX)
		return paint_hex;
	if (!strcmp(t->system, "signal") && !strcmp(f->name, "sig"))
		return paint_signal;
	if (!strcmp(t->name, "inet_sock_set_state") &&
	    (!strcmp(f->name, "oldstate") || !strcmp(f->name, "newstate")))
		return paint_tcp_state;
	if (!strcmp(t->name, "io_uring_op") && !strcmp(f->name, "opcode"))
		return paint_io_uring_op;
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
