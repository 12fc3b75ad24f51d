// SPDX-License-Identifier: GPL-2.0-only
/* How many bytes an argument points to, if that depends on the call. */
#include <linux/capability.h>
#include <linux/fcntl.h>
#include <linux/kernel.h>
#include <linux/prctl.h>
#include <asm/ioctls.h>
#include "event/call_memory.h"

/* The kernel's struct termios, and those of a few words; requests that say their size themselves are as old as these. */
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
		return 4;
	default:
		return 0;
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

u32 ctrace_memory_size(const struct ctrace_memory *m, const struct ctrace_memory_call *c)
{
	u64 by = c->args[m->by];
	u32 n;

	switch (m->how) {
	case CTRACE_MEM_FIXED:
		return m->max;
	case CTRACE_MEM_COUNT:
		return ctrace_memory_elements(by, m->unit, m->max);
	case CTRACE_MEM_AT:
		return ctrace_memory_read(&n, by, sizeof(n)) ? n : 0;
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
		return (u32)by == PR_SET_NAME || (u32)by == PR_GET_NAME ? m->max : 0;
	case CTRACE_MEM_CAPS:
		return caps_size(by);
	case CTRACE_MEM_IPC:
		return (u32)by == IPC_MSGRCV ? 2 * sizeof(u32) : 0;
	default:
		return 0;
	}
}
