// SPDX-License-Identifier: GPL-2.0-only
/* before 4.1; a macro later on, which makes nonsense of this */
#include <linux/fs.h>
int get_file_rcu(int f);
int get_file_rcu(int f) { return f; }
