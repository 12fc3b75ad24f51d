// SPDX-License-Identifier: GPL-2.0-only
/* The KUnit suite of the same name, on this host: see kernel/unit_kernel.h. */
#include "../../module/kunit/aggregate_kunit.c"
