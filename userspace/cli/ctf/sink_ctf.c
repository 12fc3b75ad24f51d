// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include "base/cli.h"
#include "ctf/sink_ctf.h"

struct ctf {
	char *dir;
	struct ctrace_ctf *w;
	const struct ctrace_schema *schema;
	struct ctable *table;
	struct symbols *symbols;
	uint32_t stacks;
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

static int write_run(const struct ctrace_run *run, void *arg)
{
	struct ctf *c = arg;

	return ctrace_ctf_write(c->w, run);
}

static int done(const struct ctrace_run *run, bool ok, void *arg)
{
	struct ctf *c = arg;
	int err = ctrace_ctf_done(c->w, run, ok);

	if (!err && ok && c->symbols)
		ctf_symbols_scan(c->symbols, c->schema, run->data, run->len);
	return err;
}

int ctf_drain(struct ctf *c, struct ctrace_reader *r)
{
	int n;

	if (c->failed)
		return -1;
	n = ctrace_reader_runs(r, write_run, done, c);
	return *ctrace_ctf_errmsg(c->w) ? fail(c, ctrace_ctf_errmsg(c->w)) : n > 0 ? n : 0;
}

/* Writes a file beside the streams, and frees its text. */
static void put(struct ctf *c, const char *name, struct sbuf *b)
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
	put(c, CTRACE_CTF_CONTAINERS, &b);
}

static void write_start(struct ctf *c)
{
	struct ctrace_ctf_info of = ctf_info(c);
	struct side_info info = { .clock_offset = of.clock_offset_ns, .stacks = c->stacks };
	struct sbuf b = { 0 };

	memcpy(info.uuid, of.uuid, sizeof(info.uuid));
	side_schema(&b, c->schema, &info);
	put(c, CTRACE_CTF_SCHEMA, &b);
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
		put(c, CTRACE_CTF_SYMBOLS, &b);
	}
	err = ctrace_ctf_close(c->w);
	if (err && !c->failed)
		cli_error("cannot write the end of '%s': %s", c->dir, strerror(-err));
	status = err || c->failed ? CLI_FAIL : CLI_OK;
	free(c->dir);
	free(c);
	return status;
}
