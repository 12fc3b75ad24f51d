// SPDX-License-Identifier: GPL-2.0-only
/* sockets.json: the looks at sockets when a recording began and ended. It may have been changed by others. */
#include <arpa/inet.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>
#include "names/names.h"
#include "net/sockets.h"

#define CIDS_MAX	4096u	/* that are read of a namespace */

/* --- writing ------------------------------------------------------------------------------ */

static void put_address(struct json *j, const char *key, const uint8_t *a)
{
	char text[INET6_ADDRSTRLEN] = "";

	json_str(j, key, inet_ntop(AF_INET6, a, text, sizeof(text)));
}

static void put_ns(struct json *j, const struct socket_ns *n)
{
	json_open(j, NULL, '{');
	json_uint(j, "inode", n->inode);
	json_flag(j, "host", n->host);
	json_open(j, "cids", '[');
	for (size_t i = 0; i < n->ncids; i++)
		json_uint(j, NULL, n->cids[i]);
	json_close(j, ']');
	json_close(j, '}');
}

static void put_socket(struct json *j, const struct socket_at *x)
{
	json_open(j, NULL, '{');
	json_uint(j, "ns", x->ns);
	if (x->cid != CTRACE_CID_UNKNOWN)
		json_uint(j, "cid", x->cid);
	put_address(j, "local", x->ends.local);
	json_uint(j, "lport", x->ends.lport);
	if (!x->listens) {
		put_address(j, "remote", x->ends.remote);
		json_uint(j, "rport", x->ends.rport);
	}
	if (x->wanted && !x->listens) {
		json_uint(j, "cookie", x->cookie);
		json_uint(j, "tx_bytes", x->tx);
		json_uint(j, "rx_bytes", x->rx);
	}
	json_close(j, '}');
}

/* Of containers that are not recorded, a connection is left out unless its other end is recorded. */
static bool concerns(const struct sockets *s, const struct socket_at *x)
{
	const struct sock_ends e = sock_turned(&x->ends);
	bool has = x->wanted || x->listens;

	for (size_t i = sockets_first(s, s->n, &e); !has && i < s->n; i++) {
		if (memcmp(&s->v[i].ends, &e, sizeof(e)))
			break;
		has = s->v[i].wanted;
	}
	return has;
}

void sockets_put(struct json *j, const char *key, const struct sockets *s)
{
	json_open(j, key, '{');
	json_uint(j, "shared", s->shared);
	json_uint(j, "left", s->left);
	json_uint(j, "left_namespaces", s->left_ns);
	json_int(j, "refused", s->refused);
	json_open(j, "namespaces", '[');
	for (size_t i = 0; i < s->nns; i++)
		put_ns(j, &s->ns[i]);
	json_close(j, ']');
	json_open(j, "addresses", '[');
	for (size_t i = 0; i < s->naddresses; i++) {
		json_open(j, NULL, '{');
		json_uint(j, "ns", s->addresses[i].ns);
		put_address(j, "address", s->addresses[i].at);
		json_uint(j, "bits", s->addresses[i].bits);
		json_close(j, '}');
	}
	json_close(j, ']');
	json_open(j, "sockets", '[');
	for (size_t i = 0; i < s->n; i++)
		if (concerns(s, &s->v[i]))
			put_socket(j, &s->v[i]);
	json_close(j, ']');
	json_close(j, '}');
}

/* --- reading ------------------------------------------------------------------------------ */

static size_t length(struct json_object *o, size_t most)
{
	size_t n = json_object_is_type(o, json_type_array) ? json_object_array_length(o) : 0;

	return n < most ? n : most;
}

/* 0: it is missing, or negative */
static uint64_t number(struct json_object *o, const char *key)
{
	int64_t n = names_number(o, key);

	return n > 0 ? (uint64_t)n : 0;
}

/* A text that is no address becomes ::. */
static void load_address(uint8_t *to, struct json_object *o, const char *key)
{
	const char *text = names_str(o, key);

	if (!text || inet_pton(AF_INET6, text, to) != 1)
		memset(to, 0, 16);
}

/* Where the namespace is in s; UINT32_MAX: there are too many. */
static uint32_t load_ns(struct sockets *s, struct json_object *o)
{
	struct json_object *cids = names_get(o, "cids");
	uint64_t inode = number(o, "inode");
	struct socket_ns *n;
	size_t i = 0;

	while (i < s->nns && s->ns[i].inode != inode)
		i++;
	if (i == NAMESPACES_MAX)
		return UINT32_MAX;
	if (i == s->nns) {
		s->ns = xrealloc(s->ns, (s->nns + 1) * sizeof(s->ns[0]));
		s->ns[s->nns++] = (struct socket_ns){ .inode = inode };
	}
	n = &s->ns[i];
	n->host |= json_object_get_boolean(names_get(o, "host"));
	for (size_t k = 0; k < length(cids, CIDS_MAX); k++)
		sockets_add_cid(n, (uint32_t)json_object_get_int64(json_object_array_get_idx(cids, k)));
	return (uint32_t)i;
}

static bool has_socket(const struct sockets *s, size_t n, const struct socket_at *x)
{
	for (size_t i = sockets_first(s, n, &x->ends);
	     i < n && !memcmp(&s->v[i].ends, &x->ends, sizeof(x->ends)); i++)
		if (s->v[i].ns == x->ns && s->v[i].cid == x->cid)
			return true;
	return false;
}

/* sorted: those that another look had */
static void load_socket(struct sockets *s, size_t sorted, struct json_object *o, uint32_t ns)
{
	struct socket_at x = { .ns = ns, .cid = CTRACE_CID_UNKNOWN, .listens = !names_get(o, "remote") };

	if (names_get(o, "cid"))
		x.cid = (uint32_t)number(o, "cid");
	load_address(x.ends.local, o, "local");
	load_address(x.ends.remote, o, "remote");
	x.ends.lport = (uint16_t)number(o, "lport");
	x.ends.rport = (uint16_t)number(o, "rport");
	x.cookie = number(o, "cookie");
	x.tx = number(o, "tx_bytes");
	x.rx = number(o, "rx_bytes");
	x.wanted = names_get(o, "cookie") && s->wants && s->wants(s->wants_arg, x.cid);
	if (!has_socket(s, sorted, &x))
		s->v[s->n++] = x;
}

void sockets_load(struct sockets *s, struct json_object *look)
{
	struct json_object *namespaces = names_get(look, "namespaces"),
			   *addresses = names_get(look, "addresses");
	struct json_object *sockets = names_get(look, "sockets"), *o;
	size_t n = length(namespaces, NAMESPACES_MAX), sorted = s->n;
	uint32_t *places = xcalloc(n + 1, sizeof(*places));

	s->shared = number(look, "shared");
	s->left = number(look, "left");
	s->left_ns = number(look, "left_namespaces");
	s->refused = (int)number(look, "refused");
	for (size_t i = 0; i < n; i++)
		places[i] = load_ns(s, json_object_array_get_idx(namespaces, i));
	s->addresses = xrealloc(s->addresses, (s->naddresses + length(addresses, ADDRESSES_MAX) + 1) *
						      sizeof(s->addresses[0]));
	for (size_t i = 0; i < length(addresses, ADDRESSES_MAX); i++) {
		struct socket_address *a = &s->addresses[s->naddresses];
		uint64_t ns, bits;

		o = json_object_array_get_idx(addresses, i);
		ns = number(o, "ns");
		bits = number(o, "bits");
		if (ns >= n || places[ns] == UINT32_MAX)
			continue;
		load_address(a->at, o, "address");
		a->bits = bits <= 128 ? (uint32_t)bits : 128;
		a->ns = places[ns];
		s->naddresses++;
	}
	s->v = xrealloc(s->v, (s->n + length(sockets, SOCKETS_MAX) + 1) * sizeof(s->v[0]));
	for (size_t i = 0; i < length(sockets, SOCKETS_MAX); i++) {
		uint64_t ns;

		o = json_object_array_get_idx(sockets, i);
		ns = number(o, "ns");
		if (ns < n && places[ns] != UINT32_MAX)
			load_socket(s, sorted, o, places[ns]);
	}
	sockets_sort(s);
	free(places);
}
