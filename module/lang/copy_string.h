/* SPDX-License-Identifier: GPL-2.0-only */
/* Copies a string from memory that may not be there. Compiles on a host, too. */
#ifndef CTRACE_COPY_STRING_H
#define CTRACE_COPY_STRING_H

#include "lang/hosted.h"
#include "../uapi/ctrace.h"

#define CTRACE_FAULT	"(fault)"	/* a string that cannot be read, as the kernel's own tracers say */

/*
 * Copies at most CTRACE_STR_MAX - 1 bytes and a NUL. read(to, at, n, arg) copies n bytes, which are in one
 * page, and returns 0 if it could. Returns the length with the NUL; if a piece cannot be read, that of
 * CTRACE_FAULT, which then is in to.
 */
static __always_inline u32 ctrace_copy_string(char *to, u64 from,
					      long (*read)(void *to, u64 at, u32 n, const void *arg),
					      const void *arg)
{
	u32 n = 0, chunk, most, nul;

	while (n < CTRACE_STR_MAX - 1) {
		chunk = 32 - ((from + n) & 31);
		most = CTRACE_STR_MAX - 1 - n;
		if (chunk > most)
			chunk = most;
		if (read(to + n, from + n, chunk, arg)) {
			memcpy(to, CTRACE_FAULT, sizeof(CTRACE_FAULT));
			return sizeof(CTRACE_FAULT);
		}
		nul = strnlen(to + n, chunk);
		n += nul;
		if (nul < chunk)
			break;
	}
	to[n] = 0;
	return n + 1;
}

#endif
