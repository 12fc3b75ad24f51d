// SPDX-License-Identifier: LGPL-2.1-only
/* The module ctrace._ctrace: errors, histograms, and the kinds of objects that the other files make. */
#include "ctrace_py.h"

static PyObject *error_class;

PyObject *py_error(int err, const char *text)
{
	PyObject *sentence, *e;

	if (err == -ENOMEM)
		return PyErr_NoMemory();
	sentence = PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
	if (!sentence)
		return NULL;
	e = PyObject_CallFunction(error_class, "iN", -err, sentence);
	if (e) {
		PyErr_SetObject(error_class, e);
		Py_DECREF(e);
	}
	return NULL;
}

int py_u64(PyObject *number, void *to)
{
	PyObject *i = PyNumber_Index(number);
	unsigned long long v = i ? PyLong_AsUnsignedLongLong(i) : 0;

	Py_XDECREF(i);
	if (PyErr_Occurred())
		return 0;
	*(unsigned long long *)to = v;
	return 1;
}

int py_u32(PyObject *number, void *to)
{
	unsigned long long v;

	if (!py_u64(number, &v))
		return 0;
	if (v > UINT32_MAX) {
		PyErr_Format(PyExc_OverflowError, "%llu is more than 32 bits hold", v);
		return 0;
	}
	*(uint32_t *)to = (uint32_t)v;
	return 1;
}

PyObject *py_text(const char *s, size_t len)
{
	return PyUnicode_DecodeUTF8(s, (Py_ssize_t)len, "surrogateescape");
}

PyObject *py_text_or_none(const char *s)
{
	if (s)
		return py_text(s, strlen(s));
	Py_INCREF(Py_None);
	return Py_None;
}

PyTypeObject *py_add_type(PyObject *module, PyType_Spec *spec)
{
	PyObject *type = PyType_FromSpec(spec);

	if (!type)
		return NULL;
	Py_INCREF(type);	/* one for the module, one for our own use */
	if (PyModule_AddObject(module, strrchr(spec->name, '.') + 1, type)) {
		Py_DECREF(type);
		Py_DECREF(type);
		return NULL;
	}
	return (PyTypeObject *)type;
}

PyObject *py_not_made(PyTypeObject *type, PyObject *args, PyObject *kw)
{
	(void)type;
	(void)args;
	(void)kw;
	return PyErr_Format(PyExc_TypeError, "a program cannot make such an object: others give it");
}

/* The words of a histogram, from the bytes that a look gave; NULL: an exception is set. */
static const uint64_t *buckets(PyObject *bytes)
{
	if (!PyBytes_Check(bytes) || PyBytes_Size(bytes) != 8 * (Py_ssize_t)CTRACE_TABLE_BUCKETS) {
		PyErr_SetString(PyExc_ValueError, "a histogram is the bytes that an aggregate's row has");
		return NULL;
	}
	return (const uint64_t *)PyBytes_AsString(bytes);
}

static PyObject *hist(PyObject *bytes, uint64_t (*fn)(const uint64_t *))
{
	const uint64_t *h = buckets(bytes);

	return h ? PyLong_FromUnsignedLongLong(fn(h)) : NULL;
}

static PyObject *hist_count(PyObject *module, PyObject *bytes)
{
	(void)module;
	return hist(bytes, ctrace_hist_count);
}

static PyObject *hist_min(PyObject *module, PyObject *bytes)
{
	(void)module;
	return hist(bytes, ctrace_hist_min);
}

static PyObject *hist_max(PyObject *module, PyObject *bytes)
{
	(void)module;
	return hist(bytes, ctrace_hist_max);
}

static PyObject *hist_percentile(PyObject *module, PyObject *args)
{
	PyObject *bytes;
	const uint64_t *h;
	double p;

	(void)module;
	if (!PyArg_ParseTuple(args, "Od", &bytes, &p))
		return NULL;
	h = buckets(bytes);
	if (!h)
		return NULL;
	if (!(p >= 0 && p <= 1))
		return PyErr_Format(PyExc_ValueError, "a share is between 0.0 and 1.0");
	return PyLong_FromUnsignedLongLong(ctrace_hist_percentile(h, p));
}

/* [(smallest value, count)], without the empty buckets */
static PyObject *hist_buckets(PyObject *module, PyObject *bytes)
{
	const uint64_t *h = buckets(bytes);
	PyObject *list, *pair;
	uint32_t b;

	(void)module;
	list = h ? PyList_New(0) : NULL;
	for (b = 0; list && b < CTRACE_TABLE_BUCKETS; b++) {
		if (!h[b])
			continue;
		pair = Py_BuildValue("KK", (unsigned long long)ctrace_hist_bottom(b), (unsigned long long)h[b]);
		if (!pair || PyList_Append(list, pair))
			Py_CLEAR(list);
		Py_XDECREF(pair);
	}
	return list;
}

static PyObject *version(PyObject *module, PyObject *none)
{
	(void)module;
	(void)none;
	return PyUnicode_FromString(ctrace_version());
}

static PyMethodDef functions[] = {
	{ "version", version, METH_NOARGS, "The version of libctrace." },
	{ "hist_count", hist_count, METH_O, NULL },
	{ "hist_min", hist_min, METH_O, NULL },
	{ "hist_max", hist_max, METH_O, NULL },
	{ "hist_percentile", hist_percentile, METH_VARARGS, NULL },
	{ "hist_buckets", hist_buckets, METH_O, NULL },
	{ NULL, NULL, 0, NULL },
};

static struct PyModuleDef definition = {
	PyModuleDef_HEAD_INIT, "ctrace._ctrace",
	"What libctrace gives to the package ctrace. Not for other programs: it changes with the package.",
	-1, functions, NULL, NULL, NULL, NULL,
};

static int constants(PyObject *m)
{
	static const struct { const char *name; long value; } all[] = {
#define C(name)	{ #name, CTRACE_##name }
		C(SESSION_F_STOP_FULL), C(SESSION_F_STATEDUMP), C(SESSION_F_PATHS), C(SESSION_F_NEIGHBOURS),
		C(SESSION_F_FILES), C(PROBE_F_STACK), C(PROBE_F_USER_STACK), C(PROBE_F_USER_COPY), C(PROBE_F_FREEZE),
		C(EVENT_F_KEEP),
		C(TARGET_ALL), C(TARGET_CID), C(TARGET_CGROUP), C(TARGET_PID), C(TARGET_BORN), C(CONTAINER_F_DEAD),
		C(CONTAINER_F_HOSTPID), C(CID_HOST), C(CID_UNKNOWN), C(CID_ALL), C(CTF_REPLACE), C(WAKEUP_AT_ONCE),
#undef C
	};
	size_t i;

	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (PyModule_AddIntConstant(m, all[i].name, all[i].value))
			return -1;
	return 0;
}

PyMODINIT_FUNC PyInit__ctrace(void);
PyMODINIT_FUNC PyInit__ctrace(void)
{
	PyObject *errors = PyImport_ImportModule("ctrace._errors"), *m;

	if (!errors)
		return NULL;
	error_class = PyObject_GetAttrString(errors, "Error");
	Py_DECREF(errors);
	m = error_class ? PyModule_Create(&definition) : NULL;
	if (!m)
		return NULL;
	if (constants(m) || py_connection_init(m) || py_events_init(m) || py_session_init(m) || py_reader_init(m) ||
	    py_aggregate_init(m) || py_writer_init(m)) {
		Py_DECREF(m);
		return NULL;
	}
	return m;
}
