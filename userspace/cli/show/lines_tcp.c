// SPDX-License-Identifier: GPL-2.0-only
/* The forms of ctrace tcp. */
#include <arpa/inet.h>
#include <inttypes.h>
#include <string.h>
#include <sys/socket.h>
#include "show/lines.h"

static bool put_address(const struct line *l, struct sbuf *b, const char *name)
{
	const struct ctrace_value *v = line_field(l, name);
	char text[INET6_ADDRSTRLEN];

	if (!v || v->field->kind != CTRACE_FK_SEQ || v->field->size != 1 || (v->seq.n != 4 &&
									     v->seq.n != 16) ||
	    !inet_ntop(v->seq.n == 4 ? AF_INET : AF_INET6, v->seq.v, text, sizeof(text)))
		return false;
	sbuf_puts(b, text);
	return true;
}

static bool get_laddr(struct line *l, struct sbuf *b, int64_t *n)
{
	(void)n;
	return put_address(l, b, "saddr");
}

static bool get_raddr(struct line *l, struct sbuf *b, int64_t *n)
{
	(void)n;
	return put_address(l, b, "daddr");
}

static bool get_lport(struct line *l, struct sbuf *b, int64_t *n)
{
	(void)b;
	return line_number(l, "sport", n);
}

static bool get_rport(struct line *l, struct sbuf *b, int64_t *n)
{
	(void)b;
	return line_number(l, "dport", n);
}

static bool get_end(const struct line *l, const char *name, const char *port_name, uint8_t *address,
		    uint16_t *port)
{
	const struct ctrace_value *v = line_field(l, name);
	int64_t n;

	if (!v || v->field->kind != CTRACE_FK_SEQ || v->field->size != 1 ||
	    !sock_address(address, v->seq.v, v->seq.n) || !line_number(l, port_name, &n))
		return false;
	*port = (uint16_t)n;
	return true;
}

/* Live, the sockets are looked at again if that may help: others may have begun to listen. */
static bool get_peer(struct line *l, struct sbuf *b, int64_t *n)
{
	struct sockets *s = l->sockets;
	struct sock_ends e = { 0 };
	uint32_t cid;
	bool local;

	(void)n;
	if (!s || !get_end(l, "saddr", "sport", e.local, &e.lport) ||
	    !get_end(l, "daddr", "dport", e.remote, &e.rport))
		return false;
	cid = sockets_peer(s, l->rec->cid, &e, &local);
	if (cid == CTRACE_CID_UNKNOWN && local && l->live && sockets_rested(s, NSEC_PER_SEC)) {
		sockets_look(s, true);
		cid = sockets_peer(s, l->rec->cid, &e, &local);
	}
	sockets_note(s, l->rec->cid, &e);
	if (cid == CTRACE_CID_UNKNOWN)
		return false;
	sbuf_puts(b, ctable_get(l->ctable, cid)->label);
	return true;
}

/* Not of a connection that began before anybody looked. */
static bool get_life(struct line *l, struct sbuf *b, int64_t *n)
{
	(void)b;
	return !(line_number(l, "before", n) && *n) && line_number(l, "duration", n);
}

static bool get_tx(struct line *l, struct sbuf *b, int64_t *n)
{
	(void)b;
	return line_number(l, "tx_bytes", n);
}

static bool get_rx(struct line *l, struct sbuf *b, int64_t *n)
{
	(void)b;
	return line_number(l, "rx_bytes", n);
}

static bool get_connect_error(struct line *l, struct sbuf *b, int64_t *n)
{
	return line_number(l, "error", n) && line_errno(b, *n);
}

/* As trace shows the field. */
static bool put_painted(const struct line *l, struct sbuf *b, const char *name)
{
	const struct ctrace_value *v = line_field(l, name);

	if (v)
		l->p->fields[v - l->v].fn(b, v);
	return v;
}

static bool get_state(struct line *l, struct sbuf *b, int64_t *n)
{
	(void)n;
	return put_painted(l, b, "state");
}

/* A field of us; false: nothing was measured. */
static bool get_us(struct line *l, const char *name, int64_t *n)
{
	bool has = line_number(l, name, n) && *n;

	*n *= 1000;
	return has;
}

static bool get_srtt(struct line *l, struct sbuf *b, int64_t *n)
{
	(void)b;
	return get_us(l, "srtt", n);
}

static bool get_min_rtt(struct line *l, struct sbuf *b, int64_t *n)
{
	(void)b;
	return get_us(l, "min_rtt", n);
}

static bool get_retransmits(struct line *l, struct sbuf *b, int64_t *n)
{
	(void)b;
	return line_number(l, "retransmits", n);
}

static bool get_how(struct line *l, struct sbuf *b, int64_t *n)
{
	(void)n;
	return put_painted(l, b, "how");
}

static bool get_before(struct line *l, struct sbuf *b, int64_t *n)
{
	(void)b;
	return line_number(l, "before", n);
}

#define ENDS \
	{ "LADDR", "laddr", -15, LINES_TEXT, get_laddr }, { "LPORT", "lport", -5, LINES_NUMBER, get_lport }, \
	{ "RADDR", "raddr", -15, LINES_TEXT, get_raddr }, { "RPORT", "rport", -5, LINES_NUMBER, get_rport }, \
	{ "PEER", "peer", -16, LINES_TEXT, get_peer }

static const struct lines_column life_columns[] = {
	LINES_COMM, LINES_PID, ENDS,
	{ "TX_KB", "tx_bytes", 6, LINES_KB, get_tx },
	{ "RX_KB", "rx_bytes", 6, LINES_KB, get_rx },
	{ "MS", "duration", 10, LINES_MS, get_life },
	{ "RTT(ms)", "srtt", 8, LINES_MS, get_srtt },
	{ "MIN_RTT", "min_rtt", 8, LINES_MS, get_min_rtt },
	{ "RETR", "retransmits", 4, LINES_NUMBER, get_retransmits },
	{ NULL, NULL, 0, 0, NULL }
};

static const struct lines_column connect_columns[] = {
	LINES_COMM, LINES_PID, ENDS,
	{ "LAT(ms)", "duration", 9, LINES_MS, line_get_duration },
	{ "ERR", "errno", 0, LINES_TEXT, get_connect_error },
	{ NULL, NULL, 0, 0, NULL }
};

static const struct lines_column retransmit_columns[] = {
	LINES_COMM, LINES_PID, ENDS,
	{ "STATE", "state", -15, LINES_TEXT, get_state },
	{ "WHY", "how", -8, LINES_TEXT, get_how },
	{ "BEFORE", "before", 6, LINES_NUMBER, get_before },
	{ NULL, NULL, 0, 0, NULL }
};

const struct lines_form lines_tcp_life = {
	.word = "tcp", .events = "tcp_life", .spans = true, .no_failed = true, .columns = life_columns,
};

const struct lines_form lines_tcp_connects = {
	.word = "tcp --connects", .events = "tcp_connect", .spans = true, .failed = "error < 0",
	.columns = connect_columns,
};

const struct lines_form lines_tcp_retransmits = {
	.word = "tcp --retransmits", .events = "tcp_retransmit", .no_failed = true,
		.columns = retransmit_columns,
};
