/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * /etc/ctrace/watch.conf: sections in brackets, lines KEY = VALUE, and comments behind # at a line's
 * beginning.
 *
 * It is read here, and not by libinih: as Debian builds that library it does not say on which line a value
 * stands, it cuts a long line without a word, and joins indented lines to the one before.
 */
#ifndef CTRACE_WATCH_CONFIG_H
#define CTRACE_WATCH_CONFIG_H

#include "base/util.h"

#define WATCH_CONF		"/etc/ctrace/watch.conf"
#define WATCH_DIR		"/var/lib/ctrace/watch"
#define WATCH_TRIGGERS_MAX	64u
#define WATCH_RECORDS_MAX	8u	/* of these, that are sessions of their own */
#define WATCH_NAME_MAX		64u	/* bytes of a cleaned name in a dump's directory */

enum trigger_kind {
	TRIGGER_ENDED,		/* the container's init failed, or a signal ended it */
	TRIGGER_OOM,
	TRIGGER_THROTTLED,
	TRIGGER_PRESSURE,
	TRIGGER_CALL,
	TRIGGER_SPAN,
	TRIGGER_EVENT,
	TRIGGER_ASKED,		/* `ctrace watch dump`, SIGUSR2: has no line */
};

enum { PRESSURE_CPU, PRESSURE_MEMORY, PRESSURE_IO, PRESSURES };
extern const char *const pressure_words[PRESSURES];

/* At most n in each `every` ns. n 0: no limit. */
struct rate_limit {
	uint32_t n;
	uint64_t every;
};

struct trigger {
	enum trigger_kind kind;
	unsigned int line;	/* in the file, 0: it stands in none */
	char *text;		/* as it stands there: "call = fsync 1s" */
	bool any;		/* ENDED: also with status 0 */
	double percent;		/* THROTTLED, PRESSURE */
	int resource;		/* PRESSURE_* */
	bool full;		/* PRESSURE: "full", not "some" */
	uint64_t duration;	/* CALL, SPAN: ns */
	char *events;		/* CALL, SPAN, EVENT: as after -e; of the last two with their condition */
	/* options behind it, in brackets; else the section's */
	char *only;		/* a glob of containers' names, or NULL */
	struct rate_limit rate;
	uint64_t seconds;	/* ns */
	bool neighbours;
};

struct watch_config {
	char *path;
	uint64_t memory;	/* bytes */
	uint32_t containers;
	uint64_t seconds;	/* ns */
	char *events;		/* as after -e; NULL: the default */
	unsigned int events_line;
	uint32_t samples;	/* a second, 0: none */
	bool neighbours;
	struct rate_limit rate, rate_all;
	uint64_t quota;		/* bytes */
	uint64_t keep;		/* ns, 0: no limit */
	uint32_t at_once;	/* dumps that are being written */
	uint64_t look;		/* ns between two looks at a container's files */
	char *dir;
	char *on_dump;		/* a command for sh -c, or NULL */
	uint64_t on_dump_time;	/* ns that it may take */
	uint64_t report_time;	/* ns that each of why, blame and the page may take */
	struct trigger *triggers;
	size_t ntriggers, nrecords;
};

/* Does a record of its own events set it off? */
static inline bool trigger_records(const struct trigger *t)
{
	return t->kind == TRIGGER_CALL || t->kind == TRIGGER_SPAN || t->kind == TRIGGER_EVENT;
}

/* The mistakes in a file, a line for each. */
struct mistakes {
	struct sbuf b;
	size_t n;
};

/*
 * Reads the file. Never NULL; it is not to be used if there are mistakes. Each begins "FILE:LINE: ". A file
 * that cannot be read is one mistake.
 */
struct watch_config *watch_config_read(const char *path, struct mistakes *m);
/* The same of a text. */
struct watch_config *watch_config_parse(const char *path, const char *text, size_t len, struct mistakes *m);
void watch_config_free(struct watch_config *c);
void mistake(struct mistakes *m, const char *path, unsigned int line, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* "1 per minute", "3 per 10m", "none". 0 or -EINVAL. */
int parse_rate(const char *s, struct rate_limit *r);

#endif
