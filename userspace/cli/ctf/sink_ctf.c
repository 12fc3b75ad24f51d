// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>
#include "base/cli.h"
#include "ctf/ctf_dir.h"
#include "ctf/sink_ctf.h"

/*
 * A stream file is a valid trace at every moment, so that a recorder may be killed, and a reader may
 * come, at any time. If packets were appended, there would be moments with half a packet, and CTF
 * readers would refuse the whole trace. So the file has room at its end from the start (a hole, which
 * takes no space). The last packet's head says that the packet reaches to the end: the room is padding.
 *
 *	| packet | packet | last packet | padding: room          |
 *	| packet | packet | last packet | next, not seen | room  |	write_run()
 *	| packet | packet | packet      | last packet    | room  |	publish()
 *
 * publish() is one store of 8 bytes: the size in the head of the packet that was the last. Readers never
 * see it in part. The first packet of a file is published when the file gets its name. trim() gives the
 * room back in an order that keeps the file valid. When the room is used up, the stream goes on in another
 * file, because no single call makes a file longer and changes a packet's size to match.
 */
struct stream {
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
	uint64_t discarded;	/* of this part, running total: overrun, and refused by the kernel */
};

#define METADATA_NEW	CTF_SIDE_DIR "/metadata.new"

/*
 * Bytes of room in the first part of a stream. Each further part has twice as much, up to
 * ROOM_MIN << ROOM_SHIFT_MAX, so that there are few files.
 */
#define ROOM_MIN	((off_t)1 << 20)
#define ROOM_SHIFT_MAX	6

struct ctf {
	char *dir;
	int dirfd;
	const struct ctrace_schema *schema;
	struct ctable *table;
	struct side_info info;
	struct symbols *symbols;
	struct stream **v;
	size_t n;
	/* by slot: how many its ring had refused at its last run; runs on when a slot changes containers */
	uint64_t *refused;
	uint32_t nslots;	/* length of refused */
	unsigned int nopen, max_open;
	uint64_t clock;		/* counts packets */
	struct ctf_totals totals;
	off_t file_max;		/* RLIMIT_FSIZE */
	bool failed;
};

static int fail(struct ctf *c, const char *what, int err)
{
	if (!c->failed)
		cli_error("cannot write %s/%s: %s%s", c->dir, what, strerror(err),
			  c->totals.events ? ": the trace is complete up to there" : "");
	c->failed = true;
	return -1;
}

static char *stream_name(const struct stream *s)
{
	char part[16] = "";

	if (s->part)
		snprintf(part, sizeof(part), ".%u", s->part);
	if (s->cid == CTRACE_CID_ALL)
		return xasprintf("shared_%u%s", s->cpu, part);
	return xasprintf("c%u_%u%s", s->cid, s->cpu, part);
}

/* The name of a file until it has a packet: in ctrace/, where no CTF reader looks. */
static char *new_name(const struct stream *s)
{
	char *name = stream_name(s), *path = xasprintf(CTF_SIDE_DIR "/%s.new", name);

	free(name);
	return path;
}

static int stream_fail(struct ctf *c, const struct stream *s, int err)
{
	char *name = stream_name(s);

	fail(c, name, err);
	free(name);
	return -EIO;
}

static int stream_close(struct ctf *c, struct stream *s)
{
	int fd = s->fd;

	if (fd < 0)
		return 0;
	s->fd = -1;
	c->nopen--;
	/* some file systems report a full disk only at close() */
	return close(fd) && !c->failed ? stream_fail(c, s, errno) : 0;
}

static void close_oldest(struct ctf *c)
{
	struct stream *oldest = NULL;

	for (size_t i = 0; i < c->n; i++)
		if (c->v[i]->fd >= 0 && (!oldest || c->v[i]->used < oldest->used))
			oldest = c->v[i];
	if (oldest)
		stream_close(c, oldest);
}

static int stream_open(struct ctf *c, struct stream *s)
{
	char *name;
	int r = 0;

	s->used = ++c->clock;
	if (s->fd >= 0)
		return 0;
	if (c->nopen >= c->max_open)
		close_oldest(c);
	name = s->named ? stream_name(s) : new_name(s);
	s->fd = openat(c->dirfd, name, O_WRONLY | O_CLOEXEC | O_NOFOLLOW |
		       (s->named ? 0 : O_CREAT | O_TRUNC), 0644);
	if (s->fd < 0)
		r = stream_fail(c, s, errno);
	else
		c->nopen++;
	free(name);
	return r;
}

/* Fills the head of an empty packet from `at` to `end`; the caller changes what is different. */
static void packet_head(const struct ctf *c, const struct stream *s, struct ctrace_ctf_packet *h,
			off_t at, off_t end)
{
	*h = (struct ctrace_ctf_packet) {
		.magic = CTF_MAGIC,
		.content_size = 8 * sizeof(*h),
		.packet_size = 8 * (uint64_t)(end - at),
		.timestamp_begin = s->last_time,
		.timestamp_end = s->last_time,
		.packet_seq_num = s->seq,
		.events_discarded = s->discarded,
		.cpu_id = s->cpu,
		.ring_cid = s->cid,
	};
	memcpy(h->uuid, c->info.uuid, sizeof(h->uuid));
}

/* Makes the last published packet end where the next begins. 0 or -errno. */
static int shorten_last(const struct stream *s)
{
	uint64_t bits = 8 * (uint64_t)(s->end - s->last);
	ssize_t n = pwrite(s->fd, &bits, sizeof(bits),
			   s->last + (off_t)offsetof(struct ctrace_ctf_packet, packet_size));

	return n == sizeof(bits) ? 0 : n < 0 ? -errno : -ENOSPC;
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
static int give_name(struct ctf *c, const struct stream *s)
{
	char *from = new_name(s), *to = stream_name(s);
	int err = 0;

	/* do not replace a file of that name: it is not ours */
	if (renameat2(c->dirfd, from, c->dirfd, to, RENAME_NOREPLACE))
		err = -errno;
	if ((err == -EINVAL || err == -ENOSYS) && faccessat(c->dirfd, to, F_OK, 0))
		err = renameat(c->dirfd, from, c->dirfd, to) ? -errno : 0;
	free(from);
	free(to);
	return err;
}

/* Makes the packet that write_run() has written a part of the trace. */
static int publish(struct ctf *c, struct stream *s)
{
	int err = s->named ? shorten_last(s) : give_name(c, s);

	if (err)
		return stream_fail(c, s, -err);
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
static void trim(struct ctf *c, struct stream *s)
{
	struct ctrace_ctf_packet h;
	char *name;

	if (!s->named) {
		/* the file was never part of the trace */
		if (s->room) {
			name = new_name(s);
			unlinkat(c->dirfd, name, 0);
			free(name);
		}
		return;
	}
	if (s->room - s->end < (off_t)sizeof(h) || stream_open(c, s))
		return;
	packet_head(c, s, &h, s->end, s->room);
	if (pwrite(s->fd, &h, sizeof(h), s->end) == sizeof(h) && !shorten_last(s) &&
	    !ftruncate(s->fd, s->end))
		s->room = s->end;
}

static int next_part(struct ctf *c, struct stream *s)
{
	trim(c, s);
	if (stream_close(c, s))
		return -EIO;
	s->part++;
	s->named = false;
	s->last = s->end = s->next = s->room = 0;
	s->seq = s->discarded = s->last_time = 0;
	c->totals.streams++;
	return 0;
}

/* Makes room for size more bytes of records not older than time, in this file or in a new part. */
static int make_room(struct ctf *c, struct stream *s, off_t size, uint64_t time)
{
	off_t room = ROOM_MIN << (s->part < ROOM_SHIFT_MAX ? s->part : ROOM_SHIFT_MAX);

	/* readers refuse a file in which time runs backwards */
	if (s->named && (time < s->last_time || s->end + size > s->room) && next_part(c, s))
		return -EIO;
	if (stream_open(c, s))
		return -EIO;
	if (s->named)
		return 0;
	s->seq = s->end = 0;	/* the file has no published packet: begin at its start */
	if (room > c->file_max)
		room = c->file_max;
	if (room < size)
		room = size;
	if (ftruncate(s->fd, room))
		return stream_fail(c, s, errno);
	s->room = room;
	return 0;
}

static struct stream *stream_new(struct ctf *c, uint32_t cid, uint32_t cpu)
{
	struct stream *s = xcalloc(1, sizeof(*s));

	s->cid = cid;
	s->cpu = cpu;
	s->fd = -1;
	c->v = xrealloc(c->v, (c->n + 1) * sizeof(c->v[0]));
	c->v[c->n++] = s;
	c->totals.streams++;
	return s;
}

static struct stream *stream_of(struct ctf *c, const struct ctrace_run *run)
{
	for (size_t i = 0; i < c->n; i++)
		if (c->v[i]->cid == run->cid && c->v[i]->cpu == run->cpu)
			return c->v[i];
	return NULL;
}

static uint64_t newly_refused(struct ctf *c, const struct ctrace_run *run)
{
	uint64_t n;

	if (run->slot >= c->nslots) {
		c->refused = xrealloc(c->refused, (run->slot + 1) * sizeof(c->refused[0]));
		memset(c->refused + c->nslots, 0,
		       (run->slot + 1 - c->nslots) * sizeof(c->refused[0]));
		c->nslots = run->slot + 1;
	}
	n = run->refused - c->refused[run->slot];
	c->refused[run->slot] = run->refused;
	return n;
}

/*
 * Writes a first packet without events and losses. Readers compute losses from one packet to the next, so
 * they could not see what was lost before the first.
 */
static int lead(struct ctf *c, struct stream *s, uint64_t time)
{
	struct ctrace_ctf_packet h;
	ssize_t n;

	packet_head(c, s, &h, 0, sizeof(h));
	h.timestamp_begin = time;
	h.timestamp_end = time;
	h.events_discarded = 0;
	n = pwrite(s->fd, &h, sizeof(h), 0);
	if (n != sizeof(h))
		return stream_fail(c, s, n < 0 ? errno : ENOSPC);
	s->end = sizeof(h);
	s->seq = 1;
	return 0;
}

/* Writes a packet: the head, then the run as it lies in the mapping. No reader sees it before publish(). */
static int write_run(const struct ctrace_run *run, void *arg)
{
	struct ctf *c = arg;
	struct stream *s = stream_of(c, run) ?: stream_new(c, run->cid, run->cpu);
	const struct ctrace_event_type *type = ctrace_schema_by_id(c->schema, run->last->id);
	struct ctrace_ctf_packet h;
	size_t size = sizeof(h) + run->len;
	struct iovec iov[2] = {
		{ &h, sizeof(h) }, { (void *)run->data, run->len },
	};
	ssize_t n;

	if (make_room(c, s, (off_t)(sizeof(h) + size), run->time_begin))
		return -EIO;
	/*
	 * If this run is dropped, run->lost comes again with the next run, but run->refused was taken into
	 * account here.
	 */
	s->discarded += newly_refused(c, run);
	if (!s->named && s->discarded + run->lost && lead(c, s, run->time_begin))
		return -EIO;
	packet_head(c, s, &h, s->end, s->room);
	h.timestamp_begin = run->time_begin;
	h.timestamp_end = run->time_end;
	h.events_discarded += run->lost;
	h.content_size = 8 * (size - run->last->len) + ctrace_ctf_record_bits(type, run->last);
	s->next = s->end + (off_t)size;
	n = pwritev(s->fd, iov, 2, s->end);
	if (n == (ssize_t)size)
		return 0;
	/* a short write has no errno: write one byte more, to learn why */
	if (n >= 0)
		n = pwrite(s->fd, n < (ssize_t)sizeof(h) ? (char *)&h + n :
			   (char *)run->data + (n - (ssize_t)sizeof(h)), 1, s->end + n);
	return stream_fail(c, s, n < 0 ? errno : ENOSPC);
}

/* Publishes the run if it is whole in the file. If it was overwritten while it was copied, drops it. */
static int done(const struct ctrace_run *run, bool ok, void *arg)
{
	struct ctf *c = arg;
	struct stream *s = stream_of(c, run);

	if (!s || c->failed || !ok)
		return 0;
	if (publish(c, s))
		return -EIO;
	s->discarded += run->lost;
	c->totals.events += run->count;
	c->totals.bytes += (uint64_t)(s->end - s->last);
	s->last_time = run->time_end;
	if (c->symbols)
		ctf_symbols_scan(c->symbols, c->schema, run->data, run->len);
	return 0;
}

int ctf_drain(struct ctf *c, struct ctrace_reader *r)
{
	int n;

	if (c->failed)
		return -1;
	n = ctrace_reader_runs(r, write_run, done, c);
	if (c->failed)
		return -1;
	return n > 0 ? n : 0;
}

static int write_metadata(struct ctf *c)
{
	struct ctrace_ctf_env env = {
		.sz = sizeof(env), .clock_offset_ns = c->info.clock_offset,
	};
	struct utsname u;
	FILE *f;
	int fd, err;

	uname(&u);
	memcpy(env.uuid, c->info.uuid, sizeof(env.uuid));
	env.hostname = u.nodename;
	env.kernel_release = u.release;
	env.kernel_version = u.version;
	/* under another name first: half a file of metadata would make the trace unreadable */
	fd = openat(c->dirfd, METADATA_NEW, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0644);
	f = fd >= 0 ? fdopen(fd, "w") : NULL;
	if (!f)
		return fail(c, "metadata", errno);
	errno = 0;
	err = ctrace_ctf_metadata(f, c->schema, &env);
	if (fclose(f) == EOF && !err)
		err = -errno;
	if (!err && renameat(c->dirfd, METADATA_NEW, c->dirfd, "metadata"))
		err = -errno;
	return err ? fail(c, "metadata", -err) : 0;
}

void ctf_containers(struct ctf *c)
{
	struct sbuf b = { 0 };
	int err;

	if (!c->table->changed || c->failed)
		return;
	c->table->changed = false;
	side_containers(&b, c->table);
	err = ctf_dir_replace(c->dirfd, CTF_SIDE_CONTAINERS, b.s, b.len);
	if (err)
		fail(c, CTF_SIDE_CONTAINERS, -err);
	sbuf_free(&b);
}

static int write_start(struct ctf *c)
{
	struct sbuf b = { 0 };
	int err;

	if (write_metadata(c))
		return -1;
	unlinkat(c->dirfd, CTF_SIDE_SYMBOLS, 0);	/* an older trace's */
	side_schema(&b, c->schema, &c->info);
	err = ctf_dir_replace(c->dirfd, CTF_SIDE_SCHEMA, b.s, b.len);
	sbuf_free(&b);
	if (err)
		return fail(c, CTF_SIDE_SCHEMA, -err);
	c->table->changed = true;
	ctf_containers(c);
	return c->failed ? -1 : 0;
}

/* Writes the names at the end; the addresses were looked up as they came. */
static void write_symbols(struct ctf *c)
{
	struct sbuf b = { 0 };
	int err;

	if (!c->symbols || c->failed)
		return;
	symbols_save(c->symbols, &b);
	err = ctf_dir_replace(c->dirfd, CTF_SIDE_SYMBOLS, b.s, b.len);
	if (err)
		fail(c, CTF_SIDE_SYMBOLS, -err);
	sbuf_free(&b);
}

/* Reads /dev/urandom: some systems that this runs on are older than getrandom(). */
static bool random_bytes(void *to, size_t n)
{
	int fd = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
	bool ok = fd >= 0 && read(fd, to, n) == (ssize_t)n;

	if (fd >= 0)
		close(fd);
	return ok;
}

struct ctf *ctf_create(const char *dir, const struct ctrace_schema *s, struct ctable *t,
		       const struct ctf_opts *o)
{
	struct ctf *c = xcalloc(1, sizeof(*c));
	struct rlimit lim = { .rlim_cur = 64 }, fsize;
	uint64_t a = clock_ns(CLOCK_MONOTONIC), real = clock_ns(CLOCK_REALTIME);

	c->dir = xstrdup(dir);
	c->schema = s;
	c->table = t;
	c->symbols = o ? o->symbols : NULL;
	c->info.stacks = o ? o->stacks : 0;
	c->info.clock_offset = (int64_t)(real - (a + clock_ns(CLOCK_MONOTONIC)) / 2);
	if (!random_bytes(c->info.uuid, sizeof(c->info.uuid)))
		memcpy(c->info.uuid, &real, sizeof(real));
	c->info.uuid[6] = (c->info.uuid[6] & 0x0f) | 0x40;
	c->info.uuid[8] = (c->info.uuid[8] & 0x3f) | 0x80;
	/* one stream per container and CPU may need more files than the soft limit allows */
	if (!getrlimit(RLIMIT_NOFILE, &lim) && lim.rlim_cur < lim.rlim_max) {
		struct rlimit want = { .rlim_cur = lim.rlim_max, .rlim_max = lim.rlim_max };

		if (!setrlimit(RLIMIT_NOFILE, &want))
			lim = want;
	}
	c->file_max = INT64_MAX;
	if (!getrlimit(RLIMIT_FSIZE, &fsize) && fsize.rlim_cur < INT64_MAX)
		c->file_max = (off_t)fsize.rlim_cur;
	c->max_open = lim.rlim_cur > 4096 + 64 ? 4096 : lim.rlim_cur > 96 ? lim.rlim_cur - 64 : 32;
	c->dirfd = ctf_dir_open(dir, o && o->force);
	if (c->dirfd < 0 || write_start(c)) {
		/* remove what was begun: the next run would take it for another trace */
		if (c->dirfd >= 0) {
			unlinkat(c->dirfd, METADATA_NEW, 0);
			unlinkat(c->dirfd, "metadata", 0);
			unlinkat(c->dirfd, CTF_SIDE_SCHEMA, 0);
			unlinkat(c->dirfd, CTF_SIDE_CONTAINERS, 0);
			unlinkat(c->dirfd, CTF_SIDE_DIR, AT_REMOVEDIR);
		}
		ctf_close(c);
		return NULL;
	}
	return c;
}

struct ctf_totals ctf_totals(const struct ctf *c)
{
	return c->totals;
}

int ctf_close(struct ctf *c)
{
	int status;

	if (c->dirfd >= 0 && c->n)
		write_symbols(c);
	for (size_t i = 0; i < c->n; i++) {
		trim(c, c->v[i]);
		stream_close(c, c->v[i]);
		free(c->v[i]);
	}
	free(c->v);
	free(c->refused);
	if (c->dirfd >= 0)
		close(c->dirfd);
	status = c->failed || c->dirfd < 0 ? CLI_FAIL : CLI_OK;
	free(c->dir);
	free(c);
	return status;
}
