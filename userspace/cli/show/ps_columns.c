// SPDX-License-Identifier: GPL-2.0-only
#include <ctype.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>
#include "base/cli.h"
#include "names/pods.h"
#include "show/ps_columns.h"

struct ps_column {
	const char *name;
	/* puts one cell; e is a container */
	void (*put)(const struct ps_columns *c, struct table *t, const struct centry *e);
};

static void put_word(struct table *t, const char *s)
{
	table_str(t, s && *s ? s : "-");
}

static void put_number(struct table *t, uint64_t v, bool known)
{
	if (known)
		table_num(t, v);
	else
		table_str(t, "-");
}

static void put_cid(const struct ps_columns *c, struct table *t, const struct centry *e)
{
	(void)c;
	table_num(t, e->c.cid);
}

static void put_runtime(const struct ps_columns *c, struct table *t, const struct centry *e)
{
	(void)c;
	put_word(t, e->runtime);
}

static void put_init(const struct ps_columns *c, struct table *t, const struct centry *e)
{
	(void)c;
	put_number(t, e->c.init_pid, e->c.init_pid);
}

static void put_procs(const struct ps_columns *c, struct table *t, const struct centry *e)
{
	long procs = processes_in(c->running, &e->c);

	put_number(t, (uint64_t)procs, procs >= 0);
}

static void put_cpu(const struct ps_columns *c, struct table *t, const struct centry *e)
{
	struct sbuf b = { 0 };
	uint64_t ns;

	if (!cgroup_cpu_used(c->files, &e->c, &ns))
		sbuf_puts(&b, "-");
	else if (ns < 100 * NSEC_PER_SEC)
		sbuf_printf(&b, "%.2fs", (double)ns / NSEC_PER_SEC);
	else
		sbuf_duration(&b, ns);
	table_right(t, b.s);
	sbuf_free(&b);
}

static void put_mem(const struct ps_columns *c, struct table *t, const struct centry *e)
{
	uint64_t bytes;

	if (cgroup_memory_used(c->files, &e->c, &bytes))
		table_size(t, bytes);
	else
		table_str(t, "-");
}

static void put_age(const struct ps_columns *c, struct table *t, const struct centry *e)
{
	struct sbuf b = { 0 };

	if (e->c.cid == CTRACE_CID_HOST)
		sbuf_puts(&b, "-");
	else if (e->c.flags & CTRACE_CONTAINER_F_DEAD)
		sbuf_puts(&b, "gone");
	else
		sbuf_duration(&b, e->c.first_seen && c->now > e->c.first_seen ? c->now - e->c.first_seen : 0);
	table_str(t, b.s);
	sbuf_free(&b);
}

static void put_parent(const struct ps_columns *c, struct table *t, const struct centry *e)
{
	(void)c;
	put_number(t, e->c.parent, e->c.parent);
}

static void put_id(const struct ps_columns *c, struct table *t, const struct centry *e)
{
	char *id = xstrndup(e->c.runtime_id, 12);

	(void)c;
	put_word(t, id);
	free(id);
}

static void put_namespace(const struct ps_columns *c, struct table *t, const struct centry *e)
{
	(void)c;
	put_word(t, e->r.ns);
}

static void put_pod(const struct ps_columns *c, struct table *t, const struct centry *e)
{
	(void)c;
	put_word(t, e->r.pod);
}

static void put_pod_uid(const struct ps_columns *c, struct table *t, const struct centry *e)
{
	(void)c;
	put_word(t, e->r.pod_uid);
}

static void put_container(const struct ps_columns *c, struct table *t, const struct centry *e)
{
	(void)c;
	put_word(t, e->r.container);
}

static void put_restarts(const struct ps_columns *c, struct table *t, const struct centry *e)
{
	uint32_t v = 0;

	(void)c;
	put_number(t, v, e->r.restarts && !parse_u32(e->r.restarts, &v));
}

static void put_image(const struct ps_columns *c, struct table *t, const struct centry *e)
{
	(void)c;
	put_word(t, e->r.image);
}

static void put_labels(const struct ps_columns *c, struct table *t, const struct centry *e)
{
	struct sbuf b = { 0 };

	(void)c;
	if (e->r.labels) {
		json_object_object_foreach(e->r.labels, key, v)
			if (json_object_is_type(v, json_type_string))
				sbuf_printf(&b, "%s%s=%s", b.len ? "," : "", key, json_object_get_string(v));
	}
	put_word(t, b.s);
	sbuf_free(&b);
}

static void put_cgroup(const struct ps_columns *c, struct table *t, const struct centry *e)
{
	(void)c;
	put_word(t, e->c.path);
}

static const struct ps_column all[] = {
	{ "cid", put_cid }, { "name", NULL }, { "runtime", put_runtime }, { "init", put_init },
	{ "procs", put_procs }, { "cpu", put_cpu }, { "mem", put_mem }, { "age", put_age },
	{ "parent", put_parent }, { "id", put_id }, { "namespace", put_namespace }, { "pod", put_pod },
	{ "pod_uid", put_pod_uid }, { "container", put_container }, { "restarts", put_restarts },
	{ "image", put_image }, { "labels", put_labels }, { "cgroup", put_cgroup },
};

const char *ps_column_name(size_t i)
{
	return i < ARRAY_SIZE(all) ? all[i].name : NULL;
}

/* A pod has no number of its own: its line has a name, and what its containers have in common. */
static bool is_pods(const struct ps_column *col)
{
	return col->put == put_namespace || col->put == put_pod || col->put == put_pod_uid;
}

static int unknown(const char *word, size_t n)
{
	struct sbuf b = { 0 };
	char *w = xstrndup(word, n);
	int r;

	sbuf_puts(&b, "no column '");
	sbuf_clean(&b, w);
	sbuf_puts(&b, "': there are ");
	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		sbuf_printf(&b, "%s%s", i ? ", " : "", all[i].name);
	r = cli_usage("%s", b.s);
	free(w);
	sbuf_free(&b);
	return r;
}

int ps_columns_parse(struct ps_columns *c, const char *list)
{
	size_t n, k;

	c->n = 0;
	for (const char *p = list;; p += n + 1) {
		n = strcspn(p, ",");
		for (k = 0; k < ARRAY_SIZE(all); k++)
			if (strlen(all[k].name) == n && !strncasecmp(all[k].name, p, n))
				break;
		if (k == ARRAY_SIZE(all))
			return unknown(p, n);
		if (c->n == TABLE_COLUMNS)
			return cli_usage("more than %d columns", TABLE_COLUMNS);
		c->v[c->n++] = &all[k];
		if (!p[n])
			return CLI_OK;
	}
}

void ps_columns_init_table(const struct ps_columns *c, struct table *t)
{
	char heads[TABLE_COLUMNS][16];
	const char *v[TABLE_COLUMNS];

	for (size_t i = 0; i < c->n; i++) {
		size_t k = 0;

		for (; c->v[i]->name[k]; k++)
			heads[i][k] = (char)toupper(c->v[i]->name[k]);
		heads[i][k] = '\0';
		v[i] = heads[i];
	}
	table_init(t, v, c->n);
}

static void put_name(struct table *t, const struct row *r)
{
	struct sbuf b = { 0 };

	if (!r->pod && !r->depth) {
		table_str(t, r->e->shown);
		return;
	}
	sbuf_printf(&b, "%*s", (int)(2 * r->depth), "");
	if (r->pod) {
		sbuf_puts(&b, "pod ");
		pod_put(&b, r->e);
	} else {
		sbuf_puts(&b, r->e->shown);
	}
	table_str(t, b.s);
	sbuf_free(&b);
}

void ps_columns_put(const struct ps_columns *c, struct table *t, const struct row *r)
{
	for (size_t i = 0; i < c->n; i++) {
		if (!c->v[i]->put)
			put_name(t, r);
		else if (r->pod && !is_pods(c->v[i]))
			table_str(t, "-");
		else
			c->v[i]->put(c, t, r->e);
	}
	table_end_row(t);
}
