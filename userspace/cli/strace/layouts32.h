/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The structures of 32-bit programs, for calls.spec: no header has them in a 64-bit build. On x86_64 they are
 * i386's, where 8 bytes are aligned to 4; on arm64, ARM's.
 */
#ifndef CTRACE_LAYOUTS32_H
#define CTRACE_LAYOUTS32_H

#include <linux/types.h>

#ifdef __x86_64__
typedef __s64 narrow_s64 __attribute__((aligned(4)));
typedef __u64 narrow_u64 __attribute__((aligned(4)));
#else
typedef __s64 narrow_s64;
typedef __u64 narrow_u64;
#endif
/* aligned to 4 everywhere */
typedef __u64 narrow_packed_u64 __attribute__((aligned(4)));

struct narrow_timespec {
	__s32 tv_sec, tv_nsec;
};

struct narrow_timeval {
	__s32 tv_sec, tv_usec;
};

struct narrow_itimerspec {
	struct narrow_timespec it_interval, it_value;
};

struct narrow_itimerval {
	struct narrow_timeval it_interval, it_value;
};

struct narrow_utimbuf {
	__s32 actime, modtime;
};

struct narrow_tms {
	__s32 tms_utime, tms_stime, tms_cutime, tms_cstime;
};

struct narrow_stat {
	__u32 st_dev, st_ino;
	__u16 st_mode, st_nlink, st_uid, st_gid;
	__u32 st_rdev, st_size;
};

struct narrow_stat64 {
	narrow_u64 st_dev;
	__u32 pad, old_ino, st_mode, st_nlink, st_uid, st_gid;
	narrow_u64 st_rdev;
	__u32 pad_more;
	narrow_s64 st_size;
};

struct narrow_fsid {
	__s32 val[2];
};

struct narrow_statfs {
	__u32 f_type, f_bsize, f_blocks, f_bfree, f_bavail, f_files, f_ffree;
	struct narrow_fsid f_fsid;
	__u32 f_namelen, f_frsize, f_flags, f_spare[4];
};

struct narrow_statfs64 {
	__u32 f_type, f_bsize;
	narrow_packed_u64 f_blocks, f_bfree, f_bavail, f_files, f_ffree;
	struct narrow_fsid f_fsid;
	__u32 f_namelen, f_frsize, f_flags, f_spare[4];
};

struct narrow_flock {
	__s16 l_type, l_whence;
	__s32 l_start, l_len, l_pid;
};

struct narrow_flock64 {
	__s16 l_type, l_whence;
	narrow_s64 l_start, l_len;
	__s32 l_pid;
};

struct narrow_sigset {
	__u32 sig[2];
};

struct narrow_sigaction {
	__u32 sa_handler, sa_flags, sa_restorer;
	struct narrow_sigset sa_mask;
};

/* of signals that processes send, and of children's */
struct narrow_siginfo {
	__s32 si_signo, si_errno, si_code, si_pid;
	__u32 si_uid;
	__s32 si_status, si_utime, si_stime;
};

struct narrow_siginfo_queue {
	__s32 si_signo, si_errno, si_code, si_pid;
	__u32 si_uid;
	union {
		__s32 si_int;
		__u32 si_ptr;
	};
};

struct narrow_stack {
	__u32 ss_sp;
	__s32 ss_flags;
	__u32 ss_size;
};

struct narrow_rlimit {
	__u32 rlim_cur, rlim_max;
};

struct narrow_rusage {
	struct narrow_timeval ru_utime, ru_stime;
};

struct narrow_sysinfo {
	__s32 uptime;
	__u32 loads[3], totalram, freeram, sharedram, bufferram, totalswap, freeswap;
	__u16 procs, pad;
	__u32 totalhigh, freehigh, mem_unit, unused[2];
};

struct narrow_msghdr {
	__u32 msg_name;
	__s32 msg_namelen;
	__u32 msg_iov, msg_iovlen, msg_control, msg_controllen, msg_flags;
};

struct narrow_iovec {
	__u32 iov_base, iov_len;
};

/* The last argument of pselect6(), of both kinds of programs. */
struct narrow_sigset_p {
	__u32 sigmask, sigsetsize;
};

struct wide_sigset_p {
	__u64 sigmask, sigsetsize;
};

struct wide_sigevent {
	union {
		__s32 sigev_int;
		__u64 sigev_value;
	};
	__s32 sigev_signo, sigev_notify;
	union {
		__s32 sigev_tid;
		__u64 sigev_function;
	};
	__u64 sigev_attributes;
};

struct narrow_sigevent {
	union {
		__s32 sigev_int;
		__u32 sigev_value;
	};
	__s32 sigev_signo, sigev_notify;
	union {
		__s32 sigev_tid;
		__u32 sigev_function;
	};
	__u32 sigev_attributes;
};

struct narrow_mmsghdr {
	struct narrow_msghdr msg_hdr;
	__u32 msg_len;
};

struct narrow_cmsghdr {
	__u32 cmsg_len;
	__s32 cmsg_level, cmsg_type;
};

struct narrow_mq_attr {
	__s32 mq_flags, mq_maxmsg, mq_msgsize, mq_curmsgs;
};

struct narrow_timex {
	__u32 modes;
	__s32 offset, freq, maxerror, esterror, status, constant, precision, tolerance;
	struct narrow_timeval time;
	__s32 tick, ppsfreq, jitter, shift, stabil, jitcnt, calcnt, errcnt, stbcnt, tai;
};

/* The beginning of perf_event_attr, whose flags are bit fields there. */
struct perf_attr {
	__u32 type, size;
	__u64 config, sample_period, sample_type, read_format, flags;
};

struct narrow_sock_fprog {
	__u16 len;
	__u32 filter;
};

/* capget() and capset() have an array of two. */
struct caps {
	__u32 effective, permitted, inheritable;
};

#endif
