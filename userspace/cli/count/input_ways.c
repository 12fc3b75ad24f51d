// SPDX-License-Identifier: GPL-2.0-only
/* Which events of a recording a view counts, in which table; and which of them were not recorded. */
#include <stdlib.h>
#include <string.h>
#include "base/cli.h"
#include "count/input.h"

/* as in the module: rows of containers that ended before may be given away */
#define ENDED		(2 * NSEC_PER_SEC)
#define WHY		256
#define MISSING		8u			/* events that are named */

static bool alive(const void *arg, uint32_t cid)
{
	const struct input *in = arg;
	const struct centry *e = ctable_find(in->r.table, cid);

	return !e || !e->known || !e->c.gone || in->time < e->c.gone + ENDED;
}

static void note_part(const struct input *in, const char *event, const char *what)
{
	struct sbuf b = { 0 };

	sbuf_clean(&b, event);
	fprintf(stderr, "ctrace: of %s, only a part was recorded: %s\n", b.s, what);
	sbuf_free(&b);
	(void)in;
}

/* Checks that the recording has the facts about owners that a type needs. Status after a message. */
static int check_asks(const struct input *in, uint32_t asks, const struct ctrace_event_type *t)
{
	bool sample = t && t->id == CTRACE_ID_CPU_SAMPLE;

	if (asks & TALLY_USER)
		return cli_error("a recording does not say which user a task belongs to: leave out uid, gid and --uid");
	if (asks & TALLY_STACK && !sample && !(in->r.info.stacks & CTRACE_PROBE_F_STACK))
		return cli_error("'%s' has no kernel stacks: record them with 'ctrace record --stack'", in->r.dir);
	if (asks & TALLY_USTACK && !sample && !(in->r.info.stacks & (CTRACE_PROBE_F_USER_STACK | CTRACE_PROBE_F_USER_COPY)))
		return cli_error("'%s' has no user stacks: record them with 'ctrace record --stack=user'", in->r.dir);
	return CLI_OK;
}

static int add_type(struct input *in, size_t probe, const struct ctrace_event_type *t, bool recorded, uint32_t *asks)
{
	const struct probe_want *w = &in->v->run.probes.v[probe];
	struct tally_type *type;
	struct way *way;
	char why[WHY] = "";
	int status;

	if (tally_add(in->tallies[probe], t, w->aggregate, w->filter, &type, why, sizeof(why)))
		return cli_error("%s", why);
	status = recorded ? check_asks(in, tally_asks(type), t) : CLI_OK;
	if (status != CLI_OK)
		return status;
	*asks |= tally_asks(type);
	/* a probe that was not recorded has an empty table */
	if (!recorded)
		return CLI_OK;
	way = xcalloc(1, sizeof(*way));
	*way = (struct way){ in->ways[t->id], type };
	in->ways[t->id] = way;
	return CLI_OK;
}

/* Is t one of the events that probe w counts? */
static bool is_of(const struct probe_want *w, const struct ctrace_event_type *t)
{
	const char *colon = strchr(w->name, ':'), *name = t->name;

	if (ctrace_id_call(t->id).phase != CTRACE_CALL_NONE) {
		if (ctrace_id_call(t->id).phase != CTRACE_CALL_WHOLE)
			return false;
		if (!strcmp(w->name, "calls"))
			return true;
		name += strncmp(name, "compat_", 7) ? 0 : 7;
		return !strncmp(w->name, "call:", 5) && !strncmp(name, "syscall_", 8) && !strcmp(name + 8, colon + 1);
	}
	if (!strncmp(w->name, "sample:", 7))
		return t->id == CTRACE_ID_CPU_SAMPLE;
	if (t->definition)
		return !strcmp(t->definition, w->name) ||
		       (colon && !strcmp(colon + 1, t->name) && !strncmp(w->name, t->system, (size_t)(colon - w->name)));
	return !strcmp(colon && t->id >= CTRACE_ID_DYNAMIC ? colon + 1 : w->name, t->name);
}

/* How much of t was recorded; of a whole call, perhaps as entry and exit. */
static enum asked_how how_recorded(const struct input *in, const struct ctrace_event_type *t, bool *pairs)
{
	struct ctrace_id_call c = ctrace_id_call(t->id);
	enum asked_how how = asked_type(&in->r, t), pair;
	const struct ctrace_event_type *entry;

	*pairs = false;
	if (c.phase != CTRACE_CALL_WHOLE || how == ASKED_ALL)
		return how;
	entry = ctrace_schema_by_id(in->r.schema, (c.is32 ? CTRACE_ID_COMPAT_SYS_ENTER : CTRACE_ID_SYS_ENTER) + c.nr);
	pair = entry ? asked_type(&in->r, entry) : ASKED_NOT;
	if (how == ASKED_UNKNOWN || pair > how) {
		*pairs = true;
		return how == ASKED_UNKNOWN ? how : pair;
	}
	return how;
}

bool view_input_has(const struct view *v, const char *event)
{
	const struct ctrace_event_type *t;
	bool calls = !strcmp(event, "calls"), pairs;

	for (size_t k = 0; (t = ctrace_schema_at(v->input->r.schema, k)); k++) {
		if (calls ? ctrace_id_call(t->id).phase != CTRACE_CALL_WHOLE : strcmp(t->name, event))
			continue;
		if (how_recorded(v->input, t, &pairs) != ASKED_NOT)
			return true;
	}
	return false;
}

static int not_recorded(const struct input *in, const char *name)
{
	bool sample = !strncmp(name, "sample:", 7);
	const char *what = strncmp(name, "call:", 5) ? name : name + 5;
	struct sbuf b = { 0 }, has = { 0 };
	int status;

	sbuf_clean(&b, sample ? name + 7 : what);
	asked_events(&in->r, &has);
	status = cli_error("'%s' has no %s%s%s. Record %s with 'ctrace record %s %s'", in->r.dir, sample ? "samples" : b.s,
			   has.len ? ", as only these were recorded: " : "", has.len ? has.s : "",
			   sample ? "them" : "it", sample ? "-F" : "-e", b.s);
	sbuf_free(&b);
	sbuf_free(&has);
	return status;
}

static void note_missing(struct input *in, const char *name)
{
	if (!in->nmissing)
		in->first_missing = name;
	if (in->nmissing++ >= MISSING)
		return;
	sbuf_puts(&in->missing, in->nmissing > 1 ? ", " : "");
	sbuf_clean(&in->missing, strncmp(name, "call:", 5) ? name : name + 5);
}

/* The table of one probe, and the ways to it. */
static int add_probe(struct input *in, size_t i, uint32_t *asks, bool *pairs)
{
	const struct probe_want *w = &in->v->run.probes.v[i];
	const struct ctrace_event_type *t;
	enum asked_how best = ASKED_NOT;
	int status = CLI_OK;
	bool any = false;

	in->tallies[i] = tally_new(ctf_reader_ncpus(in->r.reader), w->rows, alive, in);
	for (size_t k = 0; status == CLI_OK && (t = ctrace_schema_at(in->r.schema, k)); k++) {
		enum asked_how how;
		bool pair;

		if (!is_of(w, t))
			continue;
		how = how_recorded(in, t, &pair);
		*pairs |= pair;
		any = true;
		if (how > best || best == ASKED_NOT)
			best = how;
		status = add_type(in, i, t, how != ASKED_NOT, asks);
	}
	if (status != CLI_OK)
		return status;
	if (!any)
		return not_recorded(in, w->name);
	in->nrecorded += best != ASKED_NOT;
	if (best == ASKED_NOT)
		note_missing(in, w->name);
	if (best == ASKED_PART)
		note_part(in, w->name, asked_number(&in->r, "one_of") > 1 ? "a sample (--one-of)" :
			  asked_number(&in->r, "rate") ? "what --rate let through" : "what the condition let through");
	in->v->counted[i] = tally_open(in->tallies[i]);
	return in->v->counted[i] ? CLI_OK : cli_error("the tables are too large: use a smaller --rows");
}

/* Reports events that the view counts and the recording lacks: all or some. Status after a message. */
static int check_missing(const struct input *in)
{
	if (!in->nmissing)
		return CLI_OK;
	if (!in->nrecorded)
		return not_recorded(in, in->first_missing);
	fprintf(stderr, "ctrace: not recorded, and so not counted: %s%s\n", in->missing.s, in->nmissing > MISSING ? ", ..." : "");
	return CLI_OK;
}

static int add_filter(struct input *in, uint32_t *asks)
{
	char *text = run_filter(&in->v->o), why[WHY] = "";
	int status = CLI_OK;

	if (text && tally_filter_new(text, &in->filter, why, sizeof(why)))
		status = cli_error("%s", why);
	free(text);
	*asks |= tally_filter_asks(in->filter);
	return status == CLI_OK ? check_asks(in, tally_filter_asks(in->filter), NULL) : status;
}

int input_ways(struct input *in, uint32_t *asks, bool *pairs)
{
	struct view *v = in->v;
	size_t n = v->run.probes.n;
	int status = add_filter(in, asks);

	in->tallies = xcalloc(n, sizeof(in->tallies[0]));
	v->counted = xcalloc(n, sizeof(v->counted[0]));
	for (size_t i = 0; status == CLI_OK && i < n; i++)
		status = add_probe(in, i, asks, pairs);
	return status == CLI_OK ? check_missing(in) : status;
}

void input_ways_free(struct input *in)
{
	struct way *next;

	for (size_t i = 0; i < ARRAY_SIZE(in->ways); i++) {
		for (struct way *w = in->ways[i]; w; w = next) {
			next = w->next;
			free(w);
		}
	}
	for (size_t i = 0; in->tallies && i < in->v->run.probes.n; i++)
		tally_free(in->tallies[i]);
	free(in->tallies);
	free(in->v->counted);
	in->v->counted = NULL;
	sbuf_free(&in->missing);
	tally_filter_free(in->filter);
}
