// SPDX-License-Identifier: GPL-2.0-only
/*
 * nl_hostile missing|wrong|random [SEED [COUNT]]: sends each command of the family with its attributes left
 * out one by one; with attributes truncated, too long, of the wrong type and nesting; and with random
 * bytes. No message may be accepted, none may do harm, and the words of a refusal name the attribute.
 */
#include "dev.h"
#include <ctype.h>
#include <time.h>

struct genl g;
static int session, probe, target;
static struct msg m;

/* An attribute that a command needs, and the word for it in an error. */
struct need {
	uint16_t set, type;
	const char *word;
};

/* The optional attributes of a command come in further rows; `from` is the first of them. */
static const struct command {
	uint8_t cmd;
	const char *name;
	int from;
	struct need need[4];
} commands[] = {
#define S(a, w) { CTRACE_A_SESSION, CTRACE_A_SESSION_##a, w }
#define P(a, w) { CTRACE_A_PROBE, CTRACE_A_PROBE_##a, w }
#define T(a, w) { CTRACE_A_TARGET, CTRACE_A_TARGET_##a, w }
#define E(a, w) { CTRACE_A_EVENT, CTRACE_A_EVENT_##a, w }
	{ CTRACE_CMD_SESSION_DEL, "SESSION_DEL", 0, { S(ID, "session") } },
	{ CTRACE_CMD_SESSION_SET, "SESSION_SET", 0, { S(ID, "session"), S(STATE, "state") } },
	{ CTRACE_CMD_PROBE_ADD, "PROBE_ADD", 0, { S(ID, "session"), P(NAME, "probe") } },
	{ CTRACE_CMD_PROBE_DEL, "PROBE_DEL", 0, { S(ID, "session"), P(ID, "probe") } },
	{ CTRACE_CMD_TARGET_ADD, "TARGET_ADD", 0, { S(ID, "session"), T(KIND, "target"), T(PID, "pid") } },
	{ CTRACE_CMD_TARGET_DEL, "TARGET_DEL", 0, { S(ID, "session"), T(ID, "target") } },
	{ CTRACE_CMD_EVENT_NEW, "EVENT_NEW", 0, { E(DEFINITION, "definition") } },
	{ CTRACE_CMD_EVENT_DEL, "EVENT_DEL", 0, { E(NAME, "name") } },
	{ CTRACE_CMD_SESSION_NEW, "SESSION_NEW", 1, { S(FLAGS, "flags"), S(FILTER, "filter"),
						S(RATE, "rate") } },
	{ CTRACE_CMD_PROBE_ADD, "PROBE_ADD", 2, { S(ID, "session"), P(NAME, "probe"), P(FLAGS, "flags"),
					    P(FILTER, "filter") } },
	{ CTRACE_CMD_PROBE_ADD, "PROBE_ADD", 2, { S(ID, "session"), P(NAME, "probe"), P(ONE_OF, "one_of") } },
	{ CTRACE_CMD_TARGET_ADD, "TARGET_ADD", 3, { S(ID, "session"), T(KIND, "target"), T(PID, "pid"),
					      T(NOT, "not") } },
	{ CTRACE_CMD_EVENT_NEW, "EVENT_NEW", 1, { E(DEFINITION, "definition"), E(FLAGS, "flags") } },
};
#define COMMANDS (sizeof(commands) / sizeof(*commands))

static bool is_string(const struct need *n)
{
	if (n->set == CTRACE_A_SESSION)
		return n->type == CTRACE_A_SESSION_FILTER;
	if (n->set == CTRACE_A_PROBE)
		return n->type == CTRACE_A_PROBE_NAME || n->type == CTRACE_A_PROBE_FILTER;
	return n->set == CTRACE_A_EVENT && n->type != CTRACE_A_EVENT_FLAGS;
}

/* A value that would be right, if the rest were. */
static uint32_t right(const struct need *n)
{
	if (n->set == CTRACE_A_PROBE)
		return n->type == CTRACE_A_PROBE_ID ? probe : 0;
	if (n->set == CTRACE_A_TARGET)
		return n->type == CTRACE_A_TARGET_KIND ? CTRACE_TARGET_PID :
		       n->type == CTRACE_A_TARGET_PID ? getpid() :
		       n->type == CTRACE_A_TARGET_ID ? target : 0;
	return n->type == CTRACE_A_SESSION_ID ? session : 0;
}

static void put_right(const struct need *n)
{
	if (n->set == CTRACE_A_PROBE && n->type == CTRACE_A_PROBE_NAME)
		msg_str(&m, n->type, "sched_wakeup");
	else if (is_string(n))
		msg_str(&m, n->type, "$cid == 0");
	else
		msg_u32(&m, n->type, right(n));
}

/* How one attribute of a message is spoilt */
enum spoil { LEFT_OUT, EMPTY, SHORT, LONG, LONG_STRING, NO_NUL, NOT_NESTED, SET_LEFT_OUT, TORN, SPOILS };
static const char * const spoil_name[] = {
	"left out", "empty", "a byte short", "a byte long", "4000 bytes long", "without NUL",
	"with its set not nested", "with its whole set left out", "with a length past the end",
};

/* Builds the command with its w-th required attribute spoilt. False if that does not apply. */
static bool build(const struct command *c, int w, enum spoil how)
{
	char junk[4096];
	const struct need *bad = &c->need[w];

	memset(junk, 'a', sizeof(junk));
	junk[sizeof(junk) - 1] = 0;	/* in the long one, only the length is wrong */
	if (is_string(bad) ? how == SHORT || how == LONG : how == NO_NUL)
		return false;
	if (!is_string(bad) && how == LONG_STRING)
		return false;
	msg_new(&m, g.family, c->cmd, 0);
	for (int i = 0; i < 4 && c->need[i].set; ) {
		uint16_t set = c->need[i].set;
		uint32_t at;

		if (set == bad->set && (how == NOT_NESTED || how == SET_LEFT_OUT)) {
			if (how == NOT_NESTED)
				msg_u32(&m, set, session);
			while (i < 4 && c->need[i].set == set)
				i++;
			continue;
		}
		at = msg_nest(&m, set);
		for (; i < 4 && c->need[i].set == set; i++) {
			if (i != w) {
				put_right(&c->need[i]);
				continue;
			}
			if (how == EMPTY)
				msg_attr(&m, bad->type, junk, 0);
			else if (how == SHORT)
				msg_attr(&m, bad->type, junk, 3);
			else if (how == LONG)
				msg_attr(&m, bad->type, junk, 5);
			else if (how == LONG_STRING)
				msg_attr(&m, bad->type, junk, sizeof(junk));
			else if (how == NO_NUL)
				msg_attr(&m, bad->type, junk, 200);
			else if (how == TORN) {
				struct nlattr *a = (void *)(m.b + m.h.nlmsg_len);

				put_right(bad);
				a->nla_len = 40000;
			}
		}
		msg_nest_end(&m, at);
	}
	return true;
}

static void spoilt(enum spoil from, enum spoil to, bool words)
{
	for (size_t c = 0; c < COMMANDS; c++) {
		if (from == LEFT_OUT && commands[c].from)
			continue;
		for (int w = commands[c].from; w < 4 && commands[c].need[w].set; w++) {
			for (enum spoil how = from; how <= to; how++) {
				int err;

				if (!build(&commands[c], w, how))
					continue;
				err = genl_call(&g, &m, NULL, NULL);
				ksft_test_result(err < 0 && (!words || strcasestr(g.text, commands[c].need[w].word)),
						 "%s, %s %s: expected a refusal%s%s, seen %s \"%s\"\n",
						 commands[c].name, commands[c].need[w].word, spoil_name[how],
						 words ? " that names " : "", words ? commands[c].need[w].word : "",
						 err ? strerror(-err) : "success", g.text);
			}
		}
	}
}

/* Random attributes, nested or not, with each command: none may do harm. */
static void random_bytes(int count)
{
	int taken = 0;

	for (int i = 0; i < count; i++) {
		uint8_t cmd = rnd() % (CTRACE_CMD_MAX + 4);
		uint32_t len;

		msg_new(&m, g.family, cmd, rnd() % 4 ? 0 : NLM_F_DUMP);
		if (rnd() % 2) {
			uint32_t at = msg_nest(&m, rnd() % (CTRACE_A_MAX + 3));

			for (int n = rnd() % 6; n; n--) {
				char b[64];

				for (size_t k = 0; k < sizeof(b); k++)
					b[k] = rnd();
				msg_attr(&m, rnd() % (CTRACE_A_SESSION_MAX + 3), b, rnd() % 12);
			}
			msg_nest_end(&m, at);
		}
		len = rnd() % 100;
		for (uint32_t k = 0; k < len; k++)
			m.b[m.h.nlmsg_len + k] = rnd();
		m.h.nlmsg_len += len;
		if (!(rnd() % 8))
			m.b[NLMSG_HDRLEN + GENL_HDRLEN + rnd() % 64] ^= 1 << rnd() % 8;
		if (!genl_call(&g, &m, NULL, NULL))
			taken++;
	}
	/* By chance, bytes may make a session, or ask for a list. That is no harm. */
	ksft_test_result_pass("%d random messages, %d of them made sense\n", count, taken);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "missing";
	struct timeval tv = { .tv_sec = 10 };
	int err;

	ksft_print_header();
	err = genl_open(&g);
	if (err)
		ksft_exit_fail_msg("no family: %s\n", strerror(-err));
	/* A command that gets no answer is a failure, not a hang. */
	setsockopt(g.fd, SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof(tv));
	session = genl_session_new(&g, NULL);
	probe = genl_probe_add(&g, session, "sched_switch");
	target = genl_target_add(&g, session, CTRACE_TARGET_CID, CTRACE_CID_HOST);
	if (session < 0 || probe < 0 || target < 0)
		ksft_exit_fail_msg("no session: %s\n", g.text);
	if (!strcmp(what, "missing")) {
		int n = 0;

		for (size_t c = 0; c < COMMANDS; c++)
			for (int w = 0; !commands[c].from && w < 4 && commands[c].need[w].set; w++)
				n++;
		ksft_set_plan(n + 1);
		spoilt(LEFT_OUT, LEFT_OUT, true);
	} else if (!strcmp(what, "wrong")) {
		int n = 0;

		for (size_t c = 0; c < COMMANDS; c++)
			for (int w = commands[c].from; w < 4 && commands[c].need[w].set; w++)
				for (enum spoil how = EMPTY; how <= TORN; how++)
					n += build(&commands[c], w, how);
		ksft_set_plan(n + 1);
		spoilt(EMPTY, TORN, false);
	} else {
		rnd_state = argc > 2 ? strtoull(argv[2], NULL, 0) : (uint64_t)time(NULL);
		ksft_set_plan(2);
		ksft_print_msg("seed %llu\n", (unsigned long long)rnd_state);
		random_bytes(argc > 3 ? atoi(argv[3]) : 2000);
		close(g.fd);
		genl_open(&g);
		session = genl_session_new(&g, NULL);
	}
	err = genl_session_do(&g, CTRACE_CMD_SESSION_SET, session, 0);
	ksft_test_result(!err, "and the module still answers (%s)\n", strerror(-err));
	ksft_finished();
}
