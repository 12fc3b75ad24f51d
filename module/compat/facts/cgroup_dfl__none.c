// SPDX-License-Identifier: GPL-2.0-only
/* hierarchies are all of v1: the name of the unified one's root is free */
#include <linux/cgroup.h>
int cgrp_dfl_root;
