// SPDX-License-Identifier: GPL-2.0-only
/* Fields of events as text: name=value. Numbers that have names are shown by name. */
#include <string.h>
#include "show/sink.h"

/* The enum in the kernel's include/net/tcp_states.h. It is ABI, because a tracepoint has these numbers. */
static const char *const tcp_states[] = {
	"", "TCP_ESTABLISHED", "TCP_SYN_SENT", "TCP_SYN_RECV", "TCP_FIN_WAIT1", "TCP_FIN_WAIT2",
	"TCP_TIME_WAIT", "TCP_CLOSE", "TCP_CLOSE_WAIT", "TCP_LAST_ACK", "TCP_LISTEN", "TCP_CLOSING",
	"TCP_NEW_SYN_RECV",
};

/* The name of the number in this field of this event, or NULL. */
static const char *number_name(const struct ctrace_event_type *t, const struct ctrace_value *v)
{
	const char *field = v->field->name;

	if (!strcmp(t->system, "signal") && !strcmp(field, "sig") && v->u <= 64)
		return signal_name((int)v->u);
	if (!strcmp(t->name, "inet_sock_set_state") && v->u && v->u < ARRAY_SIZE(tcp_states) &&
	    (!strcmp(field, "oldstate") || !strcmp(field, "newstate")))
		return tcp_states[v->u];
	return NULL;
}

static void put_sequence(struct sbuf *b, const struct ctrace_value *v)
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

static void put_value(struct sbuf *b, const struct ctrace_event_type *t, const struct ctrace_value *v)
{
	const char *name;

	switch (v->field->kind) {
	case CTRACE_FK_UINT:
	case CTRACE_FK_INT:
		name = number_name(t, v);
		if (name)
			sbuf_puts(b, name);
		else if (v->field->kind == CTRACE_FK_INT)
			sbuf_printf(b, "%lld", (long long)v->i);
		else if (v->field->display == CTRACE_FD_HEX)
			sbuf_printf(b, "0x%llx", (unsigned long long)v->u);
		else
			sbuf_printf(b, "%llu", (unsigned long long)v->u);
		break;
	case CTRACE_FK_TEXT:
	case CTRACE_FK_STRING:
		sbuf_putc(b, '"');
		sbuf_escape(b, v->str.s, v->str.len);
		sbuf_puts(b, v->field->kind == CTRACE_FK_STRING &&
			  v->str.len >= CTRACE_STR_MAX - 1 ? "\"..." : "\"");
		break;
	case CTRACE_FK_SEQ:
	case CTRACE_FK_SEQ_INT:
		put_sequence(b, v);
		break;
	}
}

void fields_put_text(struct sbuf *b, const struct ctrace_event_type *t,
		     const struct ctrace_record *rec, bool framed)
{
	struct ctrace_value v[FIELDS_MAX];
	int n = ctrace_decode(t, rec, v, FIELDS_MAX);

	if (n < 0)
		sbuf_puts(b, " (record and schema do not agree)");
	for (int i = 0; i < n; i++) {
		if (framed && !strncmp(v[i].field->name, "callstack", 9))
			continue;
		sbuf_printf(b, " %s=", v[i].field->name);
		put_value(b, t, &v[i]);
	}
}
