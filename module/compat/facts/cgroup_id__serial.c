// SPDX-License-Identifier: GPL-2.0-only
/* before 4.14: only the number, which is reused; a serial number is elsewhere */
#include <linux/cgroup.h>
#include <linux/kernfs.h>
u64 ctrace_fact(const struct cgroup *c);
u64 ctrace_fact(const struct cgroup *c) { return c->kn->ino + c->self.serial_nr; }
