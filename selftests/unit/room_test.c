// SPDX-License-Identifier: GPL-2.0-only
/*
 * The share of the room for containers and of cids that users may take: on made-up cgroups, with a made-up
 * clock (module/identity/charge.h). A user who takes all they can leaves the others enough, in ten years,
 * too; and a user who makes containers as hosts do is never refused.
 */
#include "../../module/kunit/made_up.h"

#define YEAR_S		(365 * 24 * 3600ull)

/*
 * Cids are worth more the fewer are left. So what happens to 2^32 of them in a time happens to
 * 2^16 in the same time: to a 65,536th of the cids.
 */
#define SCALE		65536u
#define SCALED		(CTRACE_CID_LAST / SCALE)

static void leave_cids(u32 left)
{
	last_cid = CTRACE_CID_LAST - left;
}

static u32 cids_left(void)
{
	return CTRACE_CID_LAST - last_cid;
}

static struct ctrace_container *h = &ctrace_container_host;

/* He makes containers, and ends them at once, until he gets no more. Returns how many. */
static u32 burst(u32 slice, struct ctrace_container *in, u32 most)
{
	struct ctrace_container *c;
	u32 n;

	for (n = 0; n < most; n++) {
		c = born_in(slice, in);
		if (!c)
			break;
		unmake(c);
	}
	return n;
}

/* The same, whenever he can, for that long. */
static u32 takes(u32 slice, struct ctrace_container *in, u64 seconds)
{
	const u64 step = 4000;	/* a bucket holds 4,096 s */
	u32 n = 0;

	for (; seconds >= step; seconds -= step) {
		n += burst(slice, in, ~0u);
		kernel_clock_ahead += step * NSEC_PER_SEC;
	}
	return n;
}

/* --- room ----------------------------------------------------------------------- */

/* Any number of slices that take what they can leave a newcomer room. */
static void many_slices(struct kunit *test)
{
	u32 was = max_containers, slice, i, n;

	max_containers = 1 << 14;
	/* each in turn takes 16, until none gets any more */
	do {
		for (slice = 0, n = 0; slice < 64; slice++)
			for (i = 0; i < 16 && born_in(slice, h); i++, n++)
				;
	} while (n);
	for (n = 0; born_in(500, h); n++)
		;
	/* 252 were left, and he may have half of these */
	KUNIT_EXPECT_GT(test, n, 100u);
	max_containers = was;
	/* the others hold all but 252: so many containers are 1/65 of all */
	KUNIT_EXPECT_GT(test, ctrace_charge_held(), (1u << 14) * 63 / 65);
}

/* At each level, a cgroup that is alone may have half of its parent's room. Others beside it get in. */
static void levels_of_room(struct kunit *test)
{
	struct ctrace_container *outer, *inner, *deep, *tenant, *c;
	u32 was = max_containers, n;

	max_containers = 1 << 13;
	outer = born_in(7, h);
	inner = born_in(0, outer);
	deep = born_in(0, inner);
	KUNIT_ASSERT_NOT_NULL(test, deep);
	/* as deep as it gets: one 32nd. (What it lies in is charged with three more.) */
	for (n = 0; (c = born_in(0, deep)); n++)
		deep = n % 2 ? deep : c;
	KUNIT_EXPECT_GT(test, 5u, max_containers / 32 - n);
	KUNIT_EXPECT_NULL(test, born_in(0, inner));
	for (n = 0; born_in(0, outer); n++)
		;
	KUNIT_EXPECT_GT(test, n, max_containers / 20);
	/* his neighbour in the same slice nests as well; the slice has room, and others more */
	tenant = born_in(7, h);
	KUNIT_ASSERT_NOT_NULL(test, tenant);
	for (n = 0; born_in(0, tenant); n++)
		;
	KUNIT_EXPECT_GT(test, n, max_containers / 20);
	for (n = 0; born_in(7, h); n++)
		;
	KUNIT_EXPECT_GT(test, n, max_containers / 8);
	for (n = 0; born_in(8, h); n++)
		;
	KUNIT_EXPECT_GT(test, n, max_containers / 5);
	max_containers = was;
}

/* Whose parent is learned later, or who takes over another's cgroups, is charged where he then lies. */
static void charged_elsewhere(struct kunit *test)
{
	struct cg sub = { "x", &box_a, 50 }, late = { "docker-" HEX_B ".scope", &sub, 51 };
	struct ctrace_container *c;
	u32 slice = ctrace_look_account(&rules, &shell);

	ns3.init_at[0] = &shell;
	KUNIT_EXPECT_EQ(test, CID(&box_a, &ns1), 1u);
	KUNIT_EXPECT_EQ(test, CID(&shell, &ns3), 2u);
	c = known[1];
	KUNIT_EXPECT_EQ(test, c->parent, 0u);
	KUNIT_EXPECT_EQ(test, c->charge.depth, 1u);
	KUNIT_EXPECT_EQ(test, accounts[0][slice].held, 2u);
	/* its init arrives in a cgroup in the first one */
	ns3.init_at[0] = &late;
	KUNIT_EXPECT_EQ(test, CID(&late, &ns3), 2u);
	KUNIT_EXPECT_EQ(test, c->parent, 1u);
	KUNIT_EXPECT_EQ(test, c->charge.depth, 2u);
	KUNIT_EXPECT_EQ(test, accounts[0][slice].held, 2u);
	KUNIT_EXPECT_EQ(test, accounts[1][slice].held, 1u);
	KUNIT_EXPECT_EQ(test, accounts[2][known[0]->charge.who[1]].held, 1u);
	/* session/limit.c, which tells tenants apart by it, sees it, too */
	KUNIT_EXPECT_EQ(test, c->account >> 16, known[0]->charge.who[1] + 1u);
}

/* A user's slice, in that hierarchy, and a cgroup in it that is named as a container's. */
struct delegated {
	struct cg top, users, slice, deeper, box;
};

static void delegate(struct delegated *d, u32 hierarchy, const char *slice, const char *box)
{
	static u64 id = 100;

	d->top = (struct cg){ "", NULL, ++id, hierarchy };
	d->users = (struct cg){ "user.slice", &d->top, ++id, hierarchy };
	d->slice = (struct cg){ slice, &d->users, ++id, hierarchy };
	d->deeper = (struct cg){ "x", &d->slice, ++id, hierarchy };
	d->box = (struct cg){ box, &d->deeper, ++id, hierarchy };
}

/*
 * To whom several v1 hierarchies are delegated has one account all the same, which is that of v2's, too; and keeps it when
 * the slice is made anew, as at each login.
 */
static void hierarchies(struct kunit *test)
{
	static const char *const others[] = { "user-1001.slice", "user-1002.slice", "user-1003.slice", "user-100.slice" };
	static struct delegated d[5], o;
	struct ctrace_place p = { .cg = { &root }, .ns = &host };
	u32 i, slice, same = 0;
	struct ctrace_container *c;

	delegate(&d[0], 0, "user-1000.slice", "docker-" HEX_A ".scope");
	delegate(&d[1], 3, "user-1000.slice", "docker-" HEX_A ".scope");
	delegate(&d[2], 5, "user-1000.slice", "docker-" HEX_B ".scope");
	delegate(&d[3], 7, "user-1000.slice", "crio-" HEX_A ".scope");
	delegate(&d[4], 7, "user-1000.slice", "crio-" HEX_B ".scope");
	slice = ctrace_look_account(&rules, &d[0].slice);
	for (i = 0; i < 5; i++) {
		KUNIT_EXPECT_EQ(test, ctrace_look_account(&rules, &d[i].slice), slice);
		KUNIT_EXPECT_EQ(test, ctrace_look_account(&rules, &d[i].deeper), slice);
	}
	/* of 1,024 accounts, four others hardly ever have the same */
	for (i = 0; i < ARRAY_SIZE(others); i++) {
		delegate(&o, 7, others[i], "crio-" HEX_B ".scope");
		same += ctrace_look_account(&rules, &o.deeper) == slice;
	}
	KUNIT_EXPECT_GT(test, ARRAY_SIZE(others), same);
	/* containers in three hierarchies */
	rules.v1 = true;
	for (i = 1; i < 4; i++) {
		p.cg[1] = &d[i].box;
		preempt_disable();
		c = ctrace_rules_decide(&rules, &p, true);
		preempt_enable();
		KUNIT_ASSERT_NOT_NULL(test, c);
		KUNIT_EXPECT_EQ(test, c->cid, i);
		KUNIT_EXPECT_EQ(test, accounts[0][slice].held, i);
	}
	rules.v1 = false;
}

/* --- cids ------------------------------------------------------------------------- */

/* In ten years, one user gets some more than half, and one tenant a fifth. */
static void one_user(struct kunit *test)
{
	struct ctrace_container *outer;
	u32 n;

	leave_cids(SCALED);
	n = takes(1, h, 10 * YEAR_S);
	KUNIT_EXPECT_GT(test, n, SCALED / 2);
	KUNIT_EXPECT_GT(test, (u64)SCALED * 52 / 100, n);
	KUNIT_EXPECT_EQ(test, n + cids_left(), SCALED);
	/* a newcomer has a bucket of his own, which is full */
	KUNIT_EXPECT_GT(test, burst(2, h, ~0u), cids_left() / 5000);
	leave_cids(SCALED);
	ctrace_charge_init();
	outer = born_in(1, h);
	n = takes(0, outer, 10 * YEAR_S);
	KUNIT_EXPECT_GT(test, n, SCALED / 5 - 10);
	KUNIT_EXPECT_GT(test, SCALED / 100 * 22, n);
	/* others in his slice are as if he were not: their bucket is full again after a rest */
	kernel_clock_ahead += 4096 * NSEC_PER_SEC;
	KUNIT_EXPECT_GT(test, burst(1, h, ~0u), cids_left() / 5000);
}

/* Fifty users, at once, for ten years: they do not use up all. A newcomer gets some. */
static void many_users(struct kunit *test)
{
	u32 step, slice;

	leave_cids(SCALED);
	for (step = 0; step < 10 * YEAR_S / 50000; step++) {
		for (slice = 0; slice < 50; slice++)
			burst(slice, h, ~0u);
		kernel_clock_ahead += 50000 * NSEC_PER_SEC;
	}
	KUNIT_EXPECT_GT(test, cids_left(), SCALED / 200);
	KUNIT_EXPECT_GT(test, burst(500, h, ~0u), 0u);
}

/* The load of hosts: a million at once; and 100 a second of all, for 240 days. */
static void ordinary(struct kunit *test)
{
	struct ctrace_charge c = ctrace_charge_outermost(1, 1);
	u64 now = kernel_clock_ahead, i;
	u32 left = CTRACE_CID_LAST, refused = 0;

	for (i = 0; i < 1000000; i++) {
		refused += !ctrace_charge_pays(&c, left, now);
		ctrace_charge_pay(&c, left--, now);
	}
	KUNIT_EXPECT_EQ(test, refused, 0u);
	/* more than that at once, and others wait: 256 a second */
	while (ctrace_charge_pays(&c, left, now) && i++ < 2000000)
		ctrace_charge_pay(&c, left--, now);
	KUNIT_EXPECT_GT(test, 1100000ull, i);
	now += NSEC_PER_SEC;
	for (i = 0; ctrace_charge_pays(&c, left, now); i++)
		ctrace_charge_pay(&c, left--, now);
	KUNIT_EXPECT_GT(test, i, 250ull);
	KUNIT_EXPECT_GT(test, 260ull, i);
	/* scaled: one each 655 s */
	ctrace_charge_init();
	left = SCALED;
	for (i = 0; i < 240 * 24 * 3600ull * 100 / SCALE; i++, left--) {
		now += NSEC_PER_SEC * SCALE / 100;
		refused += !ctrace_charge_pays(&c, left, now);
		ctrace_charge_pay(&c, left, now);
	}
	KUNIT_EXPECT_EQ(test, refused, 0u);
	ctrace_charge_init();
}

static struct kunit_case cases[] = {
	KUNIT_CASE(many_slices),
	KUNIT_CASE(levels_of_room),
	KUNIT_CASE(charged_elsewhere),
	KUNIT_CASE(hierarchies),
	KUNIT_CASE(one_user),
	KUNIT_CASE(many_users),
	KUNIT_CASE(ordinary),
	{}
};

static struct kunit_suite suite = {
	.name = "room",
	.init = world_init,
	.exit = world_exit,
	.test_cases = cases,
};
kunit_test_suite(suite);
