// SPDX-License-Identifier: GPL-2.0-only
/*
 * The module's readers of what calls point to (event/call_memory_vector.c, _names.c), over memory of this process. Where
 * there is none, they must stop; while another thread changes it under them, they must stay within their room.
 */
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>
#include "ktap.h"

/* --- what they need of the kernel ---------------------------------------------- */

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef int32_t s32;
typedef uint64_t u64;
#define CTRACE_EVENT_H
#define CTRACE_COMPAT_SYSCALL_H
#define CTRACE_FD_NAME_H
#define __user
#undef __always_inline
#define __always_inline		inline
#define min(a, b)		({ __typeof__(a) _a = (a); __typeof__(b) _b = (b); _a < _b ? _a : _b; })
#define min_t(t, a, b)		min((t)(a), (t)(b))
#define ALIGN(x, a)		(((x) + (a) - 1) / (a) * (a))
#define likely(x)		(x)
#define PAGE_SIZE		4096u
#define DECLARE_PER_CPU(t, n)	static t n
#define __this_cpu_write(n, v)	((n) = (v))
#include "../../uapi/ctrace.h"

struct ctrace_syscall;
struct ctrace_field_desc;

/* As copy_from_user_nofault(): all or nothing. */
static long ctrace_compat_read_user(void *dst, const void *src, size_t n)
{
	struct iovec to = { dst, n }, from = { (void *)(uintptr_t)src, n };

	return process_vm_readv(getpid(), &to, 1, &from, 1, 0) == (ssize_t)n ? 0 : -EFAULT;
}

static long ctrace_compat_read_user_string(char *dst, const char *src, size_t max)
{
	return ctrace_compat_read_user(dst, src, max);
}

static u32 ctrace_fd_name(int fd, char *to, u32 max)
{
	return (u32)snprintf(to, max, "fd:%d", fd) + 1;
}

#include "../../module/event/call_memory_vector.c"
#undef MSG
#include "../../module/event/call_memory_names.c"

/* The part of the call's sets that was kept. */
static const char *kept;
static u32 kept_len;

const char *ctrace_memory_as_it_was(const struct ctrace_memory_call *c, u8 arg, u32 *len)
{
	(void)c;
	(void)arg;
	*len = kept_len;
	return kept;
}

/* --- tests --------------------------------------------------------------------- */

#define ROOM	1024u
static char room[ROOM + 64];

static struct ctrace_memory_call call_of(const u64 *args, bool is32, long ret)
{
	return (struct ctrace_memory_call){ .args = args, .is32 = is32, .ret = ret };
}

static u32 put(u8 how, u8 flags, const u64 *args, bool is32, long ret, u32 max)
{
	struct ctrace_memory m = { .arg = 0, .how = how, .by = 1, .flags = flags, .unit = 8, .max = ROOM };
	struct ctrace_memory_call c = call_of(args, is32, ret);
	bool names = how == CTRACE_MEM_NAMES || how == CTRACE_MEM_SET_NAMES;
	u32 n;

	if (how == CTRACE_MEM_NAMES)
		m.by += CTRACE_MEM_BY;
	memset(room, 0x5a, sizeof(room));
	n = names ? ctrace_memory_names(&m, &c, room, max) : ctrace_memory_vector(&m, &c, room, max);
	check(n <= max);
	for (u32 i = n; i < sizeof(room); i++)
		if (i >= max && room[i] != 0x5a)
			check(false);
	return n;
}

static struct iovec pieces[2] = { { "one", 3 }, { "three", 5 } };
static char name[4] = "name";

static void vectors(void)
{
	struct mmsghdr v[2] = {
		{ { .msg_name = name, .msg_namelen = 4, .msg_iov = pieces, .msg_iovlen = 2 }, 8 },
		{ { .msg_iov = pieces + 1, .msg_iovlen = 1 }, 5 },
	};
	const u64 args[2] = { (uintptr_t)v, 2 }, nowhere[2] = { 8, 2 };

	check_eq(sizeof(v), put(CTRACE_MEM_MSGS, CTRACE_MEM_IN, args, false, 2, ROOM));
	check(!memcmp(room, v, sizeof(v)));
	check_eq(sizeof(v[0]), put(CTRACE_MEM_MSGS, 0, args, false, 1, ROOM));	/* one was received */
	check_eq(4, put(CTRACE_MEM_MSGS_ADDR, CTRACE_MEM_IN, args, false, 2, ROOM));
	check_eq(3 * sizeof(pieces[0]), put(CTRACE_MEM_MSGS_IOV, CTRACE_MEM_IN, args, false, 2, ROOM));
	check_eq(13, put(CTRACE_MEM_MSGS_BYTES, CTRACE_MEM_IN, args, false, 2, ROOM));
	check(!memcmp(room, "onethreethree", 13));
	v[0].msg_len = 4;
	check_eq(9, put(CTRACE_MEM_MSGS_BYTES, 0, args, false, 2, ROOM));
	check(!memcmp(room, "onetthree", 9));
	for (u32 max = 0; max < 20; max++)
		check_eq(max < 13 ? max : 13, put(CTRACE_MEM_MSGS_BYTES, CTRACE_MEM_IN, args, false, 2, max));
	v[0].msg_hdr.msg_name = (void *)8;	/* what comes behind it would be taken for it */
	v[1].msg_hdr.msg_name = name;
	v[1].msg_hdr.msg_namelen = 4;
	check_eq(0, put(CTRACE_MEM_MSGS_ADDR, CTRACE_MEM_IN, args, false, 2, ROOM));
	for (u8 how = CTRACE_MEM_MSGS; how <= CTRACE_MEM_MSGS_BYTES; how++)
		check_eq(0, put(how, CTRACE_MEM_IN, nowhere, false, 2, ROOM));
}

static void control(void)
{
	union { struct cmsghdr head; char room[CMSG_SPACE(2 * sizeof(int))]; } c = {
		.head = { CMSG_LEN(2 * sizeof(int)), SOL_SOCKET, SCM_RIGHTS },
	};
	struct msghdr m = { .msg_control = &c, .msg_controllen = sizeof(c) };
	const u64 args[2] = { (uintptr_t)&m, 0 };

	memcpy(CMSG_DATA(&c.head), (int[]){ 7, -1 }, 8);
	check_eq(sizeof(c), put(CTRACE_MEM_MSG_CONTROL, CTRACE_MEM_IN, args, false, 0, ROOM));
	check_eq(6, put(CTRACE_MEM_MSG_NAMES, CTRACE_MEM_IN, args, false, 0, ROOM));
	check(!memcmp(room, "fd:7\0", 6));
	c.head.cmsg_len = ~0ul;
	check_eq(0, put(CTRACE_MEM_MSG_NAMES, CTRACE_MEM_IN, args, false, 0, ROOM));
	c.head.cmsg_len = 1;
	check_eq(0, put(CTRACE_MEM_MSG_NAMES, CTRACE_MEM_IN, args, false, 0, ROOM));
}

static void names(void)
{
	struct { int fd; short events, revents; } polls[3] = { { 3, 1, 0 }, { -1, 1, 0 }, { 4, 1, 0 } };
	const u64 args[2] = { (uintptr_t)polls, 3 }, many[2] = { (uintptr_t)polls, ~0ull };
	unsigned long set[2] = { 1ul << 5, 1 };
	const u64 sets[2] = { (uintptr_t)set, 65 }, negative[2] = { (uintptr_t)set, (u32)-1 };

	check_eq(11, put(CTRACE_MEM_NAMES, CTRACE_MEM_IN, args, false, 0, ROOM));
	check(!memcmp(room, "fd:3\0\0fd:4", 11));
	check_eq(0, put(CTRACE_MEM_NAMES, CTRACE_MEM_IN, args, false, 0, CTRACE_STR_MAX - 1));
	put(CTRACE_MEM_NAMES, CTRACE_MEM_IN, many, false, 0, ROOM);
	check_eq(11, put(CTRACE_MEM_SET_NAMES, CTRACE_MEM_IN, sets, false, 0, ROOM));
	check(!memcmp(room, "fd:5\0fd:64", 11));
	check_eq(0, put(CTRACE_MEM_SET_NAMES, CTRACE_MEM_IN, negative, false, 0, ROOM));
}

/* A whole call has the names of the set as it was, however long that is, and none if it was not kept. */
static void names_as_it_was(void)
{
	const struct ctrace_memory m = { .arg = 0, .how = CTRACE_MEM_SET_NAMES, .by = 1, .max = ROOM };
	unsigned long now[2] = { 1ul << 5, 1 }, was[1] = { 1ul << 7 | 1ul << 6 };
	const u64 args[2] = { (uintptr_t)now, 128 };
	struct ctrace_memory_call c = call_of(args, false, 1);

	c.phase = CTRACE_CALL_WHOLE;
	kept = (const char *)was;
	kept_len = sizeof(was);
	check_eq(10, ctrace_memory_names(&m, &c, room, ROOM));
	check(!memcmp(room, "fd:6\0fd:7", 10));
	kept = NULL;
	kept_len = 0;
	check_eq(0, ctrace_memory_names(&m, &c, room, ROOM));
}

/* Memory that ends within: whole pieces before that; of an address, what the kernel has written, but none of a program's. */
static void ends(void)
{
	char *begin = mmap(NULL, 2 * PAGE_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *end = begin + PAGE_SIZE;
	struct msghdr msg = { .msg_name = end - 4, .msg_namelen = 6 };
	const u64 one[2] = { (uintptr_t)end - 24, 2 }, none[2] = { (uintptr_t)end - 8, 2 };
	const u64 m[2] = { (uintptr_t)&msg };

	check(begin != MAP_FAILED);
	check(!munmap(end, PAGE_SIZE));
	memcpy(end - 24, &pieces[1], sizeof(pieces[1]));
	memcpy(end - 4, name, 4);
	check_eq(sizeof(pieces[1]), put(CTRACE_MEM_IOV, CTRACE_MEM_IN, one, false, 0, ROOM));
	check(!memcmp(room, &pieces[1], sizeof(pieces[1])));
	check_eq(0, put(CTRACE_MEM_IOV, CTRACE_MEM_IN, none, false, 0, ROOM));
	check_eq(4, put(CTRACE_MEM_MSG_ADDR, 0, m, false, 0, ROOM));
	check(!memcmp(room, name, 4));
	ctrace_memory_missed = false;
	check_eq(0, put(CTRACE_MEM_MSG_ADDR, CTRACE_MEM_IN, m, false, 0, ROOM));
	check(ctrace_memory_missed);
	munmap(begin, PAGE_SIZE);
}

static u32 shared[512];
static volatile bool over;

/* A program that changes what its calls point to. */
static void *change(void *arg)
{
	static const u32 odd_ones[] = { 0, 1, 3, 16, 24, 1024, 0x7fffffff, ~0u };
	u32 seed = 1;

	(void)arg;
	while (!over) {
		seed = seed * 1103515245 + 12345;
		shared[seed >> 8 & 511] = seed & 0x40000000 ? odd_ones[seed >> 20 & 7] :
					  (u32)(uintptr_t)shared + (seed >> 20 & 0xff8);
	}
	return NULL;
}

static void hostile(void)
{
	u64 args[2] = { (uintptr_t)shared, 4 };
	pthread_t other;

	check(!pthread_create(&other, NULL, change, NULL));
	for (u32 i = 0; i < 60000; i++) {
		u8 how = (u8)(CTRACE_MEM_IOV + i % (CTRACE_MEM_SET_NAMES - CTRACE_MEM_IOV + 1));

		if (how > CTRACE_MEM_MSGS_BYTES && how < CTRACE_MEM_NAMES)
			continue;
		args[1] = i % 7 ? i % 300 : ~0ull;
		put(how, i & 64 ? CTRACE_MEM_IN : 0, args, i & 128, (long)(i % 9), i % 3 ? ROOM : i % ROOM);
	}
	over = true;
	pthread_join(other, NULL);
}

static const struct ktap_case cases[] = {
	{ "vectors of messages", vectors },
	{ "control messages", control },
	{ "names of descriptors in memory", names },
	{ "names of a set as it was", names_as_it_was },
	{ "memory that ends", ends },
	{ "memory that changes meanwhile", hostile },
};

int main(void)
{
	return ktap_run(cases, sizeof(cases) / sizeof(cases[0]));
}
