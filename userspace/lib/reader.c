// SPDX-License-Identifier: LGPL-2.1-only
/* A reader's descriptor and mapping: opening, checking before any use, closing. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "reader.h"

static bool power_of_two(uint64_t x)
{
	return x && !(x & (x - 1));
}

/* Do module and library each accept the other's ABI? See CTRACE_ABI. */
static bool understood(const struct ctrace_dir *d)
{
	return d->magic == CTRACE_MAGIC && d->abi_compat <= CTRACE_ABI &&
	       d->abi >= CTRACE_ABI_COMPAT;
}

/*
 * Checks every value that is computed with later, so that no offset leaves the mapping and no product
 * overflows. -EPROTO: this library does not understand the mapping.
 */
static int check_dir(const struct ctrace_dir *d, uint64_t map_len)
{
	uint64_t slots;

	if (!understood(d))
		return -EPROTO;
	if (d->map_size > map_len || d->map_size > SIZE_MAX)
		return -EPROTO;
	if (!d->ncpus || !d->slots_per_cpu || (uint64_t)d->ncpus * d->slots_per_cpu != d->nslots)
		return -EPROTO;
	if (!power_of_two(d->subbuf_size) || !power_of_two(d->ring_size) ||
	    d->subbuf_size < CTRACE_PAGE || d->ring_size > d->map_size ||
	    d->ring_size < 2ull * d->subbuf_size)
		return -EPROTO;
	if (d->slot_stride != CTRACE_PAGE + d->ring_size)
		return -EPROTO;
	if (d->slots_off % CTRACE_PAGE || d->slots_off < CTRACE_PAGE ||
	    d->slots_off > d->map_size)
		return -EPROTO;
	slots = (d->map_size - d->slots_off) / d->slot_stride;
	if (d->nslots > slots)
		return -EPROTO;
	if (d->heads_off && (d->heads_off % 8 || d->heads_off < sizeof(*d) ||
			     d->heads_off > d->slots_off ||
			     (d->slots_off - d->heads_off) / 8 < d->nslots))
		return -EPROTO;
	return 0;
}

static int set_up_ring(struct ctrace_reader *r, uint32_t slot, bool from_now)
{
	const char *at = (const char *)r->map + r->dir.slots_off + slot * r->dir.slot_stride;
	const struct ctrace_ring *ctl = (const struct ctrace_ring *)at;
	struct ctrace_reader_ring *ring = &r->rings[slot];
	int err = 0;

	ctrace_cursor_init(&ring->cur, ctl, r->dir.ring_size, r->dir.subbuf_size);
	if (from_now) {
		/* Read before the cursor moves: a record that comes in between changes the hint. */
		ring->hint = ctrace_reader_hint(r, slot);
		ring->full = ctrace_load(&ctl->lost_full);
		ring->nested = ctrace_load(&ctl->lost_nested);
		err = ctrace_cursor_to_now(&ring->cur);
	} else if (r->dir.flags & CTRACE_DIR_F_BOUND) {
		err = ctrace_cursor_to_base(&ring->cur);
	}
	/* -EAGAIN: written faster than the cursor can follow. It starts somewhat earlier than now. */
	return err == -EAGAIN ? 0 : err;
}

static void free_reader(struct ctrace_reader *r)
{
	uint32_t i;

	for (i = 0; r->rings && i < r->dir.nslots; i++)
		free(r->rings[i].buf);
	free(r->rings);
	free(r->heap);
	free(r);
}

/* On success the reader owns map and fd; with fd -1 the caller keeps map. */
static int new_reader(const void *map, size_t len, int fd, unsigned int flags,
		      struct ctrace_reader **out)
{
	struct ctrace_reader *r;
	struct ctrace_dir dir;
	uint32_t i;
	int err;

	memcpy(&dir, map, sizeof(dir));
	err = check_dir(&dir, len);
	if (err)
		return err;
	r = calloc(1, sizeof(*r));
	if (!r)
		return -ENOMEM;
	r->dir = dir;
	r->live = map;
	r->heads = dir.heads_off ? (const void *)((const char *)map + dir.heads_off) : NULL;
	r->map = map;
	r->map_len = len;
	r->fd = fd;
	r->rings = calloc(dir.nslots, sizeof(*r->rings));
	r->heap = calloc(dir.nslots, sizeof(*r->heap));
	err = r->rings && r->heap ? 0 : -ENOMEM;
	for (i = 0; !err && i < dir.nslots; i++)
		err = set_up_ring(r, i, flags & CTRACE_READER_FROM_NOW);
	if (err) {
		free_reader(r);
		return err;
	}
	*out = r;
	return 0;
}

int ctrace_reader_open_map(const void *map, size_t len, unsigned int flags,
			   struct ctrace_reader **out)
{
	*out = NULL;
	if (len < sizeof(struct ctrace_dir))
		return -EPROTO;
	return new_reader(map, len, -1, flags, out);
}

/* Maps the directory alone, to learn how much to map. */
static int read_map_size(int fd, uint64_t *size)
{
	const struct ctrace_dir *d;
	int err = 0;

	d = mmap(NULL, CTRACE_PAGE, PROT_READ, MAP_SHARED, fd, 0);
	if (d == MAP_FAILED)
		return -errno;
	*size = d->map_size;
	if (!understood(d) || *size < CTRACE_PAGE || *size > SIZE_MAX)
		err = -EPROTO;
	munmap((void *)d, CTRACE_PAGE);
	return err;
}

int ctrace_reader_open_fd(int fd, unsigned int flags, struct ctrace_reader **out)
{
	uint64_t size = 0;
	void *map;
	int err;

	*out = NULL;
	if (flags & ~(unsigned int)CTRACE_READER_FROM_NOW)
		return -EINVAL;
	err = read_map_size(fd, &size);
	if (err)
		return err;
	map = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
	if (map == MAP_FAILED)
		return -errno;
	err = new_reader(map, size, fd, flags, out);
	if (err)
		munmap(map, size);
	return err;
}

/* --- with a connection: errors leave a sentence for ctrace_strerror() --------------- */

static int bind_fd(struct ctrace *ct, int fd, uint32_t session, uint32_t cid)
{
	struct ctrace_bind b = { .session = session, .cid = cid };

	if (!ioctl(fd, CTRACE_IOC_BIND, &b))
		return 0;
	switch (errno) {
	case EACCES:
		return ctrace_ctl_error(ct, -EACCES,
			"single containers of session %u cannot be read, because its records hold kernel addresses (stacks, raw tracepoints, kprobe arguments)",
			session);
	case EPERM:
		return ctrace_ctl_error(ct, -errno, "cannot read session %u: %s", session,
					ctrace_error_hint(-EPERM));
	case ENOENT:
		if (cid == CTRACE_CID_ALL)
			return ctrace_ctl_error(ct, -ENOENT, "there is no session %u", session);
		return ctrace_ctl_error(ct, -ENOENT, "there is no session %u or no container %u",
					session, cid);
	case ENOSPC:
		return ctrace_ctl_error(ct, -ENOSPC,
			"session %u has no free ring for container %u: give it a larger arena or smaller rings",
			session, cid);
	}
	return ctrace_ctl_error(ct, -errno, "cannot read session %u: %s", session,
				strerror(errno));
}

int ctrace_reader_open_id(struct ctrace *ct, uint32_t session, uint32_t cid, unsigned int flags,
			  struct ctrace_reader **out)
{
	int fd, err;

	*out = NULL;
	fd = open(CTRACE_DEVICE, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return ctrace_ctl_error(ct, -errno, "cannot open %s: %s%s", CTRACE_DEVICE,
			strerror(errno), errno == ENOENT ?
			" (no udev or devtmpfs here: mount devtmpfs on /dev)" : "");
	err = bind_fd(ct, fd, session, cid);
	if (err)
		goto close;
	err = ctrace_reader_open_fd(fd, flags, out);
	if (!err)
		return 0;
	if (err == -EPROTO)
		ctrace_ctl_error(ct, err,
			"the rings of session %u have a layout that this version of the library does not know",
			session);
	else
		ctrace_ctl_error(ct, err, "cannot map the rings of session %u: %s", session,
				 strerror(-err));
close:
	close(fd);
	return err;
}

int ctrace_reader_open(struct ctrace_session *s, unsigned int flags, struct ctrace_reader **out)
{
	int err;

	*out = NULL;
	if (!s->ct)
		return -ESHUTDOWN;
	err = ctrace_reader_open_id(s->ct, s->id, CTRACE_CID_ALL, flags, out);
	if (err)
		return err;
	s->refs++;
	(*out)->session = s;
	if (flags & CTRACE_READER_FROM_NOW) {
		ctrace_session_losses(s);
		(*out)->missed = s->missed;
		(*out)->unfollowed = s->unfollowed;
		(*out)->unfollowed_tasks = s->unfollowed_tasks;
	}
	return 0;
}

void ctrace_reader_close(struct ctrace_reader *r)
{
	if (!r)
		return;
	if (r->fd >= 0) {
		munmap((void *)r->map, r->map_len);
		close(r->fd);
	}
	ctrace_session_put(r->session);
	free_reader(r);
}

int ctrace_reader_fd(const struct ctrace_reader *r)
{
	return r->fd;
}

const struct ctrace_dir *ctrace_reader_dir(const struct ctrace_reader *r)
{
	return r->live;
}
