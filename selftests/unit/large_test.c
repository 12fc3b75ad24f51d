// SPDX-License-Identifier: GPL-2.0-only
/*
 * A recording that is many times larger takes no more memory to export, reports its progress, and can be
 * stopped. LARGE=N in the
 * environment makes it N MiB (8); with 10240 it takes a while, and 25 GiB of disk.
 */
#include <fcntl.h>
#include <pty.h>
#include <signal.h>
#include <sys/wait.h>
#include "export_fixture.h"

#define TIMES	8u	/* larger than the small one */

/* Freed memory is not kept to find its users: that would be counted. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "quarantine_size_mb=1";
}

static uint64_t large(void)
{
	const char *mib = getenv("LARGE");

	return (mib ? strtoull(mib, NULL, 10) : 8) << 20;
}

static char out[80];

/* A line of /proc/PID/status in KiB; 0: it has gone. */
static uint64_t status_of(pid_t pid, const char *key)
{
	char path[40], *text, *at;
	uint64_t kib = 0;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	text = read_file(path, NULL);
	at = text ? strstr(text, key) : NULL;
	if (at)
		kib = strtoull(at + strlen(key), NULL, 10);
	free(text);
	return kib;
}

struct seen {
	uint64_t memory;	/* KiB at most, without the pages of files */
	bool told;		/* it said how far it was */
	int status;
	char last[512];		/* what it said last */
};

/*
 * Exports in a child, whose standard error is a terminal. w NULL: the program itself writes a page. stop: a signal when it has reported its progress;
 * 0: none.
 */
static struct seen export_it(const struct export_writer *w, int stop)
{
	struct export_opts o = { .dir = dir, .out = out };
	struct seen s = { 0 };
	char text[4096];
	int terminal, n;
	pid_t pid;

	snprintf(out, sizeof(out), "%s.out", dir);
	pid = forkpty(&terminal, NULL, NULL, NULL);
	if (!pid && !w) {
		execl(CTRACE, CTRACE, "report", "--html", out, dir, NULL);
		_exit(127);
	}
	if (!pid) {
		n = export_run(w, &o);
		fprintf(stderr, "%s", message);
		_exit(n);
	}
	check(pid > 0);
	fcntl(terminal, F_SETFL, O_NONBLOCK);
	for (;;) {
		uint64_t kib = status_of(pid, "RssAnon:");
		bool over = waitpid(pid, &s.status, WNOHANG) == pid;

		s.memory = kib > s.memory ? kib : s.memory;
		while ((n = (int)read(terminal, text, sizeof(text) - 1)) > 0) {
			text[n] = '\0';
			snprintf(s.last, sizeof(s.last), "%.511s", n > 511 ? text + n - 511 : text);
			if (!strstr(text, "exporting: "))
				continue;
			s.told = true;
			if (stop)
				kill(pid, stop);
			stop = 0;
		}
		if (over)
			break;
		usleep(2000);
	}
	close(terminal);
	return s;
}

static void remove_both(void)
{
	unlink(out);
	remove_all();
}

static void memory(const struct export_writer *w, const char *name)
{
	uint64_t least, most;
	struct seen s;

	run_large(1, large() / TIMES);
	s = export_it(w, 0);
	check_eq(s.status, 0);
	least = s.memory;
	remove_both();
	run_large(1, large());
	s = export_it(w, 0);
	most = s.memory;
	printf("# %s: %llu MiB take %llu KiB, an eighth of them %llu; %s\n", name, (unsigned long long)(large() >> 20),
	       (unsigned long long)most, (unsigned long long)least, s.told ? "it told how far it was" : "it was quick");
	check_eq(s.status, 0);
	check(most < least + least / 2 + 8192);
	remove_both();
}

static void perfetto(void)
{
	memory(&export_perfetto, "--perfetto");
}

static void chrome(void)
{
	memory(&export_chrome, "--chrome");
}

static void trace_dat(void)
{
	memory(&export_trace_dat, "--trace-dat");
}

static void page(void)
{
	memory(NULL, "--html");
}

static void stopped(void)
{
	struct seen s;

	run_large(1, large());
	s = export_it(&export_perfetto, SIGINT);
	if (s.told) {
		check(WIFEXITED(s.status) && WEXITSTATUS(s.status) == CLI_FAIL);
		check(strstr(s.last, "is whole, but has only the first") != NULL);
	}
	remove_both();
}

static const struct ktap_case cases[] = {
	{ "perfetto", perfetto }, { "chrome", chrome }, { "trace_dat", trace_dat }, { "page", page }, { "stopped", stopped },
};
KTAP_MAIN(cases)
