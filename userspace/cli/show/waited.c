// SPDX-License-Identifier: GPL-2.0-only
/* What a task waited for, by the functions on the stack with which it went to sleep. */
#include <string.h>
#include "base/util.h"
#include "show/sink.h"

/*
 * A name ends with a "*" if it is the beginning of several. Of all functions on a stack, the innermost one in
 * this table counts. So functions in which tasks wait for many reasons, as wait_woken() and
 * schedule_timeout(), are not in it. The names are from kernels since 3.10.
 */
static const struct {
	const char *what, *functions;
} kinds[] = {
	{ "futex", "futex_* __futex_* do_futex" },
	{ "lock", "mutex_* __mutex_* rwsem_* call_rwsem_* down down_* __down* percpu_down_* percpu_rwsem_* __percpu_* rt_mutex_* "
		  "__rt_mutex_* __lock_sock lock_sock_nested" },
	{ "file lock", "posix_lock_* flock_lock_* locks_lock_* fcntl_setlk*" },
	{ "disk", "io_schedule* blk_* submit_bio_wait __wait_on_buffer wait_on_page_* wait_on_folio_* folio_wait_* "
		  "__folio_lock* jbd2_* xlog_* xfs_log_* btrfs_wait_* balance_dirty_pages* inode_wait_for_writeback" },
	{ "file server", "request_wait_answer __fuse_* fuse_* nfs_* nfs4_* rpc_* __rpc_* wait_for_response p9_*" },
	{ "pipe", "pipe_* wait_for_partner fifo_open anon_pipe_*" },
	{ "terminal", "n_tty_* tty_*" },
	{ "eventfd", "eventfd_*" },
	{ "inotify", "inotify_read" },
	{ "fanotify", "fanotify_*" },
	{ "io_uring", "io_cqring_* io_uring_*" },
	{ "asynchronous I/O", "read_events wait_on_sync_kiocb" },
	{ "poll", "do_poll* do_sys_poll do_select core_sys_select ep_poll* do_epoll_*" },
	{ "socket", "unix_* tcp_* inet_* __inet_* sk_* __sk_* udp_* __skb_wait_* __skb_recv_* skb_recv_* sock_alloc_* "
		    "sock_wait_* netlink_* packet_* vsock_* sctp_* mptcp_*" },
	{ "timer", "do_nanosleep timerfd_read" },
	{ "signal", "sigsuspend do_sigtimedwait __do_sys_pause sys_pause __x64_sys_pause __arm64_sys_pause "
		    "signalfd_*" },
	{ "child", "do_wait do_wait4 kernel_clone _do_fork do_fork" },
	{ "tracer", "ptrace_stop ptrace_notify" },
	{ "semaphore", "do_semtimedop __do_semtimedop" },
	{ "message queue", "do_msgrcv do_msgsnd wq_sleep* do_mq_*" },
	{ "memory", "mem_cgroup_* try_charge* shrink_* throttle_direct_reclaim* try_to_free_* congestion_wait "
		    "reclaim_throttle" },
	{ "userfaultfd", "handle_userfault userfaultfd_*" },
	{ "grace period", "synchronize_* __synchronize_* wait_rcu_gp* __wait_rcu_gp rcu_barrier*" },
	{ "freezer", "__refrigerator" },
};

/* Does one of the words, which blanks separate, fit the name? */
static bool is_one(const char *words, const char *name, size_t len)
{
	for (size_t n; *words; words += n + (words[n] == ' ')) {
		n = strcspn(words, " ");
		if (words[n - 1] == '*' ? len >= n - 1 && !strncmp(words, name, n - 1) :
					  len == n && !strncmp(words, name, n))
			return true;
	}
	return false;
}

const char *waited_for(struct symbols *s, const struct stack *k, int32_t tid)
{
	bool asleep = false;

	for (size_t i = 0; i < k->n; i++) {
		const char *name = frame_name(s, k, i, true, tid);
		/* "ep_poll.part.0+0x10 [module]" */
		size_t len = strcspn(name, "+. ");

		asleep |= is_one("schedule __schedule io_schedule*", name, len);
		for (size_t j = 0; asleep && j < ARRAY_SIZE(kinds); j++)
			if (is_one(kinds[j].functions, name, len))
				return kinds[j].what;
	}
	return asleep ? "other" : NULL;
}
