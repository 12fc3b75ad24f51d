/* SPDX-License-Identifier: GPL-2.0-only */
/* Names of block devices. */
#ifndef CTRACE_DISKS_H
#define CTRACE_DISKS_H

#include "base/util.h"

/*
 * Appends vda, sda1, or 8:17 if there is no such device, or it is not this machine's (live). dev: as events
 * have it.
 */
void disk_put(struct sbuf *b, uint32_t dev, bool live);

/* The same, by the files below root, "" for this machine's. A path to an NVMe disk is called as the disk. */
void disk_name(const char *root, uint32_t dev, char *name, size_t size);

/* Is dev the disk `name`, or made of it, as device mapper and md make disks? By the same files. */
bool disk_is_over(const char *root, uint32_t dev, const char *name);

/* The letter of what a request does, R, W, D, F or N, from an event's rwbs. */
char disk_direction(uint64_t rwbs);

#endif
