// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which containers --follow and --wait take, when, and whose records wait until then. The module is played
 * here.
 */
#include <json-c/json.h>
#include <stdlib.h>
#include <time.h>
#include "base/cli.h"
#include "ktap.h"
#include "run/follow.h"

bool cli_json;
const struct command *cli_cmd;

int cli_vreport(int status, const char *fmt, va_list ap)
{
	(void)fmt, (void)ap;
	return status;
}

/* --- the module ------------------------------------------------------------- */

#define BIRTHS	77u
static struct {
	unsigned int births, gone;	/* targets of births: made, deleted */
	uint32_t kept[8], let_go[8];	/* cids: of targets, and those let go */
	size_t nkept, nlet_go;
	ctrace_reader_hold_fn hold;
	void *arg;
} module;

int ctrace_target_add(struct ctrace_session *s, const struct ctrace_target *t, uint32_t *id)
{
	(void)s;
	if (t->kind == CTRACE_TARGET_BORN) {
		module.births++;
		*id = BIRTHS;
	} else if (check_eq(t->kind, CTRACE_TARGET_CID) && check(module.nkept < 8)) {
		module.kept[module.nkept++] = t->cid;
	}
	return 0;
}

int ctrace_target_del(struct ctrace_session *s, uint32_t id)
{
	(void)s;
	check_eq(id, BIRTHS);
	module.gone++;
	return 0;
}

int ctrace_target_let_go(struct ctrace_session *s, uint32_t id, uint32_t cid)
{
	(void)s;
	check_eq(id, BIRTHS);
	if (module.nlet_go < ARRAY_SIZE(module.let_go))
		module.let_go[module.nlet_go] = cid;
	module.nlet_go++;
	return 0;
}

void ctrace_reader_hold(struct ctrace_reader *r, ctrace_reader_hold_fn fn, void *arg)
{
	(void)r;
	module.hold = fn;
	module.arg = arg;
}

int ctrace_container_each(struct ctrace *ct, ctrace_container_fn fn, void *arg)
{
	(void)ct, (void)fn, (void)arg;
	return 0;
}

int ctrace_container_subscribe(struct ctrace *ct, ctrace_container_event_fn fn, void *arg)
{
	(void)ct, (void)fn, (void)arg;
	return -1;
}

int ctrace_container_dispatch(struct ctrace *ct)
{
	(void)ct;
	return 0;
}

static bool waits(uint32_t cid)
{
	const struct ctrace_run run = { .cid = cid };

	return module.hold(&run, module.arg);
}

/* A shared ring that has records of these. */
static bool shared_waits(uint32_t a, uint32_t b)
{
	const struct ctrace_record rec[] = {
		{ .time = 1, .len = sizeof(rec[0]), .cid = a }, { .time = 2, .len = sizeof(rec[0]), .cid = b },
	};
	const struct ctrace_run run = { .cid = CTRACE_CID_ALL, .count = 2, .data = rec, .len = sizeof(rec) };

	return module.hold(&run, module.arg);
}

/* --- a run ---------------------------------------------------------------------- */

static struct ctable *table;
static struct targets targets;
static struct follow f;

/* name NULL: a runtime's container whose name is not known yet */
static void container(uint32_t cid, uint32_t parent, const char *name)
{
	struct ctrace_container c = { .cid = cid, .parent = parent, .first_seen = clock_ns(CLOCK_MONOTONIC) };

	snprintf(c.runtime_id, sizeof(c.runtime_id), "%064x", cid);
	ctable_add(table, &c, name, "podman", true);
}

static int parse(enum follow_mode mode, const char *a, const char *b)
{
	char *words[] = { (char *)a, (char *)b };

	return follow_parse(&f, mode, table, &targets, words, b ? 2 : 1);
}

static void begin(enum follow_mode mode, const char *a, const char *b)
{
	check_eq(parse(mode, a, b), CLI_OK);
	check_eq(follow_start(&f, NULL, NULL, NULL), CLI_OK);
	follow_look(&f);
}

static void new_table(void)
{
	memset(&module, 0, sizeof(module));
	table = ctable_new(NULL);
}

static void end(void)
{
	follow_free(&f);
	targets_free(&targets);
	ctable_free(table);
}

/* --- cases ----------------------------------------------------------------------- */

static void later(void)
{
	new_table();
	container(1, 0, "web-1");
	container(2, 0, "db");
	begin(FOLLOW_ALL, "web*", NULL);
	check_eq(targets.n, 1);
	check_eq(targets.v[0].cid, 1);
	check_eq(module.births, 1);
	check(follow_shows(&f, 1) && !waits(1));
	check(!follow_shows(&f, 2) && !waits(2));

	container(3, 0, NULL);
	follow_look(&f);
	check(waits(3) && shared_waits(1, 3) && !shared_waits(1, 2));
	container(3, 0, "web-2");
	follow_look(&f);
	check(!waits(3) && follow_shows(&f, 3));
	check_eq(module.nkept + module.nlet_go, 0);	/* the target of births has it */

	container(4, 0, "db");
	follow_look(&f);
	check(!waits(4) && !follow_shows(&f, 4));
	check_eq(module.nlet_go, 1);
	check_eq(module.let_go[0], 4);
	follow_look(&f);
	check_eq(module.nlet_go, 1);
	check(!targets_ended(&targets, table));
	check_eq(f.nopen, 0);
	end();
}

/* The first record may come before the notice of the birth. And a container may never get a name. */
static void patience(void)
{
	new_table();
	begin(FOLLOW_ALL, "web", NULL);
	check(waits(5) && !follow_shows(&f, 5));
	check(shared_waits(CTRACE_CID_HOST, 6));
	check_eq(f.nopen, 2);
	container(5, 0, NULL);
	follow_look(&f);
	check_eq(f.nopen, 2);
	check(waits(5) && waits(6));
	f.open[0].since -= 5 * NSEC_PER_SEC;
	f.open[1].since -= 5 * NSEC_PER_SEC;
	follow_look(&f);
	check_eq(f.nopen, 0);
	check(!waits(5) && !waits(6) && !follow_shows(&f, 5) && !follow_shows(&f, 6));
	check_eq(f.nameless, 1);
	container(7, 0, NULL);
	follow_look(&f);
	check(waits(7));
	follow_end(&f);
	check(!waits(7) && !follow_shows(&f, 7) && !waits(8));
	end();
}

static void nested(void)
{
	new_table();
	container(1, 0, "web");
	container(2, 1, "inner");
	container(3, 1, "secret");
	begin(FOLLOW_ALL, "web", "not:secret*");
	check(follow_shows(&f, 1) && follow_shows(&f, 2) && !follow_shows(&f, 3));
	container(4, 3, "deep");	/* what is inside one that is left out, too */
	container(5, 0, NULL);
	container(6, 5, "side");
	follow_look(&f);
	check(!waits(4) && !follow_shows(&f, 4));
	check(waits(5) && waits(6));
	container(5, 0, "other");
	follow_look(&f);
	follow_look(&f);
	check(!follow_shows(&f, 5) && !follow_shows(&f, 6));
	/* the outer one first */
	check_eq(module.let_go[module.nlet_go - 2], 5);
	check_eq(module.let_go[module.nlet_go - 1], 6);
	end();
}

static void first(void)
{
	new_table();
	container(1, 0, "db");
	begin(FOLLOW_FIRST, "db", "web");
	check_str(follow_missing(&f), "web");
	check_eq(targets.n, 1);
	check_eq(module.births, 1);
	container(2, 0, "db");	/* there is one already */
	follow_look(&f);
	check(!follow_shows(&f, 2));
	container(3, 0, "web");
	follow_look(&f);
	check(follow_shows(&f, 3) && !follow_missing(&f));
	check_eq(module.kept[0], 3);	/* before the target of births goes */
	check_eq(module.gone, 1);
	check_eq(targets.n, 2);
	container(4, 0, "web");
	container(5, 3, "inner");
	follow_look(&f);
	check(!follow_shows(&f, 4) && follow_shows(&f, 5) && !waits(4));
	check_eq(module.nkept, 1);
	end();

	new_table();
	begin(FOLLOW_FIRST, "web", NULL);
	check(!f.began);
	container(1, 0, "db");
	follow_look(&f);
	check(!f.began);
	container(2, 0, "web");
	follow_look(&f);
	check(f.began);
	end();

	new_table();
	container(1, 0, "web");
	begin(FOLLOW_FIRST, "web", NULL);
	check(f.began && !follow_missing(&f));
	check_eq(module.births, 0);	/* nothing to wait for */
	end();
}

static void ids(void)
{
	char id[65];

	new_table();
	snprintf(id, sizeof(id), "%064x", 9);
	begin(FOLLOW_ALL, id, "runtime:docker");
	container(8, 0, "web");
	container(9, 0, "db");
	follow_look(&f);
	check(!follow_shows(&f, 8) && follow_shows(&f, 9));
	end();
}

/*
 * A container whose files, a user's or in container 7, say the same as those that the system's prod/db has.
 */
static void db(uint32_t cid, enum name_owner owner, uint32_t whose)
{
	struct centry *e;

	container(cid, 0, "db");
	e = ctable_get(table, cid);
	e->owner = owner;
	e->whose = whose;
	e->r.ns = xstrdup("prod");
	e->r.pod = xstrdup("db");
	e->r.image = xstrdup("docker.io/library/db:1");
	e->r.labels = json_tokener_parse("{\"tier\": \"back\"}");
}

/* A name that a user gives, or a container's own files, is not the system's. */
static void owners(void)
{
	static const char *const words[] = {
		"db", "d*", "pod:prod/db", "pod:db", "ns:prod", "image:db:*", "label:tier=back", "label:tier",
	};
	static const struct {
		const char *before;
		uint32_t cid;
	} of[] = { { "", 1 }, { "user:1000:", 2 }, { "in:7:", 3 }, { "user:0:", 0 } };

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		for (size_t k = 0; k < ARRAY_SIZE(of); k++)
			for (enum follow_mode mode = FOLLOW_ALL; mode <= FOLLOW_FIRST; mode++) {
				char *word = xasprintf("%s%s", of[k].before, words[i]);

				new_table();
				container(7, 0, "node");
				db(5, NAME_OF_USER, 1001);	/* already there: not taken either */
				begin(mode, word, NULL);
				check_eq(targets.n, 0);
				db(2, NAME_OF_USER, 1000);
				db(3, NAME_OF_CONTAINER, 7);
				follow_look(&f);
				db(1, NAME_OF_SYSTEM, 0);
				follow_look(&f);
				for (uint32_t cid = 1; cid <= 7; cid++)
					if (follow_shows(&f, cid) != (cid == of[k].cid))
						ktap_fail(__FILE__, __LINE__, "'%s': container %u", word, cid);
				end();
				free(word);
			}
	new_table();
	db(5, NAME_OF_USER, 1001);
	begin(FOLLOW_ALL, "*", "not:db");	/* each is meant, and no user hides by a name */
	check_eq(targets.n, 1);
	db(1, NAME_OF_SYSTEM, 0);
	db(2, NAME_OF_USER, 1000);
	follow_look(&f);
	check(!follow_shows(&f, 1) && follow_shows(&f, 2) && follow_shows(&f, 5));
	end();
}

static void refused(void)
{
	static const char *const words[] = {
		"all", "host", "pid:1", "cgroup:/a", "unit:a", "", "image:", "not:web", "not:", "cid:1",
		"user:1000:", "user:nobody-such:web", "user:1000", "in:9:web", "in::web", "user:1000:unit:a", "user:1:pod:",
	};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		new_table();
		container(1, 0, "web");
		if (parse(FOLLOW_ALL, words[i], NULL) == CLI_OK)
			ktap_fail(__FILE__, __LINE__, "'%s' was taken", words[i]);
		end();
	}
	new_table();
	container(1, 0, "web");
	container(2, 0, "web");
	check(parse(FOLLOW_FIRST, "web", NULL) != CLI_OK);	/* a name is no identity */
	end();
	new_table();
	container(1, 0, "web");
	container(2, 0, "web");
	check_eq(parse(FOLLOW_ALL, "web", "cid:1"), CLI_OK);
	check_eq(targets.n, 2);
	end();
}

/* --- very many ------------------------------------------------------------------- */

static bool of_roots(const struct ctrace_container *c)
{
	(void)c;
	return true;
}

static uint64_t cpu_ns(void)
{
	return clock_ns(CLOCK_PROCESS_CPUTIME_ID);
}

/*
 * n containers are born, one between two looks, as fast as can be; then the one that is wanted. named: the name of
 * each is known at its birth. Returns the CPU time, ns.
 */
static uint64_t births(uint32_t n, bool named)
{
	uint64_t began = cpu_ns();
	char id[65], name[32];

	new_table();
	table->names = names_new("/nowhere");
	table->names->roots = of_roots;
	begin(FOLLOW_ALL, "web*", NULL);
	for (uint32_t cid = 1; cid <= n + 1; cid++) {
		snprintf(id, sizeof(id), "%064x", cid);
		snprintf(name, sizeof(name), cid <= n ? "db-%u" : "web-%u", cid);
		if (named || cid > n)
			names_add(table->names, &(struct name_entry){
				.id = id, .name = name, .runtime = (char *)"docker", .rank = NAME_MANAGER });
		container(cid, 0, NULL);
		check_eq(ctable_dispatch(table), 0);
		follow_look(&f);
	}
	/* the last look was at the new one, if not at all */
	check(follow_shows(&f, n + 1) && !waits(n + 1));
	/* the names of the first may have been given up, if the machine is slow */
	check_eq(f.nopen + module.nlet_go, n);
	check(!named || !f.nopen);
	began = cpu_ns() - began;
	end();
	return began;
}

/* n containers that live are taken as targets. Returns the CPU time, ns. */
static uint64_t living(uint32_t n)
{
	uint64_t began;

	new_table();
	for (uint32_t cid = 1; cid <= n; cid++)
		container(cid, 0, "web");
	began = cpu_ns();
	begin(FOLLOW_ALL, "web*", NULL);
	began = cpu_ns() - began;
	check_eq(targets.n, n);
	targets_add_cid(&targets, 7);
	check_eq(targets.n, n);
	end();
	return began;
}

static void check_ten_times(const char *what, uint64_t few, uint64_t all)
{
	if (all > 30 * few + NSEC_PER_SEC / 20)
		ktap_fail(__FILE__, __LINE__, "%s: %llu us, ten times as many: %llu us", what,
			  (unsigned long long)few / 1000, (unsigned long long)all / 1000);
}

/* Ten times as many cost ten times as much, not a hundred times. Three times that is for a machine with other work. */
static void many(void)
{
	uint64_t few = births(2000, true);

	check_ten_times("births", few, births(20000, true));
	few = births(2000, false);
	check_ten_times("births without names", few, births(20000, false));
	few = living(5000);
	check_ten_times("living ones", few, living(50000));
}

/* Files that take a second to read are not read all the time while a name is looked for. */
static void slow_files(void)
{
	uint64_t read;

	new_table();
	table->names = names_new("/nowhere");
	table->names->roots = of_roots;
	table->reading = NSEC_PER_SEC;
	table->names_read = read = clock_ns(CLOCK_MONOTONIC) - NSEC_PER_SEC / 2;
	container(1, 0, NULL);
	check_eq(ctable_dispatch(table), 0);
	check_eq(table->names_read, read);
	table->names_read = read -= 3 * NSEC_PER_SEC;
	container(2, 0, NULL);
	check_eq(ctable_dispatch(table), 0);
	check(table->names_read > read);
	end();
}

/* Dead containers that do not match are forgotten, or a run of weeks would know all that have ever lived. */
static void forgotten(void)
{
	struct ctrace_container c = { 0 };

	new_table();
	begin(FOLLOW_ALL, "web*", NULL);
	for (uint32_t cid = 1; cid <= 10000; cid++) {
		container(cid, 0, cid % 1000 ? "db" : "web");
		follow_look(&f);
		c = ctable_find(table, cid)->c;
		/* one in two lives on */
		if (cid % 2)
			continue;
		c.flags |= CTRACE_CONTAINER_F_DEAD;
		c.gone = clock_ns(CLOCK_MONOTONIC) - CTABLE_TIDY - 1;
		ctable_add(table, &c, NULL, NULL, false);
	}
	table->tidied = 0;
	follow_look(&f);
	check_eq(table->n, 5010);
	check(!ctable_find(table, 2) && ctable_find(table, 3));
	check(follow_shows(&f, 1000) && !follow_shows(&f, 2) && !follow_shows(&f, 3));
	check_eq(module.nlet_go, 9990);
	check(table->labels.n < 10000);
	end();
}

static const struct ktap_case cases[] = {
	{ "what starts later is followed, and nothing else", later },
	{ "a name may come late, or never", patience },
	{ "containers inside others", nested },
	{ "waiting for the first", first },
	{ "ids and facts", ids },
	{ "names of users and of containers' own files", owners },
	{ "targets that cannot be followed", refused },
	{ "very many births", many },
	{ "files that take long to read", slow_files },
	{ "what is not followed and has died", forgotten },
};
KTAP_MAIN(cases)
