// SPDX-License-Identifier: LGPL-2.1-only
/* Threads that exist, with what each of them is in; and block requests under way. */
#include <errno.h>
#include <stdlib.h>
#include <netlink/attr.h>

#include "internal.h"

static int task_reply(struct nlattr **sets, void *arg)
{
	struct nlattr *a[CTRACE_A_TASK_MAX + 1];
	struct ctrace_task_info *i;

	if (ctrace_attr_nested(a, CTRACE_A_TASK_MAX, sets[CTRACE_A_TASK]))
		return -EPROTO;
	i = ctrace_list_add(arg);
	if (!i)
		return -ENOMEM;
	i->tid = ctrace_attr_u32(a[CTRACE_A_TASK_TID]);
	i->pid = ctrace_attr_u32(a[CTRACE_A_TASK_PID]);
	i->vtid = ctrace_attr_u32(a[CTRACE_A_TASK_VTID]);
	i->cid = ctrace_attr_u32(a[CTRACE_A_TASK_CID]);
	i->state = ctrace_attr_u32(a[CTRACE_A_TASK_STATE]);
	i->iowait = ctrace_attr_u32(a[CTRACE_A_TASK_IOWAIT]);
	i->ran_ns = ctrace_attr_u64(a[CTRACE_A_TASK_RAN_NS]);
	i->queued_ns = ctrace_attr_u64(a[CTRACE_A_TASK_QUEUED_NS]);
	i->span = ctrace_attr_u32(a[CTRACE_A_TASK_SPAN]);
	i->span_ns = ctrace_attr_u64(a[CTRACE_A_TASK_SPAN_NS]);
	i->call = ctrace_attr_u32(a[CTRACE_A_TASK_CALL]);
	i->call_ns = ctrace_attr_u64(a[CTRACE_A_TASK_CALL_NS]);
	ctrace_attr_str(a[CTRACE_A_TASK_COMM], i->comm, sizeof(i->comm));
	return 0;
}

int ctrace_task_each(struct ctrace *ct, uint32_t session, ctrace_task_fn fn, void *arg)
{
	struct ctrace_list l = { .size = sizeof(struct ctrace_task_info) };
	const struct ctrace_task_info *v;
	size_t i;
	int err;

	err = ctrace_ctl_dump(ct, CTRACE_CMD_TASK_GET, session, "cannot list threads", task_reply, &l);
	for (v = l.items, i = 0; !err && i < l.n; i++)
		err = fn(&v[i], arg);
	free(l.items);
	return err;
}

static int request_reply(struct nlattr **sets, void *arg)
{
	struct nlattr *a[CTRACE_A_REQUEST_MAX + 1];
	struct ctrace_request_info *i;

	if (ctrace_attr_nested(a, CTRACE_A_REQUEST_MAX, sets[CTRACE_A_REQUEST]))
		return -EPROTO;
	i = ctrace_list_add(arg);
	if (!i)
		return -ENOMEM;
	i->cid = ctrace_attr_u32(a[CTRACE_A_REQUEST_CID]);
	i->tid = ctrace_attr_u32(a[CTRACE_A_REQUEST_TID]);
	i->dev = ctrace_attr_u32(a[CTRACE_A_REQUEST_DEV]);
	i->sector = ctrace_attr_u64(a[CTRACE_A_REQUEST_SECTOR]);
	i->bytes = ctrace_attr_u32(a[CTRACE_A_REQUEST_BYTES]);
	i->rwbs = ctrace_attr_u32(a[CTRACE_A_REQUEST_RWBS]);
	i->at = ctrace_attr_u32(a[CTRACE_A_REQUEST_AT]);
	i->ns = ctrace_attr_u64(a[CTRACE_A_REQUEST_NS]);
	i->issued_ns = ctrace_attr_u64(a[CTRACE_A_REQUEST_ISSUED_NS]);
	ctrace_attr_str(a[CTRACE_A_REQUEST_COMM], i->comm, sizeof(i->comm));
	return 0;
}

int ctrace_request_each(struct ctrace *ct, uint32_t session, ctrace_request_fn fn, void *arg)
{
	struct ctrace_list l = { .size = sizeof(struct ctrace_request_info) };
	const struct ctrace_request_info *v;
	size_t i;
	int err;

	err = ctrace_ctl_dump(ct, CTRACE_CMD_REQUEST_GET, session, "cannot list block requests",
			      request_reply, &l);
	for (v = l.items, i = 0; !err && i < l.n; i++)
		err = fn(&v[i], arg);
	free(l.items);
	return err;
}
