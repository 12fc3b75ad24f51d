// SPDX-License-Identifier: GPL-2.0-only
/*
 * reader32, reader64: one source, built for 32 bits and for 64. Both use the kernel's nolibc, because a 32-bit
 * library would have to be installed.
 *
 *	readerN SESSION map|read [CID]
 *
 * binds a descriptor to the session (or to one container of it), prints "ready", and reads until the session
 * has ended, from the mapping or by read(). Before that it prints the place and length of each field in the
 * mapping. At the end it prints what it saw and lost, and a sum over the records that does not depend on their
 * order. Two readers of the same session print the same.
 */
#include <nolibc.h>
#include <ctrace/ctrace.h>
#include "../../../uapi/ctrace_ring_read.h"

/* --- the layout ------------------------------------------------------------------------- */

#define FIELDS(F)									\
	F(dir, magic) F(dir, abi) F(dir, abi_compat) F(dir, flags) F(dir, state)	\
	F(dir, session) F(dir, cid) F(dir, ncpus) F(dir, slots_per_cpu) F(dir, nslots)	\
	F(dir, subbuf_size) F(dir, ring_size) F(dir, slot_stride) F(dir, heads_off)	\
	F(dir, slots_off) F(dir, map_size) F(dir, features) F(dir, heads_stride)	\
	F(dir, frozen) F(dir, _reserved)						\
	F(ring, gen) F(ring, cid) F(ring, cpu) F(ring, flags) F(ring, base)		\
	F(ring, base_events) F(ring, floor) F(ring, floor_events) F(ring, _pad)		\
	F(ring, head) F(ring, entered) F(ring, lost_full) F(ring, lost_nested)		\
	F(ring, nest) F(ring, frozen) F(ring, lost_frozen) F(ring, _pad3)		\
	F(subbuf, pos) F(subbuf, events) F(subbuf, time) F(subbuf, last)		\
	F(record, time) F(record, id) F(record, len) F(record, cid) F(record, tid)	\
	F(record, vtid)									\
	F(bind, session) F(bind, cid) F(bind, map_size) F(bind, _reserved)

static void layout(void)
{
#define F(s, f)	printf(#s "." #f " %lu+%lu of %lu\n",					\
		       (unsigned long)__builtin_offsetof(struct ctrace_##s, f),		\
		       (unsigned long)sizeof(((struct ctrace_##s *)0)->f),			\
		       (unsigned long)sizeof(struct ctrace_##s));
	FIELDS(F)
	printf("CTRACE_IOC_BIND %lu\n", (unsigned long)CTRACE_IOC_BIND);
	printf("CTRACE_IOC_VIEW %lu\n", (unsigned long)CTRACE_IOC_VIEW);
	printf("CTRACE_IOC_INFO %lu\n", (unsigned long)CTRACE_IOC_INFO);
}

/* --- reading ------------------------------------------------------------------------------ */

#define SLOTS	16384

static struct ctrace_cursor cursors[SLOTS];
static __u64 buf[32768 / 8];
static __u64 seen, lost, sum;

static int take(const void *data, long len)
{
	const struct ctrace_record *rec;
	const __u64 *w;
	__u64 s;

	for (; len > 0; len -= rec->len, data = (const char *)data + rec->len) {
		rec = data;
		if (rec->len < sizeof(*rec) || rec->len > len || rec->len % 8)
			return -EPROTO;
		w = data;
		if (rec->id == CTRACE_ID_LOST) {	/* cause and cpu, count */
			lost += w[4];
			continue;
		}
		for (s = 0; w < (const __u64 *)data + rec->len / 8; w++)
			s = s * 31 + *w;
		sum += s;
		seen++;
	}
	return 0;
}

static int take_ring(struct ctrace_cursor *c)
{
	struct ctrace_span s;
	int ret;

	while ((ret = ctrace_cursor_next(c, &s, sizeof(buf), ~0ull)) > 0) {
		memcpy(buf, s.data, s.len);
		if (ctrace_cursor_done(c, &s) && take(buf, s.len))
			return -EPROTO;
	}
	return ret;
}

static int take_rings(unsigned int n)
{
	unsigned int i;
	int ret;

	for (i = 0, lost = 0; i < n; i++) {
		ret = take_ring(&cursors[i]);
		if (ret && ret != -EAGAIN)
			return ret;
		lost += cursors[i].lost;
	}
	return 0;
}

/* The call itself: nolibc's poll() may be ppoll() with a time of 32 bits, which not every kernel has. */
static int wait_for(struct pollfd *p, int ms)
{
	return my_syscall3(__NR_poll, p, 1, ms);
}

static int follow_map(int fd, __u64 size)
{
	const struct ctrace_dir *d = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
	struct pollfd p = { .fd = fd, .events = POLLIN };
	struct ctrace_cursor *c = cursors;
	unsigned int i;
	int ended, ret;

	if (d == MAP_FAILED)
		return -errno;
	if (d->magic != CTRACE_MAGIC || d->map_size != size || d->nslots > SLOTS)
		return -EPROTO;
	for (i = 0; i < d->nslots; i++, c++) {
		ctrace_cursor_init(c, (const void *)((const char *)d + d->slots_off + i * d->slot_stride),
				   d->ring_size, d->subbuf_size);
		ret = d->flags & CTRACE_DIR_F_BOUND ? ctrace_cursor_to_base(c) : 0;
		if (ret)
			return ret;
	}
	printf("ready\n");
	do {
		ret = wait_for(&p, 200);
		if (ret < 0)
			return ret;
		ended = ctrace_load_acquire(&d->state) == CTRACE_DIR_ENDED;
		ret = take_rings(d->nslots);
	} while (!ret && !ended);
	if (!ret)
		ret = wait_for(&p, 0);
	return ret < 0 ? ret : p.revents & POLLHUP ? 0 : -EPIPE;
}

static int follow_read(int fd)
{
	long n;

	printf("ready\n");
	while ((n = read(fd, buf, sizeof(buf))) > 0)
		if (take(buf, n))
			return -EPROTO;
	return n ? -errno : 0;
}

int main(int argc, char **argv)
{
	struct ctrace_view_args v = { .session = 0 };
	struct ctrace_shown shown = { .map_size = 0 };
	struct ctrace_bind b = { .cid = CTRACE_CID_ALL };
	int fd, err;

	if (argc < 3)
		return 2;
	layout();
	v.session = b.session = atoi(argv[1]);
	fd = open(CTRACE_DEVICE, O_RDONLY);
	if (fd >= 0 && argc > 3) {
		v.cid = atoi(argv[3]);
		fd = ioctl(fd, CTRACE_IOC_VIEW, &v);
		err = fd < 0 ? -errno : 0;
		b.map_size = v.map_size;
	} else {
		err = fd < 0 || ioctl(fd, CTRACE_IOC_BIND, &b) ? -errno : 0;
	}
	if (!err && (ioctl(fd, CTRACE_IOC_INFO, &shown) || shown.map_size != b.map_size))
		err = -EPROTO;
	if (!err)
		err = argv[2][0] == 'm' ? follow_map(fd, b.map_size) : follow_read(fd);
	printf("map_size %llu error %d\n", (unsigned long long)b.map_size, -err);
	printf("seen %llu lost %llu sum %llx\n", (unsigned long long)seen, (unsigned long long)lost, (unsigned long long)sum);
	return err != 0;
}
