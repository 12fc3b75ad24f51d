// SPDX-License-Identifier: GPL-2.0-only
#include <ctype.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "names/cgroupfs.h"
#include "base/cli.h"
#include "run/target.h"

#define ID_MIN	3	/* an id's prefix has at least this many digits */

static struct target *add(struct targets *ts, enum ctrace_target_kind kind)
{
	struct target *t;

	ts->v = xrealloc(ts->v, (ts->n + 1) * sizeof(ts->v[0]));
	t = &ts->v[ts->n++];
	memset(t, 0, sizeof(*t));
	t->kind = kind;
	t->cid = CTRACE_CID_ALL;
	t->pidfd = -1;
	return t;
}

static void add_cid(struct targets *ts, uint32_t cid)
{
	for (size_t i = 0; i < ts->n; i++)
		if (ts->v[i].kind == CTRACE_TARGET_CID && ts->v[i].cid == cid && !ts->v[i].not)
			return;
	add(ts, CTRACE_TARGET_CID)->cid = cid;
}

static bool alive(const struct centry *e)
{
	return e->known && !(e->c.flags & CTRACE_CONTAINER_F_DEAD);
}

static struct centry *by_cid(struct ctable *t, uint32_t cid)
{
	struct centry *e;

	for (size_t i = 0; (e = ctable_next(t, &i));)
		if (e->c.cid == cid && alive(e))
			return e;
	return NULL;
}

static int parse_pid(struct targets *ts, const char *word)
{
	uint32_t pid;

	if (parse_u32(word, &pid) || !pid || pid > INT32_MAX)
		return cli_usage("'%s' is not a process id: write pid:N", word);
	if (kill((pid_t)pid, 0) && errno == ESRCH)
		return cli_error("no process %u: see 'ps ax'", pid);
	add(ts, CTRACE_TARGET_PID)->pid = pid;
#ifdef SYS_pidfd_open
	ts->v[ts->n - 1].pidfd = (int)syscall(SYS_pidfd_open, (pid_t)pid, 0);
#endif
	return CLI_OK;
}

static int parse_cgroup(struct targets *ts, const char *word)
{
	char *dir = *word ? cgroup_find(word) : NULL;
	struct target *g;
	struct stat st;

	if (!dir || stat(dir, &st)) {
		free(dir);
		return cli_error("no cgroup '%s': give its directory, or its path as in /proc/PID/cgroup",
				 word);
	}
	g = add(ts, CTRACE_TARGET_CGROUP);
	g->path = dir;
	g->dev = st.st_dev;
	g->ino = st.st_ino;
	return CLI_OK;
}

static int not_found(struct ctable *t, const char *word)
{
	struct nearest near = { .word = word };
	struct sbuf b = { 0 };
	struct centry *e;
	int r;

	sbuf_reset(&b);
	for (size_t i = 0; (e = ctable_next(t, &i));)
		if (alive(e) && e->c.cid != CTRACE_CID_HOST)
			nearest_offer(&near, ctable_get(t, e->c.cid)->label);
	sbuf_puts(&b, "no container '");
	sbuf_clean(&b, word);
	sbuf_putc(&b, '\'');
	nearest_print(&near, &b);
	r = cli_error("%s: 'ctrace ps' lists all", b.s);
	sbuf_free(&b);
	return r;
}

static int ambiguous(struct ctable *t, const char *word)
{
	struct sbuf b = { 0 };
	struct centry *e;
	int r;

	for (size_t i = 0; (e = ctable_next(t, &i));)
		if (alive(e) && !strncmp(e->c.runtime_id, word, strlen(word)))
			sbuf_printf(&b, "%s%.12s (%s)", b.len ? ", " : "", e->c.runtime_id,
				    ctable_get(t, e->c.cid)->shown);
	r = cli_error("several ids begin with '%s': %s: give more digits", word, b.s);
	sbuf_free(&b);
	return r;
}

/* Tries word as a name, then as a number, then as the beginning of an id: names were chosen by people. */
static int parse_container(struct targets *ts, struct ctable *t, const char *word)
{
	size_t found = 0, len = strlen(word);
	struct centry *e, *last = NULL;
	uint32_t cid;

	for (size_t i = 0; (e = ctable_next(t, &i));) {
		if (!alive(e) || strcmp(ctable_get(t, e->c.cid)->label, word))
			continue;
		add_cid(ts, e->c.cid);
		found++;
	}
	if (found)
		return CLI_OK;
	if (!parse_u32(word, &cid) && by_cid(t, cid)) {
		add_cid(ts, cid);
		return CLI_OK;
	}
	if (len < ID_MIN || strspn(word, "0123456789abcdef") != len)
		return not_found(t, word);
	for (size_t i = 0; (e = ctable_next(t, &i));) {
		if (!alive(e) || strncmp(e->c.runtime_id, word, len))
			continue;
		/* a nested container's path may show the outer one's id: the same id twice is not ambiguous */
		if (last && strcmp(last->c.runtime_id, e->c.runtime_id))
			return ambiguous(t, word);
		last = e;
		found++;
	}
	if (!found)
		return not_found(t, word);
	for (size_t i = 0; (e = ctable_next(t, &i));)
		if (alive(e) && !strncmp(e->c.runtime_id, word, len))
			add_cid(ts, e->c.cid);
	return CLI_OK;
}

static int parse_one(struct targets *ts, struct ctable *t, const char *word)
{
	uint32_t cid;

	if (!strcmp(word, "all")) {
		add(ts, CTRACE_TARGET_ALL);
		return CLI_OK;
	}
	if (!strcmp(word, "host")) {
		add_cid(ts, CTRACE_CID_HOST);
		return CLI_OK;
	}
	if (!strncmp(word, "pid:", 4))
		return parse_pid(ts, word + 4);
	if (!strncmp(word, "cgroup:", 7))
		return parse_cgroup(ts, word + 7);
	if (!strncmp(word, "cid:", 4)) {
		if (parse_u32(word + 4, &cid))
			return cli_usage("'%s' is not a container number: write cid:N", word);
		if (!by_cid(t, cid))
			return not_found(t, word);
		add_cid(ts, cid);
		return CLI_OK;
	}
	if (!*word)
		return cli_usage("an empty word is not a target: 'ctrace ps' lists containers");
	return parse_container(ts, t, word);
}

/* Adds what word names as targets to leave out. */
static int parse_not(struct targets *ts, struct ctable *t, const char *word)
{
	struct targets out = { 0 };
	int r = parse_one(&out, t, word);

	for (size_t i = 0; i < out.n && r == CLI_OK; i++) {
		struct target *g;

		if (out.v[i].kind == CTRACE_TARGET_PID || out.v[i].kind == CTRACE_TARGET_ALL) {
			r = cli_usage("not:%s: only containers, cgroups and the host can be left out", word);
			break;
		}
		g = add(ts, out.v[i].kind);
		g->cid = out.v[i].cid;
		g->path = out.v[i].path;
		g->not = true;
		out.v[i].path = NULL;
	}
	targets_free(&out);
	return r;
}

int targets_parse(struct targets *ts, struct ctable *t, char **words, int n, bool command)
{
	bool wanted = command;
	int r = CLI_OK;

	for (int i = 0; i < n && r == CLI_OK; i++) {
		if (words[i][0] == '!')
			r = parse_not(ts, t, words[i] + 1);
		else if (!strncmp(words[i], "not:", 4))
			r = parse_not(ts, t, words[i] + 4);
		else
			r = parse_one(ts, t, words[i]);
	}
	for (size_t i = 0; i < ts->n; i++)
		wanted |= !ts->v[i].not;
	/* all but the targets to leave out */
	if (r == CLI_OK && !wanted)
		add(ts, CTRACE_TARGET_ALL);
	for (size_t i = 0; i < ts->n; i++)
		if (!ts->v[i].not && (ts->v[i].kind == CTRACE_TARGET_ALL ||
				      (ts->v[i].kind == CTRACE_TARGET_CID &&
				       ts->v[i].cid == CTRACE_CID_HOST)))
			ts->endless = true;
	return r;
}

void targets_free(struct targets *ts)
{
	for (size_t i = 0; i < ts->n; i++) {
		free(ts->v[i].path);
		if (ts->v[i].pidfd >= 0)
			close(ts->v[i].pidfd);
	}
	free(ts->v);
	memset(ts, 0, sizeof(*ts));
}

int targets_apply(const struct targets *ts, struct ctrace *ct, struct ctrace_session *s)
{
	for (size_t i = 0; i < ts->n; i++) {
		const struct target *t = &ts->v[i];
		const struct ctrace_target o = {
			.sz = sizeof(o), .kind = t->kind, .cid = t->cid, .pid = t->pid,
			.cgroup = t->path, .exclude = t->not,
		};

		if (ctrace_target_add(s, &o, NULL))
			return cli_error("%s", ctrace_errmsg(ct));
	}
	return CLI_OK;
}

static bool ended(struct target *g, struct ctable *t)
{
	struct pollfd p = { .fd = g->pidfd, .events = POLLIN };
	struct centry *e;
	struct stat st;

	switch (g->kind) {
	case CTRACE_TARGET_PID:
		if (g->pidfd >= 0)
			return poll(&p, 1, 0) > 0;
		return kill((pid_t)g->pid, 0) && errno == ESRCH;
	case CTRACE_TARGET_CGROUP:
		/* a directory made anew is another cgroup: the session traces the one that was there */
		return stat(g->path, &st) || st.st_dev != g->dev || st.st_ino != g->ino;
	case CTRACE_TARGET_CID:
		e = ctable_get(t, g->cid);
		return e->known && (e->c.flags & CTRACE_CONTAINER_F_DEAD);
	default:
		return false;
	}
}

bool targets_ended(struct targets *ts, struct ctable *t)
{
	bool all = ts->n > 0;

	if (ts->endless)
		return false;
	for (size_t i = 0; i < ts->n; i++) {
		if (ts->v[i].not)
			continue;
		if (!ts->v[i].ended)
			ts->v[i].ended = ended(&ts->v[i], t);
		all &= ts->v[i].ended;
	}
	return all;
}
