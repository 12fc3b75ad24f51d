// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>
#include "show/comms.h"
#include "show/sink.h"

struct comms {
	bool live, ahead;
	struct task *v;		/* by tid, open addressing, size a power of two; tid 0: a free place */
	size_t n, size;
	char unknown[24];
	struct task nobody;
};

struct comms *comms_new(bool live)
{
	struct comms *c = xcalloc(1, sizeof(*c));

	c->live = live;
	c->size = 256;
	c->v = xcalloc(c->size, sizeof(c->v[0]));
	return c;
}

void comms_free(struct comms *c)
{
	if (c)
		free(c->v);
	free(c);
}

static struct task *slot(struct comms *c, int32_t tid)
{
	size_t i = ((uint32_t)tid * 0x9e3779b1u) & (c->size - 1);

	while (c->v[i].tid && c->v[i].tid != tid)
		i = (i + 1) & (c->size - 1);
	return &c->v[i];
}

/* The task's place, made if there is none. tid > 0 */
static struct task *place(struct comms *c, int32_t tid)
{
	struct task *e;

	if (2 * (c->n + 1) > c->size) {
		struct task *old = c->v;
		size_t n = c->size;

		c->size *= 2;
		c->v = xcalloc(c->size, sizeof(c->v[0]));
		for (size_t i = 0; i < n; i++)
			if (old[i].tid)
				*slot(c, old[i].tid) = old[i];
		free(old);
	}
	e = slot(c, tid);
	c->n += !e->tid;
	e->tid = tid;
	return e;
}

/* pid 0: not known */
static void put(struct comms *c, int32_t tid, int32_t pid, const char *name, size_t len)
{
	struct task *e;

	if (tid <= 0)
		return;
	e = place(c, tid);
	if (pid)
		e->pid = pid;
	if (c->ahead && e->renamed)
		return;
	snprintf(e->comm, sizeof(e->comm), "%.*s", (int)len, name);
}

/* The value of the field with this name, or NULL. */
static const struct ctrace_value *named(const struct ctrace_value *v, int n, const char *name, size_t len)
{
	for (int i = 0; i < n; i++)
		if (strlen(v[i].field->name) == len && !strncmp(v[i].field->name, name, len))
			return &v[i];
	return NULL;
}

static bool is_number(const struct ctrace_value *v)
{
	return v->field->kind == CTRACE_FK_UINT || v->field->kind == CTRACE_FK_INT;
}

static int32_t number(const struct ctrace_value *v, int n, const char *name)
{
	const struct ctrace_value *f = named(v, n, name, strlen(name));

	return f && is_number(f) ? (int32_t)f->u : 0;
}

/* The parent's end gives a process another one, without an event. */
static void learn_parent(struct comms *c, const struct ctrace_value *v, int n, int32_t pid)
{
	int32_t ppid = number(v, n, "ppid");

	if (pid > 0 && ppid)
		place(c, pid)->ppid = ppid;
}

static void learn_exec(struct comms *c, const struct ctrace_value *v, int n, int32_t tid)
{
	const struct ctrace_value *f = named(v, n, "filename", 8);
	const char *base;

	if (!f || f->field->kind != CTRACE_FK_STRING)
		return;
	base = memrchr(f->str.s, '/', f->str.len);
	base = base ? base + 1 : f->str.s;
	/* the task that has a new program leads its process */
	put(c, tid, tid, base, (size_t)(f->str.s + f->str.len - base));
	learn_parent(c, v, n, tid);
}

static void learn_fork(struct comms *c, const struct ctrace_value *v, int n)
{
	int32_t tid = number(v, n, "child_tid"), pid = number(v, n, "child_pid"), parent = number(v, n, "parent_pid");
	const struct ctrace_value *ppid = named(v, n, "child_ppid", 10);
	int32_t grand = parent > 0 ? slot(c, parent)->ppid : 0;
	struct task *e;

	if (tid <= 0)
		return;
	e = place(c, tid);
	e->pid = pid;
	/*
	 * a thread has its process's parent; with CLONE_PARENT a process has another than the one that forked
	 * it
	 */
	e->ppid = pid != tid ? grand : ppid && is_number(ppid) ? (int32_t)ppid->u : parent;
}

static void learn_existing(struct comms *c, const struct ctrace_value *v, int n)
{
	int32_t tid = number(v, n, "tid");
	struct task *e;

	if (tid <= 0)
		return;
	e = place(c, tid);
	e->pid = number(v, n, "pid");
	e->ppid = number(v, n, "ppid");
}

bool comms_tells(const struct ctrace_event_type *t)
{
	if (t->id >= CTRACE_ID_DYNAMIC)
		return false;
	if (t->id == CTRACE_ID_SCHED_PROCESS_EXEC || t->id == CTRACE_ID_SCHED_PROCESS_FORK ||
	    t->id == CTRACE_ID_STATEDUMP_PROCESS_STATE)
		return true;
	for (uint32_t i = 0; i < t->nfields; i++) {
		size_t n = strlen(t->fields[i].name);

		if (n >= 4 && !strcmp(t->fields[i].name + n - 4, "comm"))
			return true;
	}
	return false;
}

void comms_learn(struct comms *c, const struct ctrace_event_type *t, const struct ctrace_record *rec)
{
	struct ctrace_value v[FIELDS_MAX];
	bool past;
	int n;

	if (!t || rec->id >= CTRACE_ID_DYNAMIC)
		return;
	n = ctrace_decode(t, rec, v, FIELDS_MAX);
	if (rec->id == CTRACE_ID_SCHED_PROCESS_EXEC)
		learn_exec(c, v, n, rec->tid);
	else if (rec->id == CTRACE_ID_SCHED_PROCESS_EXIT)
		learn_parent(c, v, n, number(v, n, "pid"));
	else if (rec->id == CTRACE_ID_SCHED_PROCESS_FORK)
		learn_fork(c, v, n);
	else if (rec->id == CTRACE_ID_STATEDUMP_PROCESS_STATE)
		learn_existing(c, v, n);
	/*
	 * comm is the name of tid, next_comm that of next_tid. An event with a duration may have old names:
	 * the task that woke this one may have executed another program since, and an earlier record has its
	 * new name.
	 */
	past = named(v, n, "duration", 8);
	for (int i = 0; i < n; i++) {
		const char *name = v[i].field->name, *end = strstr(name, "comm");
		const struct ctrace_value *tid, *pid;
		char of[64];

		if (v[i].field->kind != CTRACE_FK_TEXT && v[i].field->kind != CTRACE_FK_STRING)
			continue;
		if (rec->id == CTRACE_ID_STATEDUMP_PROCESS_STATE && !strcmp(name, "name"))
			end = name;
		else if (!end || strcmp(end, "comm"))
			continue;
		snprintf(of, sizeof(of), "%.*stid", (int)(end - name), name);
		tid = named(v, n, of, strlen(of));
		if (!tid || !is_number(tid) || (past && *slot(c, (int32_t)tid->u)->comm))
			continue;
		memcpy(of + strlen(of) - 3, "pid", 3);
		pid = named(v, n, of, strlen(of));
		put(c, (int32_t)tid->u, pid && is_number(pid) ? (int32_t)pid->u : 0, v[i].str.s, v[i].str.len);
	}
}

void comms_look_ahead(struct comms *c, const struct ctrace_event_type *t, const struct ctrace_record *rec)
{
	if (rec->id == CTRACE_ID_SCHED_PROCESS_EXEC && rec->tid > 0) {
		place(c, rec->tid)->renamed = true;
		return;
	}
	c->ahead = true;
	comms_learn(c, t, rec);
	c->ahead = false;
}

const char *comms_known(struct comms *c, int32_t tid, int32_t *pid)
{
	const struct task *e = slot(c, tid);

	*pid = 0;
	if (tid <= 0 || !e->tid || !*e->comm)
		return NULL;
	*pid = e->pid;
	return e->comm;
}

/* The line of /proc/PID/status after the key; "": there is none. */
static const char *status_line(const char *text, const char *key)
{
	const char *at = strstr(text, key);

	return at ? at + strlen(key) : "";
}

static void ask_proc(struct comms *c, int32_t tid)
{
	char *path = xasprintf("/proc/%d/status", tid), *text = read_file(path, NULL);
	const char *name = text ? status_line(text, "Name:\t") : "";
	struct task *e;

	free(path);
	if (*name) {
		put(c, tid, atoi(status_line(text, "\nTgid:")), name, strcspn(name, "\n"));
		e = slot(c, tid);
		e->ppid = atoi(status_line(text, "\nPPid:"));
	}
	free(text);
}

const struct task *comms_task(struct comms *c, int32_t tid)
{
	struct task *e = slot(c, tid);

	if (tid > 0 && c->live && (!e->tid || !e->pid || !*e->comm)) {
		ask_proc(c, tid);
		e = slot(c, tid);
	}
	if (tid > 0 && e->tid)
		return e;
	c->nobody.tid = tid;
	return &c->nobody;
}

bool comms_ours(const char *comm, size_t len)
{
	static const char name[] = "ctrace";

	/* its threads are called ctrace-reader, ... */
	return len >= strlen(name) && !memcmp(comm, name, strlen(name)) && (len == strlen(name) || comm[strlen(name)] == '-');
}

const char *comms_get(struct comms *c, int32_t tid)
{
	const struct task *e = slot(c, tid);

	if (tid > 0 && !*e->comm && c->live) {
		ask_proc(c, tid);
		e = slot(c, tid);
	}
	if (tid > 0 && e->tid && *e->comm)
		return e->comm;
	/* each CPU's idle task has this number */
	if (!tid)
		return "swapper";
	snprintf(c->unknown, sizeof(c->unknown), "tid-%d", tid);
	return c->unknown;
}
