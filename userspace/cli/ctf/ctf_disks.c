// SPDX-License-Identifier: GPL-2.0-only
/*
 * Names of disks, for viewers: lttng_statedump_block_device. The kernel's state dump cannot have them, as the
 * kernel offers modules no list of disks. They are the first records of the host's stream of CPU 0.
 */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include "ctf/sink_ctf.h"

#define MINOR_BITS	20	/* of the kernel's own dev_t, which block events have */

/* Appends the record of one disk. Returns where it begins. */
static size_t add(struct sbuf *b, uint64_t time, uint32_t dev, const char *name)
{
	size_t len = (sizeof(struct ctrace_record) + sizeof(dev) + strlen(name) + 1 + 7) & ~7ul, at = b->len;
	const struct ctrace_record rec = {
		.time = time, .id = CTRACE_ID_STATEDUMP_BLOCK_DEVICE, .len = (uint16_t)len, .cid = CTRACE_CID_HOST,
	};

	sbuf_put(b, (const char *)&rec, sizeof(rec));
	sbuf_put(b, (const char *)&dev, sizeof(dev));
	sbuf_puts(b, name);
	while (b->len < at + len)
		sbuf_putc(b, '\0');
	return at;
}

void ctf_disks(struct ctf *c, const struct ctrace_schema *s, const char *dir, uint64_t time)
{
	struct ctrace_run run = { .cid = CTRACE_CID_HOST, .time_begin = time, .time_end = time };
	struct sbuf b = { 0 };
	struct dirent *e;
	size_t last = 0;
	DIR *d;

	if (!ctrace_schema_by_id(s, CTRACE_ID_STATEDUMP_BLOCK_DEVICE))
		return;
	d = opendir(dir);
	while (d && (e = readdir(d))) {
		char *path = xasprintf("%s/%s/dev", dir, e->d_name), *text = read_file(path, NULL);
		unsigned int major, minor;

		if (text && sscanf(text, "%u:%u", &major, &minor) == 2 && strlen(e->d_name) < 64) {
			last = add(&b, time, major << MINOR_BITS | minor, e->d_name);
			run.count++;
		}
		free(text);
		free(path);
	}
	if (d)
		closedir(d);
	if (run.count) {
		run.data = b.s;
		run.len = b.len;
		run.last = (const void *)(b.s + last);
		ctf_put_run(c, &run);
	}
	sbuf_free(&b);
}
