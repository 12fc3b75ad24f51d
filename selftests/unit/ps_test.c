// SPDX-License-Identifier: GPL-2.0-only
/*
 * ctrace ps, with containers, cgroups and notices that this file makes up. Of libctrace's containers.c it has
 * all functions, so that one is not linked.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "base/cli.h"
#include "commands.h"
#include "ktap.h"
#include "names/cgroup_files.h"
#include "names/cgroupfs.h"
#include "names/ctable.h"
#include "names/units.h"

#define LATE	9	/* born while ps follows */

bool cli_json;
const struct command *cli_cmd;

static int notices[2] = { -1, -1 };
static ctrace_container_event_fn notice_fn;
static void *notice_arg;

/* --- what the kernel would say ------------------------------------------------ */

static const struct ctrace_container all[] = {
	{ .cid = 0, .path = "/" },
	{ .cid = 1, .cgroup_id = 1, .runtime_id = "a", .path = "/system.slice/libpod-web.scope", .init_pid = 77 },
	{ .cid = 2, .cgroup_id = 2, .runtime_id = "3", .path = "/kubepods/pod1/app" },
	{ .cid = 3, .cgroup_id = 3, .runtime_id = "j", .path = "/kubepods/pod2/app" },
	{ .cid = 4, .cgroup_id = 4, .runtime_id = "4", .path = "/kubepods/pod1/sandbox" },
	{ .cid = 5, .parent = 2, .cgroup_id = 5, .path = "/kubepods/pod1/app/inner" },
	{ .cid = 6, .pidns = 4026532001u, .path = "/user.slice" },
	{ .cid = LATE, .cgroup_id = 9, .runtime_id = "k", .path = "/kubepods/pod3/db" },
};

static struct ctrace_container container(size_t i)
{
	struct ctrace_container c = all[i];

	if (c.runtime_id[0])
		memset(c.runtime_id, c.runtime_id[0], 64);
	c.first_seen = clock_ns(CLOCK_MONOTONIC);
	return c;
}

int ctrace_container_each(struct ctrace *ct, ctrace_container_fn fn, void *arg)
{
	(void)ct;
	for (size_t i = 0; i < ARRAY_SIZE(all) - 1; i++) {
		struct ctrace_container c = container(i);

		fn(&c, arg);
	}
	return 0;
}

int ctrace_container_subscribe(struct ctrace *ct, ctrace_container_event_fn fn, void *arg)
{
	(void)ct;
	notice_fn = fn;
	notice_arg = arg;
	return notices[0];
}

/* b, d: a container is born, dies. x: notices were lost. */
int ctrace_container_dispatch(struct ctrace *ct)
{
	struct ctrace_container c = container(ARRAY_SIZE(all) - 1);
	char what;

	(void)ct;
	if (read(notices[0], &what, 1) != 1)
		return 0;
	if (what == 'x')
		return -ENOBUFS;
	c.gone = what == 'd' ? c.first_seen : 0;
	notice_fn(&c, what == 'b', notice_arg);
	return 1;
}

bool cgroup_only_roots(const struct ctrace_container *c)
{
	(void)c;
	return true;
}

bool path_only_roots(const char *path)
{
	(void)path;
	return true;
}

char *cgroup_root(const char *controller)
{
	return xasprintf("%s/cgroup/%s", FIXTURES, controller ? controller : "v2");
}

/* no units here */
void units_find(struct units *u, const char *name, const uint32_t *uid)
{
	(void)name;
	(void)uid;
	*u = (struct units){ 0 };
}

void units_free(struct units *u)
{
	(void)u;
}

struct ctrace *cli_open(void)
{
	return (struct ctrace *)notices;	/* only the functions above get it */
}

void ctrace_close(struct ctrace *ct)
{
	(void)ct;
}

const char *ctrace_errmsg(const struct ctrace *ct)
{
	(void)ct;
	return "an error";
}

int cli_bad_option(int opt, char **argv, const struct getopts *g)
{
	(void)opt;
	(void)argv;
	(void)g;
	return CLI_USAGE;
}

int cli_help(const struct command *cmd)
{
	fputs(cmd->usage, stdout);
	return CLI_OK;
}

int cli_vreport(int status, const char *fmt, va_list ap)
{
	vprintf(fmt, ap);
	return status;
}

/* --- running it --------------------------------------------------------------- */

/* Starts ctrace ps with these options in a child. *out is where its lines come. */
static pid_t start(const char *options, int *out)
{
	char *copy = xstrdup(options), *argv[8] = { "ps" }, *save = NULL;
	int argc = 1, p[2];
	pid_t pid;

	for (char *w = strtok_r(copy, " ", &save); w; w = strtok_r(NULL, " ", &save))
		argv[argc++] = w;
	fflush(stdout);
	if (pipe(p) || pipe2(notices, O_NONBLOCK))
		exit(1);
	pid = fork();
	if (pid < 0)
		exit(1);
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		signal(SIGPIPE, SIG_IGN);
		dup2(p[1], STDOUT_FILENO);
		close(p[0]);
		close(p[1]);
		close(notices[1]);
		cli_json = strstr(options, "--json");
		argc = cmd_ps.run(argc, argv);
		fflush(stdout);
		_exit(argc);
	}
	free(copy);
	close(p[1]);
	close(notices[0]);
	*out = p[0];
	return pid;
}

static int end(pid_t pid, int out)
{
	int status = -1;

	close(out);
	close(notices[1]);
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + status;
}

static const char *ps(const char *options)
{
	static char text[16384];
	size_t n = 0;
	ssize_t got;
	int out;
	pid_t pid = start(options, &out);

	while ((got = read(out, text + n, sizeof(text) - 1 - n)) > 0)
		n += (size_t)got;
	text[n] = '\0';
	check_eq(end(pid, out), CLI_OK);
	return text;
}

static void has(const char *text, const char *what)
{
	if (!check(strstr(text, what)))
		printf("# no '%s' in:\n%s", what, text);
}

static void lists(void)
{
	check_str(ps("--columns cid,name,namespace,pod,pod_uid,container,restarts,parent"),
		"CID  NAME              NAMESPACE  POD     POD_UID                               CONTAINER  RESTARTS  PARENT\n"
		"  1  web               -          -       -                                     -                 -       -\n"
		"  2  prod/cart-1/app   prod       cart-1  0d0ab3c4-11e2-4a0c-9b3e-6f1f0f3a2b11  app               6       -\n"
		"  3  test/cart-1/app   test       cart-1  5a4f0e9b-6c77-4b5e-8d67-0a4b2f6c9e20  app               -       -\n"
		"  4  cart-1            prod       cart-1  0d0ab3c4-11e2-4a0c-9b3e-6f1f0f3a2b11  -                 -       -\n"
		"  5  inner             -          -       -                                     -                 -       2\n"
		"  6  pidns-4026532001  -          -       -                                     -                 -       -\n");
}

/* The status of ps, which prints an error. */
static int refused(const char *options, char *text, size_t size)
{
	size_t n = 0;
	ssize_t got;
	int out;
	pid_t pid = start(options, &out);

	while (n < size - 1 && (got = read(out, text + n, size - 1 - n)) > 0)
		n += (size_t)got;
	text[n] = '\0';
	return end(pid, out);
}

/* TARGETs: a name, a number, a glob and a fact; each once, in order; and words that mean none. */
static void targets(void)
{
	char text[1024];

	check_str(ps("--columns cid,name web"), "CID  NAME\n  1  web\n");
	check_str(ps("--columns cid inner 4 web web"), "CID\n  1\n  4\n  5\n");
	check_str(ps("--columns cid pod:cart-1"), "CID\n  2\n  3\n  4\n");
	check_str(ps("--columns cid w* ns:test"), "CID\n  1\n  3\n");
	check_eq(refused("wbe", text, sizeof(text)), CLI_FAIL);
	has(text, "no container 'wbe' (did you mean 'web'?)");
	check_eq(refused("x*", text, sizeof(text)), CLI_FAIL);
	has(text, "no container is 'x*'");
}

static void tree(void)
{
	check_str(ps("--tree --columns cid,name,pod"),
		"CID  NAME               POD\n"
		"  1  web                -\n"
		"  6  pidns-4026532001   -\n"
		"  -  pod prod/cart-1    cart-1\n"
		"  2    prod/cart-1/app  cart-1\n"
		"  5      inner          -\n"
		"  4    cart-1           cart-1\n"
		"  -  pod test/cart-1    cart-1\n"
		"  3    test/cart-1/app  cart-1\n");
	has(ps("--tree --all --columns name"), "NAME\nhost\n");
}

static void usage(void)
{
	/* the second is on v1 */
	check_str(ps("--columns cid,cpu,mem"),
		"CID    CPU   MEM\n"
		"  1      -     -\n"
		"  2  2.50s  6.0M\n"
		"  3     2m  4.0K\n"
		"  4      -     -\n"
		"  5      -     -\n"
		"  6      -     -\n");
	has(ps("--json"), "\"cpu_ns\":2500000000,\"memory\":6291456}\n");
	has(ps("--json"), "\"cpu_ns\":123456789000,\"memory\":4096}\n");
}

static void limits(void)
{
	struct cgroup_files *f = cgroup_files_new();
	struct cgroup_quota q;
	double ten, sixty;
	uint64_t n;

	/* frozen by v2's file, and by v1's; and not */
	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		check_eq(cgroup_frozen(f, &all[i]), i == 2 || i == 4);
	check(cgroup_quota_read(f, &all[2], &q));
	check_eq(q.quota, 20000000);
	check_eq(q.period, 100000000);
	check_eq(q.periods, 40);
	check_eq(q.throttled, 7);
	check_eq(q.throttled_ns, 812345000);
	check(cgroup_memory_limit(f, &all[2], &n));
	check_eq(n, 8388608);
	check(cgroup_cpu_pressure(f, &all[2], &ten, &sixty));
	check_eq((uint64_t)(ten * 100), 1250);
	check_eq((uint64_t)(sixty * 100), 325);
	/* v1, without limits */
	check(cgroup_quota_read(f, &all[3], &q));
	check_eq(q.quota, 0);
	check_eq(q.period, 50000000);
	check_eq(q.periods, 9);
	check_eq(q.throttled_ns, 123456789);
	check(!cgroup_memory_limit(f, &all[3], &n));
	check(!cgroup_cpu_pressure(f, &all[3], &ten, &sixty));
	/* no files; no cgroup of its own; the host */
	check(!cgroup_quota_read(f, &all[4], &q));
	check(!cgroup_quota_read(f, &all[6], &q));
	check(!cgroup_quota_read(f, &all[0], &q));
	cgroup_files_free(f);
}

/* Of two cgroups in one: their own; else of those around them that are. */
static void weights(void)
{
	struct cgroup_files *f = cgroup_files_new();
	uint64_t a, b;

	check_str(cgroup_weights(f, &all[2], &all[4], &a, &b), "cpu.weight");
	check_eq(a, 39);
	check_eq(b, 200);
	check_str(cgroup_weights(f, &all[1], &all[2], &a, &b), "cpu.weight");
	check_eq(a, 20);
	check_eq(b, 100);
	/* its weights are not there; one is in the other; the same one; the host */
	check(!cgroup_weights(f, &all[2], &all[3], &a, &b));
	check(!cgroup_weights(f, &all[2], &all[5], &a, &b));
	check(!cgroup_weights(f, &all[5], &all[2], &a, &b));
	check(!cgroup_weights(f, &all[2], &all[2], &a, &b));
	check(!cgroup_weights(f, &all[2], &all[0], &a, &b));
	cgroup_files_free(f);
}

static void json(void)
{
	const char *text = ps("--json --tree");
	size_t lines = 0;

	has(text, "\"namespace\":\"prod\",\"pod\":\"cart-1\",\"pod_uid\":\"0d0ab3c4-11e2-4a0c-9b3e-6f1f0f3a2b11\","
	    "\"container\":\"app\",\"restarts\":6,\"labels\":{");
	for (const char *p = text; (p = strchr(p, '\n')); p++)
		lines++;
	/* pods have no lines of their own here */
	check_eq(lines, 6);
}

/* Reads a line, for ten seconds at most. */
static const char *line(int out)
{
	static char text[4096];
	size_t n = 0;

	alarm(10);
	while (n < sizeof(text) - 1 && read(out, &text[n], 1) == 1 && text[n] != '\n')
		n++;
	alarm(0);
	text[n] = '\0';
	return text;
}

static void say(const char *what)
{
	check_eq(write(notices[1], what, strlen(what)), (ssize_t)strlen(what));
}

static void follow(void)
{
	int out;
	pid_t pid = start("--follow", &out);

	say("b");
	has(line(out), "  born      9  store-0/db  docker  /kubepods/pod3/db");
	/* more became known of it: that is no birth */
	say("bd");
	has(line(out), "  died      9  store-0/db  docker  /kubepods/pod3/db");
	kill(pid, SIGINT);
	check_str(line(out), "");
	check_eq(end(pid, out), CLI_OK);
	pid = start("--follow --json", &out);
	say("bdx");
	has(line(out), "{\"event\":\"born\",\"time\":");
	has(line(out), "{\"event\":\"died\",\"time\":");
	check_str(line(out), "{\"event\":\"lost\"}");
	kill(pid, SIGTERM);
	check_eq(end(pid, out), CLI_OK);
}

/*
 * A name is looked up at the notice of a birth, also if that of the death came with it: later its file has
 * gone.
 */
static void at_birth(void)
{
	struct ctable *t = ctable_new(cli_open());

	check(!pipe2(notices, O_NONBLOCK));
	check(ctable_subscribe(t) >= 0);
	check_eq(write(notices[1], "bd", 2), 2);
	ctable_dispatch(t);
	free(t->names->root);
	t->names->root = xstrdup("/nowhere");
	names_refresh(t->names);
	check(ctable_get(t, LATE)->named);
	check(!ctable_alive(ctable_get(t, LATE)));
	ctable_free(t);
	close(notices[0]);
	close(notices[1]);
}

static void reader_gone(void)
{
	int out;
	pid_t pid = start("--follow", &out);

	say("b");
	line(out);
	close(out);
	alarm(10);
	check_eq(end(pid, out), CLI_OK);
	alarm(0);
}

static void wrong(void)
{
	static const char *const options[] = {
		"--follow --tree", "--follow --wide", "--columns x", "--columns name, x", "--follow x",
	};
	int out;

	for (size_t i = 0; i < ARRAY_SIZE(options); i++) {
		pid_t pid = start(options[i], &out);

		while (*line(out))
			;
		check_eq(end(pid, out), CLI_USAGE);
	}
}

static const struct ktap_case cases[] = {
	{ "columns of a record", lists },
	{ "tree: the host's, pods, their containers, nested ones", tree },
	{ "CPU and memory, by v2 and v1", usage },
	{ "quotas, limits and pressure, by v2 and v1", limits },
	{ "weights of two containers, and of the cgroups around them", weights },
	{ "TARGETs choose", targets },
	{ "JSON", json },
	{ "births and deaths, and a signal", follow },
	{ "names are looked up at the notice of a birth", at_birth },
	{ "the reader of births goes", reader_gone },
	{ "wrong options", wrong },
};

int main(void)
{
	setenv("CTRACE_ROOT", NAMES, 1);
	/* malformed ones of these files are reported */
	if (!freopen("/dev/null", "w", stderr))
		return 1;
	return ktap_run(cases, sizeof(cases) / sizeof(cases[0]));
}
