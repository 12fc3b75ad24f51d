// SPDX-License-Identifier: LGPL-2.1-only
/* The types of events that a module has; or, for files and tests, those that a program describes. */
#include "ctrace_py.h"

static struct ctrace *connection_of(struct py_schema *s)
{
	return s->connection ? ((struct py_connection *)s->connection)->ct : NULL;
}

static void free_schema(PyObject *capsule)
{
	ctrace_schema_free(PyCapsule_GetPointer(capsule, NULL));
}

static PyObject *new(PyTypeObject *type, PyObject *args, PyObject *kw)
{
	static char *names[] = { "connection", NULL };
	PyObject *connection = NULL;
	struct py_schema *s;
	struct ctrace *ct;
	int err;

	if (!PyArg_ParseTupleAndKeywords(args, kw, "|O!", names, py_connection_type, &connection))
		return NULL;
	s = (struct py_schema *)PyType_GenericAlloc(type, 0);
	if (!s)
		return NULL;
	Py_XINCREF(connection);
	s->connection = connection;
	s->types = calloc(CTRACE_PY_IDS, sizeof(s->types[0]));
	if (!s->types) {
		Py_DECREF(s);
		return PyErr_NoMemory();
	}
	ct = connection_of(s);
	if (ct)
		err = ctrace_schema_get(ct, &s->s);
	else
		err = connection ? -ESHUTDOWN : (s->s = ctrace_schema_new()) ? 0 : -ENOMEM;
	if (err) {
		py_error(err, ct ? ctrace_errmsg(ct) : "the connection is closed");
		Py_DECREF(s);
		return NULL;
	}
	s->owner = PyCapsule_New(s->s, NULL, free_schema);
	if (!s->owner) {
		ctrace_schema_free(s->s);
		Py_DECREF(s);
		return NULL;
	}
	return (PyObject *)s;
}

static void dealloc(PyObject *self)
{
	struct py_schema *s = (struct py_schema *)self;
	PyTypeObject *type = Py_TYPE(self);
	uint32_t i;

	for (i = 0; s->types && i < CTRACE_PY_IDS; i++)
		Py_XDECREF(s->types[i]);
	free(s->types);
	Py_XDECREF(s->owner);
	Py_XDECREF(s->connection);
	PyObject_Free(self);
	Py_DECREF(type);
}

static PyObject *refresh(PyObject *self, PyObject *none)
{
	struct py_schema *s = (struct py_schema *)self;
	struct ctrace *ct = connection_of(s);
	int err;

	(void)none;
	if (!ct)
		return py_error(-ESHUTDOWN, "the connection is closed");
	err = ctrace_schema_refresh(ct, s->s);
	if (err)
		return py_error(err, ctrace_errmsg(ct));
	Py_RETURN_NONE;
}

static PyObject *types(PyObject *self, PyObject *none)
{
	struct py_schema *s = (struct py_schema *)self;
	const struct ctrace_event_type *t;
	PyObject *list = PyList_New(0), *one;
	size_t i;

	(void)none;
	for (i = 0; list && (t = ctrace_schema_at(s->s, i)); i++) {
		one = py_type_of(s, t->id);
		if (!one || PyList_Append(list, one))
			Py_CLEAR(list);
		Py_XDECREF(one);
	}
	return list;
}

static PyObject *by_name(PyObject *self, PyObject *args)
{
	struct py_schema *s = (struct py_schema *)self;
	const struct ctrace_event_type *t;
	const char *name;

	if (!PyArg_ParseTuple(args, "s", &name))
		return NULL;
	t = ctrace_schema_by_name(s->s, name);
	if (!t)
		Py_RETURN_NONE;
	return py_type_of(s, t->id);
}

static PyObject *by_id(PyObject *self, PyObject *args)
{
	unsigned short id;

	if (!PyArg_ParseTuple(args, "H", &id))
		return NULL;
	return py_type_of((struct py_schema *)self, id);
}

#define FIELDS_MAX	64

/* add(id, name, [(name, kind, size)], system=""): the texts live as long as the arguments, and are copied. */
static PyObject *add(PyObject *self, PyObject *args)
{
	struct py_schema *s = (struct py_schema *)self;
	struct ctrace_field f[FIELDS_MAX] = { { 0 } };
	struct ctrace_event_type t = { .fields = f };
	Py_ssize_t i, n;
	PyObject *fields;
	int err;

	if (!PyArg_ParseTuple(args, "O&sO!|s", py_u32, &t.id, &t.name, &PyTuple_Type, &fields, &t.system))
		return NULL;
	n = PyTuple_Size(fields);
	if (n > FIELDS_MAX)
		return py_error(-EINVAL, "a type has at most 64 fields");
	for (i = 0; i < n; i++)
		if (!PyArg_ParseTuple(PyTuple_GetItem(fields, i), "sO&O&", &f[i].name, py_u32, &f[i].kind,
				      py_u32, &f[i].size))
			return NULL;
	t.nfields = (uint32_t)n;
	err = ctrace_schema_add(s->s, &t, sizeof(t));
	if (err)
		return py_error(err, "this is no valid type of event");
	return py_type_of(s, t.id);
}

/*
 * event(bytes): the event of a record. Its length is checked here; what is in it, when a field is asked for.
 */
static PyObject *event(PyObject *self, PyObject *args)
{
	union { struct ctrace_record rec; char bytes[CTRACE_RECORD_MAX]; } u;
	const char *bytes;
	Py_ssize_t len;

	if (!PyArg_ParseTuple(args, "y#", &bytes, &len))
		return NULL;
	if (len < (Py_ssize_t)sizeof(u.rec) || len > (Py_ssize_t)sizeof(u))
		return py_error(-EBADMSG, "a record has 24 to 2048 bytes");
	memcpy(u.bytes, bytes, (size_t)len);
	if (u.rec.len != len)
		return py_error(-EBADMSG, "the record's length is not that of its bytes");
	return py_event_of((struct py_schema *)self, &u.rec);
}

static PyMethodDef methods[] = {
	{ "refresh", refresh, METH_NOARGS, NULL },
	{ "types", types, METH_NOARGS, NULL },
	{ "by_name", by_name, METH_VARARGS, NULL },
	{ "by_id", by_id, METH_VARARGS, NULL },
	{ "add", add, METH_VARARGS, NULL },
	{ "event", event, METH_VARARGS, NULL },
	{ NULL, NULL, 0, NULL },
};

static PyType_Slot slots[] = {
	{ Py_tp_new, new }, { Py_tp_dealloc, dealloc }, { Py_tp_methods, methods }, { 0, NULL },
};

static PyType_Spec spec = {
	"ctrace._ctrace.Schema", sizeof(struct py_schema), 0, Py_TPFLAGS_DEFAULT, slots,
};

int py_schema_init(PyObject *module)
{
	py_schema_type = py_add_type(module, &spec);
	return py_schema_type ? 0 : -1;
}
