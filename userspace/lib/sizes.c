// SPDX-License-Identifier: LGPL-2.1-only
/* Structs between a program and a library of another age: see "Structs that grow" in libctrace.h. */
#include <errno.h>
#include <string.h>

#include "internal.h"

int ctrace_struct_take(void *to, size_t size, const void *from, size_t sz)
{
	const char *p = from;
	size_t i;

	if (sz < sizeof(sz))
		return -EINVAL;
	for (i = size; i < sz; i++)
		if (p[i])
			return -E2BIG;
	memcpy(to, from, sz < size ? sz : size);
	return 0;
}

int ctrace_opts_take(void *to, size_t size, const void *from)
{
	size_t sz;
	int err;

	memcpy(&sz, from, sizeof(sz));
	err = ctrace_struct_take(to, size, from, sz);
	if (!err)
		memcpy(to, &size, sizeof(size));
	return err;
}

const char *ctrace_opts_error(int err)
{
	return err == -E2BIG ? "an option is newer than this library" : "the options' size is not set";
}

void ctrace_struct_give(void *to, size_t sz, const void *from, size_t size)
{
	memset(to, 0, sz);
	memcpy(to, from, sz < size ? sz : size);
}
