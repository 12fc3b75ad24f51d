// SPDX-License-Identifier: GPL-2.0-only
/*
 * read(): whole records in order of time, for scripts and for readers that cannot map.
 *
 * The kernel keeps a cursor per ring and descriptor, from the first read() on. Records are
 * copied twice: from the ring to a bounce buffer and, if they were still intact after
 * that, to the user. Losses are reported in-band and once, as CTRACE_ID_LOST records before
 * the records that follow the gap.
 *
 * A view may be revoked at any moment. So each look at the rings is between ctrace_file_enter() and
 * ctrace_file_leave(), and user memory is touched outside: its owner could make that last for ever.
 * Cursors (r->cur) point into the rings; only their positions mean something outside.
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

#define GONE	(-ESHUTDOWN)	/* between these functions: the view was revoked */

static void free_rings(struct ctrace_file *f, struct ctrace_file_ring *rings)
{
	kvfree(rings);
	kvfree(f->active);
	kfree(f->bounce);
	f->active = NULL;
	f->bounce = NULL;
}

/* Cursors start at the oldest record; a container's view, where its binding began. In ctrace_file_enter(). */
static int set_up_cursors(const struct ctrace_file *f, const struct ctrace_arena *a,
			  struct ctrace_file_ring *rings)
{
	struct ctrace_file_ring *r;
	u32 i, slot;
	int err = 0;

	for (i = 0; !err && i < f->nrings; i++) {
		if (!ctrace_file_slot(f, i, &slot))
			continue;
		r = &rings[i];
		ctrace_cursor_init(&r->cur, ctrace_arena_ctl(a, slot), a->rings[slot].mask + 1,
				   a->rings[slot].submask + 1);
		if (!f->is_view)
			continue;
		/* records refused under the slot's earlier containers are not this one's losses */
		r->told[CTRACE_LOSS_FULL] = READ_ONCE(r->cur.ctl->lost_full);
		r->told[CTRACE_LOSS_NESTED] = READ_ONCE(r->cur.ctl->lost_nested);
		r->told[CTRACE_LOSS_FROZEN] = READ_ONCE(r->cur.ctl->lost_frozen);
		err = ctrace_cursor_to_base(&r->cur);
	}
	return err;
}

/* read_lock held. */
static int set_up(struct ctrace_file *f)
{
	struct ctrace_file_ring *rings;
	struct ctrace_arena *a;
	int err;

	rings = kvcalloc(f->nrings, sizeof(*rings), GFP_KERNEL_ACCOUNT);
	f->active = kvcalloc(f->nrings, sizeof(*f->active), GFP_KERNEL_ACCOUNT);
	f->bounce = kmalloc(BOUNCE, GFP_KERNEL_ACCOUNT);
	err = rings && f->active && f->bounce ? 0 : -ENOMEM;
	a = err ? NULL : ctrace_file_enter(f);
	if (a) {
		err = set_up_cursors(f, a, rings);
		ctrace_file_leave();
	} else if (!err) {
		err = GONE;
	}
	if (err)
		free_rings(f, rings);
	else	/* partner: ctrace_file_poll(), which takes no read_lock */
		smp_store_release(&f->rings, rings);
	return err;
}

void ctrace_file_init(struct ctrace_file *f)
{
	mutex_init(&f->read_lock);
	spin_lock_init(&f->poll_lock);
}

void ctrace_file_exit(struct ctrace_file *f)
{
	free_rings(f, f->rings);
}

static bool ring_moved(const struct ctrace_file *f, const struct ctrace_arena *a,
		       const struct ctrace_file_ring *rings, u32 i)
{
	u32 slot;

	return ctrace_file_slot(f, i, &slot) &&
	       smp_load_acquire(ctrace_arena_hint(a, slot)) !=		/* C: partner in ring.h */
	       READ_ONCE(rings[i].cur.pos);
}

bool ctrace_file_readable(struct ctrace_file *f, struct ctrace_arena *a, struct ctrace_file_ring *rings)
{
	u32 i;

	for (i = 0; i < f->nrings; i++)
		if (ring_moved(f, a, rings, i))
			return true;
	return false;
}

/*
 * r's losses so far, by cause, and the ring's CPU: the numbers that put_losses() writes. In
 * ctrace_file_enter().
 */
struct losses {
	u64 now[CTRACE_LOSS_MAX + 1];
	u32 cpu;
};

static void look_at_losses(const struct ctrace_file_ring *r, struct losses *l)
{
	*l = (struct losses) {
		.now = {
			[CTRACE_LOSS_OVERRUN] = r->cur.lost,
			[CTRACE_LOSS_FULL] = READ_ONCE(r->cur.ctl->lost_full),
			[CTRACE_LOSS_NESTED] = READ_ONCE(r->cur.ctl->lost_nested),
			[CTRACE_LOSS_FROZEN] = READ_ONCE(r->cur.ctl->lost_frozen),
		},
		.cpu = READ_ONCE(r->cur.ctl->cpu),
	};
}

/* Reports r's losses that were not reported yet, one record for each cause. */
static int put_losses(struct output *o, struct ctrace_file_ring *r, const struct losses *seen)
{
	struct lost_record l;
	u32 i;
	int err;

	for (i = 0; i <= CTRACE_LOSS_MAX; i++) {
		if (seen->now[i] == r->told[i])
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
				.cpu = seen->cpu,
				.count = seen->now[i] - r->told[i],
			},
		};
		err = put(o, &l, sizeof(l));
		if (err)
			return err;
		r->told[i] = seen->now[i];
	}
	return 0;
}

/*
 * Looks at r's next record. Returns what ctrace_cursor_next() does. Whether the record was still
 * intact is not checked: a wrong time only costs order, and that record is reported as lost anyway.
 * In ctrace_file_enter().
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

/* Copies r's records up to time `until` to the bounce buffer. 1: some; 0: try again; or an error. */
static int take_records(struct ctrace_file *f, struct ctrace_file_ring *r, size_t room, u64 until,
			struct ctrace_span *s, struct losses *l)
{
	int ret;

	if (!ctrace_file_enter(f))
		return GONE;
	ret = ctrace_cursor_next(&r->cur, s, min_t(size_t, room, BOUNCE), until);
	if (ret > 0) {
		memcpy(f->bounce, s->data, s->len);
		/*
		 * not ctrace_cursor_done(): if user memory faults later, the next read() must find them again
		 */
		if (!ctrace_cursor_valid(&r->cur, r->cur.pos)) {
			r->cur.margin = r->cur.submask + 1;
			ret = 0;
		}
		look_at_losses(r, l);
	}
	ctrace_file_leave();
	return ret;
}

/* Puts r's records up to time `until`. 1: some; 0: try again; or an error. */
static int put_records(struct ctrace_file *f, struct output *o, struct ctrace_file_ring *r,
		       u64 until)
{
	struct ctrace_span s;
	struct losses l;
	int ret;

	ret = take_records(f, r, o->room, until, &s, &l);
	if (ret <= 0)
		return ret;
	ret = put_losses(o, r, &l);
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

/* Finds the rings that have records. Returns how many, or an error. */
static int find_active(struct ctrace_file *f)
{
	struct ctrace_arena *a;
	u32 i, n = 0;
	int ret;

	for (i = 0; i < f->nrings; i++) {
		/* for each ring anew: a session may have very many */
		a = ctrace_file_enter(f);
		if (!a)
			return GONE;
		ret = ring_moved(f, a, f->rings, i) ? peek(&f->rings[i]) : 0;
		ctrace_file_leave();
		if (ret > 0)
			f->active[n++] = i;
		else if (ret < 0 && ret != -EAGAIN)
			return ret;
	}
	return n;
}

static int peek_again(struct ctrace_file *f, struct ctrace_file_ring *r)
{
	int ret;

	if (!ctrace_file_enter(f))
		return GONE;
	ret = peek(r);
	ctrace_file_leave();
	return ret;
}

/* Puts all records that fit. 0, or the error that ended it early. */
static int merge(struct ctrace_file *f, struct output *o)
{
	struct ctrace_file_ring *r;
	struct losses l;
	u64 until;
	int ret, n;
	u32 i;

	n = find_active(f);
	if (n < 0)
		return n;
	while (n) {
		if (signal_pending(current))
			return -ERESTARTSYS;
		cond_resched();
		i = oldest(f, n, &until);
		r = &f->rings[f->active[i]];
		ret = put_records(f, o, r, until);
		if (ret >= 0)
			ret = peek_again(f, r);
		if (ret == 0 || ret == -EAGAIN)
			f->active[i] = f->active[--n];
		else if (ret < 0)
			return ret;
	}
	/* a ring may have refused records and not have moved since */
	for (i = 0; i < f->nrings; i++) {
		r = &f->rings[i];
		if (!r->cur.ctl)
			continue;
		if (!ctrace_file_enter(f))
			return GONE;
		look_at_losses(r, &l);
		ctrace_file_leave();
		ret = put_losses(o, r, &l);
		if (ret)
			return ret;
	}
	return 0;
}

static bool ended(struct ctrace_file *f)
{
	struct ctrace_arena *a = ctrace_file_enter(f);
	bool is = !a || ctrace_arena_ended(a);

	if (a)
		ctrace_file_leave();
	return is;
}

/* Are there records, or will there never be any? Else f->waiter is armed: the next record wakes it. */
static bool may_return(struct ctrace_file *f)
{
	struct ctrace_arena *a = ctrace_file_enter(f);
	bool is;

	if (!a)
		return true;
	is = ctrace_arena_ended(a);
	if (!is) {
		ctrace_waiter_arm(f->waiter);
		is = ctrace_file_readable(f, a, f->rings);
	}
	ctrace_file_leave();
	return is;
}

/* Returns 0 or an error; o says how much was put. read_lock held. */
static int read_records(struct file *file, struct ctrace_file *f, struct output *o)
{
	const char __user *start = o->to;
	int err = f->rings ? 0 : set_up(f);
	bool last;

	while (!err) {
		last = ended(f);	/* before merge(), which then finds the last records */
		err = merge(f, o);
		if (err || o->to != start || last)
			break;
		if (file->f_flags & O_NONBLOCK)
			return -EAGAIN;
		err = wait_event_interruptible(f->waiter->wait, may_return(f));
		if (!err && signal_pending(current))
			err = -ERESTARTSYS;
		cond_resched();
	}
	return err == GONE ? 0 : err;
}

ssize_t ctrace_file_read(struct file *file, char __user *buf, size_t count, loff_t *pos)
{
	struct ctrace_file *f = file->private_data;
	struct output o = { .to = buf, .room = min_t(size_t, count, MAX_RW_COUNT) };
	int err;

	if (!smp_load_acquire(&f->arena))	/* partner: dev_bind() */
		return f->is_view ? 0 : -ENXIO;
	if (!count)
		return 0;
	if (file->f_flags & O_NONBLOCK) {
		if (!mutex_trylock(&f->read_lock))
			return -EAGAIN;
	} else if (mutex_lock_interruptible(&f->read_lock)) {
		return -ERESTARTSYS;
	}
	err = read_records(file, f, &o);
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
