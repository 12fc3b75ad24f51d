// SPDX-License-Identifier: GPL-2.0-only
/*
 * The rule of why's verdict: at its edges, and on the situations that 16_views/verdicts made, whose numbers are kept
 * in selftests/verdicts.json.
 */
#include <json-c/json.h>
#include <regex.h>
#include <string.h>
#include "count/verdict.h"
#include "ktap.h"

#define SECOND	1000000000ull
#define MS	1000000ull
#define LIST	"selftests/verdicts.json"

static struct verdict_in in;

static void begin(uint64_t look)
{
	memset(&in, 0, sizeof(in));
	in.look = look;
}

static void spent(enum spent s, uint64_t ns)
{
	in.spent[s] += ns;
	in.all += ns;
}

static void waited(enum cause c, uint64_t ns)
{
	in.waited[c] += ns;
	spent(SPENT_WAITED, ns);
}

static void is(const char *what, enum cause first, enum cause second)
{
	struct verdict v = verdict_of(&in);

	if (v.first != first || v.second != second)
		ktap_fail(__FILE__, __LINE__, "%s: expected %s %s, seen %s %s", what, cause_word(first),
			  cause_word(second), cause_word(v.first), cause_word(v.second));
}

static void edges(void)
{
	begin(10 * SECOND);
	is("no thread", CAUSE_NONE, CAUSE_NONE);
	spent(SPENT_SLEPT, 10 * SECOND);
	is("asleep", CAUSE_NONE, CAUSE_NONE);
	spent(SPENT_RAN, SECOND - 1);
	is("it ran for less than a tenth", CAUSE_NONE, CAUSE_NONE);
	spent(SPENT_RAN, 1);
	is("for a tenth", CAUSE_RAN, CAUSE_NONE);
	waited(CAUSE_NEIGHBOUR, 499 * MS);
	is("less than a twentieth of the look", CAUSE_RAN, CAUSE_NONE);
	in.longest[CAUSE_NEIGHBOUR] = 100 * MS;
	is("that, with one long wait, is a fifth of what it was busy", CAUSE_NEIGHBOUR, CAUSE_RAN);
	spent(SPENT_RAN, 3 * SECOND);
	is("it is a tenth", CAUSE_RAN, CAUSE_NEIGHBOUR);
	spent(SPENT_RAN, 2 * SECOND);
	is("it is less", CAUSE_RAN, CAUSE_NONE);
	waited(CAUSE_NEIGHBOUR, 5 * SECOND);
	is("as much as it ran", CAUSE_NEIGHBOUR, CAUSE_RAN);
	waited(CAUSE_NEIGHBOUR, 15 * SECOND);
	is("running is less than half of that", CAUSE_NEIGHBOUR, CAUSE_NONE);
	spent(SPENT_DISK, 11 * SECOND);
	is("another cause is half of it", CAUSE_NEIGHBOUR, CAUSE_DISK);
	spent(SPENT_NETWORK, 100 * SECOND);
	is("the largest is another one", CAUSE_NETWORK, CAUSE_NONE);

	begin(10 * SECOND);
	spent(SPENT_DISK, 50 * MS);
	is("little, in short waits", CAUSE_NONE, CAUSE_NONE);
	in.longest[CAUSE_DISK] = 100 * MS;
	is("one long wait", CAUSE_DISK, CAUSE_NONE);

	/* a hundred threads rest: it does not matter how many */
	begin(10 * SECOND);
	spent(SPENT_HANDOVER, 990 * SECOND);
	spent(SPENT_RAN, 5 * SECOND);
	waited(CAUSE_HOST, 5 * SECOND);
	is("one of a hundred threads", CAUSE_HOST, CAUSE_RAN);

	begin(10 * SECOND);
	spent(SPENT_UNKNOWN, 10 * SECOND);
	is("nothing is known", CAUSE_UNKNOWN, CAUSE_NONE);
}

/* --- situations ------------------------------------------------------------------------ */

static uint64_t number(struct json_object *o, const char *key)
{
	struct json_object *v;

	return json_object_object_get_ex(o, key, &v) ? (uint64_t)json_object_get_int64(v) : 0;
}

static const char *text(struct json_object *o, const char *key)
{
	struct json_object *v;

	return json_object_object_get_ex(o, key, &v) ? json_object_get_string(v) : "";
}

static void load(struct json_object *o)
{
	struct json_object *part, *cause;

	begin(number(o, "duration"));
	in.all = number(o, "time");
	json_object_object_get_ex(o, "spent", &part);
	for (enum spent s = SPENT_RAN; s < SPENT_N; s++)
		in.spent[s] = number(part, spent_word(s));
	json_object_object_get_ex(o, "causes", &part);
	for (enum cause c = CAUSE_RAN; c < CAUSE_N; c++) {
		if (!json_object_object_get_ex(part, cause_word(c), &cause))
			continue;
		in.longest[c] = number(cause, "longest");
		if (cause_spent(c) == SPENT_WAITED)
			in.waited[c] = number(cause, "time");
	}
}

static bool matches(const char *words, const char *pattern)
{
	char *all = NULL;
	regex_t r;
	bool yes;

	check(asprintf(&all, "^(%s)", pattern) > 0);
	check_eq(regcomp(&r, all, REG_EXTENDED | REG_NOSUB), 0);
	yes = !regexec(&r, words, 0, NULL, 0);
	regfree(&r);
	free(all);
	return yes;
}

/* At most two are wrong; which, is written beside them ("wrong"). */
static void situations(void)
{
	struct json_object *list = json_object_from_file(LIST);
	size_t n = list ? json_object_array_length(list) : 0, wrong = 0;

	check(n >= 40);
	for (size_t i = 0; i < n; i++) {
		struct json_object *o = json_object_array_get_idx(list, i);
		char words[64];
		struct verdict v;

		load(o);
		v = verdict_of(&in);
		snprintf(words, sizeof(words), "%s %s", cause_word(v.first),
			 v.second == CAUSE_NONE ? "" : cause_word(v.second));
		if (matches(words, text(o, "cause")))
			continue;
		wrong++;
		printf("# %s: '%s', where it is '%s'\n", text(o, "name"), words, text(o, "cause"));
	}
	printf("# %zu of %zu situations are told wrongly\n", wrong, n);
	check(wrong <= 2);
	json_object_put(list);
}

static const struct ktap_case cases[] = {
	{ "the rule at its edges", edges },
	{ "situations", situations },
};
KTAP_MAIN(cases)
