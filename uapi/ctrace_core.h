/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * How the module's memory describes itself, for who finds it in the memory of a machine that has panicked: a
 * vmcore, or any other image of physical memory. No user space maps this; `ctrace report --vmcore` reads it.
 * No symbol, no address of the kernel's and no debug information is needed.
 *
 * A description begins with a page of its own, its head. A reader looks at the beginning of each page of
 * the image, and takes it for a head only if it has the magic, and says that it lies where it was found. So
 * a copy of a head, in a file or in another process's memory, is none. A head has no room for all: the rest
 * is in parts, which are pages, too, chained by their physical addresses. Each says where it lies, which
 * description it belongs to, and which part it is. So a reader that has looked at all pages needs no chain,
 * and a part that is missing hides no other.
 *
 *   module's head -----> types: part 0 -> part 1 -> ...	event types, complete or not there
 *     ^           \----> containers: CTRACE_CORE_BUCKETS pages, each perhaps not there
 *     |
 *   arena's head ------> frames: part 0 -> part 1 -> ...	where each page of the arena lies
 *   (by its id)          types: part 0 -> part 1 -> ...	dynamic event types of its session's probes
 *
 * The arena itself is as ctrace.h says; a reader of a panicked machine's follows no order, because nobody
 * writes.
 *
 * The magics are wiped before the memory is given back. Everything is in the byte order of the machine; all
 * addresses are physical. Nothing here is secret to who has the image; see SECURITY.md.
 */
#ifndef _UAPI_CTRACE_CORE_H
#define _UAPI_CTRACE_CORE_H

#include <linux/types.h>
#ifdef __KERNEL__
#include "../uapi/ctrace.h"
#else
#include <ctrace/ctrace.h>
#endif

#define CTRACE_CORE_MAGIC_0	0x9d3be1c45f8a7206ull
#define CTRACE_CORE_MAGIC_1	0x6e17f2a8c03b94d5ull
#define CTRACE_CORE_PART_MAGIC	0xb48d05e97c6af213ull
/* of this format; another one is another layout, but for struct ctrace_core_head up to `size` */
#define CTRACE_CORE_VERSION	1u

enum ctrace_core_kind {
	CTRACE_CORE_MODULE	= 1,	/* struct ctrace_core_module follows */
	CTRACE_CORE_ARENA	= 2	/* struct ctrace_core_arena follows */
};

struct ctrace_core_head {
	__u64 magic[2];		/* CTRACE_CORE_MAGIC_0, _1 */
	__u32 version;		/* CTRACE_CORE_VERSION */
	__u32 kind;		/* enum ctrace_core_kind */
	__u64 phys;		/* of this page */
	__u64 id;		/* random: this description's */
	__u64 sum;		/* ctrace_core_sum() of what follows, without what changes */
	__u32 page_size;	/* bytes; the machine's */
	__u32 size;		/* bytes that the sum is of */
	char release[64];	/* the kernel's, as uname -r says it; cut, always with a NUL */
	char module[32];	/* the module's version, the same */
};

#define CTRACE_CORE_BUCKETS	256u

struct ctrace_core_module {
	__u32 abi;		/* CTRACE_ABI */
	__u32 abi_compat;
	__u32 buckets;		/* CTRACE_CORE_BUCKETS */
	__u32 places;		/* for containers, in each: as many as fit into a page, 7 into 4096 bytes */
	/* --- the rest changes, and no sum is of it --- */
	__s64 clock_offset;	/* CLOCK_REALTIME - CLOCK_MONOTONIC, ns, about a second ago */
	__u64 beat;		/* CLOCK_MONOTONIC, ns, when that was */
	__u64 unnamed;		/* how often a container found no place, as all in its bucket lived */
	__u64 types;		/* first part of the event types; 0: no session has begun yet */
	__u64 containers[CTRACE_CORE_BUCKETS];	/* parts; 0: no container has been in this bucket */
};

#define CTRACE_CORE_MODULE_SUMMED	16u	/* bytes: up to what changes */

struct ctrace_core_arena {
	struct ctrace_dir dir;	/* as at the beginning: dir.state is not kept up to date */
	__u64 module;		/* the module's head, and its id */
	__u64 module_id;
	__u64 frames;		/* first part of the frames */
	__u64 pages;		/* of the arena: frames are as many */
	__u64 began;		/* CLOCK_MONOTONIC, ns */
	__s64 clock_offset;	/* as the module's was then */
	__u32 owner;		/* the process that made the session, as the initial pid namespace calls it */
	__u32 _pad;
	char name[64];		/* the session's; always with a NUL */
};

enum ctrace_core_part_kind {
	CTRACE_CORE_FRAMES	= 1,
	CTRACE_CORE_TYPES	= 2,
	CTRACE_CORE_CONTAINERS	= 3
};

/* A page; its bytes follow it. */
struct ctrace_core_part {
	__u64 magic;		/* CTRACE_CORE_PART_MAGIC */
	__u64 phys;		/* of this page */
	__u64 id;		/* of the description that it belongs to */
	__u64 next;		/* the next part; 0: this is the last one */
	__u32 seq;		/* 0 is the first. Of containers: the bucket's number */
	__u32 bytes;		/* that follow, and mean something */
	__u64 sum;		/* of these bytes. Of containers: 0, each has its own */
	__u32 kind;		/* enum ctrace_core_part_kind */
	__u32 _pad;
	__u64 _reserved;
};

/*
 * The bytes of parts:
 *
 * Frames: a __u64 for each page of the arena, in order: its page frame number.
 *
 * Types: struct ctrace_core_type, each followed by its texts and fields. Each is in one part.
 *
 * Containers: places of struct ctrace_core_container. Containers that died keep theirs until another needs
 * one: who died first goes first.
 */
struct ctrace_core_type {
	__u16 id;
	__u16 bytes;		/* of all of it, this header included; any number */
	__u8 nfields;
	__u8 _pad[3];
	/* then name NUL, system NUL, and for each field: struct ctrace_core_field, name NUL */
};

struct ctrace_core_field {
	__u8 kind;		/* enum ctrace_field_kind */
	__u8 display;
	__u16 size;
};

struct ctrace_core_container {
	__u64 sum;		/* of what follows; another sum: it was being written */
	__u32 cid;		/* 0: nobody's place */
	__u32 parent;
	__u32 hierarchy;
	__u32 flags;		/* CTRACE_CONTAINER_F_* */
	__s32 init_pid;		/* 0: not known */
	__u32 pidns;
	__u64 cgroup_id;
	__u64 first_seen;	/* CLOCK_MONOTONIC, ns */
	__u64 gone;		/* the same of its death; 0: it lived */
	char runtime[16];	/* "": not known. These three always with a NUL */
	char runtime_id[72];
	char path[368];		/* of its cgroup; if it is longer, its end, after "..." */
};

/* FNV-1a, 64 bits: what was torn or overwritten by chance has another. It keeps nobody from forging. */
static inline __u64 ctrace_core_sum(const void *p, __u64 n)
{
	const unsigned char *c = (const unsigned char *)p;
	__u64 sum = 0xcbf29ce484222325ull;

	while (n--)
		sum = (sum ^ *c++) * 0x100000001b3ull;
	return sum;
}

#endif /* _UAPI_CTRACE_CORE_H */
