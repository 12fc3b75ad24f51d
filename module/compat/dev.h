/* SPDX-License-Identifier: GPL-2.0-only */
/* The ioctl handler for 32-bit callers, if every ioctl takes a pointer and both layouts are the same. */
#ifndef CTRACE_COMPAT_DEV_H
#define CTRACE_COMPAT_DEV_H

#include <linux/compat.h>
#include <linux/fs.h>

#ifdef CONFIG_COMPAT
static inline long ctrace_compat_ptr_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	return file->f_op->unlocked_ioctl(file, cmd, (unsigned long)compat_ptr(arg));
}
#else
#define ctrace_compat_ptr_ioctl	NULL
#endif

#endif
