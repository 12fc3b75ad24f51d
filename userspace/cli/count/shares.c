// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>
#include "count/shares.h"

#define CPUS	8192	/* as many as Linux can have on x86-64 */

/* The neighbour that had the CPU for most of its waits, if that is a tenth of them or more. */
static uint32_t worst(const struct blame_victim *x)
{
	for (size_t i = 0; i < x->n; i++)
		if (x->v[i].kind == CTRACE_CULPRIT_NEIGHBOUR)
			return x->v[i].ns >= x->ns / 10 ? x->v[i].cid : 0;
	return 0;
}

static void read_weights(const struct view *v, const struct cgroup_files *f, struct shares *s)
{
	const struct centry *a = ctable_get(v->run.ctable, s->cid);
	const struct centry *b = ctable_get(v->run.ctable, s->culprit);

	s->file = a && b ? cgroup_weights(f, &a->c, &b->c, &s->own, &s->other) : NULL;
}

static void read_process(int32_t pid, struct shares *s)
{
	cpu_set_t *set = CPU_ALLOC(CPUS);
	long online = sysconf(_SC_NPROCESSORS_ONLN);

	errno = 0;
	s->nice = getpriority(PRIO_PROCESS, (id_t)pid);
	s->nice = errno ? 0 : s->nice;
	s->idle = sched_getscheduler(pid) == SCHED_IDLE;
	if (set && online > 0 && !sched_getaffinity(pid, CPU_ALLOC_SIZE(CPUS), set)) {
		s->cpus = (uint32_t)CPU_COUNT_S(CPU_ALLOC_SIZE(CPUS), set);
		s->online = (uint32_t)online;
	}
	CPU_FREE(set);
}

bool shares_read(const struct view *v, const struct cgroup_files *f, const struct blame_victim *x,
		 struct shares *s)
{
	const struct centry *e = ctable_get(v->run.ctable, x->cid);

	*s = (struct shares){ .cid = x->cid, .culprit = worst(x) };
	if (!f || !e || !x->cid || x->cid == CTRACE_CID_ALL || !x->ns)
		return false;
	if (s->culprit)
		read_weights(v, f, s);
	if (s->file && s->own >= s->other)
		s->file = NULL;
	if (e->c.init_pid)
		read_process((int32_t)e->c.init_pid, s);
	if (s->cpus >= s->online)
		s->cpus = 0;
	return s->file || s->nice > 0 || s->idle || s->cpus;
}

static const char *next_line(const struct sbuf *b)
{
	return b->len ? "\n" : "";
}

void shares_put(const struct view *v, struct sbuf *b, const struct shares *s)
{
	const char *name = ctable_shown(v->run.ctable, s->cid);

	if (s->file) {
		sbuf_printf(b, "%s%s has %s %llu against ", next_line(b), name, s->file,
			    (unsigned long long)s->own);
		view_put_other_container(v, b, s->culprit);
		sbuf_printf(b, "'s %llu: that is the share it was given.", (unsigned long long)s->other);
	}
	if (s->idle)
		sbuf_printf(b, "%s%s runs with SCHED_IDLE: it gets what all others leave.", next_line(b),
			    name);
	else if (s->nice > 0)
		sbuf_printf(b, "%s%s runs with nice %d: it gets less than others in its cgroup.",
			    next_line(b), name, s->nice);
	if (s->cpus)
		sbuf_printf(b, "%s%s may run on %u of %u CPUs (cpuset, taskset).", next_line(b), name, s->cpus,
			    s->online);
}

void shares_json(const struct view *v, struct json *j, const struct shares *s)
{
	json_open(j, "settings", '{');
	if (s->file) {
		json_str(j, "weight_file", s->file);
		json_uint(j, "weight", s->own);
		json_uint(j, "culprit_weight", s->other);
		json_str(j, "culprit", ctable_get(v->run.ctable, s->culprit)->label);
	}
	if (s->idle)
		json_flag(j, "sched_idle", true);
	if (s->nice > 0)
		json_uint(j, "nice", (uint64_t)s->nice);
	if (s->cpus) {
		json_uint(j, "cpus", s->cpus);
		json_uint(j, "cpus_online", s->online);
	}
	json_close(j, '}');
}
