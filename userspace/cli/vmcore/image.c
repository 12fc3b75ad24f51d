// SPDX-License-Identifier: GPL-2.0-only
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <libkdumpfile/kdumpfile.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "vmcore/image.h"

struct image {
	struct core_image core;
	kdump_ctx_t *ctx;
	kdump_bmp_t *pages;	/* those that the file has; NULL: not known, all up to max are asked for */
	uint64_t max;
	int fd;
};

static bool read_phys(struct core_image *im, uint64_t phys, void *to, size_t len)
{
	struct image *i = (struct image *)im;
	size_t got = len;

	if (kdump_read(i->ctx, KDUMP_MACHPHYSADDR, phys, to, &got) == KDUMP_OK && got == len)
		return true;
	kdump_clear_err(i->ctx);
	return false;
}

static bool next_page(struct core_image *im, uint64_t *page)
{
	struct image *i = (struct image *)im;
	kdump_addr_t at = *page;

	if (!i->pages)
		return *page < i->max;
	if (kdump_bmp_find_set(i->pages, &at) != KDUMP_OK)
		return false;
	*page = at;
	return *page < i->max;
}

static int failed(struct image *i, const char *what, char **why)
{
	*why = xasprintf("%s: %s", what, kdump_get_err(i->ctx));
	return -1;
}

/* What the memory looked like: reading it as another machine's would find nothing, and not say why. */
static int check_machine(struct image *i, char **why)
{
	kdump_num_t order, size, ptr = 8;

	if (kdump_get_number_attr(i->ctx, KDUMP_ATTR_BYTE_ORDER, &order) != KDUMP_OK)
		return failed(i, "it does not say what machine it is of", why);
	if ((order == KDUMP_BIG_ENDIAN) != (BYTE_ORDER == BIG_ENDIAN)) {
		*why = xstrdup("it is of a machine with the other byte order: read it on one like that");
		return -1;
	}
	if (kdump_get_number_attr(i->ctx, KDUMP_ATTR_PTR_SIZE, &ptr) == KDUMP_OK && ptr != 8) {
		*why = xstrdup("it is of a 32-bit machine, on which ctrace does not work");
		return -1;
	}
	kdump_clear_err(i->ctx);
	if (kdump_get_number_attr(i->ctx, KDUMP_ATTR_PAGE_SIZE, &size) != KDUMP_OK)
		return failed(i, "it does not say how large pages are", why);
	if (size < CTRACE_PAGE || size > 1 << 20 || size & (size - 1)) {
		*why = xasprintf("its pages are of %llu bytes", (unsigned long long)size);
		return -1;
	}
	i->core.page_size = (uint32_t)size;
	return 0;
}

static int take_pages(struct image *i, char **why)
{
	kdump_attr_t map = { .type = KDUMP_BITMAP };
	kdump_num_t max = 0;

	if (kdump_get_typed_attr(i->ctx, "file.pagemap", &map) == KDUMP_OK) {
		i->pages = map.val.bitmap;
		kdump_bmp_incref(i->pages);
	}
	kdump_clear_err(i->ctx);
	if (kdump_get_number_attr(i->ctx, "max_pfn", &max) == KDUMP_OK && max) {
		i->max = max;
	} else {
		kdump_clear_err(i->ctx);
		i->max = UINT64_MAX / i->core.page_size;
		if (!i->pages) {
			*why = xstrdup("it does not say which pages it has");
			return -1;
		}
	}
	return 0;
}

/* makedumpfile -F, and QEMU, write a form for pipes, which not every libkdumpfile reads. */
static bool is_flattened(const struct image *i)
{
	static const char magic[] = "makedumpfile";
	char head[sizeof(magic)];

	return pread(i->fd, head, sizeof(head), 0) == sizeof(head) && !memcmp(head, magic, sizeof(magic));
}

static int open_it(struct image *i, const char *file, char **why)
{
	struct stat st;

	i->fd = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (i->fd < 0 || fstat(i->fd, &st)) {
		*why = xstrdup(strerror(errno));
		return -1;
	}
	if (!S_ISREG(st.st_mode)) {
		*why = xstrdup(S_ISDIR(st.st_mode) ? "it is a directory" : "it is no regular file");
		return -1;
	}
	i->ctx = kdump_new();
	if (!i->ctx) {
		*why = xstrdup("out of memory");
		return -1;
	}
	if (kdump_set_number_attr(i->ctx, KDUMP_ATTR_FILE_FD, (kdump_num_t)i->fd) != KDUMP_OK) {
		if (!is_flattened(i))
			return failed(i, "it is no vmcore", why);
		*why = xasprintf("it is flattened: makedumpfile -R NEW < %s makes a vmcore of it", file);
		return -1;
	}
	return check_machine(i, why) || take_pages(i, why) ? -1 : 0;
}

struct image *image_open(const char *file, char **why)
{
	struct image *i = xcalloc(1, sizeof(*i));

	i->core.read = read_phys;
	i->core.next = next_page;
	if (!open_it(i, file, why))
		return i;
	image_close(i);
	return NULL;
}

struct core_image *image_core(struct image *i)
{
	return &i->core;
}

void image_close(struct image *i)
{
	if (i->pages)
		kdump_bmp_decref(i->pages);
	if (i->ctx)
		kdump_free(i->ctx);
	if (i->fd >= 0)
		close(i->fd);
	free(i);
}
