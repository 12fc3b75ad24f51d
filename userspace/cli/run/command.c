// SPDX-License-Identifier: GPL-2.0-only
/*
 * The COMMAND of a run. It is forked first, and held until the session is recording, so that the trace
 * has its first call.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/cli.h"
#include "run/run.h"

/* Searches PATH here, not by execvp() in the child: so the child's first call is the execve() that counts. */
static char *find_program(const char *name, int *err)
{
	const char *path = getenv("PATH");

	*err = ENOENT;
	if (strchr(name, '/'))
		return xstrdup(name);
	if (!path)
		path = "/usr/local/bin:/usr/bin:/bin";
	while (*name) {
		size_t n = strcspn(path, ":");
		char *p = n ? xasprintf("%.*s/%s", (int)n, path, name) : xasprintf("./%s", name);

		if (!access(p, X_OK))
			return p;
		if (errno == EACCES)
			*err = EACCES;
		free(p);
		if (!path[n])
			break;
		path += n + 1;
	}
	return NULL;
}

static void child(const char *program, char **argv, int go, int failed)
{
	char c;
	int err;

	signal(SIGPIPE, SIG_DFL);
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	while ((err = (int)read(go, &c, 1)) < 0 && errno == EINTR)
		;
	if (err != 1)
		_exit(0);	/* the run never started */
	execv(program, argv);
	err = errno;
	if (write(failed, &err, sizeof(err)) < 0)
		_exit(CLI_FAIL);
	_exit(err == ENOENT ? CLI_NOCMD : CLI_NOEXEC);
}

int command_spawn(struct command_child *c, char **argv)
{
	int go[2], failed[2], err;
	char *program = find_program(argv[0], &err);

	if (!program) {
		cli_error("cannot run '%s': %s", argv[0], strerror(err));
		return err == ENOENT ? CLI_NOCMD : CLI_NOEXEC;
	}
	if (pipe2(go, O_CLOEXEC) || pipe2(failed, O_CLOEXEC)) {
		free(program);
		return cli_error("cannot make a pipe: %s", strerror(errno));
	}
	fflush(NULL);
	c->pid = fork();
	if (!c->pid) {
		close(go[1]);
		close(failed[0]);
		child(program, argv, go[0], failed[1]);
	}
	err = errno;
	free(program);
	close(go[0]);
	close(failed[1]);
	c->go = go[1];
	c->failed = failed[0];
	if (c->pid > 0)
		return CLI_OK;
	c->pid = 0;
	close(c->go);
	close(c->failed);
	return cli_error("cannot start a process: %s", strerror(err));
}

int command_go(struct command_child *c, const char *name)
{
	ssize_t n;
	int err;

	if (write(c->go, "", 1) != 1)
		return cli_error("the command's process ended before the command was started");
	c->went = true;
	close(c->go);
	/* exec closes the child's end, so this returns at once if all is well */
	while ((n = read(c->failed, &err, sizeof(err))) < 0 && errno == EINTR)
		;
	close(c->failed);
	if (n != sizeof(err))
		return CLI_OK;
	cli_error("cannot run '%s': %s", name, strerror(err));
	return err == ENOENT ? CLI_NOCMD : CLI_NOEXEC;
}

void command_reap(struct command_child *c)
{
	if (c->pid && !c->ended && waitpid(c->pid, &c->status, WNOHANG) == c->pid)
		c->ended = true;
}

void command_end(struct command_child *c, int sig)
{
	if (!c->pid || c->ended)
		return;
	kill(c->pid, sig);
	for (int i = 0; i < 20 && !c->ended; i++) {
		poll(NULL, 0, 50);
		command_reap(c);
	}
}

void command_abandon(struct command_child *c)
{
	if (!c->pid || c->went)
		return;
	close(c->go);
	close(c->failed);
	while (waitpid(c->pid, &c->status, 0) < 0 && errno == EINTR)
		;
	c->ended = true;
}
