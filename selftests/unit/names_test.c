// SPDX-License-Identifier: GPL-2.0-only
/* Names of containers, found in a tree of the runtimes' state files (fixtures/names). */
#include <stdio.h>
#include <stdlib.h>
#include "names/ctable.h"
#include "ktap.h"
#include "names/names.h"

static struct names *names;

static void by_id(char digit, const char *name, const char *runtime)
{
	struct ctrace_container c = { .cid = 5 };
	const struct name_entry *e;

	memset(c.runtime_id, digit, 64);
	e = names_lookup(names, &c);
	check_str(e ? e->name : "(none)", name);
	check_str(e ? e->runtime : "(none)", runtime);
}

static void by_path(const char *path, uint32_t pid, const char *name)
{
	struct ctrace_container c = { .cid = 5, .init_pid = pid };
	const struct name_entry *e;

	snprintf(c.path, sizeof(c.path), "%s", path);
	e = names_lookup(names, &c);
	check_str(e ? e->name : "(none)", name);
}

static void podman(void)
{
	by_id('a', "web", "podman");
	by_id('c', "short-lived", "podman");
	by_id('d', "on-vfs", "podman");
	by_id('e', "elsewhere", "podman");
	by_id('f', "anns", "podman");
	by_id('7', "own-store", "podman");
}

static void docker(void)
{
	by_id('1', "nginx", "docker");
	by_id('2', "(none)", "(none)");
}

static void cri(void)
{
	by_id('3', "cart-1/app", "containerd");
	by_id('4', "cart-1", "containerd");
	by_id('5', "shop-0/app", "cri-o");
	by_id('6', "wiki", "containerd");
}

static void bare(void)
{
	by_path("/bench/c1", 0, "bare");
	by_path("/bench/c2", 0, "two");
	by_path("/bench/c3", 0, "three");
	by_path("/bench/c4", 0, "four");
	by_path("/default/redis", 0, "redis");
	by_path("/user.slice/mine", 0, "mine");
}

static void nobody(void)
{
	struct ctrace_container host = { .cid = CTRACE_CID_HOST, .init_pid = 501 };

	by_id('b', "(none)", "(none)");
	by_id('0', "(none)", "(none)");
	by_path("/bench", 0, "(none)");
	by_path("/", 0, "(none)");
	by_path("", 0, "(none)");
	/* The pid is in a state file whose container had another cgroup. */
	by_path("/other", 501, "(none)");
	check(!names_lookup(names, &host));
}

static void nothing_there(void)
{
	struct names *none = names_new("/nonexistent");

	names_refresh(none);
	check_eq(none->n, 0);
	names_free(none);
}

static void label(const struct ctrace_container *c, const char *want)
{
	struct ctable *t = ctable_new(NULL);

	/* as the kernel would have reported it */
	ctable_add(t, c, "", "", false);
	free(ctable_get(t, c->cid)->label);
	ctable_get(t, c->cid)->label = NULL;
	check_str(ctable_get(t, c->cid)->label, want);
	ctable_free(t);
}

static void stand_ins(void)
{
	struct ctrace_container c = { .cid = 9, .cgroup_id = 77 };

	label(&(struct ctrace_container){ .cid = 0 }, "host");
	label(&(struct ctrace_container){ .cid = 9 }, "cid-9");
	label(&(struct ctrace_container){ .cid = 9, .pidns = 4026532001u, .path = "/user.slice" },
	      "pidns-4026532001");
	strcpy(c.path, "/system.slice/sshd.service");
	label(&c, "sshd.service");
	strcpy(c.path, "/lxc.payload.box");
	label(&c, "box");
	strcpy(c.path, "/machine.slice/machine-deb.scope");
	label(&c, "deb");
	memset(c.runtime_id, 'a', 64);
	label(&c, "aaaaaaaaaaaa");
}

static const struct ktap_case cases[] = {
	{ "podman: storage, --rm, vfs, storage.conf, rootless, --root", podman },
	{ "docker, and a file cut short", docker },
	{ "CRI-O, containerd, nerdctl", cri },
	{ "crun, runc, ctr without ids: by cgroup", bare },
	{ "no name where there is none", nobody },
	{ "no state at all", nothing_there },
	{ "what stands in for a name", stand_ins },
};

int main(void)
{
	int failed;

	names = names_new(FIXTURES "/names");
	names_refresh(names);
	failed = ktap_run(cases, sizeof(cases) / sizeof(cases[0]));
	names_free(names);
	return failed;
}
