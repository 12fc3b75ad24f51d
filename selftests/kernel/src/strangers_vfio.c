// SPDX-License-Identifier: GPL-2.0-only
/*
 * strangers_vfio GROUP: nobody, who was given a device by its IOMMU group, makes the view that he holds
 * reachable by the device's own writes to memory. Kernels before 5.8 computed which page that is.
 */
#include "stranger_hold.h"
#include <linux/vfio.h>

static const char *group_path;

/* Returns a container of VFIO with the group in it, or -1. */
static int container(int *group)
{
	struct vfio_group_status st = { .argsz = sizeof(st) };
	int fd = open("/dev/vfio/vfio", O_RDWR | O_CLOEXEC);

	*group = open(group_path, O_RDWR | O_CLOEXEC);
	if (fd < 0 || *group < 0 || ioctl(*group, VFIO_GROUP_GET_STATUS, &st) ||
	    !(st.flags & VFIO_GROUP_FLAGS_VIABLE) || ioctl(*group, VFIO_GROUP_SET_CONTAINER, &fd) ||
	    ioctl(fd, VFIO_SET_IOMMU, VFIO_TYPE1v2_IOMMU)) {
		close(fd);
		close(*group);
		return -1;
	}
	return fd;
}

static int mapped(int fd, void *p, size_t n, uint64_t at, uint32_t flags)
{
	struct vfio_iommu_type1_dma_map m = {
		.argsz = sizeof(m), .flags = flags, .vaddr = (uintptr_t)p, .iova = at, .size = n,
	};

	return ioctl(fd, VFIO_IOMMU_MAP_DMA, &m);
}

static int at_own_memory(struct hold *h)
{
	char *own = mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int group, fd = container(&group);

	if (fd < 0 || mapped(fd, own, 65536, 0, VFIO_DMA_MAP_FLAG_READ | VFIO_DMA_MAP_FLAG_WRITE))
		return hold_absent(h, "the group");
	close(group);
	close(fd);
	return 0;
}

static int reached(struct hold *h, int flags, bool touched)
{
	char *p = mmap(NULL, h->size, PROT_READ, flags, h->fd, 0), c;
	int group, fd = container(&group);
	uint64_t at = 1 << 30;

	if (fd < 0)
		return hold_absent(h, "the group");
	for (size_t i = 0; touched && i < h->size; i += 4096)
		stranger_copy(&c, p + i, 1);
	for (uint32_t how = VFIO_DMA_MAP_FLAG_READ; how <= (VFIO_DMA_MAP_FLAG_READ | VFIO_DMA_MAP_FLAG_WRITE); how++) {
		MUST_NOT(h, !mapped(fd, p, h->size, at, how), "a device reaches the view");
		for (size_t i = 0; i < 3; i++)
			MUST_NOT(h, !mapped(fd, p + i * 4096, 4096, at + (1 << 30), how), "a device reaches a page of the view");
	}
	close(group);
	close(fd);
	return 0;
}

static int at_touched(struct hold *h)	{ return reached(h, MAP_SHARED, true); }
static int at_untouched(struct hold *h)	{ return reached(h, MAP_SHARED, false); }
static int at_private(struct hold *h)	{ return reached(h, MAP_PRIVATE, true); }

static const struct attack own = { "a device reaches memory of its user", at_own_memory };
static const struct attack attacks[] = {
	{ "a device reaches a view that its owner has looked at", at_touched },
	{ "a device reaches a view that nobody has looked at", at_untouched },
	{ "a device reaches a private mapping of a view", at_private },
};

int main(int argc, char **argv)
{
	group_path = argc > 1 ? argv[1] : "/dev/vfio/0";
	hold_all(&own, attacks, sizeof(attacks) / sizeof(*attacks), 65536, "vfio-mine", 0x76666, 5);
}
