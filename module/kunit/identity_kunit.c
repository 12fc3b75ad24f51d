// SPDX-License-Identifier: GPL-2.0-only
/*
 * The rules of identity on made-up cgroups and pid namespaces: names, which container a task is in, both
 * orders of start-up, merging, reuse; and lftable under real concurrency.
 */
#include <linux/completion.h>
#include <linux/kthread.h>
#include "kunit/made_up.h"

/* --- names ------------------------------------------------------------------- */

static void names(struct kunit *test)
{
	static const struct parsed t[] = {
		{ "docker", HEX_A, CTRACE_BOUNDARY_CONTAINER, "docker", true },
		{ "podUID", HEX_A, CTRACE_BOUNDARY_CONTAINER, NULL, true },
		{ "", HEX_A, CTRACE_BOUNDARY_CONTAINER, NULL, true },
		{ "system.slice", "docker-" HEX_A ".scope", CTRACE_BOUNDARY_CONTAINER, "docker", true },
		{ "x", "cri-containerd-" HEX_A ".scope", CTRACE_BOUNDARY_CONTAINER, "containerd", true },
		{ "x", "crio-" HEX_A ".scope", CTRACE_BOUNDARY_CONTAINER, "cri-o", true },
		{ "x", "crio-conmon-" HEX_A ".scope", CTRACE_BOUNDARY_MONITOR, NULL, false },
		{ "machine.slice", "libpod-" HEX_A ".scope", CTRACE_BOUNDARY_CONTAINER, "podman", true },
		{ "machine.slice", "libpod-conmon-" HEX_A ".scope", CTRACE_BOUNDARY_MONITOR, NULL, false },
		{ "libpod_parent", "libpod-" HEX_A, CTRACE_BOUNDARY_CONTAINER, "podman", true },
		{ "libpod_parent", "conmon", CTRACE_BOUNDARY_NONE, NULL, false },
		{ "machine.slice", "machine-libpod_pod_" HEX_A ".slice", CTRACE_BOUNDARY_NONE, NULL, false },
		{ "", "lxc.payload.web", CTRACE_BOUNDARY_CONTAINER, "lxc", false },
		{ "lxc.payload", "web", CTRACE_BOUNDARY_CONTAINER, "lxc", false },
		{ "", "lxc.monitor.web", CTRACE_BOUNDARY_MONITOR, NULL, false },
		{ "lxc.monitor", "web", CTRACE_BOUNDARY_MONITOR, NULL, false },
		{ "machine.slice", "machine-web.scope", CTRACE_BOUNDARY_CONTAINER, "nspawn", false },
		{ "machine.slice", "systemd-nspawn@web.service", CTRACE_BOUNDARY_CONTAINER, "nspawn", false },
		{ "machine.slice", "vm1.scope", CTRACE_BOUNDARY_CONTAINER, NULL, false },
		{ "user.slice", "session-3.scope", CTRACE_BOUNDARY_NONE, NULL, false },
		{ "kubepods.slice", "kubepods-besteffort.slice", CTRACE_BOUNDARY_NONE, NULL, false },
		{ "x", "docker-" HEX_A, CTRACE_BOUNDARY_NONE, NULL, false },
		{ "x", "0" HEX_A, CTRACE_BOUNDARY_NONE, NULL, false },
		{ "x", "docker-1234.scope", CTRACE_BOUNDARY_NONE, NULL, false },
		{ "x", "", CTRACE_BOUNDARY_NONE, NULL, false },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(t); i++)
		check_parsed(test, &t[i]);
}

/* --- which container ---------------------------------------------------------- */

static void host_is_zero(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, CID(&root, &host), 0u);
	KUNIT_EXPECT_EQ(test, CID(&shell, &host), 0u);
	KUNIT_EXPECT_EQ(test, nr_known, 0u);
}

/* crun: born in the cgroup and the namespace at once; later tasks belong by their cgroup */
static void cgroup_and_namespace_at_once(struct kunit *test)
{
	struct ctrace_container *c = ask(&box_a, &ns1, false);

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, c);
	KUNIT_EXPECT_EQ(test, c->cid, 1u);
	KUNIT_EXPECT_PTR_EQ(test, c->ns, (const void *)&ns1);
	KUNIT_EXPECT_EQ(test, c->cgroup_id, 3ull);
	KUNIT_EXPECT_STREQ(test, c->runtime_id, HEX_A);
	KUNIT_EXPECT_STREQ(test, c->path, "/user.slice/docker-" HEX_A ".scope");
	KUNIT_EXPECT_EQ(test, CID(&sub_a, &ns1), 1u);
	KUNIT_EXPECT_EQ(test, CID(&sub_a, &host), 1u);
	KUNIT_EXPECT_EQ(test, CID(&shell, &ns1), 1u);	/* nsenter --pid */
	KUNIT_EXPECT_EQ(test, CID(&shell, &host), 0u);
}

/* runc: a helper in the cgroup first, in the host's pid namespace */
static void cgroup_first(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, CID(&box_a, &host), 1u);
	KUNIT_EXPECT_EQ(test, CID(&box_a, &ns1), 1u);
	KUNIT_EXPECT_PTR_EQ(test, known[0]->ns, (const void *)&ns1);
	KUNIT_EXPECT_EQ(test, nr_known, 1u);
}

/* lxc: the namespace first, whose init is then moved into the cgroup */
static void namespace_first(struct kunit *test)
{
	ns1.init_at[0] = &shell;
	KUNIT_EXPECT_EQ(test, CID(&shell, &ns1), 1u);
	KUNIT_EXPECT_EQ(test, known[0]->key, 0ull);
	ns1.init_at[0] = &box_a;
	KUNIT_EXPECT_EQ(test, CID(&box_a, &ns1), 1u);
	KUNIT_EXPECT_EQ(test, known[0]->cgroup_id, 3ull);
	KUNIT_EXPECT_EQ(test, CID(&box_a, &host), 1u);
	KUNIT_EXPECT_EQ(test, nr_known, 1u);
}

/* The same inside another container: the parent is learned when the init arrives in the cgroup. */
static void namespace_first_inside(struct kunit *test)
{
	struct ns late = { &host, { &shell }, .inum = 9 };

	KUNIT_EXPECT_EQ(test, CID(&box_a, &ns1), 1u);
	KUNIT_EXPECT_EQ(test, CID(&shell, &late), 2u);
	KUNIT_EXPECT_EQ(test, known[1]->parent, 0u);
	late.init_at[0] = &inner;
	KUNIT_EXPECT_EQ(test, CID(&inner, &late), 2u);
	KUNIT_EXPECT_EQ(test, known[1]->parent, 1u);
	ctrace_rules_exit(&rules);
	fake_put(&late);
	known[1]->ns = NULL;
	KUNIT_EXPECT_EQ(test, late.refs, 0);
	KUNIT_ASSERT_EQ(test, ctrace_rules_init(&rules, &fake, forgot, 16), 0);
}

/* Namespace and cgroup are seen as two containers before they come together: the one with the init stays. */
static void merge(struct kunit *test)
{
	u32 was;

	ns1.init_at[0] = &shell;
	KUNIT_EXPECT_EQ(test, CID(&shell, &ns1), 1u);
	KUNIT_EXPECT_EQ(test, CID(&box_a, &host), 2u);
	known[1]->wanted = 4;
	was = forgotten;
	ns1.init_at[0] = &box_a;
	KUNIT_EXPECT_EQ(test, CID(&box_a, &ns1), 1u);
	KUNIT_EXPECT_EQ(test, CID(&box_a, &host), 1u);
	KUNIT_EXPECT_TRUE(test, known[1]->gone);
	KUNIT_EXPECT_FALSE(test, known[0]->gone);
	KUNIT_EXPECT_EQ(test, known[0]->wanted, 4u);
	KUNIT_EXPECT_EQ(test, known[0]->live_keys, 1u);
	KUNIT_EXPECT_GT(test, forgotten, was);
}

/* How often watchers were notified that more may be wanted, by the time that the lock has been given back. */
static u32 changes(void)
{
	unsigned long flags;

	ctrace_ident_lock(&flags);
	ctrace_ident_unlock(flags);
	return nr_changed;
}

/*
 * The same as a runtime does at each start: no neighbour pays for that (session/spare.h), unless tasks of the
 * one that goes are wanted now.
 */
static void merge_quietly(struct kunit *test)
{
	u32 was, times = forgotten;

	ns1.init_at[0] = &shell;
	KUNIT_EXPECT_EQ(test, CID(&shell, &ns1), 1u);
	KUNIT_EXPECT_EQ(test, CID(&box_a, &host), 2u);
	was = changes();
	ns1.init_at[0] = &box_a;
	KUNIT_EXPECT_EQ(test, CID(&box_a, &ns1), 1u);
	KUNIT_EXPECT_TRUE(test, known[1]->gone);
	KUNIT_EXPECT_GT(test, forgotten, times);
	KUNIT_EXPECT_EQ(test, changes(), was);
}

static void merge_wanted(struct kunit *test)
{
	u32 was;

	ns1.init_at[0] = &shell;
	KUNIT_EXPECT_EQ(test, CID(&shell, &ns1), 1u);
	KUNIT_EXPECT_EQ(test, CID(&box_a, &host), 2u);
	known[0]->wanted = 4;
	was = changes();
	ns1.init_at[0] = &box_a;
	KUNIT_EXPECT_EQ(test, CID(&box_a, &host), 2u);
	KUNIT_EXPECT_EQ(test, CID(&box_a, &ns1), 1u);
	KUNIT_EXPECT_EQ(test, CID(&box_a, &host), 1u);
	KUNIT_EXPECT_GT(test, changes(), was);
}

/* The result does not depend on which of a container's tasks is seen first. */
static void nested_namespaces(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, CID(&sub_a, &ns2), 2u);	/* makes container 1, for ns1, on the way */
	KUNIT_EXPECT_EQ(test, CID(&box_a, &ns1), 1u);
	KUNIT_EXPECT_EQ(test, CID(&box_a, &host), 1u);
	KUNIT_EXPECT_EQ(test, known[1]->parent, 1u);
	KUNIT_EXPECT_EQ(test, known[0]->parent, 0u);
	KUNIT_EXPECT_EQ(test, nr_known, 2u);
}

/* Masks change under ident_lock alone: who only asks, as a probe in an NMI does, changes none. */
static void asking_changes_nothing(struct kunit *test)
{
	struct ctrace_place p = { .cg = { &sub_a }, .ns = &ns2 };

	KUNIT_EXPECT_EQ(test, CID(&sub_a, &ns2), 2u);
	known[0]->wanted = 4;
	known[0]->denied = 8;
	preempt_disable();
	KUNIT_EXPECT_EQ(test, ctrace_rules_decide(&rules, &p, false)->cid, 2u);
	preempt_enable();
	KUNIT_EXPECT_EQ(test, known[1]->wanted, 0u);
	KUNIT_EXPECT_EQ(test, known[1]->denied, 0u);
	KUNIT_EXPECT_EQ(test, CID(&sub_a, &ns2), 2u);
	KUNIT_EXPECT_EQ(test, known[1]->wanted, 4u);
	KUNIT_EXPECT_EQ(test, known[1]->denied, 8u);
}

static void nested_boundaries(struct kunit *test)
{
	ns2.init_at[0] = &inner;
	KUNIT_EXPECT_EQ(test, CID(&inner, &ns2), 2u);
	KUNIT_EXPECT_EQ(test, known[1]->cgroup_id, 6ull);
	KUNIT_EXPECT_EQ(test, known[1]->parent, known[0]->cid);
	KUNIT_EXPECT_EQ(test, CID(&sub_a, &ns1), 1u);
	/* the outer container's runtime, starting the inner */
	KUNIT_EXPECT_EQ(test, CID(&inner, &ns1), 2u);
}

static void unshare_alone(struct kunit *test)
{
	ns1.init_at[0] = ns2.init_at[0] = &shell;
	KUNIT_EXPECT_EQ(test, CID(&shell, &ns2), 2u);
	KUNIT_EXPECT_EQ(test, CID(&shell, &ns1), 1u);
	KUNIT_EXPECT_EQ(test, known[1]->parent, 1u);
	KUNIT_EXPECT_STREQ(test, known[0]->path, "/user.slice");
	KUNIT_EXPECT_EQ(test, CID(&shell, &host), 0u);
}

/* Two cgroups that share a pid namespace: a pod. */
static void shared_namespace(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, CID(&box_a, &ns1), 1u);
	KUNIT_EXPECT_EQ(test, CID(&box_b, &ns1), 2u);
	KUNIT_EXPECT_EQ(test, ask(&box_b, &ns1, true)->cid, 2u);
	KUNIT_EXPECT_PTR_EQ(test, known[1]->ns, (const void *)&ns1);
	/* a further namespace made in the second is nested in it */
	ns2.init_at[0] = &box_b;
	KUNIT_EXPECT_EQ(test, CID(&box_b, &ns2), 3u);
	KUNIT_EXPECT_EQ(test, known[2]->parent, 2u);
}

static void host_pid(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, ask(&box_a, &host, true)->cid, 1u);
	KUNIT_EXPECT_TRUE(test, known[0]->flags & CTRACE_CONTAINER_F_HOSTPID);
	/* so ns1 is not this container's own, but that of a container in it */
	KUNIT_EXPECT_EQ(test, CID(&box_a, &ns1), 2u);
	KUNIT_EXPECT_EQ(test, known[1]->parent, 1u);
	KUNIT_EXPECT_EQ(test, CID(&box_a, &host), 1u);
}

/* Stopped and started in the same cgroup: another container. */
static void reuse(struct kunit *test)
{
	struct ns again = { &host, { &box_a }, .inum = 9 };

	KUNIT_EXPECT_EQ(test, CID(&box_a, &ns1), 1u);
	KUNIT_EXPECT_EQ(test, CID(&box_a, &again), 1u);	/* the first still runs: this one is its guest */
	ns1.closed = true;
	KUNIT_EXPECT_EQ(test, CID(&box_a, &again), 2u);
	KUNIT_EXPECT_EQ(test, CID(&box_a, &host), 2u);
	KUNIT_EXPECT_TRUE(test, known[0]->gone);
	KUNIT_EXPECT_EQ(test, known[1]->live_keys, 1u);
	ctrace_learn_cgroup_gone(&rules, ctrace_key(0, 3));
	ctrace_learn_cgroup_gone(&rules, ctrace_key(0, 3));
	KUNIT_EXPECT_TRUE(test, known[1]->gone);
	KUNIT_EXPECT_EQ(test, nr_gone(), 2u);
	/* a new cgroup of the same name has another id */
	box_a.id = 30;
	KUNIT_EXPECT_EQ(test, CID(&box_a, &host), 3u);
	ctrace_rules_exit(&rules);
	if (known[1]->ns)
		fake_put(known[1]->ns);
	known[1]->ns = NULL;
	KUNIT_EXPECT_EQ(test, again.refs, 0);
	KUNIT_ASSERT_EQ(test, ctrace_rules_init(&rules, &fake, forgot, 16), 0);
}

/* never NULL */
static struct ctrace_container *whose(const struct ctrace_place *p)
{
	struct ctrace_container *c;

	preempt_disable();
	c = ctrace_rules_decide(&rules, p, true);
	preempt_enable();
	return c ?: &ctrace_container_unknown;
}

/* v1: the runtime enters the hierarchies one after another. */
static void hierarchies_one_by_one(struct kunit *test)
{
	struct cg r4 = { "", NULL, 1, 4 }, up4 = { "docker", &r4, 2, 4 }, a4 = { HEX_A, &up4, 3, 4 };
	struct cg r2 = { "", NULL, 1, 2 }, up2 = { "docker", &r2, 2, 2 }, a2 = { HEX_A, &up2, 8, 2 };
	struct ctrace_place p = { .cg = { &root, &a4 }, .ns = &host };

	rules.v1 = true;
	ns1.init_at[0] = &root;
	ns1.init_at[1] = &a2;
	KUNIT_EXPECT_EQ(test, whose(&p)->cid, 1u);
	p.cg[1] = &a2;
	KUNIT_EXPECT_EQ(test, whose(&p)->cid, 1u);
	p.ns = &ns1;
	KUNIT_EXPECT_EQ(test, whose(&p)->cid, 1u);
	KUNIT_EXPECT_EQ(test, known[0]->live_keys, 2u);
	ctrace_learn_cgroup_gone(&rules, ctrace_key(2, 8));
	KUNIT_EXPECT_FALSE(test, known[0]->gone);
	ctrace_learn_cgroup_gone(&rules, ctrace_key(4, 3));
	KUNIT_EXPECT_TRUE(test, known[0]->gone);
	/* the same id in two hierarchies is two cgroups */
	KUNIT_EXPECT_NE(test, ctrace_key(2, 3), ctrace_key(4, 3));
	rules.v1 = false;
}

/* v1: whichever hierarchy has a boundary. A cpuset of the host's shows no container. */
static void any_hierarchy(struct kunit *test)
{
	struct cg cpuset = { "", NULL, 1, 2 }, shield = { "shield", &cpuset, 2, 2 };
	struct cg r4 = { "", NULL, 1, 4 }, a4 = { HEX_A, &r4, 3, 4 }, b4 = { HEX_B, &r4, 4, 4 };
	struct cg r5 = { "", NULL, 1, 5 }, a5 = { HEX_A, &r5, 3, 5 };
	struct ctrace_place p = { .cg = { &root, &shield }, .ns = &host };

	rules.v1 = true;
	KUNIT_EXPECT_EQ(test, whose(&p)->cid, 0u);
	KUNIT_EXPECT_EQ(test, rules.told_by, 0u);
	p.cg[2] = &a4;
	KUNIT_EXPECT_EQ(test, whose(&p)->cid, 1u);
	KUNIT_EXPECT_EQ(test, rules.told_by, 4u);
	p.cg[2] = &b4;
	KUNIT_EXPECT_EQ(test, whose(&p)->cid, 2u);
	/* of equals the first, so a task that enters one by one has one answer */
	p.cg[3] = &a5;
	KUNIT_EXPECT_EQ(test, whose(&p)->cid, 2u);
	KUNIT_EXPECT_EQ(test, rules.told_by, 4u);
	p.cg[2] = &a5;
	p.cg[3] = NULL;
	KUNIT_EXPECT_EQ(test, whose(&p)->cid, 1u);	/* by the same path */
	KUNIT_EXPECT_EQ(test, rules.told_by, 5u);
	KUNIT_EXPECT_EQ(test, nr_known, 2u);
	rules.v1 = false;
}

/*
 * kind: the node has its cgroup in each hierarchy, what runs in it only where its own runtime makes one. The
 * boundary inside more others is the nearer one, whichever hierarchy it is in, and however long the paths
 * are.
 */
static void nearest_of_hierarchies(struct kunit *test)
{
	struct cg r4 = { "", NULL, 1, 4 }, up4 = { "user.slice", &r4, 2, 4 };
	struct cg a4 = { "docker-" HEX_A ".scope", &up4, 3, 4 }, in4 = { HEX_B, &a4, 4, 4 };
	struct cg r5 = { "", NULL, 1, 5 }, down5 = { "a", &r5, 2, 5 }, further5 = { "b", &down5, 3, 5 };
	struct cg other5 = { "docker-" HEX_B ".scope", &further5, 4, 5 };
	struct ctrace_place node = { .cg = { &box_a, &a4 }, .ns = &ns1 };
	struct ctrace_place pod = { .cg = { &sub_a, &in4, &other5 }, .ns = &ns1 };

	rules.v1 = true;
	KUNIT_EXPECT_EQ(test, whose(&node)->cid, 1u);
	KUNIT_EXPECT_EQ(test, rules.told_by, 0u);
	KUNIT_EXPECT_EQ(test, whose(&pod)->cid, 2u);
	KUNIT_EXPECT_EQ(test, rules.told_by, 4u);
	KUNIT_EXPECT_EQ(test, known[1]->parent, 1u);
	KUNIT_EXPECT_STREQ(test, known[1]->runtime_id, HEX_B);
	KUNIT_EXPECT_STREQ(test, known[1]->path, "/user.slice/docker-" HEX_A ".scope/" HEX_B);
	/* v2's may be the nearer one, too */
	pod = (struct ctrace_place){ .cg = { &inner, &a4 }, .ns = &ns1 };
	KUNIT_EXPECT_EQ(test, whose(&pod)->cid, 3u);
	KUNIT_EXPECT_EQ(test, known[2]->parent, 1u);
	KUNIT_EXPECT_EQ(test, whose(&node)->cid, 1u);
	KUNIT_EXPECT_EQ(test, nr_known, 3u);
	rules.v1 = false;
}

/* A place is below a boundary if any of its cgroups is: what is remembered of it becomes void. */
static void void_in_any_hierarchy(struct kunit *test)
{
	struct cg cpuset = { "", NULL, 1, 2 }, shield = { "shield", &cpuset, 2, 2 };
	struct cg r4 = { "", NULL, 1, 4 }, c4 = { "c", &r4, 3, 4 };
	struct ctrace_place p = { .cg = { &root, &shield, &c4 }, .ns = &host };
	struct cg r5 = { "", NULL, 1, 5 }, c5 = { "c", &r5, 3, 5 };
	struct ctrace_place other = { .cg = { &root, &shield, &c5 }, .ns = &host };
	const void *of_other[] = { &c5 }, *of_p[] = { &c4 };
	struct ctrace_lfnode *n;

	rules.v1 = true;
	preempt_disable();
	ctrace_learn_alias(&rules, 1, 77, &host, whose(&p));
	n = ctrace_lftable_find(&rules.aliases, 1, 77, &host);
	KUNIT_ASSERT_NOT_NULL(test, n);
	/* another cgroup becomes a boundary, then the place's last one */
	ctrace_rules_cgroup_ns(&rules, &other, of_other, 1);
	KUNIT_EXPECT_PTR_EQ(test, ctrace_look_alias_again(&rules, n, &p), &ctrace_container_host);
	ctrace_rules_cgroup_ns(&rules, &p, of_p, 1);
	KUNIT_EXPECT_NULL(test, ctrace_look_alias_again(&rules, n, &p));
	preempt_enable();
	rules.v1 = false;
}

/* The rule of cgroup namespaces: a cgroup whose name says nothing becomes the container's. */
static void cgroup_namespace(struct kunit *test)
{
	const void *roots[] = { &plain };
	struct ctrace_place p = { .cg = { &plain }, .ns = &ns1 };

	ns1.init_at[0] = &plain;
	KUNIT_EXPECT_EQ(test, CID(&plain, &ns1), 1u);
	KUNIT_EXPECT_EQ(test, CID(&plain, &host), 0u);
	ctrace_rules_cgroup_ns(&rules, &p, roots, 1);
	KUNIT_EXPECT_EQ(test, CID(&plain, &ns1), 1u);
	KUNIT_EXPECT_EQ(test, CID(&plain, &host), 1u);
	KUNIT_EXPECT_STREQ(test, known[0]->path, "/c1");
	KUNIT_EXPECT_EQ(test, nr_known, 1u);
}

static struct ctrace_container *of_cgroup(const struct cg *cg, bool change)
{
	struct ctrace_seen s = { .at.cg = { cg } };

	ctrace_look_names(&rules, &s);
	return ctrace_rules_cgroup(&rules, &s, change);
}

/* A cgroup without a task: the known container whose boundary it lies in, in any hierarchy; else the host. */
static void cgroup_alone(struct kunit *test)
{
	struct cg r4 = { "", NULL, 1, 4 }, up4 = { "user.slice", &r4, 2, 4 };
	struct cg a4 = { "docker-" HEX_A ".scope", &up4, 9, 4 };

	preempt_disable();
	KUNIT_EXPECT_NULL(test, of_cgroup(&sub_a, true));
	KUNIT_EXPECT_EQ(test, of_cgroup(&shell, true)->cid, 0u);
	KUNIT_EXPECT_EQ(test, CID(&box_a, &ns1), 1u);
	KUNIT_EXPECT_EQ(test, of_cgroup(&sub_a, false)->cid, 1u);
	KUNIT_EXPECT_NULL(test, of_cgroup(&a4, true));
	rules.v1 = true;
	KUNIT_EXPECT_EQ(test, of_cgroup(&a4, true)->cid, 1u);
	KUNIT_EXPECT_EQ(test, of_cgroup(&a4, false)->cid, 1u);
	preempt_enable();
	KUNIT_EXPECT_EQ(test, nr_known, 1u);
	rules.v1 = false;
}

static void pool_empty(struct kunit *test)
{
	leave_in_pool(0);
	KUNIT_EXPECT_NULL(test, ask(&box_a, &ns1, false));
	KUNIT_EXPECT_NULL(test, ask(&shell, &ns3, false));
	KUNIT_EXPECT_EQ(test, CID(&shell, &host), 0u);
	leave_in_pool(1);
	KUNIT_EXPECT_EQ(test, CID(&box_a, &ns1), 1u);
}

/* --- lftable ------------------------------------------------------------------- */

#define THREADS	4
#define KEYS	2000

struct pusher {
	struct ctrace_lftable *t;
	struct ctrace_lfpool *pool;
	unsigned int won;
	struct completion done;
};

static int push_all(void *arg)
{
	struct pusher *p = arg;
	unsigned int i;

	for (i = 0; i < KEYS; i++) {
		struct ctrace_lfnode *n;

		preempt_disable();
		n = ctrace_lfpool_take(p->pool);
		if (n) {
			n->a = i;
			n->b = 0;
			n->p = NULL;
			n->val = p;
			if (ctrace_lftable_push(p->t, n) == n)
				p->won++;
			else
				ctrace_lfpool_return(p->pool, n);
		}
		preempt_enable();
	}
	complete(&p->done);
	return 0;
}

static bool odd(struct ctrace_lfnode *n, void *arg)
{
	return n->a & 1;
}

/* Each key gets in once, whichever thread pushes it first, while odd keys are swept. */
static void table_concurrent(struct kunit *test)
{
	struct pusher *p = kunit_kzalloc(test, sizeof(*p) * THREADS, GFP_KERNEL);
	struct ctrace_lfnode *chain;
	struct ctrace_lfpool pool;
	struct ctrace_lftable t;
	unsigned int i, won = 0, swept = 0;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, p);
	KUNIT_ASSERT_EQ(test, ctrace_lftable_init(&t, 5), 0);
	KUNIT_ASSERT_EQ(test, ctrace_lfpool_init(&pool, THREADS * KEYS), 0);
	for (i = 0; i < THREADS; i++) {
		p[i].t = &t;
		p[i].pool = &pool;
		init_completion(&p[i].done);
		kthread_run(push_all, &p[i], "ctrace-push%u", i);
	}
	for (i = 0; i < THREADS; i++) {
		chain = ctrace_lftable_sweep(&t, odd, NULL);
		synchronize_rcu();
		for (struct ctrace_lfnode *n = chain; n; n = n->chain)
			swept++;
		ctrace_lfpool_free_chain(&pool, chain);
		wait_for_completion(&p[i].done);
	}
	for (i = 0; i < THREADS; i++)
		won += p[i].won;
	chain = ctrace_lftable_sweep(&t, odd, NULL);
	for (struct ctrace_lfnode *n = chain; n; n = n->chain)
		swept++;
	ctrace_lfpool_free_chain(&pool, chain);
	preempt_disable();
	for (i = 0; i < KEYS; i++) {
		KUNIT_EXPECT_EQ(test, !!ctrace_lftable_find(&t, i, 0, NULL), !(i & 1));
		KUNIT_EXPECT_NULL(test, ctrace_lftable_find(&t, i, 1, NULL));
	}
	preempt_enable();
	chain = ctrace_lftable_sweep(&t, all, NULL);
	for (i = 0; chain; i++) {
		struct ctrace_lfnode *n = chain;

		chain = n->chain;
		n->chain = NULL;
		ctrace_lfpool_free_chain(&pool, n);
	}
	KUNIT_EXPECT_EQ(test, i, KEYS / 2u);		/* no key twice */
	KUNIT_EXPECT_EQ(test, won, swept + i);
	KUNIT_EXPECT_EQ(test, atomic_read(&pool.nr_taken), 0);
	ctrace_lftable_exit(&t);
	ctrace_lfpool_exit(&pool);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(names),
	KUNIT_CASE(host_is_zero),
	KUNIT_CASE(cgroup_and_namespace_at_once),
	KUNIT_CASE(cgroup_first),
	KUNIT_CASE(namespace_first),
	KUNIT_CASE(namespace_first_inside),
	KUNIT_CASE(merge),
	KUNIT_CASE(merge_quietly),
	KUNIT_CASE(merge_wanted),
	KUNIT_CASE(nested_namespaces),
	KUNIT_CASE(asking_changes_nothing),
	KUNIT_CASE(nested_boundaries),
	KUNIT_CASE(unshare_alone),
	KUNIT_CASE(shared_namespace),
	KUNIT_CASE(host_pid),
	KUNIT_CASE(reuse),
	KUNIT_CASE(hierarchies_one_by_one),
	KUNIT_CASE(any_hierarchy),
	KUNIT_CASE(nearest_of_hierarchies),
	KUNIT_CASE(void_in_any_hierarchy),
	KUNIT_CASE(cgroup_namespace),
	KUNIT_CASE(cgroup_alone),
	KUNIT_CASE(pool_empty),
	KUNIT_CASE(table_concurrent),
	{}
};

static struct kunit_suite suite = {
	.name = "ctrace_identity",
	.init = world_init,
	.exit = world_exit,
	.test_cases = cases,
};
kunit_test_suite(suite);

MODULE_DESCRIPTION("ctrace: tests of identity");
MODULE_LICENSE("GPL");
