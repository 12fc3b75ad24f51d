// SPDX-License-Identifier: GPL-2.0-only
/* Tasks that move between cgroups; cgroups that are made, removed, frozen, unfrozen. */
#include <linux/cgroup.h>
#include <linux/string.h>
#include "probe/table.h"
#include "emit/simple.h"
#include "identity/cgroup.h"
#include "compat/cgroup.h"
#include "compat/tracepoint.h"

/* The path that the kernel passed; if it passed none, one made of the names in buf[CTRACE_STR_MAX]. */
static const char *path_of(const struct cgroup *cgrp, const char *told, char *buf)
{
	if (told)
		return told;
	ctrace_identity_cgroup_path(cgrp, buf, CTRACE_STR_MAX);
	return buf;
}

struct attach_arg {
	const struct task_struct *p;
	struct cgroup *dst;
	const char *path;
	u32 path_len;
};

#define ATTACH_FIELDS(F)								\
	F(comm, comm) F(u64, dst_id) F(s32, dst_root) F(s32, dst_level) F(s32, tid)	\
	F(string, dst_path)
CTRACE_PAYLOAD(attach_payload, ATTACH_FIELDS);

static __always_inline void fill_attach(void *payload, const void *arg)
{
	struct attach_payload *r = payload;
	const struct attach_arg *a = arg;

	ctrace_put_comm(r->comm, a->p, true);
	r->dst_id = ctrace_compat_cgroup_number(ctrace_compat_cgroup_id(a->dst));
	r->dst_root = a->dst->root->hierarchy_id;
	r->dst_level = ctrace_compat_cgroup_level(a->dst);
	r->tid = a->p->pid;
	memcpy(r->dst_path, a->path, a->path_len);
	r->dst_path[a->path_len] = 0;
}

/* The task has arrived: the event belongs to the container it is in now. */
static __always_inline void on_attach(struct cgroup *dst, const char *path, struct task_struct *p)
{
	struct attach_arg a = { .p = p, .dst = dst };
	u32 mask = ctrace_wants(CTRACE_ID_CGROUP_ATTACH_TASK);
	char buf[CTRACE_STR_MAX];
	struct ctrace_who who;

	if (!mask)
		return;
	ctrace_identity_resolve_task(p, &who);
	mask = ctrace_wanted(mask, who.container, p);
	if (!mask)
		return;
	a.path = path_of(dst, path, buf);
	a.path_len = strnlen(a.path, CTRACE_STR_MAX - 1);
	ctrace_emit(mask, CTRACE_ID_CGROUP_ATTACH_TASK, &who,
		    CTRACE_SIZE(attach_payload) + a.path_len + 1, fill_attach, &a);
}

static void CTRACE_PROBE_CGROUP_ATTACH_TASK(probe_attach)
{
	ctrace_compat_probe_begin();
	on_attach(dst, CTRACE_PROBE_ATTACH_PATH, p);
	ctrace_compat_probe_end();
}

/* --- cgroups themselves --------------------------------------------------------- */

struct cgroup_arg {
	const struct cgroup *cgrp;
	const char *path;
	u32 path_len;
};

#define CGROUP_FIELDS(F)								\
	F(s32, root) F(hole, hole) F(u64, id) F(s32, level) F(string, path)
CTRACE_PAYLOAD(cgroup_payload, CGROUP_FIELDS);

static __always_inline void fill_cgroup(void *payload, const void *arg)
{
	struct cgroup_payload *r = payload;
	const struct cgroup_arg *a = arg;

	r->root = a->cgrp->root->hierarchy_id;
	r->hole = 0;
	r->id = ctrace_compat_cgroup_number(ctrace_compat_cgroup_id(a->cgrp));
	r->level = ctrace_compat_cgroup_level(a->cgrp);
	memcpy(r->path, a->path, a->path_len);
	r->path[a->path_len] = 0;
}

/* of: the cgroup that the event belongs to; NULL: it belongs to the running context */
static void on_cgroup(u32 id, struct cgroup *cgrp, const char *path, struct cgroup *of)
{
	struct cgroup_arg a = { .cgrp = cgrp };
	u32 mask = ctrace_wants(id);
	char buf[CTRACE_STR_MAX];
	struct ctrace_who who;

	if (!mask)
		return;
	if (of)
		ctrace_identity_resolve_cgroup(of, &who);
	else
		ctrace_identity_resolve_context(&who);
	a.path = path_of(cgrp, path, buf);
	a.path_len = strnlen(a.path, CTRACE_STR_MAX - 1);
	ctrace_curated_emit(mask, id, &who, CTRACE_SIZE(cgroup_payload) + a.path_len + 1,
			    fill_cgroup, &a);
}

static void CTRACE_PROBE_CGROUP_EVENT(probe_mkdir)
{
	ctrace_compat_probe_begin();
	on_cgroup(CTRACE_ID_CGROUP_MKDIR, cgrp, CTRACE_PROBE_CGROUP_PATH, NULL);
	ctrace_compat_probe_end();
}

static void CTRACE_PROBE_CGROUP_EVENT(probe_rmdir)
{
	ctrace_compat_probe_begin();
	on_cgroup(CTRACE_ID_CGROUP_RMDIR, cgrp, CTRACE_PROBE_CGROUP_PATH, NULL);
	ctrace_compat_probe_end();
}

static void CTRACE_PROBE_CGROUP_EVENT(probe_freeze)
{
	ctrace_compat_probe_begin();
	on_cgroup(CTRACE_ID_CGROUP_FREEZE, cgrp, CTRACE_PROBE_CGROUP_PATH, cgrp);
	ctrace_compat_probe_end();
}

static void CTRACE_PROBE_CGROUP_EVENT(probe_unfreeze)
{
	ctrace_compat_probe_begin();
	on_cgroup(CTRACE_ID_CGROUP_UNFREEZE, cgrp, CTRACE_PROBE_CGROUP_PATH, cgrp);
	ctrace_compat_probe_end();
}

/* --- what user space gets --------------------------------------------------- */

/* Names and order are LTTng's: viewers look for them. */
static const struct ctrace_field_desc f_attach[] = { CTRACE_FIELDS(ATTACH_FIELDS) };
static const struct ctrace_field_desc f_cgroup[] = { CTRACE_FIELDS(CGROUP_FIELDS) };

static const struct ctrace_event_type types[] = {
	CTRACE_TYPE(CGROUP_ATTACH_TASK, "cgroup", "cgroup_attach_task", "cgroup_attach_task", f_attach),
	CTRACE_TYPE(CGROUP_MKDIR, "cgroup", "cgroup_mkdir", "cgroup_mkdir", f_cgroup),
	CTRACE_TYPE(CGROUP_RMDIR, "cgroup", "cgroup_rmdir", "cgroup_rmdir", f_cgroup),
	CTRACE_TYPE(CGROUP_FREEZE, "cgroup", "cgroup_freeze", "cgroup_freeze", f_cgroup),
	CTRACE_TYPE(CGROUP_UNFREEZE, "cgroup", "cgroup_unfreeze", "cgroup_unfreeze", f_cgroup),
};

static struct ctrace_source sources[] = {
	{ .tracepoint = "cgroup_attach_task", .fn = probe_attach },
	{ .tracepoint = "cgroup_mkdir", .fn = probe_mkdir },
	{ .tracepoint = "cgroup_rmdir", .fn = probe_rmdir },
	{ .tracepoint = "cgroup_freeze", .fn = probe_freeze },
	{ .tracepoint = "cgroup_unfreeze", .fn = probe_unfreeze },
	{ }
};

const struct ctrace_family ctrace_family_cgroup = {
	.types = types, .ntypes = ARRAY_SIZE(types), .sources = sources,
};
