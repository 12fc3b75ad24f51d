// SPDX-License-Identifier: GPL-2.0-only
/* since 3.12: d_path() and getcwd() look at the root under RCU */
#include <linux/fs_struct.h>
int get_fs_root_and_pwd;
