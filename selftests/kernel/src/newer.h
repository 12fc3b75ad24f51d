/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * newer.h: numbers of the kernel that are not in its headers of 3.10, or not in glibc's of 2.17. A
 * kernel that does not know them says so to the tests.
 */
#ifndef NEWER_H
#define NEWER_H

#include <stdint.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <linux/magic.h>
#include <linux/sched.h>

#ifndef CGROUP2_SUPER_MAGIC
#define CGROUP2_SUPER_MAGIC	0x63677270	/* 4.5 */
#endif
#ifndef CLONE_NEWCGROUP
#define CLONE_NEWCGROUP		0x02000000	/* 4.6 */
#endif
#ifndef CLONE_INTO_CGROUP
#define CLONE_INTO_CGROUP	0x200000000ULL	/* 5.7 */
#endif

/* x86-64 has numbers of its own */
#ifdef __x86_64__
#define NEWER_CALL(x86, others)	(x86)
#else
#define NEWER_CALL(x86, others)	(others)
#endif
#ifndef SYS_userfaultfd
#define SYS_userfaultfd		NEWER_CALL(323, 282)	/* 4.3 */
#endif
#ifndef SYS_membarrier
#define SYS_membarrier		NEWER_CALL(324, 283)	/* 4.3 */
#endif
#ifndef SYS_copy_file_range
#define SYS_copy_file_range	NEWER_CALL(326, 285)	/* 4.5 */
#endif
#ifndef SYS_pkey_mprotect
#define SYS_pkey_mprotect	NEWER_CALL(329, 288)	/* 4.9 */
#define SYS_pkey_alloc		NEWER_CALL(330, 289)
#endif
#ifndef SYS_rseq
#define SYS_rseq		NEWER_CALL(334, 293)	/* 4.18 */
#endif
/* from here on the numbers are the same everywhere */
#ifndef SYS_io_uring_setup
#define SYS_io_uring_setup	425		/* 5.1 */
#define SYS_io_uring_enter	426
#define SYS_io_uring_register	427
#endif
#ifndef SYS_pidfd_open
#define SYS_pidfd_open		434		/* 5.3 */
#endif
#ifndef SYS_clone3
#define SYS_clone3		435		/* 5.3 */
#endif

#ifndef SYS_process_madvise
#define SYS_process_madvise	440		/* 5.10 */
#endif

#ifndef AF_VSOCK
#define AF_VSOCK		40		/* 3.9 */
#endif
#define NEWER_VMADDR_CID_LOCAL	1		/* 5.6 */

/* for membarrier(), 4.16 */
#define NEWER_MEMBARRIER_GLOBAL_EXPEDITED		(1 << 1)
#define NEWER_MEMBARRIER_REGISTER_GLOBAL_EXPEDITED	(1 << 2)

/* for io_uring_setup() and io_uring_register() */
struct newer_uring_params { uint64_t words[15]; };
#define NEWER_URING_REGISTER_BUFFERS	0
#define NEWER_URING_REGISTER_BUFFERS2	15	/* 5.13 */
#define NEWER_URING_REGISTER_PBUF_RING	22	/* 5.19 */
#define NEWER_URING_SETUP_NO_MMAP	(1 << 14)	/* 6.5 */

/* for clone3(), as of 5.7 */
struct newer_clone_args {
	uint64_t flags, pidfd, child_tid, parent_tid, exit_signal, stack, stack_size, tls, set_tid,
		 set_tid_size, cgroup;
};

#endif /* NEWER_H */
