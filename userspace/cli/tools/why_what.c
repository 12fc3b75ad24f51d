// SPDX-License-Identifier: GPL-2.0-only
/* What a container is, in a few lines: before why looks where its time goes. */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "base/output.h"
#include "names/cgroup_files.h"
#include "names/cgroupfs.h"
#include "names/io_limits.h"
#include "tools/why.h"

#define DISK_LIMITS	4u	/* shown; a container may have many below its own cgroup */

/* The cgroup whose files say the limits: the target's, if it is a part of a container or of the host. */
static struct ctrace_container place_of(const struct view *v, const struct why *w)
{
	const struct ctable_part *part = ctable_part(v->run.ctable, w->cid);
	struct ctrace_container c = ctable_get(v->run.ctable, w->cid)->c;

	if (part && part->n) {
		snprintf(c.path, sizeof(c.path), "%s", part->at[0].path);
		c.hierarchy = part->at[0].hierarchy;
		c.cgroup_id = c.cgroup_id ? c.cgroup_id : 1;	/* it has one */
	}
	return c;
}

struct limits {
	bool cpu, memory, used;
	double cpus;
	uint64_t bytes, now;
	struct io_limits disks;
};

static void read_limits(struct limits *l, const struct ctrace_container *c)
{
	struct cgroup_files *f = cgroup_files_new();
	char *v2 = cgroup_root(NULL), *v1 = cgroup_root("blkio");
	struct cgroup_quota q;

	l->cpu = cgroup_quota_read(f, c, &q) && q.quota && q.period;
	l->cpus = l->cpu ? (double)q.quota / (double)q.period : 0;
	l->memory = cgroup_memory_limit(f, c, &l->bytes);
	l->used = cgroup_memory_used(f, c, &l->now);
	if (c->cgroup_id)
		io_limits_read(&l->disks, v2, v1, c->path);
	free(v2);
	free(v1);
	cgroup_files_free(f);
}

static void put_limits(struct sbuf *b, const struct limits *l)
{
	const char *sep = "";
	size_t disks = 0;

	if (l->cpu) {
		sbuf_printf(b, "%.2f CPUs", l->cpus);
		sep = ", ";
	}
	if (l->memory) {
		sbuf_puts(b, sep);
		sbuf_size(b, l->bytes);
		sbuf_puts(b, " of memory");
		sep = ", ";
	}
	for (size_t i = 0; i < l->disks.n; i++) {
		const struct io_limit *d = &l->disks.v[i];

		if (d->kind > IO_WIOPS || disks++ >= DISK_LIMITS)
			continue;
		sbuf_printf(b, "%s%s ", sep, d->word);
		sbuf_size(b, d->value);
		sep = ", ";
	}
	if (disks > DISK_LIMITS)
		sbuf_printf(b, " and %zu more of disks", disks - DISK_LIMITS);
	sbuf_puts(b, *sep ? "" : "none");
	if (l->used) {
		sbuf_puts(b, "; it has ");
		sbuf_size(b, l->now);
		sbuf_puts(b, " of memory now");
	}
}

void why_what(const struct view *v, const struct why *w)
{
	const struct centry *e = ctable_get(v->run.ctable, w->cid);
	const struct ctable_part *part = ctable_part(v->run.ctable, w->cid);
	const struct ctrace_container c = place_of(v, w);
	struct limits l = { 0 };
	struct sbuf b = { 0 };

	if (w->because)
		sbuf_printf(&b, "%s\n", w->because);
	if (part)
		sbuf_printf(&b, "%s is a cgroup of %s", part->shown,
			    e->c.cid == CTRACE_CID_HOST ? "the host" : e->shown);
	else if (e->c.cid == CTRACE_CID_HOST)
		sbuf_puts(&b, "host is all that is in no container");
	else
		sbuf_printf(&b, "%s is container %u", e->shown, e->c.cid);
	if (e->runtime[0]) {
		sbuf_puts(&b, " of ");
		sbuf_clean(&b, e->runtime);
	}
	if (e->r.image) {
		sbuf_puts(&b, ", image ");
		sbuf_clean(&b, e->r.image);
	}
	if (e->c.cid != CTRACE_CID_HOST && e->c.first_seen) {
		sbuf_puts(&b, ", seen for ");
		sbuf_duration(&b, clock_ns(CLOCK_MONOTONIC) - e->c.first_seen);
	}
	sbuf_puts(&b, "\n  cgroup  ");
	sbuf_clean(&b, c.path[0] ? c.path : "/");
	sbuf_puts(&b, "\n  limits  ");
	read_limits(&l, &c);
	put_limits(&b, &l);
	sbuf_puts(&b, "\n\n");
	fputs(b.s, stdout);
	output_flush(stdout);
	io_limits_free(&l.disks);
	sbuf_free(&b);
}

void why_what_json(const struct view *v, struct json *j, const struct why *w)
{
	const struct ctrace_container c = place_of(v, w);
	struct limits l = { 0 };

	read_limits(&l, &c);
	json_open(j, "target", '{');
	ctable_json(j, v->run.ctable, ctable_get(v->run.ctable, w->cid));
	if (w->because)
		json_str(j, "because", w->because);
	json_open(j, "limits", '{');
	json_str(j, "cgroup", c.path);
	if (l.cpu)
		json_real(j, "cpus", l.cpus);
	if (l.memory)
		json_uint(j, "memory", l.bytes);
	json_close(j, '}');
	json_close(j, '}');
	io_limits_free(&l.disks);
}
