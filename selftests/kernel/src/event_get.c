// SPDX-License-Identifier: GPL-2.0-only
/*
 * event_get: what a user without privileges learns of event types. He may not list them, but may ask for each
 * one, and the library does that for them.
 * event_get family: asks the kernel for ctrace's netlink family, and prints the answer.
 * event_get unread: as nobody, asks for the list of event types, does not read the answer, prints "asked", and waits.
 */
#include "dev.h"
#include <grp.h>
#include <sys/wait.h>
#include <ctrace/libctrace.h>

static void to_nobody(void)
{
	if (setgroups(0, NULL) || setgid(65534) || setuid(65534))
		ksft_exit_fail_msg("setuid: %s\n", strerror(errno));
}

static struct {
	uint32_t id;
	char name[CTRACE_NAME_MAX];
	int n, definitions;
} got;

static int one_fn(const struct nlmsghdr *h, void *arg)
{
	const char *name = msg_get(h, CTRACE_A_EVENT, CTRACE_A_EVENT_NAME, NULL);

	(void)arg;
	got.n++;
	got.id = msg_get_u32(h, CTRACE_A_EVENT, CTRACE_A_EVENT_ID);
	got.definitions += !!msg_get(h, CTRACE_A_EVENT, CTRACE_A_EVENT_DEFINITION, NULL);
	snprintf(got.name, sizeof(got.name), "%s", name ?: "");
	return 0;
}

/* by: CTRACE_A_EVENT_ID or _NAME; 0: an empty set; -1: none */
static int ask(struct genl *g, uint16_t flags, int by, uint32_t id, const char *name)
{
	static struct msg m;
	uint32_t at;

	memset(&got, 0, sizeof(got));
	msg_new(&m, g->family, CTRACE_CMD_EVENT_GET, flags);
	at = by >= 0 ? msg_nest(&m, CTRACE_A_EVENT) : 0;
	if (by == CTRACE_A_EVENT_ID)
		msg_u32(&m, CTRACE_A_EVENT_ID, id);
	if (by == CTRACE_A_EVENT_NAME)
		msg_str(&m, CTRACE_A_EVENT_NAME, name);
	if (by >= 0)
		msg_nest_end(&m, at);
	return genl_call(g, &m, one_fn, NULL);
}

static void define(struct genl *g)
{
	static struct msg m;
	uint32_t at;

	msg_new(&m, g->family, CTRACE_CMD_EVENT_NEW, 0);
	at = msg_nest(&m, CTRACE_A_EVENT);
	msg_str(&m, CTRACE_A_EVENT_DEFINITION, "p:event_get_own do_exit code=%di:x64");
	msg_nest_end(&m, at);
	dev_expect(0, genl_call(g, &m, NULL, NULL), "root defines an event");
}

static void commands(struct genl *root, struct genl *g)
{
	int err = ask(g, NLM_F_DUMP, -1, 0, NULL);

	ksft_test_result(err == -EPERM && !got.n && strstr(g->text, "CTRACE_A_EVENT_ID"),
			 "nobody may not list them: %s, \"%s\"\n", strerror(-err), g->text);
	dev_expect(-EPERM, ask(g, NLM_F_DUMP, CTRACE_A_EVENT_ID, CTRACE_ID_SCHED_SWITCH, NULL), "nor dump one");
	err = ask(g, 0, CTRACE_A_EVENT_ID, CTRACE_ID_SCHED_SWITCH, NULL);
	ksft_test_result(!err && got.n == 1 && !strcmp(got.name, "sched_switch"), "he may ask for one, by id: %s (%d)\n",
			 got.name, err);
	err = ask(g, 0, CTRACE_A_EVENT_NAME, 0, "syscall_entry_openat");
	ksft_test_result(!err && got.n == 1 && got.id >= CTRACE_ID_SYS_ENTER, "or by name: %u (%d)\n", got.id, err);
	err = ask(g, 0, CTRACE_A_EVENT_NAME, 0, "event_get_own");
	ksft_test_result(!err && got.id >= CTRACE_ID_DYNAMIC && !got.definitions,
			 "a kprobe's, too: %u, without its definition (%d)\n", got.id, err);
	err = ask(root, 0, CTRACE_A_EVENT_ID, got.id, NULL);
	ksft_test_result(!err && got.definitions == 1, "which root is told (%d)\n", err);
	err = ask(g, 0, CTRACE_A_EVENT_ID, 65535, NULL);
	ksft_test_result(err == -ENOENT && strstr(g->text, "no event type"), "none of that id: %s\n", g->text);
	dev_expect(-ENOENT, ask(g, 0, CTRACE_A_EVENT_NAME, 0, "no_such_event"), "none of that name");
	err = ask(g, 0, 0, 0, NULL);
	ksft_test_result(err == -EINVAL && strstr(g->text, "CTRACE_A_EVENT_NAME"), "neither id nor name: %s\n", g->text);
	err = ask(g, 0, -1, 0, NULL);
	ksft_test_result(err == -EINVAL && strstr(g->text, "CTRACE_A_EVENT is missing"), "nothing at all: %s\n", g->text);
	err = ask(root, 0, -1, 0, NULL);
	ksft_test_result(err == -EINVAL && strstr(root->text, "CTRACE_A_EVENT is missing"), "the same of root: %s\n",
			 root->text);
}

static bool same_type(const struct ctrace_event_type *a, const struct ctrace_event_type *b)
{
	if (!b || a->id != b->id || strcmp(a->name, b->name) || strcmp(a->system, b->system) ||
	    a->nfields != b->nfields || !a->reason != !b->reason)
		return false;
	for (uint32_t i = 0; i < a->nfields; i++)
		if (strcmp(a->fields[i].name, b->fields[i].name) || a->fields[i].kind != b->fields[i].kind ||
		    a->fields[i].size != b->fields[i].size || a->fields[i].display != b->fields[i].display)
			return false;
	return true;
}

/* As nobody, whose library gets each of root's types one by one. Returns an exit status. */
static int library(const struct ctrace_schema *roots)
{
	const struct ctrace_event_type *t, *u;
	struct ctrace_schema *s;
	struct ctrace *ct;
	size_t i, bad = 0, n = 0;

	to_nobody();
	if (ctrace_open(&ct) || ctrace_schema_get(ct, &s)) {
		ksft_print_msg("%s\n", ctrace_errmsg(ct));
		return 1;
	}
	if (ctrace_schema_at(s, 0))
		return 2;
	u = ctrace_schema_by_name(s, "sched_switch");
	if (!u || u->id != CTRACE_ID_SCHED_SWITCH)
		return 3;
	for (i = 0; (t = ctrace_schema_at(roots, i)); i++, n++)
		if (!same_type(t, ctrace_schema_by_id(s, t->id)) && !bad++)
			ksft_print_msg("type %u, %s\n", t->id, t->name);
	if (bad || n < 1000 || ctrace_schema_by_id(s, 65535) || ctrace_schema_by_name(s, "no_such_event"))
		return 4;
	ctrace_close(ct);
	/* what it knows it keeps; what it does not know it cannot ask for any more */
	if (!ctrace_schema_by_id(s, CTRACE_ID_SCHED_SWITCH) || ctrace_schema_by_id(s, 65534))
		return 5;
	ctrace_schema_free(s);
	return 0;
}

int main(int argc, char **argv)
{
	struct ctrace_schema *roots;
	struct genl root, g;
	struct ctrace *ct;
	int status, err;
	pid_t pid;

	if (argc > 1 && !strcmp(argv[1], "family")) {
		err = genl_open(&g);
		printf("%s\n", err ? strerror(-err) : "it is there");
		return err != 0;
	}
	if (argc > 1 && !strcmp(argv[1], "unread")) {
		static struct msg m;

		to_nobody();
		if (genl_open(&g))
			return 1;
		msg_new(&m, g.family, CTRACE_CMD_EVENT_GET, NLM_F_DUMP);
		if (send(g.fd, &m, m.h.nlmsg_len, 0) < 0)
			return 1;
		printf("asked\n");
		fflush(stdout);
		for (;;)
			pause();
	}
	ksft_print_header();
	ksft_set_plan(1 + 11 + 2);
	if (genl_open(&root) || ctrace_open(&ct) || ctrace_schema_get(ct, &roots))
		ksft_exit_fail_msg("no module\n");
	define(&root);
	pid = fork();
	if (!pid) {
		to_nobody();
		if (genl_open(&g))
			_exit(1);
		_exit(g.family != root.family);
	}
	waitpid(pid, &status, 0);
	ksft_test_result(!status, "nobody finds the family\n");
	/* A socket that nobody opened; root's own capability does not count on it. */
	if (seteuid(65534) || genl_open(&g) || seteuid(0))
		ksft_exit_fail_msg("no socket of nobody's\n");
	commands(&root, &g);
	fflush(stdout);
	pid = fork();
	if (!pid)
		_exit(library(roots));
	waitpid(pid, &status, 0);
	ksft_test_result(!status, "nobody's library finds all of root's types, one by one (status %#x)\n", status);
	ksft_finished();
}
