// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "names/cgroupfs.h"
#include "names/units.h"
#include "base/cli.h"
#include "run/target.h"
#include "run/which.h"
#include "run/word.h"

static struct target *add(struct targets *ts, enum ctrace_target_kind kind)
{
	struct target *t;

	if (ts->n == ts->room) {
		ts->room = ts->room ? 2 * ts->room : 8;
		ts->v = xrealloc(ts->v, ts->room * sizeof(ts->v[0]));
	}
	t = &ts->v[ts->n++];
	memset(t, 0, sizeof(*t));
	t->kind = kind;
	t->cid = CTRACE_CID_ALL;
	t->pidfd = -1;
	return t;
}

static uint32_t *slot(const struct targets *ts, uint32_t cid)
{
	size_t i = (cid * 0x9e3779b1u) & (ts->size - 1);

	while (ts->cids[i] && ts->cids[i] != cid + 1)
		i = (i + 1) & (ts->size - 1);
	return &ts->cids[i];
}

static void grow(struct targets *ts)
{
	uint32_t *old = ts->cids;
	size_t n = ts->size;

	ts->size = n ? 2 * n : 64;
	ts->cids = xcalloc(ts->size, sizeof(ts->cids[0]));
	for (size_t i = 0; i < n; i++)
		if (old[i])
			*slot(ts, old[i] - 1) = old[i];
	free(old);
}

void targets_add_cid(struct targets *ts, uint32_t cid)
{
	uint32_t *s;

	if (2 * (ts->ncids + 1) > ts->size)
		grow(ts);
	s = slot(ts, cid);
	if (*s)
		return;
	*s = cid + 1;
	ts->ncids++;
	add(ts, CTRACE_TARGET_CID)->cid = cid;
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
		struct sbuf units = { 0 };
		int r;

		sbuf_reset(&units);
		which_units(&units, word, NULL);
		r = cli_error("no cgroup '%s': give its directory, or its path as in /proc/PID/cgroup%s",
			      word, units.s);
		sbuf_free(&units);
		free(dir);
		return r;
	}
	g = add(ts, CTRACE_TARGET_CGROUP);
	g->path = dir;
	g->dev = st.st_dev;
	g->ino = st.st_ino;
	return CLI_OK;
}

size_t targets_add_matching(struct targets *ts, struct ctable *t, const struct word *w)
{
	struct centry *e;
	size_t n = 0;

	for (size_t i = 0; (e = ctable_next(t, &i));) {
		if (!ctable_alive(e) || e->c.cid == CTRACE_CID_HOST || !word_matches(t, ctable_get(t, e->c.cid), w))
			continue;
		targets_add_cid(ts, e->c.cid);
		n++;
	}
	return n;
}

/* Adds all living containers that match a word which is not plain. */
static int parse_matching(struct targets *ts, struct ctable *t, const struct word *w, const char *word)
{
	struct sbuf b = { 0 }, others = { 0 };
	int r;

	if (targets_add_matching(ts, t, w))
		return CLI_OK;
	sbuf_clean(&b, word);
	sbuf_reset(&others);
	word_others(&others, t, w);
	r = word_is_fact(w) ?
		cli_error("no container is '%s': 'ctrace ps --wide' shows what is known of them%s", b.s, others.s) :
		cli_error("no container's name matches '%s': 'ctrace ps' lists all%s", b.s, others.s);
	sbuf_free(&b);
	sbuf_free(&others);
	return r;
}

static int parse_pod(struct targets *ts, struct ctable *t, const char *word, bool ns)
{
	struct which w = { 0 };
	int r = which_pod(t, word, ns, &w);

	for (size_t i = 0; i < w.n; i++)
		targets_add_cid(ts, w.v[i]->c.cid);
	free(w.v);
	return r;
}

/* Of the system; or of a user, w->text then is unit:NAME. */
static int parse_unit(struct targets *ts, const struct word *w, const char *name)
{
	const uint32_t *uid = w ? &w->whose : NULL;
	struct sbuf b = { 0 };
	struct units u;
	int r;

	units_find(&u, name, uid);
	if (u.n == 1 && u.theirs) {
		r = parse_cgroup(ts, u.v[0]);
	} else {
		sbuf_reset(&b);
		which_units(&b, name, uid);
		r = uid ? cli_error("no unit '%s' of user %u runs%s", name, *uid, b.s) :
			cli_error("no unit '%s' of the system runs%s", name, b.s);
		sbuf_free(&b);
	}
	units_free(&u);
	return r;
}

/* A word that says whose it is. */
static int parse_owned(struct targets *ts, struct ctable *t, const struct word *w, const char *word)
{
	static const char *const others[] = { "pid:", "cgroup:", "cid:", "unit:", "user:", "in:" };

	if (w->owner == NAME_OF_USER && !strncmp(w->text, "unit:", 5))
		return parse_unit(ts, w, w->text + 5);
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		if (!strncmp(w->text, others[i], strlen(others[i])))
			return cli_usage("'%s' has no owner: write '%s'", word, w->text);
	return parse_matching(ts, t, w, word);
}

static int parse_one(struct targets *ts, struct ctable *t, const char *word)
{
	struct centry *e;
	struct word w;
	int status;

	if (!strcmp(word, "all")) {
		add(ts, CTRACE_TARGET_ALL);
		return CLI_OK;
	}
	if (!strcmp(word, "host")) {
		/* it need not be listed */
		targets_add_cid(ts, CTRACE_CID_HOST);
		return CLI_OK;
	}
	if (!strncmp(word, "pid:", 4))
		return parse_pid(ts, word + 4);
	if (!strncmp(word, "cgroup:", 7))
		return parse_cgroup(ts, word + 7);
	if (!strncmp(word, "unit:", 5))
		return parse_unit(ts, NULL, word + 5);
	if (!strncmp(word, "pod:", 4))
		return parse_pod(ts, t, word + 4, false);
	if (!strncmp(word, "ns:", 3))
		return parse_pod(ts, t, word + 3, true);
	status = word_parse(&w, t, word);
	if (status != CLI_OK)
		return status;
	if (w.owner != NAME_OF_SYSTEM)
		return parse_owned(ts, t, &w, word);
	if (!w.plain)
		return parse_matching(ts, t, &w, word);
	e = which_target(t, word, &status);
	if (!e)
		return status;
	targets_add_cid(ts, e->c.cid);
	return CLI_OK;
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
		size_t before = ts->n;

		if (words[i][0] == '!')
			r = parse_not(ts, t, words[i] + 1);
		else if (!strncmp(words[i], "not:", 4))
			r = parse_not(ts, t, words[i] + 4);
		else
			r = parse_one(ts, t, words[i]);
		if (ts->n > before && ts->v[before].kind == CTRACE_TARGET_CGROUP)
			ts->v[before].word = xstrdup(words[i]);
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
		free(ts->v[i].word);
		if (ts->v[i].pidfd >= 0)
			close(ts->v[i].pidfd);
	}
	free(ts->v);
	free(ts->cids);
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

bool targets_want(const struct targets *ts, uint32_t cid)
{
	bool all = false;

	if (!ts->endless)
		return ts->size && *slot(ts, cid);
	for (size_t i = 0; i < ts->n; i++) {
		if (ts->v[i].not && ts->v[i].kind == CTRACE_TARGET_CID && ts->v[i].cid == cid)
			return false;
		all |= ts->v[i].kind == CTRACE_TARGET_ALL;
	}
	return all || (ts->size && *slot(ts, cid));
}

/* Its path, for the caller to free; or NULL. */
static char *place_of(const struct target *g, struct ctable *t, uint32_t *hierarchy, uint32_t *cid)
{
	char *path = cgroup_path(g->path, hierarchy);

	*cid = path ? ctable_of_cgroup(t, path, *hierarchy) : CTRACE_CID_HOST;
	return path;
}

uint32_t targets_cid(const struct target *g, struct ctable *t)
{
	uint32_t hierarchy, cid;

	free(place_of(g, t, &hierarchy, &cid));
	return cid;
}

void targets_name_parts(const struct targets *ts, struct ctable *t, bool command)
{
	/* a process is a container's or the host's, too */
	for (size_t i = 0; i < ts->n; i++)
		command |= ts->v[i].kind == CTRACE_TARGET_PID;
	for (size_t i = 0; i < ts->n && !command; i++) {
		const struct target *g = &ts->v[i];
		uint32_t hierarchy, cid;
		char *path;

		if (g->kind != CTRACE_TARGET_CGROUP || g->not)
			continue;
		path = place_of(g, t, &hierarchy, &cid);
		/* not if it is the whole container */
		if (path && !targets_want(ts, cid) &&
		    (cid == CTRACE_CID_HOST || strcmp(ctable_get(t, cid)->c.path, path)))
			ctable_add_part(t, cid, g->word, path, hierarchy);
		free(path);
	}
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
		/* a directory that was made again is another cgroup: the session traces the old one */
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
