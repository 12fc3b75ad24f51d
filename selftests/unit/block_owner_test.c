// SPDX-License-Identifier: GPL-2.0-only
/*
 * The issuer of a block request (module/probe/block_owner.c), on made-up bios and requests that lack what
 * some kernels leave out. block/ has stand-ins for the rest of the module.
 */
#include "block_shim.h"
#include "../../module/probe/block_owner.c"
#include "ktap.h"

bool shim_in_task = true;
u64 shim_now = 1000;
static struct css_set cset;
struct task_struct shim_task = { .pid = 42, .comm = "dd", .cset = &cset };
struct ctrace_container shim_container = { .wanted = 1 };
atomic64_t ctrace_identity_gen;
__typeof__(ctrace_idcache) ctrace_idcache = { .c = &shim_container, .ids = { { 42, 42 } } };
u32 ctrace_pid_sessions, ctrace_options_sessions;

#define PLACES	4096u
static const void *keys[PLACES] __attribute__((aligned(64)));
static atomic_t further[PLACES / 8];
static u64 lost[PLACES / 8];
static struct ctrace_block_owner places[PLACES];

u32 ctrace_inflight_find_further(const struct ctrace_inflight *t, u32 row, const void *key)
{
	(void)t, (void)row, (void)key;
	return CTRACE_INFLIGHT_NONE;
}

u32 ctrace_inflight_take_further(struct ctrace_inflight *t, u32 row, const void *key)
{
	return ctrace_inflight_find_further(t, row, key);
}

u32 ctrace_inflight_renew_any(struct ctrace_inflight *t, u32 row)
{
	return ctrace_inflight_find_further(t, row, NULL);
}

const struct task_struct *ctrace_begun_task(const struct ctrace_who *who, u64 start)
{
	(void)start;
	return who->task;
}

void kunit_fail(void) {}

static struct request_queue q;

static u32 used(void)
{
	u32 i, n = 0;

	for (i = 0; i < PLACES; i++)
		n += !!keys[i];
	return n;
}

static void begin(void)
{
	memset(keys, 0, sizeof(keys));
	ctrace_block_owners.keys = keys;
	ctrace_block_owners.further = further;
	ctrace_block_owners.lost = lost;
	ctrace_block_owners.places = (char *)places;
	shim_in_task = true;
}

static struct ctrace_block_times times;

static bool recalled(struct request *rq, struct ctrace_block_issuer *by)
{
	memset(by, 0, sizeof(*by));
	memset(&times, 0, sizeof(times));
	ctrace_block_recall(rq, ctrace_block_place(rq), false, 0, by, &times);
	return by->tid;
}

static void remembered(void)
{
	struct bio bio = { .q = &q, .sector = 800 };
	struct request rq = { .q = &q, .bio = &bio, .pos = 800 };
	struct ctrace_block_issuer by;

	begin();
	check(!recalled(&rq, &by));
	ctrace_block_remember(&bio);
	check_eq(used(), 1);
	check(recalled(&rq, &by));
	check_eq(by.tid, 42);
	check(!strcmp(by.comm, "dd"));
}

/* A request for a command: until 4.20 it gets its memory by the tracepoint's function, too, but has no bio yet. */
static void no_bio(void)
{
	struct bio bio = { .q = &q, .sector = 800 };
	struct request rq = { .q = &q }, fs = { .q = &q, .bio = &bio, .pos = 800 };
	struct ctrace_block_issuer by;

	begin();
	ctrace_block_remember(NULL);
	check_eq(used(), 0);
	shim_in_task = false;
	ctrace_block_remember(NULL);
	check_eq(used(), 0);
	shim_in_task = true;
	check(!recalled(&rq, &by));
	ctrace_block_here(NULL, &by);
	check_eq(by.tid, 42);
	/* the table is as it was for others */
	ctrace_block_remember(&bio);
	ctrace_block_remember(NULL);
	check_eq(used(), 1);
	check(recalled(&fs, &by));
}

/* Its bio is known by no queue, and is not looked for. */
static void passthrough(void)
{
	struct bio bio = { .sector = 0 };
	struct request rq = { .q = &q, .bio = &bio, .passthrough = true };
	struct ctrace_block_issuer by;

	begin();
	check_eq(ctrace_block_place(&rq), CTRACE_INFLIGHT_NONE);
	check(!recalled(&rq, &by));
	check_eq(used(), 0);
}

/* --- a limit holds a bio back --------------------------------------------------- */

static struct cgroup box, root;
static const struct task_struct dd = { .pid = 42, .comm = "dd", .cset = &cset };
static const struct task_struct worker = { .pid = 7, .comm = "kworker", .cset = &cset, .flags = PF_KTHREAD | PF_WQ_WORKER };

static void run(const struct task_struct *as, struct cgroup *cgrp, u64 at)
{
	memcpy(&shim_task, as, sizeof(shim_task));
	cset.io = cgrp;
	ctrace_idcache.ids.tid = as->pid;
	shim_now = at;
}

static void hold_back(struct bio *bio)
{
	struct ctrace_who who;

	ctrace_identity_resolve_current(&who);
	ctrace_block_held_back(bio, &who);
}

/* Whose is a request that is made for bio now? Expected: dd's, held back for that time. */
static void check_made(struct bio *bio, u64 throttled)
{
	struct request rq = { .q = &q, .bio = bio, .pos = bio->sector };
	struct ctrace_block_issuer by;

	ctrace_block_remember(bio);
	check(recalled(&rq, &by));
	check_eq(by.tid, 42);
	check(!strcmp(by.comm, "dd"));
	check_eq(times.made, shim_now);
	check_eq(times.throttled, throttled);
}

static void ends(void)
{
	run(&dd, NULL, 1000);
}

static void throttled(void)
{
	struct bio bio = { .q = &q, .cgrp = &box, .sector = 800 };
	struct ctrace_who nobody = { .container = &shim_container };

	begin();
	run(&dd, &box, 1000);
	hold_back(&bio);
	check_eq(used(), 1);
	/* a timer moves it to the limit above: that is the same wait */
	shim_now = 3000;
	shim_in_task = false;
	ctrace_block_held_back(&bio, &nobody);
	shim_in_task = true;
	run(&worker, &root, 6000);
	check_made(&bio, 5000);
	check_eq(used(), 1);
	/* that was all: a request of this bio's address later has not waited */
	run(&dd, &box, 9000);
	check_made(&bio, 0);
	ends();
}

/* Nor has a bio that a worker issues for itself, at the address of one that was held back and merged. */
static void throttled_and_merged(void)
{
	struct bio bio = { .q = &q, .cgrp = &box, .sector = 800 };
	struct request rq = { .q = &q, .bio = &bio, .pos = 1600 };
	struct ctrace_block_issuer by;

	begin();
	run(&dd, &box, 1000);
	hold_back(&bio);
	run(&worker, &root, 6000);
	bio.sector = 1600;
	ctrace_block_remember(&bio);
	check(recalled(&rq, &by));
	check_eq(by.tid, 7);
	check_eq(times.throttled, 0);
	/* and its submitter begins anew */
	run(&dd, &box, 7000);
	bio.sector = 800;
	hold_back(&bio);
	shim_now = 8000;
	hold_back(&bio);
	run(&worker, &root, 9000);
	check_made(&bio, 1000);
	ends();
}

/* The kernel splits off the first part; the worker offers the rest to the limit once more. */
static void throttled_and_split(void)
{
	struct bio bio = { .q = &q, .cgrp = &box, .sector = 800 }, first = { .q = &q, .cgrp = &box, .sector = 800, .bi_private = &bio };

	begin();
	run(&dd, &box, 1000);
	hold_back(&bio);
	run(&worker, &root, 6000);
	check_made(&first, 5000);
	bio.sector = 804;
	hold_back(&bio);
	shim_now = 7000;
	check_made(&bio, 6000);
	check_eq(used(), 2);
	ends();
}

/* A pointer may be anything, also a word of the table's own. */
static void private(void)
{
	struct bio bio = { .q = &q, .cgrp = &box, .sector = 800, .bi_private = (void *)CTRACE_INFLIGHT_BUSY };
	struct request rq = { .q = &q, .bio = &bio, .pos = 800 };
	struct ctrace_block_issuer by;

	begin();
	keys[5] = CTRACE_INFLIGHT_BUSY;
	run(&worker, &root, 6000);
	ctrace_block_remember(&bio);
	check(keys[5] == CTRACE_INFLIGHT_BUSY);
	check(recalled(&rq, &by));
	check_eq(times.throttled, 0);
	ends();
}

static const struct ktap_case cases[] = {
	{ "remembered", remembered },
	{ "no_bio", no_bio },
	{ "passthrough", passthrough },
	{ "throttled", throttled },
	{ "throttled_and_merged", throttled_and_merged },
	{ "throttled_and_split", throttled_and_split },
	{ "private", private },
};

KTAP_MAIN(cases)
