// SPDX-License-Identifier: GPL-2.0-only
/*
 * Targets: the masks they make, containers inside a wanted or a denied one, births, and the tasks that pid
 * targets follow. Tracepoints and cgroups are made up.
 */
#include <kunit/test.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include "kunit/containers.h"
#include "session/target.c"
#include "session/tasks.c"

/* --- the rest of the module, as far as a filter sees it ------------------------ */

DEFINE_MUTEX(ctrace_lock);

int ctrace_why(char *why, int err, const char *fmt, ...)
{
	strscpy(why, fmt, CTRACE_WHY_MAX);
	return err;
}

/* in order of cid: 0 the host, 1, 2, 3 inside 1, 4 inside 3 */
#define NR	5
static struct ctrace_container *world[NR];

static u32 relearned;

void ctrace_identity_relearn(void)
{
	relearned++;
}

int ctrace_identity_name(const struct cgroup *cgrp, struct ctrace_named *n, char *path, size_t size)
{
	return -EINVAL;
}

void ctrace_identity_unname(struct ctrace_named *n)
{
}

int ctrace_compat_tracepoint_register(const char *name, void *probe, void *data)
{
	return 0;
}

int ctrace_compat_tracepoint_register_last(const char *name, void *probe)
{
	return 0;
}

int ctrace_compat_tracepoint_unregister_last(const char *name, void *probe)
{
	return 0;
}

int ctrace_compat_tracepoint_unregister(const char *name, void *probe, void *data)
{
	return 0;
}

static u32 unfollowed;

void ctrace_session_unfollowed_tasks(u32 mask)
{
	unfollowed++;
}

/* --- cases ------------------------------------------------------------------------ */

static struct ctrace_session *one, *two;
static char why[CTRACE_WHY_MAX];

/* These take the lock, as callers do. A case cannot hold it throughout: its end may run in another task. */
static int target_add(struct ctrace_session *s, u32 kind, u32 arg, bool not, char *words)
{
	struct ctrace_target *t;

	mutex_lock(&ctrace_lock);
	t = ctrace_target_add(s, kind, arg, not, words);
	mutex_unlock(&ctrace_lock);
	return PTR_ERR_OR_ZERO(t);
}

/* Deletes the first target of that kind; of kind CID, the first with that cid. */
static int target_del(struct ctrace_session *s, u32 kind, u32 arg, bool not)
{
	struct ctrace_target *t;
	int err = -ENOENT;

	mutex_lock(&ctrace_lock);
	list_for_each_entry(t, &s->targets, list) {
		if (t->kind != kind || t->not != not || (kind == CTRACE_TARGET_CID && t->cid != arg))
			continue;
		err = ctrace_target_find(s, t->id) == t ? 0 : -EIO;
		ctrace_target_del(s, t);
		break;
	}
	mutex_unlock(&ctrace_lock);
	return err;
}

static void target_del_all(struct ctrace_session *s)
{
	mutex_lock(&ctrace_lock);
	ctrace_target_del_all(s);
	mutex_unlock(&ctrace_lock);
}

static struct ctrace_session *session(struct kunit *test, u32 index)
{
	struct ctrace_session *s = kunit_kzalloc(test, sizeof(*s), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, s);
	s->index = index;
	s->id = index + 1;
	INIT_LIST_HEAD(&s->targets);
	return s;
}

static int world_init(struct kunit *test)
{
	static const struct ctrace_container_watcher *const told[] = { &ctrace_target_watcher, NULL };
	static const u32 parents[NR] = { 0, 0, 0, 1, 3 };
	u32 i;

	KUNIT_ASSERT_EQ(test, containers_begin(told), 0);
	world[0] = &ctrace_container_host;
	for (i = 1; i < NR; i++) {
		world[i] = born_in(0, world[parents[i]]);
		KUNIT_ASSERT_NOT_NULL(test, world[i]);
	}
	one = session(test, 0);
	two = session(test, 5);
	return 0;
}

static void world_exit(struct kunit *test)
{
	target_del_all(one);
	target_del_all(two);
	ctrace_tasks_exit();
	containers_end(test, NULL);
}

static void expect(struct kunit *test, u32 bit, const char *cids)
{
	u32 i;

	for (i = 0; i < NR; i++)
		KUNIT_EXPECT_EQ_MSG(test, !!(world[i]->wanted & bit), !!strchr(cids, '0' + i),
				    "container %u", i);
}

static void nothing(struct kunit *test)
{
	expect(test, ~0u, "");
	KUNIT_EXPECT_EQ(test, ctrace_wanted(~0u, world[1], current), 0u);
	KUNIT_EXPECT_FALSE(test, ctrace_container_wanted(world[1]));
}

static void all(struct kunit *test)
{
	KUNIT_ASSERT_EQ(test, target_add(one, CTRACE_TARGET_ALL, 0, false, why), 0);
	expect(test, 1, "01234");
	KUNIT_EXPECT_EQ(test, ctrace_container_unknown.wanted, 1u);
	KUNIT_EXPECT_EQ(test, ctrace_wanted(~0u, world[2], current), 1u);
	KUNIT_EXPECT_EQ(test, ctrace_wanted(2, world[2], current), 0u);
	KUNIT_ASSERT_EQ(test, target_del(one, CTRACE_TARGET_ALL, 0, false), 0);
	nothing(test);
}

static void one_container(struct kunit *test)
{
	s64 gen = atomic64_read(&ctrace_identity_gen);

	KUNIT_ASSERT_EQ(test, target_add(one, CTRACE_TARGET_CID, 1, false, why), 0);
	expect(test, 1, "134");		/* with the containers inside it */
	/* every CPU forgets which sessions want its task */
	KUNIT_EXPECT_NE(test, atomic64_read(&ctrace_identity_gen), gen);
	KUNIT_ASSERT_EQ(test, target_add(one, CTRACE_TARGET_CID, 4, false, why), 0);
	KUNIT_ASSERT_EQ(test, target_del(one, CTRACE_TARGET_CID, 1, false), 0);
	expect(test, 1, "4");
	KUNIT_EXPECT_EQ(test, target_del(one, CTRACE_TARGET_CID, 1, false), -ENOENT);
	KUNIT_EXPECT_EQ(test, target_add(one, CTRACE_TARGET_CID, 99, false, why), -ENOENT);
	expect(test, 1, "4");
}

static void the_host(struct kunit *test)
{
	KUNIT_ASSERT_EQ(test, target_add(one, CTRACE_TARGET_CID, CTRACE_CID_HOST, false, why), 0);
	expect(test, 1, "0");		/* all containers lie in the host, but are not wanted for that */
	born(world[2], world[0]);
	expect(test, 1, "0");
}

static void two_sessions(struct kunit *test)
{
	KUNIT_ASSERT_EQ(test, target_add(one, CTRACE_TARGET_CID, 2, false, why), 0);
	KUNIT_ASSERT_EQ(test, target_add(two, CTRACE_TARGET_ALL, 0, false, why), 0);
	expect(test, 1, "2");
	expect(test, 1 << 5, "01234");
	KUNIT_EXPECT_EQ(test, ctrace_wanted(~0u, world[2], current), 33u);
	target_del_all(two);
	expect(test, 1, "2");
	expect(test, 1 << 5, "");
}

static void births(struct kunit *test)
{
	struct ctrace_container *c = kunit_kzalloc(test, sizeof(*c), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, c);
	KUNIT_ASSERT_EQ(test, target_add(one, CTRACE_TARGET_CID, 3, false, why), 0);
	born(c, world[3]);
	KUNIT_EXPECT_EQ(test, c->wanted, 1u);
	born(c, world[2]);
	KUNIT_EXPECT_EQ(test, c->wanted, 0u);
	KUNIT_ASSERT_EQ(test, target_add(two, CTRACE_TARGET_ALL, 0, false, why), 0);
	born(c, world[2]);
	KUNIT_EXPECT_EQ(test, c->wanted, 32u);
}

/* All but one and the containers inside it, in either order of ALL and NOT. */
static void all_but_one(struct kunit *test)
{
	u32 i;

	for (i = 0; i < 2; i++) {
		KUNIT_ASSERT_EQ(test, target_add(one, i ? CTRACE_TARGET_CID : CTRACE_TARGET_ALL,
							i, i, why), 0);
		KUNIT_ASSERT_EQ(test, target_add(two, i ? CTRACE_TARGET_ALL : CTRACE_TARGET_CID,
							3, !i, why), 0);
	}
	expect(test, 1, "02");
	expect(test, 1 << 5, "012");
	/* also named by a target of its own: NOT has the last word */
	KUNIT_ASSERT_EQ(test, target_add(one, CTRACE_TARGET_CID, 1, false, why), 0);
	KUNIT_ASSERT_EQ(test, target_add(one, CTRACE_TARGET_CID, 4, false, why), 0);
	expect(test, 1, "02");
	KUNIT_ASSERT_EQ(test, target_del(one, CTRACE_TARGET_CID, 1, true), 0);
	expect(test, 1, "01234");
	KUNIT_EXPECT_EQ(test, target_del(one, CTRACE_TARGET_CID, 1, true), -ENOENT);
	target_del_all(two);
	for (i = 0; i < NR; i++)
		KUNIT_EXPECT_EQ(test, world[i]->denied, 0u);
}

/* NOT alone takes away from nothing. NOT of ALL, or of a pid, is refused. */
static void only_not(struct kunit *test)
{
	u32 before = relearned;

	KUNIT_ASSERT_EQ(test, target_add(one, CTRACE_TARGET_CID, 1, true, why), 0);
	KUNIT_EXPECT_GT(test, relearned, before);
	expect(test, 1, "");
	KUNIT_EXPECT_EQ(test, target_add(one, CTRACE_TARGET_ALL, 0, true, why), -EINVAL);
	KUNIT_EXPECT_EQ(test, target_add(one, CTRACE_TARGET_PID, 1, true, why), -EINVAL);
	KUNIT_EXPECT_TRUE(test, strstr(why, "CTRACE_A_TARGET_NOT"));
}

/* The host is denied; the containers, which all lie in it, are not. */
static void all_but_the_host(struct kunit *test)
{
	KUNIT_ASSERT_EQ(test, target_add(one, CTRACE_TARGET_ALL, 0, false, why), 0);
	KUNIT_ASSERT_EQ(test, target_add(one, CTRACE_TARGET_CID, CTRACE_CID_HOST, true, why), 0);
	expect(test, 1, "1234");
}

static void born_in_a_denied_one(struct kunit *test)
{
	struct ctrace_container *c = kunit_kzalloc(test, sizeof(*c), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, c);
	KUNIT_ASSERT_EQ(test, target_add(one, CTRACE_TARGET_ALL, 0, false, why), 0);
	KUNIT_ASSERT_EQ(test, target_add(one, CTRACE_TARGET_CID, 3, true, why), 0);
	KUNIT_ASSERT_EQ(test, target_add(two, CTRACE_TARGET_ALL, 0, false, why), 0);
	born(c, world[3]);
	KUNIT_EXPECT_EQ(test, c->wanted, 32u);
	KUNIT_EXPECT_EQ(test, c->denied, 1u);
	born(c, world[1]);
	KUNIT_EXPECT_EQ(test, c->wanted, 33u);
	KUNIT_EXPECT_EQ(test, c->denied, 0u);
}

/* A task that a pid target follows is not wanted inside a denied container. */
static void pid_in_a_denied_one(struct kunit *test)
{
	KUNIT_ASSERT_EQ(test, target_add(one, CTRACE_TARGET_PID, task_tgid_vnr(current), false, why), 0);
	KUNIT_ASSERT_EQ(test, target_add(one, CTRACE_TARGET_CID, 3, true, why), 0);
	KUNIT_EXPECT_EQ(test, ctrace_wanted(~0u, world[2], current), 1u);
	KUNIT_EXPECT_EQ(test, ctrace_wanted(~0u, world[3], current), 0u);
	KUNIT_EXPECT_EQ(test, ctrace_wanted(~0u, world[4], current), 0u);
}

/* Stands for a task where only its address counts. */
static struct task_struct *stand_in(struct kunit *test)
{
	return kunit_kzalloc(test, sizeof(struct task_struct), GFP_KERNEL);
}

static void pids(struct kunit *test)
{
	struct task_struct *child = stand_in(test), *stranger = stand_in(test);

	KUNIT_ASSERT_EQ(test, target_add(one, CTRACE_TARGET_PID, task_tgid_vnr(current), false, why), 0);
	KUNIT_EXPECT_EQ(test, ctrace_wanted(~0u, world[2], current), 1u);
	KUNIT_EXPECT_EQ(test, ctrace_wanted(~0u, world[2], stranger), 0u);
	KUNIT_EXPECT_TRUE(test, ctrace_container_wanted(world[2]));
	follow_fork(NULL, current, child);
	follow_fork(NULL, stranger, stranger);
	KUNIT_EXPECT_EQ(test, ctrace_wanted(~0u, world[2], child), 1u);
	KUNIT_EXPECT_EQ(test, ctrace_wanted(~0u, world[2], stranger), 0u);
	/* its memory is freed, and used for another task */
	probe_free(NULL, child);
	KUNIT_EXPECT_EQ(test, ctrace_wanted(~0u, world[2], child), 0u);
	follow_fork(NULL, current, child);
	KUNIT_EXPECT_EQ(test, ctrace_wanted(~0u, world[2], child), 1u);
	target_del_all(one);
	KUNIT_EXPECT_EQ(test, ctrace_tasks_mask(child), 0u);
	KUNIT_EXPECT_EQ(test, ctrace_wanted(~0u, world[2], current), 0u);
	KUNIT_EXPECT_EQ(test, target_add(one, CTRACE_TARGET_PID, 1 << 22, false, why), -ESRCH);
}

/* More tasks than the set has room for: the rest are counted, and the sum is right. */
static void too_many_tasks(struct kunit *test)
{
	u32 i, followed = 0;

	unfollowed = 0;

	KUNIT_ASSERT_EQ(test, target_add(one, CTRACE_TARGET_PID, task_tgid_vnr(current), false, why), 0);
	for (i = 1; i <= 20000; i++) {
		struct task_struct *p = (void *)(unsigned long)(i * 64ul);

		follow_fork(NULL, current, p);
		followed += !!ctrace_tasks_mask(p);
	}
	KUNIT_EXPECT_EQ(test, followed + unfollowed, 20000u);
	KUNIT_EXPECT_GT(test, followed, 10000u);
	KUNIT_EXPECT_LT(test, followed, 20000u);
}

/* Tasks lie at distances of a slab object's size: whatever that is, all find room. */
static void places_of_slabs(struct kunit *test)
{
	u32 step, i;

	unfollowed = 0;
	KUNIT_ASSERT_EQ(test, target_add(one, CTRACE_TARGET_PID, task_tgid_vnr(current), false, why), 0);
	for (step = 64; step <= 65536; step += step < 4096 ? 64 : 4096) {
		for (i = 1; i <= 2000; i++)
			follow_fork(NULL, current, (void *)(0xffff888100000000ul + (unsigned long)i * step));
		KUNIT_EXPECT_EQ_MSG(test, unfollowed, 0u, "%u bytes apart", step);
		for (i = 1; i <= 2000; i++)
			probe_free(NULL, (void *)(0xffff888100000000ul + (unsigned long)i * step));
		unfollowed = 0;
	}
}

/* A target that goes takes away what it alone led to. */
static void pid_targets_go(struct kunit *test)
{
	struct task_struct *early = stand_in(test), *late = stand_in(test), *last = stand_in(test);
	u32 pid = task_tgid_vnr(current);

	KUNIT_ASSERT_EQ(test, target_add(one, CTRACE_TARGET_PID, pid, false, why), 0);
	follow_fork(NULL, current, early);
	KUNIT_ASSERT_EQ(test, target_add(one, CTRACE_TARGET_PID, pid, false, why), 0);
	KUNIT_ASSERT_EQ(test, target_add(two, CTRACE_TARGET_PID, pid, false, why), 0);
	follow_fork(NULL, current, late);
	KUNIT_EXPECT_EQ(test, ctrace_tasks_mask(early), 1u);
	KUNIT_EXPECT_EQ(test, ctrace_tasks_mask(late), 33u);
	KUNIT_ASSERT_EQ(test, target_del(one, CTRACE_TARGET_PID, 0, false), 0);
	KUNIT_EXPECT_EQ(test, ctrace_tasks_mask(early), 0u);
	KUNIT_EXPECT_EQ(test, ctrace_tasks_mask(late), 33u);
	KUNIT_EXPECT_EQ(test, ctrace_wanted(~0u, world[2], current), 33u);
	KUNIT_ASSERT_EQ(test, target_del(one, CTRACE_TARGET_PID, 0, false), 0);
	KUNIT_EXPECT_EQ(test, ctrace_tasks_mask(late), 32u);
	KUNIT_EXPECT_EQ(test, ctrace_pid_sessions, 32u);
	/* its number is given again, and means none of the tasks that it meant before */
	KUNIT_ASSERT_EQ(test, target_add(one, CTRACE_TARGET_PID, pid, false, why), 0);
	follow_fork(NULL, late, last);
	KUNIT_EXPECT_EQ(test, ctrace_tasks_mask(late), 32u);
	KUNIT_EXPECT_EQ(test, ctrace_tasks_mask(last), 32u);
	KUNIT_EXPECT_EQ(test, ctrace_tasks_mask(current), 33u);
}

/* A fork that reads its parent's targets while one of them goes does not hand that one on. */
static void a_fork_meets_the_end(struct kunit *test)
{
	struct task_struct *child = stand_in(test);

	KUNIT_ASSERT_EQ(test, target_add(one, CTRACE_TARGET_PID, task_tgid_vnr(current), false, why), 0);
	ctrace_tasks_target_del(0);
	follow_fork(NULL, current, child);
	ctrace_tasks_sweep();
	KUNIT_EXPECT_EQ(test, ctrace_tasks_mask(child), 0u);
	KUNIT_EXPECT_EQ(test, ctrace_tasks_mask(current), 0u);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(nothing),
	KUNIT_CASE(all),
	KUNIT_CASE(one_container),
	KUNIT_CASE(the_host),
	KUNIT_CASE(two_sessions),
	KUNIT_CASE(births),
	KUNIT_CASE(all_but_one),
	KUNIT_CASE(only_not),
	KUNIT_CASE(all_but_the_host),
	KUNIT_CASE(born_in_a_denied_one),
	KUNIT_CASE(pid_in_a_denied_one),
	KUNIT_CASE(pids),
	KUNIT_CASE(pid_targets_go),
	KUNIT_CASE(a_fork_meets_the_end),
	KUNIT_CASE(places_of_slabs),
	KUNIT_CASE(too_many_tasks),
	{}
};

static struct kunit_suite suite = {
	.name = "ctrace_filter",
	.init = world_init,
	.exit = world_exit,
	.test_cases = cases,
};
kunit_test_suite(suite);

MODULE_DESCRIPTION("ctrace: tests of the filter");
MODULE_LICENSE("GPL");
