/* SPDX-License-Identifier: GPL-2.0-only */
/* Records and a schema made by hand, for tests of the code that prints them. */
#ifndef CTRACE_SELFTEST_MAKE_RECORD_H
#define CTRACE_SELFTEST_MAKE_RECORD_H

#include <stdarg.h>
#include <string.h>
#include <libctrace.h>

#define ENTER(nr)	(CTRACE_ID_SYS_ENTER + (nr))
#define EXIT(nr)	(CTRACE_ID_SYS_EXIT + (nr))

struct made {
	union {
		struct ctrace_record rec;
		uint64_t raw[CTRACE_RECORD_MAX / 8];
	};
	size_t len;
};

static inline struct made *make(struct made *m, uint64_t time, uint32_t id, uint32_t cid,
				int32_t tid, int32_t vtid)
{
	memset(m, 0, sizeof(*m));
	m->rec = (struct ctrace_record){ time, (uint16_t)id, 24, cid, tid, vtid };
	m->len = sizeof(m->rec);
	return m;
}

static inline struct made *finish(struct made *m)
{
	m->rec.len = (uint16_t)((m->len + 7) & ~7ul);
	return m;
}

static inline struct made *put_int(struct made *m, uint64_t v, size_t size)
{
	m->len = (m->len + size - 1) & ~(size - 1);
	memcpy((char *)m->raw + m->len, &v, size);
	m->len += size;
	return finish(m);
}

static inline struct made *put_text(struct made *m, const char *s, size_t size)
{
	char *to = (char *)m->raw + m->len;

	for (size_t i = 0; i < size; i++)
		to[i] = (char)(*s ? *s++ : '\0');
	m->len += size;
	return finish(m);
}

static inline struct made *put_string(struct made *m, const char *s)
{
	return put_text(m, s, strlen(s) + 1);
}

static inline void add_type(struct ctrace_schema *s, uint32_t id, const char *system,
			    const char *name, const struct ctrace_field *f, uint32_t n)
{
	const struct ctrace_event_type t = {
		.id = id, .name = name, .system = system, .source = name, .nfields = n, .fields = f,
	};

	ctrace_schema_add(s, &t, sizeof(t));
}

/* The numbers are x86-64's, whatever this runs on: 0 read, 56 clone, 59 execve, 231 exit_group, 257 openat. */
static inline struct ctrace_schema *make_schema(void)
{
	static const struct ctrace_field ret[] = { { "ret", CTRACE_FK_INT, 0, 8 } };
	static const struct ctrace_field f_read[] = {
		{ "fd", CTRACE_FK_UINT, 0, 8 }, { "buf", CTRACE_FK_UINT, CTRACE_FD_HEX, 8 }, { "count", CTRACE_FK_UINT, 0, 8 },
	};
	static const struct ctrace_field f_exec[] = {
		{ "filename", CTRACE_FK_STRING, 0, 0 }, { "argv", CTRACE_FK_UINT, CTRACE_FD_HEX, 8 },
		{ "envp", CTRACE_FK_UINT, CTRACE_FD_HEX, 8 },
	};
	static const struct ctrace_field f_exit[] = { { "error_code", CTRACE_FK_INT, 0, 8 } };
	static const struct ctrace_field f_openat[] = {
		{ "dfd", CTRACE_FK_INT, 0, 8 }, { "filename", CTRACE_FK_STRING, 0, 0 },
		{ "flags", CTRACE_FK_INT, 0, 8 }, { "mode", CTRACE_FK_UINT, 0, 8 },
	};
	static const struct ctrace_field f_switch[] = {
		{ "prev_comm", CTRACE_FK_TEXT, 0, 16 }, { "prev_tid", CTRACE_FK_INT, 0, 4 },
		{ "vtids", CTRACE_FK_SEQ, 0, 4 },
	};
	static const struct ctrace_field f_unknown[] = {
		{ "nr", CTRACE_FK_INT, 0, 8 }, { "ret", CTRACE_FK_INT, 0, 8 },
	};
	struct ctrace_schema *s = ctrace_schema_new();

	add_type(s, CTRACE_ID_SYS_EXIT_UNKNOWN, "syscalls", "syscall_exit_unknown", f_unknown, 2);
	add_type(s, CTRACE_ID_SCHED_SWITCH, "sched", "sched_switch", f_switch, 3);
	add_type(s, ENTER(0), "syscalls", "syscall_entry_read", f_read, 3);
	add_type(s, ENTER(56), "syscalls", "syscall_entry_clone", NULL, 0);
	add_type(s, ENTER(59), "syscalls", "syscall_entry_execve", f_exec, 3);
	add_type(s, ENTER(231), "syscalls", "syscall_entry_exit_group", f_exit, 1);
	add_type(s, ENTER(257), "syscalls", "syscall_entry_openat", f_openat, 4);
	add_type(s, EXIT(0), "syscalls", "syscall_exit_read", ret, 1);
	add_type(s, EXIT(56), "syscalls", "syscall_exit_clone", ret, 1);
	add_type(s, EXIT(59), "syscalls", "syscall_exit_execve", ret, 1);
	add_type(s, EXIT(257), "syscalls", "syscall_exit_openat", ret, 1);
	return s;
}

static inline struct made *make_read(struct made *m, uint64_t time, uint32_t cid, int32_t tid)
{
	make(m, time, ENTER(0), cid, tid, tid % 100);
	put_int(m, 3, 8);
	put_int(m, 0x7f00, 8);
	return put_int(m, 100, 8);
}

static inline struct made *make_openat(struct made *m, uint64_t time, uint32_t cid, int32_t tid,
				       const char *path, uint64_t flags)
{
	make(m, time, ENTER(257), cid, tid, tid % 100);
	put_int(m, (uint64_t)-100, 8);
	put_string(m, path);
	put_int(m, flags, 8);
	return put_int(m, 0644, 8);
}

static inline struct made *make_exit(struct made *m, uint64_t time, uint32_t nr, uint32_t cid,
				     int32_t tid, int64_t ret)
{
	make(m, time, EXIT(nr), cid, tid, tid % 100);
	return put_int(m, (uint64_t)ret, 8);
}

#endif
