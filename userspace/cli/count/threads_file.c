// SPDX-License-Identifier: GPL-2.0-only
/* threads.json: samples from /proc of the threads of a recording's containers, taken while it was made. */
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>
#include "base/json.h"
#include "ctf/sink_ctf.h"
#include "names/names.h"
#include "count/threads.h"

const char *const threads_events[] = { "sched_run", "sched_blame", "sched_block", NULL };

bool threads_asked(const struct probes *p)
{
	for (size_t k = 0; threads_events[k]; k++) {
		size_t i = 0;

		while (i < p->n && strcmp(p->v[i].name, threads_events[k]))
			i++;
		if (i == p->n)
			return false;
	}
	return true;
}

void threads_put(struct sbuf *b, const struct threads *t)
{
	struct json j = { .out = b };

	json_open(&j, NULL, '{');
	json_uint(&j, "looked", t->looked);
	json_open(&j, "threads", '[');
	for (size_t i = 0; i < t->n; i++) {
		const struct thread *x = &t->v[i];

		json_open(&j, NULL, '{');
		json_uint(&j, "cid", x->cid);
		json_int(&j, "tid", x->tid);
		json_int(&j, "pid", x->pid);
		json_uint(&j, "start", x->start);
		json_uint(&j, "seen", x->seen);
		json_flag(&j, "old", x->old);
		json_str(&j, "first", spent_word(x->first));
		json_str(&j, "last", spent_word(x->last));
		if (x->fd >= 0)
			json_int(&j, "fd", x->fd);
		json_uint(&j, "ran_first", x->ran_first);
		json_uint(&j, "ran", x->ran);
		json_uint(&j, "waited_first", x->waited_first);
		json_uint(&j, "waited", x->waited);
		json_close(&j, '}');
	}
	json_close(&j, ']');
	json_open(&j, "descriptors", '[');
	for (size_t i = 0; i < t->fds.n; i++) {
		json_open(&j, NULL, '{');
		json_int(&j, "pid", t->fds.v[i].pid);
		json_int(&j, "fd", t->fds.v[i].fd);
		json_str(&j, "leads", leads_word(t->fds.v[i].leads));
		if (*t->fds.v[i].far.address)
			json_str(&j, "address", t->fds.v[i].far.address);
		if (t->fds.v[i].far.cid != CTRACE_CID_UNKNOWN && t->fds.v[i].is_tcp)
			json_uint(&j, "peer", t->fds.v[i].far.cid);
		json_close(&j, '}');
	}
	json_close(&j, ']');
	json_close(&j, '}');
	json_line(&j);
}

/* 0: it is missing, or negative */
static uint64_t number(struct json_object *o, const char *key)
{
	int64_t n = names_number(o, key);

	return n > 0 ? (uint64_t)n : 0;
}

static enum spent spent_of(struct json_object *o, const char *key)
{
	const char *word = names_str(o, key);
	enum spent s = SPENT_RAN;

	while (word && s < SPENT_UNKNOWN && strcmp(word, spent_word(s)))
		s++;
	return word ? s : SPENT_UNKNOWN;
}

static void load_descriptors(struct threads *t, struct json_object *list)
{
	for (size_t i = 0; json_object_is_type(list, json_type_array) && i < json_object_array_length(list); i++) {
		struct json_object *e = json_object_array_get_idx(list, i);

		const char *address = names_str(e, "address");
		struct descriptor x = {
			.pid = (int32_t)number(e, "pid"), .fd = (int32_t)names_number(e, "fd"),
			.leads = leads_of(names_str(e, "leads")), .far.cid = CTRACE_CID_UNKNOWN,
		};

		if (names_get(e, "peer"))
			x.far.cid = (uint32_t)number(e, "peer");
		if (address)
			snprintf(x.far.address, sizeof(x.far.address), "%s", address);
		descriptors_add(&t->fds, &x);
	}
}

int threads_load(struct threads *t, const char *dir, uint32_t cid)
{
	struct json_object *o, *list;
	int err;

	o = side_load(dir, CTF_SIDE_THREADS, &err);
	if (!o)
		return err;
	list = names_get(o, "threads");
	t->looked = number(o, "looked");
	for (size_t i = 0; json_object_is_type(list, json_type_array) && i < json_object_array_length(list); i++) {
		struct json_object *e = json_object_array_get_idx(list, i);
		int32_t tid = (int32_t)number(e, "tid");
		struct thread *x;

		if (number(e, "cid") != cid || tid <= 0 || threads_find(t, cid, tid))
			continue;
		x = threads_add(t, cid, tid);
		x->pid = (int32_t)number(e, "pid");
		x->start = number(e, "start");
		x->seen = number(e, "seen");
		x->old = json_object_get_boolean(names_get(e, "old"));
		x->first = spent_of(e, "first");
		x->last = spent_of(e, "last");
		x->fd = names_get(e, "fd") ? (int32_t)number(e, "fd") : -1;
		x->ran_first = number(e, "ran_first");
		x->ran = number(e, "ran");
		x->waited_first = number(e, "waited_first");
		x->waited = number(e, "waited");
	}
	load_descriptors(t, names_get(o, "descriptors"));
	json_object_put(o);
	return 0;
}
