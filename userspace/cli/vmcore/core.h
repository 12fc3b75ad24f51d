/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Arenas in an image of a machine's physical memory, found by their own descriptions (uapi/ctrace_core.h).
 *
 * The image is hostile: it may be torn, of another version, or made up. Each address, length and number is
 * checked before its use, and no loop runs longer than the image is large. Torn parts are counted, and left
 * out.
 */
#ifndef CTRACE_CLI_CORE_H
#define CTRACE_CLI_CORE_H

#include <ctrace/ctrace_core.h>
#include <libctrace.h>
#include "names/ctable.h"

/* Physical memory. image.c has that of a vmcore; tests have their own. */
struct core_image {
	/* Copies len bytes from there. False: the image does not have all of them. */
	bool (*read)(struct core_image *im, uint64_t phys, void *to, size_t len);
	/* Makes *page the first page of the image whose number is *page or more. False: there is none. */
	bool (*next)(struct core_image *im, uint64_t *page);
	uint32_t page_size;
};

/* --- find.c: heads and parts ---------------------------------------------------- */

/* A part that was seen: its bytes are read when they are wanted. */
struct core_part {
	uint64_t id, phys;
	uint32_t kind, seq;
};

struct core_module {
	struct ctrace_core_head head;
	struct ctrace_core_module m;
};

struct core_arena {
	struct ctrace_core_head head;
	struct ctrace_core_arena a;
	const struct core_module *module;	/* NULL: its head is not in the image */
};

/* An arena or a module that this command does not understand. */
struct core_other {
	struct ctrace_core_head head;
	uint32_t abi;			/* 0: the format is another one */
};

struct core {
	struct core_image *im;
	struct core_module *modules;
	struct core_arena *arenas;
	struct core_other *others;
	struct core_part *parts;	/* by id, kind, seq */
	size_t nmodules, narenas, nothers, nparts;
	uint64_t pages;			/* of the image */
	uint64_t copies;		/* of heads, elsewhere than they say */
	uint64_t damaged;		/* heads whose sum is wrong, or that make no sense */
	unsigned char *page;		/* a page's room, for core_part_read() */
};

/* Looks at each page of the image. */
void core_find(struct core *c, struct core_image *im);
void core_free(struct core *c);
/* The parts of a description, by seq: *n of them. */
const struct core_part *core_parts(const struct core *c, uint64_t id, uint32_t kind, size_t *n);
/* Reads a part's bytes: *len of them, good until the next call. NULL: it is not whole. */
const void *core_part_read(struct core *c, const struct core_part *p, uint32_t *len);

/* --- facts.c: what the module knew ----------------------------------------------- */

struct core_facts {
	uint64_t types, containers;	/* how many were read */
	uint64_t parts_torn;		/* that were not whole, or are missing */
	uint64_t places_torn;		/* containers that were being written, or were overwritten */
};

/* Adds the event types and the containers that the module knew. */
void core_types(struct core *c, const struct core_module *m, struct ctrace_schema *s, struct core_facts *f);
/* The same of the dynamic types of a session's probes. */
void core_dynamic(struct core *c, const struct core_arena *a, struct ctrace_schema *s, struct core_facts *f);
void core_containers(struct core *c, const struct core_module *m, struct ctable *t, struct core_facts *f);

/* --- rings.c: records -------------------------------------------------------------- */

struct core_rings {
	uint64_t rings;			/* that have records */
	uint64_t rings_torn;		/* whose own page is missing or makes no sense */
	uint64_t subbufs, subbufs_torn;	/* torn: at least a part of the records is missing */
	uint64_t records;
	uint64_t missing;		/* records that are known to have been in torn sub-buffers */
	uint64_t refused;		/* by the kernel, while it recorded */
	uint64_t writing;		/* rings in which a record was being written */
	uint64_t frames_torn;		/* parts of the list of pages that are missing or not whole */
	uint64_t pages_absent;		/* of the arena, wanted and not in the image */
	uint64_t newest;		/* time of the newest record */
};

/*
 * slot, pos: where the record is. Records of a slot come in their order, slots one after another. rec lives
 * until fn returns; it has its whole length, and is no longer than CTRACE_RECORD_MAX.
 */
typedef void (*core_record_fn)(const struct ctrace_record *rec, uint32_t slot, uint64_t pos, void *arg);
void core_rings(struct core *c, const struct core_arena *a, core_record_fn fn, void *arg,
		struct core_rings *r);

#endif
