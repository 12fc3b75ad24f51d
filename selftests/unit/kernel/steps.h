/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Steps of a program: basic blocks that it has run through, counted by the compiler's own instrumentation
 * (-fsanitize-coverage=trace-pc). The number depends on no clock and on no other program. To make it grow with what
 * the kernel would do, the texts' functions are the kernel's generic ones in kind: a byte at a time, in plain C.
 */
#ifndef CTRACE_UNIT_STEPS_H
#define CTRACE_UNIT_STEPS_H

#include "unit_kernel.h"

extern unsigned long traced_steps;	/* stays small if the program is built without the instrumentation */
size_t byte_strnlen(const char *s, size_t max);	/* a step a byte: the instrumentation would count several */

static size_t byte_strlen(const char *s)
{
	size_t n = 0;

	while (s[n])
		n++;
	return n;
}

static int byte_strncmp(const char *a, const char *b, size_t n)
{
	for (; n; n--, a++, b++)
		if (*a != *b || !*a)
			return (unsigned char)*a - (unsigned char)*b;
	return 0;
}

static int byte_strcmp(const char *a, const char *b)
{
	return byte_strncmp(a, b, SIZE_MAX);
}

static int byte_memcmp(const void *a, const void *b, size_t n)
{
	const unsigned char *x = a, *y = b;

	for (; n; n--, x++, y++)
		if (*x != *y)
			return *x - *y;
	return 0;
}

static char *byte_strstr(const char *s, const char *what)
{
	size_t n = byte_strlen(what), left = byte_strlen(s);

	for (; left >= n; left--, s++)
		if (!byte_memcmp(s, what, n))
			return (char *)s;
	return NULL;
}

static char *byte_strrchr(const char *s, int c)
{
	const char *last = NULL;

	for (;; s++) {
		if (*s == (char)c)
			last = s;
		if (!*s)
			return (char *)last;
	}
}

static void byte_copy(char *to, const char *from, size_t size)
{
	size_t n;

	for (n = 0; n + 1 < size && from[n]; n++)
		to[n] = from[n];
	to[n] = 0;
}

/* 12 bytes at a time, as the kernel's; the numbers are our own */
static u32 words_hash(const void *p, u32 n, u32 seed)
{
	const u8 *b = p;
	u32 h = seed + n, w[3] = { 0 };

	for (; n > 12; n -= 12, b += 12) {
		memcpy(w, b, 12);
		h = (h ^ w[0]) * 0x9e3779b1u;
		h = (h ^ w[1] ^ h >> 15) * 0x85ebca6bu;
		h = (h ^ w[2] ^ h >> 13) * 0xc2b2ae35u;
	}
	memset(w, 0, sizeof(w));
	memcpy(w, b, n);
	h = (h ^ w[0]) * 0x9e3779b1u;
	h = (h ^ w[1] ^ h >> 15) * 0x85ebca6bu;
	h = (h ^ w[2] ^ h >> 13) * 0xc2b2ae35u;
	return h ^ h >> 16;
}

#undef strlen
#undef strnlen
#undef strcmp
#undef strncmp
#undef strstr
#undef strrchr
#undef memcmp
#undef strscpy
#define strlen(s)		byte_strlen(s)
#define strnlen(s, n)		byte_strnlen(s, n)
#define strcmp(a, b)		byte_strcmp(a, b)
#define strncmp(a, b, n)	byte_strncmp(a, b, n)
#define strstr(s, w)		byte_strstr(s, w)
#define strrchr(s, c)		byte_strrchr(s, c)
#define memcmp(a, b, n)		byte_memcmp(a, b, n)
#define strscpy(d, s, n)	byte_copy(d, s, n)
#define jhash(p, n, seed)	words_hash(p, n, seed)

#endif
