// SPDX-License-Identifier: LGPL-2.1-only
/*
 * What the kernel says when it refuses a request: a text, and the attribute that is wrong.
 *
 * The kernel points at an attribute by its offset in the request. People know attributes by name,
 * so the request is searched for the attribute at that offset.
 */
#include <errno.h>
#include <string.h>
#include <netlink/attr.h>
#include <netlink/msg.h>

#include "ext_ack.h"
#include "internal.h"

void ctrace_ext_ack_parse(const struct nlmsghdr *nlh, struct ctrace_ext_ack *ack)
{
	struct nlattr *tb[NLMSGERR_ATTR_MAX + 1];
	struct nlmsghdr *h = (struct nlmsghdr *)nlh;
	int skip = sizeof(int);		/* NLMSG_DONE: the attributes follow the error */
	const struct nlmsgerr *e;

	memset(ack, 0, sizeof(*ack));
	if (!(nlh->nlmsg_flags & NLM_F_ACK_TLVS))
		return;
	if (nlh->nlmsg_type == NLMSG_ERROR) {
		/* The attributes follow the request's header, and its payload unless capped. */
		if (nlmsg_datalen(nlh) < (int)sizeof(*e))
			return;
		e = nlmsg_data(nlh);
		skip = sizeof(*e);
		if (!(nlh->nlmsg_flags & NLM_F_CAPPED)) {
			if (e->msg.nlmsg_len < NLMSG_HDRLEN ||
			    e->msg.nlmsg_len > (uint32_t)nlmsg_datalen(nlh))
				return;
			skip += NLMSG_ALIGN(e->msg.nlmsg_len - NLMSG_HDRLEN);
		}
	}
	if (nlmsg_datalen(nlh) < skip || nlmsg_parse(h, skip, tb, NLMSGERR_ATTR_MAX, NULL) < 0)
		return;
	if (tb[NLMSGERR_ATTR_MSG])
		ctrace_attr_str(tb[NLMSGERR_ATTR_MSG], ack->msg, sizeof(ack->msg));
	ack->offset = ctrace_attr_u32(tb[NLMSGERR_ATTR_OFFS]);
}

#define NAME(set, what)	[CTRACE_A_##set][CTRACE_A_##set##_##what] = #set "_" #what,

static const char *const set_names[CTRACE_A_MAX + 1] = {
	[CTRACE_A_SESSION] = "SESSION", [CTRACE_A_PROBE] = "PROBE", [CTRACE_A_TARGET] = "TARGET",
	[CTRACE_A_EVENT] = "EVENT",
	[CTRACE_A_FROZEN] = "FROZEN",
};
static const char *const attr_names[CTRACE_A_MAX + 1][CTRACE_A_SESSION_MAX + 1] = { CTRACE_A_SETTABLE(NAME) };

/* Of the attributes in a row from a, the one that starts at `at` or contains it. */
static struct nlattr *find(struct nlattr *a, int left, const char *at)
{
	for (; nla_ok(a, left); a = nla_next(a, &left))
		if (at >= (char *)a && at < (char *)a + a->nla_len)
			return a;
	return NULL;
}

const char *ctrace_attr_name_at(struct nlmsghdr *request, uint32_t offset)
{
	const char *at = (const char *)request + offset;
	struct nlattr *set, *a;
	int type;

	if (offset < NLMSG_HDRLEN + GENL_HDRLEN || offset >= request->nlmsg_len)
		return NULL;
	set = find(nlmsg_attrdata(request, GENL_HDRLEN), nlmsg_attrlen(request, GENL_HDRLEN), at);
	if (!set || nla_type(set) > CTRACE_A_MAX || !set_names[nla_type(set)])
		return NULL;
	if (at == (char *)set)
		return set_names[nla_type(set)];
	a = find(nla_data(set), nla_len(set), at);
	type = a ? nla_type(a) : 0;
	if (type <= CTRACE_A_SESSION_MAX && attr_names[nla_type(set)][type])
		return attr_names[nla_type(set)][type];
	return set_names[nla_type(set)];
}

/* For an errno whose own words would not help: what to do. Else NULL. */
const char *ctrace_error_hint(int err)
{
	switch (-err) {
	case EPERM:
	case EACCES:
		return "not permitted: needs CAP_SYS_ADMIN or CAP_PERFMON in the initial user namespace (run as root)";
	case ENOMEM:
		return "the kernel does not have enough memory: ask for a smaller arena";
	case EOPNOTSUPP:
		return "the module does not know this command, because it is older than this library";
	}
	return NULL;
}
