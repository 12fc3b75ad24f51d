/* SPDX-License-Identifier: GPL-2.0-only */
/* ctrace report --vmcore: what each container did last, from the memory of a machine that has panicked. */
#ifndef CTRACE_CLI_VMCORE_H
#define CTRACE_CLI_VMCORE_H

#include <stdbool.h>
#include <stddef.h>

#define VMCORE_LAST		20	/* events of each container */
#define VMCORE_LAST_MAX		100000

struct core_image;

struct vmcore_opts {
	const char *file, *session;	/* session NULL: all */
	size_t last;
	char **targets;
	int ntargets;
	bool relative, quiet_args, color, dump;
};

/* The exit status; after a message unless it is CLI_OK. */
int vmcore_report(const struct vmcore_opts *o);
/* The same of an image. */
int vmcore_show(struct core_image *im, const struct vmcore_opts *o);

#endif
