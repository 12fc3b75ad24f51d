// SPDX-License-Identifier: GPL-2.0-only
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <libctrace.h>
#include "names/disks.h"

#define MINOR_BITS	20	/* of the kernel's own dev_t */
#define LAYERS		4u	/* of disks, one made of the other */

static struct disk {
	uint32_t dev;
	char name[64];
} *disks;
static size_t ndisks;

/*
 * A disk that the kernel hides has no link by its number. It is a path to an NVMe disk, and is called
 * nvmeScCnN: subsystem, controller, disk. The disk that people know is nvmeSnN, whatever paths it has.
 */
static void name_hidden(const char *root, char *name, size_t size, unsigned int major, unsigned int minor)
{
	char *path = xasprintf("%s/proc/diskstats", root), *text = read_file(path, NULL), *save = NULL;
	unsigned int a, b, subsystem, disk;
	char found[64], head[64];
	int end = 0;

	free(path);
	snprintf(name, size, "%u:%u", major, minor);
	for (char *l = text ? strtok_r(text, "\n", &save) : NULL; l; l = strtok_r(NULL, "\n", &save))
		if (sscanf(l, "%u %u %63s", &a, &b, found) == 3 && a == major && b == minor)
			snprintf(name, size, "%s", found);
	free(text);
	if (sscanf(name, "nvme%uc%*un%u%n", &subsystem, &disk, &end) != 2 || name[end])
		return;
	snprintf(head, sizeof(head), "nvme%un%u", subsystem, disk);
	path = xasprintf("%s/sys/block/%s", root, head);
	if (!access(path, F_OK))
		snprintf(name, size, "%s", head);
	free(path);
}

void disk_name(const char *root, uint32_t dev, char *name, size_t size)
{
	unsigned int major = dev >> MINOR_BITS, minor = dev & ((1u << MINOR_BITS) - 1);
	char *path = xasprintf("%s/sys/dev/block/%u:%u", root, major, minor), link[512];
	ssize_t n = readlink(path, link, sizeof(link) - 1);
	const char *last;

	free(path);
	link[n > 0 ? n : 0] = '\0';
	last = strrchr(link, '/');
	if (last)
		snprintf(name, size, "%s", last + 1);
	else
		name_hidden(root, name, size, major, minor);
}

static const struct disk *disk_of(uint32_t dev)
{
	struct disk *d;

	for (size_t i = 0; i < ndisks; i++)
		if (disks[i].dev == dev)
			return &disks[i];
	disks = xrealloc(disks, (ndisks + 1) * sizeof(disks[0]));
	d = &disks[ndisks++];
	d->dev = dev;
	disk_name("", dev, d->name, sizeof(d->name));
	return d;
}

void disk_put(struct sbuf *b, uint32_t dev, bool live)
{
	if (live)
		sbuf_clean(b, disk_of(dev)->name);
	else
		sbuf_printf(b, "%u:%u", dev >> MINOR_BITS, dev & ((1u << MINOR_BITS) - 1));
}

/* Is `device`, below root, the disk `name` or a partition of it, or made of it? */
static bool is_over(const char *root, const char *device, const char *name, unsigned int depth)
{
	char *path = xasprintf("%s/sys/class/block/%s", root, device), link[512], *slash;
	ssize_t n = readlink(path, link, sizeof(link) - 1);
	bool yes = !strcmp(device, name);
	struct dirent *e;
	DIR *d;

	free(path);
	/* a partition's directory is in the disk's */
	link[n > 0 ? n : 0] = '\0';
	slash = strrchr(link, '/');
	if (slash) {
		*slash = '\0';
		slash = strrchr(link, '/');
		yes |= slash && !strcmp(slash + 1, name);
	}
	path = xasprintf("%s/sys/class/block/%s/slaves", root, device);
	d = yes || !depth ? NULL : opendir(path);	/* the kernel's */
	free(path);
	while (d && !yes && (e = readdir(d)))
		yes = e->d_name[0] != '.' && is_over(root, e->d_name, name, depth - 1);
	if (d)
		closedir(d);
	return yes;
}

bool disk_is_over(const char *root, uint32_t dev, const char *name)
{
	char top[64];

	disk_name(root, dev, top, sizeof(top));
	return is_over(root, top, name, LAYERS);
}

char disk_direction(uint64_t rwbs)
{
	return rwbs & CTRACE_RWBS_WRITE ? 'W' : rwbs & (CTRACE_RWBS_DISCARD | CTRACE_RWBS_SECURE) ? 'D' :
	       rwbs & CTRACE_RWBS_READ ? 'R' : rwbs & CTRACE_RWBS_FLUSH ? 'F' : 'N';
}
