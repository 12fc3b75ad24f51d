/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A vmcore as physical memory, by libkdumpfile: makedumpfile's compressed form, ELF, and what else that
 * reads.
 */
#ifndef CTRACE_CLI_IMAGE_H
#define CTRACE_CLI_IMAGE_H

#include "vmcore/core.h"

struct image;

/* NULL after *why has been set to a sentence, which the caller frees. */
struct image *image_open(const char *file, char **why);
struct core_image *image_core(struct image *i);
void image_close(struct image *i);

#endif
