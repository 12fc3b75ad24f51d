// SPDX-License-Identifier: GPL-2.0-only
/* TCP connections that are not established yet: SYN_SENT, and SYN_RECV at the other end. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/table.h"
#include "count/view.h"
#include "tools/stuck.h"

static int by_age(const void *a, const void *b)
{
	const struct socket_at *const *v = a, *const *w = b, *x = *v, *y = *w;

	return x->age == y->age ? 0 : x->age < y->age ? 1 : -1;
}

/* One whose age is not known is as old as a timer at least, if something was sent again. */
static bool is_shown(const struct stuck_connections *c, const struct socket_at *x)
{
	return x->wanted && !x->listens && (x->age ? x->age >= c->longer : x->again || !c->longer);
}

static void choose(struct stuck_connections *c)
{
	c->n = 0;
	for (size_t i = 0; i < c->s.n; i++)
		if (is_shown(c, &c->s.v[i]))
			c->v[c->n++] = &c->s.v[i];
}

static void look(struct stuck_connections *c, bool others)
{
	sockets_look(&c->s, others);
	free(c->v);
	c->v = xcalloc(c->s.n + 1, sizeof(c->v[0]));
	choose(c);
}

void stuck_connections_look(struct stuck_connections *c, struct run *r)
{
	c->s.table = r->ctable;
	c->s.wants = run_targets;
	c->s.wants_arg = r;
	c->s.opening = true;
	look(c, false);
	if (c->n)	/* and who is at the other end? */
		look(c, true);
	if (c->n)
		qsort(c->v, c->n, sizeof(c->v[0]), by_age);
}

static const char *state(const struct socket_at *x)
{
	return x->answers ? "SYN_RECV" : "SYN_SENT";
}

static void put_ends(const struct socket_at *x, struct sbuf *local, struct sbuf *remote)
{
	const struct sock_ends turned = sock_turned(&x->ends);

	sock_put_remote(local, &turned);
	sock_put_remote(remote, &x->ends);
}

static uint32_t peer(const struct stuck_connections *c, const struct socket_at *x)
{
	bool local;

	return sockets_peer(&c->s, x->cid, &x->ends, &local);
}

void stuck_connections_print(const struct stuck_connections *c, struct run *r, size_t n, bool after)
{
	static const char *const heads[] = {
		"CONTAINER", "AGE", "STATE", "LOCAL", "REMOTE", "PEER", "RETRANSMITS",
	};
	struct table t;

	table_init(&t, heads, ARRAY_SIZE(heads));
	for (size_t i = 0; i < c->n && i < n; i++) {
		const struct socket_at *x = c->v[i];
		struct sbuf local = { 0 }, remote = { 0 };
		uint32_t other = peer(c, x);

		put_ends(x, &local, &remote);
		table_str(&t, ctable_shown(r->ctable, x->cid));
		if (x->age)
			table_ns(&t, x->age);
		else
			table_right(&t, "-");
		table_str(&t, state(x));
		table_str(&t, local.s);
		table_str(&t, remote.s);
		table_str(&t, other == CTRACE_CID_UNKNOWN ? "-" : ctable_get(r->ctable, other)->label);
		table_num(&t, x->again);
		table_end_row(&t);
		sbuf_free(&local);
		sbuf_free(&remote);
	}
	if (c->n) {
		if (after)
			putchar('\n');
		table_print(&t, stdout);
	}
	table_free(&t);
}

void stuck_connections_json(const struct stuck_connections *c, struct run *r, struct json *j, size_t n)
{
	json_open(j, "connections", '[');
	for (size_t i = 0; i < c->n && i < n; i++) {
		const struct socket_at *x = c->v[i];
		struct sbuf local = { 0 }, remote = { 0 };
		uint32_t other = peer(c, x);

		put_ends(x, &local, &remote);
		json_open(j, NULL, '{');
		json_uint(j, "cid", x->cid);
		json_str(j, "container", ctable_label(r->ctable, x->cid));
		if (x->age)
			json_uint(j, "age", x->age);
		json_str(j, "state", state(x));
		json_str(j, "local", local.s);
		json_str(j, "remote", remote.s);
		if (other != CTRACE_CID_UNKNOWN) {
			json_uint(j, "peer_cid", other);
			json_str(j, "peer", ctable_get(r->ctable, other)->label);
		}
		json_uint(j, "retransmits", x->again);
		json_close(j, '}');
		sbuf_free(&local);
		sbuf_free(&remote);
	}
	json_close(j, ']');
}

void stuck_connections_account(const struct stuck_connections *c)
{
	const struct sockets *s = &c->s;

	if (s->refused)
		fprintf(stderr, "ctrace: not all connections are known: %s%s\n", strerror(s->refused),
			s->refused == EPERM ? ": that takes root" : "");
	if (s->shared)
		fprintf(stderr,
			"ctrace: %zu connection%s being made in network namespaces that containers share: "
			"whose is not known\n",
			s->shared, s->shared == 1 ? " is" : "s are");
	if (s->left_ns)
		fprintf(stderr,
			"ctrace: looking at %zu network namespaces took too long: some are left out\n",
			s->left_ns);
}

void stuck_connections_free(struct stuck_connections *c)
{
	sockets_free(&c->s);
	free(c->v);
}
