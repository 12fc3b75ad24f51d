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

/* A user who has arenas that count. The last one's end frees it. */
struct member {
	struct list_head list;
	kuid_t uid;
	u64 bytes;
};

static DEFINE_MUTEX(lock);	/* users, and what they have */
static LIST_HEAD(users);

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

int ctrace_quota_take(kuid_t uid, u64 bytes, char *why, size_t why_len)
{
	u64 limit = most(), has;
	struct member *u;
	int err = 0;

	mutex_lock(&lock);
	u = find(uid);
	has = u ? u->bytes : 0;
	if (bytes > limit || has > limit - bytes) {
		snprintf(why, why_len,
			 "%llu MiB: sessions of user %u have %llu MiB and may have %llu together: ask for less, end one, or raise the module's parameter member_memory",
			 bytes >> 20, from_kuid(&init_user_ns, uid), has >> 20, limit >> 20);
		err = -ENOMEM;
		goto unlock;
	}
	if (!u) {
		u = kzalloc(sizeof(*u), GFP_KERNEL_ACCOUNT);
		if (!u) {
			err = -ENOMEM;
			goto unlock;
		}
		u->uid = uid;
		list_add(&u->list, &users);
	}
	u->bytes += bytes;
unlock:
	mutex_unlock(&lock);
	return err;
}

void ctrace_quota_give(kuid_t uid, u64 bytes)
{
	struct member *u;

	mutex_lock(&lock);
	u = find(uid);
	u->bytes -= bytes;
	if (!u->bytes) {
		list_del(&u->list);
		kfree(u);
	}
	mutex_unlock(&lock);
}
