/* SPDX-License-Identifier: GPL-2.0-only */
/* libshort.h: what tests ask the library for most, in one line each. */
#ifndef LIBSHORT_H
#define LIBSHORT_H

#include <ctrace/libctrace.h>

static inline int target_cid(struct ctrace_session *s, uint32_t cid)
{
	return ctrace_target_add(s, &(struct ctrace_target){ .sz = sizeof(struct ctrace_target),
				 .kind = CTRACE_TARGET_CID, .cid = cid }, NULL);
}

static inline int target_pid(struct ctrace_session *s, uint32_t pid)
{
	return ctrace_target_add(s, &(struct ctrace_target){ .sz = sizeof(struct ctrace_target),
				 .kind = CTRACE_TARGET_PID, .pid = pid }, NULL);
}

static inline int target_cgroup(struct ctrace_session *s, const char *path)
{
	return ctrace_target_add(s, &(struct ctrace_target){ .sz = sizeof(struct ctrace_target),
				 .kind = CTRACE_TARGET_CGROUP, .cgroup = path }, NULL);
}

static inline int target_not_cid(struct ctrace_session *s, uint32_t cid)
{
	return ctrace_target_add(s, &(struct ctrace_target){ .sz = sizeof(struct ctrace_target),
				 .kind = CTRACE_TARGET_CID, .cid = cid, .exclude = true }, NULL);
}

static inline int target_not_cgroup(struct ctrace_session *s, const char *path)
{
	return ctrace_target_add(s, &(struct ctrace_target){ .sz = sizeof(struct ctrace_target),
				 .kind = CTRACE_TARGET_CGROUP, .cgroup = path, .exclude = true }, NULL);
}

/* Opens a reader of session id, of one container (CTRACE_CID_ALL: of all); no connection is needed. */
static inline int reader_of(uint32_t id, uint32_t cid, struct ctrace_reader **r)
{
	return ctrace_reader_open(NULL, &(struct ctrace_reader_opts){ .sz = sizeof(struct ctrace_reader_opts),
				  .flags = cid == CTRACE_CID_ALL ? 0 : CTRACE_READER_CID, .session = id,
				  .cid = cid }, r);
}

#endif
