// SPDX-License-Identifier: GPL-2.0-only
/*
 * The garbage collector of identity, on made-up cgroups and namespaces (module/kunit/made_up.h): who is found dead,
 * and when what is freed; and that its time, with interrupts off and in all, is that of those who died.
 */
#define CTRACE_UNIT_PUT_PID_NS
#include "../../module/kunit/made_up.h"
#include "identity/identity_internal.h"
#include "compat/pidns.h"
#include "identity/gc.c"

static u32 dying_forgotten;

void put_pid_ns(struct pid_namespace *ns)
{
	fake_put(ns);
}

void ctrace_identity_forget_dying(void)
{
	dying_forgotten++;
}

void ctrace_identity_refresh(void)
{
}

static u32 beats;

void ctrace_identity_moves_beat(void)
{
	beats++;
}

static int gc_begin(struct kunit *test)
{
	INIT_LIST_HEAD(&waiting);
	INIT_LIST_HEAD(&swept);
	walked = 0;
	stopping = false;
	next_look = not_before = asked = next_beat = jiffies;
	beats = 0;
	return world_init(test);
}

static void gc_end(struct kunit *test)
{
	free_swept();
	KUNIT_EXPECT_TRUE(test, list_empty(&swept));
	world_exit(test);
}

/* reap, ms later. Dead containers have died that much earlier. */
static void reap_after(u32 ms)
{
	struct ctrace_container *c;

	jiffies += ms;
	next_look = jiffies;
	for (c = ctrace_cids_from(0); c; c = ctrace_cids_from(c->cid + 1))
		if (c->gone)
			c->gone -= ms * NSEC_PER_MSEC;
	reap_work(NULL);
}

static void remove_cg(struct cg *cg)
{
	unsigned long flags;

	cg->offline = true;
	ctrace_ident_lock(&flags);
	ctrace_learn_cgroup_gone(&rules, ctrace_key(0, cg->id));
	ctrace_ident_unlock(flags);
}

static void alias(struct cg *cg, struct ns *ns)
{
	struct ctrace_container *c = ask(cg, ns, false);
	unsigned long flags;

	ctrace_ident_lock(&flags);
	ctrace_learn_alias(&rules, ctrace_key(0, cg->id), 0, ns, c);
	ctrace_ident_unlock(flags);
}

static struct ctrace_container *remembered_now(struct cg *cg, struct ns *ns)
{
	struct ctrace_container *c;
	struct ctrace_lfnode *n;
	unsigned long flags;

	ctrace_ident_lock(&flags);
	n = ctrace_lftable_find(&rules.aliases, ctrace_key(0, cg->id), 0, ns);
	c = n ? ctrace_look_alias(&rules, n) : NULL;
	ctrace_ident_unlock(flags);
	return c;
}

/* Namespace first, cgroup later: the namespace is left at once, the container stays until 2 s after both. */
static void one_dies(struct kunit *test)
{
	alias(&box_a, &ns1);
	alias(&box_a, &host);
	KUNIT_EXPECT_EQ(test, ns1.refs, 3);	/* container, owner's node, alias */
	reap_after(1000);
	KUNIT_EXPECT_EQ(test, ctrace_container_count(), 1u);
	ns1.closed = true;
	ctrace_learn_init_exits(&rules, &ns1);
	reap_after(50);
	KUNIT_EXPECT_EQ(test, ctrace_container_count(), 1u);
	KUNIT_EXPECT_EQ(test, next_look, jiffies + QUICK);
	ns1.empty = true;
	reap_after(50);
	KUNIT_EXPECT_EQ(test, ctrace_container_count(), 0u);
	KUNIT_EXPECT_EQ(test, ns1.refs, 0);
	KUNIT_EXPECT_PTR_EQ(test, ctrace_container_find_get(1), known[0]);
	ctrace_container_put(known[0]);
	/* it rests as long as its cgroup exists, for which nobody hurries */
	reap_after(60000);
	reap_after(60000);
	KUNIT_EXPECT_EQ(test, next_look, jiffies + SLOW);
	KUNIT_EXPECT_PTR_EQ(test, ctrace_cids_find(1), known[0]);
	remove_cg(&box_a);
	known[0]->gone = ctrace_compat_clock();
	reap_after(50);
	KUNIT_EXPECT_PTR_EQ(test, ctrace_cids_find(1), known[0]);
	reap_after(2100);
	KUNIT_EXPECT_NULL(test, ctrace_cids_find(1));
	KUNIT_EXPECT_EQ(test, held, 0u);
	KUNIT_EXPECT_EQ(test, rules.nr_aliases, 0u);
	KUNIT_EXPECT_EQ(test, atomic_read(&rules.nodes.nr_taken), 0);
	KUNIT_EXPECT_TRUE(test, list_empty(&swept));
}

/* Watchers hear of each second once, however often there is something to do; and get no request for more. */
static void beat(struct kunit *test)
{
	u32 i, was;

	KUNIT_EXPECT_EQ(test, CID(&box_a, &host), 1u);
	was = nr_changed;
	remove_cg(&box_a);
	for (i = 0; i < 100; i++)
		reap_after(50);
	KUNIT_EXPECT_NULL(test, ctrace_cids_find(1));
	KUNIT_EXPECT_EQ(test, nr_changed, was);
	KUNIT_EXPECT_TRUE(test, nr_beats >= 4 && nr_beats <= 6);
	KUNIT_EXPECT_EQ(test, beats, nr_beats);
}

/* The owner of a pid namespace gets a notice of its end; others that share it are found by the slow walk. */
static void shared(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, CID(&box_a, &ns1), 1u);
	KUNIT_EXPECT_EQ(test, ask(&box_b, &ns1, true)->cid, 2u);
	KUNIT_EXPECT_PTR_EQ(test, known[1]->ns, &ns1);
	KUNIT_EXPECT_EQ(test, ns1.refs, 3);
	ns1.closed = ns1.empty = true;
	reap_after(50);
	KUNIT_EXPECT_EQ(test, ctrace_container_count(), 0u);
	KUNIT_EXPECT_EQ(test, ns1.refs, 0);
	remove_cg(&box_b);
	remove_cg(&box_a);
	reap_after(2100);
	reap_after(2100);
	KUNIT_EXPECT_EQ(test, held, 0u);
}

/* A part ends with its container, or alone with the target that chose it. */
static void parts_end(struct kunit *test)
{
	struct ctrace_named n = { .key = ctrace_key(0, 2), .want = 1 };
	struct ctrace_place p = { .cg = { &box_a }, .ns = &ns1 };
	struct ctrace_container *c, *part;
	unsigned long flags;

	ctrace_rules_name(&rules, &n);
	c = ask(&box_a, &ns1, false);
	preempt_disable();
	part = ctrace_rules_part(&rules, &p, c, true);
	preempt_enable();
	KUNIT_ASSERT_NOT_NULL(test, part);
	KUNIT_EXPECT_EQ(test, nr_parts(), 1u);
	reap_after(50);
	KUNIT_EXPECT_EQ(test, nr_parts(), 1u);
	ctrace_ident_lock(&flags);
	ctrace_rules_unname(&rules, &n);
	ctrace_parts_take_back(1);
	ctrace_learn_forget(&rules);
	ctrace_parts_unchoose(c, 1);
	ctrace_ident_unlock(flags);
	reap_after(50);
	KUNIT_EXPECT_EQ(test, nr_parts(), 0u);
	KUNIT_EXPECT_TRUE(test, list_empty(&c->parts));
	KUNIT_EXPECT_PTR_EQ(test, c->node->val, c);
	ctrace_rules_name(&rules, &n);
	preempt_disable();
	part = ctrace_rules_part(&rules, &p, c, true);
	preempt_enable();
	KUNIT_ASSERT_NOT_NULL(test, part);
	remove_cg(&box_a);
	ns1.closed = ns1.empty = true;
	reap_after(50);
	reap_after(2100);
	reap_after(50);
	KUNIT_EXPECT_EQ(test, held, 0u);
	KUNIT_EXPECT_EQ(test, nr_parts(), 0u);
	KUNIT_EXPECT_TRUE(test, list_empty(&swept));
	ctrace_rules_unname(&rules, &n);
}

/* Whom the price of a cid was too high has one when time has filled his bucket, though nothing dies. */
static void asks_again(struct kunit *test)
{
	last_cid = CTRACE_CID_LAST - 4096;	/* one costs more than an hour */
	ctrace_container_refill();
	KUNIT_EXPECT_EQ(test, CID(&box_a, &ns1), CTRACE_CID_LAST - 4095);
	alias(&inner, &host);
	KUNIT_EXPECT_PTR_EQ(test, remembered_now(&inner, &host), &ctrace_container_unknown);
	kernel_clock_ahead += 20000 * NSEC_PER_SEC;
	reap_after(1000);
	KUNIT_EXPECT_PTR_EQ(test, remembered_now(&inner, &host), &ctrace_container_unknown);
	reap_after(5000);
	KUNIT_EXPECT_PTR_EQ(test, remembered_now(&inner, &host), NULL);
	KUNIT_EXPECT_EQ(test, CID(&inner, &host), CTRACE_CID_LAST - 4094);
	reap_after(5000);
	KUNIT_EXPECT_FALSE(test, rules.refused);
}

static u64 cpu_us(void)
{
	return kernel_ns() / 1000;
}

/* 40,000 containers of each of two users: a look costs next to nothing while all live, and all can die. */
static void many(struct kunit *test)
{
	enum { N = 40000 };	/* each may have a third of the room */
	static struct cg boxes[2 * N];
	static char names[2 * N][65];
	struct cg users = { "user.slice", &root, 1000001 };
	struct cg user[2] = { { "user-1.slice", &users, 1000002 }, { "user-2.slice", &users, 1000003 } };
	u64 took, seen = 0;
	struct ctrace_container *c;
	u32 i, rounds;

	for (i = 0; i < 2 * N; i++) {
		snprintf(names[i], sizeof(names[i]), "%064x", i);
		boxes[i] = (struct cg){ names[i], &user[i & 1], 2000000 + i };
		if (i % 100 == 0) {
			ctrace_container_refill();
			ctrace_lfpool_refill(&rules.nodes);
		}
		KUNIT_ASSERT_EQ(test, CID(&boxes[i], &host), i + 1);
	}
	while (ctrace_container_announce())
		;
	took = cpu_us();
	for (c = ctrace_container_next(NULL); c; c = ctrace_container_next(c))
		seen++;
	took = cpu_us() - took;
	KUNIT_EXPECT_EQ(test, seen, 2ull * N + 1);
	printf("# %u containers: a walk over all %llu us\n", 2 * N, (unsigned long long)took);
	kernel_irqsoff = 0;
	took = cpu_us();
	for (i = 0; i < 20; i++)
		reap_after(50);
	printf("# a second's looks while all live: %llu us, longest with interrupts off %llu ns\n",
	       (unsigned long long)(cpu_us() - took), (unsigned long long)kernel_irqsoff);
	kernel_irqsoff = 0;
	took = cpu_us();
	for (i = 0; i < 2 * N; i++)
		remove_cg(&boxes[i]);
	printf("# all removed: %llu us, longest with interrupts off %llu ns\n",
	       (unsigned long long)(cpu_us() - took), (unsigned long long)kernel_irqsoff);
	kernel_irqsoff = 0;
	took = cpu_us();
	for (rounds = 0; held && rounds < 10; rounds++) {
		while (ctrace_container_announce())
			;
		reap_after(2100);
	}
	took = cpu_us() - took;
	printf("# all swept: %llu us, longest with interrupts off %llu ns\n", (unsigned long long)took,
	       (unsigned long long)kernel_irqsoff);
	nothing_charged(test);
	KUNIT_EXPECT_EQ(test, atomic_read(&rules.nodes.nr_taken), 0);
	/* in slices: a whole list or table under the lock would be most of it, on a busy machine, too */
	KUNIT_EXPECT_GT(test, took * 1000 / 20, kernel_irqsoff);
}

#define SECTION	(16 * 16u)	/* steps with interrupts off: 16 containers, and what each takes */

/* Namespaces whose init is exiting, for as long as a tracer outside keeps a zombie of each: looked at some at a time, with rests. */
static void closed_not_empty(struct kunit *test)
{
	enum { N = 60000 };
	static struct ns nss[N];
	u64 took;
	u32 i;

	for (i = 0; i < N; i++) {
		nss[i] = (struct ns){ &host, { &shell }, .inum = 100 + i };
		if (i % 100 == 0) {
			ctrace_container_refill();
			ctrace_lfpool_refill(&rules.nodes);
		}
		KUNIT_ASSERT_EQ(test, CID(&shell, &nss[i]), i + 1);
	}
	while (ctrace_container_announce())
		;
	kernel_most_steps = 0;
	for (i = 0; i < N; i++) {
		unsigned long flags;

		nss[i].closed = true;
		ctrace_ident_lock(&flags);
		ctrace_learn_init_exits(&rules, &nss[i]);
		ctrace_ident_unlock(flags);
	}
	for (i = 0; i < 3; i++) {
		took = ctrace_compat_clock();
		reap_after(1000);
		took = ctrace_compat_clock() - took;
		KUNIT_EXPECT_EQ(test, ctrace_container_count(), (u32)N);
		/* a twentieth of a CPU: half of the look's time is its own */
		KUNIT_EXPECT_GT(test, (next_look - jiffies) * NSEC_PER_MSEC, min(4 * took, 900 * NSEC_PER_MSEC));
	}
	printf("# %u closed, not empty: a look took %llu us, %llu steps at most with interrupts off\n", N,
	       (unsigned long long)took / 1000, (unsigned long long)kernel_most_steps);
	KUNIT_EXPECT_GT(test, SECTION, kernel_most_steps);
	for (i = 0; i < N; i++)
		nss[i].empty = true;
	for (i = 0; held && i < 10; i++) {
		reap_after(2100);
		while (ctrace_container_announce())
			;
	}
	KUNIT_EXPECT_GT(test, SECTION, kernel_most_steps);
	nothing_charged(test);
}

/* A container's network namespaces, whether it dies or another takes over its cgroups. */
static void many_nets(struct kunit *test)
{
	enum { N = 60000 };
	static struct ctrace_netns nets[N];
	unsigned long flags;
	u32 i;

	KUNIT_EXPECT_EQ(test, CID(&box_a, &ns1), 1u);
	for (i = 0; i < N; i++) {
		nets[i] = (struct ctrace_netns){ .c = known[0] };
		ctrace_ident_lock(&flags);
		hlist_add_head(&nets[i].of, &known[0]->nets);
		ctrace_ident_unlock(flags);
	}
	kernel_most_steps = 0;
	/* its init has gone, but not all its processes; another namespace takes its place */
	ns1.closed = true;
	ns3.init_at[0] = &box_a;
	KUNIT_EXPECT_EQ(test, CID(&box_a, &ns3), 2u);
	KUNIT_EXPECT_TRUE(test, known[0]->taken_over);
	ns1.empty = true;
	reap_after(50);
	for (i = 0; ctrace_cids_find(1) && i < 10; i++)
		reap_after(2100);
	KUNIT_EXPECT_NULL(test, ctrace_cids_find(1));
	for (i = 0; i < N && nets[i].c == known[1]; i++)
		;
	KUNIT_EXPECT_EQ(test, i, (u32)N);
	ns3.closed = ns3.empty = true;
	remove_cg(&box_a);
	for (i = 0; held && i < 10; i++)
		reap_after(2100);
	for (i = 0; i < N && !nets[i].c; i++)
		;
	KUNIT_EXPECT_EQ(test, i, (u32)N);
	printf("# %u network namespaces: %llu steps at most with interrupts off\n", N, (unsigned long long)kernel_most_steps);
	KUNIT_EXPECT_GT(test, SECTION, kernel_most_steps);
	nothing_charged(test);
}

static u32 nr_told;
static u64 most_told;

static void count_told(struct ctrace_container *c, bool born)
{
	nr_told += !born;
}

/*
 * More deaths than are announced in one go: the dead are looked for in between, and freed once they are all
 * announced.
 */
static void announced_in_turn(struct kunit *test)
{
	static const struct ctrace_container_watcher teller = { .born = count_born, .told = count_told };
	static const struct ctrace_container_watcher *const tellers[] = { &teller, NULL };
	enum { N = 2000 };
	static struct cg boxes[N];
	static char names[N][65];
	u32 i;

	watchers = tellers;
	nr_told = 0;
	for (i = 0; i < N; i++) {
		snprintf(names[i], sizeof(names[i]), "%064x", i);
		boxes[i] = (struct cg){ names[i], &shell, 1000 + i };
		if (i % 100 == 0) {
			ctrace_container_refill();
			ctrace_lfpool_refill(&rules.nodes);
		}
		KUNIT_ASSERT_EQ(test, CID(&boxes[i], &host), i + 1);
	}
	for (i = 0; i < N; i++)
		remove_cg(&boxes[i]);
	reap_after(2100);
	most_told = nr_told;
	/* the births come first: so not one death has been announced yet, and not one container is freed */
	KUNIT_EXPECT_EQ(test, nr_told, 0u);
	KUNIT_EXPECT_EQ(test, held, (u32)N);
	for (i = 0; held && i < 100; i++) {
		reap_after(2100);
		KUNIT_EXPECT_GT(test, 2 * NEWS + 1, nr_told - most_told);
		KUNIT_EXPECT_GT(test, held + nr_told + 1, (u32)N);
		most_told = nr_told;
	}
	KUNIT_EXPECT_EQ(test, nr_told, (u32)N);
	nothing_charged(test);
	watchers = told;
}

static struct kunit_case cases[] = {
	KUNIT_CASE(one_dies),
	KUNIT_CASE(beat),
	KUNIT_CASE(shared),
	KUNIT_CASE(parts_end),
	KUNIT_CASE(asks_again),
	KUNIT_CASE(many),
	KUNIT_CASE(closed_not_empty),
	KUNIT_CASE(many_nets),
	KUNIT_CASE(announced_in_turn),
	{}
};

static struct kunit_suite suite = {
	.name = "gc",
	.init = gc_begin,
	.exit = gc_end,
	.test_cases = cases,
};
kunit_test_suite(suite);
