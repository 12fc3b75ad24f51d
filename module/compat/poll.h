/* SPDX-License-Identifier: GPL-2.0-only */
/* The type and the bits of a poll mask. */
#ifndef CTRACE_COMPAT_POLL_H
#define CTRACE_COMPAT_POLL_H

#include <linux/sched.h>
#include <linux/poll.h>
#include <linux/eventpoll.h>
#include "facts.h"

#ifndef CTRACE_HAVE_POLL_T
#define __poll_t	unsigned int
#endif

/* older kernels have the same bits by these names */
#ifndef EPOLLIN
#define EPOLLIN		POLLIN
#define EPOLLERR	POLLERR
#define EPOLLHUP	POLLHUP
#define EPOLLPRI	POLLPRI
#endif
#ifndef EPOLLRDNORM
#define EPOLLRDNORM	POLLRDNORM
#endif

#endif
