// SPDX-License-Identifier: LGPL-2.1-only
/* A session: its options, probes and targets. */
#include "ctrace_py.h"

PyTypeObject *py_session_type;

static struct ctrace *connection_of(struct py_session *s)
{
	return ((struct py_connection *)s->connection)->ct;
}

/* An error of a call on the session. */
static PyObject *failed(struct py_session *s, int err)
{
	struct ctrace *ct = connection_of(s);

	return py_error(err, ct ? ctrace_errmsg(ct) : "the connection of the session is closed");
}

static bool is_open(struct py_session *s)
{
	if (!s->s)
		py_error(-ESHUTDOWN, "the session is closed");
	return s->s;
}

static PyObject *new(PyTypeObject *type, PyObject *args, PyObject *kw)
{
	static char *names[] = { "connection", "arena_size", "ring_size", "subbuf_size", "flags", "wakeup_ns", "name",
				 "filter", "rate", "containers", "data", "table_size", "freeze_ms", NULL };
	unsigned long long arena = 0, ring = 0, wakeup = 0, table = 0;
	struct ctrace_session_opts o = { .sz = sizeof(o) };
	PyObject *connection;
	struct py_session *s;
	struct ctrace *ct;
	int err;

	if (!PyArg_ParseTupleAndKeywords(args, kw, "O!|$O&O&O&O&O&zzO&O&O&O&O&", names,
					 py_connection_type, &connection,
					 py_u64, &arena, py_u64, &ring, py_u32, &o.subbuf_size, py_u32, &o.flags, py_u64, &wakeup,
					 &o.name, &o.filter, py_u32, &o.rate, py_u32, &o.containers, py_u32, &o.data,
					 py_u64, &table, py_u32, &o.freeze_ms))
		return NULL;
	o.arena_size = arena;
	o.ring_size = ring;
	o.wakeup_ns = wakeup;
	o.table_size = table;
	ct = ((struct py_connection *)connection)->ct;
	if (!ct)
		return py_error(-ESHUTDOWN, "the connection is closed");
	s = (struct py_session *)PyType_GenericAlloc(type, 0);
	if (!s)
		return NULL;
	Py_INCREF(connection);
	s->connection = connection;
	err = ctrace_session_new(ct, &o, &s->s);
	if (err) {
		s->s = NULL;
		failed(s, err);
		Py_DECREF(s);
		return NULL;
	}
	return (PyObject *)s;
}

static PyObject *shut(PyObject *self, PyObject *none)
{
	struct py_session *s = (struct py_session *)self;

	(void)none;
	ctrace_session_free(s->s);
	s->s = NULL;
	Py_RETURN_NONE;
}

static void dealloc(PyObject *self)
{
	struct py_session *s = (struct py_session *)self;
	PyTypeObject *type = Py_TYPE(self);

	ctrace_session_free(s->s);
	Py_XDECREF(s->connection);
	PyObject_Free(self);
	Py_DECREF(type);
}

static PyObject *id(PyObject *self, void *closure)
{
	struct py_session *s = (struct py_session *)self;

	(void)closure;
	return is_open(s) ? PyLong_FromUnsignedLong(ctrace_session_id(s->s)) : NULL;
}

static PyObject *done(struct py_session *s, int err)
{
	if (err)
		return failed(s, err);
	Py_RETURN_NONE;
}

static PyObject *start(PyObject *self, PyObject *none)
{
	struct py_session *s = (struct py_session *)self;

	(void)none;
	return is_open(s) ? done(s, ctrace_session_start(s->s)) : NULL;
}

static PyObject *stop(PyObject *self, PyObject *none)
{
	struct py_session *s = (struct py_session *)self;

	(void)none;
	return is_open(s) ? done(s, ctrace_session_stop(s->s)) : NULL;
}

/* (probe_id, event_id, rows, table) */
static PyObject *add_probe(PyObject *self, PyObject *args, PyObject *kw)
{
	static char *names[] = {
		"name", "filter", "flags", "one_of", "aggregate", "rows", "copy", "freezes", NULL
	};
	struct ctrace_probe_opts o = { .sz = sizeof(o) };
	struct py_session *s = (struct py_session *)self;
	struct ctrace_aggregate_info i = { 0 };
	const char *name;
	int err;

	if (!PyArg_ParseTupleAndKeywords(args, kw, "s|$zO&O&zO&O&O&", names, &name, &o.filter, py_u32, &o.flags,
					 py_u32, &o.one_of, &o.aggregate, py_u32, &o.rows, py_u32, &o.copy, py_u32,
					 &o.freezes) || !is_open(s))
		return NULL;
	err = o.aggregate ? ctrace_aggregate_add(s->s, name, &o, &i, sizeof(i)) :
			    ctrace_probe_add(s->s, name, &o, &i.probe_id, &i.event_id);
	if (err)
		return failed(s, err);
	return Py_BuildValue("IIIK", i.probe_id, i.event_id, i.rows, (unsigned long long)i.table);
}

/* Calls fn with the session and one number: of a probe, a target or a container. */
static PyObject *by_number(PyObject *self, PyObject *args, int (*fn)(struct ctrace_session *, uint32_t))
{
	struct py_session *s = (struct py_session *)self;
	unsigned int number;

	if (!PyArg_ParseTuple(args, "O&", py_u32, &number) || !is_open(s))
		return NULL;
	return done(s, fn(s->s, number));
}

static PyObject *del_probe(PyObject *self, PyObject *args)
{
	return by_number(self, args, ctrace_probe_del);
}

static PyObject *del_target(PyObject *self, PyObject *args)
{
	return by_number(self, args, ctrace_target_del);
}

static PyObject *thaw(PyObject *self, PyObject *args)
{
	return by_number(self, args, ctrace_session_thaw);
}

static PyObject *add_target(PyObject *self, PyObject *args, PyObject *kw)
{
	static char *names[] = { "kind", "cid", "pid", "cgroup", "exclude", NULL };
	struct ctrace_target t = { .sz = sizeof(t) };
	struct py_session *s = (struct py_session *)self;
	PyObject *cgroup = NULL;
	int err, exclude = 0;
	unsigned int kind;
	uint32_t target;

	if (!PyArg_ParseTupleAndKeywords(args, kw, "O&|$O&O&O&p", names, py_u32, &kind, py_u32, &t.cid, py_u32, &t.pid,
					 PyUnicode_FSConverter, &cgroup, &exclude))
		return NULL;
	t.kind = kind;
	t.exclude = exclude;
	t.cgroup = cgroup ? PyBytes_AsString(cgroup) : NULL;
	err = is_open(s) ? ctrace_target_add(s->s, &t, &target) : 1;
	Py_XDECREF(cgroup);
	if (err > 0)
		return NULL;
	return err ? failed(s, err) : PyLong_FromUnsignedLong(target);
}

static PyObject *let_go(PyObject *self, PyObject *args)
{
	struct py_session *s = (struct py_session *)self;
	unsigned int target, cid;

	if (!PyArg_ParseTuple(args, "O&O&", py_u32, &target, py_u32, &cid) || !is_open(s))
		return NULL;
	return done(s, ctrace_target_let_go(s->s, target, cid));
}

static int add_frozen(const struct ctrace_frozen_info *i, void *list)
{
	unsigned long long time = i->time;
	PyObject *one = Py_BuildValue("(IKIiI)", i->cid, time, i->event_id, i->tid, i->left_ms);
	int err = one ? PyList_Append(list, one) : -1;

	Py_XDECREF(one);
	return err ? 1 : 0;
}

/* [(cid, time, event_id, tid, left_ms)] */
static PyObject *frozen(PyObject *self, PyObject *none)
{
	struct py_session *s = (struct py_session *)self;
	PyObject *list;
	int err;

	(void)none;
	if (!is_open(s))
		return NULL;
	list = PyList_New(0);
	if (!list)
		return NULL;
	err = ctrace_session_frozen(s->s, add_frozen, list);
	if (err) {
		Py_DECREF(list);
		/* 1: add_frozen() has set an exception */
		return err > 0 ? NULL : failed(s, err);
	}
	return list;
}

static PyObject *losses(PyObject *self, PyObject *none)
{
	struct py_session *s = (struct py_session *)self;
	struct ctrace_session_losses l;
	int err;

	(void)none;
	if (!is_open(s))
		return NULL;
	err = ctrace_session_losses(s->s, &l, sizeof(l));
	if (err)
		return failed(s, err);
	return Py_BuildValue("{s:K,s:K,s:K,s:K,s:K}", "missed", (unsigned long long)l.missed, "unfollowed",
		(unsigned long long)l.unfollowed, "unfollowed_tasks", (unsigned long long)l.unfollowed_tasks, "limited",
		(unsigned long long)l.limited, "unread", (unsigned long long)l.unread);
}

static PyMethodDef methods[] = {
	{ "close", shut, METH_NOARGS, NULL },
	{ "start", start, METH_NOARGS, NULL },
	{ "stop", stop, METH_NOARGS, NULL },
	{ "add_probe", (PyCFunction)(void (*)(void))add_probe, METH_VARARGS | METH_KEYWORDS, NULL },
	{ "del_probe", del_probe, METH_VARARGS, NULL },
	{ "add_target", (PyCFunction)(void (*)(void))add_target, METH_VARARGS | METH_KEYWORDS, NULL },
	{ "del_target", del_target, METH_VARARGS, NULL },
	{ "let_go", let_go, METH_VARARGS, NULL },
	{ "frozen", frozen, METH_NOARGS, NULL },
	{ "thaw", thaw, METH_VARARGS, NULL },
	{ "losses", losses, METH_NOARGS, NULL },
	{ NULL, NULL, 0, NULL },
};

static PyGetSetDef getset[] = {
	{ "id", id, NULL, NULL, NULL },
	{ NULL, NULL, NULL, NULL, NULL },
};

static PyType_Slot slots[] = {
	{ Py_tp_new, new }, { Py_tp_dealloc, dealloc }, { Py_tp_methods, methods }, { Py_tp_getset, getset }, { 0, NULL },
};

static PyType_Spec spec = {
	"ctrace._ctrace.Session", sizeof(struct py_session), 0, Py_TPFLAGS_DEFAULT, slots,
};

int py_session_init(PyObject *module)
{
	py_session_type = py_add_type(module, &spec);
	return py_session_type ? 0 : -1;
}
