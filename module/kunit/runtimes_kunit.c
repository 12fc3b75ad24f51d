// SPDX-License-Identifier: GPL-2.0-only
/* What real runtimes do, on made-up cgroups and pid namespaces: whose is each of their processes? */
#include "kunit/made_up.h"

#define UID	"0a1b2c3d-1111-2222-3333-444455556666"
#define UID_	"0a1b2c3d_1111_2222_3333_444455556666"
#define MD5	"0123456789abcdef0123456789abcdef"

/* --- names ------------------------------------------------------------------- */

static void names(struct kunit *test)
{
	static const struct parsed t[] = {
		/* a cgroupfs runtime that was given a systemd path takes it for a name */
		{ "containerd.service", "kubepods-burstable-pod" UID_ ".slice:cri-containerd:" HEX_A,
		  CTRACE_BOUNDARY_CONTAINER, "containerd", true },
		{ "x", "kubepods-pod" UID_ ".slice:crio:" HEX_A, CTRACE_BOUNDARY_CONTAINER, "cri-o", true },
		{ "x", "system.slice:docker:" HEX_A, CTRACE_BOUNDARY_CONTAINER, "docker", true },
		{ "x", "user.slice:nerdctl:web", CTRACE_BOUNDARY_CONTAINER, "nerdctl", false },
		{ "x", "system.slice:runsc:" HEX_A, CTRACE_BOUNDARY_CONTAINER, "runsc", true },
		{ "x", "system.slice:mine:" HEX_A, CTRACE_BOUNDARY_CONTAINER, NULL, true },
		{ "x", "system.slice:mine:", CTRACE_BOUNDARY_NONE, NULL, false },
		{ "x", "a:b:c", CTRACE_BOUNDARY_NONE, NULL, false },
		{ "x", "kubepods-pod" UID_ ".slice:crio-conmon:" HEX_A, CTRACE_BOUNDARY_MONITOR, NULL, false },
		/* any runtime of systemd's driver */
		{ "x", "nerdctl-" HEX_A ".scope", CTRACE_BOUNDARY_CONTAINER, "nerdctl", true },
		{ "x", "runsc-" HEX_A ".scope", CTRACE_BOUNDARY_CONTAINER, "runsc", true },
		{ "x", "some-other-" HEX_A ".scope", CTRACE_BOUNDARY_CONTAINER, NULL, true },
		{ "x", "-" HEX_A ".scope", CTRACE_BOUNDARY_NONE, NULL, false },
		{ "x", "libpod-conmon-" HEX_A ".scope", CTRACE_BOUNDARY_MONITOR, NULL, false },
		{ "x", "conmon-" HEX_A ".scope", CTRACE_BOUNDARY_MONITOR, NULL, false },
		/* pods */
		{ "kubepods", "pod" UID, CTRACE_BOUNDARY_NONE, NULL, false },
		{ "kubepods-burstable.slice", "kubepods-burstable-pod" UID_ ".slice", CTRACE_BOUNDARY_NONE, NULL,
		  false },
		{ "besteffort", "pod" MD5, CTRACE_BOUNDARY_NONE, NULL, false },
		{ "libpod_parent", HEX_A, CTRACE_BOUNDARY_NONE, NULL, false },
		{ HEX_A, "libpod-" HEX_B, CTRACE_BOUNDARY_CONTAINER, "podman", true },
		{ "lxc.payload", "pod1", CTRACE_BOUNDARY_CONTAINER, "lxc", false },
		{ "machine.slice", "podstore.scope", CTRACE_BOUNDARY_CONTAINER, NULL, false },
		/* others */
		{ "x", "kata_" HEX_A, CTRACE_BOUNDARY_CONTAINER, "kata", true },
		{ "kata_overhead", HEX_A, CTRACE_BOUNDARY_MONITOR, NULL, false },
		{ MD5, MD5 "-1479393231", CTRACE_BOUNDARY_CONTAINER, "ecs", false },
		{ MD5, MD5 "-", CTRACE_BOUNDARY_NONE, NULL, false },
		{ MD5, MD5 "-14x", CTRACE_BOUNDARY_NONE, NULL, false },
		{ "x", MD5 "-1479393231", CTRACE_BOUNDARY_NONE, NULL, false },
		{ "lxc", "web", CTRACE_BOUNDARY_CONTAINER, "lxc", false },
		{ "lxc", "101", CTRACE_BOUNDARY_CONTAINER, "lxc", false },
		{ "101", "ns", CTRACE_BOUNDARY_NONE, NULL, false },
		{ "machine.slice", "machine-qemu\\x2d1\\x2dvm.scope", CTRACE_BOUNDARY_CONTAINER, "libvirt", false },
		{ "machine.slice", "machine-lxc\\x2d77\\x2dvm.scope", CTRACE_BOUNDARY_CONTAINER, "libvirt", false },
		{ "machine.slice", "machine-qemu.scope", CTRACE_BOUNDARY_CONTAINER, "nspawn", false },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(t); i++)
		check_parsed(test, &t[i]);
}

/* --- the host's side ------------------------------------------------------------ */

/* systemd-nspawn as a service: what it runs is in "payload", it is in "supervisor" itself. */
static void nspawn_service(struct kunit *test)
{
	struct cg unit = { "systemd-nspawn@web.service", &shell, 20 }, payload = { "payload", &unit, 21 };
	struct cg supervisor = { "supervisor", &unit, 22 }, fake_unit = { "systemd-nspawn@x.service", &payload, 23 };
	struct cg inside = { "supervisor", &fake_unit, 24 }, other = { "supervisor", &payload, 25 };

	ns1.init_at[0] = &payload;
	KUNIT_EXPECT_EQ(test, CID(&supervisor, &host), 0u);
	KUNIT_EXPECT_EQ(test, CID(&payload, &ns1), 1u);
	KUNIT_EXPECT_EQ(test, CID(&unit, &host), 1u);
	KUNIT_EXPECT_STREQ(test, known[0]->path, "/user.slice/systemd-nspawn@web.service");
	KUNIT_EXPECT_EQ(test, CID(&supervisor, &host), 0u);
	/* nobody inside leaves by such a name */
	KUNIT_EXPECT_EQ(test, CID(&inside, &host), 1u);
	KUNIT_EXPECT_EQ(test, CID(&other, &host), 1u);
	KUNIT_EXPECT_EQ(test, nr_known, 1u);
}

/* podman's pod without systemd: the monitors of its containers are the host's, the pod is no container. */
static void pod_of_podman(struct kunit *test)
{
	struct cg parent = { "libpod_parent", &root, 20 }, pod = { HEX_A, &parent, 21 };
	struct cg conmon = { "conmon", &pod, 22 }, web = { "libpod-" HEX_B, &pod, 23 };

	ns1.init_at[0] = &web;
	KUNIT_EXPECT_EQ(test, CID(&conmon, &host), 0u);
	KUNIT_EXPECT_EQ(test, CID(&web, &ns1), 1u);
	KUNIT_EXPECT_EQ(test, known[0]->parent, 0u);
	KUNIT_EXPECT_EQ(test, nr_known, 1u);
}

/* A container without a pid namespace of its own, in a pod whose cgroup is named by systemd's rules. */
static void kubelet_by_systemd_alone(struct kunit *test)
{
	struct cg unit = { "containerd.service", &root, 20 };
	struct cg a = { "kubepods-pod" UID_ ".slice:cri-containerd:" HEX_A, &unit, 21 };
	struct cg b = { "kubepods-pod" UID_ ".slice:cri-containerd:" HEX_B, &unit, 22 };

	KUNIT_EXPECT_EQ(test, CID(&a, &host), 1u);
	ns1.init_at[0] = &a;
	KUNIT_EXPECT_EQ(test, CID(&a, &ns1), 1u);
	KUNIT_EXPECT_EQ(test, CID(&b, &ns1), 2u);
	KUNIT_EXPECT_STREQ(test, known[0]->runtime_id, HEX_A);
}

/* --- parents ---------------------------------------------------------------------- */

/* A task that joins a container's pid namespace is beside that container, not in it. */
static void joined_namespace(struct kunit *test)
{
	struct cg up = { "default", &root, 20 }, bare = { "pause", &up, 21 };
	struct cg beside = { HEX_A, &up, 22 }, below = { HEX_B, &bare, 23 };

	KUNIT_EXPECT_EQ(test, CID(&box_a, &ns1), 1u);
	known[0]->denied = 2;
	KUNIT_EXPECT_EQ(test, CID(&box_b, &ns1), 2u);
	KUNIT_EXPECT_EQ(test, known[1]->parent, 0u);
	KUNIT_EXPECT_EQ(test, known[1]->denied, 0u);
	/* the same where the first has no boundary, but its init's cgroup shows it */
	ns3.init_at[0] = &bare;
	KUNIT_EXPECT_EQ(test, CID(&bare, &ns3), 3u);
	KUNIT_EXPECT_EQ(test, CID(&beside, &ns3), 4u);
	KUNIT_EXPECT_EQ(test, known[3]->parent, 0u);
	KUNIT_EXPECT_EQ(test, CID(&below, &ns3), 5u);
	KUNIT_EXPECT_EQ(test, known[4]->parent, 3u);
}

/*
 * But a namespace that was made in a container's is nested, wherever its cgroup is: also if it is seen later.
 */
static void made_in_namespace(struct kunit *test)
{
	ns2.init_at[0] = &box_b;
	KUNIT_EXPECT_EQ(test, CID(&box_a, &ns1), 1u);
	known[0]->wanted = 2;
	KUNIT_EXPECT_EQ(test, CID(&box_b, &ns1), 2u);	/* the runtime in it, starting the inner */
	KUNIT_EXPECT_EQ(test, known[1]->parent, 0u);
	KUNIT_EXPECT_EQ(test, CID(&box_b, &ns2), 2u);
	KUNIT_EXPECT_EQ(test, known[1]->parent, 1u);
	KUNIT_EXPECT_EQ(test, known[1]->wanted, 2u);
	KUNIT_EXPECT_EQ(test, nr_known, 2u);
}

static u32 cid_at(const struct ctrace_place *p)
{
	struct ctrace_container *c;

	preempt_disable();
	c = ctrace_rules_decide(&rules, p, true);
	preempt_enable();
	return c ? c->cid : ~0u;
}

/*
 * hybrid: a runtime in a container that has the host's cgroups makes another beside it, and leaves v2 alone.
 * Of the two boundaries, which are equally deep, v2's is the runtime's. The pid namespace still tells them
 * apart.
 */
static void runtime_leaves_v2(struct kunit *test)
{
	struct cg r4 = { "", NULL, 1, 4 }, up4 = { "user.slice", &r4, 2, 4 };
	struct cg a4 = { "docker-" HEX_A ".scope", &up4, 3, 4 }, b4 = { "docker-" HEX_B ".scope", &up4, 4, 4 };
	struct ctrace_place a = { .cg = { &box_a, &a4 }, .ns = &ns1 };
	struct ctrace_place b = { .cg = { &box_a, &b4 }, .ns = &ns1 };

	rules.v1 = true;
	ns1.init_at[1] = &a4;
	ns2.init_at[0] = &box_a;
	ns2.init_at[1] = &b4;
	KUNIT_EXPECT_EQ(test, cid_at(&a), 1u);
	KUNIT_EXPECT_EQ(test, cid_at(&b), 1u);	/* the runtime, on its way */
	b.ns = &ns2;
	KUNIT_EXPECT_EQ(test, cid_at(&b), 2u);
	KUNIT_EXPECT_EQ(test, known[1]->parent, 1u);
	KUNIT_EXPECT_EQ(test, cid_at(&a), 1u);
	KUNIT_EXPECT_EQ(test, nr_known, 2u);
	rules.v1 = false;
}

/* --- one container, one cid --------------------------------------------------------- */

static struct ctrace_container *ask_in(struct cg *cg, struct ns *ns, bool exec, const void *mnt)
{
	struct ctrace_place p = { .cg = { cg }, .ns = ns, .exec = exec, .mnt = mnt };
	struct ctrace_container *c;

	preempt_disable();
	c = ctrace_rules_decide(&rules, &p, true);
	preempt_enable();
	return c;
}

/* runc executes itself in the container's cgroup, in its own mount namespace, whichever that is. */
static void runtime_executes_itself(struct kunit *test)
{
	const void *first = NULL, *dind = &root, *own = &host;	/* mount namespaces; NULL: the initial one */
	struct ns again = { &host, { &box_b }, .inum = 9 };

	/* in a container, or a snap */
	KUNIT_EXPECT_EQ(test, ask_in(&box_a, &host, false, dind)->cid, 1u);
	KUNIT_EXPECT_EQ(test, ask_in(&box_a, &host, true, dind)->cid, 1u);
	KUNIT_EXPECT_FALSE(test, known[0]->ns_fixed);
	KUNIT_EXPECT_EQ(test, ask_in(&box_a, &ns1, false, own)->cid, 1u);
	KUNIT_EXPECT_PTR_EQ(test, known[0]->ns, (const void *)&ns1);
	KUNIT_EXPECT_EQ(test, nr_known, 1u);
	/* in the machine's first one */
	KUNIT_EXPECT_EQ(test, ask_in(&box_b, &host, false, first)->cid, 2u);
	KUNIT_EXPECT_EQ(test, ask_in(&box_b, &host, true, first)->cid, 2u);
	KUNIT_EXPECT_FALSE(test, known[1]->ns_fixed);
	/* its task is seen there a moment before the move is reported */
	KUNIT_EXPECT_EQ(test, ask_in(&inner, &host, false, CTRACE_MNT_UNKNOWN)->cid, 3u);
	KUNIT_EXPECT_EQ(test, ask_in(&inner, &host, false, dind)->cid, 3u);
	KUNIT_EXPECT_EQ(test, ask_in(&inner, &host, false, own)->cid, 3u);
	KUNIT_EXPECT_EQ(test, ask_in(&inner, &host, true, dind)->cid, 3u);
	KUNIT_EXPECT_FALSE(test, known[2]->ns_fixed);
	/* the container's own program */
	KUNIT_EXPECT_EQ(test, ask_in(&box_b, &host, true, own)->cid, 2u);
	KUNIT_EXPECT_TRUE(test, known[1]->ns_fixed);
	KUNIT_EXPECT_TRUE(test, known[1]->flags & CTRACE_CONTAINER_F_HOSTPID);
	KUNIT_EXPECT_EQ(test, ask_in(&box_b, &again, false, own)->cid, 4u);
	ctrace_rules_exit(&rules);
	fake_put(&again);
	known[3]->ns = NULL;
	KUNIT_ASSERT_EQ(test, ctrace_rules_init(&rules, &fake, forgot, 16), 0);
}

/* A container with the host's pids in a runtime's own mount namespace is known by its program's. */
static void host_pid_from_elsewhere(struct kunit *test)
{
	const void *dind = &root, *own = &host;

	KUNIT_EXPECT_EQ(test, ask_in(&box_a, &host, false, dind)->cid, 1u);
	KUNIT_EXPECT_EQ(test, ask_in(&box_a, &host, true, own)->cid, 1u);
	KUNIT_EXPECT_TRUE(test, known[0]->ns_fixed);
	KUNIT_EXPECT_EQ(test, CID(&box_a, &ns1), 2u);
}

/* A container in a cgroup namespace that is older than the module: whatever is looked at first. */
static void cgroup_namespace_first(struct kunit *test)
{
	struct cg unit = { "nsp.service", &root, 20 }, payload = { "payload", &unit, 21 };
	struct cg init = { "init.scope", &payload, 22 };
	struct ctrace_place p = { .cg = { &init }, .ns = &ns2 };
	const void *roots[] = { &payload };

	ns1.init_at[0] = &init;
	ns2.init_at[0] = &init;
	preempt_disable();
	ctrace_rules_cgroup_ns(&rules, &p, roots, 1);
	preempt_enable();
	KUNIT_EXPECT_EQ(test, CID(&init, &ns1), 1u);
	KUNIT_EXPECT_EQ(test, CID(&init, &ns2), 2u);
	KUNIT_EXPECT_EQ(test, CID(&payload, &host), 1u);
	KUNIT_EXPECT_EQ(test, nr_known, 2u);
	KUNIT_EXPECT_EQ(test, known[0]->init_pid, 2);
	KUNIT_EXPECT_FALSE(test, known[0]->flags & CTRACE_CONTAINER_F_HOSTPID);
	KUNIT_EXPECT_STREQ(test, known[0]->path, "/nsp.service/payload");
	KUNIT_EXPECT_EQ(test, known[1]->parent, 1u);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(names),
	KUNIT_CASE(nspawn_service),
	KUNIT_CASE(pod_of_podman),
	KUNIT_CASE(kubelet_by_systemd_alone),
	KUNIT_CASE(joined_namespace),
	KUNIT_CASE(made_in_namespace),
	KUNIT_CASE(runtime_leaves_v2),
	KUNIT_CASE(runtime_executes_itself),
	KUNIT_CASE(host_pid_from_elsewhere),
	KUNIT_CASE(cgroup_namespace_first),
	{}
};

static struct kunit_suite suite = {
	.name = "ctrace_runtimes",
	.init = world_init,
	.exit = world_exit,
	.test_cases = cases,
};
kunit_test_suite(suite);

MODULE_DESCRIPTION("ctrace: tests of what real runtimes do");
MODULE_LICENSE("GPL");
