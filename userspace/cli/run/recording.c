// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <json-c/json.h>
#include <unistd.h>
#include "base/cli.h"
#include "run/recording.h"
#include "run/word.h"
#include "show/comms.h"

#define DUMP_MAX	(10 * NSEC_PER_SEC)	/* the state dump ends sooner than this */

static bool has_metadata(const char *dir)
{
	char *p = xasprintf("%s/metadata", dir);
	bool yes = !access(p, F_OK);

	free(p);
	return yes;
}

static int cannot_load(const char *dir, int err)
{
	if (access(dir, F_OK))
		return cli_error("cannot read '%s': %s", dir, strerror(errno));
	if (err == -ENOENT && has_metadata(dir))
		return cli_error("'%s' is a CTF trace, but not from 'ctrace record': try babeltrace2 %s",
				 dir, dir);
	if (err == -ENOENT || err == -ENOTDIR)
		return cli_error("'%s' is not a trace: give the directory that 'ctrace record -o' wrote",
				 dir);
	if (err == -EPROTO)
		return cli_error("'%s' was recorded on a machine with the other byte order: try babeltrace2 %s",
				 dir, dir);
	if (err == -EBADMSG)
		return cli_error("%s/" CTF_SIDE_SCHEMA " is damaged or from a newer ctrace: try babeltrace2 %s",
				 dir, dir);
	return cli_error("cannot read %s/" CTF_SIDE_SCHEMA ": %s", dir, strerror(-err));
}

static bool has(const struct targets *ts, uint32_t cid)
{
	for (size_t i = 0; i < ts->n; i++)
		if (ts->v[i].cid == cid)
			return true;
	return false;
}

/* A container is chosen, or left out, with those around it. */
bool recording_shows(const struct recording *r, uint32_t cid)
{
	const struct centry *e;
	bool in = r->all;

	for (int depth = 0; depth < 64; depth++) {
		if (has(&r->out, cid))
			return false;
		in |= has(&r->in, cid);
		e = ctable_find(r->table, cid);
		if (!e || !e->known || e->c.parent == CTRACE_CID_HOST)
			break;
		cid = e->c.parent;
	}
	return in;
}

static int choose_word(struct recording *r, struct targets *ts, char *word)
{
	static const char *const others[] = { "pid:", "cgroup:", "unit:" };
	struct word w;
	int status;

	if (!strcmp(word, "all")) {
		r->all |= ts == &r->in;
		return ts == &r->in ? CLI_OK : cli_usage("all cannot be left out");
	}
	/* units and cgroups that were targets when it was made */
	for (size_t i = 0; i < r->table->nparts; i++) {
		if (!strcmp(r->table->parts[i].label, word)) {
			targets_add_cid(ts, r->table->parts[i].cid);
			return CLI_OK;
		}
	}
	status = word_parse(&w, r->table, word);
	for (size_t i = 0; i < ARRAY_SIZE(others) && status == CLI_OK; i++)
		if (!strncmp(w.text, others[i], strlen(others[i])))
			return cli_usage("'%s': a recording tells containers apart, not processes and cgroups", word);
	if (status != CLI_OK || targets_add_matching(ts, r->table, &w))
		return status;
	/* the only one of that name may be a user's; and there are numbers and short ids */
	if (w.plain)
		return targets_parse(ts, r->table, &word, 1, true);
	return cli_error("no container in this recording is '%s'", word);
}

int recording_choose(struct recording *r, char **words, int n)
{
	int status = CLI_OK;

	r->all = true;
	for (int i = 0; i < n && status == CLI_OK; i++) {
		bool not = words[i][0] == '!' || !strncmp(words[i], "not:", 4);

		if (not)
			status = choose_word(r, &r->out, words[i] + (words[i][0] == '!' ? 1 : 4));
		else
			r->all = false;
	}
	for (int i = 0; i < n && status == CLI_OK; i++)
		if (words[i][0] != '!' && strncmp(words[i], "not:", 4))
			status = choose_word(r, &r->in, words[i]);
	return status;
}

/* Without symbols, addresses are shown in place of names. */
static void load_symbols(const char *dir, struct symbols *sy)
{
	char *path = xasprintf("%s/" CTF_SIDE_SYMBOLS, dir);
	int err = symbols_load(sy, path);

	if (err && err != -ENOENT)
		fprintf(stderr, "ctrace: functions are shown without names: %s: %s\n", path,
			err == -EBADMSG ? "damaged" : strerror(-err));
	free(path);
}

int recording_open(struct recording *r, const char *dir)
{
	int err;

	*r = (struct recording){
		.dir = dir, .schema = ctrace_schema_new(), .table = ctable_new(NULL), .symbols = symbols_new(false),
		.all = true, .to = UINT64_MAX,
	};
	err = r->schema ? side_load_schema(dir, r->schema, &r->info) : -ENOMEM;
	if (err)
		return cannot_load(dir, err);
	/* without the list of containers, ids stand in for names */
	err = side_load_containers(dir, r->table);
	if (err)
		fprintf(stderr, "ctrace: containers are shown without names: %s/" CTF_SIDE_CONTAINERS ": %s\n", dir,
			err == -EBADMSG ? "damaged" : strerror(-err));
	err = asked_load(dir, &r->asked);
	if (err && err != -ENOENT)
		fprintf(stderr, "ctrace: what was asked for is not known: %s/" CTF_SIDE_ASKED ": %s\n", dir,
			err == -EBADMSG ? "damaged" : strerror(-err));
	load_symbols(dir, r->symbols);
	return CLI_OK;
}

int recording_read(struct recording *r)
{
	r->reader = ctf_reader_open(r->dir, r->info.uuid);
	return r->reader ? CLI_OK : cli_error("cannot read '%s': %s", r->dir, strerror(errno));
}

int recording_times(const struct recording *r, uint64_t *first, uint64_t *last)
{
	uint64_t began = asked_number(r, "began"), ended = asked_number(r, "ended");

	if (!ctf_reader_times(r->reader, first, last))
		return cli_error("'%s' has no events, and so no times: leave out --from, --to, --last and --interval", r->dir);
	*first = began && began < *first ? began : *first;
	*last = ended > *last ? ended : *last;
	return CLI_OK;
}

int recording_window(struct recording *r, const struct window *w)
{
	struct window_times t = { .offset = r->info.clock_offset };
	int status;

	if (!window_given(w))
		return CLI_OK;
	status = recording_times(r, &t.began, &t.ended);
	if (status == CLI_OK)
		status = window_find(w, &t, &r->from, &r->to);
	recording_seek(r, 0, NULL);
	return status;
}

void recording_seek(struct recording *r, uint64_t near, const struct ctf_types *before)
{
	ctf_reader_window(r->reader, r->from, r->to, near, near, before);
}

void recording_names(const struct recording *r, bool comms, bool stacks, struct ctf_types *types)
{
	const struct ctrace_event_type *t;

	for (size_t i = 0; (t = ctrace_schema_at(r->schema, i)); i++)
		if ((comms && comms_tells(t)) || (stacks && t->id == CTRACE_ID_PROCESS_MAP))
			ctf_types_add(types, (uint16_t)t->id);
}

uint64_t recording_end(const struct recording *r, uint64_t last)
{
	uint64_t ended = asked_number(r, "ended");

	return r->to < UINT64_MAX ? r->to : ended > last ? ended : last;
}

void recording_dump(const struct recording *r, void (*fn)(void *arg, const struct ctrace_record *rec), void *arg)
{
	struct ctf_reader *reader = ctf_reader_open(r->dir, r->info.uuid);
	const struct ctrace_record *rec;
	uint64_t first = asked_number(r, "dumped"), lost;

	/* a flight recorder's state was dumped at its end */
	if (reader && first)
		ctf_reader_window(reader, first, UINT64_MAX, 0, 0, NULL);
	while (reader && (rec = ctf_reader_next(reader, &lost))) {
		first = first ? first : rec->time;
		if (rec->id == CTRACE_ID_STATEDUMP_PROCESS_STATE)
			fn(arg, rec);
		if (rec->id == CTRACE_ID_STATEDUMP_END || rec->time > first + DUMP_MAX)
			break;
	}
	ctf_reader_close(reader);
}

int recording_whole(const struct recording *r, const char *what)
{
	const char *why, *file = ctf_reader_damaged(r->reader, &why), *unnamed = symbols_note(r->symbols);

	if (unnamed)
		fprintf(stderr, "ctrace: %s\n", unnamed);
	return file ? cli_error("%s/%s %s: the rest of that file is not %s", r->dir, file, why, what) : CLI_OK;
}

void recording_close(struct recording *r)
{
	ctf_reader_close(r->reader);
	targets_free(&r->in);
	targets_free(&r->out);
	symbols_free(r->symbols);
	ctable_free(r->table);
	ctrace_schema_free(r->schema);
	json_object_put(r->asked);
	memset(r, 0, sizeof(*r));
}

static uint64_t on_disk;	/* nftw() hands nothing to its function */

static int add_blocks(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)path;
	(void)at;
	if (type != FTW_NS)
		on_disk += (uint64_t)st->st_blocks * 512;
	return 0;
}

bool recording_is(const char *dir)
{
	char *schema = xasprintf("%s/" CTF_SIDE_SCHEMA, dir);
	bool is = !access(schema, F_OK);

	free(schema);
	return is;
}

uint64_t recording_on_disk(const char *dir)
{
	on_disk = 0;
	nftw(dir, add_blocks, 8, FTW_PHYS);
	return on_disk;
}
