/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What descriptors, current's working directory and its program are, as texts: what strace -yy writes between
 * < and >, but for:
 * - paths as the program itself sees them: from its own root, as its own readlink() of /proc/self/fd/N
 *   returns it. The name of a deleted file ends with " (deleted)";
 * - no numbers of a device behind its path, which any file's name might end with;
 * - the bytes of paths and of names of unix sockets are those that user space gave. Nothing is escaped;
 * - "pid:N" of a pidfd has the number in its fdinfo, as the task sees it that has the descriptor: 0 if the
 *   process is not in the task's pid namespace; -1 if it has ended, where strace has "anon_inode:[pidfd]";
 * - "MPTCP:[...]" with addresses;
 * - IPv6 addresses that hold an IPv4 address other than ::ffff:a.b.c.d are as the kernel writes them;
 * - of a path that is too long, or whose file system may not be asked: "..." and the end of its last
 *   component.
 *
 * Context of all but ctrace_file_name(): the system call (entry, return, or exec) of current itself;
 * preemption off, interrupts on, no spinlock held. They do not sleep. None touches user memory. max is at
 * least 1. The bytes behind the NUL may be anything: do not show them. Each returns the length with the NUL;
 * 1 and an empty text: there is none, or this kernel does not let us ask (compat/fd.h).
 */
#ifndef CTRACE_FD_NAME_H
#define CTRACE_FD_NAME_H

#include <linux/types.h>

struct file;
struct path;
struct task_struct;

u32 ctrace_fd_name(int fd, char *to, u32 max);
/* Is it a regular file or a directory? Context: the same. */
bool ctrace_fd_is_file(int fd);
u32 ctrace_cwd_name(char *to, u32 max);
u32 ctrace_exe_name(char *to, u32 max);
/*
 * Of a file that is mapped, which the mapping keeps. root NULL: current maps it; context: the same, but for
 * interrupts, which may be off. Else as ctrace_file_name().
 */
u32 ctrace_mapped_name(const struct file *file, const struct path *root, char *to, u32 max);
/*
 * The same of a file that task p has open, as p sees it, whose root is *root. The caller has a reference to
 * all three; p may have ended. Process context; it may sleep, so every kernel can give paths.
 */
u32 ctrace_file_name(const struct file *file, struct task_struct *p, const struct path *root, char *to,
		     u32 max);

#endif
