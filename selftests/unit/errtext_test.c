// SPDX-License-Identifier: GPL-2.0-only
/*
 * The kernel's refusals: the text and the attribute of an extended ack, from messages that are whole,
 * capped, cut, or wrong about their lengths. Each lies in an allocation of exactly its length, for the
 * address sanitizer.
 */
#include <errno.h>
#include <stdlib.h>
#include <ext_ack.h>
#include <netlink/attr.h>
#include <netlink/msg.h>

#include "internal.h"
#include "ktap.h"

/* Makes SESSION{ID, RING_SIZE} PROBE{NAME}, and gives the offsets of two attributes in it. */
static struct nl_msg *request(uint32_t *ring_size_at, uint32_t *probe_at)
{
	struct nl_msg *m = nlmsg_alloc();
	struct nlmsghdr *nlh;
	struct nlattr *nest;

	genlmsg_put(m, 1, 1, 0x20, 0, NLM_F_REQUEST, CTRACE_CMD_PROBE_ADD, CTRACE_GENL_VERSION);
	nlh = nlmsg_hdr(m);
	nest = nla_nest_start(m, CTRACE_A_SESSION | NLA_F_NESTED);
	nla_put_u32(m, CTRACE_A_SESSION_ID, 1);
	*ring_size_at = nlh->nlmsg_len;
	nla_put_u64(m, CTRACE_A_SESSION_RING_SIZE, 3);
	nla_nest_end(m, nest);
	*probe_at = nlh->nlmsg_len;
	nest = nla_nest_start(m, CTRACE_A_PROBE | NLA_F_NESTED);
	nla_put_string(m, CTRACE_A_PROBE_NAME, "sched_foo");
	nla_nest_end(m, nest);
	return m;
}

/* One attribute from every set that a request may have. */
static void every_name(void)
{
	static const struct { int set, attr; const char *name; } attrs[] = {
#define A(set, what) { CTRACE_A_##set, CTRACE_A_##set##_##what, #set "_" #what },
		CTRACE_A_SETTABLE(A)
		/* missed once, when each user of the list had its own */
		{ CTRACE_A_SESSION, CTRACE_A_SESSION_CONTAINERS, "SESSION_CONTAINERS" },
		{ CTRACE_A_SESSION, CTRACE_A_SESSION_EVENTS, "SESSION" },	/* users may not send it */
		{ CTRACE_A_EVENT, 60, "EVENT" },
	};
	struct nl_msg *m;
	struct nlattr *nest;
	uint32_t at;
	size_t i;

	for (i = 0; i < sizeof(attrs) / sizeof(attrs[0]); i++) {
		m = nlmsg_alloc();
		genlmsg_put(m, 1, 1, 0x20, 0, NLM_F_REQUEST, 1, CTRACE_GENL_VERSION);
		nest = nla_nest_start(m, attrs[i].set | NLA_F_NESTED);
		nla_put_string(m, 61, "another");
		at = nlmsg_hdr(m)->nlmsg_len;
		nla_put_u32(m, attrs[i].attr, 1);
		nla_nest_end(m, nest);
		check_str(ctrace_attr_name_at(nlmsg_hdr(m), at), attrs[i].name);
		nlmsg_free(m);
	}
}

static void attribute_names(void)
{
	uint32_t ring_size, probe, i;
	struct nl_msg *m = request(&ring_size, &probe);
	struct nlmsghdr *nlh = nlmsg_hdr(m);
	const char *name;

	check_str(ctrace_attr_name_at(nlh, ring_size), "SESSION_RING_SIZE");
	check_str(ctrace_attr_name_at(nlh, probe), "PROBE");
	check_str(ctrace_attr_name_at(nlh, probe + 4), "PROBE_NAME");
	check_str(ctrace_attr_name_at(nlh, 20), "SESSION");
	check(!ctrace_attr_name_at(nlh, 0));
	check(!ctrace_attr_name_at(nlh, UINT32_MAX));
	for (i = 0; i < nlh->nlmsg_len + 64; i++) {
		name = ctrace_attr_name_at(nlh, i);
		check(!name || strlen(name) > 3);
	}
	nlmsg_free(m);
}

/* Makes the kernel's answer to req, as NLMSG_ERROR (whole or capped) or as NLMSG_DONE. */
static struct nl_msg *answer(struct nlmsghdr *req, int type, int flags)
{
	struct nl_msg *m = nlmsg_alloc();
	struct nlmsgerr *e;
	int error = -EINVAL;

	nlmsg_put(m, 1, 1, type, 0, NLM_F_ACK_TLVS | flags);
	if (type == NLMSG_ERROR) {
		e = nlmsg_reserve(m, sizeof(*e), 0);
		e->error = error;
		e->msg = *req;
		if (!(flags & NLM_F_CAPPED))
			nlmsg_append(m, (char *)req + NLMSG_HDRLEN, req->nlmsg_len - NLMSG_HDRLEN,
				     NLMSG_ALIGNTO);
	} else {
		nlmsg_append(m, &error, sizeof(error), NLMSG_ALIGNTO);
	}
	nla_put_string(m, NLMSGERR_ATTR_MSG, "no such tracepoint");
	nla_put_u32(m, NLMSGERR_ATTR_OFFS, 44);
	return m;
}

static const struct { int type, flags; } kinds[] = {
	{ NLMSG_ERROR, 0 }, { NLMSG_ERROR, NLM_F_CAPPED }, { NLMSG_DONE, 0 },
};

static void texts(void)
{
	uint32_t unused;
	struct nl_msg *m = request(&unused, &unused), *a;
	struct ctrace_ext_ack ack;
	size_t i;

	for (i = 0; i < 3; i++) {
		a = answer(nlmsg_hdr(m), kinds[i].type, kinds[i].flags);
		ctrace_ext_ack_parse(nlmsg_hdr(a), &ack);
		check_str(ack.msg, "no such tracepoint");
		check_eq(ack.offset, 44);
		nlmsg_hdr(a)->nlmsg_flags = 0;
		ctrace_ext_ack_parse(nlmsg_hdr(a), &ack);
		check_str(ack.msg, "");
		check_eq(ack.offset, 0);
		nlmsg_free(a);
	}
	nlmsg_free(m);
}

static void parse_cut(const struct nlmsghdr *nlh, uint32_t len)
{
	struct nlmsghdr *copy = malloc(len);
	struct ctrace_ext_ack ack;

	memcpy(copy, nlh, len);
	copy->nlmsg_len = len;
	ctrace_ext_ack_parse(copy, &ack);
	check(strnlen(ack.msg, sizeof(ack.msg)) < sizeof(ack.msg));
	free(copy);
}

static void cut_and_lying(void)
{
	uint32_t unused, len, at;
	struct nl_msg *m = request(&unused, &unused), *a;
	struct nlmsghdr *nlh;
	unsigned char *b, keep;
	size_t i;

	for (i = 0; i < 3; i++) {
		a = answer(nlmsg_hdr(m), kinds[i].type, kinds[i].flags);
		nlh = nlmsg_hdr(a);
		for (len = NLMSG_HDRLEN; len <= nlh->nlmsg_len; len++)
			parse_cut(nlh, len);
		for (at = NLMSG_HDRLEN; at < nlh->nlmsg_len; at++) {
			b = (unsigned char *)nlh + at;
			keep = *b;
			*b = 0xff;
			parse_cut(nlh, nlh->nlmsg_len);
			*b = 0;
			parse_cut(nlh, nlh->nlmsg_len);
			*b = keep;
		}
		nlmsg_free(a);
	}
	nlmsg_free(m);
}

static const struct ktap_case cases[] = {
	{ "attributes by their offset in a request", attribute_names },
	{ "every attribute by its name", every_name },
	{ "text and offset of whole and capped errors and of dumps", texts },
	{ "cut and lying answers", cut_and_lying },
};
KTAP_MAIN(cases)
