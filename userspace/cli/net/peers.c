// SPDX-License-Identifier: GPL-2.0-only
/* Which container is at the other end of a connection? */
#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include "net/sockets.h"

static const uint8_t v4_prefix[12] = { [10] = 0xff, [11] = 0xff };
static const uint8_t v4_any[16] = { [10] = 0xff, [11] = 0xff };

bool sock_address(uint8_t *to, const void *from, size_t n)
{
	if (n != 4 && n != 16)
		return false;
	memcpy(to, v4_prefix, sizeof(v4_prefix));
	memcpy(to + 16 - n, from, n);
	return true;
}

static bool is_v4(const uint8_t *a)
{
	return !memcmp(a, v4_prefix, sizeof(v4_prefix));
}

void sock_put_remote(struct sbuf *b, const struct sock_ends *e)
{
	bool v4 = is_v4(e->remote);
	char text[INET6_ADDRSTRLEN];

	if (inet_ntop(v4 ? AF_INET : AF_INET6, e->remote + (v4 ? 12 : 0), text, sizeof(text)))
		sbuf_printf(b, v4 ? "%s:%u" : "[%s]:%u", text, e->rport);
}

struct sock_ends sock_turned(const struct sock_ends *e)
{
	struct sock_ends r = { .lport = e->rport, .rport = e->lport };

	memcpy(r.local, e->remote, sizeof(r.local));
	memcpy(r.remote, e->local, sizeof(r.remote));
	return r;
}

/* --- evidence ------------------------------------------------------------------------- */

/* What several things say, if they say the same. */
struct found {
	uint32_t cid;
	bool any, differ;
};

static void find(struct found *f, uint32_t cid)
{
	f->differ |= f->any && f->cid != cid;
	f->any = true;
	f->cid = cid;
}

static uint32_t agreed(const struct found *f)
{
	return f->any && !f->differ ? f->cid : CTRACE_CID_UNKNOWN;
}

static bool is_in(const struct socket_ns *ns, uint32_t cid)
{
	for (size_t i = 0; i < ns->ncids; i++)
		if (ns->cids[i] == cid)
			return true;
	return false;
}

/* Within the machine or namespace: both ends are in the same one. */
static bool is_inner(const struct sock_ends *e)
{
	return is_v4(e->remote) ? e->remote[12] == 127 || !memcmp(e->remote, e->local, 16) :
	       !memcmp(e->remote, &in6addr_loopback, 16) || !memcmp(e->remote, e->local, 16);
}

size_t sockets_first(const struct sockets *s, size_t n, const struct sock_ends *e)
{
	size_t lo = 0, hi = n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (memcmp(&s->v[mid].ends, e, sizeof(*e)) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/*
 * Finds sockets with these ends, in namespace ns; ns UINT32_MAX: in any, or if the connection is inner, in
 * one of cid's.
 */
static void find_sockets(struct found *f, const struct sockets *s, const struct sock_ends *e, uint32_t ns,
			 bool inner, uint32_t cid)
{
	for (size_t i = sockets_first(s, s->n, e); i < s->n && !memcmp(&s->v[i].ends, e, sizeof(*e)); i++) {
		const struct socket_at *x = &s->v[i];

		if (ns != UINT32_MAX ? x->ns == ns : !inner || is_in(&s->ns[x->ns], cid))
			find(f, x->cid);
	}
}

static uint32_t hash(const struct sock_ends *e)
{
	const uint8_t *p = (const void *)e;
	uint32_t h = 2166136261u;	/* FNV-1a */

	for (size_t i = 0; i < sizeof(*e); i++)
		h = (h ^ p[i]) * 16777619u;
	return h % SOCKET_NOTES;
}

void sockets_note(struct sockets *s, uint32_t cid, const struct sock_ends *e)
{
	s->notes = s->notes ? s->notes : xcalloc(SOCKET_NOTES, sizeof(s->notes[0]));
	s->notes[hash(e)] = (struct socket_note){ *e, cid, true };
}

static bool share_a_namespace(const struct sockets *s, uint32_t x, uint32_t y)
{
	for (size_t i = 0; i < s->nns; i++)
		if (is_in(&s->ns[i], x) && is_in(&s->ns[i], y))
			return true;
	return false;
}

static void find_note(struct found *f, const struct sockets *s, const struct sock_ends *e, bool inner,
		      uint32_t cid)
{
	const struct socket_note *n = s->notes ? &s->notes[hash(e)] : NULL;

	if (n && n->used && !memcmp(&n->ends, e, sizeof(*e)) && (!inner || share_a_namespace(s, n->cid, cid)))
		find(f, n->cid);
}

/* --- by an address ---------------------------------------------------------------------- */

static bool in_network(const struct socket_address *a, const uint8_t *at)
{
	uint32_t bytes = a->bits / 8, bits = a->bits % 8;

	return a->bits && !memcmp(a->at, at, bytes) &&
	       (!bits || !((a->at[bytes] ^ at[bytes]) >> (8 - bits)));
}

/*
 * Is the address in a network that the host, or cid, is in? A container may give its interfaces any address:
 * others are not believed.
 */
static bool is_near(const struct sockets *s, const uint8_t *at, uint32_t cid)
{
	for (size_t i = 0; i < s->naddresses; i++) {
		const struct socket_address *a = &s->addresses[i];

		if ((s->ns[a->ns].host || is_in(&s->ns[a->ns], cid)) && in_network(a, at))
			return true;
	}
	return false;
}

/* Finds the sockets that listen at e's local end in the namespace, or at any address. */
static void find_listeners(struct found *f, const struct sockets *s, const struct sock_ends *e, uint32_t ns)
{
	struct sock_ends l = { .lport = e->lport };

	memcpy(l.local, e->local, sizeof(l.local));
	find_sockets(f, s, &l, ns, false, 0);
	if (f->any)
		return;
	memset(l.local, 0, sizeof(l.local));
	if (is_v4(e->local))
		memcpy(l.local, v4_prefix, sizeof(v4_prefix));
	find_sockets(f, s, &l, ns, false, 0);
}

const struct socket_at *sockets_listener(const struct sockets *s, const struct socket_at *x)
{
	const uint8_t *any = is_v4(x->ends.local) ? v4_any : in6addr_any.s6_addr;
	const struct socket_at *found = NULL;
	struct sock_ends l = { .lport = x->ends.lport };

	for (int pass = 0; pass < 2 && !found; pass++) {
		memcpy(l.local, pass ? any : x->ends.local, sizeof(l.local));
		for (size_t i = sockets_first(s, s->n, &l); i < s->n; i++) {
			if (memcmp(&s->v[i].ends, &l, sizeof(l)))
				break;
			if (s->v[i].ns != x->ns)
				continue;
			if (found && found->cid != s->v[i].cid)
				return NULL;
			found = &s->v[i];
		}
	}
	return found;
}

/* What a namespace says that has the other end's address. r: the connection as that end sees it */
struct there {
	struct found listens, alone;
};

static void look_in(struct there *t, const struct sockets *s, const struct sock_ends *r, uint32_t ns)
{
	const struct socket_ns *n = &s->ns[ns];
	struct found here = { 0 };

	find_listeners(&here, s, r, ns);
	if (here.any)
		find(&t->listens, agreed(&here));
	find(&t->alone, n->ncids == 1 ? n->cids[0] : CTRACE_CID_UNKNOWN);
}

static uint32_t by_address(const struct sockets *s, uint32_t cid, const struct sock_ends *r, bool inner)
{
	struct there t = { 0 };

	for (uint32_t ns = 0; ns < s->nns && inner; ns++)
		if (is_in(&s->ns[ns], cid))
			look_in(&t, s, r, ns);
	for (size_t i = 0; i < s->naddresses && !inner; i++)
		if (!memcmp(s->addresses[i].at, r->local, sizeof(r->local)))
			look_in(&t, s, r, s->addresses[i].ns);
	return t.listens.any ? agreed(&t.listens) : agreed(&t.alone);
}

uint32_t sockets_peer(const struct sockets *s, uint32_t cid, const struct sock_ends *e, bool *local)
{
	const struct sock_ends r = sock_turned(e);
	bool inner = is_inner(e), near = inner || is_near(s, e->remote, cid);
	struct found f = { 0 };

	/* cid may be newer than the look */
	*local = near || !share_a_namespace(s, cid, cid);
	find_sockets(&f, s, &r, UINT32_MAX, inner, cid);
	if (!f.any)
		find_note(&f, s, &r, inner, cid);
	if (agreed(&f) != CTRACE_CID_UNKNOWN || f.differ)
		return agreed(&f);
	return near ? by_address(s, cid, &r, inner) : CTRACE_CID_UNKNOWN;
}
