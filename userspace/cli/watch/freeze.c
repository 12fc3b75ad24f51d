// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <time.h>
#include "watch/freeze.h"

void freeze_thaw(struct engine *e, uint32_t cid)
{
	int err = ctrace_session_thaw(e->run.session, cid);

	/* it may have thawed by itself */
	if (err && err != -ENOENT)
		fprintf(stderr, "ctrace: cannot thaw: %s\n", ctrace_errmsg(e->run.ct));
}

struct of_cid { uint32_t cid; uint64_t time; };

static int time_one(const struct ctrace_frozen_info *info, void *arg)
{
	struct of_cid *o = arg;

	if (info->cid == o->cid)
		o->time = info->time;
	return 0;
}

uint64_t freeze_time(struct engine *e, uint32_t cid)
{
	struct of_cid o = { .cid = cid };

	if (e->config->nrecords)
		ctrace_session_frozen(e->run.session, time_one, &o);
	return o.time;
}

struct check {
	struct engine *e;
	bool (*wanted)(void *arg, uint32_t cid);
	void *arg;
	uint64_t now;
};

/* The record of a freeze may come a moment later than the freeze itself. */
#define LATE	(NSEC_PER_SEC / 2)

static int check_one(const struct ctrace_frozen_info *info, void *arg)
{
	struct check *c = arg;

	if (c->now - info->time > LATE && !c->wanted(c->arg, info->cid))
		freeze_thaw(c->e, info->cid);
	return 0;
}

void freeze_check(struct engine *e, bool (*wanted)(void *arg, uint32_t cid), void *arg)
{
	struct check c = { .e = e, .wanted = wanted, .arg = arg, .now = clock_ns(CLOCK_MONOTONIC) };

	if (e->config->nrecords)
		ctrace_session_frozen(e->run.session, check_one, &c);
}
