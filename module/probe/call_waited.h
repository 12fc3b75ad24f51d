/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef CTRACE_CALL_WAITED_H
#define CTRACE_CALL_WAITED_H

#include <linux/errno.h>
#include <linux/types.h>

/*
 * A call that began before the probe was added, or before its task was wanted, has no place either. Most of
 * these have waited for something. So the errors of calls that waited are not taken for a filter's answer.
 */
static inline bool ctrace_call_may_have_waited(long ret)
{
	switch (-ret) {
	case EINTR:
	case EIO:
	case ECHILD:
	case EAGAIN:
	case EPIPE:
	case ENETUNREACH:
	case ECONNABORTED:
	case ECONNRESET:
	case ETIMEDOUT:
	case ECONNREFUSED:
	case EHOSTUNREACH:
	case 512 ... 516:	/* to be restarted: no program sees these */
		return true;
	default:
		return false;
	}
}

#endif
