// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>
#include "cli.h"
#include "ctf_dir.h"
#include "sink_ctf.h"

struct stream {
	uint32_t cid, cpu;
	unsigned int part;	/* c12_0.1 where the times would run backwards in c12_0 */
	int fd;			/* -1: closed, to be opened again */
	uint64_t used;		/* when last written to, for closing the one longest unused */
	off_t size;		/* of whole packets */
	off_t kept;		/* size before the packet that is not yet done() */
	uint64_t seq, last_time;
	uint64_t discarded;	/* running total: overrun, and refused by the kernel */
};

struct ctf {
	char *dir;
	int dirfd;
	const struct ctrace_schema *schema;
	struct ctable *table;
	struct side_info info;
	struct symbols *symbols;
	struct stream **v;
	size_t n;
	uint64_t *refused;	/* by slot: what its ring had refused at its last run; a slot's */
	uint32_t nslots;	/* count runs on when it goes to another container */
	unsigned int nopen, max_open;
	uint64_t clock;		/* counts packets */
	struct ctf_totals totals;
	bool failed;
};

static int fail(struct ctf *c, const char *what, int err)
{
	if (!c->failed)
		cli_error("cannot write %s/%s: %s%s", c->dir, what, strerror(err),
			  c->totals.events ? ": what was written before is whole" : "");
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

static void close_oldest(struct ctf *c)
{
	struct stream *oldest = NULL;

	for (size_t i = 0; i < c->n; i++)
		if (c->v[i]->fd >= 0 && (!oldest || c->v[i]->used < oldest->used))
			oldest = c->v[i];
	if (!oldest)
		return;
	close(oldest->fd);
	oldest->fd = -1;
	c->nopen--;
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
	name = stream_name(s);
	s->fd = openat(c->dirfd, name, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW |
		       (s->seq ? 0 : O_EXCL), 0644);
	if (s->fd < 0)
		r = fail(c, name, errno);
	else
		c->nopen++;
	free(name);
	return r;
}

static struct stream *stream_new(struct ctf *c, uint32_t cid, uint32_t cpu, unsigned int part)
{
	struct stream *s = xcalloc(1, sizeof(*s));

	s->cid = cid;
	s->cpu = cpu;
	s->part = part;
	s->fd = -1;
	c->v = xrealloc(c->v, (c->n + 1) * sizeof(c->v[0]));
	c->v[c->n++] = s;
	c->totals.streams++;
	return s;
}

/* Newest part of the stream; a new one where time would run backwards in the file. */
static struct stream *stream_of(struct ctf *c, const struct ctrace_run *run)
{
	struct stream *s = NULL;

	for (size_t i = c->n; i-- > 0 && !s;)
		if (c->v[i]->cid == run->cid && c->v[i]->cpu == run->cpu)
			s = c->v[i];
	if (!s)
		return stream_new(c, run->cid, run->cpu, 0);
	if (run->time_begin < s->last_time)
		return stream_new(c, run->cid, run->cpu, s->part + 1);
	return s;
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

/* A packet: head, then the run as it lies in the mapping. */
static int write_run(const struct ctrace_run *run, void *arg)
{
	struct ctf *c = arg;
	struct stream *s = stream_of(c, run);
	const struct ctrace_event_type *type = ctrace_schema_by_id(c->schema, run->last->id);
	struct ctrace_ctf_packet h;
	size_t size = sizeof(h) + run->len;
	struct iovec iov[2] = {
		{ &h, sizeof(h) }, { (void *)run->data, run->len },
	};
	ssize_t n;
	char *name;
	int err;

	if (stream_open(c, s))
		return -EIO;
	s->discarded += run->lost + newly_refused(c, run);
	memset(&h, 0, sizeof(h));
	h.magic = CTF_MAGIC;
	memcpy(h.uuid, c->info.uuid, sizeof(h.uuid));
	h.timestamp_begin = run->time_begin;
	h.timestamp_end = run->time_end;
	h.packet_size = 8 * size;
	h.content_size = h.packet_size - 8ull * run->last->len +
			 ctrace_ctf_record_bits(type, run->last);
	h.packet_seq_num = s->seq;
	h.events_discarded = s->discarded;
	h.cpu_id = run->cpu;
	h.ring_cid = run->cid;
	s->kept = s->size;
	n = pwritev(s->fd, iov, 2, s->size);
	if (n == (ssize_t)size) {
		s->size += n;
		s->seq++;
		return 0;
	}
	err = n < 0 ? errno : ENOSPC;
	/* a short write says no more than that: the rest tells why */
	if (ftruncate(s->fd, s->size))
		err = errno;
	name = stream_name(s);
	fail(c, name, err);
	free(name);
	return -EIO;
}

/* The run is either whole in the file, or it was overwritten while being copied and goes. */
static int done(const struct ctrace_run *run, bool ok, void *arg)
{
	struct ctf *c = arg;
	struct stream *s = NULL;

	for (size_t i = c->n; i-- > 0 && !s;)
		if (c->v[i]->cid == run->cid && c->v[i]->cpu == run->cpu)
			s = c->v[i];
	if (!s || c->failed)
		return 0;
	if (ok) {
		c->totals.events += run->count;
		c->totals.bytes += (uint64_t)(s->size - s->kept);
		s->last_time = run->time_end;
		if (c->symbols)
			ctf_symbols_scan(c->symbols, c->schema, run->data, run->len);
		return 0;
	}
	s->size = s->kept;
	s->seq--;
	if (s->fd >= 0 && ftruncate(s->fd, s->size)) {
		fail(c, "stream", errno);
		return -EIO;
	}
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
	fd = openat(c->dirfd, "metadata", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0644);
	f = fd >= 0 ? fdopen(fd, "w") : NULL;
	if (!f)
		return fail(c, "metadata", errno);
	errno = 0;
	err = ctrace_ctf_metadata(f, c->schema, &env);
	if (fclose(f) == EOF && !err)
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

/* At the end: a task's addresses were looked up as they came. */
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

struct ctf *ctf_create(const char *dir, const struct ctrace_schema *s, struct ctable *t,
		       const struct ctf_opts *o)
{
	struct ctf *c = xcalloc(1, sizeof(*c));
	struct rlimit lim = { .rlim_cur = 64 };
	uint64_t a = clock_ns(CLOCK_MONOTONIC), real = clock_ns(CLOCK_REALTIME);

	c->dir = xstrdup(dir);
	c->schema = s;
	c->table = t;
	c->symbols = o ? o->symbols : NULL;
	c->info.stacks = o ? o->stacks : 0;
	c->info.clock_offset = (int64_t)(real - (a + clock_ns(CLOCK_MONOTONIC)) / 2);
	if (getrandom(c->info.uuid, sizeof(c->info.uuid), 0) != sizeof(c->info.uuid))
		memcpy(c->info.uuid, &real, sizeof(real));
	c->info.uuid[6] = (c->info.uuid[6] & 0x0f) | 0x40;
	c->info.uuid[8] = (c->info.uuid[8] & 0x3f) | 0x80;
	/* a stream per container and CPU: more than the soft limit likes */
	if (!getrlimit(RLIMIT_NOFILE, &lim) && lim.rlim_cur < lim.rlim_max) {
		struct rlimit want = { .rlim_cur = lim.rlim_max, .rlim_max = lim.rlim_max };

		if (!setrlimit(RLIMIT_NOFILE, &want))
			lim = want;
	}
	c->max_open = lim.rlim_cur > 4096 + 64 ? 4096 : lim.rlim_cur > 96 ? lim.rlim_cur - 64 : 32;
	c->dirfd = ctf_dir_open(dir, o && o->force);
	if (c->dirfd < 0 || write_start(c)) {
		/* half a start would look like somebody else's trace */
		if (c->dirfd >= 0) {
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
		/* some file systems tell of a full disk only here */
		if (c->v[i]->fd >= 0 && close(c->v[i]->fd) && !c->failed)
			fail(c, "stream", errno);
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
