// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <inttypes.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>
#include "ctf/sink_ctf.h"
#include "tools/tcp_open.h"

static int in_order(const void *a, const void *b)
{
	const struct tcp_known *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns < y->ns ? -1 : 1;
	return x->cookie < y->cookie ? -1 : x->cookie > y->cookie;
}

static struct tcp_sum *sum_of(struct tcp_open *o, uint32_t cid)
{
	for (size_t i = 0; i < o->nsums; i++)
		if (o->sums[i].cid == cid)
			return &o->sums[i];
	o->sums = xrealloc(o->sums, (o->nsums + 1) * sizeof(o->sums[0]));
	o->sums[o->nsums] = (struct tcp_sum){ .cid = cid };
	return &o->sums[o->nsums++];
}

static uint64_t more(uint64_t now, uint64_t then)
{
	return now > then ? now - then : 0;
}

/* Takes what a look says of a connection. whole: if it began after the session, all its bytes count now. */
static struct tcp_known take(struct tcp_open *o, const struct socket_at *x, bool first, bool whole)
{
	struct tcp_known k = {
		.ns = o->s.ns[x->ns].inode, .cookie = x->cookie, .cid = x->cid, .tx = x->tx, .rx = x->rx,
		.before = first,
	};
	struct tcp_known *was = o->n ? bsearch(&k, o->v, o->n, sizeof(k), in_order) : NULL;
	struct tcp_sum *sum = sum_of(o, x->cid);

	sum->open++;
	if (was) {
		was->seen = true;
		k.before = was->before;
	}
	if (k.before && was) {
		sum->tx += more(k.tx, was->tx);
		sum->rx += more(k.rx, was->rx);
	} else if (!k.before && whole) {
		sum->tx += k.tx;
		sum->rx += k.rx;
	}
	o->left_before += k.before;
	return k;
}

static void add_gone(struct tcp_open *o, const struct tcp_known *k)
{
	struct tcp_bytes *gone = &sum_of(o, k->cid)->gone;

	gone->n++;
	gone->tx += k->tx;
	gone->rx += k->rx;
}

static void look(struct tcp_open *o, bool first, bool last, bool others)
{
	struct tcp_known *v;
	size_t n = 0;

	if (o->recorded) {
		sockets_forget(&o->s);
		sockets_load(&o->s, names_get(o->recorded, first ? "first" : "last"));
	} else {
		sockets_look(&o->s, others);
	}
	o->left_before = 0;
	for (size_t i = 0; i < o->nsums; i++)
		o->sums[i].open = 0;
	v = xcalloc(o->s.n + 1, sizeof(v[0]));
	for (size_t i = 0; i < o->s.n; i++)
		if (o->s.v[i].wanted && !o->s.v[i].listens)
			v[n++] = take(o, &o->s.v[i], first, last);
	for (size_t i = 0; i < o->n; i++)
		if (o->v[i].before && !o->v[i].seen)
			add_gone(o, &o->v[i]);
	if (n)
		qsort(v, n, sizeof(v[0]), in_order);
	free(o->v);
	o->v = v;
	o->n = n;
}

static void begin(struct tcp_open *o, bool others)
{
	look(o, true, false, others);
	o->before = o->n;
	o->shared = o->s.shared;
	o->left = o->s.left;
	o->left_ns = o->s.left_ns;
	o->refused = o->s.refused;
}

void tcp_open_begin(struct tcp_open *o, struct run *r, bool others)
{
	o->s.table = r->ctable;
	o->s.wants = run_targets;
	o->s.wants_arg = r;
	begin(o, others);
}

static bool chosen(const void *recording, uint32_t cid)
{
	return recording_shows(recording, cid);
}

bool tcp_open_load(struct tcp_open *o, const struct recording *r)
{
	int err;

	o->recorded = side_load(r->dir, CTF_SIDE_SOCKETS, &err);
	if (!o->recorded)
		return false;
	o->s.table = r->table;
	o->s.wants = chosen;
	o->s.wants_arg = r;
	begin(o, false);
	return true;
}

#define TICK	(5 * NSEC_PER_SEC)

void tcp_open_tick(struct tcp_open *o)
{
	if (sockets_rested(&o->s, TICK))
		look(o, false, false, false);
}

void tcp_open_ended(struct tcp_open *o, uint32_t cid, uint64_t n, uint64_t tx, uint64_t rx)
{
	struct tcp_bytes *ended = &sum_of(o, cid)->ended;

	ended->n += n;
	ended->tx += tx;
	ended->rx += rx;
}

/*
 * Adds the bytes that connections carried after the last look that saw them. They are known if as many have
 * ended, by events, as the looks miss. One that ended while others were counted, or before the session had
 * begun, makes a difference: then these bytes are left out.
 */
static void settle(struct tcp_open *o, struct tcp_sum *sum)
{
	if (sum->ended.n == sum->gone.n && !o->left_ns && !o->s.left_ns) {
		sum->tx += more(sum->ended.tx, sum->gone.tx);
		sum->rx += more(sum->ended.rx, sum->gone.rx);
	}
	sum->ended = sum->gone = (struct tcp_bytes){ 0 };
}

void tcp_open_period(struct tcp_open *o, bool last)
{
	/* between looks that rest, the numbers of open ones stay */
	if (!last && !sockets_rested(&o->s, 0))
		return;
	look(o, false, last, false);
	for (size_t i = 0; i < o->nsums; i++)
		settle(o, &o->sums[i]);
}

void tcp_open_next(struct tcp_open *o)
{
	for (size_t i = 0; i < o->nsums; i++)
		o->sums[i].tx = o->sums[i].rx = 0;
}

void tcp_open_end(struct tcp_open *o)
{
	look(o, false, false, false);
}

static void print_before(const struct tcp_open *o, bool bytes)
{
	struct sbuf b = { 0 };
	uint64_t left = o->left_before, tx = 0, rx = 0;

	for (size_t i = 0; i < o->nsums; i++) {
		tx += o->sums[i].tx;
		rx += o->sums[i].rx;
	}
	sbuf_printf(&b, "%" PRIu64 " connection%s had begun before, %" PRIu64 " of them %s still open",
		    o->before, o->before == 1 ? "" : "s", left, left == 1 ? "is" : "are");
	if (bytes && left) {
		sbuf_puts(&b, ": sent ");
		sbuf_size(&b, tx);
		sbuf_puts(&b, ", received ");
		sbuf_size(&b, rx);
		sbuf_puts(&b, " meanwhile");
	}
	fprintf(stderr, "ctrace: %s\n", b.s);
	sbuf_free(&b);
}

void tcp_open_print(const struct tcp_open *o, bool bytes)
{
	if (o->refused)
		fprintf(stderr, "ctrace: not all connections that had begun before are known: %s%s\n",
			strerror(o->refused), o->refused == EPERM ? ": that takes root" : "");
	if (o->before)
		print_before(o, bytes);
	if (o->shared)
		fprintf(stderr,
			"ctrace: %" PRIu64
			" more in network namespaces that containers share: whose they are is not known\n",
			o->shared);
	if (o->left_ns)
		fprintf(stderr,
			"ctrace: %" PRIu64
			" network namespace%s not looked at to the end, which took too long: %" PRIu64
			" TCP sockets are left out\n",
			o->left_ns, o->left_ns == 1 ? " was" : "s were", o->left);
}

void tcp_open_free(struct tcp_open *o)
{
	sockets_free(&o->s);
	json_object_put(o->recorded);
	free(o->v);
	free(o->sums);
}
