// SPDX-License-Identifier: GPL-2.0-only
/* The options that trace and record share. Some become parts of the session's filter expression. */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include "base/cli.h"
#include "run/run.h"

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
		*status = duration_of(&o->probes.longer);
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
