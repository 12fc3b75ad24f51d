// SPDX-License-Identifier: GPL-2.0-only
/* before 4.0 a mapping names its backing device itself */
#include <linux/fs.h>
void *ctrace_fact(const struct address_space *m);
void *ctrace_fact(const struct address_space *m) { return m->backing_dev_info; }
