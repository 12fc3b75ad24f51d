// SPDX-License-Identifier: GPL-2.0-only
/* Files for viewers of profiles: speedscope's JSON, pprof's protobuf. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include "base/json.h"
#include "base/proto.h"
#include "flame/flame.h"

/* The number of each frame's name among all names, from 0; a name of many frames has one. */
struct names {
	uint32_t *of;		/* by node */
	const char **v;
	uint32_t n;
};

static const struct flame_node *nodes;

static int by_text(const void *a, const void *b)
{
	return strcmp(nodes[*(const uint32_t *)a].name, nodes[*(const uint32_t *)b].name);
}

static void names_make(struct names *s, const struct flame *f)
{
	uint32_t *order = xcalloc(f->n, sizeof(order[0]));

	s->of = xcalloc(f->n, sizeof(s->of[0]));
	s->v = xcalloc(f->n, sizeof(s->v[0]));
	s->n = 0;
	for (uint32_t i = 1; i < f->n; i++)
		order[i - 1] = i;
	nodes = f->v;
	if (f->n > 1)
		qsort(order, f->n - 1, sizeof(order[0]), by_text);
	for (size_t i = 0; i + 1 < f->n; i++) {
		const char *name = f->v[order[i]].name;

		if (!s->n || strcmp(s->v[s->n - 1], name))
			s->v[s->n++] = name;
		s->of[order[i]] = s->n - 1;
	}
	free(order);
}

static void names_free(struct names *s)
{
	free(s->of);
	free(s->v);
}

/* The frame of node i at this depth: 1 is the container, 2 the program. 0: it has none. */
static uint32_t ancestor(const struct flame *f, uint32_t i, uint32_t depth)
{
	if (f->v[i].depth < depth)
		return 0;
	while (f->v[i].depth > depth)
		i = f->v[i].parent;
	return i;
}

/* --- speedscope: https://www.speedscope.app/file-format-schema.json --------------- */

/*
 * For each container the nodes with stacks that end there: first[container], then next[node]; 0 is the end.
 */
struct lists {
	uint32_t *first, *next;
};

static void lists_make(struct lists *l, const struct flame *f)
{
	uint32_t *container = xcalloc(f->n, sizeof(container[0]));

	l->first = xcalloc(f->n, sizeof(l->first[0]));
	l->next = xcalloc(f->n, sizeof(l->next[0]));
	for (uint32_t i = 1; i < f->n; i++) {
		/* a frame comes behind its caller */
		container[i] = f->v[i].parent ? container[f->v[i].parent] : i;
		if (!f->v[i].self || f->v[i].depth < 2)
			continue;
		l->next[i] = l->first[container[i]];
		l->first[container[i]] = i;
	}
	free(container);
}

static void put_profile(struct json *j, const struct flame *f, const struct names *s, const struct lists *l,
			uint32_t container, const char *unit)
{
	uint32_t *v = xcalloc((size_t)f->depth + 1, sizeof(v[0]));

	json_open(j, NULL, '{');
	json_str(j, "type", "sampled");
	json_str(j, "name", f->v[container].name);
	json_str(j, "unit", unit);
	json_uint(j, "startValue", 0);
	json_uint(j, "endValue", f->v[container].total);
	json_open(j, "samples", '[');
	for (uint32_t i = l->first[container]; i; i = l->next[i]) {
		size_t n = flame_path(f, i, 1, v);

		json_open(j, NULL, '[');
		for (size_t k = 0; k < n; k++)
			json_uint(j, NULL, s->of[v[k]]);
		json_close(j, ']');
	}
	json_close(j, ']');
	json_open(j, "weights", '[');
	for (uint32_t i = l->first[container]; i; i = l->next[i])
		json_uint(j, NULL, f->v[i].self);
	json_close(j, ']');
	json_close(j, '}');
	free(v);
}

void flame_speedscope(const struct flame *f, const struct flame_form *form, FILE *out)
{
	const char *unit = !strcmp(form->unit, "us") ? "microseconds" : "none";
	struct sbuf b = { 0 };
	struct json j = { .out = &b };
	struct lists l;
	struct names s;

	names_make(&s, f);
	lists_make(&l, f);
	json_open(&j, NULL, '{');
	json_str(&j, "$schema", "https://www.speedscope.app/file-format-schema.json");
	json_str(&j, "exporter", "ctrace");
	json_str(&j, "name", form->title);
	json_open(&j, "shared", '{');
	json_open(&j, "frames", '[');
	for (uint32_t i = 0; i < s.n; i++) {
		json_open(&j, NULL, '{');
		json_str(&j, "name", s.v[i]);
		json_close(&j, '}');
	}
	json_close(&j, ']');
	json_close(&j, '}');
	json_open(&j, "profiles", '[');
	for (uint32_t c = f->v[0].child; c; c = f->v[c].next)
		if (l.first[c])
			put_profile(&j, f, &s, &l, c, unit);
	json_close(&j, ']');
	json_close(&j, '}');
	json_line(&j);
	fwrite(b.s, 1, b.len, out);
	sbuf_free(&b);
	names_free(&s);
	free(l.first);
	free(l.next);
}

/* --- pprof: profile.proto of github.com/google/pprof ------------------------------ */

/* Numbers of its fields. */
enum {
	PROFILE_SAMPLE_TYPE = 1, PROFILE_SAMPLE = 2, PROFILE_LOCATION = 4, PROFILE_FUNCTION = 5, PROFILE_STRING = 6,
	PROFILE_TIME = 9, PROFILE_DURATION = 10, PROFILE_PERIOD_TYPE = 11, PROFILE_PERIOD = 12,
	TYPE_TYPE = 1, TYPE_UNIT = 2,
	SAMPLE_LOCATION = 1, SAMPLE_VALUE = 2, SAMPLE_LABEL = 3, LABEL_KEY = 1, LABEL_STR = 2,
	LOCATION_ID = 1, LOCATION_LINE = 4, LINE_FUNCTION = 1, FUNCTION_ID = 1, FUNCTION_NAME = 2,
};

/* The strings before the names in the table of strings. */
static const char *const fixed[] = { "", "samples", "count", "wait", "microseconds", "container", "comm" };
enum { S_EMPTY, S_SAMPLES, S_COUNT, S_WAIT, S_MICROSECONDS, S_CONTAINER, S_COMM };

static void put_label(struct sbuf *sample, struct sbuf *m, unsigned int key, uint64_t text)
{
	proto_number(m, LABEL_KEY, key);
	proto_number(m, LABEL_STR, text);
	proto_message(sample, SAMPLE_LABEL, m);
}

/* The container and the program are labels: -tagfocus and -tagroot of pprof choose by them. */
static void put_sample(struct sbuf *b, const struct flame *f, const struct names *s, uint32_t i, uint32_t *v)
{
	size_t n = flame_path(f, i, 2, v);
	struct sbuf sample = { 0 }, m = { 0 };

	while (n-- > 0)		/* the innermost first */
		proto_varint(&m, s->of[v[n]] + 1);
	proto_message(&sample, SAMPLE_LOCATION, &m);
	proto_varint(&m, f->v[i].self);
	proto_message(&sample, SAMPLE_VALUE, &m);
	put_label(&sample, &m, S_CONTAINER, ARRAY_SIZE(fixed) + s->of[ancestor(f, i, 1)]);
	if (ancestor(f, i, 2))
		put_label(&sample, &m, S_COMM, ARRAY_SIZE(fixed) + s->of[ancestor(f, i, 2)]);
	proto_message(b, PROFILE_SAMPLE, &sample);
	sbuf_free(&sample);
	sbuf_free(&m);
}

static void put_function(struct sbuf *b, uint32_t i)
{
	struct sbuf m = { 0 }, line = { 0 };

	proto_number(&line, LINE_FUNCTION, i + 1);
	proto_number(&m, LOCATION_ID, i + 1);
	proto_message(&m, LOCATION_LINE, &line);
	proto_message(b, PROFILE_LOCATION, &m);
	proto_number(&m, FUNCTION_ID, i + 1);
	proto_number(&m, FUNCTION_NAME, ARRAY_SIZE(fixed) + i);
	proto_message(b, PROFILE_FUNCTION, &m);
	sbuf_free(&m);
	sbuf_free(&line);
}

static void put_type(struct sbuf *b, unsigned int field, bool time)
{
	struct sbuf m = { 0 };

	proto_number(&m, TYPE_TYPE, time ? S_WAIT : S_SAMPLES);
	proto_number(&m, TYPE_UNIT, time ? S_MICROSECONDS : S_COUNT);
	proto_message(b, field, &m);
	sbuf_free(&m);
}

static void put_profile_pprof(struct sbuf *b, const struct flame *f, const struct flame_form *form)
{
	uint32_t *v = xcalloc((size_t)f->depth + 1, sizeof(v[0]));
	bool time = !strcmp(form->unit, "us");
	struct names s;

	names_make(&s, f);
	put_type(b, PROFILE_SAMPLE_TYPE, time);
	for (uint32_t i = 1; i < f->n; i++)
		if (f->v[i].self)
			put_sample(b, f, &s, i, v);
	for (uint32_t i = 0; i < s.n; i++)
		put_function(b, i);
	for (size_t i = 0; i < ARRAY_SIZE(fixed); i++)
		proto_bytes(b, PROFILE_STRING, fixed[i], strlen(fixed[i]));
	for (uint32_t i = 0; i < s.n; i++)
		proto_bytes(b, PROFILE_STRING, s.v[i], strlen(s.v[i]));
	if (form->time)
		proto_number(b, PROFILE_TIME, form->time);
	if (form->duration)
		proto_number(b, PROFILE_DURATION, form->duration);
	put_type(b, PROFILE_PERIOD_TYPE, time);
	proto_number(b, PROFILE_PERIOD, 1);
	names_free(&s);
	free(v);
}

int flame_pprof(const struct flame *f, const struct flame_form *form, FILE *out)
{
	struct sbuf b = { 0 };
	int fd, err = 0;
	gzFile z;

	if (fflush(out))
		return -errno;
	fd = dup(fileno(out));
	if (fd < 0)
		return -errno;
	z = gzdopen(fd, "w");
	if (!z) {
		close(fd);
		return -ENOMEM;
	}
	put_profile_pprof(&b, f, form);
	errno = 0;
	for (size_t done = 0; done < b.len && !err;) {
		unsigned int n = b.len - done > 1u << 20 ? 1u << 20 : (unsigned int)(b.len - done);

		if (gzwrite(z, b.s + done, n) != (int)n)
			err = -(errno ?: EIO);
		done += n;
	}
	if (gzclose(z) != Z_OK && !err)
		err = -(errno ?: EIO);
	sbuf_free(&b);
	return err;
}
