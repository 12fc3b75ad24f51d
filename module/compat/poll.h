/* SPDX-License-Identifier: GPL-2.0-only */
/* What poll says. */
#ifndef CTRACE_COMPAT_POLL_H
#define CTRACE_COMPAT_POLL_H

#include <linux/sched.h>
#include <linux/poll.h>
#include <linux/eventpoll.h>
#include "facts.h"

#ifndef CTRACE_HAVE_POLL_T
#define __poll_t	unsigned int
#endif

/* the same bits, by the names that older kernels have */
#ifndef EPOLLIN
#define EPOLLIN		POLLIN
#define EPOLLERR	POLLERR
#define EPOLLHUP	POLLHUP
#endif
#ifndef EPOLLRDNORM
#define EPOLLRDNORM	POLLRDNORM
#endif

#endif
