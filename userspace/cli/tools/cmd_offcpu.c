// SPDX-License-Identifier: GPL-2.0-only
/* ctrace offcpu: how long tasks slept, in which call, on which stack, and who woke them. */
#include <stdlib.h>
#include <string.h>
#include "commands.h"
#include "count/descriptors.h"
#include "count/sums.h"
#include "run/recording.h"

static const char usage[] =
"Usage: ctrace offcpu [OPTIONS] [TARGET...] [-- COMMAND [ARGUMENTS]]\n"
"\n"
"Shows how long tasks slept, and in which system call: from leaving the CPU\n"
"asleep until being woken. A sleep counts when it ends. Waiting for a CPU is not\n"
"sleeping: see 'ctrace runqlat'.\n";

#define PEER_ROWS	4096	/* with --peers: one for each descriptor */
#define FUNCTIONS	"sum(duration), count(), max(duration), hist(duration)"

enum { OPT_BY_STACK = OPT_VIEW_OWN, OPT_WAKERS, OPT_PEERS };

static const struct cli_option options[] = {
	{ .help = "What to show:" },
	OPTION("stack", OPT_BY_STACK, NULL,
	       "by the stack that led to the sleep, the kernel's and the program's, in place of the call"),
	OPTION("wakers", OPT_WAKERS, NULL, "by the task that woke the sleeper, in place of the call"),
	OPTION("peers", OPT_PEERS, NULL,
	       "the same; for what comes by the network, by the container at the other end"),
	OPTION("folded", OPT_FOLDED, "FILE",
	       "at the end, write a line with the microseconds for each stack, for flame graphs; FILE - is "
	       "standard output"),
	OPTION("longer", OPT_LONGER, "TIME", "only sleeps of at least this time"),
	OPTION("by", OPT_BY, "KEY,...", "separately for each comm, tid, pid, state, iowait, ...", VIEW_KEYS),
	OPTION("sort", OPT_SORT, "COLUMN", "by %s", "total count p50 p99 max name"),
	{ 0 },
};

struct own {
	bool stack, wakers, peers;	/* peers: wakers, too */
	struct descriptors fds;		/* at which tasks slept that an interrupt woke */
};

static bool option(struct view *v, int opt, int *status)
{
	struct own *own = v->own;

	if (opt == OPT_BY_STACK) {
		own->stack = true;
	} else if (opt == OPT_WAKERS) {
		own->wakers = true;
	} else if (opt == OPT_PEERS) {
		own->wakers = own->peers = true;
	} else if (opt == OPT_FOLDED) {
		own->stack = true;
		v->folded = optarg;
	} else {
		return false;
	}
	if (own->stack && own->wakers)
		*status = cli_usage("--wakers and stacks are two ways to count: choose one");
	else
		view_check_folded(v, status);
	return true;
}

/* The keys for stacks: both, or those that the recording has. The caller frees it. */
static char *stack_keys(struct view *v)
{
	uint32_t both = CTRACE_PROBE_F_STACK | CTRACE_PROBE_F_USER_STACK;
	uint32_t has = v->recording ? view_input_recording(v)->info.stacks & both : both;
	bool user = has & CTRACE_PROBE_F_USER_STACK;

	/* a user stack's addresses are a process's own */
	v->merges = user && !view_list_has(v->by, "pid") && !view_list_has(v->by, "tid");
	return xasprintf("%s%s%s%s", v->folded && !v->by ? "comm, " : "", v->merges ? "pid, " : "", user ? "ustack" : "",
			 has == CTRACE_PROBE_F_USER_STACK ? "" : user ? ", stack" : "stack");
}

/* The keys by which the wakers' names are made. */
static const char *const waker_keys[] = { "waker_cid", "waker_comm" };
/* With --peers. An interrupt delivers what comes by the network, at a descriptor of a process. */
static const char *const peer_keys[] = { "waker_cid", "waker_comm", "pid", "syscall", "arg" };

/* The names of these keys that --by does not have, too, with commas between. The caller frees it. */
static char *keys_beside(const struct view *v, const struct own *own)
{
	const char *const *keys = own->peers ? peer_keys : waker_keys;
	size_t n = own->peers ? ARRAY_SIZE(peer_keys) : ARRAY_SIZE(waker_keys);
	struct sbuf b = { 0 };

	for (size_t i = 0; i < n; i++)
		if (!view_list_has(v->by, keys[i]))
			sbuf_printf(&b, "%s%s", b.len ? "," : "", keys[i]);
	return b.s;
}

static int groups(struct view *v)
{
	const struct own *own = v->own;
	int status = view_one_event(&v->o, "sched_block", NULL);
	char *keys;

	if (status != CLI_OK)
		return status;
	keys = own->stack ? stack_keys(v) : own->wakers ? keys_beside(v, own) : xstrdup("syscall");
	if (own->peers && !v->rows)
		v->rows = PEER_ROWS;
	view_add_group(v, NULL, view_aggregate(v, FUNCTIONS, keys));
	free(keys);
	return CLI_OK;
}

/* --- names of lines ------------------------------------------------------------ */

static uint64_t key_of(const struct view_row *row, const char *name, uint32_t *key)
{
	*key = (uint32_t)view_key(row->t->t, name);	/* it is one of this view's keys */
	return row->r->key[row->t->t->keys[*key].at];
}

static void put_call(struct view *v, struct sbuf *b, const struct view_row *row)
{
	uint32_t key;

	if ((int64_t)key_of(row, "syscall", &key) < 0 && !view_is_other(row))
		sbuf_puts(b, "(no call)");
	else
		view_put_key(v, b, row, key);
}

/* Does the row's call have a descriptor, perhaps a connection's, as its first argument? */
static bool is_of_network(struct view *v, const struct view_row *row)
{
	static const char calls[] = " connect recvfrom recvmsg recvmmsg sendto sendmsg sendmmsg "
				    "read readv write writev ";
	uint32_t key;
	int64_t nr = (int64_t)key_of(row, "syscall", &key);
	char *word = xasprintf(" %s ", nr < 0 ? "-" : view_call_name(v, CTRACE_ID_CALL + (uint64_t)nr));
	bool is = strstr(calls, word);

	free(word);
	return is;
}

static bool is_of_task(const struct view_row *row)
{
	uint32_t comm;
	size_t len;

	key_of(row, "waker_comm", &comm);
	ctrace_row_text(row->t->gain, row->r, comm, &len);
	return len;
}

/* Looks up the connections of the period's rows. */
static void look_at_network(struct view *v)
{
	struct own *own = v->own;
	const struct ctrace_look_row *r;

	descriptors_free(&own->fds);
	own->fds = (struct descriptors){ 0 };
	for (size_t i = 0; i < v->ntables && !v->recording; i++)
		for (size_t k = 0; (r = ctrace_look_row(v->tables[i].gain, k)); k++) {
			const struct view_row row = { &v->tables[i], r };
			uint32_t key;

			if (view_is_other(&row) || is_of_task(&row) || !is_of_network(v, &row))
				continue;
			descriptors_look(&own->fds, r->cid, (int32_t)key_of(&row, "pid", &key),
					 (int32_t)key_of(&row, "arg", &key));
		}
	descriptors_end(&own->fds);
	descriptors_far(&own->fds, v->run.ctable, true);
}

static void put_interrupt(struct view *v, struct sbuf *b, const struct view_row *row)
{
	const struct own *own = v->own;
	const struct descriptor *d = NULL;
	uint32_t key;

	if (own->peers && is_of_network(v, row))
		d = descriptors_at(&own->fds, (int32_t)key_of(row, "pid", &key),
				   (int32_t)key_of(row, "arg", &key));
	if (!d || !d->is_tcp) {
		sbuf_puts(b, "(interrupt)");
		return;
	}
	if (d->far.cid != CTRACE_CID_UNKNOWN)
		view_put_other_container(v, b, d->far.cid);
	else
		/* clients have very many ports */
		sbuf_puts(b, d->leads == LEADS_SERVER ? d->far.address : "");
	sbuf_puts(b, b->len ? " (network)" : "(network)");
}

static void put_waker(struct view *v, struct sbuf *b, const struct view_row *row)
{
	uint32_t cid, comm;
	uint64_t from;

	if (view_is_other(row)) {
		sbuf_puts(b, "(other)");
		return;
	}
	if (!is_of_task(row)) {
		put_interrupt(v, b, row);
		return;
	}
	from = key_of(row, "waker_cid", &cid);
	key_of(row, "waker_comm", &comm);
	view_put_other_container(v, b, (uint32_t)from);
	sbuf_putc(b, '/');
	view_put_key(v, b, row, comm);
}

/* In a name, between the kernel's frames and the program's; none of them has it. */
#define PROGRAM		'\v'

/* False: it has no frames. */
static bool put_stack(struct view *v, struct sbuf *b, const struct view_row *row, const char *name)
{
	int key = view_key(row->t->t, name);
	uint32_t n = 0;

	if (key >= 0)
		ctrace_row_stack(row->t->gain, row->r, (uint32_t)key, &n);
	if (n)
		view_put_stack(v, b, row, (uint32_t)key);
	return n;
}

static void put_frames(struct view *v, struct sbuf *b, const struct view_row *row)
{
	bool some;

	if (view_is_other(row)) {
		sbuf_puts(b, "  (other)\n");
		return;
	}
	some = put_stack(v, b, row, "stack");
	sbuf_putc(b, PROGRAM);
	if (!put_stack(v, b, row, "ustack") && !some)
		sbuf_puts(b, "  (no stack)\n");
}

/* --- columns ------------------------------------------------------------------ */

static bool by_call(const struct view *v)
{
	const struct own *own = v->own;

	return !own->stack && !own->wakers;
}

static bool by_waker(const struct view *v)
{
	return ((const struct own *)v->own)->wakers;
}

static bool by_stack(const struct view *v)
{
	return ((const struct own *)v->own)->stack;
}

static size_t of_kernel(const struct sum *s)
{
	const char *program = strchr(s->name, PROGRAM);

	return program ? (size_t)(program - s->name) : strlen(s->name);
}

static void json_frames(struct json *j, const char *key, const char *s, size_t n)
{
	const char *end = s + n;

	json_open(j, key, '[');
	for (const char *line; s < end && (line = memchr(s, '\n', (size_t)(end - s))); s = line + 1) {
		s += strspn(s, " ");
		json_strn(j, NULL, s, (size_t)(line - s));
	}
	json_close(j, ']');
}

static void json_stack(struct json *j, const void *row)
{
	const struct sum *s = row;

	json_frames(j, "stack", s->name, of_kernel(s));
}

static void json_ustack(struct json *j, const void *row)
{
	const struct sum *s = row;
	size_t kernel = of_kernel(s);

	kernel += s->name[kernel] == PROGRAM;
	json_frames(j, "ustack", s->name + kernel, strlen(s->name + kernel));
}

static const struct column columns[] = {
	{ "CALL", "call", COLUMN_TEXT, COLUMN_AT(struct sum, name), .word = "name", .there = by_call },
	{ "WAKER", "waker", COLUMN_TEXT, COLUMN_AT(struct sum, name), .word = "name", .there = by_waker },
	{ .json = json_stack, .there = by_stack },
	{ .json = json_ustack, .there = by_stack },
	SUM_COLUMN("COUNT", NULL, COLUMN_NUMBER, n),
	SUM_COLUMN("TOTAL", "total", COLUMN_NS, total),
	SUM_PERCENTILES,
};
static const struct listing listing = {
	LISTING_COLUMNS(columns), .row_size = sizeof(struct sum), .first = "total", .whose = sum_whose, .tie = sum_tie,
};

static void make_wakers(struct view *v, struct sums *s)
{
	char *drop = keys_beside(v, v->own);

	if (((const struct own *)v->own)->peers)
		look_at_network(v);
	sums_make_named(v, s, put_waker, drop);
	free(drop);
}

static size_t make(struct view *v, struct sums *s)
{
	const struct own *own = v->own;

	if (own->stack)
		sums_make_named(v, s, put_frames, v->merges ? "pid,ustack,stack" : "ustack,stack");
	else if (own->wakers)
		make_wakers(v, s);
	else
		sums_make_named(v, s, put_call, "syscall");
	return listing_sort(v, &listing, s->v, s->n);
}

/* --- text --------------------------------------------------------------------- */

static void put_summed(struct sbuf *b, const struct sum *s)
{
	size_t kernel = of_kernel(s);

	sbuf_putc(b, '\n');
	sbuf_put(b, s->name, kernel);
	sbuf_puts(b, s->name[kernel] ? s->name + kernel + 1 : "");
}

static void print(struct view *v, struct json *j)
{
	const struct own *own = v->own;
	struct sums s;
	size_t n = make(v, &s);

	if (own->stack && !j)
		sums_print_stacks(v, s.v, n, put_summed, false);
	else
		listing_print(v, j, &listing, s.v, n);
	sums_free(&s);
}

static int run_offcpu(int argc, char **argv)
{
	static const struct view_kind kind = {
		.options = options, .option = option, .groups = groups, .print = print,
		.weight = sum_usecs,
	};
	struct own own = { 0 };
	int status = view_run(&kind, &own, argc, argv);

	descriptors_free(&own.fds);
	return status;
}

const struct command cmd_offcpu = {
	.name = "offcpu", .kind = COMMAND_COUNTS, .usage = usage, .options = { options },
	.words = { "@targets" }, .run = run_offcpu,
};
