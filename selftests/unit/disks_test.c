// SPDX-License-Identifier: GPL-2.0-only
/* What disks are called, from made-up /sys and /proc. */
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "ktap.h"
#include "names/disks.h"

static char root[] = "/tmp/ctrace-disks-XXXXXX";

static void sh(const char *command)
{
	char *line = xasprintf("cd '%s' && %s", root, command);

	check_eq(system(line), 0);
	free(line);
}

static void is(unsigned int major, unsigned int minor, const char *name)
{
	char got[64];

	disk_name(root, major << 20 | minor, got, sizeof(got));
	check_str(got, name);
}

/* Two paths to one disk of NVMe; another one whose disk is not there; names that only begin like a path's. */
static void names(void)
{
	check(mkdtemp(root) != NULL);
	sh("mkdir -p proc sys/dev/block sys/block/nvme0n1 sys/block/nvme0n2");
	sh("ln -s ../../devices/pci/block/vda sys/dev/block/254:0");
	sh("ln -s ../../devices/pci/block/vda/vda1 sys/dev/block/254:1");
	sh("printf '%s\\n' ' 254 0 vda 1 2' ' 259 2 nvme0c0n1 3' ' 259 4 nvme0c12n1 3' ' 259 6 nvme1c0n1 3' "
	   "' 259 8 nvme0c0n1p1 3' ' 259 9 nvme0n2 3' ' 259 10 nvmexc0n1 3' > proc/diskstats");
	is(254, 0, "vda");
	is(254, 1, "vda1");
	is(259, 2, "nvme0n1");
	is(259, 4, "nvme0n1");
	is(259, 6, "nvme1c0n1");
	is(259, 8, "nvme0c0n1p1");
	is(259, 9, "nvme0n2");
	is(259, 10, "nvmexc0n1");
	is(8, 17, "8:17");
	/* a disk of device mapper's on a partition, and one on that */
	sh("ln -s ../../devices/virtual/block/dm-0 sys/dev/block/253:0; ln -s ../../devices/virtual/block/dm-1 sys/dev/block/253:1");
	sh("mkdir -p sys/class/block sys/devices/pci/block/vda/vda1 sys/devices/virtual/block/dm-0/slaves/vda1 "
	   "sys/devices/virtual/block/dm-1/slaves/dm-0");
	sh("for d in pci/block/vda pci/block/vda/vda1 virtual/block/dm-0 virtual/block/dm-1; do ln -s ../../devices/$d sys/class/block/; done");
	check(disk_is_over(root, 254 << 20, "vda") && disk_is_over(root, 253 << 20, "vda") && disk_is_over(root, 253 << 20 | 1, "vda"));
	check(!disk_is_over(root, 254 << 20, "vdb") && !disk_is_over(root, 253 << 20 | 1, "vdb") && !disk_is_over(root, 8 << 20, "vda"));
	check(!disk_is_over(root, 254 << 20, "dm-0"));
	/* made of itself: an end is found all the same */
	sh("mkdir sys/devices/virtual/block/dm-0/slaves/dm-1");
	check(!disk_is_over(root, 253 << 20, "vdb"));
	sh("rm proc/diskstats");
	is(259, 2, "259:2");
	sh("rm -r proc sys");
	check_eq(rmdir(root), 0);
}

static const struct ktap_case cases[] = { { "names", names } };

int main(void)
{
	return ktap_run(cases, ARRAY_SIZE(cases));
}
