/* SPDX-License-Identifier: GPL-2.0-only */
#include "unit_kernel.h"
#define ctrace_compat_cgroup_number(id)	(id)
