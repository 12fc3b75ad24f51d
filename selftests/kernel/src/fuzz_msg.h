/* SPDX-License-Identifier: GPL-2.0-only */
/* fuzz_msg.h: makes messages for fuzz.c from the policy, and spoils them. */
#ifndef FUZZ_MSG_H
#define FUZZ_MSG_H

#include "dev.h"

#define COUNT(a) (sizeof(a) / sizeof(*(a)))

/* The message that this thread is making. */
static __thread struct msg *m;
static __thread uint16_t family;
/* The sessions of this thread's socket (the first entry is set if there are any), and their probes. */
static __thread uint32_t own[4];
static __thread struct { uint32_t session, id; } own_probes[8], own_target;

static uint32_t sessions[64], probes[256];	/* ids given to any thread; those that are gone stay */
static int cgroup_fd;

static bool chance(uint32_t n)
{
	return !(rnd() % n);
}

/* --- words and values --------------------------------------------------------------------- */

#define ANY(a) ((a)[rnd() % COUNT(a)])
/* The first n entries of a list are sound, and are chosen more often. */
#define MOSTLY(a, n) (chance(4) ? ANY(a) : (a)[rnd() % (n)])

static const char * const names[] = {
	"sched_switch", "sched:sched_switch", "sched_waking", "sched_process_fork", "sched_process_exit", "syscalls",
	"syscall:openat", "syscall:getpriority", "calls", "call:openat", "call:openat,read,write", "sample:99", "sample:1",
	"sample:0", "sample:20000", "raw:sched_switch", "raw:sys_enter", "raw:signal_generate", "irq_softirq_entry",
	"timer_hrtimer_expire_entry", "page_fault_user", "kmem_mm_page_alloc", "signal_generate", "net_dev_xmit",
	"block_rq_issue", "cgroup_mkdir", "module_load", "kprobe:do_exit", "kretprobe:do_exit",
	"kprobe:do_sys_openat2", "p:fz1 do_sys_openat2 f=+0(%si):ustring", "r:fz2 do_sys_openat2 $retval",
	"r8:fz3 vfs_read", "p:fz4 vfs_read+0 a=%di b=$stack0:x64 c=+8(%di):u32", "fz1", "kprobes:fz5", "fz5",
	"sched:no_such", "", ":", "raw:", "syscall:", "call:", "call:read,,read", "kprobe:", "p", "r", "p:", "sched_switch sched_waking",
};
static const char * const filters[] = {
	"$cid == 0", "$comm ~ \"f*\"", "$tid & 1", "!($pid > 2 || $uid != 0)", "$cpu < 64 && $gid >= 0x10", "prio > 100",
	"prev_comm ~ \"[a-z]*\"", "next_tid != 0", "ret < 0", "sig == 10", "filename ~ \"/tmp/*\"", "((((($cid==0)))))",
	"$comm == \"\\\"\\\\\"", "", "1", "$", "$comm ~ \"[", "a && ", "tid == 18446744073709551615", "tid == -1",
};
static const char * const definitions[] = {
	"p:fz5 do_exit", "p:fz6 do_exit c=%di:s32", "r:fz7 kernel_clone r=$retval:s64", "p:grp/fz8 vfs_read a=%si:x64 n=%dx",
	"p:fz9 do_sys_openat2 f=+0(%si):ustring g=+8(%si):u8[4]", "p:fz5 kernel_clone $comm", "p:fz10 vfs_write $stack3",
	"r4:fz11 vfs_write", "p:fz12 vfs_read%return", "p:fz13 vfs_read+4096", "p:fz14 nothing_there", "-:fz5", "p:fz15",
	"p:fz16 vfs_read a=%di a=%si", "p:fz17 vfs_read a=@jiffies b=\\1", "p:fz18 do_exit a=%di:b4@2/8 b=%si:string",
};
static const char * const words[] = {
	"$cid", "$comm", "&&", "||", "!", "(", ")", "\"", "\\", "*", "[", "]", "0x", "-1", "99999999999999999999", "%di",
	"+0(", "-8(", "$stack", "$retval", ":u8", ":string", ":x64[3]", "@", "=", ",", " ", "\t", "\n", "\x80", "%s", "%n",
};
static const uint32_t limits32[] = {
	0, 1, 2, 3, 4, 7, 63, 64, 255, 4095, 4096, 8192, 0x7ffe, 0x7fff, 0x8000, 0xffff, 0x10000, 0x4000, 0x57ff, 0x5800,
	0x7fffffff, 0x80000000, 0x80000001, 0xfffffffd, 0xfffffffe, 0xffffffff,
};
static const uint64_t limits64[] = {
	0, 1, 4095, 4096, 8191, 8192, 12288, 65536, 1 << 20, 1 << 22, 1000000000, 1000000001, 1ull << 40, 1ull << 62, 1ull << 63,
	~0ull, ~0ull - 4095,
};

static uint32_t u32(void)
{
	switch (rnd() % 4) {
	case 0: return rnd();
	case 1: return rnd() % 32;
	default: return ANY(limits32);
	}
}

static uint32_t any_session(void)
{
	uint32_t id = chance(4) ? ANY(own) : own[0];

	if (id && !chance(8))
		return id;
	return chance(8) ? u32() : ANY(sessions);
}

static void keep_session(uint32_t id)
{
	if (id)
		ANY(sessions) = own[own[0] ? rnd() % 4 : 0] = id;
}

static void keep_probe(uint32_t session, uint32_t id)
{
	uint32_t i = own_probes[0].id ? rnd() % COUNT(own_probes) : 0;

	own_probes[i].session = session;
	own_probes[i].id = id;
	ANY(probes) = id;
}

static void keep_target(uint32_t session, uint32_t id)
{
	own_target.session = session;
	own_target.id = id;
}

static void forget_probe(uint32_t session, uint32_t id)
{
	for (uint32_t i = 0; i < COUNT(own_probes); i++)
		if (own_probes[i].session == session && (!id || own_probes[i].id == id))
			own_probes[i].id = 0;
}

static void forget_session(uint32_t id)
{
	forget_probe(id, 0);
	for (uint32_t i = 0; i < COUNT(own); i++)
		if (own[i] == id)
			own[i] = 0;
	for (uint32_t i = 1; i < COUNT(own) && !own[0]; i++) {
		own[0] = own[i];
		own[i] = 0;
	}
}

static uint32_t any_cid(void)
{
	return chance(4) ? u32() : chance(3) ? 0 : rnd() % 40;
}

static uint32_t any_pid(void)
{
	switch (rnd() % 4) {
	case 0: return u32();
	case 1: return 1;
	case 2: return getpid() + rnd() % 20;
	default: return getpid();
	}
}

/* --- sound messages ------------------------------------------------------------------------ */

static void put_id(int set, int attr, uint32_t id)
{
	uint32_t at = msg_nest(m, set);

	msg_u32(m, attr, id);
	msg_nest_end(m, at);
}

static void put_session(void)
{
	put_id(CTRACE_A_SESSION, CTRACE_A_SESSION_ID, any_session());
}

static void put_new_session(void)
{
	uint32_t at = msg_nest(m, CTRACE_A_SESSION);

	/* Small: clearing arenas that nobody fills would take most of the time. */
	if (!chance(40))
		msg_u64(m, CTRACE_A_SESSION_ARENA_SIZE, 65536ull << rnd() % 4);
	if (!chance(3))
		msg_u64(m, CTRACE_A_SESSION_RING_SIZE, 8192ull << rnd() % 2);
	if (chance(6))
		msg_u32(m, CTRACE_A_SESSION_SUBBUF_SIZE, 4096u << rnd() % 3);
	if (chance(3))
		msg_u32(m, CTRACE_A_SESSION_FLAGS, rnd() % 4);
	if (chance(3))
		msg_u64(m, CTRACE_A_SESSION_WAKEUP_NS, rnd() % 1000000);
	if (!chance(3))
		msg_str(m, CTRACE_A_SESSION_NAME, "fuzz");
	if (chance(4))
		msg_str(m, CTRACE_A_SESSION_FILTER, MOSTLY(filters, 5));
	if (chance(4))
		msg_u32(m, CTRACE_A_SESSION_RATE, rnd() % 1000);
	if (chance(4))
		msg_u32(m, CTRACE_A_SESSION_CONTAINERS, rnd() % 40);
	if (chance(4))
		msg_u32(m, CTRACE_A_SESSION_FREEZE_MS, rnd() % 2000);
	if (chance(40))
		msg_u32(m, rnd() % (CTRACE_A_SESSION_MAX + 3), u32());
	msg_nest_end(m, at);
}

static void put_new_probe(void)
{
	uint32_t at = msg_nest(m, CTRACE_A_PROBE);

	msg_str(m, CTRACE_A_PROBE_NAME, MOSTLY(names, 13));
	if (chance(3))
		msg_u32(m, CTRACE_A_PROBE_FLAGS, rnd() % 17);
	if (chance(4))
		msg_u32(m, CTRACE_A_PROBE_COPY, chance(3) ? u32() : rnd() % CTRACE_COPY_MAX);
	if (chance(3))
		msg_str(m, CTRACE_A_PROBE_FILTER, MOSTLY(filters, 5));
	if (chance(4))
		msg_u32(m, CTRACE_A_PROBE_ONE_OF, u32());
	if (chance(6))
		msg_u32(m, CTRACE_A_PROBE_FREEZES, chance(2) ? u32() : rnd() % 8);
	msg_nest_end(m, at);
}

/* Mostly one of the sender's own probes, with its session. */
static void put_probe(void)
{
	uint32_t i = chance(4) ? rnd() % COUNT(own_probes) : 0;

	if (own_probes[i].id && !chance(8)) {
		put_id(CTRACE_A_SESSION, CTRACE_A_SESSION_ID, own_probes[i].session);
		put_id(CTRACE_A_PROBE, CTRACE_A_PROBE_ID, own_probes[i].id);
	} else {
		put_session();
		put_id(CTRACE_A_PROBE, CTRACE_A_PROBE_ID, chance(8) ? u32() : ANY(probes));
	}
}

static void put_target(void)
{
	uint32_t at = msg_nest(m, CTRACE_A_TARGET), kind = chance(10) ? u32() : 1 + rnd() % CTRACE_TARGET_BORN;

	msg_u32(m, CTRACE_A_TARGET_KIND, kind);
	if (kind == CTRACE_TARGET_CID || chance(8))
		msg_u32(m, CTRACE_A_TARGET_CID, any_cid());
	if (kind == CTRACE_TARGET_CGROUP || chance(8))
		msg_u32(m, CTRACE_A_TARGET_CGROUP, chance(4) ? u32() : (uint32_t)cgroup_fd);
	if (kind == CTRACE_TARGET_PID || chance(8))
		msg_u32(m, CTRACE_A_TARGET_PID, any_pid());
	if (chance(8))
		msg_u32(m, CTRACE_A_TARGET_NOT, rnd() % 3);
	msg_nest_end(m, at);
}

/* Mostly the sender's newest one, which may be gone. */
static void put_target_id(void)
{
	if (own_target.id && !chance(4))
		put_id(CTRACE_A_SESSION, CTRACE_A_SESSION_ID, own_target.session);
	else
		put_session();
	put_id(CTRACE_A_TARGET, CTRACE_A_TARGET_ID, chance(8) ? u32() : own_target.id);
}

static void put_event(int attr)
{
	uint32_t at = msg_nest(m, CTRACE_A_EVENT);

	if (attr == CTRACE_A_EVENT_ID)
		msg_u32(m, attr, u32());
	else if (attr == CTRACE_A_EVENT_DEFINITION)
		msg_str(m, attr, MOSTLY(definitions, 7));
	else
		msg_str(m, attr, chance(4) ? ANY(names) : chance(2) ? "fz5" : "fz9");
	if (attr == CTRACE_A_EVENT_DEFINITION && chance(3))
		msg_u32(m, CTRACE_A_EVENT_FLAGS, rnd() % 3);
	msg_nest_end(m, at);
}

/* Makes a sound message. A dear one may be a dump too; but first of all it makes a session to talk about,
 * and then a probe in it. */
static void sound(bool dear)
{
	static const uint8_t often[] = {
		CTRACE_CMD_SESSION_NEW, CTRACE_CMD_SESSION_SET, CTRACE_CMD_SESSION_SET, CTRACE_CMD_PROBE_ADD,
		CTRACE_CMD_PROBE_ADD, CTRACE_CMD_PROBE_ADD, CTRACE_CMD_PROBE_DEL, CTRACE_CMD_TARGET_ADD,
		CTRACE_CMD_TARGET_ADD, CTRACE_CMD_TARGET_DEL, CTRACE_CMD_SESSION_DEL, CTRACE_CMD_EVENT_NEW,
		CTRACE_CMD_EVENT_DEL, CTRACE_CMD_THAW,
	};
	uint8_t cmd = chance(dear ? 3 : 30) ? rnd() % (CTRACE_CMD_MAX + 2) : ANY(often);

	if (dear && !own[0])
		cmd = CTRACE_CMD_SESSION_NEW;
	else if (dear && !own_probes[0].id && !chance(4))
		cmd = CTRACE_CMD_PROBE_ADD;
	msg_new(m, family, cmd, 0);
	switch (cmd) {
	case CTRACE_CMD_SESSION_NEW:
		put_new_session();
		break;
	case CTRACE_CMD_SESSION_SET:
	case CTRACE_CMD_SESSION_DEL: {
		uint32_t at = msg_nest(m, CTRACE_A_SESSION);

		msg_u32(m, CTRACE_A_SESSION_ID, any_session());
		if (cmd == CTRACE_CMD_SESSION_SET)
			msg_u32(m, CTRACE_A_SESSION_STATE, chance(10) ? u32() : rnd() % 2);
		msg_nest_end(m, at);
		break;
	}
	case CTRACE_CMD_PROBE_ADD:
		put_session();
		put_new_probe();
		break;
	case CTRACE_CMD_PROBE_DEL:
		put_probe();
		break;
	case CTRACE_CMD_TARGET_ADD:
		put_session();
		put_target();
		break;
	case CTRACE_CMD_TARGET_DEL:
		put_target_id();
		break;
	case CTRACE_CMD_EVENT_NEW:
		put_event(CTRACE_A_EVENT_DEFINITION);
		break;
	case CTRACE_CMD_EVENT_DEL:
		put_event(CTRACE_A_EVENT_NAME);
		break;
	case CTRACE_CMD_THAW:
		put_session();
		put_id(CTRACE_A_FROZEN, CTRACE_A_FROZEN_CID, chance(2) ? CTRACE_CID_ALL : any_cid());
		break;
	case CTRACE_CMD_INFO_GET:
		break;
	default:
		if (cmd == CTRACE_CMD_EVENT_GET && chance(2)) {
			put_event(chance(2) ? CTRACE_A_EVENT_ID : CTRACE_A_EVENT_NAME);
			break;
		}
		m->h.nlmsg_flags |= NLM_F_DUMP;
		if (cmd == CTRACE_CMD_EVENT_GET && chance(2))
			put_event(CTRACE_A_EVENT_ID);
		if (cmd == CTRACE_CMD_STATS_GET && chance(2))
			put_session();
	}
}

/* --- spoiling them -------------------------------------------------------------------------- */

#define HEAD (NLMSG_HDRLEN + GENL_HDRLEN)

static __thread uint32_t attrs[64], nattrs;

/* Finds the attributes, those within others too. */
static void find_attrs(uint32_t at, uint32_t end, int depth)
{
	while (at + NLA_HDRLEN <= end && nattrs < 64) {
		const struct nlattr *a = (void *)(m->b + at);

		if (a->nla_len < NLA_HDRLEN || at + a->nla_len > end)
			return;
		attrs[nattrs++] = at;
		if (a->nla_type & NLA_F_NESTED && depth < 4)
			find_attrs(at + NLA_HDRLEN, at + a->nla_len, depth + 1);
		at += NLA_ALIGN(a->nla_len);
	}
}

static void append(const void *p, uint32_t n)
{
	if (m->h.nlmsg_len + n > 8192)
		return;
	memcpy(m->b + m->h.nlmsg_len, p, n);
	m->h.nlmsg_len += n;
	while (m->h.nlmsg_len & 3)
		m->b[m->h.nlmsg_len++] = 0;
}

/* Inserts n bytes at this place, or removes -n; the attributes around it become longer or shorter. */
static void shift(uint32_t at, int n)
{
	uint32_t tail = n < 0 ? at - n : at;

	for (uint32_t i = 0; i < nattrs; i++) {
		struct nlattr *up = (void *)(m->b + attrs[i]);

		if (attrs[i] < at && attrs[i] + up->nla_len >= tail)
			up->nla_len += n;
	}
	memmove(m->b + tail + n, m->b + tail, m->h.nlmsg_len - tail);
	m->h.nlmsg_len += n;
	if (n > 0)
		memset(m->b + at, chance(4) ? 0 : 'a', n);
}

static void spoil(void)
{
	static const uint16_t lens[] = { 0, 1, 3, 4, 5, 7, 8, 9, 12, 20, 1023, 1024, 1028, 1029, 4096, 0x7fff, 0xfffc, 0xffff };
	static const uint16_t more[] = { 4, 8, 60, 64, 128, 1016, 1020, 1024, 4000 };
	char junk[256];
	struct nlattr *a, *b;
	uint32_t n, v, len;
	uint64_t w;

	nattrs = 0;
	find_attrs(HEAD, m->h.nlmsg_len, 0);
	if (!nattrs || chance(10)) {
		for (n = 0; n < sizeof(junk); n++)
			junk[n] = rnd();
		append(junk, 1 + rnd() % 64);
		return;
	}
	n = attrs[rnd() % nattrs];
	a = (void *)(m->b + n);
	len = a->nla_len - NLA_HDRLEN;
	switch (rnd() % 23) {
	case 0:
		a->nla_type = (a->nla_type & ~NLA_TYPE_MASK) | rnd() % 26;
		break;
	case 1:
		a->nla_type ^= chance(2) ? NLA_F_NESTED : NLA_F_NET_BYTEORDER;
		break;
	case 2:
	case 3:
	case 4:
		/* one byte less makes a text without its end */
		a->nla_len = chance(2) ? a->nla_len - 1 : chance(2) ? ANY(lens) : a->nla_len + (int)(rnd() % 9) - 4;
		break;
	case 5:
		v = u32();
		memcpy(a + 1, &v, len < 4 ? len : 4);
		break;
	case 6:
		w = ANY(limits64);
		memcpy(a + 1, &w, len < 8 ? len : 8);
		break;
	case 7:
		append(a, a->nla_len);
		break;
	case 8:
	case 9:
	case 10:
		v = NLA_ALIGN(a->nla_len);
		if (n + v <= m->h.nlmsg_len)
			shift(n, -(int)v);
		break;
	case 11:
	case 12:
	case 13:
		/* after a number come more bytes; a text gets longer before its end */
		v = ANY(more);
		if (m->h.nlmsg_len + v <= 8192)
			shift(len == 4 || len == 8 ? n + a->nla_len : n + NLA_HDRLEN, v);
		break;
	case 14:
		b = (void *)(m->b + attrs[rnd() % nattrs]);
		v = a->nla_type;
		a->nla_type = b->nla_type;
		b->nla_type = v;
		break;
	case 15:
		m->h.nlmsg_len -= rnd() % (m->h.nlmsg_len - HEAD + 1);
		break;
	case 16: {
		const char *word = ANY(words);

		v = strlen(word);
		if (len > v)
			memcpy((char *)(a + 1) + rnd() % (len - v), word, v);
		break;
	}
	case 17:
		if (len)
			memset(a + 1, chance(2) ? '(' : '!', len - chance(2));
		break;
	case 18: {
		/* nested deeper than any command needs */
		uint32_t at[40], d = 1 + rnd() % 39;

		for (v = 0; v < d; v++)
			at[v] = msg_nest(m, rnd() % (CTRACE_A_MAX + 2));
		while (v--)
			msg_nest_end(m, at[v]);
		break;
	}
	case 19:
		((struct genlmsghdr *)NLMSG_DATA(&m->h))->cmd = rnd() % (CTRACE_CMD_MAX + 3);
		break;
	case 20:
		m->h.nlmsg_flags ^= 1 << rnd() % 12;
		m->h.nlmsg_flags |= NLM_F_REQUEST;
		break;
	case 21:
		((struct genlmsghdr *)NLMSG_DATA(&m->h))->version = rnd();
		break;
	default:
		m->b[HEAD + rnd() % (m->h.nlmsg_len - HEAD)] ^= 1 << rnd() % 8;
	}
}

/* True for what would merely stop the machine by doing what was asked: using all its memory, or all its
 * time. */
static bool unfair(void)
{
	const char *s = m->b, *end = s + m->h.nlmsg_len;

	while ((s = memmem(s, end - s, "ample:", 6))) {
		size_t digits = strspn(s + 6, "0123456789");

		if (digits > 3 && strncmp(s + 6, "20000", digits))
			return true;
		s += 6;
	}
	nattrs = 0;
	find_attrs(HEAD, m->h.nlmsg_len, 0);
	for (uint32_t i = 0; i < nattrs; i++) {
		const struct nlattr *a = (void *)(m->b + attrs[i]);
		uint64_t v;

		if (a->nla_len != NLA_HDRLEN + 8)
			continue;
		memcpy(&v, a + 1, 8);
		if (v > 1 << 20 && v < 1ull << 36)
			return true;
	}
	return false;
}

#endif
