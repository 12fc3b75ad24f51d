// SPDX-License-Identifier: GPL-2.0-only
/* Socket addresses, by family. */
#include <arpa/inet.h>
#include <linux/if_packet.h>
#include <linux/netlink.h>
#include <linux/vm_sockets.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include "strace/memory.h"

static const struct part as_int[] = { { .kind = PART_INT }, { .kind = PART_END } };
static const struct part as_ulong[] = { { .kind = PART_ULONG }, { .kind = PART_END } };
static const struct part as_hex[] = { { .kind = PART_HEX }, { .kind = PART_END } };

static void put_wrapped(struct out *o, const char *name, const char *function, uint32_t v)
{
	char text[48];

	if (o->j) {
		json_uint(o->j, name, v);
		return;
	}
	snprintf(text, sizeof(text), "%s(%u)", function, v);
	out_word(o, name, text);
}

static void put_in(struct out *o, struct bytes d)
{
	struct sockaddr_in a;
	char ip[INET_ADDRSTRLEN] = "", text[48];

	memcpy(&a, d.s, sizeof(a));
	inet_ntop(AF_INET, &a.sin_addr, ip, sizeof(ip));
	put_wrapped(o, o->j ? "port" : "sin_port", "htons", ntohs(a.sin_port));
	snprintf(text, sizeof(text), "inet_addr(\"%s\")", ip);
	if (o->j)
		json_str(o->j, "address", ip);
	else
		out_word(o, "sin_addr", text);
}

static void put_in6(struct out *o, struct bytes d)
{
	struct sockaddr_in6 a = { 0 };
	char ip[INET6_ADDRSTRLEN] = "", text[96];

	memcpy(&a, d.s, d.n < sizeof(a) ? d.n : sizeof(a));
	inet_ntop(AF_INET6, &a.sin6_addr, ip, sizeof(ip));
	put_wrapped(o, o->j ? "port" : "sin6_port", "htons", ntohs(a.sin6_port));
	put_wrapped(o, o->j ? "flowinfo" : "sin6_flowinfo", "htonl", ntohl(a.sin6_flowinfo));
	snprintf(text, sizeof(text), "inet_pton(AF_INET6, \"%s\", &sin6_addr)", ip);
	if (o->j)
		json_str(o->j, "address", ip);
	else
		out_word(o, NULL, text);
	if (d.n < sizeof(a))
		return;
	if (o->j)
		json_uint(o->j, "scope_id", a.sin6_scope_id);
	else
		out_number(o, "sin6_scope_id", as_ulong, a.sin6_scope_id);
}

static void put_un(struct out *o, struct bytes d)
{
	struct bytes path = bytes_at(d, offsetof(struct sockaddr_un, sun_path), d.n);

	if (path.n && path.s[0]) {
		path.n = strnlen((const char *)path.s, path.n);
		out_string(o, o->j ? "path" : "sun_path", path, false);
		return;
	}
	path = bytes_at(path, 1, path.n);
	if (o->j) {
		json_strn(o->j, "abstract", (const char *)path.s, path.n);
		return;
	}
	out_name(o, "sun_path");
	sbuf_puts(o->b, "@\"");
	sbuf_escape(o->b, (const char *)path.s, path.n);
	sbuf_putc(o->b, '"');
}

static void put_netlink(struct out *o, struct bytes d)
{
	struct sockaddr_nl a;
	char text[16];

	memcpy(&a, d.s, sizeof(a));
	out_number(o, o->j ? "pid" : "nl_pid", as_int, a.nl_pid);
	snprintf(text, sizeof(text), "%#08x", a.nl_groups);
	if (o->j)
		json_uint(o->j, "groups", a.nl_groups);
	else
		out_word(o, "nl_groups", text);
}

static void put_vsock(struct out *o, struct bytes d)
{
	static const char *const names[] = { "VMADDR_CID_HYPERVISOR", "VMADDR_CID_LOCAL", "VMADDR_CID_HOST" };
	struct sockaddr_vm a;
	char text[16];

	memcpy(&a, d.s, sizeof(a));
	snprintf(text, sizeof(text), "%#x", a.svm_cid);
	if (o->j) {
		json_uint(o->j, "cid", a.svm_cid);
		json_uint(o->j, "port", a.svm_port);
		return;
	}
	out_word(o, "svm_cid", a.svm_cid < ARRAY_SIZE(names) ? names[a.svm_cid] :
		  a.svm_cid == UINT32_MAX ? "VMADDR_CID_ANY" : text);
	out_number(o, "svm_port", as_hex, a.svm_port);
	out_number(o, "svm_flags", as_hex, d.s[offsetof(struct sockaddr_vm, svm_port) + 8]);
}

static void put_packet(struct out *o, struct bytes d)
{
	const size_t at = offsetof(struct sockaddr_ll, sll_addr);
	struct sockaddr_ll a = { 0 };
	char text[24];

	memcpy(&a, d.s, d.n < sizeof(a) ? d.n : sizeof(a));
	snprintf(text, sizeof(text), "htons(%#x)", ntohs(a.sll_protocol));
	if (o->j)
		json_uint(o->j, "protocol", ntohs(a.sll_protocol));
	else
		out_word(o, "sll_protocol", text);
	out_number(o, o->j ? "ifindex" : "sll_ifindex", as_int, (uint32_t)a.sll_ifindex);
	out_number(o, o->j ? "hatype" : "sll_hatype", as_hex, a.sll_hatype);
	out_number(o, o->j ? "pkttype" : "sll_pkttype", as_hex, a.sll_pkttype);
	out_number(o, o->j ? "halen" : "sll_halen", as_ulong, a.sll_halen);
	out_open(o, o->j ? "address" : "sll_addr", '[');
	for (size_t i = 0; i < a.sll_halen && i < sizeof(a.sll_addr) && at + i < d.n; i++)
		out_number(o, NULL, as_hex, a.sll_addr[i]);
	out_close(o, ']');
}

static const struct {
	int family;
	size_t min;		/* with fewer bytes, it is a family with bytes */
	void (*put)(struct out *o, struct bytes d);
} families[] = {
	{ AF_INET, sizeof(struct sockaddr_in), put_in },
	{ AF_INET6, offsetof(struct sockaddr_in6, sin6_scope_id), put_in6 },
	{ AF_UNIX, offsetof(struct sockaddr_un, sun_path) + 1, put_un },
	{ AF_NETLINK, sizeof(struct sockaddr_nl), put_netlink },
	{ AF_VSOCK, sizeof(struct sockaddr_vm), put_vsock },
	{ AF_PACKET, offsetof(struct sockaddr_ll, sll_addr), put_packet },
};

bool out_sockaddr(struct out *o, const char *name, const struct layout *l, struct bytes d)
{
	struct sbuf family = { 0 };
	uint64_t af;
	size_t i;

	if (d.n < 2 || l->nmembers != 1)
		return false;
	af = bytes_number(d, 2);
	out_open(o, name, '{');
	number_put(&family, l->members[0].type, af);
	out_word(o, o->j ? "family" : "sa_family", family.s);
	sbuf_free(&family);
	for (i = 0; i < ARRAY_SIZE(families); i++)
		if ((uint64_t)families[i].family == af && d.n >= families[i].min)
			break;
	if (i < ARRAY_SIZE(families))
		families[i].put(o, d);
	else if (d.n > 2)
		out_string(o, o->j ? "data" : "sa_data", bytes_at(d, 2, d.n), false);
	out_close(o, '}');
	return true;
}
