/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The strings of an exec, as the new program has them: at sched_process_exec. The entry could not read pages
 * that were not there, such as a forked child's constants; and at the return the old memory is gone.
 */
#ifndef CTRACE_EXEC_GIVEN_H
#define CTRACE_EXEC_GIVEN_H

#include <linux/binfmts.h>
#include <linux/fcntl.h>
#include <linux/sched.h>
#include <linux/string.h>
#include "event/call_memory.h"
#include "compat/syscall.h"

/* Which argument the file name is: execve() has three, execveat() five. argv and envp follow it. */
static inline u32 ctrace_exec_filename_at(u32 nargs)
{
	return nargs > 3;
}

/*
 * Is bprm->filename what the call was given? For a path below a descriptor, dfd, and for a descriptor alone,
 * the kernel makes a name of its own.
 */
static inline bool ctrace_exec_filename(const struct linux_binprm *bprm, u64 dfd)
{
	return (s32)dfd == AT_FDCWD || strncmp(bprm->filename, "/dev/fd/", 8);
}

/* The arguments of a script's interpreter differ from the call's. */
static inline bool ctrace_exec_is_script(const struct linux_binprm *bprm)
{
	return bprm->interp != bprm->filename;
}

/* The strings, each with its NUL, up to max bytes. Returns the length; 0: they are not known. */
static inline u32 ctrace_exec_argv(const struct linux_binprm *bprm, char *to, u32 max)
{
	unsigned long at = READ_ONCE(current->mm->arg_start), end = READ_ONCE(current->mm->arg_end);
	u32 n = 0, len;

	if (ctrace_exec_is_script(bprm))
		return 0;
	/* they are on the new stack, and their pages are present; a piece is in one of them */
	for (; at < end && n < max; at += len, n += len) {
		len = min_t(unsigned long, min_t(unsigned long, end - at, max - n), 64 - at % 64);
		if (ctrace_compat_read_user(to + n, (const void __user *)at, len))
			break;
	}
	return n;
}

/* ctrace_memory_call.vars: of the environment, how many variables, plus 1. */
static inline u32 ctrace_exec_vars(const struct linux_binprm *bprm)
{
	return bprm->envc >= 0 && bprm->envc <= CTRACE_MEM_VARS_MAX ? bprm->envc + 1 : 0;
}

#endif
