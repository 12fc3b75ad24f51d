// SPDX-License-Identifier: GPL-2.0-only
/*
 * The names that podman, docker, containerd, CRI-O, LXC and systemd-nspawn give to
 * cgroups, in both the cgroupfs and the systemd layout.
 */
#include <linux/kernel.h>
#include <linux/string.h>
#include "identity/runtime_name.h"

/* Lower case only, as every runtime writes its ids. */
static bool hex64(const char *s)
{
	int i;

	for (i = 0; i < CTRACE_RUNTIME_ID_LEN; i++)
		if (!((s[i] >= '0' && s[i] <= '9') || (s[i] >= 'a' && s[i] <= 'f')))
			return false;
	return true;
}

/* If name is exactly prefix + 64 hex digits + suffix, returns where the digits are; else NULL. */
static const char *id_in(const char *name, const char *prefix, const char *suffix)
{
	size_t n = strlen(prefix);

	if (strncmp(name, prefix, n) || !hex64(name + n) ||
	    strcmp(name + n + CTRACE_RUNTIME_ID_LEN, suffix))
		return NULL;
	return name + n;
}

static bool ends(const char *s, const char *suffix)
{
	size_t n = strlen(s), m = strlen(suffix);

	return n > m && !strcmp(s + n - m, suffix);
}

static bool starts(const char *s, const char *prefix)
{
	return !strncmp(s, prefix, strlen(prefix));
}

static const struct {
	const char *prefix, *suffix, *runtime;
} with_id[] = {
	{ "docker-",		".scope",	"docker" },
	{ "cri-containerd-",	".scope",	"containerd" },
	{ "crio-",		".scope",	"cri-o" },
	{ "crio-",		"",		"cri-o" },
	{ "libpod-",		".scope",	"podman" },
	{ "libpod-",		"",		"podman" },
	{ "libpod-payload-",	"",		"podman" },	/* --cgroups=split */
};

/* A monitor's name may contain its container's id, so check this first. */
static bool is_monitor(const char *parent, const char *name)
{
	return starts(name, "conmon-") || strstr(name, "-conmon-") || starts(name, "lxc.monitor") ||
	       !strcmp(parent, "lxc.monitor");
}

/* A pod's own cgroup holds containers, but is not one. */
static bool is_pod(const char *name)
{
	return starts(name, "libpod_pod_") || starts(name, "machine-libpod_pod_") ||
	       starts(name, "kubepods") || starts(name, "pod");
}

enum ctrace_boundary_kind ctrace_boundary_parse(const char *parent, const char *name,
						struct ctrace_boundary_name *out)
{
	struct ctrace_boundary_name none, *o = out ?: &none;
	unsigned int i;

	o->runtime = NULL;
	o->id = NULL;
	if (is_monitor(parent, name))
		return CTRACE_BOUNDARY_MONITOR;
	if (is_pod(name))
		return CTRACE_BOUNDARY_NONE;
	for (i = 0; i < ARRAY_SIZE(with_id); i++) {
		o->id = id_in(name, with_id[i].prefix, with_id[i].suffix);
		if (o->id) {
			o->runtime = with_id[i].runtime;
			return CTRACE_BOUNDARY_CONTAINER;
		}
	}
	o->id = id_in(name, "", "");
	if (o->id) {
		if (!strcmp(parent, "docker"))
			o->runtime = "docker";
		else if (!strcmp(parent, "libpod_parent"))
			o->runtime = "podman";
		return CTRACE_BOUNDARY_CONTAINER;
	}
	if ((starts(name, "lxc.payload.") && name[12]) || !strcmp(parent, "lxc.payload")) {
		o->runtime = "lxc";
		return CTRACE_BOUNDARY_CONTAINER;
	}
	if ((starts(name, "machine-") && ends(name, ".scope")) ||
	    (starts(name, "systemd-nspawn@") && ends(name, ".service"))) {
		o->runtime = "nspawn";
		return CTRACE_BOUNDARY_CONTAINER;
	}
	if (!strcmp(parent, "machine.slice") && ends(name, ".scope"))
		return CTRACE_BOUNDARY_CONTAINER;
	return CTRACE_BOUNDARY_NONE;
}
