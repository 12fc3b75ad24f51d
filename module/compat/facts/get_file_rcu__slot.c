// SPDX-License-Identifier: GPL-2.0-only
/* since 6.7: a file's memory may be another file's meanwhile, so it asks where the pointer is */
#include <linux/fs.h>
struct file *ctrace_fact(struct file __rcu **f);
struct file *ctrace_fact(struct file __rcu **f) { return get_file_rcu(f); }
