// SPDX-License-Identifier: GPL-2.0-only
/* Names of containers, found in a tree of the runtimes' state files (fixtures/names). */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "names/ctable.h"
#include "ktap.h"
#include "names/names.h"
#include "names_fixture.h"

static struct names *names;
static struct ctrace_container outer = { .cid = 3, .cgroup_id = 33, .path = "/docker/outer" };

static const struct ctrace_container *find(void *arg, uint32_t cid)
{
	(void)arg;
	return cid == outer.cid ? &outer : NULL;
}

static void check_name(const struct ctrace_container *c, const char *name, const char *runtime)
{
	const struct name_entry *e = names_lookup(names, c);

	check_str(e ? e->name : "(none)", name);
	if (runtime)
		check_str(e ? e->runtime : "(none)", runtime);
}

static void by_id(char digit, const char *name, const char *runtime)
{
	struct ctrace_container c = container(digit, "/system.slice/its.scope");

	check_name(&c, name, runtime);
}

static void by_path(const char *path, uint32_t pid, const char *name)
{
	struct ctrace_container c = { .cid = 5, .init_pid = pid };

	snprintf(c.path, sizeof(c.path), "%s", path);
	check_name(&c, name, NULL);
}

static void podman(void)
{
	by_id('a', "web", "podman");
	by_id('c', "short-lived", "podman");
	by_id('d', "on-vfs", "podman");
	by_id('e', "elsewhere", "podman");
	by_id('7', "own-store", "podman");
}

static void docker(void)
{
	by_id('1', "nginx", "docker");
	by_id('2', "(none)", "(none)");
}

/* In other places than /var/lib/docker. */
static void docker_moved(void)
{
	by_id('8', "moved", "docker");
	by_id('9', "by-argument", "docker");
	by_id('g', "snapped", "docker");
	/* its process is no dockerd */
	by_id('0', "(none)", "(none)");
}

static void machines(void)
{
	struct ctrace_container c = { .cid = 5, .init_pid = 4711, .path = "/system.slice/nsp.service/payload" };

	check_name(&c, "bootme", "nspawn");
	/* its init was not seen yet, or machined has not registered it: the unit has the name */
	c.init_pid = 0;
	check_name(&c, "bootme", "nspawn");
	strcpy(c.path, "/system.slice/xnsp.service/payload");
	check_name(&c, "(none)", NULL);
	c.init_pid = 4711;
	check_name(&c, "bootme", "nspawn");
	strcpy(c.path, "/user.slice/user-1001.slice/nsp.service/payload");
	check_name(&c, "(none)", NULL);
	c = (struct ctrace_container){ .cid = 5, .init_pid = 4712, .path = "/machine.slice/vm.scope" };
	check_name(&c, "(none)", NULL);
}

static void cri(void)
{
	by_id('h', "micro", "containerd");
	by_id('i', "zero", "containerd");
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
}

/*
 * podman run --cgroups=disabled: a runtime's file has its init and its id, podman's list a name for that id.
 */
static void no_cgroup(void)
{
	by_path("", 601, "no-cgroup");
	by_path("/", 601, "no-cgroup");
	/* this id has a name in a user's store alone */
	by_path("", 602, "yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy");
	by_path("", 603, "(none)");
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

/* A store of the system names only what the system made. */
static void impostors(void)
{
	static const char *const users[] = {
		"/user.slice/user-1001.slice/user@1001.service/app.slice/docker-x.scope",
		"/user.slice/user-1000.slice",
		"/machine.slice/user-7.slice/x",
		"/system.slice/given/docker-x.scope",
	};
	struct ctrace_container c;

	for (size_t i = 0; i < sizeof(users) / sizeof(users[0]); i++) {
		c = container('a', users[i]);
		check_name(&c, "(none)", NULL);
		c = container('1', users[i]);
		check_name(&c, "(none)", NULL);
	}
	/* root's slice is the system's */
	c = container('a', "/user.slice/user-0.slice/session-1.scope/x");
	check_name(&c, "web", NULL);
	/* in a cgroup of another container, whose parent the kernel knows or not */
	c = container('a', "/docker/outer/libpod-x");
	c.parent = outer.cid;
	check_name(&c, "(none)", NULL);
	c.parent = 4;
	check_name(&c, "(none)", NULL);
	/* it only shares that one's pid namespace */
	c = container('a', "/docker/sidecar");
	c.parent = outer.cid;
	check_name(&c, "web", NULL);
	strcpy(c.path, "/docker/outer2");
	check_name(&c, "web", NULL);
	c.hierarchy = 7;
	check_name(&c, "(none)", NULL);
	/* by cgroup and by pid, too */
	c = (struct ctrace_container){ .cid = 5, .parent = outer.cid, .path = "/bench/c1" };
	outer.path[1] = '\0';
	check_name(&c, "(none)", NULL);
	strcpy(outer.path, "/docker/outer");
}

/* A user's store names what is below that user's slice, and nothing else. */
static void users(void)
{
	struct ctrace_container c = container('f', "/user.slice/user-1000.slice/user@1000.service/x.scope");

	check_name(&c, "anns", "podman");
	strcpy(c.path, "/user.slice/user-1001.slice/user@1001.service/x.scope");
	check_name(&c, "(none)", NULL);
	strcpy(c.path, "/user.slice/user-1001.slice/user.slice/user-1000.slice/x.scope");
	check_name(&c, "(none)", NULL);
	strcpy(c.path, "/docker/x");
	check_name(&c, "(none)", NULL);
	/* root's web, which ann's store calls not-web, and something of hers with that id */
	c = container('a', "/system.slice/docker-x.scope");
	check_name(&c, "web", "podman");
	strcpy(c.path, "/user.slice/user-1000.slice/x.scope");
	check_name(&c, "not-web", "podman");
	/* the same as pod/container, which had the highest rank */
	c = container('1', "/system.slice/docker-x.scope");
	check_name(&c, "nginx", "docker");
	by_path("/user.slice/user-1000.slice/mine", 0, "mine");
	by_path("/user.slice/mine", 0, "(none)");
}

/* Two that live at one time have two labels. */
static void apart(void)
{
	struct ctable *t = fixture_table();
	struct ctrace_container c;

	put(t, 0, 0, "/");
	put(t, 7, 'a', "/docker/x");
	check_label(t, 7, "web");
	/* an impostor is called by its id, and the name stays */
	put(t, 8, 'a', "/user.slice/user-1001.slice/libpod-x.scope");
	check_label(t, 8, "aaaaaaaaaaaa#8");
	check_label(t, 7, "web");
	/* so does one whose cgroup has the name */
	put(t, 9, 0, "/user.slice/user-1001.slice/web");
	check_label(t, 9, "web#9");
	check_label(t, 7, "web");
	/* two of one name; who is asked for first does not matter */
	put(t, 10, 'a', "/other/x");
	check_label(t, 7, "web#7");
	check_label(t, 10, "web#10");
	/* it dies: the other one keeps its longer label, and a new one's name is free */
	c = container('a', "/other/x");
	c.cid = 10;
	c.flags = CTRACE_CONTAINER_F_DEAD;
	ctable_add(t, &c, NULL, "", false);
	check_label(t, 7, "web#7");
	check_label(t, 10, "web#10");
	c.cid = 7;
	ctable_add(t, &c, NULL, "", false);
	put(t, 11, 'a', "/docker/x");
	check_label(t, 11, "web");
	/* nobody is called as the host, or by a number that is another's */
	put(t, 12, 0, "/user.slice/host");
	check_label(t, 12, "host#12");
	check_label(t, 0, "host");
	put(t, 13, 0, "/user.slice/web#11");
	check_label(t, 13, "web#11#13");
	/* lxc and nspawn write names into paths: the system's goes before a user's */
	put(t, 14, 0, "/user.slice/user-1001.slice/lxc.payload.box");
	check_label(t, 14, "box");
	put(t, 15, 0, "/lxc.payload.box");
	check_label(t, 15, "box");
	check_label(t, 14, "box#14");
	/* a name goes when it turns out that the container is a user's */
	put(t, 11, 'a', "/user.slice/user-1001.slice/libpod-x.scope");
	check_label(t, 11, "aaaaaaaaaaaa#11");
	ctable_free(t);
}

static void facts_of(struct ctable *t, uint32_t cid, char digit, const char *image, const char *key, const char *value)
{
	const struct centry *e;
	const char *v;

	put(t, cid, digit, "/system.slice/its.scope");
	e = ctable_get(t, cid);
	check_str(e->r.image ? e->r.image : "", image);
	v = names_str(e->r.labels, key);
	check_str(v ? v : "(none)", value);
}

/* What else the files say. */
static void images(void)
{
	struct ctable *t = fixture_table();

	facts_of(t, 7, 'a', "docker.io/library/nginx:1.25", "x", "(none)");
	facts_of(t, 8, '8', "registry/moved:2", "tier", "front");
	facts_of(t, 9, '3', "docker.io/library/cart:9", "io.kubernetes.pod.namespace", "prod");
	facts_of(t, 10, '3', "docker.io/library/cart:9", "io.kubernetes.container.name", "app");
	facts_of(t, 11, '5', "quay.io/shop:1", "app", "shop");
	facts_of(t, 12, '2', "", "x", "(none)");
	/* an impostor has neither */
	put(t, 13, 'a', "/user.slice/user-1001.slice/x.scope");
	check(!ctable_get(t, 13)->r.image);
	ctable_free(t);
}

static void records(void)
{
	static const char none[] = "(none)", cart[] = "0d0ab3c4-11e2-4a0c-9b3e-6f1f0f3a2b11",
		store[] = "77aa0d3e-2f1c-4e0a-8f29-3d2c7b1a9e55";
	struct ctable *t = fixture_table();

	/* its restarts are in the name of its log only */
	check_record(t, 7, '3', "prod", "cart-1", cart, "app", "6");
	check_record(t, 8, '4', "prod", "cart-1", cart, none, none);
	check_record(t, 9, '5', "default", "shop-0", "u", "app", "3");
	check_record(t, 10, 'k', "prod", "store-0", store, "db", "4");
	check_label(t, 10, "store-0/db");
	check_record(t, 11, 'l', "prod", "store-0", store, none, "0");
	check_label(t, 11, "store-0");
	/* of no runtime whose files we know: the log alone */
	check_record(t, 15, 'p', "ops", "agent-x", "uid-1", "main", "1");
	check_label(t, 15, "agent-x/main");
	/* another container's log, which has this id */
	check_record(t, 16, 'j', "test", "cart-1", "5a4f0e9b-6c77-4b5e-8d67-0a4b2f6c9e20", "app", none);
	check_record(t, 17, 'q', none, none, none, none, none);
	/* docker's own word counts, not the labels that may come with an image */
	check_record(t, 12, '8', none, none, none, none, "2");
	check_record(t, 13, 'a', none, none, none, none, none);
	check_record(t, 14, '2', none, none, none, none, none);
	ctable_free(t);
}

/* As podman 4.3 writes them. */
static void podman_pods(void)
{
	static const char none[] = "(none)", shop[] = "ede1823e83e17f8e67082fe85338100fef34fb21dcb3d3c1f77e5f705ee6a1c6",
		lone[] = "920aed8d6adfcc6f855d2ccd1bc5d6b34e485fd09d86195d5aacd67b94ef6f49",
		decade[] = "decade00decade00decade00decade00decade00decade00decade00decade00",
		coffee[] = "c0ffee00c0ffee00c0ffee00c0ffee00c0ffee00c0ffee00c0ffee00c0ffee00";
	struct ctable *t = fixture_table();

	check_record(t, 7, 'r', none, "shop", shop, none, none);
	check_label(t, 7, "ede1823e83e1-infra");
	check_record(t, 8, 's', none, "shop", shop, none, none);
	check_label(t, 8, "till");
	/* without an infra container, its id is all that is known of the pod */
	check_record(t, 9, 't', none, lone, lone, none, none);
	/* its annotation has the infra container's id, and its cgroup is not in the pod's */
	check_record(t, 10, 'u', none, none, none, none, none);
	check_label(t, 10, "free");
	/* its name comes from its events, not from its host name */
	check_record(t, 12, 'v', none, "first", coffee, none, none);
	/* without an infra container the annotation has the pod's id */
	check_record(t, 13, 'w', none, "second", decade, none, none);
	/* an impostor is in no pod */
	put(t, 11, 's', "/user.slice/user-1001.slice/x.scope");
	check(!ctable_get(t, 11)->r.pod);
	ctable_free(t);
}

/* Two of one name in two namespaces are told apart by these. */
static void namespaces(void)
{
	struct ctable *t = fixture_table();
	struct ctrace_container c;

	put(t, 7, '3', "/system.slice/its.scope");
	check_label(t, 7, "cart-1/app");
	put(t, 8, 'j', "/system.slice/other.scope");
	check_label(t, 8, "test/cart-1/app");
	check_label(t, 7, "prod/cart-1/app");
	/* a second of one name in the same namespace: the number distinguishes it */
	put(t, 9, '3', "/system.slice/third.scope");
	check_label(t, 9, "cart-1/app#9");
	check_label(t, 7, "cart-1/app#7");
	check_label(t, 8, "test/cart-1/app");
	/* one that claims such an id, and whose cgroup has such a name */
	put(t, 10, 'j', "/user.slice/user-1001.slice/x.scope");
	check_label(t, 10, "jjjjjjjjjjjj#10");
	check_label(t, 8, "test/cart-1/app");
	/* the others die: who was shown with the namespace remains so */
	for (uint32_t cid = 7; cid <= 9; cid += 2) {
		c = container('3', "/system.slice/its.scope");
		c.cid = cid;
		c.flags = CTRACE_CONTAINER_F_DEAD;
		ctable_add(t, &c, NULL, "", false);
	}
	check_label(t, 8, "test/cart-1/app");
	ctable_free(t);
}

/* 'a' in a table whose files have gone since. more: pid namespace 9 is known now, and the parent. */
static void when_gone(const char *path, uint32_t parent, bool parents, const char *label)
{
	struct ctable *t = fixture_table();
	struct ctrace_container c = container('a', "/docker/x");

	c.cid = 4;
	if (parents)
		put(t, 3, 'b', "/docker");
	ctable_add(t, &c, NULL, "", false);
	check_label(t, 4, "web");
	free(t->names->root);
	t->names->root = xstrdup("/nowhere");
	names_refresh(t->names);
	c.pidns = 9;
	c.parent = parent;
	snprintf(c.path, sizeof(c.path), "%s", path);
	ctable_add(t, &c, NULL, "", false);
	check_label(t, 4, label);
	check(!!ctable_get(t, 4)->r.image == !strcmp(label, "web"));
	c.flags = CTRACE_CONTAINER_F_DEAD;
	ctable_add(t, &c, NULL, "", false);
	check_label(t, 4, label);
	ctable_free(t);
}

/* A name is kept without its files, but not if what becomes known speaks against it. */
static void gone(void)
{
	when_gone("/docker/x", 0, false, "web");
	when_gone("/docker/x", 3, true, "aaaaaaaaaaaa");
	when_gone("/docker/y", 0, false, "aaaaaaaaaaaa");
}

/* The files are read again for what was born since. */
static void soon(void)
{
	struct ctable *t = fixture_table();
	struct ctrace_container c = container('a', "/docker/x");

	t->names_read = clock_ns(CLOCK_MONOTONIC);
	c.first_seen = t->names_read - 1;
	ctable_add(t, &c, NULL, "", false);
	check_label(t, 5, "aaaaaaaaaaaa");
	t->names_read = clock_ns(CLOCK_MONOTONIC);
	c.cid = 6;
	c.first_seen = t->names_read + 1;
	ctable_add(t, &c, NULL, "", false);
	check_str(ctable_get(t, 6)->name, "web");
	/* reading takes long: not so often */
	put(t, 7, 'b', "/docker/y");
	t->reading = NSEC_PER_SEC;
	t->names_read = clock_ns(CLOCK_MONOTONIC);
	names_refresh(t->names);
	free(t->names->root);
	t->names->root = xstrdup("/nowhere");
	c.cid = 8;
	c.first_seen = t->names_read + 1;
	memset(c.runtime_id, 'z', 64);
	ctable_add(t, &c, NULL, "", false);
	check_str(ctable_get(t, 8)->name, "zzzzzzzzzzzz");
	check(t->names->n);
	ctable_free(t);
}

static void no_k8s_names(void)
{
	static const char *const names[] = {
		"", "_____", "k8s", "k8s_a_b_c_d", "k8s_a_b_c_d_0_x", "x8s_a_b_c_d_0", "k8s-a_b_c_d_e_0",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct name_record r = { 0 };
		char *name = xstrdup(names[i]);

		check(!record_from_k8s_name(&r, name));
		check_str(name, names[i]);
		check(!r.pod && !r.ns);
		free(name);
	}
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
	bool by_path;
	char *name = label_stand_in(c, true, &by_path);

	check_str(name, want);
	free(name);
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
	{ "docker with another data-root, of snap", docker_moved },
	{ "CRI-O, containerd, nerdctl, microk8s, k0s", cri },
	{ "systemd-nspawn --keep-unit", machines },
	{ "crun, runc, ctr without ids: by cgroup", bare },
	{ "a container without a cgroup: by its init, and its id", no_cgroup },
	{ "no name where there is none", nobody },
	{ "a system's store does not name what users and containers made", impostors },
	{ "a user's store names what is below that user's slice", users },
	{ "two that live at one time have two labels", apart },
	{ "images and labels", images },
	{ "namespace, pod, container, restarts", records },
	{ "pods of podman", podman_pods },
	{ "two of one name in two namespaces", namespaces },
	{ "the files go before the container is forgotten", gone },
	{ "files that are younger than the last look", soon },
	{ "names that are not the kubelet's", no_k8s_names },
	{ "no state at all", nothing_there },
	{ "what stands in for a name", stand_ins },
};

int main(void)
{
	int failed;

	names = names_new(NAMES);
	names->roots = roots;
	names->find = find;
	names_refresh(names);
	failed = ktap_run(cases, sizeof(cases) / sizeof(cases[0]));
	names_free(names);
	return failed;
}
