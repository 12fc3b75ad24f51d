// SPDX-License-Identifier: GPL-2.0-only
/* since 6.17 */
#include <linux/fs_struct.h>
unsigned int ctrace_fact(const struct fs_struct *fs);
unsigned int ctrace_fact(const struct fs_struct *fs) { return read_seqbegin(&fs->seq); }
