// SPDX-License-Identifier: LGPL-2.1-only
/* Tables of events that the kernel counts, and looks at them. */
#include "ctrace_py.h"

PyTypeObject *py_aggregate_type, *py_look_type;

struct py_aggregate {
	PyObject_HEAD
	struct py_reader *reader;
	struct ctrace_aggregate *a;
};

struct py_look {
	PyObject_HEAD
	struct py_aggregate *of;
	struct ctrace_look *l;
};

/* --- tables ----------------------------------------------------------------------- */

static PyObject *aggregate_new(PyTypeObject *type, PyObject *args, PyObject *kw)
{
	static char *names[] = { "reader", "table", NULL };
	struct py_aggregate *g;
	struct py_reader *r;
	PyObject *reader;
	unsigned long long table;
	int err;

	if (!PyArg_ParseTupleAndKeywords(args, kw, "O!K", names, py_reader_type, &reader, &table))
		return NULL;
	r = (struct py_reader *)reader;
	if (r->closed)
		return py_error(-ESHUTDOWN, "the reader is closed");
	g = (struct py_aggregate *)PyType_GenericAlloc(type, 0);
	if (!g)
		return NULL;
	err = ctrace_aggregate_open(r->r, table, &g->a);
	if (err) {
		g->a = NULL;
		Py_DECREF(g);
		return py_error(err, "there is no table that this library understands");
	}
	Py_INCREF(reader);
	r->users++;
	g->reader = r;
	return (PyObject *)g;
}

static void aggregate_dealloc(PyObject *self)
{
	struct py_aggregate *g = (struct py_aggregate *)self;
	PyTypeObject *type = Py_TYPE(self);

	ctrace_aggregate_close(g->a);
	if (g->reader)
		py_reader_put(g->reader);
	PyObject_Free(self);
	Py_DECREF(type);
}

static PyObject *names_of(const struct ctrace_table_column *c, uint32_t n)
{
	PyObject *all = PyTuple_New(n), *one;
	uint32_t i;

	for (i = 0; all && i < n; i++) {
		one = py_text(c[i].name, strlen(c[i].name));
		if (!one || PyTuple_SetItem(all, i, one))
			Py_CLEAR(all);
	}
	return all;
}

/* (names of keys, names of values) */
static PyObject *columns(PyObject *self, PyObject *none)
{
	const struct ctrace_table *t = ctrace_aggregate_table(((struct py_aggregate *)self)->a);

	(void)none;
	return Py_BuildValue("NN", names_of(t->keys, t->nkeys), names_of(t->values, t->nvalues));
}

/* Takes l over. */
static PyObject *look_of(struct py_aggregate *g, struct ctrace_look *l)
{
	struct py_look *look = (struct py_look *)PyType_GenericAlloc(py_look_type, 0);

	if (!look) {
		ctrace_look_free(l);
		return NULL;
	}
	Py_INCREF(g);
	look->of = g;
	look->l = l;
	return (PyObject *)look;
}

static PyObject *take(PyObject *self, PyObject *none)
{
	struct py_aggregate *g = (struct py_aggregate *)self;
	struct ctrace_look *l;
	int err = ctrace_look_take(g->a, &l);

	(void)none;
	return err ? py_error(err, "cannot look at the table") : look_of(g, l);
}

static PyMethodDef aggregate_methods[] = {
	{ "columns", columns, METH_NOARGS, NULL },
	{ "take", take, METH_NOARGS, NULL },
	{ NULL, NULL, 0, NULL },
};

static PyType_Slot aggregate_slots[] = {
	{ Py_tp_new, aggregate_new }, { Py_tp_dealloc, aggregate_dealloc }, { Py_tp_methods, aggregate_methods }, { 0, NULL },
};

static PyType_Spec aggregate_spec = {
	"ctrace._ctrace.Aggregate", sizeof(struct py_aggregate), 0, Py_TPFLAGS_DEFAULT, aggregate_slots,
};

/* --- looks ------------------------------------------------------------------------ */

static void look_dealloc(PyObject *self)
{
	struct py_look *k = (struct py_look *)self;
	PyTypeObject *type = Py_TYPE(self);

	ctrace_look_free(k->l);
	Py_XDECREF(k->of);
	PyObject_Free(self);
	Py_DECREF(type);
}

static PyObject *number(uint64_t u, bool is_signed)
{
	return is_signed ? PyLong_FromLongLong((long long)u) : PyLong_FromUnsignedLongLong(u);
}

static PyObject *stack(const struct py_look *k, const struct ctrace_look_row *row, uint32_t c)
{
	uint32_t n, i;
	const uint64_t *frames = ctrace_row_stack(k->l, row, c, &n);
	PyObject *all = PyTuple_New(frames ? n : 0), *one;

	for (i = 0; all && frames && i < n; i++) {
		one = PyLong_FromUnsignedLongLong(frames[i]);
		if (!one || PyTuple_SetItem(all, i, one))
			Py_CLEAR(all);
	}
	return all;
}

/* The name of the call whose whole form has this id. */
static PyObject *call_name(const struct py_look *k, uint64_t id)
{
	struct py_type *y;
	PyObject *name;

	if (id >= CTRACE_PY_IDS)
		return PyLong_FromUnsignedLongLong(id);
	y = (struct py_type *)py_type_of((struct py_schema *)k->of->reader->schema, (uint32_t)id);
	if (!y)
		return NULL;
	name = y->syscall == Py_None ? y->name : y->syscall;
	Py_INCREF(name);
	Py_DECREF(y);
	return name;
}

static PyObject *key(const struct py_look *k, const struct ctrace_look_row *row, uint32_t i,
		     const struct ctrace_table_column *c)
{
	const char *s;
	size_t len;

	switch (c->kind) {
	case CTRACE_TABLE_KEY_TEXT:
		s = ctrace_row_text(k->l, row, i, &len);
		return py_text(s, len);
	case CTRACE_TABLE_KEY_STACK:
	case CTRACE_TABLE_KEY_USTACK:
		return stack(k, row, i);
	case CTRACE_TABLE_KEY_SYSCALL:
		return call_name(k, row->key[c->at]);
	default:
		return number(row->key[c->at], c->is_signed);
	}
}

static PyObject *value(const struct ctrace_look_row *row, const struct ctrace_table_column *c, const uint64_t *none)
{
	const uint64_t *v = row->values + c->at;

	switch (c->kind) {
	case CTRACE_TABLE_MIN:
	case CTRACE_TABLE_MAX:
		return v[0] == none[c->at] ? py_text_or_none(NULL) : number(v[0], c->is_signed);
	case CTRACE_TABLE_AVG:
		if (!v[1])
			return py_text_or_none(NULL);
		return PyFloat_FromDouble((c->is_signed ? (double)(int64_t)v[0] : (double)v[0]) / (double)v[1]);
	case CTRACE_TABLE_HIST:
		return PyBytes_FromStringAndSize((const char *)v, 8 * (Py_ssize_t)CTRACE_TABLE_BUCKETS);
	default:
		return number(v[0], c->is_signed);
	}
}

static PyObject *row_py(const struct py_look *k, const struct ctrace_look_row *row, const struct ctrace_table *t,
			const uint64_t *none)
{
	PyObject *keys = PyTuple_New(t->nkeys), *values = PyTuple_New(t->nvalues), *one;
	bool good = keys && values;
	uint32_t i;

	for (i = 0; good && i < t->nkeys; i++) {
		one = key(k, row, i, &t->keys[i]);
		good = one && !PyTuple_SetItem(keys, i, one);
	}
	for (i = 0; good && i < t->nvalues; i++) {
		one = value(row, &t->values[i], none);
		good = one && !PyTuple_SetItem(values, i, one);
	}
	if (good)
		return Py_BuildValue("IONN", row->cid, row->other ? Py_True : Py_False, keys, values);
	Py_XDECREF(keys);
	Py_XDECREF(values);
	return NULL;
}

/* [(cid, other, keys, values)] */
static PyObject *rows(PyObject *self, PyObject *unused)
{
	struct py_look *k = (struct py_look *)self;
	const struct ctrace_table *t = ctrace_aggregate_table(k->of->a);
	uint64_t *none = calloc(t->value_words + 1, sizeof(none[0]));
	PyObject *list = none ? PyList_New(0) : PyErr_NoMemory(), *one;
	const struct ctrace_look_row *row;
	size_t i;

	(void)unused;
	if (list)
		ctrace_row_none(k->l, none);
	for (i = 0; list && (row = ctrace_look_row(k->l, i)); i++) {
		one = row_py(k, row, t, none);
		if (!one || PyList_Append(list, one))
			Py_CLEAR(list);
		Py_XDECREF(one);
	}
	free(none);
	return list;
}

/* gain(before or None): a look at what came since; None: since the table began */
static PyObject *gain(PyObject *self, PyObject *before)
{
	struct py_look *k = (struct py_look *)self;
	struct ctrace_look *l;
	int err;

	if (before != Py_None && Py_TYPE(before) != py_look_type)
		return PyErr_Format(PyExc_TypeError, "an earlier look is wanted");
	err = ctrace_look_gain(k->l, before == Py_None ? NULL : ((struct py_look *)before)->l, &l);
	return err ? py_error(err, "these are not two looks at one table") : look_of(k->of, l);
}

static PyObject *account(PyObject *self, PyObject *none)
{
	struct ctrace_look_account a;

	(void)none;
	ctrace_look_account(((struct py_look *)self)->l, &a, sizeof(a));
	return Py_BuildValue("{s:K,s:K,s:K,s:K}", "lost", (unsigned long long)a.lost, "stacks_lost",
		(unsigned long long)a.stacks_lost, "recycled", (unsigned long long)a.recycled, "busy",
		(unsigned long long)a.busy);
}

static PyMethodDef look_methods[] = {
	{ "rows", rows, METH_NOARGS, NULL },
	{ "gain", gain, METH_O, NULL },
	{ "account", account, METH_NOARGS, NULL },
	{ NULL, NULL, 0, NULL },
};

static PyType_Slot look_slots[] = {
	{ Py_tp_new, py_not_made }, { Py_tp_dealloc, look_dealloc }, { Py_tp_methods, look_methods }, { 0, NULL },
};

static PyType_Spec look_spec = {
	"ctrace._ctrace.Look", sizeof(struct py_look), 0, Py_TPFLAGS_DEFAULT, look_slots,
};

int py_aggregate_init(PyObject *module)
{
	py_aggregate_type = py_add_type(module, &aggregate_spec);
	py_look_type = py_aggregate_type ? py_add_type(module, &look_spec) : NULL;
	return py_look_type ? 0 : -1;
}
