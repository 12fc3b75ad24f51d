// SPDX-License-Identifier: LGPL-2.1-only
/* A connection to the module: what it knows, as dictionaries with the names of libctrace.h's members. */
#include "ctrace_py.h"

PyTypeObject *py_connection_type;

static PyObject *failed(struct py_connection *c, int err)
{
	return py_error(err, ctrace_errmsg(c->ct));
}

/* false, and an exception is set: the connection is closed */
static bool is_open(struct py_connection *c)
{
	if (!c->ct)
		py_error(-ESHUTDOWN, "the connection is closed");
	return c->ct;
}

static PyObject *new(PyTypeObject *type, PyObject *args, PyObject *kw)
{
	static char *names[] = { NULL };
	struct py_connection *c;
	struct ctrace *ct;
	int err;

	if (!PyArg_ParseTupleAndKeywords(args, kw, "", names))
		return NULL;
	err = ctrace_open(&ct);
	if (err) {
		py_error(err, ctrace_errmsg(ct));
		ctrace_close(ct);
		return NULL;
	}
	c = (struct py_connection *)PyType_GenericAlloc(type, 0);
	if (!c) {
		ctrace_close(ct);
		return NULL;
	}
	c->ct = ct;
	return (PyObject *)c;
}

static PyObject *shut(PyObject *self, PyObject *none)
{
	struct py_connection *c = (struct py_connection *)self;

	(void)none;
	if (c->ct)
		ctrace_close(c->ct);
	c->ct = NULL;
	Py_RETURN_NONE;
}

static void dealloc(PyObject *self)
{
	PyTypeObject *type = Py_TYPE(self);

	if (((struct py_connection *)self)->ct)
		ctrace_close(((struct py_connection *)self)->ct);
	PyObject_Free(self);
	Py_DECREF(type);
}

static PyObject *info(PyObject *self, PyObject *none)
{
	struct py_connection *c = (struct py_connection *)self;
	struct ctrace_info i;
	int err;

	(void)none;
	if (!is_open(c))
		return NULL;
	err = ctrace_info(c->ct, &i, sizeof(i));
	if (err)
		return failed(c, err);
	return Py_BuildValue("{s:s,s:I,s:I,s:I,s:I,s:I,s:K,s:K}", "version", i.version, "abi", i.abi,
		"abi_compat", i.abi_compat, "containers", i.containers, "sessions", i.sessions, "cgroup_mode",
		i.cgroup_mode, "features", (unsigned long long)i.features, "unknown", (unsigned long long)i.unknown);
}

/* --- lists -------------------------------------------------------------------- */

/* Appends item, which may be NULL: an exception is set then. The result ends or continues a walk. */
static int append(void *list, PyObject *item)
{
	int err = !item || PyList_Append(list, item);

	Py_XDECREF(item);
	return err;
}

static PyObject *container_py(const struct ctrace_container *c)
{
	return Py_BuildValue("{s:I,s:I,s:I,s:I,s:I,s:N,s:K,s:I,s:K,s:K,s:N,s:N,s:O,s:O}", "cid", c->cid, "parent",
		c->parent, "hierarchy", c->hierarchy, "pid_ns", c->pidns, "init_pid", c->init_pid, "runtime",
		py_text(c->runtime, strlen(c->runtime)), "cgroup_id", (unsigned long long)c->cgroup_id, "flags", c->flags,
		"first_seen", (unsigned long long)c->first_seen, "gone", (unsigned long long)c->gone, "id",
		py_text(c->runtime_id, strlen(c->runtime_id)), "cgroup", py_text(c->path, strlen(c->path)),
		"dead", c->flags & CTRACE_CONTAINER_F_DEAD ? Py_True : Py_False,
		"host_pid", c->flags & CTRACE_CONTAINER_F_HOSTPID ? Py_True : Py_False);
}

static int on_container(const struct ctrace_container *c, void *list)
{
	return append(list, container_py(c));
}

static int on_birth(const struct ctrace_container *c, bool born, void *list)
{
	return append(list, Py_BuildValue("NO", container_py(c), born ? Py_True : Py_False));
}

static int on_tracepoint(const char *name, void *list)
{
	return append(list, PyUnicode_FromString(name));
}

static int on_session(const struct ctrace_session_info *i, void *list)
{
	return append(list, Py_BuildValue("{s:I,s:N,s:O,s:I,s:I,s:K,s:K,s:K,s:K,s:K}", "id", i->id, "name",
		py_text(i->name, strlen(i->name)), "recording",
		i->state == CTRACE_SESSION_RECORDING ? Py_True : Py_False, "owner", i->owner, "probes", i->probes,
		"arena_size", (unsigned long long)i->arena_size, "ring_size", (unsigned long long)i->ring_size, "events",
		(unsigned long long)i->events, "table_size", (unsigned long long)i->table_size, "table_used",
		(unsigned long long)i->table_used));
}

/* What a walk gave. A result > 0 of it: a callback has set an exception. */
static PyObject *walked(struct py_connection *c, PyObject *list, int err)
{
	if (!err)
		return list;
	Py_DECREF(list);
	return err < 0 ? failed(c, err) : NULL;
}

static PyObject *containers(PyObject *self, PyObject *none)
{
	struct py_connection *c = (struct py_connection *)self;
	PyObject *list = is_open(c) ? PyList_New(0) : NULL;

	(void)none;
	return list ? walked(c, list, ctrace_container_each(c->ct, on_container, list)) : NULL;
}

static PyObject *tracepoints(PyObject *self, PyObject *none)
{
	struct py_connection *c = (struct py_connection *)self;
	PyObject *list = is_open(c) ? PyList_New(0) : NULL;

	(void)none;
	return list ? walked(c, list, ctrace_tracepoint_each(c->ct, on_tracepoint, list)) : NULL;
}

static PyObject *sessions(PyObject *self, PyObject *none)
{
	struct py_connection *c = (struct py_connection *)self;
	PyObject *list = is_open(c) ? PyList_New(0) : NULL;

	(void)none;
	return list ? walked(c, list, ctrace_session_each(c->ct, on_session, list)) : NULL;
}

/* --- births and deaths ----------------------------------------------------------- */

static PyObject *subscribe(PyObject *self, PyObject *none)
{
	struct py_connection *c = (struct py_connection *)self;
	int fd;

	(void)none;
	if (!is_open(c))
		return NULL;
	fd = ctrace_container_subscribe(c->ct, on_birth, NULL);
	return fd < 0 ? failed(c, fd) : PyLong_FromLong(fd);
}

/* [(container, born)]; of each call another list, so the callback's argument is set anew. */
static PyObject *notices(PyObject *self, PyObject *none)
{
	struct py_connection *c = (struct py_connection *)self;
	PyObject *list = is_open(c) ? PyList_New(0) : NULL;
	int got;

	(void)none;
	if (!list)
		return NULL;
	got = ctrace_container_subscribe(c->ct, on_birth, list);
	if (got >= 0)
		got = ctrace_container_dispatch(c->ct);
	if (got >= 0 && PyErr_Occurred())
		return walked(c, list, 1);
	return walked(c, list, got < 0 ? got : 0);
}

/* --- definitions ------------------------------------------------------------------- */

static PyObject *define(PyObject *self, PyObject *args)
{
	struct py_connection *c = (struct py_connection *)self;
	const char *text;
	unsigned int flags = 0;
	uint32_t id;
	int err;

	if (!PyArg_ParseTuple(args, "s|O&", &text, py_u32, &flags) || !is_open(c))
		return NULL;
	err = ctrace_event_define(c->ct, text, flags, &id);
	return err ? failed(c, err) : PyLong_FromUnsignedLong(id);
}

static PyObject *undefine(PyObject *self, PyObject *args)
{
	struct py_connection *c = (struct py_connection *)self;
	const char *name;
	int err;

	if (!PyArg_ParseTuple(args, "s", &name) || !is_open(c))
		return NULL;
	err = ctrace_event_undefine(c->ct, name);
	if (err)
		return failed(c, err);
	Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
	{ "close", shut, METH_NOARGS, NULL },
	{ "info", info, METH_NOARGS, NULL },
	{ "containers", containers, METH_NOARGS, NULL },
	{ "tracepoints", tracepoints, METH_NOARGS, NULL },
	{ "sessions", sessions, METH_NOARGS, NULL },
	{ "subscribe", subscribe, METH_NOARGS, NULL },
	{ "notices", notices, METH_NOARGS, NULL },
	{ "define", define, METH_VARARGS, NULL },
	{ "undefine", undefine, METH_VARARGS, NULL },
	{ NULL, NULL, 0, NULL },
};

static PyType_Slot slots[] = {
	{ Py_tp_new, new },
	{ Py_tp_dealloc, dealloc },
	{ Py_tp_methods, methods },
	{ 0, NULL },
};

static PyType_Spec spec = {
	"ctrace._ctrace.Connection", sizeof(struct py_connection), 0, Py_TPFLAGS_DEFAULT, slots,
};

int py_connection_init(PyObject *module)
{
	py_connection_type = py_add_type(module, &spec);
	return py_connection_type ? 0 : -1;
}
