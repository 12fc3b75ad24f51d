// SPDX-License-Identifier: LGPL-2.1-only
/*
 * A reader as an iterator of events. While a thread waits for records in it, without the interpreter's lock,
 * others that use it get -EBUSY; close() waits for its turn in the same way.
 */
#include <time.h>
#include "ctrace_py.h"

PyTypeObject *py_reader_type;

#define SLICE_MS	200	/* a signal may come just before a wait begins */
#define LOOK_AFTER	256	/* records between two looks at the clock */

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

/* false, and an exception is set: nobody may use it now */
static bool usable(struct py_reader *r)
{
	if (r->closed)
		py_error(-ESHUTDOWN, "the reader is closed");
	else if (r->waiting)
		py_error(-EBUSY, "another thread waits for events of this reader");
	return !r->closed && !r->waiting;
}

static PyObject *failed(struct py_reader *r, int err)
{
	return py_error(err, ctrace_reader_errmsg(r->r));
}

static PyObject *new(PyTypeObject *type, PyObject *args, PyObject *kw)
{
	static char *names[] = { "schema", "session", "session_id", "cid", "fd", "from_now", NULL };
	struct ctrace_reader_opts o = { .sz = sizeof(o), .fd = -1 };
	PyObject *schema, *session = NULL, *cid = NULL;
	struct ctrace_session *s = NULL;
	struct py_reader *r;
	int err, now = 0;

	if (!PyArg_ParseTupleAndKeywords(args, kw, "O!|$O!O&Oip", names, py_schema_type, &schema, py_session_type,
					 &session, py_u32, &o.session, &cid, &o.fd, &now))
		return NULL;
	if (session) {
		s = ((struct py_session *)session)->s;
		if (!s)
			return py_error(-ESHUTDOWN, "the session is closed");
	}
	o.flags = (now ? CTRACE_READER_FROM_NOW : 0) | (o.fd >= 0 ? CTRACE_READER_FD : 0);
	if (cid && cid != Py_None) {
		o.flags |= CTRACE_READER_CID;
		if (!py_u32(cid, &o.cid))
			return NULL;
	}
	r = (struct py_reader *)PyType_GenericAlloc(type, 0);
	if (!r)
		return NULL;
	Py_INCREF(schema);
	r->schema = schema;
	err = ctrace_reader_open(s, &o, &r->r);
	if (err) {
		failed(r, err);
		Py_DECREF(r);
		return NULL;
	}
	return (PyObject *)r;
}

static void unmap(struct py_reader *r)
{
	if (r->r)
		ctrace_reader_close(r->r);
	r->r = NULL;
}

void py_reader_put(struct py_reader *r)
{
	r->users--;
	if (r->closed && !r->users)
		unmap(r);
	Py_DECREF(r);
}

static PyObject *shut(PyObject *self, PyObject *none)
{
	struct py_reader *r = (struct py_reader *)self;

	(void)none;
	if (r->closed)
		Py_RETURN_NONE;
	if (!usable(r))
		return NULL;
	r->closed = true;
	if (!r->users)
		unmap(r);
	Py_RETURN_NONE;
}

static void dealloc(PyObject *self)
{
	PyTypeObject *type = Py_TYPE(self);

	unmap((struct py_reader *)self);
	Py_XDECREF(((struct py_reader *)self)->schema);
	PyObject_Free(self);
	Py_DECREF(type);
}

/*
 * Waits for records: until `until` (0: no limit), or a signal that Python answers by an exception. 1: look;
 * 0: the time is over; -1: an exception is set, or the session has ended.
 */
static int wait_for(struct py_reader *r, uint64_t until)
{
	int64_t left, ms = SLICE_MS;
	int got;

	if (PyErr_CheckSignals())
		return -1;
	if (until) {
		left = (int64_t)(until - now_ns());
		if (left <= 0)
			return 0;
		/* rounded up, or the last millisecond would be spent in a loop */
		ms = (left + 999999) / 1000000 < SLICE_MS ? (left + 999999) / 1000000 : SLICE_MS;
	}
	r->waiting = true;
	Py_BEGIN_ALLOW_THREADS
	got = ctrace_reader_poll(r->r, (int)ms);
	Py_END_ALLOW_THREADS
	r->waiting = false;
	if (got >= 0 || got == -EINTR)
		return 1;
	if (got != -ENODATA)
		failed(r, got);
	return -1;
}

/* The next event, or NULL: with an exception, or there is none before the deadline, or there will be none. */
static PyObject *next(PyObject *self)
{
	struct py_reader *r = (struct py_reader *)self;
	const struct ctrace_record *rec;
	int got;

	if (!usable(r))
		return NULL;
	if (r->deadline && ++r->taken % LOOK_AFTER == 0 && now_ns() >= r->deadline)
		return NULL;
	for (;;) {
		got = ctrace_reader_next(r->r, &rec);
		if (got == 1)
			return py_event_of((struct py_schema *)r->schema, rec);
		if (got == -ENODATA || (!got && r->draining))
			return NULL;
		if (got < 0)
			return failed(r, got);
		if (wait_for(r, r->deadline) <= 0)
			return NULL;
	}
}

/* until(seconds or None): the reader itself, whose iteration ends then */
static PyObject *until(PyObject *self, PyObject *arg)
{
	struct py_reader *r = (struct py_reader *)self;
	double s = 0;

	if (!usable(r))
		return NULL;
	if (arg != Py_None) {
		s = PyFloat_AsDouble(arg);
		if (PyErr_Occurred())
			return NULL;
		if (!(s >= 0 && s < 1e9))
			return PyErr_Format(PyExc_ValueError, "a duration is a number of seconds");
	}
	r->deadline = arg == Py_None ? 0 : now_ns() + (uint64_t)(s * 1e9);
	Py_INCREF(self);
	return self;
}

/* read(max, seconds or None): a list of what there is; waits that long for the first event */
static PyObject *read_some(PyObject *self, PyObject *args)
{
	struct py_reader *r = (struct py_reader *)self;
	Py_ssize_t max;
	PyObject *wait, *list, *e;

	if (!PyArg_ParseTuple(args, "nO", &max, &wait) || !usable(r))
		return NULL;
	list = until(self, wait);
	if (!list)
		return NULL;
	Py_DECREF(list);
	list = PyList_New(0);
	/* the clock decides how long to wait, not how many of the available events to take */
	r->taken = 0;
	while (list && PyList_Size(list) < max) {
		e = next(self);
		if (!e)
			break;
		r->taken = 0;
		r->deadline = 1;
		if (PyList_Append(list, e))
			Py_CLEAR(list);
		Py_DECREF(e);
	}
	r->deadline = 0;
	if (list && PyErr_Occurred())
		Py_CLEAR(list);
	return list;
}

static PyObject *losses(PyObject *self, PyObject *none)
{
	struct py_reader *r = (struct py_reader *)self;
	struct ctrace_losses l;
	int err;

	(void)none;
	if (!usable(r))
		return NULL;
	err = ctrace_reader_losses(r->r, &l, sizeof(l));
	if (err)
		return failed(r, err);
	return Py_BuildValue("{s:K,s:K,s:K,s:K,s:K}", "seen", (unsigned long long)l.seen, "overrun",
		(unsigned long long)l.overrun, "full", (unsigned long long)l.full, "nested",
		(unsigned long long)l.nested, "frozen", (unsigned long long)l.frozen);
}

static PyObject *fileno_of(PyObject *self, PyObject *none)
{
	struct py_reader *r = (struct py_reader *)self;

	(void)none;
	if (r->closed)
		return py_error(-ESHUTDOWN, "the reader is closed");
	return PyLong_FromLong(ctrace_reader_fd(r->r));
}

static PyObject *shows(PyObject *self, PyObject *none)
{
	struct py_reader *r = (struct py_reader *)self;
	const struct ctrace_dir *d;

	(void)none;
	if (r->closed)
		return py_error(-ESHUTDOWN, "the reader is closed");
	d = ctrace_reader_dir(r->r);
	return Py_BuildValue("II", d->session, d->cid);
}

static PyObject *take_back(PyObject *self, PyObject *none)
{
	struct py_reader *r = (struct py_reader *)self;
	int err;

	(void)none;
	if (!usable(r))
		return NULL;
	err = ctrace_reader_revoke(r->r);
	if (err)
		return failed(r, err);
	Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
	{ "close", shut, METH_NOARGS, NULL },
	{ "until", until, METH_O, NULL },
	{ "read", read_some, METH_VARARGS, NULL },
	{ "losses", losses, METH_NOARGS, NULL },
	{ "fileno", fileno_of, METH_NOARGS, NULL },
	{ "shows", shows, METH_NOARGS, NULL },
	{ "revoke", take_back, METH_NOARGS, NULL },
	{ NULL, NULL, 0, NULL },
};

static PyMemberDef members[] = {
	{ "draining", T_BOOL, offsetof(struct py_reader, draining), 0, NULL },
	{ "closed", T_BOOL, offsetof(struct py_reader, closed), READONLY, NULL },
	{ NULL, 0, 0, 0, NULL },
};

static PyType_Slot slots[] = {
	{ Py_tp_new, new }, { Py_tp_dealloc, dealloc }, { Py_tp_methods, methods }, { Py_tp_members, members },
	{ Py_tp_iter, PyObject_SelfIter }, { Py_tp_iternext, next }, { 0, NULL },
};

static PyType_Spec spec = {
	"ctrace._ctrace.Reader", sizeof(struct py_reader), 0, Py_TPFLAGS_DEFAULT, slots,
};

int py_reader_init(PyObject *module)
{
	py_reader_type = py_add_type(module, &spec);
	return py_reader_type ? 0 : -1;
}
