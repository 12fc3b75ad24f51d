// SPDX-License-Identifier: GPL-2.0-only
/* What is read of a cgroup's limits of disks, from made-up files. */
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/util.h"
#include "ktap.h"
#include "names/io_limits.h"

static char root[] = "/tmp/ctrace-io-limits-XXXXXX";

static void sh(const char *command)
{
	char *line = xasprintf("cd '%s' && %s", root, command);

	check_eq(system(line), 0);
	free(line);
}

/* Of the hierarchies that are given. */
static bool reads(struct io_limits *l, bool v2, bool v1, const char *path)
{
	char *a = v2 ? xasprintf("%s/v2", root) : NULL, *b = v1 ? xasprintf("%s/v1", root) : NULL;
	bool yes = io_limits_read(l, a, b, path);

	free(a);
	free(b);
	return yes;
}

static void is(const struct io_limit *l, const char *cgroup, const char *file, const char *word, uint32_t dev, uint64_t value)
{
	check_str(l->cgroup, cgroup);
	check_str(l->file, file);
	check_str(l->word, word);
	check_eq(l->dev, dev);
	check_eq(l->value, value);
}

static void unified(void)
{
	struct io_limits l = { 0 };

	sh("mkdir -p v2/box/web/inner v1/box/web; echo cpu io pids > v2/cgroup.controllers");
	sh("printf '8:0 rbps=max wbps=1048576 riops=max wiops=120\\n254:16 rbps=5 wbps=max riops=max wiops=max\\n' > v2/box/web/io.max");
	sh("printf '8:0 rbps=77 wbps=max riops=max wiops=max idle=max latency=max\\n' > v2/box/io.max; : > v2/box/web/inner/io.max");
	sh("printf 'default 100\\n8:0 50\\n' > v2/box/web/io.weight; echo 200 > v2/box/web/io.bfq.weight; echo 8:16 target=75000 > v2/box/web/io.latency");
	/* neither counts */
	sh("echo 'default 7' > v2/box/io.weight; echo 8:0 9 > v1/box/web/blkio.throttle.read_bps_device");
	check(reads(&l, true, true, "/box/web"));
	check_eq(l.n, 7);
	if (l.n == 7) {
		is(&l.v[0], "/box/web", "io.weight", "", 8 << 20, 50);
		is(&l.v[1], "/box/web", "io.bfq.weight", "", 0, 200);
		is(&l.v[2], "/box/web", "io.latency", "", 8 << 20 | 16, 75000);
		is(&l.v[3], "/box/web", "io.max", "wbps", 8 << 20, 1048576);
		is(&l.v[4], "/box/web", "io.max", "wiops", 8 << 20, 120);
		is(&l.v[5], "/box/web", "io.max", "rbps", 254 << 20 | 16, 5);
		is(&l.v[6], "/box", "io.max", "rbps", 8 << 20, 77);
		check_eq(l.v[4].kind, IO_WIOPS);
	}
	/* one that has gone leaves what was read */
	check(!reads(&l, true, false, "/box/gone"));
	check_eq(l.n, 7);
	/* and nothing is asked of the root, nor of what is no path */
	check(!reads(&l, true, false, "/"));
	check(!reads(&l, true, false, ""));
	check(!reads(&l, false, false, "/box/web"));
	/* a cgroup without limits of its own is under those above */
	check(reads(&l, true, false, "/box/web/inner"));
	check_eq(l.n, 4);
	if (l.n == 4)
		is(&l.v[3], "/box", "io.max", "rbps", 8 << 20, 77);
	io_limits_free(&l);
	check_eq(l.n, 0);
}

/* v1 is flat. The files of v2's hierarchy are without the controller. */
static void legacy(void)
{
	struct io_limits l = { 0 };

	sh("echo cpu > v2/cgroup.controllers");
	sh("printf '8:0 1048576\\n' > v1/box/web/blkio.throttle.write_bps_device; printf '8:0 10\\n' > v1/box/web/blkio.throttle.read_iops_device");
	sh("echo 500 > v1/box/web/blkio.weight; echo 300 > v1/box/web/blkio.bfq.weight; echo 8:0 1 > v1/box/blkio.throttle.read_bps_device");
	check(reads(&l, true, true, "/box/web"));
	check_eq(l.n, 4);
	if (l.n == 4) {
		is(&l.v[0], "/box/web", "blkio.throttle.read_bps_device", "rbps", 8 << 20, 9);
		is(&l.v[1], "/box/web", "blkio.throttle.write_bps_device", "wbps", 8 << 20, 1048576);
		is(&l.v[2], "/box/web", "blkio.throttle.read_iops_device", "riops", 8 << 20, 10);
		is(&l.v[3], "/box/web", "blkio.bfq.weight", "", 0, 300);
	}
	io_limits_free(&l);
}

/* Numbers that no device has, words without a number, lines without end. */
static void odd(void)
{
	struct io_limits l = { 0 };

	sh("echo io > v2/cgroup.controllers; rm v2/box/web/io.*");
	sh("printf '8:0 rbps= wbps=x riops wiops=-\\n4294967295:0 rbps=1\\n8:0\\n8 rbps=1\\n:0 rbps=1\\n\\n8:1rbps=4\\n' > v2/box/web/io.max");
	sh("printf 'default\\nx\\n8:0 target=\\n' > v2/box/web/io.latency; printf 'default x\\n' > v2/box/web/io.weight; : > v2/box/io.max");
	check(reads(&l, true, false, "/box/web"));
	check_eq(l.n, 0);
	sh("for i in $(seq 1000); do echo \"8:$i rbps=$i wbps=1\"; done > v2/box/web/io.max");
	check(reads(&l, true, false, "/box/web"));
	check_eq(l.n, IO_LIMITS);
	io_limits_free(&l);
}

static const struct ktap_case cases[] = { { "unified", unified }, { "legacy", legacy }, { "odd", odd } };

int main(void)
{
	int status;

	if (!mkdtemp(root))
		return 1;
	status = ktap_run(cases, ARRAY_SIZE(cases));
	sh("rm -r v1 v2");
	rmdir(root);
	return status;
}
