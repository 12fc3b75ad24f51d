// SPDX-License-Identifier: GPL-2.0-only
/*
 * socketcall() and ipc(), through which 32-bit programs make other calls: shows the inner call as if the
 * program had made it directly. socketcall() has the inner call's arguments in memory, ipc() among its own,
 * in another order.
 */
#include <stdlib.h>
#include <string.h>
#include "strace/inner_call.h"

/* The inner call's fields: six numbers, its memory, its result. */
enum { ADDR = CALL_ARGS, BYTES, RESULT, NFIELDS };

struct inner_call {
	struct call_values c;
	struct ctrace_value v[NFIELDS];
	struct paint p;		/* ends with the fields' */
};

static const struct {
	const char *name;
	uint8_t nargs, addr, bytes;	/* which argument points to an address, and to data; 0: none */
} sockets[] = {
	{ NULL, 0, 0, 0 }, { "socket", 3, 0, 0 }, { "bind", 3, 1, 0 }, { "connect", 3, 1, 0 }, { "listen", 2, 0, 0 },
	{ "accept", 3, 1, 0 }, { "getsockname", 3, 1, 0 }, { "getpeername", 3, 1, 0 }, { "socketpair", 4, 0, 0 },
	{ "send", 4, 0, 1 }, { "recv", 4, 0, 1 }, { "sendto", 6, 4, 1 }, { "recvfrom", 6, 4, 1 },
	{ "shutdown", 2, 0, 0 }, { "setsockopt", 5, 0, 0 }, { "getsockopt", 5, 0, 0 }, { "sendmsg", 3, 0, 0 },
	{ "recvmsg", 3, 0, 0 }, { "accept4", 4, 1, 0 }, { "recvmmsg", 5, 0, 0 }, { "sendmmsg", 4, 0, 0 },
};

/* order: for each argument, its number among ipc()'s; 0: no more */
static const struct {
	uint8_t call;
	const char *name;
	uint8_t order[CALL_ARGS];
} ipcs[] = {
	{ 1, "semop", { 1, 4, 2 } }, { 2, "semget", { 1, 2, 3 } }, { 3, "semctl", { 1, 2, 3, 4 } },
	{ 4, "semtimedop", { 1, 4, 2, 5 } }, { 11, "msgsnd", { 1, 4, 2, 3 } }, { 12, "msgrcv", { 1, 4, 2, 5, 3 } },
	{ 13, "msgget", { 1, 2 } }, { 14, "msgctl", { 1, 2, 4 } }, { 21, "shmat", { 1, 4, 2 } }, { 22, "shmdt", { 4 } },
	{ 23, "shmget", { 1, 2, 3 } }, { 24, "shmctl", { 1, 2, 4 } },
};
#define MSGRCV	12

static struct bytes bytes_of(const struct call_values *c, uint32_t arg, enum about k)
{
	int at = c && c->n >= 0 ? c->p->about[arg][k] : -1;

	if (at < 0 || at >= c->n)
		return (struct bytes){ NULL, 0 };
	return (struct bytes){ c->v[at].seq.v, c->v[at].seq.n };
}

static uint32_t word(struct bytes d, uint32_t i)
{
	return (uint32_t)bytes_number(bytes_at(d, i * 4, 4), 4);
}

/* The outer call's argument i. */
static uint64_t number(const struct call_values *c, uint32_t i)
{
	return c->v[c->p->first + i].u;
}

/*
 * Puts the memory that the outer call has as k of its argument 1 into field `at`, as that of argument `arg`.
 */
static void point(struct inner_call *in, uint32_t at, uint32_t arg, enum about k, const struct call_values *c,
		  const struct call_values *r)
{
	struct bytes d;

	if (!arg)
		return;
	d = bytes_of(r, 1, k);
	if (!d.n)
		d = bytes_of(c, 1, k);
	in->v[at].seq.v = d.s;
	in->v[at].seq.n = d.n;
	in->p.about[arg][ABOUT_DATA] = (int16_t)at;
}

static const char *socketcall(struct inner_call *in, const struct call_values *c, const struct call_values *r)
{
	struct bytes args = bytes_of(c, 1, ABOUT_DATA);
	uint32_t call = (uint32_t)number(c, 0);

	if (call >= ARRAY_SIZE(sockets) || !sockets[call].name || args.n < sockets[call].nargs * 4u)
		return NULL;
	in->p.nargs = sockets[call].nargs;
	for (uint32_t i = 0; i < in->p.nargs; i++)
		in->v[i].u = word(args, i);
	point(in, ADDR, sockets[call].addr, ABOUT_ADDR, c, r);
	point(in, BYTES, sockets[call].bytes, ABOUT_PIECES, c, r);
	return sockets[call].name;
}

/*
 * The upper half of its first argument is a version. In the first one, two of msgrcv()'s arguments are in
 * memory.
 */
static const char *ipc(struct inner_call *in, const struct call_values *c)
{
	uint32_t call = (uint32_t)number(c, 0), i = 0, n;
	struct bytes two = bytes_of(c, 4, ABOUT_DATA);

	while (i < ARRAY_SIZE(ipcs) && ipcs[i].call != (call & 0xffff))
		i++;
	if (i == ARRAY_SIZE(ipcs) || (call == MSGRCV && two.n < 8))
		return NULL;
	for (n = 0; n < CALL_ARGS && ipcs[i].order[n]; n++)
		in->v[n].u = (uint32_t)number(c, ipcs[i].order[n]);
	in->p.nargs = n;
	if (call == MSGRCV) {
		in->v[1].u = word(two, 0);
		in->v[3].u = word(two, 1);
	}
	if ((call & 0xffff) == MSGRCV)	/* a type may be negative */
		in->v[3].u = (uint64_t)(int32_t)in->v[3].u;
	return ipcs[i].name;
}

static struct inner_call *new_inner(void)
{
	static const struct ctrace_field as_number = { .name = "", .kind = CTRACE_FK_UINT, .size = 8 };
	struct inner_call *in = xcalloc(1, sizeof(*in) + NFIELDS * sizeof(in->p.fields[0]));

	for (uint32_t i = 0; i < NFIELDS; i++) {
		in->p.fields[i].fn = paint_int;
		in->p.fields[i].number = true;
		in->p.fields[i].about = ABOUT_N;
		in->v[i].field = &as_number;
	}
	in->p.marks = in->p.ret_path = -1;
	in->c = (struct call_values){ &in->p, in->v, NFIELDS };
	return in;
}

const struct call_values *inner_call(struct inner_call **room, const struct call_values *c,
				     const struct call_values *r)
{
	bool sockets_too = !strcmp(c->p->call.name, "compat_socketcall");
	struct inner_call *in;
	const char *name;

	if ((!sockets_too && strcmp(c->p->call.name, "compat_ipc")) || c->p->plain ||
	    c->p->nargs < (sockets_too ? 2 : 6) || c->n < (int)(c->p->first + c->p->nargs))
		return NULL;
	if (!*room)
		*room = new_inner();
	in = *room;
	memset(in->p.about, 0xff, sizeof(in->p.about));		/* -1: nothing */
	in->p.ret = r && r->p->ret >= 0 && r->p->ret < r->n ? RESULT : -1;
	in->v[RESULT].u = in->p.ret >= 0 ? r->v[r->p->ret].u : 0;
	name = sockets_too ? socketcall(in, c, r) : ipc(in, c);
	if (!name)
		return NULL;
	in->p.call = c->p->call;
	snprintf(in->p.call.name, sizeof(in->p.call.name), "compat_%s", name);
	in->p.args = syscall_find_args(&in->p.call);
	return &in->c;
}
