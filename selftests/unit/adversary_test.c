// SPDX-License-Identifier: GPL-2.0-only
/*
 * How long can a stranger make others wait for ident_lock, with interrupts off? The longest section is searched for on
 * made-up machines (adversary.h), by steps (kernel/steps.h), from directed beginnings and at random: what is changed at
 * random stays if the longest section gets no shorter.
 *
 *	adversary_test [-s SEED] [-n TRIES]	searches
 *	adversary_test -g GENES			runs what a search has found, and printed, once more
 */
#include "adversary.h"

/* Steps of one section. The worst that searches have found is some 62,000. */
#define BUDGET	90000ul

void put_pid_ns(struct pid_namespace *ns)
{
	fake_put(ns);
}

void ctrace_identity_forget_dying(void)
{
}

void ctrace_identity_refresh(void)
{
}

/* --- sections -------------------------------------------------------------------------- */

static unsigned long began_at, longest;
static u64 began_ns, longest_ns;
static int op_now, op_longest;
static bool timed;

/* The least of many runs counts, so this clock does, which costs little. */
static u64 now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * NSEC_PER_SEC + t.tv_nsec;
}

/* In a kernel the tables' memory is present from the beginning. */
static void touch(struct ctrace_lftable *t)
{
	memset(t->heads, 0, sizeof(*t->heads) << t->bits);
}

static void section(bool begins)
{
	unsigned long steps = traced_steps - began_at;
	u64 took;

	if (begins) {
		began_ns = timed ? now_ns() : 0;
		began_at = traced_steps;
		return;
	}
	if (timed) {
		took = now_ns() - began_ns;
		if (took > longest_ns)
			longest_ns = took;
	}
	if (steps > longest) {
		longest = steps;
		op_longest = op_now;
	}
}

/* --- operations, as identity.c, scan.c, hooks.c and cgroup.c do them ---------------------- */

static void see(const struct ctrace_place *p)
{
	u64 v2 = ctrace_look_key(&rules, p->cg[0]), v1 = p->cg[1] ? ctrace_look_key(&rules, p->cg[1]) : 0;
	struct ctrace_container *c;
	struct ctrace_question q;
	int sections = CTRACE_SECTIONS;
	unsigned long flags;
	bool again;

	do {
		q.p.at = *p;
		ctrace_rules_look(&rules, &q);
		ctrace_ident_lock(&flags);
		c = ctrace_rules_learn(&rules, &q);
		again = rules.again;
		if (c)
			c = ctrace_rules_part(&rules, &q.p.at, c, true);
		if (c)
			ctrace_learn_alias(&rules, v2, v1, p->ns, c);
		ctrace_ident_unlock(flags);
	} while (again && --sections);
}

static void cgroup_ns(const struct ctrace_place *p, u8 branch, u8 at)
{
	const void *of[1 + V1];
	int h, n = 0;

	for (h = 0; h <= genes->nr_v1; h++)
		if (cg_at(h, branch, at / 2)->parent)
			of[n++] = cg_at(h, branch, at / 2);
	ctrace_rules_cgroup_ns(&rules, p, of, n);
}

static struct ctrace_named named[OPS];

static void run_op(int i)
{
	u8 op = genes->ops[i].op % NR_OPS, branch = genes->ops[i].branch, at = genes->ops[i].at;
	struct tns *ns = ns_at(genes->ops[i].ns);
	struct ctrace_place p;
	unsigned long flags;

	op_now = op;
	place_at(&p, branch, at, ns);
	if (op != REAP && op != POOL_EMPTY && op != RMDIR && op != NAME && rules.nodes.want) {
		preempt_disable();
		if (op == OF_CGROUP) {
			struct ctrace_seen of = { .at.cg = { p.cg[p.cg[1] && at & 1] } };

			ctrace_look_names(&rules, &of);
			ctrace_ident_lock(&flags);
			ctrace_rules_cgroup(&rules, &of, true);
			ctrace_ident_unlock(flags);
		} else if (op == INIT_EXECS) {
			ctrace_ident_lock(&flags);
			ctrace_learn_init_execs(&rules, &p);
			ctrace_ident_unlock(flags);
		} else {
			if (op != DECIDE) {
				p.exec = op == EXECS;
				p.mnt = ns;
			}
			if (op == CGROUP_NS)
				cgroup_ns(&p, branch, at);
			see(&p);
		}
		preempt_enable();
		return;
	}
	switch (op) {
	case RMDIR:
		((struct tcg *)p.cg[0])->offline = true;
		ctrace_ident_lock(&flags);
		ctrace_learn_cgroup_gone(&rules, ctrace_look_key(&rules, p.cg[0]));
		ctrace_ident_unlock(flags);
		break;
	case NAME:
		if (named[i].key)
			break;
		named[i] = (struct ctrace_named){ .key = ctrace_look_key(&rules, p.cg[0]), .want = 1u << i };
		ctrace_ident_lock(&flags);
		ctrace_rules_name(&rules, &named[i]);
		ctrace_learn_forget(&rules);
		ctrace_ident_unlock(flags);
		break;
	case POOL_EMPTY:
		leave_in_pool(at % 4);
		break;
	case REAP:
		ctrace_container_refill();
		ctrace_lfpool_refill(&rules.nodes);
		jiffies += 2100;
		next_look = jiffies;
		reap_work(NULL);
		break;
	}
}

/* Returns the longest section's steps; 0: this machine was made wrongly. */
static unsigned long run(struct kunit *test, const struct genes *g)
{
	int i;

	make_world(g);
	INIT_LIST_HEAD(&waiting);
	INIT_LIST_HEAD(&swept);
	walked = 0;
	stopping = false;
	next_look = not_before = jiffies;
	KUNIT_ASSERT_EQ(test, containers_begin(told), 0);
	KUNIT_ASSERT_EQ(test, ctrace_rules_init(&rules, &stranger, forgot, 256), 0);
	touch(&rules.boundaries);
	touch(&rules.namespaces);
	touch(&rules.aliases);
	touch(&rules.parts);
	rules.v1 = g->nr_v1;
	memset(named, 0, sizeof(named));
	longest = 0;
	kernel_section = section;
	for (i = 0; i < OPS; i++)
		run_op(i);
	kernel_section = NULL;
	free_swept();
	for (i = 0; i < OPS; i++)
		if (named[i].key)
			ctrace_rules_unname(&rules, &named[i]);
	ctrace_rules_exit(&rules);
	containers_end(test, fake_put);
	for (i = 0; i <= g->nr_ns; i++)
		KUNIT_EXPECT_EQ(test, spaces[i].ns.refs, 0);
	return longest;
}

/* --- the search --------------------------------------------------------------------------- */

static u64 start = 1;	/* the same search each time, unless another seed is given */

static u32 pick(u32 n)
{
	start = start * 6364136223846793005ull + 1442695040888963407ull;
	return (u32)(start >> 33) % n;
}

static void change(struct genes *g)
{
	static const u16 depths[] = { 1, 2, 8, 30, 62, 64, 66, 128, 1000, 1090 };
	int b = pick(BRANCHES), i = pick(NAMESPACES), o = pick(OPS);

	switch (pick(12)) {
	case 0: g->nr_v1 = pick(3) ? pick(V1 + 1) : 0; break;
	case 1: g->dfl = pick(2); break;
	case 2: g->climbs = pick(2); break;
	case 3: g->depth[b] = depths[pick(ARRAY_SIZE(depths))]; break;
	case 4: g->leaves_at[b] = pick(62); break;
	case 5: g->plain[b] = pick(ARRAY_SIZE(kinds)); break;
	case 6: g->special[b] = pick(ARRAY_SIZE(kinds)); break;
	case 7: g->every[b] = pick(6); break;
	case 8: g->shift = pick(4); break;
	case 9: g->nr_ns = pick(2) ? NAMESPACES : pick(NAMESPACES + 1); break;
	case 10:
		for (; i < NAMESPACES; i += pick(8) + 1) {
			g->init[i].branch = pick(12) ? b : 255;
			g->init[i].at = pick(2) ? 255 : pick(256);
		}
		break;
	default:
		g->ops[o].op = pick(NR_OPS);
		g->ops[o].branch = b;
		g->ops[o].at = pick(2) ? 255 : pick(256);
		g->ops[o].ns = pick(2) ? g->nr_ns : pick(NAMESPACES);
	}
}

static void at_random(struct genes *g)
{
	int i;

	memset(g, 0, sizeof(*g));
	for (i = 0; i < 200; i++)
		change(g);
}

static void describe(const struct genes *g)
{
	int b, i;

	printf("#   v1 %u, v2 %u, climbs %u, shift %u, namespaces %u; branches:", g->nr_v1, g->dfl, g->climbs, g->shift, g->nr_ns);
	for (b = 0; b < BRANCHES; b++)
		printf(" %u levels from %u of %.16s, each %u. %.16s;", g->depth[b], g->leaves_at[b],
		       names[g->plain[b] % ARRAY_SIZE(kinds)], g->every[b], names[g->special[b] % ARRAY_SIZE(kinds)]);
	printf("\n#   operations:");
	for (i = 0; i < OPS; i++)
		printf(" %u@%u/%u ns %u;", g->ops[i].op % NR_OPS, g->ops[i].branch, g->ops[i].at, g->ops[i].ns);
	printf(" the longest in %d\n#   -g ", op_longest);
	for (i = 0; i < (int)sizeof(*g); i++)
		printf("%02x", ((const u8 *)g)[i]);
	printf("\n");
}

static unsigned long climb(struct kunit *test, struct genes *best, int tries)
{
	unsigned long most = run(test, best), steps;
	struct genes g;
	int i;

	while (tries--) {
		g = *best;
		for (i = pick(4) + 1; i; i--)
			change(&g);
		steps = run(test, &g);
		if (steps >= most) {
			most = steps;
			*best = g;
		}
	}
	return run(test, best);
}

static void report(struct kunit *test, const char *what, const struct genes *g)
{
	unsigned long steps;
	u64 least = ~0ull;
	int i;

	timed = true;
	for (i = 0; i < 50; i++) {
		longest_ns = 0;
		steps = run(test, g);
		if (longest_ns < least)
			least = longest_ns;
	}
	timed = false;
	printf("# %s: %lu steps, %llu.%llu us\n", what, steps, (unsigned long long)least / 1000,
	       (unsigned long long)least / 100 % 10);
	describe(g);
}

/* --- cases --------------------------------------------------------------------------------- */

static int tries = 20;
static struct genes given;
static bool have_given;

/*
 * Inits 62 levels deep, in a directory beside the cgroup of a container; then a task in the container's cgroup, in
 * the innermost of 31 namespaces. The names have 255 characters.
 */
static const struct genes deep_beside = {
	.depth = { 1, 61, 1 }, .plain = { 0, 1, 8 }, .nr_ns = 31,
	.init = { [0 ... NAMESPACES - 1] = { 1, 255 } },
	.ops = { { DECIDE, 2, 255, 31 } },
};

static void deep_and_beside(struct kunit *test)
{
	struct genes g = deep_beside;
	unsigned long steps = run(test, &g);

	report(test, "deep, beside", &g);
	KUNIT_EXPECT_GT(test, BUDGET, steps);
	g.nr_v1 = V1;
	g.dfl = 1;
	steps = run(test, &g);
	report(test, "the same in each hierarchy", &g);
	KUNIT_EXPECT_GT(test, BUDGET, steps);
}

/* An ordinary load, to compare. */
static void ordinary(struct kunit *test)
{
	struct genes g = {
		.depth = { 4 }, .every = { 4 }, .special = { 7 }, .nr_ns = 1, .init = { { 0, 255 } },
		.ops = { { DECIDE, 0, 255, 0 }, { DECIDE, 0, 255, 1 }, { EXECS, 0, 255, 1 } },
	};

	report(test, "ordinary", &g);
	KUNIT_EXPECT_GT(test, BUDGET, run(test, &g));
}

static void search(struct kunit *test)
{
	unsigned long most = 0, steps;
	struct genes g, worst = { 0 };
	int i;

	if (have_given) {
		report(test, "given", &given);
		return;
	}
	printf("# seed %llu\n", (unsigned long long)start);
	for (i = 0; i < 8; i++) {
		if (i == 0)
			g = deep_beside;
		else
			at_random(&g);
		steps = climb(test, &g, tries);
		if (steps > most) {
			most = steps;
			worst = g;
		}
		printf("# found: %lu steps\n", steps);
	}
	report(test, "worst of all", &worst);
	KUNIT_EXPECT_GT(test, BUDGET, most);
}

static u32 sections;

static void count(bool begins)
{
	sections += begins;
}

/* A program is executed in a container that is known, in its cgroup namespace: nobody else waits for that. */
static void ordinary_exec(struct kunit *test)
{
	const void *of[] = { &box_a };
	struct ctrace_place p = { .cg = { &sub_a }, .ns = &ns1, .exec = true };

	KUNIT_ASSERT_EQ(test, world_init(test), 0);
	KUNIT_EXPECT_EQ(test, CID(&box_a, &ns1), 1u);
	sections = 0;
	kernel_section = count;
	preempt_disable();
	ctrace_rules_cgroup_ns(&rules, &p, of, 1);
	KUNIT_EXPECT_TRUE(test, ctrace_rules_bounded(&rules, &p));
	KUNIT_EXPECT_EQ(test, sections, 0u);
	/* the first one, where the cgroup's name says nothing, does take the lock */
	of[0] = p.cg[0] = &plain;
	p.ns = &host;
	KUNIT_EXPECT_FALSE(test, ctrace_rules_bounded(&rules, &p));
	ctrace_rules_cgroup_ns(&rules, &p, of, 1);
	KUNIT_EXPECT_EQ(test, sections, 1u);
	ctrace_rules_cgroup_ns(&rules, &p, of, 1);
	KUNIT_EXPECT_EQ(test, sections, 1u);
	preempt_enable();
	kernel_section = NULL;
	world_exit(test);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(ordinary_exec),
	KUNIT_CASE(ordinary),
	KUNIT_CASE(deep_and_beside),
	KUNIT_CASE(search),
	{}
};

static int begin(struct kunit *test)
{
	make_names();
	return 0;
}

static struct kunit_suite suite = {
	.name = "adversary",
	.init = begin,
	.test_cases = cases,
};

static bool read_genes(const char *hex, struct genes *g)
{
	unsigned int byte;
	size_t i;

	for (i = 0; i < sizeof(*g); i++) {
		if (sscanf(hex + 2 * i, "%2x", &byte) != 1)
			exit(2);
		((u8 *)g)[i] = byte;
	}
	return true;
}

int main(int argc, char **argv)
{
	int opt;

	while ((opt = getopt(argc, argv, "s:n:g:")) != -1) {
		if (opt == 's')
			start = strtoull(optarg, NULL, 0);
		else if (opt == 'n')
			tries = atoi(optarg);
		else if (opt == 'g')
			have_given = read_genes(optarg, &given);
		else
			return 2;
	}
	return kunit_run(&suite);
}
