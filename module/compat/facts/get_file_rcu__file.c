// SPDX-License-Identifier: GPL-2.0-only
/* since 4.1 */
#include <linux/fs.h>
long ctrace_fact(struct file *f);
long ctrace_fact(struct file *f) { return get_file_rcu(f); }
