// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include "base/cli.h"
#include "ctf/sink_ctf.h"

struct ctf {
	char *dir;
	struct ctrace_ctf *w;
	const struct ctrace_schema *schema;
	struct ctable *table;
	struct symbols *symbols;
	uint32_t stacks;
	bool (*shows)(const void *arg, uint32_t cid);	/* NULL: all */
	const void *shows_arg;
	struct ctrace_run part;	/* what is written of the run in hand; its data is buf if some was left out */
	char *buf;
	uint64_t *lost;		/* by slot: losses of runs of which nothing was written */
	uint32_t nslots;	/* length of lost */
	uint64_t from, to;	/* ctf_opts's; to 0: all */
	uint32_t slots;		/* of earlier readers; this one's follow them */
	uint64_t *refused;	/* with a window, by slot: what was refused before its first run, plus 1 */
	uint64_t *late;		/* the same: where it begins, if records in the window were overwritten */
	uint64_t whole;		/* the latest `late` of the slots that have a written run */
	bool made_dir;
	bool failed;		/* and a message said so */
};

struct ctrace_ctf_info ctf_info(const struct ctf *c)
{
	struct ctrace_ctf_info info;

	ctrace_ctf_info(c->w, &info, sizeof(info));
	return info;
}

static int fail(struct ctf *c, const char *why)
{
	if (!c->failed)
		cli_error("%s%s", why, ctf_info(c).records ? ": the trace is complete up to there" : "");
	c->failed = true;
	return -1;
}

static bool shows(const struct ctf *c, uint32_t cid)
{
	return !c->shows || c->shows(c->shows_arg, cid);
}

static bool in_window(const struct ctf *c, uint64_t time)
{
	return !c->to || (time >= c->from && time <= c->to);
}

/*
 * Copies the records that are shown into c->part. Records that are overwritten during the copy may be
 * nonsense; then the run is found invalid at its end.
 */
static void choose(struct ctf *c, const struct ctrace_run *run)
{
	const char *at = run->data, *end = at + run->len;
	struct ctrace_record rec;

	c->buf = xrealloc(c->buf, run->len);
	c->part.data = c->buf;
	c->part.len = c->part.count = 0;
	for (; end - at >= (ptrdiff_t)sizeof(rec); at += rec.len) {
		memcpy(&rec, at, sizeof(rec));
		if (rec.len < sizeof(rec) || rec.len > end - at || rec.len % 8)
			return;
		if (!shows(c, rec.cid) || !in_window(c, rec.time))
			continue;
		memcpy(c->buf + c->part.len, at, rec.len);
		/* the buffer's own copy counts: the mapping may say something else by now */
		memcpy(c->buf + c->part.len, &rec, sizeof(rec));
		c->part.last = (const void *)(c->buf + c->part.len);
		if (!c->part.count++)
			c->part.time_begin = rec.time;
		c->part.time_end = rec.time;
		c->part.len += rec.len;
	}
}

static void know_slot(struct ctf *c, uint32_t slot)
{
	if (slot < c->nslots)
		return;
	c->lost = xrealloc(c->lost, (slot + 1) * sizeof(c->lost[0]));
	memset(c->lost + c->nslots, 0, (slot + 1 - c->nslots) * sizeof(c->lost[0]));
	c->refused = xrealloc(c->refused, (slot + 1) * sizeof(c->refused[0]));
	memset(c->refused + c->nslots, 0, (slot + 1 - c->nslots) * sizeof(c->refused[0]));
	c->late = xrealloc(c->late, (slot + 1) * sizeof(c->late[0]));
	memset(c->late + c->nslots, 0, (slot + 1 - c->nslots) * sizeof(c->late[0]));
	c->nslots = slot + 1;
}

/* Before a window's first run there, records were overwritten as meant. */
static void forgive(struct ctf *c, uint32_t slot)
{
	if (!c->refused[slot]) {
		c->whole = c->late[slot] > c->whole ? c->late[slot] : c->whole;
		c->part.lost = 0;
		c->refused[slot] = c->part.refused + 1;
	}
	c->part.refused -= c->refused[slot] - 1;
}

static int write_run(const struct ctrace_run *run, void *arg)
{
	struct ctf *c = arg;
	bool part = run->cid == CTRACE_CID_ALL && c->shows;

	c->part = *run;
	c->part.slot += c->slots;
	if (!c->shows && !c->to)
		return ctrace_ctf_write(c->w, &c->part);
	part |= c->to && (run->time_begin < c->from || run->time_end > c->to);
	if (c->to && (run->time_end < c->from || run->time_begin > c->to))
		c->part.count = 0;
	else if (run->cid != CTRACE_CID_ALL && !shows(c, run->cid))
		c->part.count = 0;
	else if (part)
		choose(c, run);
	know_slot(c, c->part.slot);
	if (c->to && run->lost && run->time_begin > c->from && !c->refused[c->part.slot])
		c->late[c->part.slot] = run->time_begin;
	if (c->to && c->part.count)
		forgive(c, c->part.slot);
	c->part.lost += c->lost[c->part.slot];
	return c->part.count ? ctrace_ctf_write(c->w, &c->part) : 0;
}

static int done(const struct ctrace_run *run, bool ok, void *arg)
{
	struct ctf *c = arg;
	uint32_t slot = c->part.slot;
	int err;

	if (!c->part.count) {
		c->lost[slot] += ok && (!c->to || c->refused[slot]) ? run->lost : 0;
		return 0;
	}
	err = ctrace_ctf_done(c->w, &c->part, ok);
	if (!err && ok && (c->shows || c->to))
		c->lost[slot] = 0;
	if (!err && ok && c->symbols)
		ctf_symbols_scan(c->symbols, c->schema, c->part.data, c->part.len);
	return err;
}

void ctf_next_reader(struct ctf *c)
{
	c->slots = c->nslots;
}

uint64_t ctf_whole_from(const struct ctf *c)
{
	return c->whole;
}

void ctf_window(struct ctf *c, uint64_t from, uint64_t to)
{
	c->from = from;
	c->to = to;
}

int ctf_drain(struct ctf *c, struct ctrace_reader *r)
{
	int n;

	if (c->failed)
		return -1;
	n = ctrace_reader_runs(r, write_run, done, c);
	return *ctrace_ctf_errmsg(c->w) ? fail(c, ctrace_ctf_errmsg(c->w)) : n > 0 ? n : 0;
}

void ctf_put_run(struct ctf *c, const struct ctrace_run *run)
{
	if (!c->failed && (ctrace_ctf_write(c->w, run) || ctrace_ctf_done(c->w, run, true)))
		fail(c, ctrace_ctf_errmsg(c->w));
}

void ctf_side(struct ctf *c, const char *name, struct sbuf *b)
{
	if (!c->failed && ctrace_ctf_file(c->w, name, b->s, b->len))
		fail(c, ctrace_ctf_errmsg(c->w));
	sbuf_free(b);
}

void ctf_containers(struct ctf *c)
{
	struct sbuf b = { 0 };

	if (!c->table->changed || c->failed)
		return;
	c->table->changed = false;
	side_containers(&b, c->table);
	ctf_side(c, CTRACE_CTF_CONTAINERS, &b);
}

static void write_start(struct ctf *c)
{
	struct ctrace_ctf_info of = ctf_info(c);
	struct side_info info = { .clock_offset = of.clock_offset_ns, .stacks = c->stacks };
	struct sbuf b = { 0 };

	memcpy(info.uuid, of.uuid, sizeof(info.uuid));
	side_schema(&b, c->schema, &info);
	ctf_side(c, CTRACE_CTF_SCHEMA, &b);
	c->table->changed = true;
	ctf_containers(c);
}

/* One stream per container and CPU may need more files than the soft limit allows. */
static void allow_files(void)
{
	struct rlimit lim;

	if (!getrlimit(RLIMIT_NOFILE, &lim) && lim.rlim_cur < lim.rlim_max) {
		lim.rlim_cur = lim.rlim_max;
		setrlimit(RLIMIT_NOFILE, &lim);
	}
}

struct ctf *ctf_create(const char *dir, const struct ctrace_schema *s, struct ctable *t,
		       const struct ctf_opts *o)
{
	const struct ctrace_ctf_opts wo = {
		.sz = sizeof(wo), .flags = o && o->force ? CTRACE_CTF_REPLACE : 0,
	};
	struct ctf *c = xcalloc(1, sizeof(*c));
	int err;

	c->dir = xstrdup(dir);
	c->schema = s;
	c->table = t;
	c->symbols = o ? o->symbols : NULL;
	c->stacks = o ? o->stacks : 0;
	c->shows = o ? o->shows : NULL;
	c->shows_arg = o ? o->shows_arg : NULL;
	c->from = o ? o->from : 0;
	c->to = o ? o->to : 0;
	c->made_dir = access(dir, F_OK) && errno == ENOENT;
	allow_files();
	err = ctrace_ctf_open(AT_FDCWD, dir, s, &wo, &c->w);
	if (!err) {
		write_start(c);
	} else if (err == -ENOTEMPTY) {
		c->failed = true;
		cli_error("'%s' is not empty: name another directory, or use --force", dir);
	} else {
		c->failed = true;
		cli_error("%s", ctrace_ctf_errmsg(c->w));
	}
	if (!c->failed)
		return c;
	ctf_close(c);
	return NULL;
}

int ctf_close(struct ctf *c)
{
	struct sbuf b = { 0 };
	int err, status;

	/* the names at the end; the addresses were looked up as they came */
	if (c->symbols && !c->failed && ctf_info(c).streams) {
		symbols_save(c->symbols, &b);
		ctf_side(c, CTRACE_CTF_SYMBOLS, &b);
	}
	err = ctrace_ctf_close(c->w);
	if (err && !c->failed)
		cli_error("cannot write the end of '%s': %s", c->dir, strerror(-err));
	status = err || c->failed ? CLI_FAIL : CLI_OK;
	/* the library removed its files if there was no record; it stays if anything is in it */
	if (status != CLI_OK && c->made_dir)
		rmdir(c->dir);
	free(c->dir);
	free(c->buf);
	free(c->lost);
	free(c->refused);
	free(c->late);
	free(c);
	return status;
}
