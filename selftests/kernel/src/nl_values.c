// SPDX-License-Identifier: GPL-2.0-only
/*
 * nl_values values|texts [SEED [COUNT]]: sends well-formed messages that make no sense. "values": each is
 * refused with words that name what is wrong, and the last value that makes sense is accepted. "texts":
 * filters and definitions of random words, which may be accepted and must do no harm.
 */
#include "dev.h"
#include <time.h>

struct genl g;
static int session;
static struct msg m;

static void refuse(int err, int expected, const char *word, const char *what)
{
	ksft_test_result(err < 0 && (!expected || err == expected) && strcasestr(g.text, word),
			 "%s: expected %s and a text with '%s', seen %s \"%s\"\n", what,
			 expected ? strerror(-expected) : "a refusal", word,
			 err < 0 ? strerror(-err) : "success", g.text);
}

/* arena: its size; 0: leave it out */
static int new_sized(uint64_t arena, uint16_t type, const void *v, size_t len)
{
	uint32_t at, id = 0;
	int err;

	msg_new(&m, g.family, CTRACE_CMD_SESSION_NEW, 0);
	at = msg_nest(&m, CTRACE_A_SESSION);
	msg_attr(&m, type, v, len);
	if (arena)
		msg_u64(&m, CTRACE_A_SESSION_ARENA_SIZE, arena);
	msg_nest_end(&m, at);
	err = genl_call(&g, &m, genl_session_fn, &id);
	if (!err)
		genl_session_do(&g, CTRACE_CMD_SESSION_DEL, id, -1);
	return err;
}

static int new_with(uint16_t type, const void *v, size_t len)
{
	return new_sized(0, type, v, len);
}

/* The arena is small, as each accepted message makes one. */
static int filter_with(const char *filter)
{
	return new_sized(4 << 20, CTRACE_A_SESSION_FILTER, filter, strlen(filter) + 1);
}

/* A message of cmd that begins with the session. */
static void begin(uint8_t cmd)
{
	uint32_t at;

	msg_new(&m, g.family, cmd, 0);
	at = msg_nest(&m, CTRACE_A_SESSION);
	msg_u32(&m, CTRACE_A_SESSION_ID, session);
	msg_nest_end(&m, at);
}

/* Adds a probe, and removes it if it was accepted. Values of 0 or NULL are left out. */
static int probe_copying(const char *name, uint32_t flags, const char *filter, uint32_t one_of, uint32_t copy)
{
	uint32_t id = 0, at;
	int err;

	begin(CTRACE_CMD_PROBE_ADD);
	at = msg_nest(&m, CTRACE_A_PROBE);
	msg_str(&m, CTRACE_A_PROBE_NAME, name);
	if (flags)
		msg_u32(&m, CTRACE_A_PROBE_FLAGS, flags);
	if (filter)
		msg_str(&m, CTRACE_A_PROBE_FILTER, filter);
	if (one_of)
		msg_u32(&m, CTRACE_A_PROBE_ONE_OF, one_of);
	if (copy)
		msg_u32(&m, CTRACE_A_PROBE_COPY, copy);
	msg_nest_end(&m, at);
	err = genl_call(&g, &m, genl_probe_fn, &id);
	if (err)
		return err;
	begin(CTRACE_CMD_PROBE_DEL);
	at = msg_nest(&m, CTRACE_A_PROBE);
	msg_u32(&m, CTRACE_A_PROBE_ID, id);
	msg_nest_end(&m, at);
	return genl_call(&g, &m, NULL, NULL);
}

static int probe_with(const char *name, uint32_t flags, const char *filter, uint32_t one_of)
{
	return probe_copying(name, flags, filter, one_of, 0);
}

static int target_not(uint32_t kind, uint16_t type, uint32_t value, uint32_t not)
{
	uint32_t at;

	begin(CTRACE_CMD_TARGET_ADD);
	at = msg_nest(&m, CTRACE_A_TARGET);
	msg_u32(&m, CTRACE_A_TARGET_KIND, kind);
	if (type)
		msg_u32(&m, type, value);
	msg_u32(&m, CTRACE_A_TARGET_NOT, not);
	msg_nest_end(&m, at);
	return genl_call(&g, &m, NULL, NULL);
}

static int event_flags(const char *text, uint32_t flags)
{
	uint32_t at;

	msg_new(&m, g.family, CTRACE_CMD_EVENT_NEW, 0);
	at = msg_nest(&m, CTRACE_A_EVENT);
	msg_str(&m, CTRACE_A_EVENT_DEFINITION, text);
	msg_u32(&m, CTRACE_A_EVENT_FLAGS, flags);
	msg_nest_end(&m, at);
	return genl_call(&g, &m, NULL, NULL);
}

static int event_do(uint8_t cmd, const char *text)
{
	uint32_t at;

	msg_new(&m, g.family, cmd, 0);
	at = msg_nest(&m, CTRACE_A_EVENT);
	msg_str(&m, cmd == CTRACE_CMD_EVENT_NEW ? CTRACE_A_EVENT_DEFINITION : CTRACE_A_EVENT_NAME, text);
	msg_nest_end(&m, at);
	return genl_call(&g, &m, NULL, NULL);
}

static void take(int err, const char *what)
{
	ksft_test_result(!err, "%s: expected to be taken, seen %s \"%s\"\n", what,
			 err ? strerror(-err) : "success", g.text);
}

/* Nonsense in the attributes that choose among events. */
static int choices(bool count)
{
	const uint64_t over_a_second = 1000000001;
	char text[1100];
	uint32_t u;

	if (count)
		return 8 + 11 + 6 + 3 + 6 + 4 + 2 + 3;
	memset(text, ' ', sizeof(text));
	memcpy(text, "$cid == 0", 9);
	text[1024] = '\0';
	refuse(filter_with(text), 0, "filter", "session filter of 1024 bytes");
	refuse(probe_with("sched_wakeup", 0, text, 0), 0, "filter", "probe filter of 1024 bytes");
	text[1023] = '\0';
	take(filter_with(text), "session filter of 1023 bytes");
	u = ~0u;
	take(new_with(CTRACE_A_SESSION_RATE, &u, 4), "the highest rate");
	take(new_with(CTRACE_A_SESSION_CONTAINERS, &u, 4), "for more containers than there can be");
	u = CTRACE_DATA_MAX;
	take(new_with(CTRACE_A_SESSION_DATA, &u, 4), "as much data as there may be");
	u++;
	refuse(new_with(CTRACE_A_SESSION_DATA, &u, 4), -EINVAL, "1025 is more than 1024", "more data than that");
	u = CTRACE_FREEZE_MS_MAX;
	take(new_with(CTRACE_A_SESSION_FREEZE_MS, &u, 4), "frozen for as long as there may be");
	u++;
	refuse(new_with(CTRACE_A_SESSION_FREEZE_MS, &u, 4), -EINVAL, "600001 is more than 600000",
	       "longer than that");
	u = 1u << 5;
	refuse(new_with(CTRACE_A_SESSION_FLAGS, &u, 4), -EINVAL, "flags", "the first flag nobody knows");
	refuse(new_with(CTRACE_A_SESSION_WAKEUP_NS, &over_a_second, 8), -EINVAL, "more than a second",
	       "a reader woken after more than a second");
	refuse(genl_session_do(&g, CTRACE_CMD_SESSION_SET, session, 2), -EINVAL, "2 is neither", "the first state that is none");
	refuse(filter_with("fd == 3"), -EINVAL, "fd", "a field of one event for all");
	refuse(new_sized(4096, CTRACE_A_SESSION_FILTER, "fd == 3", 8), -EINVAL, "fd",
	       "the same, before an arena is thought of");

	refuse(probe_with("sched_wakeup", 1u << 4, NULL, 0), -EINVAL, "flags", "the first flag nobody knows");
	take(probe_with("sched_waking", CTRACE_PROBE_F_FREEZE, NULL, 0), "a probe that freezes");
	take(probe_copying("sched_wakeup", CTRACE_PROBE_F_USER_COPY, NULL, 0, CTRACE_COPY_MAX), "the largest copy of a stack");
	refuse(probe_copying("sched_wakeup", CTRACE_PROBE_F_USER_COPY, NULL, 0, CTRACE_COPY_MAX + 1), -EINVAL,
	       "CTRACE_A_PROBE_COPY: 32769 is more than 32768", "a larger one");
	refuse(probe_with("sched_wakeup", 1u << 31 | 1, NULL, 0), -EINVAL, "flags", "the last flag");
	refuse(probe_with("sched_wakeup", 0, "no_such_field == 1", 0), -EINVAL, "no_such_field",
	       "a field the event has not");
	refuse(probe_with("sched_wakeup", 0, "comm == 1", 0), -EINVAL, "comm", "text compared with a number");
	refuse(probe_with("sched_wakeup", 0, "", 0), -EINVAL, "filter", "an empty filter");
	refuse(probe_with("sched_switch", 0, "prev_tid == 1", 0), -EEXIST, "sched_switch",
	       "the same probe with other options");
	take(probe_with("sched_wakeup", 0, "$cid == 0", ~0u), "one in the highest number");

	refuse(target_not(CTRACE_TARGET_ALL, 0, 0, 1), -EINVAL, "not", "not everything");
	refuse(target_not(CTRACE_TARGET_PID, CTRACE_A_TARGET_PID, getpid(), 1), -EINVAL, "not",
	       "not a process");
	refuse(target_not(CTRACE_TARGET_BORN, 0, 0, 1), -EINVAL, "not", "not births");
	refuse(target_not(CTRACE_TARGET_BORN + 1, 0, 0, 0), -EINVAL, "unknown kind 6", "a kind of target after the last");
	refuse(target_not(CTRACE_TARGET_CID, CTRACE_A_TARGET_CID, 0, 2), -EINVAL, "not", "not twice");
	refuse(target_not(CTRACE_TARGET_CID, CTRACE_A_TARGET_CID, 0x7ffffff0, 1), 0, "2147483632",
	       "not an unknown cid");

	refuse(genl_target_del(&g, session, 0), -ENOENT, "CTRACE_A_TARGET_ID", "target 0");
	refuse(genl_target_del(&g, session, 0x7ffffff0), -ENOENT, "no target 2147483632", "an unknown target");
	refuse(genl_target_del(&g, 0x7ffffff0, 1), -ENOENT, "no session 2147483632", "a target of an unknown session");

	refuse(event_do(CTRACE_CMD_EVENT_NEW, "p:hostile no_such_symbol_here"), -ENOENT,
	       "no_such_symbol_here", "definition with an unknown symbol");
	refuse(event_do(CTRACE_CMD_EVENT_NEW, "hostility"), 0, "hostility", "definition that is none");
	take(event_do(CTRACE_CMD_EVENT_NEW, "p:hostile do_exit"), "a definition");
	refuse(event_do(CTRACE_CMD_EVENT_NEW, "p:hostile do_exit code=$arg1"), -EEXIST, "hostile",
	       "another definition of that name");
	take(event_do(CTRACE_CMD_EVENT_DEL, "hostile"), "its end");
	refuse(event_flags("p:hostile do_exit", 1u << 1), -EINVAL, "CTRACE_A_EVENT_FLAGS", "the first flag nobody knows");
	refuse(event_flags("p:hostile do_exit", 1u << 31 | 1), -EINVAL, "CTRACE_A_EVENT_FLAGS", "the last flag");
	take(event_flags("p:hostile do_exit", CTRACE_EVENT_F_KEEP), "a definition to be kept");
	take(event_do(CTRACE_CMD_EVENT_DEL, "hostile"), "and its end");
	refuse(event_do(CTRACE_CMD_EVENT_DEL, "no_such_event_here"), -ENOENT, "no_such_event_here",
	       "an event nobody defined");
	return 0;
}

/* How often the kernel has killed a task for lack of memory. */
static int killed(void)
{
	FILE *f = fopen("/proc/vmstat", "re");
	char line[100];
	int n = -1;

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "oom_kill %d", &n) == 1)
			break;
	if (f)
		fclose(f);
	return n;
}

/* An arena larger than free memory: it is refused, and no other task suffers. */
static int nearly_all_memory(void)
{
	uint32_t at, id = 0;
	int err;

	msg_new(&m, g.family, CTRACE_CMD_SESSION_NEW, 0);
	at = msg_nest(&m, CTRACE_A_SESSION);
	msg_u64(&m, CTRACE_A_SESSION_ARENA_SIZE, 4096ull * sysconf(_SC_PHYS_PAGES) / 1000 * 995);
	msg_u64(&m, CTRACE_A_SESSION_RING_SIZE, 1 << 20);
	msg_nest_end(&m, at);
	err = genl_call(&g, &m, genl_session_fn, &id);
	if (!err)
		genl_session_do(&g, CTRACE_CMD_SESSION_DEL, id, -1);
	return err;
}

/* Values that are well-formed but wrong. */
static int values(bool count)
{
	static const struct { uint64_t v; const char *what; } arena[] = {
		{ 1, "arena of one byte" }, { 4096, "arena of a page" }, { 1ull << 62, "arena of 4 EiB" },
		{ ~0ull, "arena of -1" },
	}, ring[] = {
		{ 1, "ring of one byte" }, { 4096, "ring of a page" }, { 12288, "ring not a power of two" },
		{ 1ull << 40, "ring of a TiB" }, { ~0ull, "ring of -1" },
	}, subbuf[] = {
		{ 1, "sub-buffer of one byte" }, { 2048, "sub-buffer of half a page" },
		{ 5000, "sub-buffer not a power of two" }, { 1u << 31, "sub-buffer of 2 GiB" },
	};
	int before = killed();
	uint32_t u;
	char name[300];

	if (count)
		return 2 + 4 + 5 + 4 + 3 + 4 + 5 + 3;
	for (int i = 0; i < 4; i++)
		refuse(new_with(CTRACE_A_SESSION_ARENA_SIZE, &arena[i].v, 8), 0, "arena", arena[i].what);
	refuse(nearly_all_memory(), -ENOMEM, "arena", "arena of nearly all memory");
	ksft_test_result(killed() == before, "and nobody was killed for it (%d, before %d)\n", killed(), before);
	for (int i = 0; i < 5; i++)
		refuse(new_with(CTRACE_A_SESSION_RING_SIZE, &ring[i].v, 8), 0, "ring", ring[i].what);
	for (int i = 0; i < 4; i++) {
		u = subbuf[i].v;
		refuse(new_with(CTRACE_A_SESSION_SUBBUF_SIZE, &u, 4), 0, "sub", subbuf[i].what);
	}
	u = 0xfffffffe;
	refuse(new_with(CTRACE_A_SESSION_FLAGS, &u, 4), 0, "flags", "flags nobody knows");
	memset(name, 'n', sizeof(name));
	refuse(new_with(CTRACE_A_SESSION_NAME, name, 64), 0, "name", "name of 64 bytes");
	refuse(new_with(CTRACE_A_SESSION_NAME, name, 300), 0, "name", "name of 300 bytes");

	refuse(genl_session_do(&g, CTRACE_CMD_SESSION_SET, session, 7), 0, "state", "state 7");
	refuse(genl_session_do(&g, CTRACE_CMD_SESSION_SET, 0xffffffff, 1), -ENOENT, "session", "session -1");
	refuse(genl_session_do(&g, CTRACE_CMD_SESSION_DEL, 0, -1), -ENOENT, "session", "session 0");
	refuse(genl_target_add(&g, session, 99, 0), 0, "kind", "target kind 99");

	refuse(genl_probe_add(&g, session, "sched:sched_foo"), -ENOENT, "sched_foo", "unknown tracepoint");
	refuse(genl_probe_add(&g, session, "nothing_of_that_name"), -ENOENT, "nothing_of_that_name",
	       "unknown event");
	refuse(genl_probe_add(&g, session, "syscall:opennat"), -ENOENT, "opennat", "unknown call");
	refuse(genl_probe_add(&g, session, "kprobe:no_such_symbol_here"), 0, "no_such_symbol_here",
	       "unknown symbol");
	refuse(genl_probe_add(&g, session, "sched_switch"), -EEXIST, "sched_switch", "the same probe twice");

	refuse(genl_target_add(&g, session, CTRACE_TARGET_CID, 0x7ffffff0), 0, "2147483632", "unknown cid");
	refuse(genl_target_add(&g, session, CTRACE_TARGET_PID, 0x7ffffff0), 0, "2147483632", "unknown pid");
	refuse(genl_target_add(&g, session, CTRACE_TARGET_CGROUP, 0), 0, "cgroup", "no cgroup's descriptor");
	return 0;
}

/* The register of a function's first argument. */
#ifdef __aarch64__
#define REG	"%x0"
#else
#define REG	"%di"
#endif

/* Words that make sense together, in any number and order, joined by "joint". */
struct sense {
	const char *words[6], *joint;
};
static const struct sense of_session = {
	{ "$cid == 0", "$comm ~ \"s*\"", "!($tid & 7)", "($pid > 2 || $uid != 0)", "$cpu < 64", "$gid >= 0x10" }, " && ",
}, of_probe = {
	{ "tid > 2", "comm !~ \"[a-f]?*\"", "!(prio & 1)", "$cid == 0", "(target_cpu < 2)", "comm != \"\"" }, " || ",
}, of_kprobe = {
	{ "a=" REG ":u8", "b=+8(" REG "):x64", "$stack2:s32", "c=$stack", REG, "$comm" }, " ",
}, of_kretprobe = {
	{ "$retval", "r=$retval:s32", "$stack", "s=$stack0:x64", "$comm", "r=$retval:u8" }, " ",
};

/*
 * Makes a text of `start` and a few words. Half the time these make sense together, else they are any words
 * of expressions or definitions. At most one byte of noise is added.
 */
static void random_text(char *text, size_t room, const char *start, const struct sense *s)
{
	static const char * const words[] = {
		"$cid", "$comm", "$tid", "$cpu", "$nobody", "comm", "tid", "prio", "==", "!=", "<", ">=", "&", "~",
		"!~", "&&", "||", "!", "(", ")", "((((((((", "\"", "\"a*\"", "\"[a-\"", "\"\\", "0", "07", "0x", "0xffffffffffffffff",
		"18446744073709551616", "-1", "-", "p:", "r:", "do_exit", "do_exit+4", REG, "%nobody", "$arg1",
		"$stack", "$stack8", "$retval", "+0(", "-8(", "+0(" REG ")", ")", "@", "@jiffies", ":u8", ":x64", ":string", ":s32[3]",
		":u8[99999]", ":b4@2/8", "a=", "a=" REG, "\\imm", "\\1", "=", ",", "/", "[", "]", "\t", "\n", "\x80", "\xff",
	};
	size_t len = snprintf(text, room, "%s", start), n = rnd() % 12;
	bool sound = rnd() % 2;
	const char *w;

	while (n--) {
		w = sound ? s->words[rnd() % 6] : words[rnd() % (sizeof(words) / sizeof(*words))];
		if (len + strlen(w) + 6 > room)
			break;
		len += sprintf(text + len, "%s%s", !sound ? rnd() % 3 ? " " : "" : len ? s->joint : "", w);
	}
	if (len && !(rnd() % 6))
		text[rnd() % len] = 1 + rnd() % 255;
}

/* Some of these texts may be accepted. They are deleted again, and the module must live on. */
static void random_texts(int count)
{
	char text[256];
	int taken = 0;

	for (int i = 0; i < count; i++) {
		switch (rnd() % 4) {
		case 0:
			random_text(text, sizeof(text), "", &of_session);
			taken += !filter_with(text);
			break;
		case 1:
			random_text(text, sizeof(text), "", &of_probe);
			taken += !probe_with("sched_wakeup", 0, text, rnd() % 3);
			break;
		case 2:
			random_text(text, sizeof(text), "p:hostile do_exit", &of_kprobe);
			taken += !event_do(CTRACE_CMD_EVENT_NEW, text);
			event_do(CTRACE_CMD_EVENT_DEL, "hostile");
			break;
		default:
			random_text(text, sizeof(text), rnd() % 3 ? "r:hostile kernel_clone" : "", &of_kretprobe);
			taken += !probe_with(*text ? text : "p", 0, NULL, 0);
		}
	}
	ksft_test_result_pass("%d random texts, %d of them made sense\n", count, taken);
}

int main(int argc, char **argv)
{
	bool random = argc > 1 && !strcmp(argv[1], "texts");
	struct timeval tv = { .tv_sec = 10 };
	int err;

	ksft_print_header();
	err = genl_open(&g);
	if (err)
		ksft_exit_fail_msg("no family: %s\n", strerror(-err));
	/* A command that gets no answer is a failure, not a hang. */
	setsockopt(g.fd, SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof(tv));
	session = genl_session_new(&g, NULL);
	if (session < 0 || genl_probe_add(&g, session, "sched_switch") < 0)
		ksft_exit_fail_msg("no session: %s\n", g.text);
	if (random) {
		rnd_state = argc > 2 ? strtoull(argv[2], NULL, 0) : (uint64_t)time(NULL);
		ksft_set_plan(2);
		ksft_print_msg("seed %llu\n", (unsigned long long)rnd_state);
		random_texts(argc > 3 ? atoi(argv[3]) : 2000);
	} else {
		ksft_set_plan(values(true) + choices(true) + 1);
		values(false);
		choices(false);
	}
	err = genl_session_do(&g, CTRACE_CMD_SESSION_SET, session, 0);
	ksft_test_result(!err, "and the module still answers (%s)\n", strerror(-err));
	ksft_finished();
}
