// SPDX-License-Identifier: GPL-2.0-only
/* Flame graphs: the tree that folded stacks make, and what is written of it. */
#include <json-c/json.h>
#include <stdlib.h>
#include <zlib.h>
#include "ktap.h"
#include "flame/flame.h"

static const char stacks[] =
	"web;nginx;main;read;vfs_read 3\n"
	"web;nginx;main;read 2\n"
	"web;nginx;main;write 5\n"
	"\n"
	"# a comment\n"
	"web;sh;main;read;vfs_read 7\n"
	"<db> & \"co\";post gres;a b 4\n"
	"no number\n"
	"web;nginx;main 99999999999999999999999\n"
	" 5\n"
	"web;nginx;main;read;vfs_read 1\n";

static struct flame f;
static const struct flame_form form = { .title = "<t>", .unit = "samples" };

static void fill(const char *text, bool old)
{
	FILE *in = fmemopen((void *)text, strlen(text), "r");

	check_eq(flame_read(&f, in, old), 0);
	fclose(in);
}

/* Node under parent; 0: there is none. */
static uint32_t below(uint32_t parent, const char *name)
{
	uint32_t i = f.v[parent].child;

	while (i && strcmp(f.v[i].name, name))
		i = f.v[i].next;
	return i;
}

/* The text that fn writes. */
static char *written(void (*fn)(FILE *out))
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	fn(out);
	fclose(out);
	return text;
}

static void tree(void)
{
	uint32_t web, nginx, main_, prev = 0;

	flame_init(&f);
	fill(stacks, false);
	flame_finish(&f);
	check_eq(f.bad, 3);
	check_eq(f.lines, 9);
	check_eq(f.v[0].total, 22);
	web = below(0, "web");
	nginx = below(web, "nginx");
	main_ = below(nginx, "main");
	check_eq(f.v[web].total, 18);
	check_eq(f.v[nginx].total, 11);
	check_eq(f.v[below(main_, "read")].total, 6);
	check_eq(f.v[below(main_, "read")].self, 2);
	check_eq(f.v[below(below(main_, "read"), "vfs_read")].self, 4);
	/* the same name under another caller is another frame */
	check_eq(f.v[below(below(below(web, "sh"), "main"), "read")].total, 7);
	for (uint32_t i = f.v[0].child; i; prev = i, i = f.v[i].next)
		check(!prev || strcmp(f.v[prev].name, f.v[i].name) < 0);
	flame_free(&f);
}

static void put_svg(FILE *out)
{
	flame_svg(&f, &form, out);
}

static void put_speedscope(FILE *out)
{
	flame_speedscope(&f, &form, out);
}

static void put_folded(FILE *out)
{
	flame_folded(&f, out);
}

static unsigned int times(const char *text, const char *word)
{
	unsigned int n = 0;

	for (; (text = strstr(text, word)); text++)
		n++;
	return n;
}

static void svg(void)
{
	char *text;

	flame_init(&f);
	fill(stacks, false);
	flame_finish(&f);
	text = written(put_svg);
	check_eq(times(text, "<g class=\"f\""), f.n);
	check(strstr(text, "<title>vfs_read (4 samples, 18.18%)</title>"));
	check(strstr(text, "&lt;db&gt; &amp; &quot;co&quot; (4 samples"));
	check(!strstr(text, "<db>"));
	free(text);
	flame_free(&f);
}

/* Frames of the kernel are marked in what ctrace hands to itself; no form of output has the mark. */
static void kernel(void)
{
	char *text;

	flame_init(&f);
	fill("c;p;main;\1vfs_read;\1copy 3\nc;p;main 1\nc;swapper;\1idle 4\n", false);
	flame_finish(&f);
	check_eq(f.v[0].total, 8);
	check_eq(f.v[0].in_kernel, 7);
	check_eq(f.v[below(below(below(0, "c"), "p"), "main")].in_kernel, 3);
	text = written(put_svg);
	check(!strchr(text, '\1'));
	check(strstr(text, "<title>vfs_read (3 samples, 37.50%)</title>"));
	check(strstr(text, ">user code</text>") && strstr(text, ">kernel</text>") && strstr(text, ">idle</text>"));
	check(strstr(text, "data-v=\"4\" data-k=\"3\""));
	free(text);
	text = written(put_folded);
	check(!strchr(text, '\1') && strstr(text, "c;p;main;vfs_read;copy 3\n"));
	free(text);
	flame_free(&f);
}

static void difference(void)
{
	char *text;

	flame_init(&f);
	fill("c;p;a 3\nc;p;b 1\n", false);
	fill("c;p;a 1\nc;p;b 1\nc;p;gone 2\n", true);
	flame_finish(&f);
	check(f.compared);
	check_eq(f.v[0].old_total, 4);
	text = written(put_svg);
	check(strstr(text, "<title>a (3 samples, 75.00%; before 1, 25.00%; +50.00)</title>"));
	/* what is not there now has no width */
	check(!strstr(text, "<title>gone"));
	free(text);
	flame_free(&f);
}

static void speedscope(void)
{
	struct json_object *o, *profiles;
	uint64_t sum = 0;
	char *text;

	flame_init(&f);
	fill(stacks, false);
	flame_finish(&f);
	text = written(put_speedscope);
	o = json_tokener_parse(text);
	profiles = json_object_object_get(o, "profiles");
	check_eq(json_object_array_length(profiles), 2);
	for (size_t i = 0; i < json_object_array_length(profiles); i++) {
		struct json_object *p = json_object_array_get_idx(profiles, i), *w = json_object_object_get(p, "weights");

		check_eq(json_object_array_length(w), json_object_array_length(json_object_object_get(p, "samples")));
		for (size_t k = 0; k < json_object_array_length(w); k++)
			sum += (uint64_t)json_object_get_int64(json_object_array_get_idx(w, k));
	}
	check_eq(sum, 22);
	json_object_put(o);
	free(text);
	flame_free(&f);
}

/* --- pprof, read back: only what is needed of protobuf ------------------------------ */

static uint64_t varint(const unsigned char **p)
{
	uint64_t v = 0;
	int shift = 0;

	do
		v |= (uint64_t)(**p & 0x7f) << shift;
	while (shift += 7, *(*p)++ & 0x80);
	return v;
}

static void pprof(void)
{
	unsigned int count[16] = { 0 };
	static unsigned char buf[65536];
	const unsigned char *p = buf, *end;
	uint64_t values = 0;
	FILE *file = tmpfile();
	gzFile z;
	int n;

	flame_init(&f);
	fill(stacks, false);
	flame_finish(&f);
	check_eq(flame_pprof(&f, &form, file), 0);
	rewind(file);
	z = gzdopen(dup(fileno(file)), "r");
	n = gzread(z, buf, sizeof(buf));
	gzclose(z);
	fclose(file);
	if (!check(n > 0))
		return;
	for (end = buf + n; p < end;) {
		uint64_t tag = varint(&p), len = varint(&p);
		const unsigned char *q = p;

		count[tag >> 3 & 15]++;
		if ((tag & 7) != 2)
			continue;
		p += len;
		if (tag >> 3 != 2)
			continue;
		/* a sample: its places, then its value */
		check_eq(varint(&q), 1 << 3 | 2);
		len = varint(&q);
		q += len;
		check_eq(varint(&q), 2 << 3 | 2);
		check_eq(varint(&q), (uint64_t)(*q < 0x80 ? 1 : 2));
		values += varint(&q);
	}
	check_eq(p - end, 0);
	check_eq(values, 22);
	check_eq(count[1], 1);
	check_eq(count[2], 5);			/* stacks that differ */
	check_eq(count[4], count[5]);
	check_eq(count[6], 7 + count[5]);	/* the fixed texts, and each name once */
	flame_free(&f);
}

/* Very deep and wide, random, and nothing at all. */
static void extremes(void)
{
	char *line = malloc(200000), *text, *again;
	size_t len = 0;

	flame_init(&f);
	flame_finish(&f);
	text = written(put_svg);
	check(strstr(text, "no stacks"));
	free(text);
	for (int i = 0; i < 50000; i++)
		len += (size_t)sprintf(line + len, "f%d;", i % 100);
	strcpy(line + len - 1, " 1");
	flame_add(&f, line, false);
	srand(1);
	for (int i = 0; i < 20000; i++) {
		for (len = 0; len < 40; len++)
			line[len] = "ab;; 1\xff<"[rand() % 8];
		strcpy(line + len, " 1");
		flame_add(&f, line, false);
	}
	flame_finish(&f);
	text = written(put_svg);
	check(strstr(text, "</svg>"));
	free(text);
	/* what was folded is folded again to the same */
	text = written(put_folded);
	flame_free(&f);
	flame_init(&f);
	fill(text, false);
	flame_finish(&f);
	again = written(put_folded);
	check_eq(strlen(again), strlen(text));
	check_eq(f.v[0].total, 20001);
	free(again);
	free(text);
	free(line);
	flame_free(&f);
}

static const struct ktap_case cases[] = {
	{ "the tree of folded stacks", tree },
	{ "a picture: each frame once, names safe", svg },
	{ "frames of the kernel", kernel },
	{ "the difference of two", difference },
	{ "speedscope: a profile for each container, weights add up", speedscope },
	{ "pprof: values add up, names once", pprof },
	{ "deep, wide, random and empty", extremes },
};
KTAP_MAIN(cases)
