/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * What libctrace's own files share; not installed.
 *
 * libctrace.h is included between visibility pragmas. The shared object is built with
 * -fvisibility=hidden, so it exports the functions of that header and no others.
 */
#ifndef CTRACE_LIB_INTERNAL_H
#define CTRACE_LIB_INTERNAL_H

#pragma GCC visibility push(default)
#include "libctrace.h"
#pragma GCC visibility pop

#include <netlink/netlink.h>
#include <netlink/genl/genl.h>

#define CTRACE_ERR_MAX	640
#define CTRACE_FIELDS_MAX 64	/* fields of a type; the module's types have at most 32 */

struct ctrace {
	struct nl_sock *sk;		/* requests and replies; owns the sessions */
	int family;
	uint32_t seq;			/* of the newest request */
	struct ctrace_session *sessions;	/* sessions that have not ended, linked by ->next */
	struct ctrace_schema *asking;	/* schemas that ask for types one by one, linked by ->next */
	struct nl_sock *notices;	/* multicast, NULL until subscribed */
	ctrace_container_event_fn notice_fn;
	void *notice_arg;
	char err[CTRACE_ERR_MAX];
	void *buf;			/* CTRACE_RECV_SIZE bytes: one received datagram */
	void *notice_buf;		/* the same for notices: their callbacks may make requests */
};

struct ctrace_session {
	struct ctrace *ct;		/* NULL once ctrace_close() has ended the session */
	struct ctrace_session *next;
	uint32_t id;
};

/* --- sizes.c: structs of programs that are older or newer than the library ------------------ */

/*
 * Copies a caller's struct of sz bytes over the defaults in *to. -EINVAL: sz is not even that of a size.
 * -E2BIG: a member that this library does not have is not 0.
 */
int ctrace_struct_take(void *to, size_t size, const void *from, size_t sz);
/* The same for options, which start with their size; *to has the library's. */
int ctrace_opts_take(void *to, size_t size, const void *from);
const char *ctrace_opts_error(int err);		/* what an error of these two means */
/* Fills a caller's struct of sz bytes: what the library has, then zeros. */
void ctrace_struct_give(void *to, size_t sz, const void *from, size_t size);

/* --- schema.c -------------------------------------------------------------- */

void ctrace_schema_detach(struct ctrace *ct);	/* the connection closes: its schemas ask no more */

/* --- session.c ------------------------------------------------------------- */

/* a request that begins with SESSION{ID} */
struct nl_msg *ctrace_session_msg(struct ctrace_session *s, int cmd);

/* --- ctl.c: one request and its answers -------------------------------------- */

/* Larger than any dump datagram: the kernel stops at 32 KiB. */
#define CTRACE_RECV_SIZE	(64 * 1024)

/* Gets the sets of one answer, indexed by CTRACE_A_*. A result < 0 becomes the request's error. */
typedef int (*ctrace_reply_fn)(struct nlattr **sets, void *arg);

struct nl_msg *ctrace_ctl_msg(struct ctrace *ct, int cmd, int flags);
/* Consumes msg (NULL: out of memory). what: how an error's sentence begins, "cannot add probe 'x'". */
int ctrace_ctl_call(struct ctrace *ct, struct nl_msg *msg, const char *what,
		    ctrace_reply_fn fn, void *arg);
/* Keeps the sentence for ctrace_errmsg(); returns err. */
int ctrace_ctl_error(struct ctrace *ct, int err, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * All answers of a dump are gathered before the caller's callback sees any. So the callback may make
 * requests of its own, and a dump that the kernel calls inconsistent (-EINTR) is repeated unnoticed.
 */
struct ctrace_list {
	void *items;
	size_t n, max, size;		/* items there, items allocated, bytes of one */
};
void *ctrace_list_add(struct ctrace_list *l);	/* a new zeroed item; NULL: no memory */
void *ctrace_list_add_n(struct ctrace_list *l, size_t n);	/* the same for n of them */
int ctrace_ctl_dump(struct ctrace *ct, int cmd, uint32_t session, const char *what,
		    ctrace_reply_fn fn, struct ctrace_list *list);

/* Attributes as the kernel sent them; a missing or short one reads as 0 or "". */
uint32_t ctrace_attr_u32(const struct nlattr *a);
uint64_t ctrace_attr_u64(const struct nlattr *a);
void ctrace_attr_str(const struct nlattr *a, char *to, size_t size);
int ctrace_attr_nested(struct nlattr **tb, int max, struct nlattr *a);	/* a NULL: all of tb is NULL */
uint32_t ctrace_attr_session(struct nlattr **sets);	/* the session that an item of a dump belongs to */

/* --- errtext.c ------------------------------------------------------------- */

struct ctrace_ext_ack {
	char msg[256];		/* the kernel's text, or "" */
	uint32_t offset;	/* where in the request the bad attribute is; 0: not given */
};
void ctrace_ext_ack_parse(const struct nlmsghdr *nlh, struct ctrace_ext_ack *ack);
/* The name of the attribute at an offset of a request, such as "SESSION_RING_SIZE", or NULL. */
const char *ctrace_attr_name_at(struct nlmsghdr *request, uint32_t offset);
const char *ctrace_error_hint(int err);

/* --- reader.c and merge.c -------------------------------------------------- */

/* For tests: reads a mapping that the caller owns. The reader has no descriptor and unmaps nothing. */
int ctrace_reader_open_map(const void *map, size_t len, unsigned int flags,
			   struct ctrace_reader **out);

#endif /* CTRACE_LIB_INTERNAL_H */
