/* SPDX-License-Identifier: GPL-2.0-only */
/* Requests, bios, and the prototypes of the block layer's tracepoints. */
#ifndef CTRACE_COMPAT_BLOCK_H
#define CTRACE_COMPAT_BLOCK_H

#include <linux/bio.h>
#include <linux/blkdev.h>
#include <linux/blk-mq.h>
#include <linux/blk-cgroup.h>
#include <linux/blktrace_api.h>
#include <linux/cgroup.h>
#include <linux/jiffies.h>
#include "compat/cgroup.h"
#include "compat/clock.h"
#include "facts.h"

#ifndef SECTOR_SHIFT
#define SECTOR_SHIFT	9
#endif

#ifdef CTRACE_HAVE_BLOCK_RQ__RQ
#define CTRACE_PROBE_BLOCK_RQ(fn)	fn(void *data, struct request *rq)
#else
#define CTRACE_PROBE_BLOCK_RQ(fn)	fn(void *data, struct request_queue *q, struct request *rq)
#endif

#ifdef CTRACE_HAVE_BLOCK_RQ_COMPLETE__STATUS
#define CTRACE_PROBE_BLOCK_RQ_COMPLETE(fn)					\
	fn(void *data, struct request *rq, blk_status_t error, unsigned int bytes)
#define CTRACE_PROBE_BLOCK_ERRNO(error)	blk_status_to_errno(error)
#elif defined(CTRACE_HAVE_BLOCK_RQ_COMPLETE__Q)
#define CTRACE_PROBE_BLOCK_RQ_COMPLETE(fn)					\
	fn(void *data, struct request_queue *q, struct request *rq, unsigned int bytes)
#define CTRACE_PROBE_BLOCK_ERRNO(error)	(rq->errors)
#elif defined(CTRACE_HAVE_BLOCK_RQ_COMPLETE__Q_RQ)
/* the number of completed bytes is not known: all that are left, as the kernel's own event says */
#define CTRACE_PROBE_BLOCK_RQ_COMPLETE(fn)					\
	fn(void *data, struct request_queue *q, struct request *rq)
#define CTRACE_PROBE_BLOCK_ERRNO(error)	(rq->errors)
#define CTRACE_PROBE_BLOCK_BYTES(bytes)	blk_rq_bytes(rq)
#else
#define CTRACE_PROBE_BLOCK_RQ_COMPLETE(fn)					\
	fn(void *data, struct request *rq, int error, unsigned int bytes)
#define CTRACE_PROBE_BLOCK_ERRNO(error)	(error)
#endif
#ifndef CTRACE_PROBE_BLOCK_BYTES
#define CTRACE_PROBE_BLOCK_BYTES(bytes)	(bytes)
#endif

#ifdef CTRACE_HAVE_BLOCK_BIO_QUEUE__BIO
#define CTRACE_PROBE_BLOCK_BIO_QUEUE(fn)	fn(void *data, struct bio *bio)
#else
#define CTRACE_PROBE_BLOCK_BIO_QUEUE(fn)					\
	fn(void *data, struct request_queue *q, struct bio *bio)
#endif

#ifdef CTRACE_HAVE_BLOCK_GETRQ__BIO
#define CTRACE_PROBE_BLOCK_GETRQ(fn)	fn(void *data, struct bio *bio)
#else
#define CTRACE_PROBE_BLOCK_GETRQ(fn)						\
	fn(void *data, struct request_queue *q, struct bio *bio, int rw)
#endif

#ifdef CTRACE_HAVE_BLOCK_BIO_FRONTMERGE__BIO
#define CTRACE_PROBE_BLOCK_BIO_FRONTMERGE(fn)	fn(void *data, struct bio *bio)
#else
#define CTRACE_PROBE_BLOCK_BIO_FRONTMERGE(fn)					\
	fn(void *data, struct request_queue *q, struct request *rq, struct bio *bio)
#endif

/*
 * The names of the function that puts a bio into the queue of a limit of its cgroup. Its arguments are
 * (bio, ...) since 3.11, before (td, tg, bio), which no compiler can see of a static function: so it has no
 * names before 3.14, when bi_iter came.
 */
#ifdef CTRACE_HAVE_BIO_PLACE__ITER
#define CTRACE_COMPAT_THROTTLES(...)	__VA_ARGS__,
#else
#define CTRACE_COMPAT_THROTTLES(...)
#endif

static inline bool ctrace_compat_rq_passthrough(struct request *rq)
{
#ifdef CTRACE_HAVE_RQ_PASSTHROUGH__FUNCTION
	return blk_rq_is_passthrough(rq);
#else
	return rq->cmd_type != REQ_TYPE_FS;
#endif
}

/* When rq was allocated, on ctrace_compat_clock(), accurate to some ms. */
static inline u64 ctrace_compat_rq_start(const struct request *rq)
{
#ifdef CTRACE_HAVE_RQ_START__JIFFIES
	return ctrace_compat_clock() - (u64)jiffies_to_msecs(jiffies - rq->start_time) * NSEC_PER_MSEC;
#else
	return rq->start_time_ns;
#endif
}

/* Both are 0 for a request that has no place on the disk, as in the kernel's own events. */
#ifndef CTRACE_HAVE_BLK_RQ_TRACE_SECTOR
static inline sector_t blk_rq_trace_sector(struct request *rq)
{
	return ctrace_compat_rq_passthrough(rq) ? 0 : blk_rq_pos(rq);
}

static inline unsigned int blk_rq_trace_nr_sectors(struct request *rq)
{
	return ctrace_compat_rq_passthrough(rq) ? 0 : blk_rq_sectors(rq);
}
#endif

#ifndef CTRACE_HAVE_BIO_DEV
#define bio_dev(bio)	((bio)->bi_bdev->bd_dev)
#endif

static inline sector_t ctrace_compat_bio_sector(const struct bio *bio)
{
#ifdef CTRACE_HAVE_BIO_PLACE__ITER
	return bio->bi_iter.bi_sector;
#else
	return bio->bi_sector;
#endif
}

static inline unsigned int ctrace_compat_bio_size(const struct bio *bio)
{
#ifdef CTRACE_HAVE_BIO_PLACE__ITER
	return bio->bi_iter.bi_size;
#else
	return bio->bi_size;
#endif
}

/*
 * The operation and its flags. In 4.8 and 4.9 the operation is in the top bits of a word whose size
 * differs; here it is in the top three of 32 bits. All flags that have a letter are low bits.
 */
#define CTRACE_COMPAT_OP_AT	29

static inline u32 ctrace_compat_rq_flags(const struct request *rq)
{
#ifdef CTRACE_HAVE_BLK_FILL_RWBS__OP_RW_BYTES
	return (u32)req_op(rq) << CTRACE_COMPAT_OP_AT |
	       ((u32)rq->cmd_flags & (BIT(CTRACE_COMPAT_OP_AT) - 1));
#else
	return (__force u32)rq->cmd_flags;
#endif
}

static inline u32 ctrace_compat_bio_flags(const struct bio *bio)
{
#if defined(CTRACE_HAVE_BLK_FILL_RWBS__OP_RW_BYTES)
	return (u32)bio_op(bio) << CTRACE_COMPAT_OP_AT |
	       (bio->bi_opf & (BIT(CTRACE_COMPAT_OP_AT) - 1));
#elif defined(CTRACE_HAVE_BIO_FLAGS__OPF)
	return (__force u32)bio->bi_opf;
#else
	return bio->bi_rw;
#endif
}

/* The kernel's own RWBS_LEN is 8, 9 since 6.11 or so. */
#define CTRACE_COMPAT_RWBS_LEN	16

/* The flags in letters (W, R, S sync, M metadata, ...), as the kernel's own events show them. */
static inline void ctrace_compat_rwbs(char *text, unsigned int flags, unsigned int bytes)
{
#ifdef CTRACE_HAVE_BLK_FILL_RWBS__OPF
	/* since 6.0 the flags have a type of their own */
	blk_fill_rwbs(text, (__force typeof(((struct bio *)NULL)->bi_opf))flags);
#elif defined(CTRACE_HAVE_BLK_FILL_RWBS__OP_RW_BYTES)
	blk_fill_rwbs(text, flags >> CTRACE_COMPAT_OP_AT, flags & (BIT(CTRACE_COMPAT_OP_AT) - 1),
		      bytes);
#else
	blk_fill_rwbs(text, flags, bytes);
#endif
}

/*
 * 0: the request is not for a disk. A queue may lose its disk while commands to the device still run: read
 * the pointer once. The disk's memory is freed after a grace period (bdev_free_inode()), and preemption is
 * off.
 */
static inline u32 ctrace_compat_rq_dev(const struct request *rq)
{
#ifdef CTRACE_HAVE_QUEUE_DISK
	const struct gendisk *disk = READ_ONCE(rq->q->disk);

	return disk ? disk_devt((struct gendisk *)disk) : 0;
#else
	return rq->rq_disk ? disk_devt(rq->rq_disk) : 0;
#endif
}

static inline const struct request_queue *ctrace_compat_bio_q(const struct bio *bio)
{
#ifdef CTRACE_HAVE_BIO_BDEV
	return bdev_get_queue(bio->bi_bdev);
#else
	return bio->bi_disk->queue;
#endif
}

/* The number of its disk, as ctrace_compat_rq_dev() has it. A bio that is under way keeps its disk. */
static inline u32 ctrace_compat_bio_disk(const struct bio *bio)
{
#ifdef CTRACE_HAVE_BIO_BDEV
	return disk_devt(bio->bi_bdev->bd_disk);
#else
	return disk_devt(bio->bi_disk);
#endif
}

/*
 * The cgroup that the kernel charges for bio: the submitter's, or its nearest ancestor that has
 * the io controller. The bio holds a reference while it is under way. NULL: the kernel does not say.
 */
static inline struct cgroup *ctrace_compat_bio_cgroup(struct bio *bio)
{
#ifndef CONFIG_BLK_CGROUP
	return NULL;
#elif defined(CTRACE_HAVE_BIO_BLKCG__CSS)
	const struct cgroup_subsys_state *css = bio ? bio_blkcg_css(bio) : NULL;

	return css ? css->cgroup : NULL;
#elif defined(CTRACE_HAVE_BIO_CSS)
	/* not bio_blkcg(), which knows no "nobody": it says current's, even in an interrupt */
	return bio && bio->bi_css ? bio->bi_css->cgroup : NULL;
#else
	const struct blkcg *blkcg = bio ? bio_blkcg(bio) : NULL;

	return blkcg ? blkcg->css.cgroup : NULL;
#endif
}

/* The cgroup that is charged for what tasks of cset submit. NULL: none is. */
static inline struct cgroup *ctrace_compat_cset_io(const struct css_set *cset)
{
#ifdef CONFIG_BLK_CGROUP
	const struct cgroup_subsys_state *css = cset->subsys[CTRACE_COMPAT_IO_SSID];

	return css ? css->cgroup : NULL;
#else
	return NULL;
#endif
}

#endif /* CTRACE_COMPAT_BLOCK_H */
