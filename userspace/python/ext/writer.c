// SPDX-License-Identifier: LGPL-2.1-only
/* Writes what a reader sees as a CTF 1.8 trace. */
#include <fcntl.h>
#include "ctrace_py.h"

PyTypeObject *py_writer_type;

struct py_writer {
	PyObject_HEAD
	PyObject *schema, *reader;
	struct ctrace_ctf *w;	/* NULL: closed */
};

static PyObject *failed(struct py_writer *w, int err)
{
	return py_error(err, ctrace_ctf_errmsg(w->w));
}

static PyObject *new(PyTypeObject *type, PyObject *args, PyObject *kw)
{
	static char *names[] = { "path", "schema", "reader", "flags", NULL };
	struct ctrace_ctf_opts o = { .sz = sizeof(o) };
	PyObject *path = NULL, *schema, *reader;
	struct py_writer *w;
	int err;

	if (!PyArg_ParseTupleAndKeywords(args, kw, "O&O!O!|O&", names, PyUnicode_FSConverter, &path, py_schema_type, &schema,
					 py_reader_type, &reader, py_u32, &o.flags))
		return NULL;
	w = (struct py_writer *)PyType_GenericAlloc(type, 0);
	if (!w) {
		Py_DECREF(path);
		return NULL;
	}
	Py_INCREF(schema);
	w->schema = schema;
	Py_INCREF(reader);
	w->reader = reader;
	err = ctrace_ctf_open(AT_FDCWD, PyBytes_AsString(path), ((struct py_schema *)schema)->s, &o, &w->w);
	Py_DECREF(path);
	if (err) {
		failed(w, err);
		Py_DECREF(w);
		return NULL;
	}
	return (PyObject *)w;
}

static bool usable(struct py_writer *w)
{
	struct py_reader *r = (struct py_reader *)w->reader;

	if (!w->w || r->closed)
		py_error(-ESHUTDOWN, "the trace is closed");
	else if (r->waiting)
		py_error(-EBUSY, "another thread waits for events of this reader");
	return w->w && !r->closed && !r->waiting;
}

/* drain(): how many runs of records were written; 0: there was nothing */
static PyObject *drain(PyObject *self, PyObject *none)
{
	struct py_writer *w = (struct py_writer *)self;
	int got;

	(void)none;
	if (!usable(w))
		return NULL;
	got = ctrace_ctf_drain(w->w, ((struct py_reader *)w->reader)->r);
	return got < 0 && got != -ENODATA ? failed(w, got) : PyLong_FromLong(got);
}

static PyObject *info(PyObject *self, PyObject *none)
{
	struct py_writer *w = (struct py_writer *)self;
	struct ctrace_ctf_info i;

	(void)none;
	if (!usable(w))
		return NULL;
	ctrace_ctf_info(w->w, &i, sizeof(i));
	return Py_BuildValue("{s:K,s:K,s:K,s:K}", "records", (unsigned long long)i.records, "bytes",
		(unsigned long long)i.bytes, "streams", (unsigned long long)i.streams, "lost", (unsigned long long)i.lost);
}

static PyObject *shut(PyObject *self, PyObject *none)
{
	struct py_writer *w = (struct py_writer *)self;
	int err = w->w ? ctrace_ctf_close(w->w) : 0;

	(void)none;
	w->w = NULL;
	if (err)
		return py_error(err, "the trace could not be written to its end");
	Py_RETURN_NONE;
}

static void dealloc(PyObject *self)
{
	struct py_writer *w = (struct py_writer *)self;
	PyTypeObject *type = Py_TYPE(self);

	if (w->w)
		ctrace_ctf_close(w->w);
	Py_XDECREF(w->schema);
	Py_XDECREF(w->reader);
	PyObject_Free(self);
	Py_DECREF(type);
}

static PyMethodDef methods[] = {
	{ "drain", drain, METH_NOARGS, NULL },
	{ "info", info, METH_NOARGS, NULL },
	{ "close", shut, METH_NOARGS, NULL },
	{ NULL, NULL, 0, NULL },
};

static PyType_Slot slots[] = {
	{ Py_tp_new, new }, { Py_tp_dealloc, dealloc }, { Py_tp_methods, methods }, { 0, NULL },
};

static PyType_Spec spec = {
	"ctrace._ctrace.Writer", sizeof(struct py_writer), 0, Py_TPFLAGS_DEFAULT, slots,
};

int py_writer_init(PyObject *module)
{
	py_writer_type = py_add_type(module, &spec);
	return py_writer_type ? 0 : -1;
}
