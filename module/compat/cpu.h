/* SPDX-License-Identifier: GPL-2.0-only */
/* No processor comes or goes meanwhile. */
#ifndef CTRACE_COMPAT_CPU_H
#define CTRACE_COMPAT_CPU_H

#include <linux/cpu.h>
#include "facts.h"

#ifndef CTRACE_HAVE_CPUS_READ_LOCK
#define cpus_read_lock()	get_online_cpus()
#define cpus_read_unlock()	put_online_cpus()
#endif

#endif
