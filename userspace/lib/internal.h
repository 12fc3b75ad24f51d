/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Shared by libctrace's own files; nothing here is installed.
 *
 * libctrace.h is included between visibility pragmas: its functions, and no
 * others, leave the shared object (built with -fvisibility=hidden).
 */
#ifndef CTRACE_LIB_INTERNAL_H
#define CTRACE_LIB_INTERNAL_H

#pragma GCC visibility push(default)
#include "libctrace.h"
#pragma GCC visibility pop

#include <netlink/netlink.h>
#include <netlink/genl/genl.h>

#define CTRACE_ERR_MAX	640
#define CTRACE_FIELDS_MAX 64	/* of a type; the module's have at most 32 */
#define CTRACE_TEXT_MAX	1024	/* of a probe's name, a definition, an expression, with its NUL */

struct ctrace {
	struct nl_sock *sk;		/* requests and replies; owns the sessions */
	int family;
	uint32_t seq;			/* of the newest request */
	struct ctrace_session *sessions;	/* live session objects, by ->next */
	struct nl_sock *notices;	/* multicast, NULL until subscribed */
	ctrace_container_event_fn notice_fn;
	void *notice_arg;
	char err[CTRACE_ERR_MAX];
	void *buf;			/* CTRACE_RECV_SIZE bytes, one received datagram */
	void *notice_buf;		/* likewise; its own, as callbacks may make requests */
};

/*
 * Two owners: the caller, until ctrace_session_free(), and every reader opened
 * on it, which asks it for losses that no ring counts. ct is NULL once the session has
 * ended, by ctrace_session_free() or by ctrace_close().
 */
struct ctrace_session {
	struct ctrace *ct;
	struct ctrace_session *next;
	unsigned int refs;
	uint32_t id;
	uint64_t missed, unfollowed;	/* newest known, kept past the end */
};

void ctrace_session_put(struct ctrace_session *s);
void ctrace_session_losses(struct ctrace_session *s);	/* asks for the two */

/* --- ctl.c: one request and its answers -------------------------------------- */

/* Larger than any dump datagram: the kernel stops at 32 KiB. */
#define CTRACE_RECV_SIZE	(64 * 1024)

/* Gets the sets of one answer, indexed by CTRACE_A_*. < 0 ends the request with that error. */
typedef int (*ctrace_reply_fn)(struct nlattr **sets, void *arg);

struct nl_msg *ctrace_ctl_msg(struct ctrace *ct, int cmd, int flags);
/* Consumes msg (NULL: out of memory). what: the sentence's start, "cannot add probe 'x'". */
int ctrace_ctl_call(struct ctrace *ct, struct nl_msg *msg, const char *what,
		    ctrace_reply_fn fn, void *arg);
/* Keeps the sentence for ctrace_strerror(); returns err. */
int ctrace_ctl_error(struct ctrace *ct, int err, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * A dump's answers are gathered first and handed to the caller after: its
 * callback may make requests of its own, and a dump that the kernel calls
 * inconsistent (-EINTR) is asked for again, unseen.
 */
struct ctrace_list {
	void *items;
	size_t n, max, size;		/* size: of one item */
};
void *ctrace_list_add(struct ctrace_list *l);	/* zeroed, NULL: no memory */
int ctrace_ctl_dump(struct ctrace *ct, int cmd, uint32_t session, const char *what,
		    ctrace_reply_fn fn, struct ctrace_list *list);

/* Attributes as the kernel sent them; a missing or short one reads as 0 or "". */
uint32_t ctrace_attr_u32(const struct nlattr *a);
uint64_t ctrace_attr_u64(const struct nlattr *a);
void ctrace_attr_str(const struct nlattr *a, char *to, size_t size);
int ctrace_attr_nested(struct nlattr **tb, int max, struct nlattr *a);	/* absent: all NULL */

/* --- errtext.c ------------------------------------------------------------- */

struct ctrace_ext_ack {
	char msg[256];		/* the kernel's text, or "" */
	uint32_t offset;	/* of the bad attribute in the request, 0: not told */
};
void ctrace_ext_ack_parse(const struct nlmsghdr *nlh, struct ctrace_ext_ack *ack);
/* "RING_SIZE" for the attribute at an offset of a request, or NULL. */
const char *ctrace_attr_name_at(struct nlmsghdr *request, uint32_t offset);
const char *ctrace_error_hint(int err);

/* --- reader.c and merge.c -------------------------------------------------- */

/* A mapping that is there already (tests): the reader unmaps nothing and has no descriptor. */
int ctrace_reader_open_map(const void *map, size_t len, unsigned int flags,
			   struct ctrace_reader **out);

#endif /* CTRACE_LIB_INTERNAL_H */
