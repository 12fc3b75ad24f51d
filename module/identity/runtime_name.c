// SPDX-License-Identifier: GPL-2.0-only
/*
 * The names that podman, docker, containerd, CRI-O, LXC, systemd-nspawn and others give to cgroups, in both
 * the cgroupfs and the systemd layout.
 */
#include <linux/kernel.h>
#include <linux/string.h>
#include "identity/runtime_name.h"

/* Are these n characters hex digits? Lower case only, as every runtime writes its ids. */
static bool hex(const char *s, int n)
{
	int i;

	for (i = 0; i < n; i++)
		if (!((s[i] >= '0' && s[i] <= '9') || (s[i] >= 'a' && s[i] <= 'f')))
			return false;
	return true;
}

static const char *id_at(const char *s, const char *suffix)
{
	return hex(s, CTRACE_RUNTIME_ID_LEN) && !strcmp(s + CTRACE_RUNTIME_ID_LEN, suffix) ? s : NULL;
}

static bool starts(const char *s, const char *prefix)
{
	return !strncmp(s, prefix, strlen(prefix));
}

/*
 * A name, and the result of one pass over it: strangers choose names, and have each looked at as often as
 * they like.
 */
struct name {
	const char *s;
	size_t len;
	const char *colon;	/* the last one, or NULL */
	const char *slice;	/* the first ".slice:", or NULL */
	bool monitor;		/* it has the mark of a monitor somewhere inside */
};

static struct name look_over(const char *s)
{
	static const char slice[] = ".slice", kata[] = ":kata_overhead:", conmon[] = "-conmon";
	const size_t before = sizeof(slice) - 1, word = sizeof(conmon) - 1;
	struct name n = { .s = s };
	const char *at;

	for (at = s; *at; at++) {
		if (*at == ':') {
			n.colon = at;
			n.monitor |= starts(at, kata);
			if (!n.slice && at - s >= (long)before && !strncmp(at - before, slice, before))
				n.slice = at - before;
		} else if (*at == '-' && starts(at, conmon)) {
			n.monitor |= at[word] == '-' || at[word] == ':';
		}
	}
	n.len = at - s;
	return n;
}

static bool ends(const struct name *n, const char *suffix)
{
	size_t m = strlen(suffix);

	return n->len > m && !strcmp(n->s + n->len - m, suffix);
}

/* Each runtime has a word of its own in its cgroups' names, which are WORD-ID.scope or X.slice:WORD:ID. */
static const struct {
	const char *word, *runtime;
} words[] = {
	{ "docker",		"docker" },
	{ "cri-containerd",	"containerd" },
	{ "crio",		"cri-o" },
	{ "libpod",		"podman" },
	{ "nerdctl",		"nerdctl" },
	{ "runsc",		"runsc" },
};

static const char *runtime_of(const char *word, size_t len)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(words); i++)
		if (strlen(words[i].word) == len && !strncmp(word, words[i].word, len))
			return words[i].runtime;
	return NULL;
}

/* A monitor's name may contain its container's id, so check this first. */
static bool is_monitor(const char *parent, const struct name *n)
{
	return n->monitor || starts(n->s, "conmon-") || starts(n->s, "lxc.monitor") || !strcmp(parent, "lxc.monitor") ||
	       !strcmp(parent, "kata_overhead");
}

static bool is_nspawn_unit(const struct name *n)
{
	return starts(n->s, "systemd-nspawn@") && ends(n, ".service");
}

/* PREFIX and an id, without systemd. podman's bare id is a pod: its containers are libpod-ID in there. */
static const struct {
	const char *parent, *prefix, *runtime;	/* parent: NULL is any */
} bare[] = {
	{ "docker",	"",			"docker" },
	{ NULL,		"",			NULL },
	{ NULL,		"crio-",		"cri-o" },
	{ NULL,		"libpod-",		"podman" },
	{ NULL,		"libpod-payload-",	"podman" },	/* --cgroups=split */
	{ NULL,		"kata_",		"kata" },
};

static bool bare_id(const char *parent, const struct name *n, struct ctrace_boundary_name *o)
{
	const char *name = n->s;
	unsigned int i;

	if (n->len < CTRACE_RUNTIME_ID_LEN)
		return false;
	if (!strcmp(parent, "libpod_parent") && id_at(name, ""))
		return false;
	for (i = 0; i < ARRAY_SIZE(bare); i++) {
		if ((bare[i].parent && strcmp(parent, bare[i].parent)) || n->len != strlen(bare[i].prefix) + CTRACE_RUNTIME_ID_LEN ||
		    !starts(name, bare[i].prefix))
			continue;
		o->id = id_at(name + strlen(bare[i].prefix), "");
		if (o->id) {
			o->runtime = bare[i].runtime;
			return true;
		}
	}
	return false;
}

/* WORD-ID.scope, of systemd's driver, with any word */
static bool scope_with_id(const struct name *of, struct ctrace_boundary_name *o)
{
	const size_t tail = CTRACE_RUNTIME_ID_LEN + strlen(".scope");
	const char *name = of->s;
	size_t n = of->len;

	if (n < tail + 2 || name[n - tail - 1] != '-')
		return false;
	o->id = id_at(name + n - tail, ".scope");
	if (!o->id)
		return false;
	o->runtime = runtime_of(name, n - tail - 1);
	return true;
}

/*
 * X.slice:WORD:NAME is a path for systemd's driver. A runtime without that driver takes it for a cgroup's
 * name, as containerd does below a kubelet that uses systemd. NAME mostly is an id.
 */
static bool systemd_path(const struct name *n, struct ctrace_boundary_name *o)
{
	const char *last = n->colon, *word = n->slice;

	if (!last || !last[1] || !word || word == n->s)
		return false;
	word += strlen(".slice:");
	if (word >= last)
		return false;
	o->id = id_at(last + 1, "");
	o->runtime = runtime_of(word, last - word);
	return true;
}

/* ECS on cgroupfs: TASK/TASK-NUMBER, the task being 32 hex digits */
static bool ecs(const char *parent, const char *name)
{
	const char *s;

	if (strlen(parent) != 32 || !hex(parent, 32) || !starts(name, parent) || name[32] != '-' || !name[33])
		return false;
	for (s = name + 33; *s >= '0' && *s <= '9'; s++)
		;
	return !*s;
}

/* Without an id. Proxmox has its container in lxc/NAME/ns: the upper one is the container's. */
static bool by_place(const char *parent, const struct name *n, struct ctrace_boundary_name *o)
{
	const char *name = n->s;
	bool machine = starts(name, "machine-") && ends(n, ".scope");

	if ((starts(name, "lxc.payload.") && name[12]) || !strcmp(parent, "lxc.payload") || !strcmp(parent, "lxc"))
		o->runtime = "lxc";
	else if (ecs(parent, name))
		o->runtime = "ecs";
	else if (machine && (starts(name, "machine-qemu\\x2d") || starts(name, "machine-lxc\\x2d")))
		o->runtime = "libvirt";
	else if (machine || is_nspawn_unit(n))
		o->runtime = "nspawn";
	else
		return !strcmp(parent, "machine.slice") && ends(n, ".scope");
	return true;
}

/* A pod's own cgroup holds containers, but is not one: podUID, kubepods-podUID.slice, libpod_pod_ID.slice. */
enum ctrace_boundary_kind ctrace_boundary_parse(const char *parent, const char *name,
						struct ctrace_boundary_name *out)
{
	struct ctrace_boundary_name none, *o = out ?: &none;
	struct name n = look_over(name), above;

	o->runtime = NULL;
	o->id = NULL;
	if (is_monitor(parent, &n))
		return CTRACE_BOUNDARY_MONITOR;
	if (!strcmp(name, "supervisor")) {
		above = look_over(parent);
		if (is_nspawn_unit(&above))
			return CTRACE_BOUNDARY_SUPERVISOR;
	}
	if (bare_id(parent, &n, o) || scope_with_id(&n, o) || systemd_path(&n, o) || by_place(parent, &n, o))
		return CTRACE_BOUNDARY_CONTAINER;
	return CTRACE_BOUNDARY_NONE;
}
