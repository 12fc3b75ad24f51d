// SPDX-License-Identifier: GPL-2.0-only
/* ctrace doctor, on a made-up machine: each trouble is planted alone, and is named with what to type. */
#include <errno.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <libctrace.h>
#include "base/cli.h"
#include "commands.h"
#include "ktap.h"
#include "doctor/doctor.h"

#define REL "6.1.0-9-amd64"

static char root[] = "/tmp/doctor_test.XXXXXX";
static struct machine m;

static int drop(const char *path, const struct stat *st, int flag, struct FTW *at)
{
	(void)st, (void)flag, (void)at;
	return remove(path);
}

static void put(const char *path, const char *text)
{
	char file[512];
	FILE *f;

	snprintf(file, sizeof(file), "%s%s", root, path);
	for (char *s = file + strlen(root) + 1; (s = strchr(s, '/')); s++) {
		*s = '\0';
		check(!mkdir(file, 0755) || errno == EEXIST);
		*s = '/';
	}
	f = fopen(file, "w");
	if (!check(f))
		return;
	fputs(text, f);
	fclose(f);
}

static void link_to(const char *path, const char *to)
{
	char file[512];

	snprintf(file, sizeof(file), "%s%s", root, path);
	check(!symlink(to, file));
}

static void gone(const char *path)
{
	char file[512];

	snprintf(file, sizeof(file), "%s%s", root, path);
	nftw(file, drop, 16, FTW_DEPTH | FTW_PHYS);
}

static const char config[] =
	"\nCONFIG_CC_VERSION_TEXT=\"gcc-4 (Debian 4.9.0-1) 4.9.0\"\nCONFIG_MODULES=y\nCONFIG_NET=y\nCONFIG_CGROUPS=y\n"
	"CONFIG_TRACEPOINTS=y\nCONFIG_KPROBES=y\nCONFIG_BLOCK=y\nCONFIG_INET=y\nCONFIG_PERF_EVENTS=y\nCONFIG_PID_NS=y\n"
	"CONFIG_KALLSYMS=y\n";

/* The kernel's configuration, with these lines before it. */
static void put_config(const char *more)
{
	static char text[1024];

	snprintf(text, sizeof(text), "%s%s", more, config);
	put("/boot/config-" REL, text);
}

/* This machine's apt knows every package but those in /apt-lacks. */
static void put_apt(void)
{
	char path[512], script[512];

	snprintf(script, sizeof(script), "#!/bin/sh\n[ $# = 2 ] && [ \"$1\" = policy ] || exit 100\n"
		 "grep -qxF -- \"$2\" %s/apt-lacks && v='(none)' || v=1.0\n"
		 "printf '%%s:\\n  Installed: (none)\\n  Candidate: %%s\\n' \"$2\" \"$v\"\n", root);
	put("/bin/apt-cache", script);
	snprintf(path, sizeof(path), "%s/bin/apt-cache", root);
	check(!chmod(path, 0755));
	put("/apt-lacks", "");
	put("/var/lib/apt/lists/mirror_dists_x_main_Packages", "");
}

/* A machine without a trouble. */
static void sound(void)
{
	gone("/");
	mkdir(root, 0755);
	put_apt();
	put("/proc/sys/kernel/osrelease", REL "\n");
	put("/proc/self/status", "Name:\tctrace\nCapEff:\t000001ffffffffff\n");
	put("/proc/self/uid_map", "         0          0 4294967295\n");
	put("/proc/self/mounts", "none /sys/fs/cgroup cgroup2 rw 0 0\n");
	put("/proc/kallsyms", "ffffffff81000000 T _stext\n");
	put("/proc/modules", "ext4 1 1 - Live 0x0\n");
	put("/boot/config-" REL, config);
	put("/lib/modules/" REL "/build/Makefile", "");
	put("/lib/modules/" REL "/updates/dkms/ctrace.ko", "code~Module signature appended~\n");
	put("/var/lib/dkms/ctrace/0.1.0/" REL "/x86_64/module/ctrace.ko", "");
	put("/sys/kernel/security/lockdown", "[none] integrity confidentiality\n");
	put("/sys/kernel/tracing/current_tracer", "nop\n");
	put("/sys/kernel/tracing/tracing_on", "1\n");
	put("/sys/kernel/tracing/set_event", "");
	put("/run/crun/x", "");
}

static void forget(void)
{
	for (size_t i = 0; i < m.n; i++) {
		free(m.v[i].what);
		free(m.v[i].fix);
	}
	free(m.v);
	free(m.config);
	free(m.config_path);
	free(m.ko);
	m = (struct machine){ 0 };
}

static void look(void)
{
	static const char ko[] = "/lib/modules/" REL "/updates/dkms/ctrace.ko";

	forget();
	m = (struct machine){ .root = root, .release = (char *)REL, .os = OS_DEBIAN, .root_user = true };
	m.loaded = exists(&m, "/sys/module/ctrace");
	m.ko = exists(&m, "%s", ko) ? xstrdup(ko) : NULL;
	doctor_look(&m);
	for (size_t i = 0; i < m.n; i++) {
		if (m.v[i].verdict == DOCTOR_OK || m.v[i].fix)
			continue;
		check(!"there is something to type");
		printf("# %s: %s\n", m.v[i].check, m.v[i].what);
	}
}

/* Is the trouble named, by this verdict, with these words, and this in what to type? */
static void told(enum verdict verdict, const char *name, const char *what, const char *fix)
{
	look();
	for (size_t i = 0; i < m.n; i++) {
		const struct finding *f = &m.v[i];

		if (f->verdict == verdict && !strcmp(f->check, name) && strstr(f->what, what) &&
		    (!fix || (f->fix && strstr(f->fix, fix))))
			return;
	}
	for (size_t i = 0; i < m.n; i++)
		printf("# %d %s: %s: %s\n", m.v[i].verdict, m.v[i].check, m.v[i].what, m.v[i].fix ?: "-");
	check(!"the trouble is named");
	printf("# expected %d %s: %s: %s\n", verdict, name, what, fix ?: "-");
}

/* Nothing is said of this check but what is well. */
static void silent(const char *name)
{
	look();
	for (size_t i = 0; i < m.n; i++)
		if (m.v[i].verdict != DOCTOR_OK && !check(strcmp(m.v[i].check, name)))
			printf("# %s: %s\n", name, m.v[i].what);
}

static void nothing(void)
{
	sound();
	look();
	for (size_t i = 0; i < m.n; i++)
		if (m.v[i].verdict == DOCTOR_BAD)
			printf("# %s: %s\n", m.v[i].check, m.v[i].what);
	check_eq(m.troubles, 0);
	check(m.n > 10);
}

static void kernel(void)
{
	sound();
	put("/boot/config-" REL, "\nCONFIG_MODULES=y\nCONFIG_NET=y\nCONFIG_CGROUPS=y\nCONFIG_TRACEPOINTS=y\nCONFIG_INET=y\n");
	told(DOCTOR_BAD, "options", "CONFIG_KPROBES", "scripts/config -e KPROBES");
	told(DOCTOR_NOTE, "options", "CONFIG_BLOCK", "scripts/config -e BLOCK");
	put("/boot/config-" REL, "\nCONFIG_MODULES=y\nCONFIG_CGROUPS=y\nCONFIG_KPROBES=y\n");
	told(DOCTOR_BAD, "options", "CONFIG_NET, CONFIG_TRACEPOINTS", "scripts/config -e NET -e FTRACE ");
	gone("/boot/config-" REL);
	told(DOCTOR_NOTE, "options", "no configuration", "apt-get install linux-headers-" REL);
	/* as the headers have it */
	put("/lib/modules/" REL "/build/.config", config);
	told(DOCTOR_OK, "options", "build/.config", NULL);
}

/* Of a kernel that cannot have the module, one trouble is named, not all that follow from it. */
static void moot(void)
{
	sound();
	gone("/lib/modules/" REL);
	gone("/var/lib/dkms/ctrace");
	told(DOCTOR_BAD, "headers", "no headers", NULL);
	put("/boot/config-" REL, "\nCONFIG_NET=y\nCONFIG_CGROUPS=y\nCONFIG_TRACEPOINTS=y\nCONFIG_KPROBES=y\n");
	told(DOCTOR_BAD, "options", "CONFIG_MODULES", NULL);
	check_eq(m.troubles, 1);
	told(DOCTOR_NOTE, "module", "DKMS and the module were not looked at", "ctrace doctor");
	silent("headers");
	silent("dkms");
	/* the host's own are looked at */
	put("/proc/self/mounts", "none /proc proc rw 0 0\n");
	look();
	check_eq(m.troubles, 2);
	/* it is loaded: so that was another kernel's configuration */
	put("/sys/module/ctrace/version", "9.9.9\n");
	told(DOCTOR_NOTE, "headers", "no headers", NULL);
}

static void build(void)
{
	static const char ko[] = "/lib/modules/" REL "/updates/dkms/ctrace.ko";

	sound();
	gone(ko);
	gone("/lib/modules/" REL "/build");
	gone("/var/lib/dkms/ctrace/0.1.0/" REL);
	told(DOCTOR_BAD, "headers", "no headers of Linux " REL, "apt-get install linux-headers-" REL);
	/* these follow from it */
	silent("dkms");
	silent("module");
	put("/lib/modules/" REL "/build/Makefile", "");
	told(DOCTOR_BAD, "dkms", "not built for Linux " REL, "dkms install ctrace/0.1.0 -k " REL);
	put("/var/lib/dkms/ctrace/0.1.0/build/make.log",
	    "DKMS make.log\nmake: x\n/a/module/main.c:7:2: error: no such thing\nmake[1]: *** [x] Error 2\n");
	told(DOCTOR_BAD, "dkms", "main.c:7:2: error: no such thing", "dkms install");
	gone("/var/lib/dkms/ctrace");
	told(DOCTOR_BAD, "dkms", "does not have", "make install-dkms");
	silent("module");
	put("/usr/libexec/ctrace/ctrace", "");
	told(DOCTOR_BAD, "dkms", "does not have", "apt-get install ctrace-dkms");
	put("/apt-lacks", "ctrace-dkms\n");
	told(DOCTOR_BAD, "dkms", "does not have", "apt-get install ./dist/ctrace-dkms_*.deb");
	gone("/usr/libexec");
	put_config("\nCONFIG_CC_VERSION_TEXT=\"gcc-99 (Debian 99.1.0-1) 99.1.0\"\n");
	told(DOCTOR_BAD, "compiler", "older than the kernel's, 99", "apt-get install gcc-99");
	put("/apt-lacks", "gcc-99\n");
	told(DOCTOR_BAD, "compiler", "older than the kernel's, 99", "install gcc 99 or later");
	/* with the module there, it is no trouble of now */
	put(ko, "code");
	gone("/lib/modules/" REL "/build");
	told(DOCTOR_NOTE, "headers", "no headers", "apt-get install linux-headers-" REL);
	told(DOCTOR_NOTE, "compiler", "older than the kernel's", NULL);
	sound();
	gone(ko);
	told(DOCTOR_BAD, "module", "not installed for Linux " REL, "make install-dkms");
}

/* Headers of a kernel that apt does not have, or no longer. */
static void apt(void)
{
	sound();
	gone("/lib/modules/" REL "/build");
	told(DOCTOR_NOTE, "headers", "no headers", "apt-get install linux-headers-" REL);
	put("/apt-lacks", "linux-headers-" REL "\n");
	told(DOCTOR_NOTE, "headers", "no headers", "apt-get install linux-headers-amd64 linux-image-amd64   # then boot");
	put("/apt-lacks", "linux-headers-" REL "\nlinux-headers-amd64\nlinux-headers-arm64\nlinux-headers-generic\n");
	told(DOCTOR_NOTE, "headers", "no headers", "install the headers of Linux " REL " from where that kernel came");
	gone("/var/lib/apt/lists");
	told(DOCTOR_NOTE, "headers", "no headers", "apt-get update && apt-get install linux-headers-" REL);
	put("/var/lib/apt/lists/x_Packages.lz4", "");
	check(apt_has("gcc-12"));
	/* no name of a package reaches the shell, or apt-cache as an option */
	check(!apt_has("gcc;touch${IFS}x"));
	check(!apt_has("-o"));
	check(!apt_has(""));
}

static void decisive(void)
{
	static const struct { const char *log, *line; } logs[] = {
		{ "a\nb.c:1:1: error: x\nmake: *** [b.o] Error 1\n", "b.c:1:1: error: x" },
		{ "make: *** [b.o] Error 1\n", "make: *** [b.o] Error 1" },
		{ "ctrace: this kernel lacks TRACEPOINTS\nmake: *** stop\n", "ctrace: this kernel lacks TRACEPOINTS" },
		{ "/bin/sh: 1: gcc-12: not found", "/bin/sh: 1: gcc-12: not found" },
		{ "all is well\n", NULL },
		{ "", NULL },
	};

	for (size_t i = 0; i < ARRAY_SIZE(logs); i++) {
		char *line = doctor_decisive(logs[i].log);

		check_str(line ?: "none", logs[i].line ?: "none");
		free(line);
	}
}

static void loading(void)
{
	sound();
	put("/etc/modprobe.d/local.conf", "# hm\n  blacklist   ctrace\n");
	told(DOCTOR_BAD, "blacklist", "/etc/modprobe.d/local.conf", "remove the line");
	put("/etc/modprobe.d/local.conf", "blacklist ctraces\n");
	look();
	check_eq(m.troubles, 0);
	put("/proc/sys/kernel/modules_disabled", "1\n");
	told(DOCTOR_BAD, "loaded", "kernel.modules_disabled", "before it");
	sound();
	put("/sys/module/module/parameters/sig_enforce", "Y\n");
	told(DOCTOR_NOTE, "signature", "sig_enforce", "mokutil --import");
	put("/lib/modules/" REL "/updates/dkms/ctrace.ko", "code without a signature, which is long enough");
	told(DOCTOR_BAD, "signature", "has no signature", "mokutil --import");
	put("/var/lib/shim-signed/mok/MOK.der", "");
	told(DOCTOR_NOTE, "loaded", "is not loaded", "modprobe ctrace");
	told(DOCTOR_BAD, "signature", "has no signature", "mokutil --import /var/lib/shim-signed/mok/MOK.der");
	put("/var/lib/dkms/mok.pub", "");
	told(DOCTOR_BAD, "signature", "has no signature", "mokutil --import /var/lib/dkms/mok.pub");
	gone("/sys/module/module");
	put_config("\nCONFIG_MODULE_SIG_FORCE=y");
	told(DOCTOR_BAD, "signature", "CONFIG_MODULE_SIG_FORCE", "mokutil");
	put("/boot/config-" REL, config);
	put("/sys/kernel/security/lockdown", "none [integrity] confidentiality\n");
	told(DOCTOR_BAD, "signature", "the kernel is locked down", "mokutil");
	put("/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c", "\6...\1");
	told(DOCTOR_BAD, "signature", "Secure Boot is on", "mokutil");
	put("/sys/module/module/parameters/sig_enforce", "Y\n");
	told(DOCTOR_BAD, "signature", "Secure Boot is on", "mokutil");
	put("/sys/kernel/security/lockdown", "none integrity [confidentiality]\n");
	told(DOCTOR_NOTE, "lockdown", "refused", "lockdown=integrity");
	sound();
	put("/sys/module/ctrace/version", "9.9.9\n");
	put("/dev/ctrace", "");
	told(DOCTOR_NOTE, "loaded", "the module is 9.9.9", "rmmod");
	gone("/dev/ctrace");
	told(DOCTOR_BAD, "loaded", "no /dev/ctrace", "on the host");
}

static void host(void)
{
	sound();
	put("/proc/self/status", "CapEff:\t0000000000000000\n");
	told(DOCTOR_BAD, "permission", "CAP_SYS_ADMIN", "sudo");
	put("/proc/self/status", "CapEff:\t0000004000000000\n");
	told(DOCTOR_OK, "permission", "may trace", NULL);
	put("/proc/self/uid_map", "         0     100000      65536\n");
	told(DOCTOR_BAD, "permission", "initial user namespace", "on the host");
	sound();
	put("/proc/self/mounts", "none /proc proc rw 0 0\n");
	told(DOCTOR_BAD, "cgroups", "no cgroups", "mount -t cgroup2");
	put("/proc/self/mounts", "a /a cgroup rw 0 0\nb /b cgroup2 rw 0 0\n");
	told(DOCTOR_OK, "cgroups", "hybrid", NULL);
	put("/proc/kallsyms", "0000000000000000 T _stext\n");
	told(DOCTOR_NOTE, "symbols", "hides", "kptr_restrict");
	gone("/proc/kallsyms");
	told(DOCTOR_NOTE, "symbols", "no /proc/kallsyms", "scripts/config -e KALLSYMS");
	/* root may read everything, but not a directory that is a loop */
	gone("/run/crun");
	link_to("/run/crun", "crun");
	told(DOCTOR_NOTE, "runtimes", "/run/crun cannot be read", "sudo ctrace ps");
}

static void tracers(void)
{
	sound();
	put("/sys/kernel/tracing/current_tracer", "function\n");
	told(DOCTOR_NOTE, "tracers", "'function' is on", "echo nop");
	put("/sys/kernel/tracing/set_event", "raw_syscalls:sys_enter\nsched:sched_switch\n");
	told(DOCTOR_NOTE, "tracers", "raw_syscalls:sys_enter, ...", "set_event");
	put("/proc/modules", "ext4 1 1 - Live 0x0\nlttng_tracer 1 1 - Live 0x0\n");
	told(DOCTOR_NOTE, "tracers", "lttng_tracer", "lttng destroy");
	put("/proc/modules", "falco 1 1 - Live 0x0\n");
	told(DOCTOR_NOTE, "tracers", "loaded: falco", "rmmod falco");
	sound();
	put("/proc/77/status", "Name:\tsh\nTracerPid:\t78\n");
	put("/proc/78/comm", "strace\n");
	put("/proc/78/status", "Name:\tstrace\nTracerPid:\t0\n");
	told(DOCTOR_NOTE, "tracers", "1 task is traced, and stopped at each call, by strace", "kill 78 ");
	put("/proc/81/status", "Name:\tsh\nTracerPid:\t78\n");
	told(DOCTOR_NOTE, "tracers", "2 tasks are traced, and stopped at each call, the first by strace", "kill 78 ");
	put("/proc/79/status", "Name:\tauditd\nTracerPid:\t0\n");
	told(DOCTOR_NOTE, "tracers", "auditd runs", "auditctl");
	sound();
	put("/proc/1/status", "Name:\tsystemd\nTracerPid:\t0\n");
	put("/proc/1/fdinfo/9", "pos:\t0\nlink_type:\ttracing\n");
	put("/proc/1/fd/x", "");
	link_to("/proc/1/fd/9", "anon_inode:bpf_link");
	put("/proc/80/status", "Name:\tfalco\nTracerPid:\t0\n");
	put("/proc/80/comm", "falco\n");
	put("/proc/80/fdinfo/9", "pos:\t0\nlink_type:\tcgroup\n");
	put("/proc/80/fd/x", "");
	link_to("/proc/80/fd/9", "anon_inode:bpf_link");
	told(DOCTOR_OK, "tracers", "nobody else", NULL);
	put("/proc/80/fdinfo/9", "pos:\t0\nlink_type:\traw_tracepoint\n");
	told(DOCTOR_NOTE, "tracers", "1 process has perf events, or BPF programs on events: falco", "kill 80 ");
	gone("/proc/80/fd/9");
	link_to("/proc/80/fd/9", "anon_inode:[perf_event]");
	told(DOCTOR_NOTE, "tracers", "1 process has perf events, or BPF programs on events: falco", "kill 80 ");
	put("/proc/82/status", "Name:\tfalco\nTracerPid:\t0\n");
	put("/proc/82/comm", "falco\n");
	put("/proc/82/fd/x", "");
	link_to("/proc/82/fd/9", "anon_inode:[perf_event]");
	told(DOCTOR_NOTE, "tracers", "2 processes have perf events, or BPF programs on events, the first is falco", "kill 8");
}

static void kprobes(void)
{
	sound();
	put("/proc/sys/kernel/ftrace_enabled", "0\n");
	put("/sys/kernel/debug/kprobes/enabled", "1\n");
	told(DOCTOR_OK, "kprobes", "no switch", NULL);	/* this kernel's kprobes do not need ftrace */
	put_config("\nCONFIG_KPROBES_ON_FTRACE=y");
	told(DOCTOR_NOTE, "kprobes", "kernel.ftrace_enabled is 0", "sysctl kernel.ftrace_enabled=1");
	put("/proc/sys/kernel/ftrace_enabled", "1\n");
	told(DOCTOR_OK, "kprobes", "no switch", NULL);
	put("/sys/kernel/debug/kprobes/enabled", "0\n");
	told(DOCTOR_NOTE, "kprobes", "all kprobes are off", "echo 1 > /sys/kernel/debug/kprobes/enabled");
	put("/sys/kernel/livepatch/fix_1/enabled", "1\n");
	told(DOCTOR_NOTE, "livepatch", "fix_1", "/sys/kernel/livepatch/fix_1");
}

/* Runs ctrace doctor on the made-up machine; what it prints goes to text. Returns its exit status. */
static int doctor(bool json, char *option, char *text, size_t size)
{
	char *argv[] = { "doctor", option, NULL };
	int status = -1, p[2];
	size_t len = 0;
	ssize_t got;
	pid_t pid;

	fflush(stdout);
	pid = pipe(p) ? -1 : fork();
	if (!check(pid >= 0))
		return -1;
	if (!pid) {
		setenv("CTRACE_ROOT", root, 1);
		dup2(p[1], STDOUT_FILENO);
		cli_json = json;
		status = cmd_doctor.run(2, argv);
		fflush(stdout);
		_exit(status);
	}
	close(p[1]);
	while (len < size - 1 && (got = read(p[0], text + len, size - 1 - len)) > 0)
		len += got;
	text[len] = '\0';
	close(p[0]);
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + status;
}

static void command(void)
{
	static char text[16384];

	sound();
	put("/sys/module/ctrace/version", ctrace_version());
	put("/dev/ctrace", "");
	check_eq(doctor(false, "--quiet", text, sizeof(text)), 0);
	check_str(text, "");
	put("/proc/kallsyms", "0000000000000000 T _stext\n");
	check_eq(doctor(false, "--quiet", text, sizeof(text)), 0);
	check(strstr(text, "note  symbols     /proc/kallsyms hides"));
	check(strstr(text, "\n                  sysctl kernel.kptr_restrict=1"));
	check(!strstr(text, "works here"));
	put("/proc/self/mounts", "none /proc proc rw 0 0\n");
	check_eq(doctor(false, "--quiet", text, sizeof(text)), 1);
	check(strstr(text, "BAD   cgroups     no cgroups are mounted"));
	check(strstr(text, "\nctrace does not work here yet: 1 trouble\n"));
	check_eq(doctor(true, "--json", text, sizeof(text)), 1);
	check(strstr(text, "{\"check\":\"cgroups\",\"status\":\"bad\",\"what\":\"no cgroups are mounted: containers cannot be told apart\","
			   "\"fix\":\"mount -t cgroup2 cgroup2 /sys/fs/cgroup\"}"));
	check(strstr(text, "\"status\":\"note\""));
	check(strstr(text, "],\"troubles\":1}"));
	check_eq(doctor(false, "--nonsense", text, sizeof(text)), 2);
}

static void clean_up(void)
{
	forget();
	gone("/");
	check(access(root, F_OK));
}

static const struct ktap_case cases[] = {
	{ "a sound machine has no trouble", nothing },
	{ "the kernel's options", kernel },
	{ "what follows from another trouble is not said", moot },
	{ "headers, compiler, DKMS", build },
	{ "packages that apt does not have are not proposed", apt },
	{ "the decisive line of a build's log", decisive },
	{ "what keeps the module from being loaded", loading },
	{ "the host: permission, cgroups, symbols, runtimes", host },
	{ "other tracers", tracers },
	{ "switches that silence kprobes", kprobes },
	{ "the command: what it prints, JSON, exit status", command },
	{ "clean up", clean_up },
};

int main(void)
{
	char path[4096];

	if (!mkdtemp(root))
		return 1;
	snprintf(path, sizeof(path), "%s/bin:%s", root, getenv("PATH") ?: "/usr/bin:/bin");
	setenv("PATH", path, 1);
	return ktap_run(cases, ARRAY_SIZE(cases));
}
