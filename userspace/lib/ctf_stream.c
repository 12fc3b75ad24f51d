// SPDX-License-Identifier: LGPL-2.1-only
/* The stream files of a trace: packets of records, as they lie in the rings. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "ctf_writer.h"

/*
 * A stream file is a valid trace at every moment, so that a recorder may be killed, and a reader may
 * come, at any time. If packets were appended, there would be moments with half a packet, and CTF
 * readers would refuse the whole trace. So the file has room at its end from the start (a hole, which
 * takes no space). The last packet's head says that the packet reaches to the end: the room is padding.
 *
 *	| packet | packet | last packet | padding: room          |
 *	| packet | packet | last packet | next, not seen | room  |	ctrace_ctf_write()
 *	| packet | packet | packet      | last packet    | room  |	publish()
 *
 * publish() is one store of 8 bytes: the size in the head of the packet that was the last. Readers never
 * see it in part. The first packet of a file is published when the file gets its name. trim() gives the
 * room back in an order that keeps the file valid. When the room is used up, the stream continues in another
 * file, because no single call makes a file longer and changes a packet's size to match.
 *
 * Losses. events_discarded is a running total, as of the packet's end. So the losses between two packets are
 * counted in the one before the gap, whose timestamp_end is where the gap ends:
 *
 *	| lead, 0 | records, 0 | records, 5   ~ gap: 5 are lost | records, 5 | records, 7 ~
 *
 * Readers take the difference of two packets. babeltrace2 (2.0.4) says that these were lost between the ends
 * of the two; Trace Compass that they were lost from the last record of the second one to its end. When a
 * packet is written, the gap behind it is not known: publish() of the next one puts it into the head.
 *
 * The gap before a file's first records cannot be counted like this. The first packet behind it counts it,
 * together with the gap behind itself, and the lead makes the difference.
 */
struct ctrace_ctf_stream {
	uint32_t cid, cpu;
	/* 1 for c12_0.1, and so on: times would run backwards in the part before, or its room was used up */
	unsigned int part;
	int fd;			/* -1: closed, to be opened again */
	uint64_t used;		/* when it was last written to; the one unused for longest is closed first */
	bool named;		/* the file has its name and a packet, and so is part of the trace */
	off_t last;		/* where the last published packet begins */
	off_t end;		/* where its content ends, and the next packet begins */
	off_t next;		/* where that next packet ends */
	off_t room;		/* size of the file */
	uint64_t seq, last_time;	/* of this part: published packets; time of the last record */
	/* before the last published packet, of this part: overrun, and refused by the kernel */
	uint64_t discarded;
};

/*
 * Bytes of room in the first part of a stream. Each further part has twice as much, up to
 * ROOM_MIN << ROOM_SHIFT_MAX, so that there are few files.
 */
#define ROOM_MIN	((off_t)1 << 20)
#define ROOM_SHIFT_MAX	6

/* The name of a stream's file. Until it has a packet, that is one in ctrace/, where no CTF reader looks. */
struct name { char s[64]; };

static struct name stream_name(const struct ctrace_ctf_stream *s, bool named)
{
	const char *dir = named ? "" : CTRACE_CTF_SIDE "/", *suffix = named ? "" : CTRACE_CTF_BEGUN;
	char part[16] = "";
	struct name n;

	if (s->part)
		snprintf(part, sizeof(part), ".%u", s->part);
	if (s->cid == CTRACE_CID_ALL)
		snprintf(n.s, sizeof(n.s), "%sshared_%u%s%s", dir, s->cpu, part, suffix);
	else
		snprintf(n.s, sizeof(n.s), "%sc%u_%u%s%s", dir, s->cid, s->cpu, part, suffix);
	return n;
}

static int stream_fail(struct ctrace_ctf *w, const struct ctrace_ctf_stream *s, int err)
{
	return ctrace_ctf_cannot_write(w, stream_name(s, true).s, err);
}

static int stream_close(struct ctrace_ctf *w, struct ctrace_ctf_stream *s)
{
	int fd = s->fd;

	if (fd < 0)
		return 0;
	s->fd = -1;
	w->nopen--;
	/* some file systems report a full disk only at close() */
	return close(fd) ? stream_fail(w, s, -errno) : 0;
}

/* Closes the stream's file that was unused for longest. False: none is open. */
static bool close_oldest(struct ctrace_ctf *w)
{
	struct ctrace_ctf_stream *oldest = NULL;

	for (size_t i = 0; i < w->n; i++)
		if (w->v[i]->fd >= 0 && (!oldest || w->v[i]->used < oldest->used))
			oldest = w->v[i];
	if (oldest)
		stream_close(w, oldest);
	return oldest;
}

static int stream_open(struct ctrace_ctf *w, struct ctrace_ctf_stream *s)
{
	int flags = O_WRONLY | O_CLOEXEC | O_NOFOLLOW | (s->named ? 0 : O_CREAT | O_TRUNC);
	struct name name = stream_name(s, s->named);

	s->used = ++w->clock;
	if (s->fd >= 0)
		return 0;
	if (w->nopen >= w->max_open)
		close_oldest(w);
	/* the program has files of its own: max_open may be more than there is */
	do
		s->fd = openat(w->dirfd, name.s, flags, 0644);
	while (s->fd < 0 && errno == EMFILE && close_oldest(w));
	if (s->fd < 0)
		return stream_fail(w, s, -errno);
	w->nopen++;
	return 0;
}

/* Fills the head of an empty packet from `at` to `end`; the caller changes what is different. */
static void packet_head(const struct ctrace_ctf *w, const struct ctrace_ctf_stream *s, struct ctrace_ctf_packet *h,
			off_t at, off_t end)
{
	*h = (struct ctrace_ctf_packet) {
		.magic = CTRACE_CTF_MAGIC,
		.content_size = 8 * sizeof(*h),
		.packet_size = 8 * (uint64_t)(end - at),
		.timestamp_begin = s->last_time,
		.timestamp_end = s->last_time,
		.packet_seq_num = s->seq,
		.events_discarded = s->discarded,
		.cpu_id = s->cpu,
		.ring_cid = s->cid,
	};
	memcpy(h->uuid, w->info.uuid, sizeof(h->uuid));
}

/* Stores a field of the last published packet's head. 0 or -errno. */
static int store_in_last(const struct ctrace_ctf_stream *s, size_t offset, uint64_t value)
{
	ssize_t n = pwrite(s->fd, &value, sizeof(value), s->last + (off_t)offset);

	return n == sizeof(value) ? 0 : n < 0 ? -errno : -ENOSPC;
}

/* Makes the last published packet end where the next begins. 0 or -errno. */
static int shorten_last(const struct ctrace_ctf_stream *s)
{
	return store_in_last(s, offsetof(struct ctrace_ctf_packet, packet_size), 8 * (uint64_t)(s->end - s->last));
}

/*
 * Tells, in the last published packet, what was lost between it and the next. 0 or -errno. The trace is valid
 * with the first of these stores alone, and with both before the next packet is published.
 */
static int tell_gap(const struct ctrace_ctf_stream *s, uint64_t lost, uint64_t until)
{
	int err = store_in_last(s, offsetof(struct ctrace_ctf_packet, timestamp_end), until);

	return err ? err : store_in_last(s, offsetof(struct ctrace_ctf_packet, events_discarded), s->discarded + lost);
}

#ifndef RENAME_NOREPLACE	/* glibc has it, and renameat2(), since 2.28 */
#define RENAME_NOREPLACE	1
#ifndef SYS_renameat2		/* the kernel's headers have it since 3.15; no call has number -1: ENOSYS */
#define SYS_renameat2		-1
#endif
static int renameat2(int a, const char *from, int b, const char *to, unsigned int flags)
{
	return (int)syscall(SYS_renameat2, a, from, b, to, flags);
}
#endif

/* Gives the file its name, which makes it a part of the trace. 0 or -errno. */
static int give_name(struct ctrace_ctf *w, const struct ctrace_ctf_stream *s)
{
	struct name from = stream_name(s, false), to = stream_name(s, true);
	int err = 0;

	/* do not replace a file of that name: it is not ours */
	if (renameat2(w->dirfd, from.s, w->dirfd, to.s, RENAME_NOREPLACE))
		err = -errno;
	if ((err == -EINVAL || err == -ENOSYS) && faccessat(w->dirfd, to.s, F_OK, 0))
		err = renameat(w->dirfd, from.s, w->dirfd, to.s) ? -errno : 0;
	return err;
}

/* Makes the packet that ctrace_ctf_write() has written, and that begins at this time, a part of the trace. */
static int publish(struct ctrace_ctf *w, struct ctrace_ctf_stream *s, uint64_t lost, uint64_t time)
{
	int err = s->named && lost ? tell_gap(s, lost, time) : 0;

	if (!err)
		err = s->named ? shorten_last(s) : give_name(w, s);
	if (err)
		return stream_fail(w, s, err);
	s->named = true;
	s->last = s->end;
	s->end = s->next;
	s->seq++;
	return 0;
}

/*
 * Gives the room back. First the room becomes a packet without events; then the last packet is shortened
 * to end before it, which makes it visible; then the file is truncated, which removes it in one step. If
 * one of these fails, the file stays valid: a packet with padding.
 */
static void trim(struct ctrace_ctf *w, struct ctrace_ctf_stream *s)
{
	struct ctrace_ctf_packet h;

	if (!s->named) {
		/* the file was never part of the trace */
		if (s->room)
			unlinkat(w->dirfd, stream_name(s, false).s, 0);
		return;
	}
	if (s->room - s->end < (off_t)sizeof(h) || stream_open(w, s))
		return;
	packet_head(w, s, &h, s->end, s->room);
	if (pwrite(s->fd, &h, sizeof(h), s->end) == sizeof(h) && !shorten_last(s) &&
	    !ftruncate(s->fd, s->end))
		s->room = s->end;
}

static int next_part(struct ctrace_ctf *w, struct ctrace_ctf_stream *s)
{
	trim(w, s);
	if (stream_close(w, s))
		return w->err;
	s->part++;
	s->named = false;
	s->last = s->end = s->next = s->room = 0;
	s->seq = s->discarded = s->last_time = 0;
	w->info.streams++;
	return 0;
}

/* Makes room for size more bytes of records not older than time, in this file or in a new part. */
static int make_room(struct ctrace_ctf *w, struct ctrace_ctf_stream *s, off_t size, uint64_t time)
{
	off_t room = ROOM_MIN << (s->part < ROOM_SHIFT_MAX ? s->part : ROOM_SHIFT_MAX);

	/* readers refuse a file in which time runs backwards */
	if (s->named && (time < s->last_time || s->end + size > s->room) && next_part(w, s))
		return w->err;
	if (stream_open(w, s))
		return w->err;
	if (s->named)
		return 0;
	s->seq = s->end = 0;	/* the file has no published packet: begin at its start */
	if (w->file_max && room > w->file_max)
		room = w->file_max;
	if (room < size)
		room = size;
	if (ftruncate(s->fd, room))
		return stream_fail(w, s, -errno);
	s->room = room;
	return 0;
}

static struct ctrace_ctf_stream *stream_of(struct ctrace_ctf *w, const struct ctrace_run *run)
{
	for (size_t i = 0; i < w->n; i++)
		if (w->v[i]->cid == run->cid && w->v[i]->cpu == run->cpu)
			return w->v[i];
	return NULL;
}

/* NULL: no memory. */
static struct ctrace_ctf_stream *stream_new(struct ctrace_ctf *w, const struct ctrace_run *run)
{
	struct ctrace_ctf_stream **v = realloc(w->v, (w->n + 1) * sizeof(v[0]));
	struct ctrace_ctf_stream *s = v ? calloc(1, sizeof(*s)) : NULL;

	if (v)
		w->v = v;
	if (!s)
		return NULL;
	s->cid = run->cid;
	s->cpu = run->cpu;
	s->fd = -1;
	v[w->n++] = s;
	w->info.streams++;
	return s;
}

/* Makes refused[] long enough for a slot. */
static int know_slot(struct ctrace_ctf *w, uint32_t slot)
{
	uint64_t *v;

	if (slot < w->nslots)
		return 0;
	v = realloc(w->refused, ((size_t)slot + 1) * sizeof(v[0]));
	if (!v)
		return -ENOMEM;
	memset(v + w->nslots, 0, (slot + 1 - w->nslots) * sizeof(v[0]));
	w->refused = v;
	w->nslots = slot + 1;
	return 0;
}

/* The records lost before this run that no packet counts yet. */
static uint64_t newly_lost(const struct ctrace_ctf *w, const struct ctrace_run *run)
{
	return run->lost + run->refused - w->refused[run->slot];
}

/*
 * Writes a file's first packet, without events and losses. Readers compute losses from one packet to the
 * next, so they cannot see the losses of the first. No later packet may be empty: Trace Compass takes one for
 * the end of the file.
 */
static int lead(struct ctrace_ctf *w, struct ctrace_ctf_stream *s, uint64_t time)
{
	struct ctrace_ctf_packet h;
	ssize_t n;

	packet_head(w, s, &h, 0, sizeof(h));
	h.timestamp_begin = time;
	h.timestamp_end = time;
	n = pwrite(s->fd, &h, sizeof(h), 0);
	if (n != sizeof(h))
		return stream_fail(w, s, n < 0 ? -errno : -ENOSPC);
	s->end = sizeof(h);
	s->seq = 1;
	return 0;
}

int ctrace_ctf_write(struct ctrace_ctf *w, const struct ctrace_run *run)
{
	const struct ctrace_event_type *type = ctrace_schema_by_id(w->schema, run->last->id);
	struct ctrace_ctf_stream *s = stream_of(w, run);
	struct ctrace_ctf_packet h;
	size_t size = sizeof(h) + run->len;
	struct iovec iov[2] = {
		{ &h, sizeof(h) }, { (void *)run->data, run->len },
	};
	ssize_t n;

	if (w->err)
		return w->err;
	if (!s)
		s = stream_new(w, run);
	if (!s || know_slot(w, run->slot))
		return ctrace_ctf_fail(w, -ENOMEM, "cannot write %s: no memory", w->path);
	if (make_room(w, s, (off_t)(sizeof(h) + size), run->time_begin))
		return w->err;
	if (!s->named && lead(w, s, run->time_begin))
		return w->err;
	packet_head(w, s, &h, s->end, s->room);
	h.timestamp_begin = run->time_begin;
	h.timestamp_end = run->time_end;
	h.events_discarded += newly_lost(w, run);
	h.content_size = 8 * (size - run->last->len) + ctrace_ctf_record_bits(type, run->last);
	s->next = s->end + (off_t)size;
	n = pwritev(s->fd, iov, 2, s->end);
	if (n == (ssize_t)size)
		return 0;
	/* a short write has no errno: write one byte more, to learn why */
	if (n >= 0)
		n = pwrite(s->fd, n < (ssize_t)sizeof(h) ? (char *)&h + n :
			   (char *)run->data + (n - (ssize_t)sizeof(h)), 1, s->end + n);
	return stream_fail(w, s, n < 0 ? -errno : -ENOSPC);
}

int ctrace_ctf_done(struct ctrace_ctf *w, const struct ctrace_run *run, bool ok)
{
	struct ctrace_ctf_stream *s = stream_of(w, run);
	uint64_t lost;

	if (w->err)
		return w->err;
	if (!s || s->next <= s->end || run->slot >= w->nslots)
		return -EINVAL;
	if (!ok) {
		s->next = s->end;	/* its losses come again with the next run */
		return 0;
	}
	lost = newly_lost(w, run);
	if (publish(w, s, lost, run->time_begin))
		return w->err;
	w->refused[run->slot] = run->refused;
	s->discarded += lost;
	s->last_time = run->time_end;
	w->info.lost += lost;
	w->info.records += run->count;
	w->info.bytes += (uint64_t)(s->end - s->last);
	return 0;
}

void ctrace_ctf_streams_close(struct ctrace_ctf *w)
{
	for (size_t i = 0; i < w->n; i++) {
		trim(w, w->v[i]);
		stream_close(w, w->v[i]);
		free(w->v[i]);
	}
	free(w->v);
	free(w->refused);
}
