// SPDX-License-Identifier: GPL-2.0-only
/*
 * Signals. signal_generate is the receiver's event. It is the sender's as well if that is in another
 * container: emit/sides.h. The sender's record has the receiver's tid, whom it chose, but not its name.
 */
#include <linux/preempt.h>
#include <linux/sched/signal.h>
#include <linux/signal.h>
#include "probe/table.h"
#include "emit/sides.h"
#include "emit/simple.h"
#include "compat/tracepoint.h"

/* info may be no pointer: compat/tracepoint.h */
static __always_inline void read_info(const ctrace_compat_siginfo *info, s32 *error, s32 *code)
{
	*error = 0;
	if (ctrace_compat_siginfo_user(info)) {
		*code = SI_USER;
	} else if (info == SEND_SIG_PRIV) {
		*code = SI_KERNEL;
	} else {
		*error = info->si_errno;
		*code = info->si_code;
	}
}

/* --- generated ------------------------------------------------------------------ */

struct generate_arg {
	const struct task_struct *p;
	s32 sig, error, code, group, result;
	s32 by;			/* the sender's tid; 0: no task sent it */
	u32 by_cid;
	struct ctrace_sides show;	/* receiver, sender */
};

#define GENERATE_FIELDS(F)							\
	F(s32, sig) F(s32, errno) F(s32, code) F(comm, comm)			\
	F(s32, tid) F(s32, group) F(s32, result) F(s32, sender_tid) F(u32, sender_cid)
CTRACE_PAYLOAD(generate_payload, GENERATE_FIELDS);

static __always_inline void fill_generate(void *payload, const void *arg)
{
	struct generate_payload *r = payload;
	const struct generate_arg *a = arg;

	r->sig = a->sig;
	r->errno = a->error;
	r->code = a->code;
	ctrace_put_comm(r->comm, a->p, a->show.first);
	r->tid = a->p->pid;
	r->group = a->group;
	r->result = a->result;
	r->sender_tid = a->show.second ? a->by : 0;
	r->sender_cid = a->show.second ? a->by_cid : 0;
}

static const struct ctrace_stack_waited no_stack = { .of = CTRACE_ID_SIGNAL_GENERATE };

static __always_inline void on_generate(struct generate_arg *a, struct task_struct *p)
{
	u32 wants = ctrace_wants(CTRACE_ID_SIGNAL_GENERATE);
	struct ctrace_who to, from;
	bool sent = in_task();		/* else no task sent it */

	if (!wants)
		return;
	ctrace_identity_resolve_task(p, &to);
	a->p = p;
	ctrace_identity_resolve_context(&from);
	a->by = from.tid;
	a->by_cid = from.container->cid;
	ctrace_emit_sides(wants, ctrace_sides_both(&to, &from), &no_stack,
			  (const struct ctrace_who *const[2]) { &to, sent ? &from : NULL },
			  CTRACE_SIZE(generate_payload), fill_generate, a, &a->show);
}

static void probe_generate(void *data, int sig, ctrace_compat_siginfo *info, struct task_struct *p,
			   int group, int result)
{
	struct generate_arg a = { .sig = sig, .group = group, .result = result };

	ctrace_compat_probe_begin();
	read_info(info, &a.error, &a.code);
	on_generate(&a, p);
	ctrace_compat_probe_end();
}

/* --- delivered -------------------------------------------------------------------- */

#define DELIVER_FIELDS(F)							\
	F(s32, sig) F(s32, errno) F(s32, code) F(hole, hole)			\
	F(x64, sa_handler) F(x64, sa_flags)
CTRACE_PAYLOAD(deliver_payload, DELIVER_FIELDS);

static __always_inline void fill_deliver(void *payload, const void *arg)
{
	*(struct deliver_payload *)payload = *(const struct deliver_payload *)arg;
}

static void probe_deliver(void *data, int sig, ctrace_compat_siginfo *info, struct k_sigaction *ka)
{
	struct deliver_payload a = {
		.sig = sig, .sa_handler = (unsigned long)ka->sa.sa_handler,
		.sa_flags = ka->sa.sa_flags,
	};

	ctrace_compat_probe_begin();
	read_info(info, &a.errno, &a.code);
	ctrace_curated_context(CTRACE_ID_SIGNAL_DELIVER, CTRACE_SIZE(deliver_payload), fill_deliver, &a);
	ctrace_compat_probe_end();
}

/* --- what user space gets --------------------------------------------------- */

/* Names and order are LTTng's: viewers look for them. */
static const struct ctrace_field_desc f_generate[] = { CTRACE_FIELDS(GENERATE_FIELDS) };
static const struct ctrace_field_desc f_deliver[] = { CTRACE_FIELDS(DELIVER_FIELDS) };

static const struct ctrace_event_type types[] = {
	CTRACE_TYPE(SIGNAL_GENERATE, "signal", "signal_generate", "signal_generate", f_generate),
	CTRACE_TYPE(SIGNAL_DELIVER, "signal", "signal_deliver", "signal_deliver", f_deliver),
};

static struct ctrace_source sources[] = {
	{ .tracepoint = "signal_generate", .fn = probe_generate },
	{ .tracepoint = "signal_deliver", .fn = probe_deliver },
	{ }
};

const struct ctrace_family ctrace_family_signal = {
	.types = types, .ntypes = ARRAY_SIZE(types), .sources = sources,
};
