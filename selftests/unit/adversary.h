/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A stranger's machine, made up from a few numbers (genes): trees of cgroups in some hierarchies, with names of some
 * kind; pid namespaces in each other, whose inits are here and there; and what is done in it, one operation after
 * another. The rules of identity are the real ones, and so is the garbage collector.
 *
 * A stranger chooses all of it: how deep, how long the names are and what they say, how many namespaces, where their
 * inits are, and in which order things are seen.
 */
#ifndef CTRACE_UNIT_ADVERSARY_H
#define CTRACE_UNIT_ADVERSARY_H

#include "kernel/steps.h"
#define CTRACE_UNIT_PUT_PID_NS
#include "../../module/kunit/made_up.h"
#include "identity/identity_internal.h"
#include "compat/pidns.h"
#include "identity/gc.c"

/* The kernel here reports every move. */
void ctrace_identity_moves_beat(void)
{
}

enum {
	V1 = 12,		/* hierarchies besides v2, as many as machines have */
	BRANCHES = 3,		/* of each hierarchy's tree: the trunk, and two that leave it */
	DEPTH = 1100,		/* levels of a branch: more than are looked at, and more than are climbed */
	NAMESPACES = 32,	/* as many as the kernel nests */
	OPS = 8,
};

enum op {
	DECIDE,			/* a task is seen at a place for the first time, is moved there, forked there */
	EXECS,			/* it executes a program, with mounts of its own */
	CGROUP_NS,		/* the same, and its cgroup namespace begins at another cgroup */
	INIT_EXECS,		/* as a namespace's init */
	OF_CGROUP,		/* an event of a cgroup, without a task */
	RMDIR,
	NAME,			/* a session names a cgroup */
	POOL_EMPTY,		/* so much is made at once that little is left in the pools */
	REAP,			/* the garbage collector comes, which fills the pools, too */
	NR_OPS,
};

struct genes {
	u8 nr_v1;		/* how many v1 hierarchies there are */
	u8 dfl;			/* has v2 cgroups besides its root? */
	u8 climbs;		/* the kernel has no array of ancestors: each is climbed to */
	u16 depth[BRANCHES];
	u8 leaves_at[BRANCHES];	/* the level of the trunk where the branch begins */
	u8 plain[BRANCHES], special[BRANCHES];	/* kinds of names */
	u8 every[BRANCHES];	/* which levels have the special name; 0: none */
	u8 shift;		/* a branch begins so much later in each further hierarchy */
	u8 nr_ns;
	struct { u8 branch, at; } init[NAMESPACES];	/* of each namespace: 255: it has none. at: 255ths of the branch */
	struct { u8 op, branch, at, ns; } ops[OPS];
};

struct tcg {
	const char *name;
	struct tcg *parent;
	u64 id;
	u32 hierarchy;
	int level;
	bool offline;
	struct tcg *at_depth, *at_two;	/* its ancestors at CTRACE_CGROUP_DEPTH and at 2, if it is deeper */
};

struct tns {
	struct ns ns;		/* first: compat/pidns.h looks at it */
	struct ctrace_place at;
};

static struct tcg roots[1 + V1], tree[1 + V1][BRANCHES][DEPTH];
static struct tns spaces[NAMESPACES + 1];
static const struct genes *genes;

/* --- names -------------------------------------------------------------------------- */

#define HEX64	"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

/* With these ends, and 255 characters where something is between them. The middle is repeated. */
static const struct { const char *begin, *middle, *end; } kinds[] = {
	{ "short", "", "" },
	{ "", "x", "" },
	{ "", "-conmo", "" },
	{ "", ":kata_overhead", "" },
	{ "", ".slice:docker", "" },
	{ "a", ".slice:docker:", HEX64 },
	{ "docker", "-conmo", "-" HEX64 ".scope" },
	{ "docker-" HEX64 ".scope", "", "" },
	{ HEX64, "", "" },
	{ "machine-", "-conmo", ".scope" },
	{ "lxc.payload.", "-conmo", "" },
	{ "systemd-nspawn@", ":slice", ".service" },
	{ "libpod-", "", HEX64 },
};
static char names[ARRAY_SIZE(kinds)][256];
static const char no_name[256];

static void make_names(void)
{
	size_t i, n, end, m;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		end = strlen(kinds[i].end);
		n = snprintf(names[i], 256, "%s", kinds[i].begin);
		m = strlen(kinds[i].middle);
		for (; m && n + end + m <= 255; n += m)
			memcpy(names[i] + n, kinds[i].middle, m);
		snprintf(names[i] + n, 256 - n, "%s", kinds[i].end);
	}
}

/* --- the view ------------------------------------------------------------------------ */

static const void *t_parent(const void *cg) { return ((const struct tcg *)cg)->parent; }
static u64 t_id(const void *cg) { return ((const struct tcg *)cg)->id; }
static u32 t_hierarchy(const void *cg) { return ((const struct tcg *)cg)->hierarchy; }
static bool t_online(const void *cg) { return !((const struct tcg *)cg)->offline; }
static const char *t_name(const void *cg, char *buf)
{
	const struct tcg *of = cg;
	int i;

	if (!of->hierarchy)
		return of->name;
	/* as compat/cgroup.c, a word at a time: v1's may be renamed. It is as long as its kind says */
	for (i = 0; i < CTRACE_CGROUP_NAME && (!i || !memchr(buf + i - 8, 0, 8)); i += 8)
		memcpy(buf + i, of->name + i, 8);
	return buf;
}

static const void *t_ns_parent(const void *ns) { return ((const struct tns *)ns)->ns.parent; }

/* In both ways of compat/cgroup.h. */
static const void *t_ancestor(const void *of, int level)
{
	const struct tcg *cg = of, *above = of;
	int i;

	if (!genes->climbs && cg->level <= level)
		return cg;
	if (!genes->climbs && (level == CTRACE_CGROUP_DEPTH || level == 2))
		return level == 2 ? cg->at_two : cg->at_depth;
	for (i = 0; above && i <= level; i++)
		above = above->parent;
	for (i = 0; above && i < 1024; i++) {
		above = above->parent;
		cg = cg->parent;
	}
	return above ? NULL : cg;
}

static bool t_init(const void *ns, struct ctrace_place *at, s32 *pid)
{
	const struct tns *t = ns;
	int i;

	if (!t->at.cg[0])
		return false;
	for (i = 0; t->at.cg[i]; i++)
		at->cg[i] = t->at.cg[i];
	at->cg[i] = NULL;
	at->ns = ns;
	at->exec = false;
	at->mnt = CTRACE_MNT_UNKNOWN;
	*pid = t->ns.inum;
	return true;
}

static const struct ctrace_kernel stranger = {
	t_parent, t_ancestor, t_id, t_hierarchy, t_name, t_online,
	t_ns_parent, fake_closed, t_init, fake_inum, fake_get, fake_put,
};

/* --- making it ------------------------------------------------------------------------ */

static void make_cg(struct tcg *cg, struct tcg *parent, const char *name, u32 hierarchy)
{
	static u64 ids = 1;

	cg->name = name;
	cg->parent = parent;
	cg->id = ids++;
	cg->hierarchy = hierarchy;
	cg->offline = false;
	cg->level = parent ? parent->level + 1 : 0;
	cg->at_depth = cg->level <= CTRACE_CGROUP_DEPTH ? cg : parent->at_depth;
	cg->at_two = cg->level <= 2 ? cg : parent->at_two;
}

static u32 branch_depth(int b)
{
	return min(genes->depth[b], (u16)DEPTH);
}

static void make_branch(int h, int b)
{
	u32 from = genes->leaves_at[b] + genes->shift * h, i, depth = branch_depth(b);
	struct tcg *up = &roots[h];
	bool special;

	if (b && branch_depth(0))
		up = &tree[h][0][from % branch_depth(0)];
	for (i = 0; i < depth; i++) {
		special = genes->every[b] && i % genes->every[b] == genes->every[b] - 1u;
		make_cg(&tree[h][b][i], up, names[(special ? genes->special[b] : genes->plain[b]) % ARRAY_SIZE(kinds)], h);
		up = &tree[h][b][i];
	}
}

static struct tcg *cg_at(int h, u8 branch, u8 at)
{
	u32 depth = branch_depth(branch % BRANCHES);

	return depth ? &tree[h][branch % BRANCHES][at * (depth - 1) / 255] : &roots[h];
}

static void place_at(struct ctrace_place *p, u8 branch, u8 at, const void *ns)
{
	int h, n = 1;

	p->cg[0] = genes->dfl || !genes->nr_v1 ? cg_at(0, branch, at) : &roots[0];
	for (h = 1; h <= genes->nr_v1; h++)
		if (cg_at(h, branch, at)->parent)
			p->cg[n++] = cg_at(h, branch, at);
	p->cg[n] = NULL;
	p->ns = ns;
	p->exec = false;
	p->mnt = NULL;
}

static struct tns *ns_at(u8 ns)
{
	return &spaces[genes->nr_ns ? ns % (genes->nr_ns + 1) : 0];
}

static void make_world(const struct genes *g)
{
	int h, b, i;

	genes = g;
	for (h = 0; h <= genes->nr_v1; h++) {
		make_cg(&roots[h], NULL, no_name, h);
		for (b = 0; b < BRANCHES; b++)
			make_branch(h, b);
	}
	for (i = 0; i <= genes->nr_ns; i++) {
		spaces[i] = (struct tns){ .ns = { .parent = i ? &spaces[i - 1].ns : NULL, .inum = i + 1 } };
		if (!i || genes->init[i - 1].branch != 255)
			place_at(&spaces[i].at, i ? genes->init[i - 1].branch : 0, i ? genes->init[i - 1].at : 0, NULL);
	}
}

#endif
