// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Event types by id and by name, as the module describes them.
 *
 * A type that was handed out stays where it is until ctrace_schema_free(): callers keep pointers to
 * types across a refresh.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <netlink/attr.h>

#include "internal.h"

#define NIDS		65536u		/* a record's id is a u16 */

struct ctrace_schema {
	struct ctrace_event_type **types;	/* by id */
	size_t n, max;
	struct ctrace_event_type **old;		/* replaced types; callers may still point at them */
	size_t nold;
	/*
	 * Who may not trace may not list all types, and asks for each one when it is first looked up. NULL:
	 * for those who may. asked: a bit by id, for ids that have been asked for.
	 */
	struct ctrace *ask;
	struct ctrace_schema *next;		/* in ask->asking */
	uint8_t asked[NIDS / 8];
	/* by id: 1 + its index in types, 0: none. A table, as every record's type is looked up. */
	uint32_t at[NIDS];
};

static void ask_no_more(struct ctrace_schema *s)
{
	struct ctrace_schema **p;

	if (!s->ask)
		return;
	for (p = &s->ask->asking; *p != s; p = &(*p)->next)
		;
	*p = s->next;
	s->ask = NULL;
}

void ctrace_schema_detach(struct ctrace *ct)
{
	while (ct->asking)
		ask_no_more(ct->asking);
}

struct ctrace_schema *ctrace_schema_new(void)
{
	return calloc(1, sizeof(struct ctrace_schema));
}

void ctrace_schema_free(struct ctrace_schema *s)
{
	size_t i;

	if (!s)
		return;
	ask_no_more(s);
	for (i = 0; i < s->n; i++)
		free(s->types[i]);
	for (i = 0; i < s->nold; i++)
		free(s->old[i]);
	free(s->types);
	free(s->old);
	free(s);
}

const struct ctrace_event_type *ctrace_schema_at(const struct ctrace_schema *s, size_t i)
{
	return i < s->n ? s->types[i] : NULL;
}

/* --- adding ------------------------------------------------------------------ */

static bool field_ok(const struct ctrace_field *f)
{
	if (!f->name || !f->name[0])
		return false;
	switch (f->kind) {
	case CTRACE_FK_UINT:
	case CTRACE_FK_INT:
	case CTRACE_FK_SEQ:
	case CTRACE_FK_SEQ_INT:
		return f->size == 1 || f->size == 2 || f->size == 4 || f->size == 8;
	case CTRACE_FK_TEXT:
		return f->size > 0 && f->size <= CTRACE_RECORD_MAX;
	case CTRACE_FK_STRING:
		return true;
	}
	return false;
}

static bool type_ok(const struct ctrace_event_type *t)
{
	uint32_t i;

	if (t->id >= NIDS || !t->name || !t->name[0] || t->nfields > CTRACE_FIELDS_MAX)
		return false;
	for (i = 0; i < t->nfields; i++)
		if (!field_ok(&t->fields[i]))
			return false;
	return true;
}

static size_t room(const char *s)
{
	return s ? strlen(s) + 1 : 0;
}

static char *put(char **to, const char *s)
{
	char *at = *to;

	if (!s)
		return NULL;
	*to = stpcpy(at, s) + 1;
	return at;
}

/* One allocation holds the type, its fields and all their texts. */
static struct ctrace_event_type *copy(const struct ctrace_event_type *t)
{
	size_t len = room(t->name) + room(t->system ? t->system : "") + room(t->reason) +
		     room(t->source) + room(t->definition);
	struct ctrace_event_type *c;
	struct ctrace_field *f;
	uint32_t i;
	char *text;

	for (i = 0; i < t->nfields; i++)
		len += room(t->fields[i].name);
	c = malloc(sizeof(*c) + t->nfields * sizeof(*f) + len);
	if (!c)
		return NULL;
	f = (struct ctrace_field *)(c + 1);
	text = (char *)(f + t->nfields);
	*c = *t;
	c->name = put(&text, t->name);
	c->system = put(&text, t->system ? t->system : "");
	c->reason = put(&text, t->reason);
	c->source = put(&text, t->source);
	c->definition = put(&text, t->definition);
	c->fields = f;
	for (i = 0; i < t->nfields; i++) {
		f[i] = t->fields[i];
		f[i].name = put(&text, t->fields[i].name);
	}
	return c;
}

static bool same_text(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static bool same(const struct ctrace_event_type *a, const struct ctrace_event_type *b)
{
	uint32_t i;

	if (a->nfields != b->nfields || strcmp(a->name, b->name) ||
	    strcmp(a->system ? a->system : "", b->system ? b->system : "") ||
	    !same_text(a->reason, b->reason) || !same_text(a->source, b->source) ||
	    !same_text(a->definition, b->definition))
		return false;
	for (i = 0; i < a->nfields; i++)
		if (a->fields[i].kind != b->fields[i].kind ||
		    a->fields[i].display != b->fields[i].display ||
		    a->fields[i].size != b->fields[i].size ||
		    strcmp(a->fields[i].name, b->fields[i].name))
			return false;
	return true;
}

static int replace(struct ctrace_schema *s, const struct ctrace_event_type *t)
{
	struct ctrace_event_type **p = &s->types[s->at[t->id] - 1], **old, *c;

	if (same(*p, t))
		return 0;
	c = copy(t);
	old = realloc(s->old, (s->nold + 1) * sizeof(*old));
	if (old)
		s->old = old;
	if (!c || !old) {
		free(c);
		return -ENOMEM;
	}
	s->old[s->nold++] = *p;
	*p = c;
	return 0;
}

int ctrace_schema_add(struct ctrace_schema *s, const struct ctrace_event_type *type, size_t sz)
{
	struct ctrace_event_type **types, *c, known = { 0 };
	const struct ctrace_event_type *t = &known;
	size_t max, i;
	int err;

	err = ctrace_struct_take(&known, sizeof(known), type, sz);
	if (err)
		return err;
	if ((t->nfields && !t->fields) || !type_ok(t))
		return -EINVAL;
	if (s->at[t->id])
		return replace(s, t);
	if (s->n == s->max) {
		max = s->max ? s->max * 2 : 256;
		types = realloc(s->types, max * sizeof(*types));
		if (!types)
			return -ENOMEM;
		s->types = types;
		s->max = max;
	}
	c = copy(t);
	if (!c)
		return -ENOMEM;
	/* The module lists types in order of id, so this loop rarely moves any. */
	for (i = s->n; i > 0 && s->types[i - 1]->id > c->id; i--) {
		s->types[i] = s->types[i - 1];
		s->at[s->types[i]->id] = i + 1;
	}
	s->types[i] = c;
	s->at[c->id] = i + 1;
	s->n++;
	return 0;
}

/* --- from the module --------------------------------------------------------- */

static int parse_field(struct nlattr *set, struct ctrace_field *f)
{
	struct nlattr *a[CTRACE_A_FIELD_MAX + 1];
	struct nlattr *name;

	if (ctrace_attr_nested(a, CTRACE_A_FIELD_MAX, set))
		return -EPROTO;
	name = a[CTRACE_A_FIELD_NAME];
	/* Point into the datagram: it lives until ctrace_schema_add() has copied the type. */
	if (!name || strnlen(nla_data(name), nla_len(name)) == (size_t)nla_len(name))
		return -EPROTO;
	f->name = nla_data(name);
	f->kind = ctrace_attr_u32(a[CTRACE_A_FIELD_KIND]);
	f->display = ctrace_attr_u32(a[CTRACE_A_FIELD_DISPLAY]);
	f->size = ctrace_attr_u32(a[CTRACE_A_FIELD_SIZE]);
	return 0;
}

static const char *optional(const struct nlattr *a, char *to, size_t size)
{
	if (!a)
		return NULL;
	ctrace_attr_str(a, to, size);
	return to;
}

/* A field of a kind that this library does not know hides that event type, not the others. */
static int event_reply(struct nlattr **sets, void *arg)
{
	char name[CTRACE_NAME_MAX], system[64], reason[256], source[CTRACE_NAME_MAX], definition[CTRACE_TEXT_MAX];
	struct ctrace_field fields[CTRACE_FIELDS_MAX];
	struct ctrace_event_type t = { .name = name, .system = system, .fields = fields };
	struct nlattr *a[CTRACE_A_EVENT_MAX + 1], *f;
	struct ctrace_schema *s = ((struct ctrace_list *)arg)->items;
	int left, err;

	if (ctrace_attr_nested(a, CTRACE_A_EVENT_MAX, sets[CTRACE_A_EVENT]))
		return -EPROTO;
	t.id = ctrace_attr_u32(a[CTRACE_A_EVENT_ID]);
	ctrace_attr_str(a[CTRACE_A_EVENT_NAME], name, sizeof(name));
	ctrace_attr_str(a[CTRACE_A_EVENT_SYSTEM], system, sizeof(system));
	t.reason = optional(a[CTRACE_A_EVENT_REASON], reason, sizeof(reason));
	t.source = optional(a[CTRACE_A_EVENT_SOURCE], source, sizeof(source));
	t.definition = optional(a[CTRACE_A_EVENT_DEFINITION], definition, sizeof(definition));
	if (a[CTRACE_A_EVENT_FIELDS]) {
		nla_for_each_nested(f, a[CTRACE_A_EVENT_FIELDS], left) {
			if (nla_type(f) != CTRACE_A_FIELD_SET)
				continue;
			if (t.nfields == CTRACE_FIELDS_MAX)
				return -EPROTO;
			err = parse_field(f, &fields[t.nfields++]);
			if (err)
				return err;
		}
	}
	err = ctrace_schema_add(s, &t, sizeof(t));
	return err == -EINVAL ? 0 : err;
}

/* --- looking up ------------------------------------------------------------------ */

/* Asks the module for one type, by its name, or, if that is NULL, by its id. */
static void ask(struct ctrace_schema *s, const char *name, uint32_t id)
{
	struct ctrace_list l = { .items = s };
	struct nl_msg *msg = ctrace_ctl_msg(s->ask, CTRACE_CMD_EVENT_GET, 0);
	struct nlattr *nest;

	if (msg) {
		nest = nla_nest_start(msg, CTRACE_A_EVENT | NLA_F_NESTED);
		if (!nest || (name ? nla_put_string(msg, CTRACE_A_EVENT_NAME, name) :
				     nla_put_u32(msg, CTRACE_A_EVENT_ID, id))) {
			nlmsg_free(msg);
			return;
		}
		nla_nest_end(msg, nest);
	}
	/* An error is like "there is none": the caller gets NULL, and ctrace_errmsg() has the sentence. */
	ctrace_ctl_call(s->ask, msg, "cannot ask for an event type", event_reply, &l);
}

const struct ctrace_event_type *ctrace_schema_by_id(const struct ctrace_schema *schema, uint32_t id)
{
	/* ours, and never in read-only memory */
	struct ctrace_schema *s = (struct ctrace_schema *)schema;

	if (id >= NIDS)
		return NULL;
	if (!s->at[id] && s->ask && !(s->asked[id / 8] & 1 << id % 8)) {
		s->asked[id / 8] |= 1 << id % 8;
		ask(s, NULL, id);
	}
	return s->at[id] ? s->types[s->at[id] - 1] : NULL;
}

static const struct ctrace_event_type *known_by_name(const struct ctrace_schema *s, const char *name)
{
	const struct ctrace_event_type *t = NULL;
	size_t i;

	for (i = 0; i < s->n; i++) {
		if (strcmp(s->types[i]->name, name))
			continue;
		t = s->types[i];
		if (t->id < CTRACE_ID_DYNAMIC || t->id >= CTRACE_ID_SYS_ENTER)
			break;
		/* A kprobe's name may have been defined again, with a higher id: take the last. */
	}
	return t;
}

const struct ctrace_event_type *ctrace_schema_by_name(const struct ctrace_schema *schema, const char *name)
{
	struct ctrace_schema *s = (struct ctrace_schema *)schema;
	const struct ctrace_event_type *t = known_by_name(s, name);

	if (t || !s->ask || strlen(name) >= CTRACE_NAME_MAX)
		return t;
	ask(s, name, 0);
	return known_by_name(s, name);
}

/* --- all types ------------------------------------------------------------------- */

int ctrace_schema_refresh(struct ctrace *ct, struct ctrace_schema *s)
{
	/* The list only carries s. If the dump is repeated, adding a type again does no harm. */
	struct ctrace_list l = { .items = s };
	int err = ctrace_ctl_dump(ct, CTRACE_CMD_EVENT_GET, 0, "cannot list event types",
				  event_reply, &l);

	if (err != -EPERM)
		return err;
	ask_no_more(s);
	s->ask = ct;
	s->next = ct->asking;
	ct->asking = s;
	memset(s->asked, 0, sizeof(s->asked));	/* what there was not may be there by now */
	return 0;
}

int ctrace_schema_get(struct ctrace *ct, struct ctrace_schema **out)
{
	int err;

	*out = ctrace_schema_new();
	if (!*out)
		return ctrace_ctl_error(ct, -ENOMEM, "out of memory");
	err = ctrace_schema_refresh(ct, *out);
	if (err) {
		ctrace_schema_free(*out);
		*out = NULL;
	}
	return err;
}
