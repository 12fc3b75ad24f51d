// SPDX-License-Identifier: GPL-2.0-only
/*
 * A container's name is known only some time after its birth, and its first event is wanted. So the session
 * wants every container from its birth on (CTRACE_TARGET_BORN), and as long as it is not known whether a
 * container is meant, its records wait in their rings, where they take no other memory. Then they are shown,
 * or the session lets the container go.
 *
 * A ring that containers share waits as long as there is a record in it of one that is not decided on. To
 * sort such records out before would make the order of time in that ring wrong, or need memory that grows
 * with them.
 *
 * Only containers can be followed. If a session also had targets of processes or cgroups, a record of a
 * container that does not match could be wanted by them, and nothing would show it.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "base/cli.h"
#include "run/follow.h"
#include "run/which.h"

/* How long to wait for a name. ctable.c looks for it for three seconds. */
#define PATIENCE	(4 * NSEC_PER_SEC)
#define OPEN_MAX	65536u	/* beyond that, rings wait until there is room */
/*
 * While so many are open, all are looked at each time; of more, those that are new, and all only after an
 * interval.
 */
#define OPEN_FEW	256u
#define OPEN_INTERVAL	(NSEC_PER_SEC / 20)

/* centry.verdict. NEVER: left out by not:, with what is inside it. */
enum { NEW, OPEN, YES, NO, NEVER };

void follow_free(struct follow *f)
{
	free(f->words);
	free(f->open);
	memset(f, 0, sizeof(*f));
}

const char *follow_missing(const struct follow *f)
{
	for (size_t i = 0; f->mode == FOLLOW_FIRST && i < f->nwords; i++)
		if (!f->words[i].not && !f->words[i].found)
			return f->words[i].text;
	return NULL;
}

/* --- words ------------------------------------------------------------------ */

/* cid: is one, too, but names one that lives. */
static bool is_container(const char *word)
{
	static const char *const others[] = { "pid:", "cgroup:", "unit:" };

	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		if (!strncmp(word, others[i], strlen(others[i])))
			return false;
	return *word && strcmp(word, "all") && strcmp(word, "host");
}

/* Does anything match that lives? With --follow, all that matches becomes a target. */
static bool lives(struct follow *f, const struct follow_word *w)
{
	struct targets found = { 0 };
	size_t n;

	if (f->mode == FOLLOW_FIRST && w->word.plain)
		return which_any(f->table, w->text);
	n = targets_add_matching(f->mode == FOLLOW_ALL ? f->targets : &found, f->table, &w->word);
	targets_free(&found);
	return n;
}

/*
 * Makes what lives and matches a target. A name that is not unique is no error with --follow: all are taken.
 */
static int take_living(struct follow *f, struct follow_word *w)
{
	bool found = lives(f, w), other = !found && w->word.plain && which_any(f->table, w->text);
	char *text = (char *)w->text;
	struct sbuf b = { 0 };

	if (f->mode == FOLLOW_ALL ? other : found) {
		w->found = f->mode == FOLLOW_FIRST;
		return targets_parse(f->targets, f->table, &text, 1, true);
	}
	if (!found)
		word_others(&b, f->table, &w->word);
	if (b.len)
		fprintf(stderr, "ctrace: no container of the system matches yet%s\n", b.s);
	sbuf_free(&b);
	return CLI_OK;
}

static int take_word(struct follow *f, char *word, const char *option)
{
	bool not = word[0] == '!' || !strncmp(word, "not:", 4);
	char *text = !not ? word : word[0] == '!' ? word + 1 : word + 4;
	struct follow_word *w;
	struct word parsed;
	int status;

	if (!strncmp(text, "cid:", 4) || (not && !is_container(text)))
		return targets_parse(f->targets, f->table, &word, 1, true);
	status = word_parse(&parsed, f->table, text);
	if (status != CLI_OK)
		return status;
	if (!is_container(parsed.text))
		return cli_usage("%s is for containers by name, id, pod, image, label or runtime: trace '%s' by itself",
				 option, text);
	f->words = xrealloc(f->words, (f->nwords + 1) * sizeof(f->words[0]));
	w = &f->words[f->nwords++];
	*w = (struct follow_word){ .text = text, .word = parsed, .not = not };
	return not ? CLI_OK : take_living(f, w);
}

int follow_parse(struct follow *f, enum follow_mode mode, struct ctable *t, struct targets *ts, char **words, int n)
{
	const char *option = mode == FOLLOW_ALL ? "--follow" : "--wait";
	int r = CLI_OK, wanted = 0;

	f->mode = mode;
	f->table = t;
	f->targets = ts;
	for (int i = 0; i < n && r == CLI_OK; i++)
		r = take_word(f, words[i], option);
	for (size_t i = 0; i < f->nwords; i++)
		wanted += !f->words[i].not;
	if (r == CLI_OK && !wanted)
		r = cli_usage("%s needs a container to %s: '*' means each", option, option + 2);
	for (size_t i = 0; i < ts->n; i++)
		f->began |= !ts->v[i].not;
	return r;
}

/* --- deciding ---------------------------------------------------------------- */

static void meet(struct follow *f, uint32_t cid)
{
	if (f->nopen == f->room) {
		f->room = f->room ? 2 * f->room : 64;
		f->open = xrealloc(f->open, f->room * sizeof(f->open[0]));
	}
	f->open[f->nopen++] = (struct follow_open){ .cid = cid, .since = clock_ns(CLOCK_MONOTONIC) };
}

static int verdict_of(const struct follow *f, uint32_t cid)
{
	const struct centry *e;

	if (cid == CTRACE_CID_HOST || cid == CTRACE_CID_UNKNOWN)
		return YES;
	e = ctable_find(f->table, cid);
	return e ? e->verdict : NEW;
}

/* *hit: it matches a word itself, and is not only inside one that does. */
static int judge(const struct follow *f, const struct centry *e, uint64_t age, bool *hit)
{
	int around = e->known && e->c.parent != CTRACE_CID_HOST ? verdict_of(f, e->c.parent) : NO;
	bool settled = f->over || e->named || age >= PATIENCE, nots = false;

	*hit = false;
	if (around == NEVER)
		return NEVER;
	if ((around == NEW || around == OPEN) && !f->over && age < 2 * PATIENCE)
		return OPEN;
	for (size_t i = 0; i < f->nwords; i++) {
		const struct follow_word *w = &f->words[i];
		/* before that, its id stands in for its name */
		bool matches = settled && !w->found && e->known && word_matches(f->table, e, &w->word);

		nots |= w->not;
		if (w->not && matches)
			return NEVER;
		*hit |= matches;
	}
	if (*hit || around == YES)
		return nots && !settled ? OPEN : YES;
	return settled || (f->mode == FOLLOW_FIRST && !follow_missing(f)) ? NO : OPEN;
}

/* --wait: all are found, so what is born later is not meant. */
static void end_births(struct follow *f)
{
	ctrace_target_del(f->session, f->births);
	f->births = 0;
}

static void follow_it(struct follow *f, const struct centry *e)
{
	const struct ctrace_target t = { .sz = sizeof(t), .kind = CTRACE_TARGET_CID, .cid = e->c.cid };

	f->began = true;
	/* The target of births has it already, unless it is older, or that target is about to go. */
	if (f->mode == FOLLOW_ALL && e->c.first_seen >= f->until)
		return;
	/* An error means that it has died since. */
	ctrace_target_add(f->session, &t, NULL);
	targets_add_cid(f->targets, e->c.cid);
	if (f->mode == FOLLOW_ALL)
		return;
	for (size_t i = 0; i < f->nwords; i++)
		if (!f->words[i].not && !f->words[i].found && word_matches(f->table, e, &f->words[i].word))
			f->words[i].found = true;
	fprintf(stderr, "ctrace: %s has started, cid %u\n", e->shown, e->c.cid);
	if (!follow_missing(f) && f->births)
		end_births(f);
}

/* True: it is no longer open. */
static bool decide(struct follow *f, const struct follow_open *o)
{
	struct centry *e = ctable_get(f->table, o->cid);
	bool hit;

	e->verdict = (unsigned char)judge(f, e, clock_ns(CLOCK_MONOTONIC) - o->since, &hit);
	if (e->verdict == OPEN)
		return false;
	if (e->verdict == YES && hit)
		follow_it(f, e);
	if (e->verdict == YES)
		return true;
	if (e->verdict == NO)
		e->told = TOLD_DEATH;
	f->nameless += e->verdict == NO && !e->named && e->c.runtime_id[0] && e->c.first_seen >= f->from;
	/* An error means that it has died since. */
	if (f->births && e->c.first_seen >= f->from)
		ctrace_target_let_go(f->session, f->births, e->c.cid);
	return true;
}

static void meet_known(struct follow *f, struct centry *e)
{
	if (!e || !e->known || e->verdict != NEW || e->c.cid == CTRACE_CID_HOST)
		return;
	e->verdict = OPEN;
	meet(f, e->c.cid);
}

/* The containers that have become known since the last time; the first time, all. */
static void meet_new(struct follow *f)
{
	struct ctable *t = f->table;
	struct centry *e;

	if (t->meets) {
		for (size_t i = 0; i < t->met.n; i++)
			meet_known(f, ctable_find(t, t->met.v[i]));
		t->met.n = 0;
		return;
	}
	t->meets = true;
	for (size_t i = 0; (e = ctable_next(t, &i));)
		meet_known(f, e);
}

void follow_look(struct follow *f)
{
	size_t from = f->nopen;
	uint64_t now;

	if (!f->mode)
		return;
	ctable_tidy(f->table);
	meet_new(f);
	now = clock_ns(CLOCK_MONOTONIC);
	if (f->over || from <= OPEN_FEW || now - f->looked > OPEN_INTERVAL) {
		f->looked = now;
		from = 0;
	}
	/* in their order: --wait takes the first */
	for (size_t i = from; i < f->nopen; i++)
		if (!decide(f, &f->open[i]))
			f->open[from++] = f->open[i];
	f->nopen = from;
}

void follow_end(struct follow *f)
{
	f->over = true;
	follow_look(f);
	if (f->nameless)
		fprintf(stderr, "ctrace: left out %lu container%s whose name could not be found in time\n",
			f->nameless, f->nameless == 1 ? "" : "s");
}

bool follow_shows(const struct follow *f, uint32_t cid)
{
	return !f->mode || verdict_of(f, cid) == YES;
}

/* --- records ------------------------------------------------------------------ */

static bool is_open(struct follow *f, uint32_t cid)
{
	int v = verdict_of(f, cid);

	if (v != NEW)
		return v == OPEN;
	if (f->nopen < OPEN_MAX) {
		ctable_get(f->table, cid)->verdict = OPEN;
		meet(f, cid);
	}
	return true;
}

static bool hold(const struct ctrace_run *run, void *arg)
{
	const char *at = run->data, *end = at + run->len;
	struct ctrace_record rec;
	struct follow *f = arg;

	if (f->over)
		return false;
	if (run->cid != CTRACE_CID_ALL)
		return is_open(f, run->cid);
	for (; end - at >= (ptrdiff_t)sizeof(rec); at += rec.len) {
		memcpy(&rec, at, sizeof(rec));
		/* overwritten: the reader will find out */
		if (rec.len < sizeof(rec) || rec.len > end - at || rec.len % 8)
			return false;
		if (is_open(f, rec.cid))
			return true;
	}
	return false;
}

int follow_start(struct follow *f, struct ctrace *ct, struct ctrace_session *s, struct ctrace_reader *r)
{
	const struct ctrace_target t = { .sz = sizeof(t), .kind = CTRACE_TARGET_BORN };
	const char *missing = follow_missing(f);
	struct sbuf b = { 0 };

	if (!f->mode)
		return CLI_OK;
	f->session = s;
	for (size_t i = 0; i < f->targets->n; i++)
		if (f->targets->v[i].kind == CTRACE_TARGET_CID && !f->targets->v[i].not)
			ctable_get(f->table, f->targets->v[i].cid)->verdict = YES;
	f->from = clock_ns(CLOCK_MONOTONIC);
	if ((missing || f->mode == FOLLOW_ALL) && ctrace_target_add(s, &t, &f->births))
		return cli_error("%s", ctrace_errmsg(ct));
	/* Containers born before this moment are in this list; later ones are traced from their birth on. */
	f->until = clock_ns(CLOCK_MONOTONIC);
	ctable_dispatch(f->table);
	if (ctable_list(f->table))
		return cli_error("%s", ctrace_errmsg(ct));
	ctrace_reader_hold(r, hold, f);
	if (missing || !f->began) {
		sbuf_clean(&b, missing ? missing : f->words[0].text);
		fprintf(stderr, "ctrace: waiting for '%s' to start\n", b.s);
		sbuf_free(&b);
	}
	return CLI_OK;
}
