// SPDX-License-Identifier: LGPL-2.1-only
/* Sessions and their probes. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <netlink/attr.h>
#include <netlink/msg.h>

#include "aggregate.h"

/* NULL: out of memory. */
struct nl_msg *ctrace_session_msg(struct ctrace_session *s, int cmd)
{
	struct nl_msg *msg = ctrace_ctl_msg(s->ct, cmd, 0);
	struct nlattr *nest;

	if (!msg)
		return NULL;
	nest = nla_nest_start(msg, CTRACE_A_SESSION | NLA_F_NESTED);
	if (!nest || nla_put_u32(msg, CTRACE_A_SESSION_ID, s->id)) {
		nlmsg_free(msg);
		return NULL;
	}
	nla_nest_end(msg, nest);
	return msg;
}

/* --- making and ending ----------------------------------------------------- */

static int id_reply(struct nlattr **sets, void *arg)
{
	struct nlattr *a[CTRACE_A_SESSION_MAX + 1];
	uint32_t *id = arg;

	if (ctrace_attr_nested(a, CTRACE_A_SESSION_MAX, sets[CTRACE_A_SESSION]))
		return -EPROTO;
	*id = ctrace_attr_u32(a[CTRACE_A_SESSION_ID]);
	return *id ? 0 : -EPROTO;
}

static int text_fits(struct ctrace *ct, const char *text, const char *what, const char *which)
{
	if (!text || strlen(text) < CTRACE_TEXT_MAX)
		return 0;
	return ctrace_ctl_error(ct, -ENAMETOOLONG, "%s: a %s may have at most %u bytes", what, which,
				CTRACE_TEXT_MAX - 1);
}

static int take_opts(struct ctrace *ct, void *to, size_t size, const void *from, const char *what)
{
	int err = ctrace_opts_take(to, size, from);

	return err ? ctrace_ctl_error(ct, err, "%s: %s", what, ctrace_opts_error(err)) : 0;
}

static int put_opts(struct nl_msg *msg, const struct ctrace_session_opts *o)
{
	const char *name = o->name ? o->name : program_invocation_short_name;
	struct nlattr *nest = nla_nest_start(msg, CTRACE_A_SESSION | NLA_F_NESTED);
	char cut[64];
	int err = nest ? 0 : -1;

	/* A long name of a program is no reason to fail: cut it to what the kernel takes. */
	snprintf(cut, sizeof(cut), "%s", name ? name : "");
	if (o->arena_size)
		err |= nla_put_u64(msg, CTRACE_A_SESSION_ARENA_SIZE, o->arena_size);
	if (o->ring_size)
		err |= nla_put_u64(msg, CTRACE_A_SESSION_RING_SIZE, o->ring_size);
	if (o->subbuf_size)
		err |= nla_put_u32(msg, CTRACE_A_SESSION_SUBBUF_SIZE, o->subbuf_size);
	/* Always put one attribute: libnl takes an empty set out of the message again. */
	err |= nla_put_u32(msg, CTRACE_A_SESSION_FLAGS, o->flags);
	if (o->wakeup_ns)
		err |= nla_put_u64(msg, CTRACE_A_SESSION_WAKEUP_NS,
				   o->wakeup_ns == CTRACE_WAKEUP_AT_ONCE ? 0 : o->wakeup_ns);
	if (cut[0])
		err |= nla_put_string(msg, CTRACE_A_SESSION_NAME, cut);
	if (o->filter)
		err |= nla_put_string(msg, CTRACE_A_SESSION_FILTER, o->filter);
	if (o->rate)
		err |= nla_put_u32(msg, CTRACE_A_SESSION_RATE, o->rate);
	if (o->containers)
		err |= nla_put_u32(msg, CTRACE_A_SESSION_CONTAINERS, o->containers);
	if (o->data)
		err |= nla_put_u32(msg, CTRACE_A_SESSION_DATA, o->data);
	if (o->table_size)
		err |= nla_put_u64(msg, CTRACE_A_SESSION_TABLE_SIZE, o->table_size);
	if (o->freeze_ms)
		err |= nla_put_u32(msg, CTRACE_A_SESSION_FREEZE_MS, o->freeze_ms);
	if (!err)
		nla_nest_end(msg, nest);
	return err;
}

int ctrace_session_new(struct ctrace *ct, const struct ctrace_session_opts *opts,
		       struct ctrace_session **out)
{
	static const char what[] = "cannot make a session";
	struct ctrace_session_opts o = { .sz = sizeof(o) };
	struct ctrace_session *s;
	struct nl_msg *msg;
	int err;

	*out = NULL;
	err = opts ? take_opts(ct, &o, sizeof(o), opts, what) : 0;
	if (!err)
		err = text_fits(ct, o.filter, what, "filter");
	if (err)
		return err;
	s = calloc(1, sizeof(*s));
	if (!s)
		return ctrace_ctl_error(ct, -ENOMEM, "out of memory");

	msg = ctrace_ctl_msg(ct, CTRACE_CMD_SESSION_NEW, 0);
	if (msg && put_opts(msg, &o)) {
		nlmsg_free(msg);
		msg = NULL;
	}
	err = ctrace_ctl_call(ct, msg, what, id_reply, &s->id);
	if (!err && !s->id)
		err = ctrace_ctl_error(ct, -EPROTO,
				       "%s: the module returned no id", what);
	if (err) {
		free(s);
		return err;
	}
	s->ct = ct;
	s->next = ct->sessions;
	ct->sessions = s;
	*out = s;
	return 0;
}

void ctrace_session_free(struct ctrace_session *s)
{
	struct ctrace_session **p;

	if (!s)
		return;
	if (s->ct) {
		ctrace_ctl_call(s->ct, ctrace_session_msg(s, CTRACE_CMD_SESSION_DEL),
				"cannot end the session", NULL, NULL);
		for (p = &s->ct->sessions; *p; p = &(*p)->next)
			if (*p == s) {
				*p = s->next;
				break;
			}
	}
	free(s);
}

uint32_t ctrace_session_id(const struct ctrace_session *s)
{
	return s->id;
}

static int set_state(struct ctrace_session *s, uint32_t state, const char *what)
{
	struct nlattr *nest;
	struct nl_msg *msg;

	if (!s->ct)
		return -ESHUTDOWN;
	msg = ctrace_ctl_msg(s->ct, CTRACE_CMD_SESSION_SET, 0);
	if (msg) {
		nest = nla_nest_start(msg, CTRACE_A_SESSION | NLA_F_NESTED);
		if (!nest || nla_put_u32(msg, CTRACE_A_SESSION_ID, s->id) ||
		    nla_put_u32(msg, CTRACE_A_SESSION_STATE, state)) {
			nlmsg_free(msg);
			msg = NULL;
		} else {
			nla_nest_end(msg, nest);
		}
	}
	return ctrace_ctl_call(s->ct, msg, what, NULL, NULL);
}

int ctrace_session_start(struct ctrace_session *s)
{
	return set_state(s, CTRACE_SESSION_RECORDING, "cannot start recording");
}

int ctrace_session_stop(struct ctrace_session *s)
{
	return set_state(s, CTRACE_SESSION_STOPPED, "cannot stop recording");
}

/* --- probes ----------------------------------------------------------------- */

static int probe_reply(struct nlattr **sets, void *arg)
{
	struct nlattr *a[CTRACE_A_PROBE_MAX + 1];
	struct ctrace_aggregate_info *i = arg;

	if (ctrace_attr_nested(a, CTRACE_A_PROBE_MAX, sets[CTRACE_A_PROBE]))
		return -EPROTO;
	i->probe_id = ctrace_attr_u32(a[CTRACE_A_PROBE_ID]);
	i->event_id = ctrace_attr_u32(a[CTRACE_A_PROBE_EVENT_ID]);
	i->rows = ctrace_attr_u32(a[CTRACE_A_PROBE_ROWS]);
	i->table = ctrace_attr_u64(a[CTRACE_A_PROBE_TABLE]);
	return 0;
}

/* Ends a request with PROBE{...}: a name and its options, or, if name is NULL, an id. */
static struct nl_msg *put_probe(struct nl_msg *msg, const char *name,
				const struct ctrace_probe_opts *o, uint32_t id)
{
	struct nlattr *nest;
	int err;

	if (!msg)
		return NULL;
	nest = nla_nest_start(msg, CTRACE_A_PROBE | NLA_F_NESTED);
	err = !nest;
	if (name)
		err |= nla_put_string(msg, CTRACE_A_PROBE_NAME, name);
	else
		err |= nla_put_u32(msg, CTRACE_A_PROBE_ID, id);
	if (o && o->flags)
		err |= nla_put_u32(msg, CTRACE_A_PROBE_FLAGS, o->flags);
	if (o && o->filter)
		err |= nla_put_string(msg, CTRACE_A_PROBE_FILTER, o->filter);
	if (o && o->one_of)
		err |= nla_put_u32(msg, CTRACE_A_PROBE_ONE_OF, o->one_of);
	if (o && o->aggregate)
		err |= nla_put_string(msg, CTRACE_A_PROBE_AGGREGATE, o->aggregate);
	if (o && o->rows)
		err |= nla_put_u32(msg, CTRACE_A_PROBE_ROWS, o->rows);
	if (o && o->copy)
		err |= nla_put_u32(msg, CTRACE_A_PROBE_COPY, o->copy);
	if (o && o->freezes)
		err |= nla_put_u32(msg, CTRACE_A_PROBE_FREEZES, o->freezes);
	if (err) {
		nlmsg_free(msg);
		return NULL;
	}
	nla_nest_end(msg, nest);
	return msg;
}

/* counts: the probe must be an aggregate. */
static int probe_add(struct ctrace_session *s, const char *name, const struct ctrace_probe_opts *opts, bool counts,
		     struct ctrace_aggregate_info *i)
{
	struct ctrace_probe_opts o = { .sz = sizeof(o) };
	char what[192];
	int err;

	memset(i, 0, sizeof(*i));
	if (!s->ct)
		return -ESHUTDOWN;
	snprintf(what, sizeof(what), "cannot add probe '%.127s%s'", name,
		 strlen(name) > 127 ? "..." : "");
	err = opts ? take_opts(s->ct, &o, sizeof(o), opts, what) : 0;
	if (!err)
		err = text_fits(s->ct, name, what, "probe's name");
	if (!err)
		err = text_fits(s->ct, o.filter, what, "filter");
	if (!err)
		err = text_fits(s->ct, o.aggregate, what, "aggregate");
	if (!err && counts && !o.aggregate)
		err = ctrace_ctl_error(s->ct, -EINVAL, "%s: no aggregate is given", what);
	if (!err)
		err = ctrace_ctl_call(s->ct, put_probe(ctrace_session_msg(s, CTRACE_CMD_PROBE_ADD), name,
						       &o, 0), what, probe_reply, i);
	if (!err && counts && !i->table)
		err = ctrace_ctl_error(s->ct, -EPROTO,
			"%s: the module's answer names no table", what);
	return err;
}

int ctrace_probe_add(struct ctrace_session *s, const char *name,
		     const struct ctrace_probe_opts *opts, uint32_t *probe_id, uint32_t *event_id)
{
	struct ctrace_aggregate_info i;
	int err = probe_add(s, name, opts, false, &i);

	if (err)
		return err;
	if (probe_id)
		*probe_id = i.probe_id;
	if (event_id)
		*event_id = i.event_id;
	return 0;
}

int ctrace_aggregate_add(struct ctrace_session *s, const char *name, const struct ctrace_probe_opts *opts,
			 struct ctrace_aggregate_info *to, size_t sz)
{
	struct ctrace_aggregate_info i;
	int err = probe_add(s, name, opts, true, &i);

	ctrace_struct_give(to, sz, &i, sizeof(i));
	return err;
}

int ctrace_probe_del(struct ctrace_session *s, uint32_t probe_id)
{
	char what[64];

	if (!s->ct)
		return -ESHUTDOWN;
	snprintf(what, sizeof(what), "cannot remove probe %u", probe_id);
	return ctrace_ctl_call(s->ct,
			       put_probe(ctrace_session_msg(s, CTRACE_CMD_PROBE_DEL), NULL, NULL, probe_id),
			       what, NULL, NULL);
}
