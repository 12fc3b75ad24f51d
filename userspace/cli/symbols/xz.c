// SPDX-License-Identifier: GPL-2.0-only
/*
 * liblzma is opened when a file needs it, not linked: ctrace runs as root, and few files need it. So nothing
 * has to be there to build, either. Its one call that unpacks all at once takes plain numbers, and is the
 * same since liblzma 5.0. Where there is no liblzma, the functions that are named only there have no names.
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include "base/util.h"
#include "symbols/xz.h"

#define WORK_MAX	(128u << 20)	/* bytes for unpacking itself: xz -9 needs 65 MiB */

/* lzma_stream_buffer_decode(); 0 is LZMA_OK */
typedef int decode_fn(uint64_t *memlimit, uint32_t flags, const void *allocator, const uint8_t *in, size_t *in_pos,
		      size_t in_size, uint8_t *out, size_t *out_pos, size_t out_size);

static decode_fn *decoder(void)
{
	static decode_fn *decode;
	static bool looked;
	void *lib;

	if (!looked) {
		looked = true;
		lib = dlopen("liblzma.so.5", RTLD_NOW | RTLD_LOCAL);
		if (lib)
			*(void **)&decode = dlsym(lib, "lzma_stream_buffer_decode");
	}
	return decode;
}

char *xz_unpack(const void *packed, size_t n, size_t most, size_t *len)
{
	decode_fn *decode = decoder();
	uint64_t work = WORK_MAX;
	size_t in = 0, out = 0;
	char *plain;

	if (!decode || !n)
		return NULL;
	/* pages that are not written to cost nothing */
	plain = malloc(most);
	if (!plain)
		return NULL;
	if (decode(&work, 0, NULL, packed, &in, n, (uint8_t *)plain, &out, most)) {
		free(plain);
		return NULL;
	}
	*len = out;
	return plain;
}

void xz_free(char *plain)
{
	free(plain);
}
