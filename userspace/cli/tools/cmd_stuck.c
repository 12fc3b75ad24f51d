// SPDX-License-Identifier: GPL-2.0-only
/*
 * ctrace stuck: what threads are in and do not come out of; and requests and connections that have begun and
 * not ended (tools/stuck.h). The kernel says what each thread is in and for how long, /proc which call that
 * is. Nothing is read that may wait for what the thread waits for: neither its memory nor its files.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "commands.h"
#include "base/table.h"
#include "count/threads.h"
#include "count/view.h"
#include "names/cgroup_files.h"
#include "run/run.h"
#include "strace/paint.h"
#include "tools/stuck.h"

static const char usage[] =
"Usage: ctrace stuck [OPTIONS] [TARGET...]\n"
"\n"
"Shows which threads are held up now, for how long, and in which call: by a disk,\n"
"a lock, a server, a CPU that others have, or the kernel. Then block requests and\n"
"TCP connections that have begun and not ended. Without a TARGET: those of all\n"
"containers and of the host.\n";

enum { OPT_ALL = OPT_VIEW_OWN };

static const struct cli_option options[] = {
	{ .help = "What to show:" },
	OPTION("longer", OPT_LONGER, "TIME", "what has lasted for at least this long (default 1s)"),
	OPTION("all", OPT_ALL, NULL, "threads at rest, too: they wait for work, for a time, for a child"),
	OPTION("stack", OPT_STACK, NULL, "the kernel's functions that each of them is in"),
	OPTION("top", OPT_TOP, "N", "only the first N rows of each table"),
	{ .help = "How:" },
	OPTION("json", 'j', NULL, "print one JSON object"),
	OPTION("help", 'h', NULL, "this text"),
	{ 0 },
};

#define LONGER		NSEC_PER_SEC
#define FRAMES		32	/* of a stack, at most */
#define LINK		4096	/* bytes of a descriptor's name */

struct item {
	struct ctrace_task_info i;
	const char *what;	/* a word */
	bool held;		/* it is not at rest */
	uint64_t age;		/* ns: in this state, or in its call; 0: not known */
	struct thread_call call;
	bool compat;		/* a 32-bit call */
};

struct stuck {
	uint64_t longer;
	uint32_t top;
	bool all, stack;
	struct run run;
	struct paints *paints;
	struct stuck_requests requests;
	struct stuck_connections connections;
	struct threads fds;	/* for the descriptors at which threads wait */
	struct cgroup_files *files;
	uint32_t cid;		/* of the last thread that was asked about, CTRACE_CID_ALL: none, ... */
	bool frozen;		/* ... and whether its container is */
	struct item *v;
	size_t n, room;
	size_t threads, held;	/* that were looked at; and of these, held up for long enough */
	bool counts;		/* the kernel knows when a thread last ran */
};

/* --- one thread ------------------------------------------------------------------- */

static char *dir_of(const struct ctrace_task_info *i)
{
	return xasprintf("/proc/%u/task/%u", i->pid, i->tid);
}

/*
 * A 32-bit program's auxiliary vector has 32-bit words: its first word of 64 bits is two of them, a small
 * number and a value.
 */
static bool is_32bit(const char *dir)
{
	char *file = xasprintf("%s/auxv", dir), *text;
	uint64_t first = 0;
	size_t len = 0;

	text = read_file(file, &len);
	if (text && len >= sizeof(first))
		memcpy(&first, text, sizeof(first));
	free(file);
	free(text);
	return first >> 32;
}

/*
 * Does it wait for its cgroup to be thawed? Such a thread has an ordinary state. Its container is frozen; or
 * it sleeps where a signal would be delivered (v2; in a function of its own, or not), or as for a suspend
 * (v1): then a cgroup inside is frozen. Many kernels before 5.16 say 0 in place of that function.
 */
static bool is_frozen(struct stuck *k, uint32_t cid, const char *dir)
{
	const struct centry *e = cid == k->cid ? NULL : ctable_find(k->run.ctable, cid);
	char *file, *text;
	bool is;

	if (cid != k->cid) {
		k->frozen = e && cgroup_frozen(k->files, &e->c);
		k->cid = cid;
	}
	if (k->frozen)
		return true;
	file = xasprintf("%s/wchan", dir);
	text = read_file(file, NULL);
	is = text && (!strcmp(text, "do_freezer_trap") || !strcmp(text, "get_signal") ||
		      !strcmp(text, "__refrigerator"));
	free(file);
	free(text);
	return is;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* The rule of why, for one thread. */
static void judge(struct stuck *k, struct item *x, const char *dir)
{
	const uint32_t stopped = 4 | 8;	/* TASK_*: the same since 2.6 */
	const struct thread of = { .pid = (int32_t)x->i.pid };
	enum spent s;

	if (!x->i.state) {
		x->held = x->i.queued_ns || x->i.span == CTRACE_ID_SCHED_WAIT;
		x->what = x->held ? "cpu" : "runs";
		x->age = x->i.span == CTRACE_ID_SCHED_WAIT ? x->i.span_ns : x->i.queued_ns;
		x->age = larger(x->age, x->i.call_ns);
		return;
	}
	x->age = larger(x->i.span == CTRACE_ID_SCHED_BLOCK ? x->i.span_ns : x->i.ran_ns, x->i.call_ns);
	x->call = thread_call_read(dir);
	x->compat = x->call.nr >= 0 && (x->i.call ? ctrace_id_call(x->i.call).is32 : is_32bit(dir));
	if (x->i.state & stopped || is_frozen(k, x->i.cid, dir)) {
		x->what = x->i.state & stopped ? "stopped" : "frozen";
		x->held = true;
		return;
	}
	s = threads_at_call(&k->fds, &of, k->run.schema, &x->call);
	if (x->i.iowait)
		s = SPENT_DISK;
	else if (is_deep_sleep(x->i.state) && s != SPENT_CHILDREN && s != SPENT_DISK)
		s = SPENT_KERNEL;
	x->held = s == SPENT_DISK || s == SPENT_KERNEL || s == SPENT_LOCKS || s == SPENT_NETWORK;
	x->what = spent_word(s);
}

static int look_at(const struct ctrace_task_info *i, void *arg)
{
	struct item x = { .i = *i, .call.nr = -1 };
	struct stuck *k = arg;
	char *dir;

	if (i->tid == (uint32_t)getpid())
		return 0;
	k->threads++;
	k->counts |= i->ran_ns;
	/* a first look, without /proc: most threads have run a moment ago, or are too many */
	if (larger(larger(i->ran_ns, i->queued_ns), larger(i->span_ns, i->call_ns)) < k->longer)
		return 0;
	dir = dir_of(i);
	judge(k, &x, dir);
	free(dir);
	if (x.age < k->longer)
		return 0;
	k->held += x.held;
	if (!x.held && !k->all)
		return 0;
	if (k->n == k->room) {
		k->room = k->room ? 2 * k->room : 64;
		k->v = xrealloc(k->v, k->room * sizeof(k->v[0]));
	}
	k->v[k->n++] = x;
	return 0;
}

static int by_age(const void *a, const void *b)
{
	const struct item *x = a, *y = b;

	if (x->age != y->age)
		return x->age < y->age ? 1 : -1;
	return x->i.tid < y->i.tid ? -1 : x->i.tid > y->i.tid;
}

/* --- a call, as strace shows it ----------------------------------------------------- */

#define HEX	24

/* What the record of the call would say, as far as it is known: v and what it points to. */
struct known {
	struct ctrace_value v[FIELDS_MAX];
	char hex[CALL_ARGS][HEX], link[CALL_ARGS][LINK];
};

static void know(struct known *w, const struct paint *p, const struct item *x)
{
	uint64_t marks = 0;

	memset(w->v, 0, sizeof(w->v));
	for (uint32_t f = 0; f < p->type->nfields && f < FIELDS_MAX; f++)
		w->v[f].field = &p->type->fields[f];
	for (uint32_t a = 0; a < p->nargs && a < CALL_ARGS && p->first + a < FIELDS_MAX; a++) {
		struct ctrace_value *v = &w->v[p->first + a];
		int16_t path = p->about[a][ABOUT_PATH];
		uint64_t n = x->call.args[a];
		ssize_t len;
		char *file;

		if (v->field->kind != CTRACE_FK_STRING) {
			v->u = n;
		} else {
			/* an address: the text is in its memory */
			marks |= n ? CTRACE_CALL_M_UNREAD(a) : CTRACE_CALL_M_NULL(a);
			v->str.len = (size_t)snprintf(w->hex[a], HEX, "0x%llx", (unsigned long long)n);
			v->str.s = w->hex[a];
		}
		if (path < 0 || path >= FIELDS_MAX)
			continue;
		file = xasprintf("/proc/%u/task/%u/fd/%d", x->i.pid, x->i.tid, (int32_t)n);
		len = readlink(file, w->link[a], LINK);
		free(file);
		w->v[path].str.s = w->link[a];
		w->v[path].str.len = len > 0 ? (size_t)len : 0;
	}
	if (p->marks >= 0)
		w->v[p->marks].u = marks;
}

/* NULL: it sleeps in no call, or none is known. */
static const struct paint *call_of(struct stuck *k, const struct item *x)
{
	uint32_t first = x->compat ? CTRACE_ID_COMPAT_CALL : CTRACE_ID_CALL;

	if (x->call.nr < 0 || x->call.nr >= CTRACE_NR_SYSCALLS)
		return NULL;
	return paints_get(k->paints, (uint16_t)(first + (uint32_t)x->call.nr));
}

static void put_call(struct stuck *k, struct sbuf *b, const struct item *x)
{
	const struct paint *p = call_of(k, x);
	struct known *w;

	if (!p)
		return;
	sbuf_printf(b, "%s(", p->call.name);
	if (p->type) {
		w = xcalloc(1, sizeof(*w));
		know(w, p, x);
		syscall_put_args(b, &(struct call_values){ p, w->v, (int)p->type->nfields }, NULL);
		free(w);
	}
	sbuf_putc(b, ')');
}

/* The functions, the innermost first; each: called with the name, without offset and module. */
static void each_frame(const struct item *x, void (*fn)(void *arg, const char *name, size_t len), void *arg)
{
	char *file = xasprintf("/proc/%u/task/%u/stack", x->i.pid, x->i.tid), *text = read_file(file, NULL);
	int n = 0;

	for (const char *line = text; line && *line && n < FRAMES; n++) {
		size_t len = strcspn(line, "\n");
		const char *name = memchr(line, ']', len);

		name = name && name[1] == ' ' ? name + 2 : line;
		fn(arg, name, strcspn(name, "+ \n"));
		line += len + (line[len] == '\n');
	}
	free(file);
	free(text);
}

/* --- all of them ------------------------------------------------------------------- */

static void print_frame(void *arg, const char *name, size_t len)
{
	(void)arg;
	printf("        %.*s\n", (int)len, name);
}

static void print_table(struct stuck *k, size_t n)
{
	static const char *const heads[] = { "CONTAINER", "AGE", "IN", "COMM/TID", "CALL" };
	struct table t;

	for (size_t from = 0, to; from < n; from = to) {
		/* with stacks each row is a table of its own, and shows its head once */
		to = k->stack ? from + 1 : n;
		table_init(&t, heads, ARRAY_SIZE(heads));
		for (size_t i = from; i < to; i++) {
			const struct item *x = &k->v[i];
			char *who = xasprintf("%s/%u", x->i.comm, x->i.tid);
			struct sbuf b = { 0 };

			table_str(&t, ctable_shown(k->run.ctable, x->i.cid));
			table_ns(&t, x->age);
			table_str(&t, x->what);
			table_str(&t, who);
			put_call(k, &b, x);
			table_str(&t, b.s ? b.s : "");
			table_end_row(&t);
			sbuf_free(&b);
			free(who);
		}
		table_print(&t, stdout);
		table_free(&t);
		if (k->stack)
			each_frame(&k->v[from], print_frame, NULL);
	}
}

static void json_frame(void *arg, const char *name, size_t len)
{
	json_strn(arg, NULL, name, len);
}

static void json_item(struct stuck *k, struct json *j, const struct item *x)
{
	struct sbuf b = { 0 };

	json_open(j, NULL, '{');
	json_uint(j, "cid", x->i.cid);
	json_str(j, "container", ctable_label(k->run.ctable, x->i.cid));
	json_uint(j, "pid", x->i.pid);
	json_uint(j, "tid", x->i.tid);
	json_uint(j, "vtid", x->i.vtid);
	json_str(j, "comm", x->i.comm);
	json_str(j, "in", x->what);
	json_flag(j, "held_up", x->held);
	json_uint(j, "age", x->age);
	if (x->i.call_ns)
		json_uint(j, "call_age", x->i.call_ns);
	if (call_of(k, x)) {
		json_str(j, "call", call_of(k, x)->call.name);
		put_call(k, &b, x);
		json_strn(j, "text", b.s, b.len);
	}
	if (k->stack) {
		json_open(j, "stack", '[');
		each_frame(x, json_frame, j);
		json_close(j, ']');
	}
	json_close(j, '}');
	sbuf_free(&b);
}

static void print_json(struct stuck *k, size_t most)
{
	struct sbuf b = { 0 };
	struct json j = { .out = &b };

	json_open(&j, NULL, '{');
	json_uint(&j, "realtime", clock_ns(CLOCK_REALTIME));
	json_uint(&j, "longer", k->longer);
	json_uint(&j, "threads", k->threads);
	json_uint(&j, "held_up", k->held);
	json_open(&j, "rows", '[');
	for (size_t i = 0; i < k->n && i < most; i++)
		json_item(k, &j, &k->v[i]);
	json_close(&j, ']');
	stuck_requests_json(&k->requests, &k->run, &j, most);
	stuck_connections_json(&k->connections, &k->run, &j, most);
	json_close(&j, '}');
	json_line(&j);
	fwrite(b.s, 1, b.len, stdout);
	sbuf_free(&b);
}

static void account(const struct stuck *k)
{
	struct sbuf b = { 0 };

	put_ns(&b, k->longer);
	fprintf(stderr, "ctrace: %zu of %zu threads have been held up for %s or longer\n", k->held, k->threads, b.s);
	if (!k->counts && k->threads)
		fputs("ctrace: this kernel does not count when a thread last ran (CONFIG_SCHED_INFO): "
		      "only what a session follows has an age\n", stderr);
	sbuf_free(&b);
}

static int plan(struct run *r, void *arg)
{
	(void)r;
	(void)arg;
	return CLI_OK;
}

static int look(struct stuck *k, struct run_opts *o)
{
	int status = run_setup(&k->run, o);
	size_t most = k->top ? k->top : SIZE_MAX;

	if (status != CLI_OK)
		return status;
	k->paints = paints_new(k->run.schema, false);
	if (ctrace_task_each(k->run.ct, ctrace_session_id(k->run.session), look_at, k))
		return cli_error("%s", ctrace_errmsg(k->run.ct));
	k->requests.longer = k->connections.longer = k->longer;
	if (stuck_requests_look(&k->requests, &k->run))
		return cli_error("%s", ctrace_errmsg(k->run.ct));
	stuck_connections_look(&k->connections, &k->run);
	descriptors_end(&k->fds.fds);
	qsort(k->v, k->n, sizeof(k->v[0]), by_age);
	if (cli_json) {
		print_json(k, most);
	} else {
		print_table(k, k->n < most ? k->n : most);
		stuck_requests_print(&k->requests, &k->run, most, k->n);
		stuck_connections_print(&k->connections, &k->run, most, k->n || k->requests.n);
	}
	fflush(stdout);
	account(k);
	stuck_requests_account(&k->requests);
	stuck_connections_account(&k->connections);
	return CLI_OK;
}

static int run_stuck(int argc, char **argv)
{
	static char *everything[] = { "all" };
	struct stuck k = { .longer = LONGER, .cid = CTRACE_CID_ALL };
	struct getopts g = getopts_of(options);
	struct run_opts o = { .plan = plan };
	int opt, status = CLI_OK;

	argc = run_split(argc, argv, &o.command);
	if (o.command)
		return cli_usage("stuck looks at threads that exist: it starts no COMMAND");
	while (status == CLI_OK && (opt = getopt_long(argc, argv, g.shorts, g.longs, NULL)) != -1) {
		if (opt == 'h')
			return cli_help(cli_cmd);
		if (opt == OPT_ALL)
			k.all = true;
		else if (opt == OPT_STACK)
			k.stack = true;
		else if (opt == OPT_LONGER && parse_duration_or_0(optarg, &k.longer))
			status = cli_usage("'%s' is not a duration: write 2, 0.5, 500ms or 2m", optarg);
		else if (opt == OPT_TOP && (parse_u32(optarg, &k.top) || !k.top))
			status = cli_usage("--top needs a number of 1 or more, not '%s'", optarg);
		else if (opt != OPT_LONGER && opt != OPT_TOP && opt != 'j')
			status = cli_bad_option(opt, argv, &g);
	}
	o.targets = optind < argc ? argv + optind : everything;
	o.ntargets = optind < argc ? argc - optind : 1;
	if (status != CLI_OK)
		return status;
	k.files = cgroup_files_new();
	status = look(&k, &o);
	if (k.paints)
		paints_free(k.paints);
	stuck_requests_free(&k.requests);
	stuck_connections_free(&k.connections);
	threads_free(&k.fds);
	cgroup_files_free(k.files);
	free(k.v);
	run_free(&k.run);
	return status;
}

const struct command cmd_stuck = {
	.name = "stuck", .usage = usage, .options = { options }, .words = { "@targets" }, .run = run_stuck,
};
