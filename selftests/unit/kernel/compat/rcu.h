/* SPDX-License-Identifier: GPL-2.0-only */
#include "unit_kernel.h"
#define ctrace_compat_synchronize()	synchronize_rcu()
