/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The build-id of a program or library: the number that its linker wrote into a note, the same in every copy.
 * It is looked for at the beginning of the file, where linkers put it, and only if that is in memory: to map
 * a file, its header was read.
 */
#ifndef CTRACE_BUILD_ID_H
#define CTRACE_BUILD_ID_H

#include <linux/types.h>

struct file;

#define CTRACE_BUILD_ID_MAX	20u				/* bytes */
#define CTRACE_BUILD_ID_TEXT	(2 * CTRACE_BUILD_ID_MAX + 1)	/* as text, with the NUL */

/*
 * Copies the first bytes of the file, at most max, to `to`; returns how many, 0: they are not in memory. The
 * caller keeps the file. Context: task, preemption off; does not sleep.
 */
u32 ctrace_file_head(const struct file *file, char *to, u32 max);

/*
 * Writes the build-id in the first len bytes of an ELF file as hexadecimal text; "": there is none. head may
 * hold anything, but must not change during the call. Any context.
 */
void ctrace_build_id(const char *head, u32 len, char to[CTRACE_BUILD_ID_TEXT]);

#endif
