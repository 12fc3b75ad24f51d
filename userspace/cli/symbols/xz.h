/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef CTRACE_XZ_H
#define CTRACE_XZ_H

#include <stddef.h>

/*
 * Unpacks one .xz stream of n bytes into at most `most` bytes, for xz_free(). NULL: it is none, or larger, or
 * there is no liblzma.
 */
char *xz_unpack(const void *packed, size_t n, size_t most, size_t *len);
void xz_free(char *plain);

#endif
