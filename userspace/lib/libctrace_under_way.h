/* SPDX-License-Identifier: LGPL-2.1-only */
/* A part of libctrace.h, which includes it: what is under way now. */
#ifndef LIBCTRACE_UNDER_WAY_H
#define LIBCTRACE_UNDER_WAY_H

/* A thread of user space: enum ctrace_attr_task. An attribute that is absent is 0. Times are ns. */
struct ctrace_task_info {
	uint32_t tid, pid, vtid, cid, state, iowait, span, call;
	uint64_t ran_ns, queued_ns, span_ns, call_ns;
	char comm[16];
};
typedef int (*ctrace_task_fn)(const struct ctrace_task_info *info, void *arg);
/* session: its targets' threads; 0: all */
int ctrace_task_each(struct ctrace *ct, uint32_t session, ctrace_task_fn fn, void *arg);

/* A block request under way: enum ctrace_attr_request. An attribute that is absent is 0. */
struct ctrace_request_info {
	uint32_t cid, tid, dev, bytes, rwbs, at;
	uint64_t sector, ns, issued_ns;
	char comm[16];
};
typedef int (*ctrace_request_fn)(const struct ctrace_request_info *info, void *arg);
/* session: its targets' requests; 0: all */
int ctrace_request_each(struct ctrace *ct, uint32_t session, ctrace_request_fn fn, void *arg);

#endif /* LIBCTRACE_UNDER_WAY_H */
