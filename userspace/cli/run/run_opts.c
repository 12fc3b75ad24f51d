// SPDX-License-Identifier: GPL-2.0-only
/* The options that trace and record share. Some become parts of the session's filter expression. */
#include <stdlib.h>
#include <string.h>
#include "base/cli.h"
#include "run/run.h"

/* as help says them */
#define DATA_MAX	1024
#define COPY_KIB	8
#define COPY_MAX_KIB	32
_Static_assert(DATA_MAX == CTRACE_DATA_MAX && COPY_KIB << 10 == CTRACE_COPY_DEFAULT &&
	       COPY_MAX_KIB << 10 == CTRACE_COPY_MAX, "help has other numbers");

const struct cli_option run_record_options[] = {
	{ .help = "Which events:" },
	OPTION("events", 'e', "EVENTS", "the events to record; repeat for more"),
	OPTION("longer", OPT_LONGER, "TIME",
	       "only system calls that took at least this long: 200ms, 1s, 5us"),
	OPTION("failed", OPT_FAILED, NULL, "only system calls that failed"),
	OPTION("one-of", OPT_ONE_OF, "N", "one in N of each kind of event on each CPU"),
	OPTION("rate", OPT_RATE, "N", "at most N records a second of each container"),
	{ .help = "What else:" },
	OPTION("stack", OPT_STACK, "[=WHICH]",
	       "the stack of each event: kernel (default), user or both; or dwarf[,SIZE]: the "
	       "user's without frame "
	       "pointers, unwound from a copy of its first SIZE bytes (default " TEXT_OF(COPY_KIB) "K, at most "
	       TEXT_OF(COPY_MAX_KIB) "K). "
	       "They may hold passwords", "kernel user both dwarf"),
	OPTION("frequency", 'F', "HZ", "samples of what runs, HZ a second on each CPU, with stacks"),
	OPTION("fds", OPT_FDS, NULL, "the names of descriptors ('trace' does this unless --no-fds is given)"),
	OPTION("no-fds", OPT_NO_FDS, NULL, ""),
	OPTION("data", OPT_DATA, "N",
	       "the first N bytes of what calls read and write, at most "
	       TEXT_OF(DATA_MAX) ". They may be passwords"),
	OPTION("env", OPT_ENV, NULL,
	       "the environment, directory and file of each new program, as events process_env. "
	       "They may hold passwords"),
	OPTION("state-dump", OPT_STATE_DUMP, NULL,
	       "first, the tasks that already exist ('record' does this unless --no-state-dump is given)"),
	OPTION("no-state-dump", OPT_NO_STATE_DUMP, NULL, ""),
	OPTION("buffer-size", OPT_BUFFER, "N",
	       "memory of the session: 64M (default " TEXT_OF(BUFFER_DEFAULT_MIB) "M)"),
	OPTION("stop-when-full", OPT_STOP_FULL, NULL,
	       "when the reader or the disk is slow, keep the oldest events, not the newest"),
	{ 0 },
};

const struct cli_option run_target_options[] = {
	OPTION("follow", OPT_FOLLOW, NULL,
	       "containers that match a TARGET (a name, a glob, an id, image:, label:, "
	       "runtime:) now or later, each "
	       "from its first event on; tracing goes on when they end. COMMAND is run and not traced"),
	OPTION("wait", OPT_WAIT, "[=TIME]",
	       "wait until there is a container for each TARGET, for TIME at most, and trace it "
	       "from its first event on "
	       "until it ends"),
	OPTION("comm", OPT_COMM, "GLOB", "only events of tasks whose name matches; repeat for more names"),
	OPTION("uid", OPT_UID, "USER", "only events of that user, by name or number; repeat for more"),
	OPTION("filter", OPT_FILTER, "EXPR",
	       "only events for which EXPR is true: $comm $tid $vtid $pid $uid $gid $cid $cpu with "
	       "== != < <= > >= & ~ and\n&& || !"),
	OPTION("duration", OPT_DURATION, "TIME", "end after 2, 0.5, 500ms, 2m"),
	{ 0 },
};

struct getopts run_getopts(const struct cli_option *own)
{
	struct getopts g = getopts_of(own);

	getopts_add(&g, run_record_options);
	getopts_add(&g, run_target_options);
	getopts_add(&g, cli_every_option);
	return g;
}

static void add_event(struct run_opts *o, const char *value)
{
	struct probes_opts *p = &o->probes;

	p->events = xrealloc(p->events, (p->nevents + 1) * sizeof(p->events[0]));
	p->events[p->nevents++] = xstrdup(value);
}

/* Turns *list into "*list || term"; frees term. */
static void add_or(char **list, char *term)
{
	char *all = *list ? xasprintf("%s || %s", *list, term) : xstrdup(term);

	free(*list);
	free(term);
	*list = all;
}

static int add_comm(struct run_opts *o, const char *glob)
{
	struct sbuf b = { 0 };

	if (!*glob)
		return cli_usage("--comm needs a name, or a pattern like 'nginx*'");
	for (const char *p = glob; *p; p++) {
		/* escape the quotes of the expression's syntax */
		if (*p == '"')
			sbuf_putc(&b, '\\');
		sbuf_putc(&b, *p);
	}
	add_or(&o->comms, xasprintf("$comm ~ \"%s\"", b.s));
	sbuf_free(&b);
	return CLI_OK;
}

static int add_uid(struct run_opts *o, const char *user)
{
	uint32_t uid;

	if (parse_user(user, &uid))
		return cli_error("no user '%s' on this machine: give a container's user by number", user);
	add_or(&o->uids, xasprintf("$uid == %u", uid));
	return CLI_OK;
}

/* dwarf[,SIZE] */
static int parse_dwarf(struct run_opts *o, const char *size)
{
	uint64_t bytes;

	o->stack |= CTRACE_PROBE_F_USER_COPY;
	if (!*size)
		return CLI_OK;
	if (parse_size(size + 1, &bytes) || !bytes || bytes > CTRACE_COPY_MAX)
		return cli_usage("--stack=dwarf,%s: the size is that of the copy, 1 to %u bytes, such as 16K", size + 1,
				 CTRACE_COPY_MAX);
	o->copy = (uint32_t)bytes;
	return CLI_OK;
}

static int parse_stack(struct run_opts *o, const char *which)
{
	if (!which || !strcmp(which, "kernel"))
		o->stack |= CTRACE_PROBE_F_STACK;
	else if (!strcmp(which, "user"))
		o->stack |= CTRACE_PROBE_F_USER_STACK;
	else if (!strcmp(which, "both"))
		o->stack |= CTRACE_PROBE_F_STACK | CTRACE_PROBE_F_USER_STACK;
	else if (!strncmp(which, "dwarf", 5) && (!which[5] || which[5] == ','))
		return parse_dwarf(o, which + 5);
	else
		return cli_usage("unknown stack '%s': use --stack=kernel, --stack=user, --stack=both or --stack=dwarf",
				 which);
	return CLI_OK;
}

static int parse_count(const char *option, uint32_t *v)
{
	if (!parse_u32(optarg, v) && *v)
		return CLI_OK;
	return cli_usage("%s needs a number of 1 or more, not '%s'", option, optarg);
}

static int duration_of(uint64_t *ns)
{
	if (!parse_duration(optarg, ns))
		return CLI_OK;
	return cli_usage("'%s' is not a duration: write 2, 0.5, 500ms or 2m", optarg);
}

/* 0: any call, which is recorded as a whole, as with any other time. */
static int longer_of(struct probes_opts *o)
{
	if (parse_duration_or_0(optarg, &o->longer))
		return duration_of(&o->longer);
	o->calls |= !o->longer;
	o->whole |= !o->longer;
	return CLI_OK;
}

static int set_follow(struct run_opts *o, int opt)
{
	enum follow_mode mode = opt == OPT_FOLLOW ? FOLLOW_ALL : FOLLOW_FIRST;

	if (o->follow && o->follow != mode)
		return cli_usage("--follow waits, too: choose it or --wait");
	o->follow = mode;
	if (opt == OPT_FOLLOW || !optarg)
		return CLI_OK;
	return duration_of(&o->wait);
}

/* Reads an option that takes a number or a time. False: opt is none of these. */
static bool number_option(struct run_opts *o, int opt, int *status)
{
	switch (opt) {
	case 'F':
		*status = parse_count("--frequency", &o->probes.frequency);
		return true;
	case OPT_LONGER:
		*status = longer_of(&o->probes);
		return true;
	case OPT_DURATION:
		*status = duration_of(&o->duration);
		return true;
	case OPT_ONE_OF:
		*status = parse_count("--one-of", &o->one_of);
		return true;
	case OPT_RATE:
		*status = parse_count("--rate", &o->rate);
		return true;
	case OPT_DATA:
		*status = parse_count("--data", &o->data);
		if (*status == CLI_OK && o->data > CTRACE_DATA_MAX)
			*status = cli_usage("--data takes at most %u bytes, not %u", CTRACE_DATA_MAX, o->data);
		return true;
	case OPT_BUFFER:
		if (parse_size(optarg, &o->buffer) || !o->buffer)
			*status = cli_usage("'%s' is not a size: write 512K, 64M or 1G", optarg);
		return true;
	}
	return false;
}

bool run_option(struct run_opts *o, int opt, int *status)
{
	if (number_option(o, opt, status))
		return true;
	switch (opt) {
	case OPT_FOLLOW:
	case OPT_WAIT:
		*status = set_follow(o, opt);
		return true;
	case 'e':
		add_event(o, optarg);
		return true;
	case OPT_FAILED:
		o->probes.failed = true;
		return true;
	case OPT_COMM:
		*status = add_comm(o, optarg);
		return true;
	case OPT_UID:
		*status = add_uid(o, optarg);
		return true;
	case OPT_FILTER:
		if (o->filter)
			*status = cli_usage("--filter is given twice: join the two with && or ||");
		else
			o->filter = xstrdup(optarg);
		return true;
	case OPT_STACK:
		*status = parse_stack(o, optarg);
		return true;
	case OPT_STATE_DUMP:
	case OPT_NO_STATE_DUMP:
		o->state_dump = opt == OPT_STATE_DUMP;
		return true;
	case OPT_FDS:
	case OPT_NO_FDS:
		o->fds = opt == OPT_FDS;
		return true;
	case OPT_ENV:
		add_event(o, "process_env");
		return true;
	case OPT_STOP_FULL:
		o->stop_full = true;
		return true;
	case 'j':
		return true;	/* main() has seen --json */
	}
	return false;
}

void run_opts_free(struct run_opts *o)
{
	for (size_t i = 0; i < o->probes.nevents; i++)
		free(o->probes.events[i]);
	free(o->probes.events);
	free(o->comms);
	free(o->uids);
	free(o->filter);
}

char *run_filter(const struct run_opts *o)
{
	const char *parts[] = { o->comms, o->uids, o->filter };
	struct sbuf b = { 0 };
	size_t n = 0;

	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		n += !!parts[i];
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		if (parts[i])
			sbuf_printf(&b, n > 1 ? "%s(%s)" : "%s%s", b.len ? " && " : "", parts[i]);
	return b.s;
}
