// SPDX-License-Identifier: GPL-2.0-only
/*
 * What ctrace meets on the host: permission, cgroups, names of functions and of containers, and who else is
 * tracing.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "doctor/doctor.h"

#ifndef CAP_PERFMON
#define CAP_PERFMON	38
#endif

/* The number behind "name:" in a file of /proc, in base 16. */
static unsigned long long status_hex(const char *text, const char *name)
{
	const char *s = text ? strstr(text, name) : NULL;

	return s ? strtoull(s + strlen(name), NULL, 16) : 0;
}

static void check_permission(struct machine *m)
{
	char *status = text_of(m, "/proc/self/status"), *map = text_of(m, "/proc/self/uid_map");
	unsigned long long caps = status_hex(status, "CapEff:");
	unsigned int inside = 1, outside = 1, n = 0;
	bool initial = map && sscanf(map, "%u %u %u", &inside, &outside, &n) == 3 && !inside && !outside && n == ~0u;

	if (!initial)
		found(m, DOCTOR_BAD, "permission", xstrdup("this is not the initial user namespace"),
		      xstrdup("run ctrace on the host, outside all containers"));
	else if (!(caps & (1ull << CAP_SYS_ADMIN | 1ull << CAP_PERFMON)))
		found(m, DOCTOR_BAD, "permission", xstrdup("tracing needs CAP_SYS_ADMIN, or CAP_PERFMON since Linux 5.8"),
		      xstrdup(exists(m, "/usr/libexec/ctrace/ctrace") ? "sudo adduser $USER ctrace   # and log in again" :
			      "sudo ctrace doctor"));
	else
		found(m, DOCTOR_OK, "permission", xstrdup("you may trace"), NULL);
	free(status);
	free(map);
}

static void check_cgroups(struct machine *m)
{
	char *mounts = text_of(m, "/proc/self/mounts");
	bool v1 = mounts && strstr(mounts, " cgroup "), v2 = mounts && strstr(mounts, " cgroup2 ");

	if (!v1 && !v2)
		found(m, DOCTOR_BAD, "cgroups", xstrdup("no cgroups are mounted: containers cannot be told apart"),
		      xstrdup("mount -t cgroup2 cgroup2 /sys/fs/cgroup"));
	else
		found(m, DOCTOR_OK, "cgroups", xstrdup(v1 && v2 ? "v1 and v2 (hybrid)" : v2 ? "v2" : "v1"), NULL);
	free(mounts);
}

static void check_symbols(struct machine *m)
{
	char *path = at_root(m, "/proc/kallsyms"), line[128] = "";
	FILE *f = fopen(path, "re");
	bool hidden = false;

	for (int i = 0; f && i < 100 && fgets(line, sizeof(line), f); i++)
		hidden = strspn(line, "0") == strcspn(line, " ");
	if (!f || !*line)
		found(m, DOCTOR_NOTE, "symbols", xstrdup("there is no /proc/kallsyms: kernel stacks are shown as addresses"),
		      doctor_rebuild(" -e KALLSYMS"));
	else if (hidden)
		found(m, DOCTOR_NOTE, "symbols", xstrdup("/proc/kallsyms hides the addresses: kernel stacks have no names"),
		      xstrdup("sysctl kernel.kptr_restrict=1   # and run ctrace as root"));
	else
		found(m, DOCTOR_OK, "symbols", xstrdup("functions of the kernel have names"), NULL);
	if (f)
		fclose(f);
	free(path);
}

/* Where runtimes keep what ctrace reads names from. */
static void check_runtimes(struct machine *m)
{
	static const char *const dirs[] = {
		"/var/lib/docker/containers", "/run/containerd", "/var/lib/containers/storage", "/run/containers/storage",
		"/run/crun", "/run/runc", "/run/docker", "/var/lib/lxc", "/run/systemd/machines",
	};
	size_t seen = 0, refused = 0;

	for (size_t i = 0; i < ARRAY_SIZE(dirs); i++) {
		char *path = at_root(m, "%s", dirs[i]);
		DIR *d = opendir(path);

		if (d) {
			closedir(d);
			seen++;
		} else if (errno != ENOENT && errno != ENOTDIR) {
			found(m, DOCTOR_NOTE, "runtimes", xasprintf("%s cannot be read (%s): its containers are shown without their names",
								    dirs[i], strerror(errno)), xstrdup("sudo ctrace ps"));
			refused++;
		}
		free(path);
	}
	if (seen || !refused)
		found(m, DOCTOR_OK, "runtimes", seen ? xasprintf("state of runtimes in %zu directories", seen) :
		      xstrdup("no runtime has left any state here"), NULL);
}

/* --- what silences kprobes -------------------------------------------------------- */

static bool is_zero(const struct machine *m, const char *path)
{
	char *text = text_of(m, "%s", path);
	bool zero = text && *text == '0';

	free(text);
	return zero;
}

/*
 * The file says it even where the module is not loaded. Where ftrace does not carry kprobes (arm64), they do
 * not need it.
 */
static void check_kprobes(struct machine *m)
{
	static const char sysctl[] = "/proc/sys/kernel/ftrace_enabled", all[] = "/sys/kernel/debug/kprobes/enabled";
	char *carries = option_of(m, "KPROBES_ON_FTRACE");
	bool well = true;

	if (is_zero(m, all)) {
		found(m, DOCTOR_NOTE, "kprobes", xasprintf("all kprobes are off (%s): events that need them see nothing, and no neighbour is spared",
							   all), xasprintf("echo 1 > %s", all));
		well = false;
	}
	if (carries && is_zero(m, sysctl)) {
		found(m, DOCTOR_NOTE, "kprobes",
		      xstrdup("kernel.ftrace_enabled is 0, and kprobes need it: events that need them see nothing, and no neighbour is spared"),
		      xstrdup("sysctl kernel.ftrace_enabled=1"));
		well = false;
	}
	if (well)
		found(m, DOCTOR_OK, "kprobes", xstrdup("no switch silences kprobes"), NULL);
	free(carries);
}

/* It is not visible from outside whether a patched function still has its tracepoints. */
static void check_livepatch(struct machine *m)
{
	char *dir = at_root(m, "/sys/kernel/livepatch");
	DIR *d = opendir(dir);
	struct dirent *e;

	while (d && (e = readdir(d)))
		if (*e->d_name != '.')
			found(m, DOCTOR_NOTE, "livepatch",
			      xasprintf("the kernel is patched live (%s): events inside a function that was replaced may not come", e->d_name),
			      xasprintf("ls -d /sys/kernel/livepatch/%s/*/*   # the functions", e->d_name));
	if (d)
		closedir(d);
	free(dir);
}

/* --- who else slows the host's tasks ------------------------------------------------ */

static void check_tracefs(struct machine *m, const char *dir)
{
	char *tracer = text_of(m, "%s/current_tracer", dir), *events = text_of(m, "%s/set_event", dir);
	char *on = text_of(m, "%s/tracing_on", dir);

	if (tracer && strcmp(tracer, "nop") && on && *on == '1')
		found(m, DOCTOR_NOTE, "tracers", xasprintf("the kernel's tracer '%s' is on (%s/current_tracer)", tracer, dir),
		      xasprintf("echo nop > %s/current_tracer", dir));
	if (events && *events)
		found(m, DOCTOR_NOTE, "tracers", xasprintf("events are on in %s: %.*s%s", dir, (int)strcspn(events, "\n"), events,
							   strchr(events, '\n') ? ", ..." : ""),
		      xasprintf("echo > %s/set_event", dir));
	free(tracer);
	free(events);
	free(on);
}

static void check_modules(struct machine *m)
{
	static const struct { const char *name, *fix; } others[] = {
		{ "lttng_tracer", "lttng destroy --all" },
		{ "scap", "rmmod scap   # when falco or sysdig has ended" },
		{ "falco", "rmmod falco   # when falco has ended" },
		{ "sysdig_probe", "rmmod sysdig_probe   # when sysdig has ended" },
		{ "stap_", "pkill stap" },
	};
	char *modules = text_of(m, "/proc/modules");

	for (size_t i = 0; modules && i < ARRAY_SIZE(others); i++) {
		char *line = xasprintf("\n%s", others[i].name);
		const char *at = strncmp(modules, line + 1, strlen(line + 1)) ? strstr(modules, line) : modules;

		if (at) {
			at += *at == '\n';
			found(m, DOCTOR_NOTE, "tracers", xasprintf("another tracer's module is loaded: %.*s",
								   (int)strcspn(at, " "), at), xstrdup(others[i].fix));
		}
		free(line);
	}
	free(modules);
}

/*
 * Does the process trace by this descriptor? It does if that is a perf event, or a BPF program on functions
 * or events.
 */
static bool traces(const struct machine *m, const char *pid, const char *fd)
{
	static const char *const kinds[] = { "raw_tracepoint", "perf_event", "tracing", "kprobe_multi" };
	char *path = at_root(m, "/proc/%s/fd/%s", pid, fd), to[64], *info, *kind;
	ssize_t len = readlink(path, to, sizeof(to) - 1);
	bool yes = false;

	free(path);
	to[len > 0 ? len : 0] = '\0';
	if (!strcmp(to, "anon_inode:[perf_event]") || !strcmp(to, "anon_inode:bpf-raw-tracepoint"))
		return true;
	if (!strstr(to, "bpf_link") && !strstr(to, "bpf-link"))
		return false;
	info = text_of(m, "/proc/%s/fdinfo/%s", pid, fd);
	kind = info ? strstr(info, "link_type:\t") : NULL;
	for (size_t i = 0; kind && i < ARRAY_SIZE(kinds); i++)
		yes |= !strncmp(kind + strlen("link_type:\t"), kinds[i], strlen(kinds[i]));
	free(info);
	return yes;
}

static bool has_traces(const struct machine *m, const char *pid)
{
	char *dir = at_root(m, "/proc/%s/fd", pid);
	DIR *d = opendir(dir);
	bool yes = false;
	struct dirent *e;

	while (d && !yes && (e = readdir(d)))
		yes = isdigit((unsigned char)*e->d_name) && traces(m, pid, e->d_name);
	if (d)
		closedir(d);
	free(dir);
	return yes;
}

/* n tasks are traced, or trace: what is said of one or of several, before the name of the process first. */
static void tell_of(struct machine *m, size_t n, const char *one, const char *several, long first)
{
	char *comm;

	if (!n)
		return;
	comm = text_of(m, "/proc/%ld/comm", first);
	found(m, DOCTOR_NOTE, "tracers", xasprintf("%zu %s %s", n, n == 1 ? one : several, comm ?: "another process"),
	      xasprintf("kill %ld   # ends that one", first));
	free(comm);
}

/* Tasks that a debugger or strace holds; who has perf events and BPF programs; the audit daemon. */
static void check_tasks(struct machine *m)
{
	char *dir = at_root(m, "/proc");
	DIR *d = opendir(dir);
	struct dirent *e;
	long first = 0, perf = 0;
	size_t held = 0, perfs = 0;

	while (d && (e = readdir(d))) {
		char *status = isdigit((unsigned char)*e->d_name) ? text_of(m, "/proc/%s/status", e->d_name) : NULL;
		const char *tracer = status ? strstr(status, "\nTracerPid:") : NULL;
		long pid = tracer ? strtol(tracer + strlen("\nTracerPid:"), NULL, 10) : 0;

		if (pid > 0 && !held++)
			first = pid;
		/* process 1 has BPF programs that trace nobody: systemd's rules */
		if (status && strcmp(e->d_name, "1") && has_traces(m, e->d_name) && !perfs++)
			perf = strtol(e->d_name, NULL, 10);
		if (status && !strncmp(status, "Name:\tauditd\n", 13))
			found(m, DOCTOR_NOTE, "tracers", xstrdup("auditd runs: with rules about system calls, each call is slower"),
			      xstrdup("auditctl -l   # lists its rules; auditctl -D deletes them"));
		free(status);
	}
	if (d)
		closedir(d);
	free(dir);
	tell_of(m, held, "task is traced, and stopped at each call, by", "tasks are traced, and stopped at each call, the first by",
		first);
	tell_of(m, perfs, "process has perf events, or BPF programs on events:",
		"processes have perf events, or BPF programs on events, the first is", perf);
}

void doctor_host(struct machine *m)
{
	size_t before;

	check_permission(m);
	check_cgroups(m);
	check_symbols(m);
	check_runtimes(m);
	check_kprobes(m);
	check_livepatch(m);
	before = m->n;
	check_tracefs(m, exists(m, "/sys/kernel/tracing/current_tracer") ? "/sys/kernel/tracing" : "/sys/kernel/debug/tracing");
	check_modules(m);
	check_tasks(m);
	if (m->n == before)
		found(m, DOCTOR_OK, "tracers", xstrdup("nobody else traces this machine"), NULL);
}
