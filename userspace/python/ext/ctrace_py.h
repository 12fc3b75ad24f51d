/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The C part of the Python package ctrace: objects of libctrace as Python objects, one file for each kind.
 *
 * Only the stable ABI of Python 3.9 is used, so one shared object serves that version and all newer ones.
 *
 * Threads. The interpreter's lock is held in every call but the one that waits for records. So it serialises
 * all use of a connection and of its sessions, as libctrace wants.
 *
 * Lifetime. Each object holds a reference to what libctrace says must live longer: an event its type, a type
 * what owns the schema, a look its aggregate, an aggregate its reader.
 */
#ifndef CTRACE_PY_H
#define CTRACE_PY_H

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x03090000
#include <Python.h>
#include <structmember.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <ctrace/libctrace.h>
#include <ctrace/libctrace_aggregate.h>

struct py_connection {
	PyObject_HEAD
	struct ctrace *ct;		/* NULL: closed */
};

struct py_schema {
	PyObject_HEAD
	PyObject *connection;		/* or NULL: a schema of its own */
	struct ctrace_schema *s;
	PyObject *owner;		/* a capsule that frees s: types hold it, too */
	PyObject **types;		/* by id: what py_type_of() has made; CTRACE_PY_IDS of them */
};
#define CTRACE_PY_IDS	65536u		/* a record's id is a u16 */

struct py_type {
	PyObject_HEAD
	PyObject *owner;		/* of t: the schema's */
	const struct ctrace_event_type *t;	/* NULL: the schema has no type of that id */
	uint32_t id;
	PyObject *name, *syscall, *index;	/* index: a dict of field numbers by name */
	PyObject **names;		/* of fields, interned */
};

struct py_event {
	PyObject_VAR_HEAD
	PyObject *type;
	struct ctrace_record rec;	/* and its payload: ob_size bytes in all */
};

struct py_session {
	PyObject_HEAD
	PyObject *connection;
	struct ctrace_session *s;	/* NULL: closed */
};

struct py_reader {
	PyObject_HEAD
	PyObject *schema;
	struct ctrace_reader *r;	/* NULL: closed */
	uint64_t deadline;		/* of the iteration, CLOCK_MONOTONIC, ns; 0: none */
	unsigned int taken;		/* records since the clock was looked at */
	/* aggregates that are open on it: it is unmapped after the last of them */
	unsigned int users;
	bool waiting;			/* a thread waits in it, without the interpreter's lock */
	bool draining;			/* the session is stopped: only the rest is left to read */
	bool closed;
};

extern PyTypeObject *py_connection_type, *py_schema_type, *py_type_type, *py_event_type, *py_session_type,
	*py_reader_type, *py_aggregate_type, *py_look_type, *py_writer_type;

/* Each adds its types to the module; -1: an exception is set. */
int py_connection_init(PyObject *module);
int py_events_init(PyObject *module);
int py_schema_init(PyObject *module);
int py_session_init(PyObject *module);
int py_reader_init(PyObject *module);
int py_aggregate_init(PyObject *module);
int py_writer_init(PyObject *module);
/* Makes the type of spec, and adds it under its name. */
PyTypeObject *py_add_type(PyObject *module, PyType_Spec *spec);

/* The tp_new of objects that other objects make: without it they would have that of Python's own object. */
PyObject *py_not_made(PyTypeObject *type, PyObject *args, PyObject *kw);

/* Sets ctrace.Error(-err, text), and returns NULL. */
PyObject *py_error(int err, const char *text);

/*
 * For "O&": a number into *(uint32_t *)to, or *(unsigned long long *)to. OverflowError if it does not fit:
 * "I" and "K" cut it.
 */
int py_u32(PyObject *number, void *to);
int py_u64(PyObject *number, void *to);
/* As Python has names of files: bytes that are no UTF-8 survive a way back by os.fsencode(). */
PyObject *py_text(const char *s, size_t len);
PyObject *py_text_or_none(const char *s);

/*
 * New references. py_type_of() does not fail if there is no type: it returns one with the name event_ID and
 * no fields.
 */
PyObject *py_type_of(struct py_schema *s, uint32_t id);
PyObject *py_event_of(struct py_schema *s, const struct ctrace_record *rec);

/* For aggregates: the mapping is not closed before each of them has called _put(). */
void py_reader_put(struct py_reader *r);

#endif
