// SPDX-License-Identifier: GPL-2.0-only
#include <json-c/json.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include "watch/account.h"

const char *const unwritten_words[UNWRITTEN_N] = {
	"rate", "rate_all", "busy", "space", "failed", "interrupted",
};

static const struct {
	const char *key;
	size_t at;
} members[] = {
	{ "written", offsetof(struct account, written) },
	{ "removed_quota", offsetof(struct account, removed_quota) },
	{ "removed_age", offsetof(struct account, removed_age) },
	{ "joined", offsetof(struct account, joined) },
	{ "notices_lost", offsetof(struct account, notices) },
	{ "trigger_records_lost", offsetof(struct account, records) },
	{ "untracked", offsetof(struct account, untracked) },
	{ "starts", offsetof(struct account, starts) },
	{ "away_ns", offsetof(struct account, away_ns) },
};

static uint64_t member(const struct account *a, size_t at)
{
	uint64_t v = 0;

	if (a)
		memcpy(&v, (const char *)a + at, sizeof(v));
	return v;
}

void account_put(struct json *j, const char *key, const struct account *a, const struct account *since)
{
	json_open(j, key, '{');
	for (size_t i = 0; i < ARRAY_SIZE(members); i++)
		json_uint(j, members[i].key, member(a, members[i].at) - member(since, members[i].at));
	json_open(j, "not_written", '{');
	for (size_t i = 0; i < UNWRITTEN_N; i++)
		json_uint(j, unwritten_words[i], a->unwritten[i] - (since ? since->unwritten[i] : 0));
	json_close(j, '}');
	json_close(j, '}');
}

static uint64_t number_of(struct json_object *o, const char *key)
{
	struct json_object *v;
	int64_t n;

	if (!json_object_is_type(o, json_type_object) || !json_object_object_get_ex(o, key, &v))
		return 0;
	n = json_object_get_int64(v);
	return n > 0 ? (uint64_t)n : 0;
}

void account_load(struct account *a, struct json_object *o)
{
	struct json_object *not = NULL;

	*a = (struct account){ 0 };
	for (size_t i = 0; i < ARRAY_SIZE(members); i++) {
		uint64_t v = number_of(o, members[i].key);

		memcpy((char *)a + members[i].at, &v, sizeof(v));
	}
	if (json_object_is_type(o, json_type_object) && json_object_object_get_ex(o, "not_written", &not))
		for (size_t i = 0; i < UNWRITTEN_N; i++)
			a->unwritten[i] = number_of(not, unwritten_words[i]);
}

void account_words(struct sbuf *b, const struct account *a)
{
	static const char *const words[UNWRITTEN_N] = {
		"held back by the container's rate", "held back by the rate of all", "too many at once",
		"without room on the disk", "failed", "interrupted by an end of the watch",
	};
	const char *sep = "";

	for (size_t i = 0; i < UNWRITTEN_N; i++) {
		if (!a->unwritten[i])
			continue;
		sbuf_printf(b, "%s%llu %s", sep, (unsigned long long)a->unwritten[i], words[i]);
		sep = ", ";
	}
}

/* --- rates ------------------------------------------------------------------------------------ */

static bool is_over(const struct rate_use *u, uint64_t now)
{
	return now - u->began >= u->every;
}

static bool allows(const struct rate_use *u, const struct rate_limit *l, uint64_t now)
{
	return !l->n || !u || is_over(u, now) || u->n < l->n;
}

static void use(struct rate_use *u, const struct rate_limit *l, uint64_t now)
{
	if (!l->n)
		return;
	if (is_over(u, now) || u->every != l->every)
		*u = (struct rate_use){ .name = u->name, .began = now, .every = l->every };
	u->n++;
}

static struct rate_use *find_use(const struct rates *r, const char *name)
{
	for (size_t i = 0; i < r->n; i++)
		if (!strcmp(r->v[i].name, name))
			return &r->v[i];
	return NULL;
}

/* A use whose time is over limits nothing any more. */
static void forget(struct rates *r, uint64_t now)
{
	size_t n = 0;

	for (size_t i = 0; i < r->n; i++) {
		if (is_over(&r->v[i], now))
			free(r->v[i].name);
		else
			r->v[n++] = r->v[i];
	}
	r->n = n;
}

bool rates_take(struct rates *r, const char *name, const struct rate_limit *one, const struct rate_limit *all,
		uint64_t now, enum unwritten *why)
{
	struct rate_use *u = one->n ? find_use(r, name) : NULL;

	*why = UNWRITTEN_RATE;
	if (!allows(u, one, now))
		return false;
	*why = UNWRITTEN_RATE_ALL;
	if (!allows(&r->all, all, now))
		return false;
	if (one->n && !u) {
		if (r->n == RATES_MAX)
			forget(r, now);
		/* so many names at once: only a rate_all of none lets it come to that */
		if (r->n == RATES_MAX)
			return false;
		r->v = xrealloc(r->v, (r->n + 1) * sizeof(r->v[0]));
		u = &r->v[r->n++];
		*u = (struct rate_use){ .name = xstrdup(name) };
	}
	if (u)
		use(u, one, now);
	use(&r->all, all, now);
	return true;
}

void rates_free(struct rates *r)
{
	for (size_t i = 0; i < r->n; i++)
		free(r->v[i].name);
	free(r->v);
	*r = (struct rates){ 0 };
}
