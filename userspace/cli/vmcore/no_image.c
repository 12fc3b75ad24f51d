// SPDX-License-Identifier: GPL-2.0-only
/* In place of image.c where the command is built without libkdumpfile. */
#include "vmcore/image.h"

struct image *image_open(const char *file, char **why)
{
	(void)file;
	*why = xstrdup("this ctrace was built without libkdumpfile: install it (on Debian: apt-get install "
		       "libkdumpfile-dev; on Fedora: libkdumpfile-devel), and build ctrace again");
	return NULL;
}

struct core_image *image_core(struct image *i)
{
	(void)i;
	return NULL;
}

void image_close(struct image *i)
{
	(void)i;
}
