// SPDX-License-Identifier: GPL-2.0-only
/* ctrace status: shows the module, its sessions, their probes, rings and losses. */
#include <stdlib.h>
#include <string.h>
#include "commands.h"
#include "base/cli.h"
#include "names/ctable.h"
#include "base/table.h"
#include "watch/config.h"
#include "watch/report.h"

static const char usage[] =
"Usage: ctrace status [OPTIONS]\n"
"\n"
"Shows the kernel module, and every session: its memory, its probes, its rings\n"
"and its losses; and whether 'ctrace watch' runs, and what its dumps take.\n";

static const char notes[] =
"Fields:\n"
"  TABLES      memory of the tables in which events are counted\n"
"  USED/SLOTS  rings in use, and rings into which the session's memory (ARENA) is\n"
"              divided\n"
"  EVENTS      recorded since the session's start\n"
"  FULL        refused because a ring was full (--stop-when-full)\n"
"  NESTED      refused because nested interrupts wrote more than a ring holds\n"
"  FROZEN      refused because their container was frozen ('=> freeze')\n"
"  MISSED      kprobe hits while another hit was being handled\n"
"  UNFOLLOWED  calls to be recorded as a whole that were not followed, because\n"
"              too many others were under way; events of block requests whose\n"
"              issuer was forgotten for that; and operations of io_uring whose\n"
"              beginning was not seen or not kept\n"
"  UNFOLLOWED_TASKS\n"
"              tasks of pid targets that were not followed, because too many\n"
"              others were\n"
"  UNREAD      calls that a filter on a string left out, because the string could\n"
"              not be read\n"
"  LIMITED     held back by --rate; not lost\n"
"  If a reader is too slow, that reader reports its losses; they are not shown\n"
"  here.\n";

static const struct cli_option options[] = {
	{ .help = "Options:" },
	OPTION("rings", 'r', NULL, "show each ring, too (always with --json)"),
	OPTION("json", 'j', NULL, "print one JSON object"),
	OPTION("help", 'h', NULL, "this text"),
	{ 0 },
};

static const char *const cgroup_modes[] = {
	[CTRACE_CGROUP_V1] = "v1", [CTRACE_CGROUP_V2] = "v2", [CTRACE_CGROUP_HYBRID] = "hybrid",
};

struct out {
	struct table t;
	struct json j;
	struct ctable *names;
	struct sbuf below;		/* lines for below the table */
};

static int put_session(const struct ctrace_session_info *s, void *arg)
{
	struct out *o = arg;

	if (cli_json) {
		json_open(&o->j, NULL, '{');
		json_uint(&o->j, "id", s->id);
		json_str(&o->j, "name", s->name);
		json_uint(&o->j, "owner", s->owner);
		json_flag(&o->j, "recording", s->state == CTRACE_SESSION_RECORDING);
		json_flag(&o->j, "stop_when_full", s->flags & CTRACE_SESSION_F_STOP_FULL);
		json_flag(&o->j, "neighbours", s->flags & CTRACE_SESSION_F_NEIGHBOURS);
		json_uint(&o->j, "arena_size", s->arena_size);
		json_uint(&o->j, "ring_size", s->ring_size);
		json_uint(&o->j, "subbuf_size", s->subbuf_size);
		json_uint(&o->j, "table_size", s->table_size);
		json_uint(&o->j, "table_used", s->table_used);
		json_uint(&o->j, "slots", s->slots);
		json_uint(&o->j, "slots_used", s->slots_used);
		json_uint(&o->j, "probes", s->probes);
		json_uint(&o->j, "events", s->events);
		json_uint(&o->j, "lost_full", s->lost_full);
		json_uint(&o->j, "lost_nested", s->lost_nested);
		json_uint(&o->j, "lost_frozen", s->lost_frozen);
		json_uint(&o->j, "frozen", s->frozen);
		json_uint(&o->j, "freeze_refused", s->freeze_refused);
		json_uint(&o->j, "freeze_ms", s->freeze_ms);
		json_uint(&o->j, "lost_missed", s->lost_missed);
		json_uint(&o->j, "blind_ns", s->blind_ns);
		json_uint(&o->j, "lost_unfollowed", s->lost_unfollowed);
		json_uint(&o->j, "lost_unfollowed_tasks", s->lost_unfollowed_tasks);
		json_uint(&o->j, "lost_unread", s->lost_unread);
		json_uint(&o->j, "limited", s->limited);
		json_close(&o->j, '}');
		return 0;
	}
	table_num(&o->t, s->id);
	table_str(&o->t, s->name[0] ? s->name : "-");
	table_num(&o->t, s->owner);
	table_str(&o->t, s->state == CTRACE_SESSION_RECORDING ? "recording" : "stopped");
	table_size(&o->t, s->arena_size);
	table_size(&o->t, s->ring_size);
	table_size(&o->t, s->table_used);
	char used[32];

	snprintf(used, sizeof(used), "%u/%u", s->slots_used, s->slots);
	table_str(&o->t, used);
	table_num(&o->t, s->probes);
	table_num(&o->t, s->events);
	table_num(&o->t, s->lost_full);
	table_num(&o->t, s->lost_nested);
	table_num(&o->t, s->lost_frozen);
	table_num(&o->t, s->lost_missed);
	table_num(&o->t, s->lost_unfollowed);
	table_num(&o->t, s->lost_unfollowed_tasks);
	table_num(&o->t, s->lost_unread);
	table_num(&o->t, s->limited);
	table_end_row(&o->t);
	if (s->frozen)
		sbuf_printf(&o->below, "session %u: %u container%s frozen now\n", s->id, s->frozen,
			    s->frozen == 1 ? " is" : "s are");
	if (s->freeze_refused)
		sbuf_printf(&o->below, "session %u: %llu freezes were refused (too many, or no own ring)\n",
			    s->id, (unsigned long long)s->freeze_refused);
	return 0;
}

#define NAME_WIDTH	48u

/* A long list of calls is cut. JSON has all of it. */
static void put_name(struct table *t, const char *name)
{
	size_t end = NAME_WIDTH, calls = 1;
	char *text;

	if (strncmp(name, "call:", 5) || strlen(name) <= NAME_WIDTH) {
		table_str(t, name);
		return;
	}
	for (const char *p = name; (p = strchr(p, ',')); p++)
		calls++;
	while (end && name[end] != ',')
		end--;
	text = xasprintf("%.*s,... (%zu calls)", (int)end, name, calls);
	table_str(t, text);
	free(text);
}

static int put_probe(const struct ctrace_probe_info *p, void *arg)
{
	struct out *o = arg;

	if (cli_json) {
		json_open(&o->j, NULL, '{');
		json_uint(&o->j, "session", p->session);
		json_uint(&o->j, "id", p->id);
		json_str(&o->j, "name", p->name);
		json_uint(&o->j, "event_id", p->event_id);
		json_uint(&o->j, "missed", p->missed);
		json_uint(&o->j, "blind_ns", p->blind_ns);
		if (p->aggregate[0]) {
			json_str(&o->j, "aggregate", p->aggregate);
			json_uint(&o->j, "rows", p->rows);
		}
		json_close(&o->j, '}');
		return 0;
	}
	table_num(&o->t, p->session);
	table_num(&o->t, p->id);
	table_num(&o->t, p->missed);
	put_name(&o->t, p->name);
	table_str(&o->t, p->aggregate);
	table_end_row(&o->t);
	return 0;
}

static int put_ring(const struct ctrace_ring_info *r, void *arg)
{
	struct out *o = arg;
	bool shared = r->cid == CTRACE_CID_ALL;
	const struct centry *e = shared ? NULL : ctable_get(o->names, r->cid);

	if (cli_json) {
		json_open(&o->j, NULL, '{');
		json_uint(&o->j, "session", r->session);
		json_uint(&o->j, "slot", r->slot);
		json_uint(&o->j, "cpu", r->cpu);
		json_flag(&o->j, "shared", shared);
		if (e) {
			json_uint(&o->j, "cid", r->cid);
			json_str(&o->j, "container", e->label);
		}
		json_uint(&o->j, "generation", r->gen);
		json_uint(&o->j, "events", r->events);
		json_uint(&o->j, "bytes", r->bytes);
		json_uint(&o->j, "lost_full", r->lost_full);
		json_uint(&o->j, "lost_nested", r->lost_nested);
		json_uint(&o->j, "lost_frozen", r->lost_frozen);
		json_close(&o->j, '}');
		return 0;
	}
	table_num(&o->t, r->session);
	table_num(&o->t, r->slot);
	table_num(&o->t, r->cpu);
	table_str(&o->t, e ? e->shown : "(shared)");
	table_num(&o->t, r->events);
	table_size(&o->t, r->bytes);
	table_num(&o->t, r->lost_full);
	table_num(&o->t, r->lost_nested);
	table_num(&o->t, r->lost_frozen);
	table_end_row(&o->t);
	return 0;
}

static int each_session(struct ctrace *ct, struct out *o)
{
	return ctrace_session_each(ct, put_session, o);
}

static int each_probe(struct ctrace *ct, struct out *o)
{
	return ctrace_probe_each(ct, 0, put_probe, o);
}

static int each_ring(struct ctrace *ct, struct out *o)
{
	return ctrace_ring_each(ct, 0, put_ring, o);
}

static const struct part {
	const char *key;
	int (*each)(struct ctrace *ct, struct out *o);
	const char *heads[TABLE_COLUMNS];
	size_t columns;
	bool rings;
} parts[] = {
	{ "sessions", each_session, { "SESSION", "NAME", "OWNER", "STATE", "ARENA", "RING",
	  "TABLES", "USED/SLOTS", "PROBES", "EVENTS", "FULL", "NESTED", "FROZEN", "MISSED",
	  "UNFOLLOWED", "UNFOLLOWED_TASKS", "UNREAD", "LIMITED" }, 18, false },
	{ "probes", each_probe, { "SESSION", "PROBE", "MISSED", "NAME", "COUNTED" }, 5, false },
	{ "rings", each_ring, { "SESSION", "SLOT", "CPU", "CONTAINER", "EVENTS", "BYTES", "FULL",
	  "NESTED", "FROZEN" }, 9, true },
};

static void put_info(struct out *o, const struct ctrace_info *i)
{
	bool known = i->cgroup_mode < ARRAY_SIZE(cgroup_modes) && cgroup_modes[i->cgroup_mode];
	const char *mode = known ? cgroup_modes[i->cgroup_mode] : "unknown";

	if (!cli_json) {
		printf("module %s (ABI %u), cgroup %s, %u container%s, %u session%s\n", i->version,
		       i->abi, mode, i->containers, i->containers == 1 ? "" : "s", i->sessions,
		       i->sessions == 1 ? "" : "s");
		if (i->unknown)
			printf("%llu events are shown under 'unknown': no room for their containers, or cgroups too deep\n",
			       (unsigned long long)i->unknown);
		if (i->tasks)
			printf("system calls are traced: %u of %u tasks pay for that, %u are spared%s%s%s\n",
			       i->tasks - i->spared, i->tasks, i->spared, *i->spared_why ? " (" : "", i->spared_why,
			       *i->spared_why ? ")" : "");
		if (i->recalled_of_ns)
			printf("tasks could be spared for %.1f%% of %.0f s; %llu times all had to pay again, as what is wanted had changed\n",
			       100 * (1 - (double)i->recalled_ns / (double)i->recalled_of_ns), (double)i->recalled_of_ns / 1e9,
			       (unsigned long long)i->recalls);
		if (*i->blind)
			printf("hooks are blind: events that need kprobes are not seen: %s\n", i->blind);
		else if (i->blind_ns)
			printf("hooks were blind for %.1f s since the module was loaded, as kprobes were switched off; they are not now\n",
			       (double)i->blind_ns / 1e9);
		return;
	}
	json_open(&o->j, "module", '{');
	json_str(&o->j, "version", i->version);
	json_uint(&o->j, "abi", i->abi);
	json_uint(&o->j, "abi_compat", i->abi_compat);
	json_str(&o->j, "cgroup", mode);
	json_uint(&o->j, "containers", i->containers);
	json_uint(&o->j, "sessions", i->sessions);
	json_uint(&o->j, "unknown", i->unknown);
	if (i->tasks) {
		json_uint(&o->j, "tasks", i->tasks);
		json_uint(&o->j, "spared", i->spared);
		if (*i->spared_why)
			json_str(&o->j, "spared_why", i->spared_why);
		json_uint(&o->j, "recalls", i->recalls);
		json_uint(&o->j, "recalled_ns", i->recalled_ns);
		json_uint(&o->j, "recalled_of_ns", i->recalled_of_ns);
	}
	if (*i->blind)
		json_str(&o->j, "blind", i->blind);
	json_uint(&o->j, "blind_ns", i->blind_ns);
	json_close(&o->j, '}');
}

/* The flight recorder, if this machine has one. */
static void put_watch(struct out *o)
{
	struct watch_state s;
	struct sbuf b = { 0 };

	watch_state_get(&s, "", WATCH_CONF);
	if (cli_json) {
		watch_state_json(&o->j, "watch", &s);
	} else if (s.runs || s.dumps) {
		watch_state_words(&b, &s);
		printf("watch: %s\n", b.s);
		sbuf_free(&b);
	}
	watch_state_free(&s);
}

static int show(struct ctrace *ct, bool rings)
{
	struct sbuf b = { 0 };
	struct out o = { .j = { .out = &b }, .names = ctable_new(ct) };
	struct ctrace_info info;
	int status = CLI_OK, err;

	json_open(&o.j, NULL, '{');
	err = ctrace_info(ct, &info, sizeof(info));
	/*
	 * get names before the dump of rings: a connection does one dump at a time; and before the numbers
	 * are shown, which are 0 for a caller that may not trace
	 */
	if (!err)
		err = ctable_list(o.names);
	if (!err)
		put_info(&o, &info);
	if (!err)
		put_watch(&o);
	for (size_t i = 0; !err && i < ARRAY_SIZE(parts); i++) {
		const struct part *p = &parts[i];

		if (!cli_json && ((p->rings && !rings) || !info.sessions))
			continue;
		table_init(&o.t, p->heads, p->columns);
		json_open(&o.j, p->key, '[');
		err = p->each(ct, &o);
		json_close(&o.j, ']');
		if (!cli_json && !err && o.t.n > p->columns) {
			putchar('\n');
			table_print(&o.t, stdout);
			fputs(o.below.len ? o.below.s : "", stdout);
			sbuf_reset(&o.below);
		}
		table_free(&o.t);
	}
	json_close(&o.j, '}');
	json_line(&o.j);
	if (err)
		status = cli_error("%s", ctrace_errmsg(ct));
	else if (cli_json)
		fputs(b.s, stdout);
	ctable_free(o.names);
	sbuf_free(&o.below);
	sbuf_free(&b);
	return status;
}

static int run_status_cmd(int argc, char **argv)
{
	struct getopts g = getopts_of(options);
	struct ctrace *ct;
	bool rings = false;
	int opt, status;

	while ((opt = getopt_long(argc, argv, g.shorts, g.longs, NULL)) != -1) {
		if (opt == 'h')
			return cli_help(cli_cmd);
		if (opt == 'r')
			rings = true;
		else if (opt != 'j')
			return cli_bad_option(opt, argv, &g);
	}
	if (optind < argc)
		return cli_usage("status takes no arguments");
	ct = cli_open();
	if (!ct)
		return CLI_FAIL;
	status = show(ct, rings);
	ctrace_close(ct);
	return status;
}

const struct command cmd_status = {
	.name = "status", .usage = usage, .options = { options }, .notes = notes, .run = run_status_cmd,
};
