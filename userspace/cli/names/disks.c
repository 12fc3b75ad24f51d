// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <libctrace.h>
#include "names/disks.h"

#define MINOR_BITS	20	/* of the kernel's own dev_t */

static struct disk {
	uint32_t dev;
	char name[64];
} *disks;
static size_t ndisks;

/* A disk that the kernel hides, as the path to an NVMe disk that may have several (nvme0c0n1), has no link by its number. */
static void name_hidden(struct disk *d, unsigned int major, unsigned int minor)
{
	char *text = read_file("/proc/diskstats", NULL), *save = NULL;
	unsigned int a, b;
	char name[64];

	snprintf(d->name, sizeof(d->name), "%u:%u", major, minor);
	for (char *l = text ? strtok_r(text, "\n", &save) : NULL; l; l = strtok_r(NULL, "\n", &save))
		if (sscanf(l, "%u %u %63s", &a, &b, name) == 3 && a == major && b == minor)
			snprintf(d->name, sizeof(d->name), "%s", name);
	free(text);
}

static const struct disk *disk_of(uint32_t dev)
{
	unsigned int major = dev >> MINOR_BITS, minor = dev & ((1u << MINOR_BITS) - 1);
	char path[64], link[512];
	const char *name;
	struct disk *d;
	ssize_t n;

	for (size_t i = 0; i < ndisks; i++)
		if (disks[i].dev == dev)
			return &disks[i];
	disks = xrealloc(disks, (ndisks + 1) * sizeof(disks[0]));
	d = &disks[ndisks++];
	d->dev = dev;
	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u", major, minor);
	n = readlink(path, link, sizeof(link) - 1);
	link[n > 0 ? n : 0] = '\0';
	name = strrchr(link, '/');
	if (name)
		snprintf(d->name, sizeof(d->name), "%s", name + 1);
	else
		name_hidden(d, major, minor);
	return d;
}

void disk_put(struct sbuf *b, uint32_t dev, bool live)
{
	if (live)
		sbuf_clean(b, disk_of(dev)->name);
	else
		sbuf_printf(b, "%u:%u", dev >> MINOR_BITS, dev & ((1u << MINOR_BITS) - 1));
}

char disk_direction(uint64_t rwbs)
{
	return rwbs & CTRACE_RWBS_WRITE ? 'W' : rwbs & (CTRACE_RWBS_DISCARD | CTRACE_RWBS_SECURE) ? 'D' :
	       rwbs & CTRACE_RWBS_READ ? 'R' : rwbs & CTRACE_RWBS_FLUSH ? 'F' : 'N';
}
