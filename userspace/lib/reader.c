// SPDX-License-Identifier: LGPL-2.1-only
/*
 * A reader's descriptor and mapping: opening, checking before any use, closing. And the sentences of its
 * errors.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "reader.h"

/* as linux/major.h and linux/magic.h have them */
#define MISC_MAJOR	10
#define ANON_INODE_FS	0x09041934

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
	if (!d->heads_off)
		return 0;
	if (d->heads_off % 8 || d->heads_off < sizeof(*d) || d->heads_off > d->slots_off || d->heads_stride % 8 ||
	    d->heads_stride / 8 < d->slots_per_cpu || (d->slots_off - d->heads_off) / d->heads_stride < d->ncpus)
		return -EPROTO;
	return 0;
}

static int set_up_ring(struct ctrace_reader *r, uint32_t slot, bool from_now)
{
	const char *at = (const char *)r->map + r->dir.slots_off + slot * r->dir.slot_stride;
	const struct ctrace_ring *ctl = (const struct ctrace_ring *)at;
	struct ctrace_reader_ring *ring = &r->rings[slot];
	uint32_t cpu = slot / r->dir.slots_per_cpu;
	int err = 0;

	ctrace_cursor_init(&ring->cur, ctl, r->dir.ring_size, r->dir.subbuf_size);
	if (r->dir.heads_off)
		ring->head = (const void *)((const char *)r->map + r->dir.heads_off + cpu * r->dir.heads_stride +
					    slot % r->dir.slots_per_cpu * sizeof(uint64_t));
	/* in a view, what was refused before may have been of the slot's earlier containers */
	if (from_now || r->dir.flags & CTRACE_DIR_F_BOUND) {
		ctrace_reader_refused(r, ring);
		ring->full = ring->full_now;
		ring->nested = ring->nested_now;
		ring->frozen = ring->frozen_now;
	}
	if (from_now) {
		/* Read before the cursor moves: a record that comes in between changes the hint. */
		ring->hint = ctrace_reader_hint(r, slot);
		err = ctrace_cursor_to_now(&ring->cur);
	} else if (r->dir.flags & CTRACE_DIR_F_BOUND) {
		err = ctrace_cursor_to_base(&ring->cur);
	}
	/* -EAGAIN: written faster than the cursor can follow. It starts somewhat earlier than now. */
	return err == -EAGAIN || ctrace_reader_revoked(r) ? 0 : err;
}

/* On error r is as it was, but may hold some of what ctrace_reader_close() frees. */
static int set_up(struct ctrace_reader *r, const void *map, size_t len, unsigned int flags)
{
	struct ctrace_dir dir;
	uint32_t i;
	int err;

	memcpy(&dir, map, sizeof(dir));
	err = check_dir(&dir, len);
	if (err)
		return err;
	r->rings = calloc(dir.nslots, sizeof(*r->rings));
	r->heap = calloc(dir.nslots, sizeof(*r->heap));
	if (!r->rings || !r->heap)
		return -ENOMEM;
	r->dir = dir;
	r->live = map;
	r->map = map;
	r->map_len = len;
	for (i = 0; !err && i < dir.nslots; i++)
		err = set_up_ring(r, i, flags & CTRACE_READER_FROM_NOW);
	return err;
}

/* A reader of nothing, that has ended. It stays that if opening fails. */
static struct ctrace_reader *new_reader(void)
{
	struct ctrace_reader *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	r->dir.state = CTRACE_DIR_ENDED;
	r->live = &r->dir;
	r->fd = -1;
	return r;
}

/* Back to a reader of nothing, but for the sentence. */
static void reset(struct ctrace_reader *r)
{
	uint32_t i;

	for (i = 0; r->rings && i < r->dir.nslots; i++)
		free(r->rings[i].buf);
	free(r->rings);
	free(r->heap);
	r->rings = NULL;
	r->heap = NULL;
	r->dir = (struct ctrace_dir){ .state = CTRACE_DIR_ENDED };
	r->live = &r->dir;
}

int ctrace_reader_open_map(const void *map, size_t len, unsigned int flags,
			   struct ctrace_reader **out)
{
	struct ctrace_reader *r = new_reader();
	int err = r ? 0 : -ENOMEM;

	*out = NULL;
	if (!err)
		err = len < sizeof(struct ctrace_dir) ? -EPROTO : set_up(r, map, len, flags);
	if (err)
		ctrace_reader_close(r);
	else
		*out = r;
	return err;
}

/*
 * Is it one of the module's descriptors? Only on those does a mapping never shrink, which would be SIGBUS
 * here. An answer to the ioctl alone does not prove it: a file of FUSE may answer anything.
 */
static int check_fd(int fd, uint64_t *size)
{
	struct ctrace_shown shown;
	struct statfs fs;
	struct stat st;

	if (fstat(fd, &st) || fstatfs(fd, &fs))
		return -errno;
	if (!(S_ISCHR(st.st_mode) && major(st.st_rdev) == MISC_MAJOR) && fs.f_type != ANON_INODE_FS)
		return -ENOTTY;
	if (ioctl(fd, CTRACE_IOC_INFO, &shown))
		return errno == ENXIO ? -ENXIO : -ENOTTY;	/* other files have errors of their own */
	*size = shown.map_size;
	return *size < CTRACE_PAGE || *size > SIZE_MAX ? -EPROTO : 0;
}

/* From a bound descriptor or a view. On success r owns it. */
static int open_fd(struct ctrace_reader *r, int fd, unsigned int flags)
{
	uint64_t size = 0;
	void *map;
	int err;

	err = check_fd(fd, &size);
	if (!err) {
		map = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
		err = map == MAP_FAILED ? -errno : set_up(r, map, size, flags);
		if (err && map != MAP_FAILED) {
			reset(r);
			munmap(map, size);
		}
	}
	switch (err) {
	case 0:
		r->fd = fd;
		return 0;
	case -EPROTO:
		return ctrace_reader_error(r, err,
			"the rings are laid out for another version of this library");
	case -ENXIO:
		return ctrace_reader_error(r, err, "the descriptor is not bound to a session");
	case -ENOTTY:
		return ctrace_reader_error(r, err,
			"the descriptor shows no records: it is neither %s nor a view, or of another version", CTRACE_DEVICE);
	}
	return ctrace_reader_error(r, err, "cannot map the rings: %s", strerror(-err));
}

static int session_error(struct ctrace_reader *r, int err, uint32_t session, uint32_t cid)
{
	switch (err) {
	case -EACCES:
		return ctrace_reader_error(r, err,
			"single containers of session %u cannot be read, because its records hold kernel addresses (stacks, raw tracepoints, kprobe arguments), or show neighbours (CTRACE_SESSION_F_NEIGHBOURS)",
			session);
	case -EPERM:
		return ctrace_reader_error(r, err, "cannot read session %u: %s", session,
					   ctrace_error_hint(err));
	case -ENOENT:
		if (cid == CTRACE_CID_ALL)
			return ctrace_reader_error(r, err, "there is no session %u", session);
		return ctrace_reader_error(r, err, "there is no session %u or no container %u",
					   session, cid);
	case -ENOSPC:
		return ctrace_reader_error(r, err,
			"session %u has no free ring for container %u: give it a larger arena or smaller rings",
			session, cid);
	case -ETIMEDOUT:
		return ctrace_reader_error(r, err,
			"cannot prepare rings for container %u: a CPU did not answer for ten seconds, perhaps a real-time task owns it",
			cid);
	}
	return ctrace_reader_error(r, err, "cannot read session %u: %s", session, strerror(-err));
}

/*
 * Returns a descriptor that shows the session, or one container of it; dev is one of the device, not bound.
 */
static int descriptor_of(int dev, uint32_t session, uint32_t cid)
{
	struct ctrace_bind b = { .session = session, .cid = CTRACE_CID_ALL };
	struct ctrace_view_args v = { .session = session, .cid = cid };
	int fd;

	if (cid == CTRACE_CID_ALL)
		return ioctl(dev, CTRACE_IOC_BIND, &b) ? -errno : dev;
	fd = ioctl(dev, CTRACE_IOC_VIEW, &v);
	if (fd < 0)
		return -errno;
	fcntl(fd, F_SETFL, O_NONBLOCK);
	return fd;
}

static int open_session(struct ctrace_reader *r, uint32_t session, uint32_t cid, unsigned int flags)
{
	int dev, fd, err;

	dev = open(CTRACE_DEVICE, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (dev < 0 && errno == EPERM)
		return session_error(r, -EPERM, session, cid);
	if (dev < 0)
		return ctrace_reader_error(r, -errno, "cannot open %s: %s%s", CTRACE_DEVICE,
			strerror(errno), errno == ENOENT ?
			" (no udev or devtmpfs here: mount devtmpfs on /dev)" : "");
	fd = descriptor_of(dev, session, cid);
	if (fd != dev)
		close(dev);
	if (fd < 0)
		return session_error(r, fd, session, cid);
	err = open_fd(r, fd, flags);
	if (err)
		close(fd);
	return err;
}

static int open_by_opts(struct ctrace_reader *r, const struct ctrace_session *s,
			const struct ctrace_reader_opts *opts)
{
	const unsigned int known = CTRACE_READER_FROM_NOW | CTRACE_READER_CID | CTRACE_READER_FD;
	struct ctrace_reader_opts o = { .sz = sizeof(o) };
	int err;

	err = opts ? ctrace_opts_take(&o, sizeof(o), opts) : 0;
	if (err)
		return ctrace_reader_error(r, err, "cannot open a reader: %s", ctrace_opts_error(err));
	if (o.flags & ~known)
		return ctrace_reader_error(r, -EINVAL, "cannot open a reader: unknown flags %#x",
					   o.flags & ~known);
	if (!!s + !!o.session + !!(o.flags & CTRACE_READER_FD) != 1 ||
	    (o.flags & CTRACE_READER_FD && o.flags & CTRACE_READER_CID))
		return ctrace_reader_error(r, -EINVAL,
			"cannot open a reader: name one thing to read, a session or a descriptor");
	if (s && !s->ct)
		return ctrace_reader_error(r, -ESHUTDOWN, "the session has ended");
	if (o.flags & CTRACE_READER_FD)
		return open_fd(r, o.fd, o.flags);
	return open_session(r, s ? s->id : o.session,
			    o.flags & CTRACE_READER_CID ? o.cid : CTRACE_CID_ALL, o.flags);
}

int ctrace_reader_open(struct ctrace_session *s, const struct ctrace_reader_opts *opts,
		       struct ctrace_reader **out)
{
	struct ctrace_reader *r = *out = new_reader();
	int err = r ? open_by_opts(r, s, opts) : -ENOMEM;

	if (err && s && s->ct)
		ctrace_ctl_error(s->ct, err, "%s", ctrace_reader_errmsg(r));
	return err;
}

void ctrace_reader_close(struct ctrace_reader *r)
{
	if (!r)
		return;
	reset(r);
	if (r->fd >= 0) {
		munmap((void *)r->map, r->map_len);
		close(r->fd);
	}
	free(r);
}

int ctrace_reader_revoke(struct ctrace_reader *r)
{
	if (!ioctl(r->fd, CTRACE_IOC_REVOKE))
		return 0;
	if (errno == ENOTTY)
		return ctrace_reader_error(r, -errno, "only a view of one container can be taken back");
	return ctrace_reader_error(r, -errno, "cannot take the view back: %s",
				   errno == EPERM ? ctrace_error_hint(-EPERM) : strerror(errno));
}

void ctrace_reader_hold(struct ctrace_reader *r, ctrace_reader_hold_fn fn, void *arg)
{
	r->hold = fn;
	r->hold_arg = arg;
}

int ctrace_reader_fd(const struct ctrace_reader *r)
{
	return r->fd;
}

const struct ctrace_dir *ctrace_reader_dir(const struct ctrace_reader *r)
{
	return r->live;
}

/* --- errors ---------------------------------------------------------------- */

int ctrace_reader_error(struct ctrace_reader *r, int err, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(r->err, sizeof(r->err), fmt, ap);
	va_end(ap);
	return err;
}

int ctrace_reader_failed(struct ctrace_reader *r, int err)
{
	switch (err) {
	case -ENODATA:
		if (ctrace_reader_revoked(r))
			return ctrace_reader_error(r, err,
				"the view has ended: its session or its container has gone, or it was taken back");
		return ctrace_reader_error(r, err, "the session has ended, and every record was read");
	case -EPROTO:
		return ctrace_reader_error(r, err, "a ring of session %u makes no sense", r->dir.session);
	case -EBUSY:
		return ctrace_reader_error(r, err, "records taken by ctrace_reader_next() wait to be handed out");
	}
	return ctrace_reader_error(r, err, "cannot read records: %s", strerror(-err));
}

const char *ctrace_reader_errmsg(const struct ctrace_reader *r)
{
	return r ? r->err : "out of memory";
}
