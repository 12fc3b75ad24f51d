// SPDX-License-Identifier: GPL-2.0-only
/* ctrace diff --json. */
#include <math.h>
#include <string.h>
#include "base/cli.h"
#include "run/recording.h"
#include "tools/diff.h"

static void json_pair(struct json *j, const char *key, const uint64_t n[SIDES])
{
	json_open(j, key, '{');
	json_uint(j, "a", n[A]);
	json_uint(j, "b", n[B]);
	json_close(j, '}');
}

static void json_side(const struct diff *d, struct json *j, int side)
{
	const struct side *s = &d->side[side];

	json_open(j, side == A ? "a" : "b", '{');
	json_str(j, "recording", s->dir);
	json_uint(j, "began", s->digest.began);
	json_uint(j, "began_realtime", s->realtime);
	json_uint(j, "duration", s->digest.ended - s->digest.began);
	json_uint(j, "events", s->digest.events);
	json_uint(j, "lost", s->digest.lost);
	json_close(j, '}');
}

static void json_row(const struct diff *d, struct json *j, const struct row *r, size_t most)
{
	json_open(j, NULL, '{');
	json_str(j, "container", r->name);
	json_int(j, "change", (int64_t)(r->change * 1e9));
	json_pair(j, "events", r->events);
	for (int w = 0; w < NUMBERS; w++)
		if (diff_both(d, (enum what)w))
			json_pair(j, diff_whats[w].key, r->n[w]);
	if (diff_both(d, WAITED))
		json_pair(j, "wait_p99", r->p99[0]);
	if (diff_both(d, DISK_IOS))
		json_pair(j, "disk_p99", r->p99[1]);
	json_open(j, "culprits", '[');
	for (size_t i = 0; i < r->nculprits && i < most; i++) {
		json_open(j, NULL, '{');
		json_str(j, "culprit", r->culprits[i].name);
		json_pair(j, "waited", r->culprits[i].ns);
		json_close(j, '}');
	}
	json_close(j, ']');
	json_open(j, "syscalls", '[');
	for (size_t i = 0; i < r->ncalls && i < most && diff_both(d, CALLS); i++) {
		const struct call *c = &r->calls[i];

		json_open(j, NULL, '{');
		json_str(j, "syscall", c->name);
		json_pair(j, "calls", c->n);
		json_pair(j, "errors", c->errors);
		json_pair(j, "total", c->total);
		json_pair(j, "p99", c->p99);
		json_close(j, '}');
	}
	json_close(j, ']');
	json_close(j, '}');
}

void diff_put_json(const struct diff *d, size_t most, struct json *j)
{
	json_open(j, NULL, '{');
	json_side(d, j, A);
	json_side(d, j, B);
	json_open(j, "rows", '[');
	for (size_t i = 0; i < d->n && i < most; i++)
		json_row(d, j, &d->v[i], most);
	json_close(j, ']');
	json_close(j, '}');
}

void diff_print_json(const struct diff *d)
{
	struct sbuf b = { 0 };
	struct json j = { .out = &b };

	diff_put_json(d, SIZE_MAX, &j);
	json_line(&j);
	fputs(b.s, stdout);
	sbuf_free(&b);
}
