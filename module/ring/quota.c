// SPDX-License-Identifier: GPL-2.0-only
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/moduleparam.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/user_namespace.h>
#include "ring/quota.h"
#include "compat/vmalloc.h"

#define LEAST		(64ull << 20)	/* two arenas of the default size, on the smallest machine */
#define PART		8		/* of the machine's memory */

/* A user who has arenas or sessions that count. The last one's end frees it. */
struct member {
	struct list_head list;
	kuid_t uid;
	u64 bytes;
	u32 sessions;
};

static DEFINE_MUTEX(lock);	/* users, what they have, and all_sessions */
static LIST_HEAD(users);
static u32 all_sessions;		/* of users */

static unsigned int member_memory;
module_param(member_memory, uint, 0644);
MODULE_PARM_DESC(member_memory, "MiB that all sessions of one user without CAP_SYS_ADMIN or CAP_IPC_LOCK may have; 0: an eighth of the memory, 64 at least");

static u64 most(void)
{
	unsigned int mib = READ_ONCE(member_memory);

	return mib ? (u64)mib << 20 : max_t(u64, LEAST, ((u64)ctrace_compat_totalram_pages() << PAGE_SHIFT) / PART);
}

static struct member *find(kuid_t uid)
{
	struct member *u;

	list_for_each_entry(u, &users, list)
		if (uid_eq(u->uid, uid))
			return u;
	return NULL;
}

/* Adds to what the user has, u if they had something. */
static int add(struct member *u, kuid_t uid, u64 bytes, u32 sessions)
{
	if (!u) {
		u = kzalloc(sizeof(*u), GFP_KERNEL_ACCOUNT);
		if (!u)
			return -ENOMEM;
		u->uid = uid;
		list_add(&u->list, &users);
	}
	u->bytes += bytes;
	u->sessions += sessions;
	all_sessions += sessions;
	return 0;
}

static void sub(kuid_t uid, u64 bytes, u32 sessions)
{
	struct member *u;

	mutex_lock(&lock);
	u = find(uid);
	u->bytes -= bytes;
	u->sessions -= sessions;
	all_sessions -= sessions;
	if (!u->bytes && !u->sessions) {
		list_del(&u->list);
		kfree(u);
	}
	mutex_unlock(&lock);
}

int ctrace_quota_take(kuid_t uid, u64 bytes, char *why, size_t why_len)
{
	u64 limit = most(), has;
	struct member *u;
	int err;

	mutex_lock(&lock);
	u = find(uid);
	has = u ? u->bytes : 0;
	if (bytes > limit || has > limit - bytes) {
		snprintf(why, why_len,
			 "%llu MiB: sessions of user %u have %llu MiB and may have %llu together: ask for less, end one, or raise the module's parameter member_memory",
			 bytes >> 20, from_kuid(&init_user_ns, uid), has >> 20, limit >> 20);
		err = -ENOMEM;
	} else {
		err = add(u, uid, bytes, 0);
	}
	mutex_unlock(&lock);
	return err;
}

void ctrace_quota_give(kuid_t uid, u64 bytes)
{
	sub(uid, bytes, 0);
}

int ctrace_quota_session_take(kuid_t uid, char *why, size_t why_len)
{
	struct member *u;
	int err;

	mutex_lock(&lock);
	u = find(uid);
	if (u && u->sessions >= CTRACE_MEMBER_SESSIONS) {
		snprintf(why, why_len,
			 "user %u has %u sessions, as many as a user without CAP_SYS_ADMIN may have: end one (ctrace status lists them)",
			 from_kuid(&init_user_ns, uid), u->sessions);
		err = -EUSERS;
	} else if (all_sessions >= CTRACE_MEMBERS_SESSIONS) {
		snprintf(why, why_len,
			 "users without CAP_SYS_ADMIN have %u sessions, and the others are kept for those with it: end one (ctrace status lists them)",
			 all_sessions);
		err = -EUSERS;
	} else {
		err = add(u, uid, 0, 1);
	}
	mutex_unlock(&lock);
	return err;
}

void ctrace_quota_session_give(kuid_t uid)
{
	sub(uid, 0, 1);
}
