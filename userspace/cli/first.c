// SPDX-License-Identifier: GPL-2.0-only
/* What ctrace does without a command: a look at one target, or at all containers. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "commands.h"
#include "base/module.h"
#include "base/util.h"
#include "run/which.h"
#include "tools/why.h"
#include "top/top.h"

static bool is_prefixed(const char *word)
{
	static const char *const prefixes[] = {
		"cid:", "cgroup:", "unit:", "pid:", "pod:", "ns:", "image:", "label:", "runtime:", "user:",
		"in:",
	};

	for (size_t i = 0; i < ARRAY_SIZE(prefixes); i++)
		if (!strncmp(word, prefixes[i], strlen(prefixes[i])))
			return true;
	return !strcmp(word, "host");
}

static bool near_command(const char *word)
{
	struct nearest near = { .word = word };
	struct sbuf b = { 0 };
	bool any;

	for (const struct command_row *c = commands; c->cmd; c++)
		nearest_offer(&near, c->cmd->name);
	any = near.n;
	nearest_print(&near, &b);
	sbuf_free(&b);
	return any;
}

/*
 * The containers that live; or NULL, and *why they are not known, which the caller frees. load: root's first
 * use loads the module. A command that is misspelt does not.
 */
static struct ctable *list(struct ctrace **ct, bool load, char **why)
{
	int err = ctrace_open(ct);
	struct ctable *t;

	*why = NULL;
	if (err == -ENOENT && load && !geteuid()) {
		*why = module_load();
		if (*why)
			return NULL;
		ctrace_close(*ct);
		err = ctrace_open(ct);
	}
	t = err ? NULL : ctable_new(*ct);
	if (t && !ctable_list(t))
		return t;
	*why = xstrdup(*ct ? ctrace_errmsg(*ct) : strerror(-err));
	ctable_free(t);
	return NULL;
}

/*
 * The target that a process's container is; or, if it is in none, its own cgroup, which a unit of the host
 * is. NULL after a message. The caller frees it, and *because, the sentence that says so.
 */
static char *of_pid(struct ctable *t, const char *word, char **because, int *status)
{
	struct centry *e = explain_of_pid(t, word, because, status);
	char *path, *text, *line, *save = NULL, *target = NULL;

	if (!e)
		return NULL;
	if (e->c.cid != CTRACE_CID_HOST)
		return xasprintf("cid:%u", e->c.cid);
	path = xasprintf("/proc/%s/cgroup", word);
	text = read_file(path, NULL);
	free(path);
	/* NUMBER:CONTROLLERS:PATH */
	line = text ? strtok_r(text, "\n", &save) : NULL;
	for (; line && !target; line = strtok_r(NULL, "\n", &save)) {
		path = strchr(line, ':');
		path = path ? strchr(path + 1, ':') : NULL;
		if (path && strcmp(path + 1, "/"))
			target = xasprintf("cgroup:%s", path + 1);
	}
	free(text);
	free(*because);
	*because = target ? xasprintf("process %s is in %s, and in no container", word, target) :
		   xasprintf("process %s is the host's, in no container and no cgroup", word);
	return target ? target : xstrdup("host");
}

int first_look(int argc, char **argv, struct nearest *near)
{
	char *word = argv[1], *why, *because = NULL, *target = NULL;
	bool prefixed = is_prefixed(word), known;
	struct ctrace *ct = NULL;
	struct ctable *t;
	int status = -1;

	if (*word == '-' || !*word)
		return -1;
	known = !prefixed && near_command(word);
	t = list(&ct, !known, &why);
	if (!t) {
		if (prefixed)
			status = cli_error("%s", why);
		else if (!known)
			status = cli_usage("unknown command '%s'; whether it is a container is not known: %s",
					   word, why);
		free(why);
		ctrace_close(ct);
		return status;
	}
	cli_cmd = &cmd_why;
	known = prefixed || which_known(t, word);
	if (!strncmp(word, "pid:", 4)) {
		status = CLI_OK;
		target = of_pid(t, word + 4, &because, &status);
		known = target;
	} else if (!known) {
		cli_cmd = NULL;
		which_offer(t, near);
	}
	ctable_free(t);
	ctrace_close(ct);
	if (known) {
		argv[1] = target ? target : word;
		status = why_first(argc, argv, because);
	}
	free(target);
	free(because);
	return status;
}

int first_screen(void)
{
	static const char steps[] =
		"\n"
		"Look     ctrace NAME                  what it is, and where its time goes\n"
		"         ctrace trace NAME            its system calls, live\n"
		"Count    ctrace stats NAME            its system calls, their times and errors\n"
		"Record   ctrace record NAME           for 'ctrace page', 'ctrace why', ... later\n"
		"Set up   ctrace doctor                what ctrace needs, and what to type\n"
		"\n"
		"'ctrace help all' lists every command.\n";
	struct ctrace *ct;
	struct ctable *t;
	char *why;
	int status;

	t = list(&ct, true, &why);
	if (!t) {
		cli_error("%s", why);
		fputs("ctrace: 'ctrace doctor' looks at all that it needs\n\n", stderr);
		free(why);
		ctrace_close(ct);
		return CLI_FAIL;
	}
	ctable_free(t);
	ctrace_close(ct);
	cli_cmd = &cmd_top;
	status = top_brief();
	cli_cmd = NULL;
	if (status == CLI_OK)
		fputs(steps, stdout);
	return status;
}
