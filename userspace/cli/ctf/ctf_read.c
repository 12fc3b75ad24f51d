// SPDX-License-Identifier: GPL-2.0-only
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "ctf/ctf_read.h"
#include "ctf/sink_ctf.h"

/*
 * A packet is read in pieces of this size. A stream takes no more memory, however long its packets claim to
 * be.
 */
#define WINDOW		(64u << 10)
#define CPUS_MAX	4096u

struct file {
	char *name;
	off_t next;		/* where the packet after the one in buf begins */
	uint64_t begin;		/* when its first packet does, which is not read before that time comes */
	/* of a packet's records, what is being read; NULL before the first one, and after the last */
	uint8_t *buf;
	size_t len, pos, cap;
	/* no record begins here in buf, or later: only padding follows. It may be beyond len */
	size_t end;
	off_t more;		/* where what follows buf is */
	size_t left;		/* bytes of the packet from there on */
	uint64_t discarded;	/* by the packets read so far, running total */
	uint64_t behind;	/* lost between the packet in buf and the next */
	struct ctf_loss loss;	/* n 0: none, or it was reported */
	uint64_t record_end;	/* time of the last record of the packet in buf, if behind is not 0 */
	uint64_t packet_end;	/* when that packet ends */
	uint64_t lost;		/* of it, in the window */
	uint32_t cpu, cid;
};

struct ctf_reader {
	int dirfd;
	uint8_t uuid[16];
	struct file *v;
	size_t n;
	struct file **heap;	/* keyed by the time of what each file has next */
	size_t nheap;
	bool taken;		/* the record of heap[0] was handed out: move on first */
	uint64_t lost;
	bool losses;		/* some file has a loss that was not reported */
	uint64_t read, size;	/* bytes of all files */
	uint64_t from, to;	/* the window */
	uint64_t first, behind;	/* with what is given besides: first <= time < behind */
	const struct ctf_types *before;	/* given before it, too; or NULL */
	uint32_t ncpus;
	const char *damaged, *why;
};

static void damaged(struct ctf_reader *r, const struct file *f, const char *why)
{
	if (r->damaged)
		return;
	r->damaged = f->name;
	r->why = why;
}

static ssize_t read_at(int fd, void *to, size_t len, off_t off)
{
	size_t done = 0;

	while (done < len) {
		ssize_t n = pread(fd, (char *)to + done, len - done, off + (off_t)done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? n : (ssize_t)done;
		done += (size_t)n;
	}
	return (ssize_t)done;
}

/* A gap that reaches over an edge of the window is counted: what was lost may have been inside. */
static void lose(struct ctf_reader *r, struct file *f, uint64_t n, uint64_t after, uint64_t before)
{
	if (before < r->from || after >= r->to)
		return;
	if (!f->loss.n)
		f->loss = (struct ctf_loss){ .cid = f->cid, .cpu = f->cpu, .after = after };
	f->loss.n += n;
	f->loss.before = before;
	f->lost += n;
	r->lost += n;
	r->losses = true;
}

/* The file is opened for each packet, as there may be more files than descriptors. */
static int open_file(struct ctf_reader *r, const struct file *f)
{
	int fd = openat(r->dirfd, f->name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);

	if (fd < 0)
		damaged(r, f, strerror(errno));
	return fd;
}

/*
 * Reads the head of the next packet. *room: the bytes of the file from there on. False: there is none, or it
 * is damaged.
 */
static bool read_head(struct ctf_reader *r, const struct file *f, int fd, struct ctrace_ctf_packet *h, uint64_t *room)
{
	ssize_t n = read_at(fd, h, sizeof(*h), f->next);
	const char *why = NULL;
	struct stat st;

	*room = !fstat(fd, &st) && st.st_size > f->next ? (uint64_t)(st.st_size - f->next) : 0;
	if (n && n != sizeof(*h))
		why = "ends within a packet";
	else if (n && (h->magic != CTRACE_CTF_MAGIC || memcmp(h->uuid, r->uuid, sizeof(h->uuid)) || h->packet_size % 8 ||
		       h->content_size > h->packet_size || h->content_size / 8 < sizeof(*h)))
		why = "has data that is not a packet of this trace";
	/* the last record is padded to 8 bytes */
	else if (n && ((h->content_size / 8 + (h->content_size % 8 > 0) + 7) & ~7ull) > *room)
		why = "ends within a packet";
	if (why)
		damaged(r, f, why);
	return n && !why;
}

/* Is there a first packet? */
static bool look_ahead(struct ctf_reader *r, struct file *f)
{
	struct ctrace_ctf_packet h;
	int fd = open_file(r, f);
	uint64_t room;
	bool ok = fd >= 0 && read_head(r, f, fd, &h, &room);

	if (ok)
		f->begin = h.timestamp_begin;
	if (fd >= 0)
		close(fd);
	return ok;
}

/* Moves on in the packet, so that buf begins with the record at pos. False: the file has become shorter. */
static bool fill(struct file *f, int fd)
{
	size_t keep = f->len - f->pos, want = f->cap - keep < f->left ? f->cap - keep : f->left;
	ssize_t n;

	if (keep)
		memmove(f->buf, f->buf + f->pos, keep);
	n = read_at(fd, f->buf + keep, want, f->more);
	n = n > 0 ? n : 0;
	f->end -= f->pos;
	f->pos = 0;
	f->len = keep + (size_t)n;
	f->more += n;
	f->left -= (size_t)n;
	return (size_t)n == want;
}

/*
 * Goes to the beginning of the packet whose head is h; records has the bytes of its records, or a few more.
 */
static bool begin_packet(struct file *f, int fd, const struct ctrace_ctf_packet *h, size_t records)
{
	f->len = f->pos = 0;
	f->end = h->content_size / 8 + (h->content_size % 8 > 0) - sizeof(*h);
	f->more = f->next + (off_t)sizeof(*h);
	f->left = records;
	return fill(f, fd);
}

/* The time of the packet's last record; 0: it has none that is whole. Returns false if it cannot be read. */
static bool find_last(struct file *f, int fd, uint64_t *last)
{
	struct ctrace_record rec;

	*last = 0;
	while (f->pos + sizeof(rec) <= f->end) {
		if (f->len - f->pos < CTRACE_RECORD_MAX && f->left && !fill(f, fd))
			return false;
		if (f->len - f->pos < sizeof(rec))
			return true;
		memcpy(&rec, f->buf + f->pos, sizeof(rec));
		if (rec.len < sizeof(rec) || rec.len > f->len - f->pos)
			return true;
		*last = rec.time;
		f->pos += rec.len;
	}
	return true;
}

/*
 * What a packet says was lost. A packet that ends later than its last record has its losses behind it; else
 * they are before it: it is the first one, or the recorder was older, or died before it knew the gap's end.
 * Moves on in the packet.
 */
static bool find_losses(struct ctf_reader *r, struct file *f, int fd, const struct ctrace_ctf_packet *h)
{
	uint64_t n = h->events_discarded - f->discarded, last;

	if (!find_last(f, fd, &last))
		return false;
	if (last && last < h->timestamp_end) {
		f->behind = n;
		f->record_end = last;
	} else {
		lose(r, f, n, f->packet_end, h->timestamp_begin);
	}
	return true;
}

/* Moves on to the packet after this one. size: what is read or skipped of the file. */
static void pass(struct ctf_reader *r, struct file *f, const struct ctrace_ctf_packet *h, uint64_t size)
{
	f->next += (off_t)size;
	r->read += size;
	f->discarded = h->events_discarded;
	f->packet_end = h->timestamp_end;
}

/* Loads the beginning of the file's next packet that has records. */
static bool load_packet(struct ctf_reader *r, struct file *f)
{
	uint64_t size, body, room;
	struct ctrace_ctf_packet h;
	int fd = open_file(r, f);
	bool ok = false, over = false;

	f->len = f->pos = f->end = f->left = 0;
	if (f->behind)
		lose(r, f, f->behind, f->record_end, f->packet_end);
	f->behind = 0;
	if (fd < 0)
		return false;
	do {
		ok = read_head(r, f, fd, &h, &room);
		if (!ok)
			break;
		/* the last packet of a trace that is being recorded has much padding */
		size = h.packet_size / 8 < room ? h.packet_size / 8 : room;
		over = h.timestamp_begin >= r->behind;
		/* of those outside, only losses right before the end matter */
		if ((h.timestamp_end < r->first && !r->before) || (over &&
								   h.events_discarded <= f->discarded)) {
			pass(r, f, &h, over ? room : size);
			continue;
		}
		body = h.content_size / 8 + (h.content_size % 8 > 0) - sizeof(h);
		if (body)
			body += CTRACE_RECORD_MAX;	/* enough for the last record's own padding */
		if (body > size - sizeof(h))
			body = size - sizeof(h);
		if (body > f->cap && f->cap < WINDOW) {
			f->cap = body < WINDOW ? body : WINDOW;
			f->buf = xrealloc(f->buf, f->cap);
		}
		ok = begin_packet(f, fd, &h, body);
		if (ok && h.events_discarded > f->discarded)
			ok = find_losses(r, f, fd, &h) && begin_packet(f, fd, &h, body);
		if (!ok) {
			damaged(r, f, "ends within a packet");
			break;
		}
		pass(r, f, &h, over ? room : size);
	} while (!over && !f->end);
	close(fd);
	return ok && !over;
}

/* Reads on in the packet if it has more than buf. */
static bool read_on(struct ctf_reader *r, struct file *f)
{
	bool ok = true;
	int fd;

	if (f->len - f->pos >= CTRACE_RECORD_MAX || !f->left)
		return true;
	fd = open_file(r, f);
	if (fd < 0)
		return false;
	ok = fill(f, fd);
	close(fd);
	if (!ok)
		damaged(r, f, "ends within a packet");
	return ok;
}

static struct ctrace_record *current(const struct file *f)
{
	return (struct ctrace_record *)(f->buf + f->pos);
}

static uint64_t next_time(const struct file *f)
{
	return f->buf ? current(f)->time : f->begin;
}

static bool is_whole(const struct file *f, const struct ctrace_record *rec)
{
	return f->len - f->pos >= sizeof(*rec) && rec->len >= sizeof(*rec) && rec->len % 8 == 0 &&
	       rec->len <= CTRACE_RECORD_MAX && rec->len <= f->len - f->pos;
}

static bool is_given(const struct ctf_reader *r, const struct ctrace_record *rec)
{
	if (rec->time < r->first)
		return r->before && ctf_types_has(r->before, rec->id);
	return rec->time < r->behind;
}

/*
 * Goes to the next record that is given, in the next packet if need be. False: there is none that is whole.
 */
static bool settle(struct ctf_reader *r, struct file *f)
{
	const struct ctrace_record *rec;

	for (;;) {
		if (f->pos >= f->end ? !load_packet(r, f) : !read_on(r, f))
			return false;
		rec = current(f);
		if (!is_whole(f, rec))
			break;
		if (is_given(r, rec))
			return true;
		f->pos += rec->len;
	}
	damaged(r, f, "has a packet with a broken record");
	return false;
}

static void sift(struct ctf_reader *r, size_t i)
{
	for (;;) {
		size_t c = 2 * i + 1;
		struct file *f;

		if (c >= r->nheap)
			return;
		if (c + 1 < r->nheap && next_time(r->heap[c + 1]) < next_time(r->heap[c]))
			c++;
		if (next_time(r->heap[i]) <= next_time(r->heap[c]))
			return;
		f = r->heap[i];
		r->heap[i] = r->heap[c];
		r->heap[c] = f;
		i = c;
	}
}

/*
 * Loads what heap[0] has next, or takes the file out if it has nothing more. Then the next file in time is
 * heap[0].
 */
static void move_on(struct ctf_reader *r)
{
	struct file *f = r->heap[0];

	if (!settle(r, f)) {
		free(f->buf);
		f->buf = NULL;
		f->cap = 0;
		r->heap[0] = r->heap[--r->nheap];
	}
	sift(r, 0);
}

const struct ctrace_record *ctf_reader_next(struct ctf_reader *r, uint64_t *lost)
{
	if (r->taken) {
		r->heap[0]->pos += current(r->heap[0])->len;
		move_on(r);
		r->taken = false;
	}
	while (r->nheap && !r->heap[0]->buf)
		move_on(r);
	*lost = r->lost;
	r->lost = 0;
	if (!r->nheap)
		return NULL;
	r->taken = true;
	return current(r->heap[0]);
}

bool ctf_reader_loss(struct ctf_reader *r, struct ctf_loss *l)
{
	for (size_t i = 0; r->losses && i < r->n; i++) {
		if (!r->v[i].loss.n)
			continue;
		*l = r->v[i].loss;
		r->v[i].loss.n = 0;
		return true;
	}
	r->losses = false;
	return false;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct file *)a)->name, ((const struct file *)b)->name);
}

static void add_file(struct ctf_reader *r, const char *name)
{
	struct stat st;
	struct file *f;
	char *cpu;

	r->v = xrealloc(r->v, (r->n + 1) * sizeof(r->v[0]));
	f = &r->v[r->n++];
	*f = (struct file){ .name = xstrdup(name) };
	/* c12_3, c12_3.1, shared_3 */
	cpu = xstrdup(strrchr(name, '_') + 1);
	cpu[strcspn(cpu, ".")] = '\0';
	if (parse_u32(cpu, &f->cpu) || f->cpu >= CPUS_MAX)
		f->cpu = 0;
	free(cpu);
	cpu = xstrndup(name + 1, strcspn(name + 1, "_"));
	if (parse_u32(cpu, &f->cid))
		f->cid = CTRACE_CID_ALL;
	free(cpu);
	if (f->cpu >= r->ncpus)
		r->ncpus = f->cpu + 1;
	if (!fstatat(r->dirfd, name, &st, AT_SYMLINK_NOFOLLOW))
		r->size += (uint64_t)st.st_size;
}

struct ctf_reader *ctf_reader_open(const char *dir, const uint8_t uuid[16])
{
	struct ctf_reader *r = xcalloc(1, sizeof(*r));
	struct dirent *e;
	DIR *d;

	memcpy(r->uuid, uuid, sizeof(r->uuid));
	r->ncpus = 1;
	r->to = r->behind = UINT64_MAX;
	r->dirfd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	d = r->dirfd >= 0 ? opendir(dir) : NULL;
	if (!d) {
		int err = errno;

		ctf_reader_close(r);
		errno = err;
		return NULL;
	}
	while ((e = readdir(d))) {
		if (ctrace_ctf_is_stream(e->d_name))
			add_file(r, e->d_name);
	}
	closedir(d);
	/* by name, so that records of equal time come in the same order whatever order readdir() has */
	if (r->n)
		qsort(r->v, r->n, sizeof(r->v[0]), by_name);
	r->heap = xcalloc(r->n, sizeof(r->heap[0]));
	for (size_t i = 0; i < r->n; i++)
		if (look_ahead(r, &r->v[i]))
			r->heap[r->nheap++] = &r->v[i];
	for (size_t i = r->nheap / 2; i-- > 0;)
		sift(r, i);
	return r;
}

void ctf_reader_window(struct ctf_reader *r, uint64_t from, uint64_t to, uint64_t ahead, uint64_t behind,
		       const struct ctf_types *before)
{
	r->from = from;
	r->to = to;
	r->first = from > ahead ? from - ahead : 0;
	r->behind = to < UINT64_MAX - behind ? to + behind : UINT64_MAX;
	r->before = before;
}

bool ctf_reader_times(const struct ctf_reader *r, uint64_t *first, uint64_t *last)
{
	struct ctrace_ctf_packet h;

	*first = UINT64_MAX;
	*last = 0;
	for (size_t i = 0; i < r->n; i++) {
		int fd = openat(r->dirfd, r->v[i].name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
		off_t at = 0;

		while (fd >= 0 && read_at(fd, &h, sizeof(h), at) == sizeof(h) &&
		       h.magic == CTRACE_CTF_MAGIC &&
		       !memcmp(h.uuid, r->uuid, sizeof(h.uuid)) && h.packet_size / 8 >= sizeof(h) &&
		       h.packet_size / 8 <= INT64_MAX / 2 - (uint64_t)at) {
			*first = h.timestamp_begin < *first ? h.timestamp_begin : *first;
			*last = h.timestamp_end > *last ? h.timestamp_end : *last;
			at += (off_t)(h.packet_size / 8);
		}
		if (fd >= 0)
			close(fd);
	}
	return *first <= *last;
}

uint32_t ctf_reader_cpu(const struct ctf_reader *r)
{
	return r->heap[0]->cpu;
}

uint32_t ctf_reader_ncpus(const struct ctf_reader *r)
{
	return r->ncpus;
}

uint64_t ctf_reader_lost(const struct ctf_reader *r, uint32_t cid)
{
	uint64_t lost = 0;

	for (size_t i = 0; i < r->n; i++)
		lost += r->v[i].cid == cid ? r->v[i].lost : 0;
	return lost;
}

uint64_t ctf_reader_size(const struct ctf_reader *r)
{
	return r->size;
}

double ctf_reader_done(const struct ctf_reader *r)
{
	return r->size ? (double)r->read / (double)r->size : 1;
}

void ctf_reader_close(struct ctf_reader *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < r->n; i++) {
		free(r->v[i].name);
		free(r->v[i].buf);
	}
	free(r->v);
	free(r->heap);
	if (r->dirfd >= 0)
		close(r->dirfd);
	free(r);
}

const char *ctf_reader_damaged(const struct ctf_reader *r, const char **why)
{
	*why = r->why;
	return r->damaged;
}
