// SPDX-License-Identifier: GPL-2.0-only
/*
 * read(): whole records in order of time, for scripts and for readers that cannot map.
 *
 * The kernel keeps a cursor per ring and descriptor, from the first read() on. Records are
 * copied twice: from the ring to a bounce buffer and, if they were still intact after
 * that, to the user. Losses are reported in-band and once, as CTRACE_ID_LOST records before
 * the records that follow the gap.
 */
#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include "api/dev.h"
#include "event/event.h"
#include "compat/vmalloc.h"
#include "../uapi/ctrace_ring_read.h"

#define BOUNCE	8192u		/* at least CTRACE_RECORD_MAX */

struct ctrace_file_ring {
	struct ctrace_cursor cur;
	u64 time;			/* of the record at cur, as peek() last saw it */
	u64 told[CTRACE_LOSS_MAX + 1];	/* losses reported so far, by cause */
	u32 cid;
};

struct lost_record {
	struct ctrace_record rec;
	struct ctrace_lost_payload lost;
};

/* One read(): where it writes, and how much room is left. */
struct output {
	char __user *to;
	size_t room;
};

static int put(struct output *o, const void *data, size_t n)
{
	if (n > o->room)
		return -EMSGSIZE;
	if (copy_to_user(o->to, data, n))
		return -EFAULT;
	o->to += n;
	o->room -= n;
	return 0;
}

/* Cursors start at the oldest record; a container's view, where its binding began. read_lock held. */
static int set_up(struct ctrace_file *f)
{
	struct ctrace_arena *a = f->arena;
	struct ctrace_file_ring *rings, *r;
	u32 i, slot;
	int err;

	rings = kvcalloc(f->nrings, sizeof(*rings), GFP_KERNEL_ACCOUNT);
	f->active = kvcalloc(f->nrings, sizeof(*f->active), GFP_KERNEL_ACCOUNT);
	f->bounce = kmalloc(BOUNCE, GFP_KERNEL_ACCOUNT);
	err = rings && f->active && f->bounce ? 0 : -ENOMEM;
	for (i = 0; !err && i < f->nrings; i++) {
		if (!ctrace_file_slot(f, i, &slot))
			continue;
		r = &rings[i];
		ctrace_cursor_init(&r->cur, ctrace_arena_ctl(a, slot), a->dir->ring_size,
				   a->dir->subbuf_size);
		if (!f->slots)
			continue;
		/* records refused under the slot's earlier containers are not this one's losses */
		r->told[CTRACE_LOSS_FULL] = READ_ONCE(r->cur.ctl->lost_full);
		r->told[CTRACE_LOSS_NESTED] = READ_ONCE(r->cur.ctl->lost_nested);
		err = ctrace_cursor_to_base(&r->cur);
	}
	if (err) {
		kvfree(rings);
		kvfree(f->active);
		kfree(f->bounce);
		f->active = NULL;
		f->bounce = NULL;
		return err;
	}
	smp_store_release(&f->rings, rings);	/* partner: dev_poll(), which takes no read_lock */
	return 0;
}

void ctrace_file_read_free(struct ctrace_file *f)
{
	kvfree(f->rings);
	kvfree(f->active);
	kfree(f->bounce);
}

static bool ring_moved(const struct ctrace_file *f, const struct ctrace_file_ring *rings, u32 i)
{
	u32 slot;

	return ctrace_file_slot(f, i, &slot) &&
	       smp_load_acquire(&f->arena->heads[slot]) !=	/* C: partner in ring.h */
	       READ_ONCE(rings[i].cur.pos);
}

bool ctrace_file_readable(struct ctrace_file *f, struct ctrace_file_ring *rings)
{
	u32 i;

	for (i = 0; i < f->nrings; i++)
		if (ring_moved(f, rings, i))
			return true;
	return false;
}

/* Reports r's losses that were not reported yet, one record for each cause. */
static int put_losses(struct output *o, struct ctrace_file_ring *r)
{
	u64 now[CTRACE_LOSS_MAX + 1] = {
		[CTRACE_LOSS_OVERRUN] = r->cur.lost,
		[CTRACE_LOSS_FULL] = READ_ONCE(r->cur.ctl->lost_full),
		[CTRACE_LOSS_NESTED] = READ_ONCE(r->cur.ctl->lost_nested),
	};
	struct lost_record l;
	u32 i;
	int err;

	for (i = 0; i <= CTRACE_LOSS_MAX; i++) {
		if (now[i] == r->told[i])
			continue;
		l = (struct lost_record) {
			.rec = {
				.time = r->time,
				.id = CTRACE_ID_LOST,
				.len = sizeof(l),
				.cid = r->cid,
			},
			.lost = {
				.cause = i,
				.cpu = READ_ONCE(r->cur.ctl->cpu),
				.count = now[i] - r->told[i],
			},
		};
		err = put(o, &l, sizeof(l));
		if (err)
			return err;
		r->told[i] = now[i];
	}
	return 0;
}

/*
 * Looks at r's next record. Returns what ctrace_cursor_next() does. Whether the record was still
 * intact is not checked: a wrong time only costs order, and that record is reported as lost anyway.
 */
static int peek(struct ctrace_file_ring *r)
{
	struct ctrace_span s;
	int ret = ctrace_cursor_next(&r->cur, &s, CTRACE_RECORD_MAX, 0);

	if (ret > 0) {
		r->time = s.time_begin;
		r->cid = s.cid;
	}
	return ret;
}

/* Puts r's records up to time `until`. 1: some; 0: try again; or an error. */
static int put_records(struct ctrace_file *f, struct output *o, struct ctrace_file_ring *r,
		       u64 until)
{
	struct ctrace_span s;
	int ret;

	ret = ctrace_cursor_next(&r->cur, &s, min_t(size_t, o->room, BOUNCE), until);
	if (ret <= 0)
		return ret;
	memcpy(f->bounce, s.data, s.len);
	/* not ctrace_cursor_done(): if user memory faults below, the next read() must find them again */
	if (!ctrace_cursor_valid(&r->cur, r->cur.pos)) {
		r->cur.margin = r->cur.submask + 1;
		return 0;
	}
	ret = put_losses(o, r);
	if (!ret)
		ret = put(o, f->bounce, s.len);
	if (ret)
		return ret;
	ctrace_cursor_advance(&r->cur, &s);
	return 1;
}

/* Returns which of the n active rings has the oldest record. *until: the oldest record of the others. */
static u32 oldest(const struct ctrace_file *f, u32 n, u64 *until)
{
	u64 first = U64_MAX, second = U64_MAX, t;
	u32 i, at = 0;

	for (i = 0; i < n; i++) {
		t = f->rings[f->active[i]].time;
		if (t < first) {
			second = first;
			first = t;
			at = i;
		} else if (t < second) {
			second = t;
		}
	}
	*until = second;
	return at;
}

/* Puts everything that is there and fits. 0, or the error that ended it early. */
static int merge(struct ctrace_file *f, struct output *o)
{
	struct ctrace_file_ring *r;
	u32 i, n = 0;
	u64 until;
	int ret;

	for (i = 0; i < f->nrings; i++) {
		if (!ring_moved(f, f->rings, i))
			continue;
		ret = peek(&f->rings[i]);
		if (ret > 0)
			f->active[n++] = i;
		else if (ret < 0 && ret != -EAGAIN)
			return ret;
	}
	while (n) {
		if (signal_pending(current))
			return -ERESTARTSYS;
		cond_resched();
		i = oldest(f, n, &until);
		r = &f->rings[f->active[i]];
		ret = put_records(f, o, r, until);
		if (ret >= 0)
			ret = peek(r);
		if (ret == 0 || ret == -EAGAIN)
			f->active[i] = f->active[--n];
		else if (ret < 0)
			return ret;
	}
	/* a ring may have refused records and not have moved since */
	for (i = 0; i < f->nrings; i++) {
		r = &f->rings[i];
		ret = r->cur.ctl ? put_losses(o, r) : 0;
		if (ret)
			return ret;
	}
	return 0;
}

ssize_t ctrace_file_read(struct file *file, char __user *buf, size_t count, loff_t *pos)
{
	struct ctrace_file *f = file->private_data;
	struct ctrace_arena *a = smp_load_acquire(&f->arena);	/* partner: bind_file() */
	struct output o = { .to = buf, .room = min_t(size_t, count, MAX_RW_COUNT) };
	bool ended;
	int err;

	if (!a)
		return -ENXIO;
	if (!count)
		return 0;
	if (file->f_flags & O_NONBLOCK) {
		if (!mutex_trylock(&f->read_lock))
			return -EAGAIN;
	} else if (mutex_lock_interruptible(&f->read_lock)) {
		return -ERESTARTSYS;
	}
	err = f->rings ? 0 : set_up(f);
	while (!err) {
		ended = ctrace_arena_ended(a);	/* before merge(), which then finds the last records */
		err = merge(f, &o);
		if (err || o.to != buf || ended)
			break;
		if (file->f_flags & O_NONBLOCK) {
			err = -EAGAIN;
			break;
		}
		err = wait_event_interruptible(a->wait, ({
			ctrace_arena_arm(a);
			ctrace_file_readable(f, f->rings) || ctrace_arena_ended(a);
		}));
		if (!err && signal_pending(current))
			err = -ERESTARTSYS;
		cond_resched();
	}
	mutex_unlock(&f->read_lock);
	if (o.to != buf)
		return o.to - buf;
	switch (err) {
	case -EMSGSIZE:
		return -EINVAL;		/* no room for the next record */
	case -EPROTO:
		return -EIO;
	default:
		return err;
	}
}
