/* SPDX-License-Identifier: GPL-2.0-only */
/* Made-up cgroups, pid namespaces and containers, under the real rules of identity. */
#ifndef CTRACE_MADE_UP_H
#define CTRACE_MADE_UP_H

#include <kunit/test.h>
#include <linux/module.h>
#include <linux/slab.h>
#include "identity/learn.c"
#include "identity/lftable.c"
#include "identity/look.c"
#include "identity/rules.c"
#include "identity/runtime_name.c"

/* --- container.c's functions, without its pool and its work ------------------ */

struct ctrace_container ctrace_container_host = {
	.ns_fixed = true, .parts = LIST_HEAD_INIT(ctrace_container_host.parts),
};
static struct ctrace_container *made[64];
static u32 nr_made, pool_left, nr_gone;

struct ctrace_container *ctrace_container_new(void)
{
	struct ctrace_container *c;

	if (!pool_left || nr_made == ARRAY_SIZE(made))
		return NULL;
	pool_left--;
	c = kzalloc(sizeof(*c), GFP_ATOMIC);
	if (c) {
		made[nr_made++] = c;
		c->cid = nr_made;
		INIT_LIST_HEAD(&c->parts);
	}
	return c;
}

static struct ctrace_container *parts_made[16];
static u32 nr_parts;

struct ctrace_container *ctrace_part_new(struct ctrace_container *base, u32 want, u32 deny)
{
	struct ctrace_container *c;

	if (!pool_left || nr_parts == ARRAY_SIZE(parts_made))
		return NULL;
	pool_left--;
	c = kzalloc(sizeof(*c), GFP_ATOMIC);
	if (c) {
		parts_made[nr_parts++] = c;
		c->cid = base->cid;
		c->base = base;
		c->want = want;
		c->deny = deny;
	}
	return c;
}

void ctrace_container_publish(struct ctrace_container *c, struct ctrace_container *parent)
{
	c->wanted = parent->wanted;
}

void ctrace_container_inherit(struct ctrace_container *c, const struct ctrace_container *in)
{
	c->wanted |= in->wanted;
}

void ctrace_container_changed(struct ctrace_container *c)
{
}

void ctrace_container_gone(struct ctrace_container *c)
{
	if (!c->gone)
		nr_gone++;
	c->gone = 1;
}

/* --- the world --------------------------------------------------------------- */

struct cg {
	const char *name;
	struct cg *parent;
	u64 id;
	u32 hierarchy;
	bool offline;
};

struct ns {
	struct ns *parent;
	struct cg *init_at[2];
	bool closed;
	u32 inum;
	int refs;
};

static const void *fake_parent(const void *cg) { return ((const struct cg *)cg)->parent; }
static u64 fake_id(const void *cg) { return ((const struct cg *)cg)->id; }
static u32 fake_hierarchy(const void *cg) { return ((const struct cg *)cg)->hierarchy; }
static const char *fake_name(const void *cg) { return ((const struct cg *)cg)->name; }
static bool fake_online(const void *cg) { return !((const struct cg *)cg)->offline; }
static const void *fake_ns_parent(const void *ns) { return ((const struct ns *)ns)->parent; }
static bool fake_closed(const void *ns) { return ((const struct ns *)ns)->closed; }
static u32 fake_inum(const void *ns) { return ((const struct ns *)ns)->inum; }
static void fake_get(const void *ns) { ((struct ns *)ns)->refs++; }
static void fake_put(const void *ns) { ((struct ns *)ns)->refs--; }

static bool fake_init(const void *ns, struct ctrace_place *at, s32 *pid)
{
	const struct ns *n = ns;

	if (!n->init_at[0])
		return false;
	*at = (struct ctrace_place){ .cg = { n->init_at[0], n->init_at[1] }, .ns = ns };
	*pid = n->inum;
	return true;
}

static const struct ctrace_view fake = {
	fake_parent, fake_id, fake_hierarchy, fake_name, fake_online,
	fake_ns_parent, fake_closed, fake_init, fake_inum, fake_get, fake_put,
};

#define HEX_A "aaaaaaaaaaaaaaaa0123456789abcdef0123456789abcdef0123456789abcdef"
#define HEX_B "bbbbbbbbbbbbbbbb0123456789abcdef0123456789abcdef0123456789abcdef"

static struct ctrace_rules rules;
static u32 forgotten;
static struct cg root, shell, box_a, sub_a, box_b, inner, plain;
static struct ns host, ns1, ns2, ns3;

static void forgot(void)
{
	forgotten++;
}

static int world_init(struct kunit *test)
{
	root = (struct cg){ "", NULL, 1 };
	shell = (struct cg){ "user.slice", &root, 2 };
	box_a = (struct cg){ "docker-" HEX_A ".scope", &shell, 3 };
	sub_a = (struct cg){ "init.scope", &box_a, 4 };
	box_b = (struct cg){ "docker-" HEX_B ".scope", &shell, 5 };
	inner = (struct cg){ HEX_B, &sub_a, 6 };
	plain = (struct cg){ "c1", &root, 7 };
	host = (struct ns){ .inum = 1, .init_at = { &root } };
	ns1 = (struct ns){ &host, .inum = 2, .init_at = { &box_a } };
	ns2 = (struct ns){ &ns1, .inum = 3, .init_at = { &sub_a } };
	ns3 = (struct ns){ &host, .inum = 4, .init_at = { &box_b } };
	nr_made = nr_parts = nr_gone = forgotten = 0;
	pool_left = 32;
	return ctrace_rules_init(&rules, &fake, forgot, 256);
}

static void world_exit(struct kunit *test)
{
	u32 i;

	ctrace_rules_exit(&rules);
	for (i = 0; i < nr_made; i++) {
		if (made[i]->ns)
			fake_put(made[i]->ns);
		/* every node has put its container */
		KUNIT_EXPECT_EQ(test, atomic_read(&made[i]->refs), 0);
		kfree(made[i]);
	}
	for (i = 0; i < nr_parts; i++) {
		KUNIT_EXPECT_EQ(test, atomic_read(&parts_made[i]->refs), 0);
		kfree(parts_made[i]);
	}
	KUNIT_EXPECT_EQ(test, ns1.refs, 0);
	KUNIT_EXPECT_EQ(test, ns2.refs, 0);
	KUNIT_EXPECT_EQ(test, ns3.refs, 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&rules.nodes.nr_taken), 0);
}

static struct ctrace_container *ask(struct cg *cg, struct ns *ns, bool exec)
{
	struct ctrace_place p = { .cg = { cg }, .ns = ns, .exec = exec };
	struct ctrace_container *c;

	preempt_disable();
	c = ctrace_rules_decide(&rules, &p, true);
	preempt_enable();
	return c;
}

#define CID(cg, ns) ({ struct ctrace_container *_c = ask(cg, ns, false); _c ? _c->cid : ~0u; })

#endif
