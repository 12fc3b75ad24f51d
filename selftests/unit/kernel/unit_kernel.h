/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * As much of the kernel as module/identity, module/session/limit.c and their KUnit suites need, on a host, under the
 * checks for addresses and undefined behaviour; its base is the module's own lang/hosted.h. Every header of linux/ here
 * includes this one alone.
 *
 * Preemption off, and RCU's read side, is a read lock; a grace period takes the write lock once. So what is freed
 * too early is seen. There are no interrupts.
 */
#ifndef CTRACE_UNIT_KERNEL_H
#define CTRACE_UNIT_KERNEL_H

#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <linux/types.h>
#include <sys/random.h>
#include <time.h>
#include "lang/hosted.h"

typedef unsigned int gfp_t;

#define notrace
#define __read_mostly
#define container_of(p, type, member)	((type *)((char *)(p) - offsetof(type, member)))
#define min(a, b)	({ __typeof__(a) _a = (a); __typeof__(b) _b = (b); _a < _b ? _a : _b; })
#define BUILD_BUG_ON(x)	_Static_assert(!(x), #x)
#define WARN_ON(x)	({ bool _x = (x); if (_x) { printf("# WARN_ON(%s)\n", #x); kunit_fail(); } _x; })
#define GFP_KERNEL	0
#define GFP_KERNEL_ACCOUNT	0
#define CTRACE_COMPAT_GFP_LARGE	0
#define PAGE_SIZE	4096ul
#define U32_MAX		UINT32_MAX
#define NSEC_PER_SEC	1000000000ull
#define __ffs(x)	((u32)__builtin_ctzl(x))
#define MODULE_PARM_DESC(a, b)	_Static_assert(1, "")
#define module_param(a, b, c)	_Static_assert(1, "")
#define MODULE_DESCRIPTION(a)	_Static_assert(1, "")
#define MODULE_LICENSE(a)	_Static_assert(1, "")

void kunit_fail(void);

/* --- memory order ------------------------------------------------------------ */

#define smp_load_acquire(p)	__atomic_load_n(p, __ATOMIC_ACQUIRE)
#define smp_mb()		__atomic_thread_fence(__ATOMIC_SEQ_CST)
#define smp_rmb()		__atomic_thread_fence(__ATOMIC_ACQUIRE)
#define cmpxchg(p, old, new)						\
({									\
	__typeof__(*(p)) _was = (old);					\
	__atomic_compare_exchange_n(p, &_was, new, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
	_was;								\
})
#define cmpxchg_acquire(p, old, new)	cmpxchg(p, old, new)

typedef struct { int v; } atomic_t;
typedef struct { s64 v; } atomic64_t;
#define ATOMIC_INIT(n)		{ n }
#define ATOMIC64_INIT(n)	{ n }
#define atomic_read(a)		__atomic_load_n(&(a)->v, __ATOMIC_RELAXED)
#define atomic_set(a, n)	__atomic_store_n(&(a)->v, n, __ATOMIC_RELAXED)
#define atomic_add(n, a)		((void)__atomic_add_fetch(&(a)->v, n, __ATOMIC_SEQ_CST))
#define atomic_inc(a)		((void)__atomic_add_fetch(&(a)->v, 1, __ATOMIC_SEQ_CST))
#define atomic_dec(a)		((void)__atomic_sub_fetch(&(a)->v, 1, __ATOMIC_SEQ_CST))
#define atomic_dec_return(a)	__atomic_sub_fetch(&(a)->v, 1, __ATOMIC_SEQ_CST)
#define atomic64_read(a)	((u64)__atomic_load_n(&(a)->v, __ATOMIC_RELAXED))
#define atomic64_set(a, n)	__atomic_store_n(&(a)->v, n, __ATOMIC_RELAXED)
#define atomic64_inc(a)		((void)__atomic_add_fetch(&(a)->v, 1, __ATOMIC_SEQ_CST))
#define atomic64_inc_return(a)	__atomic_add_fetch(&(a)->v, 1, __ATOMIC_SEQ_CST)
#define atomic64_add(n, a)	((void)__atomic_add_fetch(&(a)->v, n, __ATOMIC_SEQ_CST))
#define atomic64_xchg(a, n)	((u64)__atomic_exchange_n(&(a)->v, n, __ATOMIC_SEQ_CST))
#define atomic64_cmpxchg(a, old, new)	((u64)cmpxchg(&(a)->v, (s64)(old), (s64)(new)))

/* --- sections ------------------------------------------------------------------ */

extern pthread_rwlock_t kernel_rcu;
extern __thread int kernel_preempt;

static inline void preempt_disable(void)
{
	if (!kernel_preempt++)
		pthread_rwlock_rdlock(&kernel_rcu);
}

static inline void preempt_enable(void)
{
	if (!--kernel_preempt)
		pthread_rwlock_unlock(&kernel_rcu);
}

static inline void synchronize_rcu(void)
{
	pthread_rwlock_wrlock(&kernel_rcu);
	pthread_rwlock_unlock(&kernel_rcu);
}

#define rcu_read_lock()		preempt_disable()
#define rcu_read_unlock()	preempt_enable()
#define cond_resched()		((void)0)
#define in_nmi()		0

/* the longest stretch with interrupts off, in ns of this thread's time */
extern u64 kernel_irqsoff;
extern __thread u64 kernel_irqs_since;
extern u64 kernel_clock_ahead;	/* of the host's clock, ns: for tests of years */

/*
 * Steps: changes of lists. The most in one stretch with interrupts off says more than time does, which depends on
 * what else the machine does.
 */
extern __thread u64 kernel_steps, kernel_steps_since;
extern u64 kernel_most_steps;

static inline u64 kernel_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * 1000000000ull + t.tv_nsec;
}

#define local_irq_save(f)	((f) = 0, preempt_disable(), kernel_steps_since = kernel_steps, kernel_irqs_since = kernel_ns())
#define local_irq_restore(f)	((void)(f), kernel_irqs_on(), preempt_enable())

static inline void kernel_irqs_on(void)
{
	u64 took = kernel_ns() - kernel_irqs_since;

	if (took > kernel_irqsoff)
		kernel_irqsoff = took;
	if (kernel_steps - kernel_steps_since > kernel_most_steps)
		kernel_most_steps = kernel_steps - kernel_steps_since;
}

typedef pthread_mutex_t raw_spinlock_t;
#define DEFINE_RAW_SPINLOCK(l)	pthread_mutex_t l = PTHREAD_MUTEX_INITIALIZER
/* called for each section under a raw lock: when it has begun, and when it is about to end; or NULL */
extern void (*kernel_section)(bool begins);
#define raw_spin_lock(l)	(pthread_mutex_lock(l), kernel_section ? kernel_section(true) : (void)0)
#define raw_spin_unlock(l)	(kernel_section ? kernel_section(false) : (void)0, pthread_mutex_unlock(l))
#define DEFINE_PER_CPU(t, n)	__thread t n
#define __this_cpu_read(x)	(x)
#define __this_cpu_write(x, v)	((x) = (v))

struct irq_work { void (*f)(struct irq_work *w); };
#define init_irq_work(w, fn)	((w)->f = (fn))
#define irq_work_queue(w)	((w)->f(w))
#define irq_work_sync(w)	((void)(w))

/* Works do not run by themselves. */
struct work_struct { void (*f)(struct work_struct *w); };
struct delayed_work { struct work_struct work; };
struct workqueue_struct;
extern unsigned long kernel_jiffies;	/* ms */
#define jiffies				kernel_jiffies
#define msecs_to_jiffies(ms)		((unsigned long)(ms))
#define NSEC_PER_MSEC			1000000ull
#define time_after(a, b)		((long)((b) - (a)) < 0)
#define time_after_eq(a, b)		((long)((a) - (b)) >= 0)
#define max(a, b)			({ __typeof__(a) _a = (a); __typeof__(b) _b = (b); _a > _b ? _a : _b; })
#define WQ_HIGHPRI			0
#define WQ_UNBOUND			0
#define DECLARE_WORK(n, fn)		struct work_struct n = { fn }
#define DECLARE_DELAYED_WORK(n, fn)	struct delayed_work n = { { fn } }
#define alloc_workqueue(n, f, m)	((struct workqueue_struct *)1)
#define destroy_workqueue(q)		((void)(q))
#define queue_work(q, w)		((void)(w))
#define queue_delayed_work(q, w, d)	((void)(w), (void)(d))
#define mod_delayed_work(q, w, d)	((void)(w), (void)(d))
#define cancel_work_sync(w)		((void)(w))
#define cancel_delayed_work_sync(w)	((void)(w))

/* --- memory, texts, numbers ---------------------------------------------------- */

#define kzalloc(n, g)		calloc(1, n)
#define kvcalloc(n, s, g)	calloc(n, s)
#define kvzalloc(n, g)		calloc(1, n)
#define kfree(p)		free((void *)(p))
#define kvfree(p)		free((void *)(p))
#define get_random_bytes(p, n)	((void)!getrandom(p, n, 0))
#define div_u64(a, b)		((u64)(a) / (b))
#define strscpy(d, s, n)	((void)snprintf(d, n, "%s", s))

static inline u32 hash_32(u32 v, unsigned int bits) { return v * 0x61C88647u >> (32 - bits); }

static inline u32 jhash(const void *p, u32 n, u32 seed)
{
	const u8 *b = p;
	u32 h = seed * 0x9e3779b9u + 1;

	while (n--)
		h = (h ^ *b++) * 16777619u;
	return h ^ h >> 15;
}

static inline u32 jhash_2words(u32 a, u32 b, u32 seed)
{
	u32 w[2] = { a, b };

	return jhash(w, sizeof(w), seed);
}

struct pid_namespace;
void put_pid_ns(struct pid_namespace *ns);

/* --- lists --------------------------------------------------------------------- */

struct list_head { struct list_head *next, *prev; };
struct hlist_node { struct hlist_node *next, **pprev; };
struct hlist_head { struct hlist_node *first; };
struct llist_node { struct llist_node *next; };
struct llist_head { struct llist_node *first; };

#define LIST_HEAD_INIT(h)	{ &(h), &(h) }
#define LIST_HEAD(h)		struct list_head h = LIST_HEAD_INIT(h)

static inline void INIT_LIST_HEAD(struct list_head *h) { h->next = h->prev = h; }
static inline bool list_empty(const struct list_head *h) { return h->next == h; }
static inline bool list_is_singular(const struct list_head *h) { return !list_empty(h) && h->next == h->prev; }

static inline void list_put(struct list_head *n, struct list_head *prev, struct list_head *next)
{
	kernel_steps++;
	n->prev = prev;
	n->next = next;
	prev->next = next->prev = n;
}

static inline void list_add(struct list_head *n, struct list_head *h) { list_put(n, h, h->next); }
static inline void list_add_tail(struct list_head *n, struct list_head *h) { list_put(n, h->prev, h); }

static inline void list_del(struct list_head *n)
{
	kernel_steps++;
	n->prev->next = n->next;
	n->next->prev = n->prev;
	n->next = n->prev = NULL;
}

static inline void list_del_init(struct list_head *n)
{
	list_del(n);
	INIT_LIST_HEAD(n);
}

static inline void list_move(struct list_head *n, struct list_head *h)
{
	list_del(n);
	list_add(n, h);
}

static inline void list_move_tail(struct list_head *n, struct list_head *h)
{
	list_del(n);
	list_add_tail(n, h);
}

static inline void list_splice_between(struct list_head *l, struct list_head *prev, struct list_head *next)
{
	if (list_empty(l))
		return;
	l->next->prev = prev;
	prev->next = l->next;
	l->prev->next = next;
	next->prev = l->prev;
	INIT_LIST_HEAD(l);
}

#define list_splice(l, h)		list_splice_between(l, h, (h)->next)
#define list_splice_init(l, h)		list_splice_between(l, h, (h)->next)
#define list_splice_tail_init(l, h)	list_splice_between(l, (h)->prev, h)
#define list_entry(p, t, m)		container_of(p, t, m)
#define list_first_entry(h, t, m)	list_entry((h)->next, t, m)
#define list_first_entry_or_null(h, t, m) (list_empty(h) ? NULL : list_first_entry(h, t, m))
#define list_for_each_entry(e, h, m)	\
	for (e = list_first_entry(h, __typeof__(*e), m); &e->m != (h); e = list_entry(e->m.next, __typeof__(*e), m))
#define list_for_each_entry_safe(e, n, h, m)	\
	for (e = list_first_entry(h, __typeof__(*e), m), n = list_entry(e->m.next, __typeof__(*e), m); &e->m != (h); \
	     e = n, n = list_entry(n->m.next, __typeof__(*n), m))

static inline void hlist_add_head(struct hlist_node *n, struct hlist_head *h)
{
	kernel_steps++;
	n->next = h->first;
	if (n->next)
		n->next->pprev = &n->next;
	h->first = n;
	n->pprev = &h->first;
}

static inline void hlist_del_init(struct hlist_node *n)
{
	if (!n->pprev)
		return;
	kernel_steps++;
	*n->pprev = n->next;
	if (n->next)
		n->next->pprev = n->pprev;
	n->next = NULL;
	n->pprev = NULL;
}

#define hlist_empty(h)			(!(h)->first)
#define hlist_add_head_rcu(n, h)	hlist_add_head(n, h)
#define hlist_del_rcu(n)		hlist_del_init(n)
#define hlist_entry_or_null(p, t, m)	({ struct hlist_node *_p = (p); _p ? container_of(_p, t, m) : NULL; })
#define hlist_entry(p, t, m)		container_of(p, t, m)
#define hlist_for_each_entry(e, h, m)	\
	for (e = hlist_entry_or_null((h)->first, __typeof__(*e), m); e; \
	     e = hlist_entry_or_null(e->m.next, __typeof__(*e), m))
#define hlist_for_each_entry_rcu(e, h, m) hlist_for_each_entry(e, h, m)

#define init_llist_head(h)	((h)->first = NULL)
#define llist_entry(p, t, m)	container_of(p, t, m)
#define llist_for_each_entry_safe(e, n, p, m)	\
	for (struct llist_node *_p = (p), *_n; \
	     _p && (e = llist_entry(_p, __typeof__(*e), m), _n = _p->next, (void)(n), true); _p = _n)

static inline bool llist_add(struct llist_node *n, struct llist_head *h)
{
	n->next = READ_ONCE(h->first);
	while (!__atomic_compare_exchange_n(&h->first, &n->next, n, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
		;
	return true;
}

static inline struct llist_node *llist_del_all(struct llist_head *h)
{
	return __atomic_exchange_n(&h->first, NULL, __ATOMIC_SEQ_CST);
}

static inline struct llist_node *llist_del_first(struct llist_head *h)
{
	struct llist_node *n = READ_ONCE(h->first);

	while (n && !__atomic_compare_exchange_n(&h->first, &n, n->next, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
		;
	return n;
}

/* --- threads, as table_concurrent() makes them ---------------------------------- */

struct completion { pthread_mutex_t m; pthread_cond_t c; bool done; };

static inline void init_completion(struct completion *c)
{
	pthread_mutex_init(&c->m, NULL);
	pthread_cond_init(&c->c, NULL);
	c->done = false;
}

static inline void complete(struct completion *c)
{
	pthread_mutex_lock(&c->m);
	c->done = true;
	pthread_cond_signal(&c->c);
	pthread_mutex_unlock(&c->m);
}

static inline void wait_for_completion(struct completion *c)
{
	pthread_mutex_lock(&c->m);
	while (!c->done)
		pthread_cond_wait(&c->c, &c->m);
	pthread_mutex_unlock(&c->m);
}

#define kthread_run(f, arg, ...)						\
({										\
	pthread_t _t;								\
										\
	if (pthread_create(&_t, NULL, (void *(*)(void *))(void *)(f), arg))	\
		abort();							\
	pthread_detach(_t);							\
})

#endif
