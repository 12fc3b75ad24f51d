// SPDX-License-Identifier: GPL-2.0-only
/* before 3.12: d_path() and getcwd() hold references, and the header has what takes them */
#include <linux/fs_struct.h>
void ctrace_fact(struct fs_struct *fs, struct path *root, struct path *pwd);
void ctrace_fact(struct fs_struct *fs, struct path *root, struct path *pwd) { get_fs_root_and_pwd(fs, root, pwd); }
