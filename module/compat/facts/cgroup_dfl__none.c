// SPDX-License-Identifier: GPL-2.0-only
/* all hierarchies are v1: the unified hierarchy's root does not exist */
#include <linux/cgroup.h>
int cgrp_dfl_root;
