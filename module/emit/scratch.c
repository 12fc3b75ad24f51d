// SPDX-License-Identifier: GPL-2.0-only
#include "emit/scratch.h"

struct ctrace_scratch __percpu *ctrace_scratches;

int ctrace_scratch_init(void)
{
	ctrace_scratches = alloc_percpu(struct ctrace_scratch);
	return ctrace_scratches ? 0 : -ENOMEM;
}

void ctrace_scratch_exit(void)
{
	free_percpu(ctrace_scratches);
}
