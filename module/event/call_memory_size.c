// SPDX-License-Identifier: GPL-2.0-only
/* How many bytes an argument points to, if that depends on the call. */
#include <linux/capability.h>
#include <linux/fcntl.h>
#include <linux/fs.h>
#include <linux/ioctl.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/prctl.h>
#include <linux/quota.h>
#include <linux/random.h>
#include <linux/sockios.h>
#include <asm/ioctls.h>
#include "event/call_memory.h"

bool ctrace_memory_ioctl_again(u32 request)
{
	switch (request) {
	case SIOCGIFNAME:
	case SIOCGIFINDEX:
	case SIOCGIFFLAGS:
	case SIOCGIFADDR:
	case SIOCGIFDSTADDR:
	case SIOCGIFBRDADDR:
	case SIOCGIFNETMASK:
	case SIOCGIFMETRIC:
	case SIOCGIFMTU:
	case SIOCGIFTXQLEN:
		return true;
	default:
		return false;
	}
}

/* Of files and disks: numbers. FS_IOC_* say long, and take an int. */
static u32 ioctl_size_of_device(u32 request)
{
	switch (request) {
	case FS_IOC_GETFLAGS:
	case FS_IOC_SETFLAGS:
	case FS_IOC32_GETFLAGS:
	case FS_IOC32_SETFLAGS:
	case FS_IOC_GETVERSION:
	case FS_IOC_SETVERSION:
	case FS_IOC32_GETVERSION:
	case FS_IOC32_SETVERSION:
	case FIGETBSZ:
	case BLKROGET:
	case BLKROSET:
	case BLKSSZGET:
	case BLKBSZGET:
	case BLKBSZSET:
	case BLKPBSZGET:
	case BLKIOMIN:
	case BLKIOOPT:
	case BLKALIGNOFF:
	case RNDGETENTCNT:
	case RNDADDTOENTCNT:
		return 4;
	case BLKGETSIZE:
		return sizeof(long);
	case BLKGETSIZE64:
		return 8;
	default:
		return 0;
	}
}

/* The kernel's struct termios, and ones of a few words. */
static u32 ioctl_size(u32 request)
{
	switch (request) {
	case TCGETS:
	case TCSETS:
	case TCSETSW:
	case TCSETSF:
		return 36;
	case TIOCGWINSZ:
	case TIOCSWINSZ:
		return 8;
	case FIONREAD:
	case FIONBIO:
	case FIOASYNC:
	case TIOCGPGRP:
	case TIOCSPGRP:
	case TIOCGSID:
	case TIOCOUTQ:
	case TIOCGPTN:
	case TIOCSPTLCK:
	case TIOCMGET:
	case TIOCMSET:
	case TIOCMBIS:
	case TIOCMBIC:
	case TIOCGETD:
	case TIOCSETD:
	case TIOCGEXCL:
	case TIOCGSOFTCAR:
	case TIOCSSOFTCAR:
		return 4;
	default:
		/* struct ifreq, up to what all of these have */
		return ctrace_memory_ioctl_again(request) ? 32 : ioctl_size_of_device(request);
	}
}

bool ctrace_memory_ioctl_in(u32 request)
{
	switch (request) {
	case TCSETS:
	case TCSETSW:
	case TCSETSF:
	case TIOCSWINSZ:
	case TIOCSPGRP:
	case TIOCSPTLCK:
	case TIOCMSET:
	case TIOCMBIS:
	case TIOCMBIC:
	case TIOCSETD:
	case TIOCSSOFTCAR:
	case FIONBIO:
	case FIOASYNC:
	case FS_IOC_SETFLAGS:
	case FS_IOC32_SETFLAGS:
	case FS_IOC_SETVERSION:
	case FS_IOC32_SETVERSION:
	case BLKROSET:
	case BLKBSZSET:
	case RNDADDTOENTCNT:
		return true;
	default:
		return ctrace_memory_ioctl_again(request);
	}
}

/* Commands that only 32-bit programs have. */
#define NARROW_GETLK64	12
#define NARROW_SETLK64	13
#define NARROW_SETLKW64	14

static u32 narrow_fcntl_size(u32 command)
{
	switch (command) {
	case F_GETLK:
	case F_SETLK:
	case F_SETLKW:
		return 16;
	case NARROW_GETLK64:
	case NARROW_SETLK64:
	case NARROW_SETLKW64:
	case F_OFD_GETLK:
	case F_OFD_SETLK:
	case F_OFD_SETLKW:
		return IS_ENABLED(CONFIG_X86) ? 24 : 32;
	case F_GETOWN_EX:
	case F_SETOWN_EX:
		return 8;
	default:
		return 0;
	}
}

static u32 fcntl_size(u32 command)
{
	switch (command) {
	case F_GETLK:
	case F_SETLK:
	case F_SETLKW:
	case F_OFD_GETLK:
	case F_OFD_SETLK:
	case F_OFD_SETLKW:
		return 32;
	case F_GETOWN_EX:
	case F_SETOWN_EX:
		return 8;
	default:
		return 0;
	}
}

/* arg: the filter of PR_SET_SECCOMP is in the last, all else in the first. */
static u32 prctl_size(u32 option, u32 arg, bool is32)
{
	if (arg == 2)
		return option != PR_SET_SECCOMP ? 0 : is32 ? 8 : 16;
	switch (option) {
	case PR_GET_TID_ADDRESS:
		return is32 ? 4 : 8;
	case PR_GET_NAME:
		return 16;
	case PR_GET_CHILD_SUBREAPER:
	case PR_GET_PDEATHSIG:
	case PR_GET_TSC:
	case PR_GET_UNALIGN:
		return 4;
	default:
		return 0;
	}
}

/* Of seccomp(). Not all kernels have their names. */
#define SET_MODE_FILTER		1
#define GET_ACTION_AVAIL	2
#define GET_NOTIF_SIZES		3

static u32 seccomp_size(u32 operation, bool is32)
{
	switch (operation) {
	case SET_MODE_FILTER:
		return is32 ? 8 : 16;
	case GET_ACTION_AVAIL:
		return 4;
	case GET_NOTIF_SIZES:
		return 6;
	default:
		return 0;
	}
}

/* In the upper part of a command. */
#define QUOTA_COMMAND(c)	((c) >> SUBCMDSHIFT)
#define GETNEXTQUOTA		0x800009	/* since 4.6 */

static u32 quota_size(u32 command)
{
	switch (QUOTA_COMMAND(command)) {
	case Q_GETQUOTA:
	case Q_SETQUOTA:
	case GETNEXTQUOTA:
		return 72;
	case Q_GETINFO:
	case Q_SETINFO:
		return 24;
	case Q_GETFMT:
		return 4;
	default:
		return 0;
	}
}

bool ctrace_memory_quota_in(u32 command)
{
	return QUOTA_COMMAND(command) == Q_SETQUOTA || QUOTA_COMMAND(command) == Q_SETINFO;
}

/* Of capget() and capset(), whose first version had sets of 32 bits. */
static u32 caps_size(u64 header)
{
	u32 version;

	if (!ctrace_memory_read(&version, header, sizeof(version)))
		return 0;
	return version == _LINUX_CAPABILITY_VERSION_1 ? 12 : 24;
}

/* In the lower half of ipc()'s first argument; the upper one is a version, and these two are of version 0. */
#define IPC_MSGRCV	12

/* Levels whose options have keys. Not all kernels know SOL_TLS. */
#define LEVEL_ALG	279
#define LEVEL_TLS	282

u32 ctrace_memory_size(const struct ctrace_memory *m, const struct ctrace_memory_call *c)
{
	u64 by = c->args[m->by];
	u32 n;

	switch (m->how) {
	case CTRACE_MEM_FIXED:
		return m->max;
	case CTRACE_MEM_COUNT:
		return ctrace_memory_elements(by, m->unit, m->max);
	case CTRACE_MEM_SOCKOPT:
		if (c->args[1] == LEVEL_ALG || c->args[1] == LEVEL_TLS)
			return 0;
		if (m->flags & CTRACE_MEM_IN)
			return min_t(u64, by, m->max);
		return ctrace_memory_read(&n, by, sizeof(n)) ? n : 0;
	case CTRACE_MEM_AT:
		if (!ctrace_memory_read(&n, by, sizeof(n)))
			return 0;
		/* the kernel cut it to the room that the program had */
		return c->before ? min(n, c->before - 1) : n;
	case CTRACE_MEM_SIZED:
		if (!ctrace_memory_read(&n, c->args[m->arg] + m->by, sizeof(n)))
			return 0;
		return min_t(u32, n ?: m->unit, m->max);
	case CTRACE_MEM_PAGES:
		return min_t(u64, DIV_ROUND_UP_ULL(by, PAGE_SIZE), m->max);
	case CTRACE_MEM_RET:
		return ctrace_memory_elements(c->ret, m->unit, m->max);
	case CTRACE_MEM_BITS:
		n = c->is32 ? 32 : 64;
		return (s32)by > 0 ? ((u32)by + n - 1) / n * (n / 8) : 0;
	case CTRACE_MEM_IOCTL:
		return ioctl_size(by);
	case CTRACE_MEM_FCNTL:
		return c->is32 ? narrow_fcntl_size(by) : fcntl_size(by);
	case CTRACE_MEM_PRCTL:
		return prctl_size(by, m->arg, c->is32);
	case CTRACE_MEM_SECCOMP:
		return seccomp_size(by, c->is32);
	case CTRACE_MEM_QUOTA:
		return quota_size(by);
	case CTRACE_MEM_CAPS:
		return caps_size(by);
	case CTRACE_MEM_IPC:
		return (u32)by == IPC_MSGRCV ? 2 * sizeof(u32) : 0;
	default:
		return 0;
	}
}
