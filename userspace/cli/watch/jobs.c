// SPDX-License-Identifier: GPL-2.0-only
/* Children: they finish dumps and run on_dump, each in a process group of its own and for a bounded time. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "base/cli.h"
#include "watch/watch.h"

struct job *job_free(struct watch *w)
{
	for (size_t i = 0; i < JOBS_MAX; i++)
		if (!w->jobs[i].pid)
			return &w->jobs[i];
	return NULL;
}

size_t jobs_writing(const struct watch *w)
{
	size_t n = 0;

	for (size_t i = 0; i < JOBS_MAX; i++)
		n += w->jobs[i].pid && !w->jobs[i].command;
	return n;
}

pid_t job_fork(void)
{
	static const int signals[] = { SIGHUP, SIGINT, SIGTERM, SIGUSR2, SIGCHLD, SIGPIPE };
	pid_t parent = getpid(), pid;
	sigset_t none;

	fflush(NULL);
	pid = fork();
	if (pid) {
		/* the child does the same, whoever is first */
		if (pid > 0)
			setpgid(pid, pid);
		return pid;
	}
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	for (size_t i = 0; i < ARRAY_SIZE(signals); i++)
		signal(signals[i], SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	return 0;
}

static void clear(struct job *j)
{
	free(j->id);
	free(j->name);
	free(j->what);
	free(j->word);
	*j = (struct job){ .client = -1 };
}

/* Runs the configuration's command for a dump that is whole. */
static void start_command(struct watch *w, const struct job *done)
{
	const struct watch_config *c = w->engine->config;
	struct job *j = c->on_dump ? job_free(w) : NULL;
	char *path;
	pid_t pid;

	if (!c->on_dump)
		return;
	pid = j ? job_fork() : -1;
	if (pid < 0) {
		fprintf(stderr, "ctrace: on_dump was not run for %s: %s\n", done->id,
			j ? strerror(errno) : "too many children run");
		return;
	}
	if (!pid) {
		path = xasprintf("%s/%s", c->dir, done->id);
		setenv("CTRACE_DUMP", path, 1);
		setenv("CTRACE_DUMP_ID", done->id, 1);
		setenv("CTRACE_CONTAINER", done->name, 1);
		setenv("CTRACE_CONTAINER_ID", done->runtime_id, 1);
		setenv("CTRACE_REASON", done->word, 1);
		setenv("CTRACE_WHAT", done->what, 1);
		unsetenv("NOTIFY_SOCKET");
		unsetenv("WATCHDOG_USEC");
		execl("/bin/sh", "sh", "-c", c->on_dump, (char *)NULL);
		_exit(127);
	}
	*j = (struct job){
		.pid = pid, .command = true, .id = xstrdup(done->id), .client = -1,
		.deadline = clock_ns(CLOCK_MONOTONIC) + c->on_dump_time,
	};
}

/* A line in the journal; without one, on standard error. */
static void tell(const struct job *j, const char *dir)
{
	char *message = xasprintf("%s: %s: dump %s", j->name, j->what, j->id),
		*path = xasprintf("%s/%s", dir, j->id);
	char short_id[13];
	const struct journal_field f[] = {
		{ "MESSAGE", message }, { "MESSAGE_ID", WATCH_MESSAGE_ID }, { "PRIORITY", "4" },
		{ "SYSLOG_IDENTIFIER", "ctrace" }, { "CTRACE_DUMP_ID", j->id }, { "CTRACE_DUMP", path },
		{ "CTRACE_REASON", j->word }, { "CONTAINER_NAME", j->name }, { "CONTAINER_ID", short_id },
		{ "CONTAINER_ID_FULL", j->runtime_id }, { NULL, NULL }
	};
	struct sbuf b = { 0 };

	snprintf(short_id, sizeof(short_id), "%.12s", j->runtime_id);
	if (!notify_journal(f) || isatty(STDERR_FILENO)) {
		sbuf_clean(&b, message);
		fprintf(stderr, "ctrace: %s\n", b.s);
		sbuf_free(&b);
	}
	free(message);
	free(path);
}

static void finished(struct watch *w, struct job *j, int status)
{
	const struct watch_config *c = w->engine->config;
	struct sbuf b = { 0 };
	struct json o = { .out = &b };
	char *new;
	bool full, whole = WIFEXITED(status) && !WEXITSTATUS(status);

	if (whole) {
		w->account.written++;
		w->trimmed = 0;		/* the quota holds from now on */
		tell(j, c->dir);
		start_command(w, j);
		json_open(&o, NULL, '{');
		json_str(&o, "id", j->id);
		json_close(&o, '}');
		json_line(&o);
		control_answer(j->client, &b);
		sbuf_free(&b);
		return;
	}
	/* the child's status says it if the disk is full */
	full = WIFEXITED(status) && WEXITSTATUS(status) == ENOSPC;
	w->account.unwritten[full ? UNWRITTEN_SPACE : UNWRITTEN_FAILED]++;
	fprintf(stderr, "ctrace: the dump %s was not finished%s\n", j->id,
		WIFSIGNALED(status) ? ": it took too long, or was killed" : "");
	new = xasprintf("%s/" STORE_NEW "%s", c->dir, j->id);
	store_remove_tree(new);
	free(new);
	control_error(j->client, "the dump was not finished: 'ctrace watch status' says how many were not");
}

void jobs_reap(struct watch *w)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC);
	int status;

	for (size_t i = 0; i < JOBS_MAX; i++) {
		struct job *j = &w->jobs[i];

		if (!j->pid)
			continue;
		if (now > j->deadline && j->deadline) {
			kill(-j->pid, SIGKILL);
			j->deadline = 0;
			if (j->command)
				fprintf(stderr, "ctrace: on_dump for %s took too long, and was killed\n",
					j->id);
		}
		if (waitpid(j->pid, &status, WNOHANG) != j->pid)
			continue;
		/* what it started must not outlive it */
		kill(-j->pid, SIGKILL);
		if (!j->command)
			finished(w, j, status);
		else if (j->deadline && status)
			fprintf(stderr, "ctrace: on_dump for %s ended with status %d\n", j->id,
				WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
		clear(j);
	}
}

void jobs_end(struct watch *w)
{
	int status;

	for (size_t i = 0; i < JOBS_MAX; i++) {
		struct job *j = &w->jobs[i];

		if (!j->pid)
			continue;
		kill(-j->pid, SIGKILL);
		waitpid(j->pid, &status, 0);
		if (!j->command) {
			char *new = xasprintf("%s/" STORE_NEW "%s", w->engine->config->dir, j->id);

			store_remove_tree(new);
			free(new);
			w->account.unwritten[UNWRITTEN_INTERRUPTED]++;
		}
		control_error(j->client, "the watch ends");
		clear(j);
	}
}
