/* SPDX-License-Identifier: GPL-2.0-only */
/* ctrace watch: what its files share. One thread; children write the reports of a dump and run on_dump. */
#ifndef CTRACE_WATCH_H
#define CTRACE_WATCH_H

#include <json-c/json.h>
#include <sys/types.h>
#include "watch/account.h"
#include "watch/engine.h"
#include "watch/look.h"
#include "watch/store.h"

#define PENDING_MAX	64u
#define JOBS_MAX	32u
#define CLIENTS_MAX	8u
/* For json-c: "/" as it is, where the library can. */
#ifdef JSON_C_TO_STRING_NOSLASHESCAPE
#define WATCH_JSON_PLAIN	(JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE)
#else
#define WATCH_JSON_PLAIN	JSON_C_TO_STRING_PLAIN
#endif
#define CID_EVERY	CTRACE_CID_ALL	/* a dump of all containers: SIGUSR2 */

/* A trigger that was set off. Its dump is written a moment later, with what came with it. */
struct dump_ask {
	uint32_t cid;
	const struct trigger *trigger;	/* of the engine's configuration, or `asked` below */
	uint64_t time, due;		/* CLOCK_MONOTONIC, ns: of the event; when to write */
	char *word;			/* a part of the dump's id: "exit-3" */
	char *what;			/* a sentence */
	struct sbuf details;		/* members of a JSON object */
	struct sbuf also;		/* JSON: texts of others that joined it */
	unsigned int joined;
	bool admitted;			/* by the rates: asked when its container's name is known */
	struct look_files after;	/* the cgroup's files at that moment */
	int client;			/* who asked, -1: nobody waits */
};

/* A child that finishes a dump, or runs on_dump. */
struct job {
	pid_t pid;			/* 0: a free place */
	uint64_t deadline;		/* CLOCK_MONOTONIC, ns */
	bool command;			/* on_dump */
	char *id, *name, *what, *word;
	char runtime_id[65];
	int client;
};

struct watch {
	struct ctrace *ct;
	struct ctrace_schema *schema;
	struct ctable *ctable;
	const char *conf;
	struct engine *engine;
	struct account account, last;	/* last: as it was at the last dump */
	struct rates rates;
	struct looks looks;
	struct dump_ask pending[PENDING_MAX];
	size_t npending;
	struct job jobs[JOBS_MAX];
	struct trigger asked;
	int listen_fd, signal_fd, lock_fd;
	struct { int fd; } clients[CLIENTS_MAX];
	unsigned int notices;		/* ctable's lost, as counted so far */
	uint64_t swept, saved, trimmed;	/* CLOCK_MONOTONIC, ns; trimmed 0: now */
	bool stop, swept_late;
};

/* --- watch.c --- */

/* Runs until SIGTERM or SIGINT. c: taken. Returns the status to exit with. */
int watch_run(const char *conf, struct watch_config *c);
/*
 * A trigger was set off. Takes word, what and the text of details (NULL: none). client: who waits for the
 * answer, -1: nobody.
 */
void watch_trigger(struct watch *w, const struct trigger *t, uint32_t cid, uint64_t time, char *word,
		   char *what,
		   struct sbuf *details, int client);

/* --- ends.c: why processes and containers end --- */

void ends_record(struct watch *w, const struct ctrace_record *rec);
/* Containers that have died: those whose init nobody knows have ended with their last process. */
void ends_sweep(struct watch *w);
/* A record of a trigger's own session. */
void ends_own(struct watch *w, const struct trigger *t, const struct ctrace_record *rec);

/* --- dump.c, finish.c --- */

/* Writes what is known, and starts the job that finishes it. Frees nothing of p. */
void dump_write(struct watch *w, struct dump_ask *p);
/*
 * In a child: the reports, and all that makes a dump whole. Does not return. head: reason.json without its
 * end
 */
struct finish {
	const char *dir, *new, *id;	/* new: the directory's name until it is whole */
	bool recording;
	uint32_t cid;
	uint64_t report_time, window;	/* ns */
	struct sbuf head;
	const char *what, *word;
};
void finish_run(const struct finish *f) __attribute__((noreturn));

/* --- jobs.c --- */

struct job *job_free(struct watch *w);		/* a free place, or NULL */
size_t jobs_writing(const struct watch *w);	/* dumps that are being finished */
void jobs_reap(struct watch *w);
void jobs_end(struct watch *w);			/* ends them all */
/* Forks with signals as they were when the program began. */
pid_t job_fork(void);

/* --- notify.c: systemd's two protocols, each a datagram. --- */

/* "READY=1\nSTATUS=..."; does nothing if systemd did not start us */
void notify_systemd(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* ns between two signs of life that systemd wants; 0: it wants none */
uint64_t notify_watchdog(void);
struct journal_field { const char *key, *value; };
/* One entry with these fields, up to a NULL key. False: there is no journal. */
bool notify_journal(const struct journal_field *f);
/* Entries about dumps: 'journalctl MESSAGE_ID=...' shows them. */
#define WATCH_MESSAGE_ID	"5b2c9f0d8a8f4c0b9d7b6f4f0c1e7a35"

/* --- control.c: /run/ctrace/watch.sock --- */

#define WATCH_SOCKET		"/run/ctrace/watch.sock"
#define CONTROL_MAX		65536u	/* bytes of an answer */

int control_listen(struct watch *w);		/* status after a message */
void control_accept(struct watch *w);
void control_read(struct watch *w, size_t i);
/* Answers who asked, with one object, and closes. fd -1: does nothing. */
void control_answer(int fd, const struct sbuf *json);
void control_error(int fd, const char *why);
void control_close(struct watch *w);
/*
 * A client. Sends a line and waits. NULL: *err is -errno; -ECONNREFUSED, -ENOENT: no watch runs. Freed by
 * the caller.
 */
char *control_ask(const char *line, int timeout_ms, int *err);

#endif
