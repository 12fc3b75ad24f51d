// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Event types and events. An event keeps the record's bytes, and decodes a field only when it is asked for:
 * most programs look at few fields of each event.
 */
#include "ctrace_py.h"

#define FIELDS_MAX	64	/* fields of a type, as in the library */

PyTypeObject *py_schema_type, *py_type_type, *py_event_type;

/* --- types ---------------------------------------------------------------------- */

/* The name of the call that a type is about, or None. */
static PyObject *call_of(const struct ctrace_event_type *t, uint32_t id)
{
	static const char *const before[] = {
		[CTRACE_CALL_ENTRY] = "syscall_entry_", [CTRACE_CALL_EXIT] = "syscall_exit_",
		[CTRACE_CALL_WHOLE] = "syscall_",
	};
	struct ctrace_id_call c = ctrace_id_call(id);
	const char *name;

	if (c.phase == CTRACE_CALL_NONE || !t)
		return py_text_or_none(NULL);
	name = strstr(t->name, before[c.phase]);
	return py_text_or_none(name ? name + strlen(before[c.phase]) : NULL);
}

/* Makes names, which is all that deallocation looks at, and index. */
static int name_fields(struct py_type *y)
{
	const struct ctrace_event_type *t = y->t;
	PyObject *number;
	uint32_t i;
	int err;

	if (!t)
		return 0;
	y->names = calloc(t->nfields + 1, sizeof(y->names[0]));
	if (!y->names)
		return -1;
	for (i = 0; i < t->nfields; i++) {
		y->names[i] = PyUnicode_InternFromString(t->fields[i].name);
		number = y->names[i] ? PyLong_FromUnsignedLong(i) : NULL;
		err = !number || PyDict_SetItem(y->index, y->names[i], number);
		Py_XDECREF(number);
		if (err)
			return -1;
	}
	return 0;
}

static PyObject *type_new(struct py_schema *s, const struct ctrace_event_type *t, uint32_t id)
{
	struct py_type *y = (struct py_type *)PyType_GenericAlloc(py_type_type, 0);

	if (!y)
		return NULL;
	Py_INCREF(s->owner);
	y->owner = s->owner;
	y->t = t;
	y->id = id;
	y->name = t ? PyUnicode_InternFromString(t->name) : PyUnicode_FromFormat("event_%u", id);
	y->syscall = call_of(t, id);
	y->index = PyDict_New();
	if (!y->name || !y->syscall || !y->index || name_fields(y)) {
		Py_DECREF(y);
		return NULL;
	}
	return (PyObject *)y;
}

PyObject *py_type_of(struct py_schema *s, uint32_t id)
{
	const struct ctrace_event_type *t = ctrace_schema_by_id(s->s, id);
	PyObject *y = s->types[id], *type;

	/* the library may have learned it, or another one of that id, since */
	if (y && ((struct py_type *)y)->t == t) {
		Py_INCREF(y);
		return y;
	}
	type = type_new(s, t, id);
	if (!type)
		return NULL;
	s->types[id] = type;
	Py_XDECREF(y);
	Py_INCREF(type);
	return type;
}

static void type_dealloc(PyObject *self)
{
	struct py_type *y = (struct py_type *)self;
	PyTypeObject *type = Py_TYPE(self);
	uint32_t i;

	for (i = 0; y->names && i < y->t->nfields; i++)
		Py_XDECREF(y->names[i]);
	free(y->names);
	Py_XDECREF(y->index);
	Py_XDECREF(y->syscall);
	Py_XDECREF(y->name);
	Py_XDECREF(y->owner);
	PyObject_Free(self);
	Py_DECREF(type);
}

static PyObject *type_system(PyObject *self, void *closure)
{
	(void)closure;
	return py_text_or_none(((struct py_type *)self)->t ? ((struct py_type *)self)->t->system : "");
}

static PyObject *type_reason(PyObject *self, void *closure)
{
	(void)closure;
	return py_text_or_none(((struct py_type *)self)->t ? ((struct py_type *)self)->t->reason : NULL);
}

static PyObject *type_source(PyObject *self, void *closure)
{
	(void)closure;
	return py_text_or_none(((struct py_type *)self)->t ? ((struct py_type *)self)->t->source : NULL);
}

static PyObject *type_definition(PyObject *self, void *closure)
{
	(void)closure;
	return py_text_or_none(((struct py_type *)self)->t ? ((struct py_type *)self)->t->definition : NULL);
}

static PyObject *type_fields(PyObject *self, void *closure)
{
	struct py_type *y = (struct py_type *)self;
	Py_ssize_t i, n = y->t ? y->t->nfields : 0;
	PyObject *all = PyTuple_New(n);

	(void)closure;
	for (i = 0; all && i < n; i++) {
		Py_INCREF(y->names[i]);
		if (PyTuple_SetItem(all, i, y->names[i]))
			Py_CLEAR(all);
	}
	return all;
}

static PyObject *type_repr(PyObject *self)
{
	return PyUnicode_FromFormat("<ctrace.EventType %U>", ((struct py_type *)self)->name);
}

static PyMemberDef type_members[] = {
	{ "id", T_UINT, offsetof(struct py_type, id), READONLY, "Number of the type; records have it." },
	{ "name", T_OBJECT, offsetof(struct py_type, name), READONLY, "sched_switch, syscall_entry_openat, ..." },
	{ "syscall", T_OBJECT, offsetof(struct py_type, syscall), READONLY,
	  "The system call that it is about, without the prefix of the event's name; else None." },
	{ NULL, 0, 0, 0, NULL },
};

static PyGetSetDef type_getset[] = {
	{ "system", type_system, NULL, "sched, syscalls, kprobes, ...", NULL },
	{ "reason", type_reason, NULL, "Why this kernel cannot give the event; None: it can.", NULL },
	{ "source", type_source, NULL, "The kernel's tracepoint, or FUNCTION(); or None.", NULL },
	{ "definition", type_definition, NULL, "Of a kprobe that was defined; or None.", NULL },
	{ "fields", type_fields, NULL, "The names of its fields, in their order.", NULL },
	{ NULL, NULL, NULL, NULL, NULL },
};

static PyType_Slot type_slots[] = {
	{ Py_tp_new, py_not_made }, { Py_tp_dealloc, type_dealloc }, { Py_tp_members, type_members }, { Py_tp_getset, type_getset },
	{ Py_tp_repr, type_repr }, { Py_tp_doc, "A type of event, as the kernel module describes it." }, { 0, NULL },
};

static PyType_Spec type_spec = {
	"ctrace._ctrace.EventType", sizeof(struct py_type), 0, Py_TPFLAGS_DEFAULT, type_slots,
};

/* --- values ---------------------------------------------------------------------- */

static PyObject *sequence(const struct ctrace_value *v)
{
	bool sign = v->field->kind == CTRACE_FK_SEQ_INT;
	PyObject *all, *one;
	uint64_t u;
	size_t i;

	if (v->field->size == 1 && !sign)
		return PyBytes_FromStringAndSize(v->seq.v, (Py_ssize_t)v->seq.n);
	all = PyTuple_New((Py_ssize_t)v->seq.n);
	for (i = 0; all && i < v->seq.n; i++) {
		u = ctrace_value_at(v, i);
		one = sign ? PyLong_FromLongLong((long long)u) : PyLong_FromUnsignedLongLong(u);
		if (!one || PyTuple_SetItem(all, (Py_ssize_t)i, one))
			Py_CLEAR(all);
	}
	return all;
}

static PyObject *value(const struct ctrace_value *v)
{
	switch (v->field->kind) {
	case CTRACE_FK_UINT:
		return PyLong_FromUnsignedLongLong(v->u);
	case CTRACE_FK_INT:
		return PyLong_FromLongLong(v->i);
	case CTRACE_FK_TEXT:
	case CTRACE_FK_STRING:
		return py_text(v->str.s, v->str.len);
	default:
		return sequence(v);
	}
}

/* The number of values; -1: an exception is set */
static int decode(struct py_event *e, struct ctrace_value *v, size_t max)
{
	const struct py_type *y = (struct py_type *)e->type;
	int n = y->t ? ctrace_decode(y->t, &e->rec, v, max) : 0;

	if (n < 0)
		py_error(n, "the record does not fit its type");
	return n;
}

/* --- events ---------------------------------------------------------------------- */

PyObject *py_event_of(struct py_schema *s, const struct ctrace_record *rec)
{
	PyObject *type = py_type_of(s, rec->id);
	struct py_event *e = type ? PyObject_NewVar(struct py_event, py_event_type, rec->len) : NULL;

	if (!e) {
		Py_XDECREF(type);
		return NULL;
	}
	e->type = type;
	memcpy(&e->rec, rec, rec->len);
	return (PyObject *)e;
}

static void event_dealloc(PyObject *self)
{
	PyTypeObject *type = Py_TYPE(self);

	Py_DECREF(((struct py_event *)self)->type);
	PyObject_Free(self);
	Py_DECREF(type);
}

/* The value of a field; NULL without an exception: there is no such field */
static PyObject *lookup(struct py_event *e, PyObject *key)
{
	struct ctrace_value v[FIELDS_MAX];
	PyObject *at = PyDict_GetItemWithError(((struct py_type *)e->type)->index, key);
	size_t i;

	if (!at)
		return NULL;
	i = PyLong_AsSize_t(at);
	if (decode(e, v, i + 1) <= (int)i)
		return NULL;
	return value(&v[i]);
}

static PyObject *event_subscript(PyObject *self, PyObject *key)
{
	PyObject *v = lookup((struct py_event *)self, key);

	if (!v && !PyErr_Occurred())
		PyErr_SetObject(PyExc_KeyError, key);
	return v;
}

static PyObject *event_get(PyObject *self, PyObject *args)
{
	PyObject *key, *otherwise = Py_None, *v;

	if (!PyArg_ParseTuple(args, "O|O", &key, &otherwise))
		return NULL;
	v = lookup((struct py_event *)self, key);
	if (v || PyErr_Occurred())
		return v;
	Py_INCREF(otherwise);
	return otherwise;
}

static int event_contains(PyObject *self, PyObject *key)
{
	return PyDict_Contains(((struct py_type *)((struct py_event *)self)->type)->index, key);
}

static PyObject *event_fields(PyObject *self, void *closure)
{
	struct py_event *e = (struct py_event *)self;
	struct ctrace_value v[FIELDS_MAX];
	int i, n = decode(e, v, FIELDS_MAX);
	PyObject *d = n < 0 ? NULL : PyDict_New(), *one;

	(void)closure;
	for (i = 0; d && i < n; i++) {
		one = value(&v[i]);
		if (!one || PyDict_SetItem(d, ((struct py_type *)e->type)->names[i], one))
			Py_CLEAR(d);
		Py_XDECREF(one);
	}
	return d;
}

static PyObject *event_name(PyObject *self, void *closure)
{
	PyObject *name = ((struct py_type *)((struct py_event *)self)->type)->name;

	(void)closure;
	Py_INCREF(name);
	return name;
}

static PyObject *event_syscall(PyObject *self, void *closure)
{
	PyObject *name = ((struct py_type *)((struct py_event *)self)->type)->syscall;

	(void)closure;
	Py_INCREF(name);
	return name;
}

static PyObject *event_raw(PyObject *self, void *closure)
{
	struct py_event *e = (struct py_event *)self;

	(void)closure;
	return PyBytes_FromStringAndSize((const char *)&e->rec, e->rec.len);
}

static PyObject *event_repr(PyObject *self)
{
	struct py_event *e = (struct py_event *)self;
	unsigned long long t = e->rec.time;
	PyObject *fields = event_fields(self, NULL), *s;

	if (!fields)
		return NULL;
	s = PyUnicode_FromFormat("%llu.%09llu %U cid=%u tid=%d vtid=%d %R", t / 1000000000, t % 1000000000,
				 ((struct py_type *)e->type)->name, e->rec.cid, e->rec.tid, e->rec.vtid, fields);
	Py_DECREF(fields);
	return s;
}

#define REC(member)	offsetof(struct py_event, rec.member)
static PyMemberDef event_members[] = {
	{ "time", T_ULONGLONG, REC(time), READONLY, "CLOCK_MONOTONIC, ns" },
	{ "id", T_USHORT, REC(id), READONLY, "Number of the type." },
	{ "cid", T_UINT, REC(cid), READONLY, "The container's number; 0: the host." },
	{ "tid", T_INT, REC(tid), READONLY, "The thread, as the host numbers it." },
	{ "vtid", T_INT, REC(vtid), READONLY, "The thread, as its container numbers it." },
	{ "type", T_OBJECT, offsetof(struct py_event, type), READONLY, "Its ctrace.EventType." },
	{ NULL, 0, 0, 0, NULL },
};

static PyGetSetDef event_getset[] = {
	{ "name", event_name, NULL, "The name of its type.", NULL },
	{ "syscall", event_syscall, NULL, "The system call that it is about, or None.", NULL },
	{ "fields", event_fields, NULL, "All fields, as a dictionary.", NULL },
	{ "raw", event_raw, NULL, "The bytes of the record (struct ctrace_record and what follows).", NULL },
	{ NULL, NULL, NULL, NULL, NULL },
};

static PyMethodDef event_methods[] = {
	{ "get", event_get, METH_VARARGS, "get(field, default=None): the field's value, if the event has it." },
	{ NULL, NULL, 0, NULL },
};

static PyType_Slot event_slots[] = {
	{ Py_tp_new, py_not_made }, { Py_tp_dealloc, event_dealloc }, { Py_tp_members, event_members }, { Py_tp_getset, event_getset },
	{ Py_tp_methods, event_methods }, { Py_mp_subscript, event_subscript }, { Py_sq_contains, event_contains },
	{ Py_tp_repr, event_repr }, { Py_tp_doc, "An event: event[field], event.get(field), field in event." }, { 0, NULL },
};

static PyType_Spec event_spec = {
	"ctrace._ctrace.Event", offsetof(struct py_event, rec), 1, Py_TPFLAGS_DEFAULT, event_slots,
};

int py_events_init(PyObject *module)
{
	py_type_type = py_add_type(module, &type_spec);
	py_event_type = py_type_type ? py_add_type(module, &event_spec) : NULL;
	return py_event_type ? py_schema_init(module) : -1;
}
