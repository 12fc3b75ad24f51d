// SPDX-License-Identifier: GPL-2.0-only
/*
 * The sockets of network namespaces, read with sock_diag and compared with getsockopt(TCP_INFO); and which
 * container is at the other end of a connection.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <json-c/json.h>
#include <net/if.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "base/json.h"
#include "ktap.h"
#include "net/sockets.h"

bool cli_json;

/* --- the other end, of sockets that are made up --------------------------------------------- */

enum { WEB = 1, DB, APP, SIDE };

static struct sockets made;

static void address(uint8_t *to, const char *text)
{
	uint8_t a[16];

	if (inet_pton(AF_INET, text, a) == 1)
		sock_address(to, a, 4);
	else if (inet_pton(AF_INET6, text, a) == 1)
		sock_address(to, a, 16);
	else
		memset(to, 0, 16);
}

static struct sock_ends ends(const char *local, uint16_t lport, const char *remote, uint16_t rport)
{
	struct sock_ends e = { .lport = lport, .rport = rport };

	address(e.local, local);
	address(e.remote, remote);
	return e;
}

/* Ends with UINT32_MAX. */
static uint32_t a_namespace(bool host, const uint32_t *cids)
{
	struct socket_ns *n;

	made.ns = realloc(made.ns, (made.nns + 1) * sizeof(*n));
	n = &made.ns[made.nns];
	*n = (struct socket_ns){ .inode = 100 + made.nns, .host = host, .cids = calloc(8, sizeof(uint32_t)) };
	while (cids[n->ncids] != UINT32_MAX) {
		n->cids[n->ncids] = cids[n->ncids];
		n->ncids++;
	}
	return (uint32_t)made.nns++;
}
#define NAMESPACE(host, ...)	a_namespace(host, (const uint32_t[]){ __VA_ARGS__, UINT32_MAX })

static void has_address(uint32_t ns, const char *text, uint32_t bits)
{
	struct socket_address *a;

	made.addresses = realloc(made.addresses, (made.naddresses + 1) * sizeof(*a));
	a = &made.addresses[made.naddresses++];
	*a = (struct socket_address){ .ns = ns, .bits = bits };
	address(a->at, text);
}

static int in_order(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(struct sock_ends));
}

static void a_socket(uint32_t ns, uint32_t cid, struct sock_ends e)
{
	made.v = realloc(made.v, (made.n + 1) * sizeof(made.v[0]));
	made.v[made.n] = (struct socket_at){ .ns = ns, .cid = cid, .ends = e };
	made.v[made.n++].listens = !e.rport;
	qsort(made.v, made.n, sizeof(made.v[0]), in_order);
}

static bool seemed_local;

static uint32_t peer(uint32_t cid, const char *local, uint16_t lport, const char *remote, uint16_t rport)
{
	const struct sock_ends e = ends(local, lport, remote, rport);

	return sockets_peer(&made, cid, &e, &seemed_local);
}

static void on_a_bridge(void)
{
	uint32_t host = NAMESPACE(true, CTRACE_CID_HOST), web = NAMESPACE(false, WEB),
		 db = NAMESPACE(false, DB);
	uint32_t pod = NAMESPACE(false, APP, SIDE);

	has_address(host, "10.88.0.1", 96 + 16);
	has_address(host, "192.168.1.5", 96 + 24);
	has_address(web, "10.88.0.2", 96 + 16);
	has_address(db, "10.88.0.3", 96 + 16);
	has_address(pod, "10.88.0.4", 96 + 16);
	a_socket(db, DB, ends("10.88.0.3", 5432, "10.88.0.2", 40000));
	check_eq(peer(WEB, "10.88.0.2", 40000, "10.88.0.3", 5432), DB);
	check_eq(peer(WEB, "10.88.0.2", 40001, "10.88.0.3", 5432), DB);	/* it is alone at its address */
	check_eq(peer(DB, "10.88.0.3", 5432, "10.88.0.2", 40001), WEB);
	check_eq(peer(WEB, "10.88.0.2", 40001, "10.88.0.1", 80), CTRACE_CID_HOST);
	check_eq(peer(WEB, "10.88.0.2", 40001, "192.168.1.5", 80), CTRACE_CID_HOST);
	/* two containers have that address: the one that listens */
	check_eq(peer(WEB, "10.88.0.2", 40001, "10.88.0.4", 80), CTRACE_CID_UNKNOWN);
	check(seemed_local);
	a_socket(pod, SIDE, ends("10.88.0.4", 80, "", 0));
	check_eq(peer(WEB, "10.88.0.2", 40001, "10.88.0.4", 80), SIDE);
	a_socket(pod, APP, ends("0.0.0.0", 81, "", 0));
	check_eq(peer(WEB, "10.88.0.2", 40001, "10.88.0.4", 81), APP);
	/* two that listen at one port, as SO_REUSEPORT allows */
	a_socket(pod, SIDE, ends("0.0.0.0", 81, "", 0));
	check_eq(peer(WEB, "10.88.0.2", 40001, "10.88.0.4", 81), CTRACE_CID_UNKNOWN);
	/* elsewhere */
	check_eq(peer(WEB, "10.88.0.2", 40001, "93.184.216.34", 443), CTRACE_CID_UNKNOWN);
	check(!seemed_local);
	check_eq(peer(WEB, "10.88.0.2", 40001, "10.88.0.9", 443), CTRACE_CID_UNKNOWN);
	sockets_free(&made);
}

/* A container may have any addresses, and listen at them: that makes it no one's other end. */
static void claimed(void)
{
	uint32_t host = NAMESPACE(true, CTRACE_CID_HOST), web = NAMESPACE(false, WEB),
		 liar = NAMESPACE(false, DB);

	has_address(host, "10.88.0.1", 96 + 16);
	has_address(web, "10.88.0.2", 96 + 16);
	has_address(liar, "93.184.216.34", 96 + 8);
	has_address(liar, "10.88.0.2", 96 + 16);
	a_socket(liar, DB, ends("93.184.216.34", 443, "", 0));
	check_eq(peer(WEB, "10.88.0.2", 40000, "93.184.216.34", 443), CTRACE_CID_UNKNOWN);
	check_eq(peer(CTRACE_CID_HOST, "10.88.0.1", 40000, "10.88.0.2", 443),
		 CTRACE_CID_UNKNOWN); /* two claim it */
	sockets_free(&made);
}

static void within_a_namespace(void)
{
	uint32_t host = NAMESPACE(true, CTRACE_CID_HOST, WEB, DB), app = NAMESPACE(false, APP);

	has_address(host, "127.0.0.1", 96 + 8);
	has_address(host, "10.0.0.1", 96 + 24);
	has_address(app, "127.0.0.1", 96 + 8);
	a_socket(host, DB, ends("127.0.0.1", 5432, "", 0));
	a_socket(app, APP, ends("127.0.0.1", 5432, "", 0));
	check_eq(peer(WEB, "127.0.0.1", 40000, "127.0.0.1", 5432), DB);
	check_eq(peer(APP, "127.0.0.1", 40000, "127.0.0.1", 5432), APP);
	check_eq(peer(WEB, "10.0.0.1", 40000, "10.0.0.1", 5432), CTRACE_CID_UNKNOWN);
	/* the end that connected has no socket that listens: by the event of the other end, or by its socket */
	check_eq(peer(DB, "127.0.0.1", 5432, "127.0.0.1", 40000), CTRACE_CID_UNKNOWN);
	{
		const struct sock_ends e = ends("127.0.0.1", 40000, "127.0.0.1", 5432);

		sockets_note(&made, WEB, &e);
		check_eq(peer(DB, "127.0.0.1", 5432, "127.0.0.1", 40000), WEB);
		/* not in another namespace */
		check_eq(peer(APP, "127.0.0.1", 5432, "127.0.0.1", 40000), APP);
	}
	a_socket(host, CTRACE_CID_HOST, ends("127.0.0.1", 40002, "127.0.0.1", 5432));
	check_eq(peer(DB, "127.0.0.1", 5432, "127.0.0.1", 40002), CTRACE_CID_HOST);
	/* IPv6, and IPv4 by a socket of IPv6 */
	a_socket(host, DB, ends("::", 6000, "", 0));
	check_eq(peer(WEB, "::1", 40000, "::1", 6000), DB);
	check_eq(peer(WEB, "127.0.0.1", 40000, "127.0.0.1", 6000), CTRACE_CID_UNKNOWN);
	a_socket(host, DB, ends("0.0.0.0", 6000, "", 0));
	check_eq(peer(WEB, "127.0.0.1", 40000, "127.0.0.1", 6000), DB);
	sockets_free(&made);
}

/* As a recording has it: the first look, and the last one. */
static void recorded(void)
{
	struct sockets s = { 0 };
	struct sbuf b = { 0 };
	struct json j = { .out = &b };
	struct json_object *o;
	uint32_t host = NAMESPACE(true, CTRACE_CID_HOST), db = NAMESPACE(false, DB, SIDE);
	struct sock_ends e = ends("10.88.0.1", 40000, "10.88.0.2", 5432);
	bool local;

	has_address(host, "10.88.0.1", 96 + 16);
	has_address(db, "10.88.0.2", 96 + 16);
	a_socket(db, DB, ends("10.88.0.2", 5432, "10.88.0.1", 40000));
	a_socket(db, SIDE, ends("0.0.0.0", 80, "", 0));
	a_socket(db, DB, ends("::", 81, "", 0));
	made.v[0].wanted = made.v[1].wanted = made.v[2].wanted = true;
	made.v[2].cookie = 5;
	made.v[2].tx = 1ull << 40;
	made.left_ns = 3;
	sockets_put(&j, NULL, &made);
	o = json_tokener_parse(b.s);
	check(o);
	sockets_load(&s, o);
	check_eq(s.n, 3);
	check_eq(s.nns, 2);
	check_eq(s.left_ns, 3);
	for (size_t i = 0; i < s.n; i++)
		check(!memcmp(&s.v[i].ends, &made.v[i].ends, sizeof(s.v[i].ends)) &&
		      s.v[i].ns == made.v[i].ns && s.v[i].cid == made.v[i].cid &&
		      s.v[i].listens == made.v[i].listens);
	check_eq(s.v[2].tx, 1ull << 40);
	check(!s.v[2].wanted);
	check_eq(sockets_peer(&s, CTRACE_CID_HOST, &e, &local), DB);
	e = ends("10.88.0.1", 40001, "10.88.0.2", 80);
	check_eq(sockets_peer(&s, CTRACE_CID_HOST, &e, &local), SIDE);
	/* the last look has the same, and is no other one */
	sockets_load(&s, o);
	check_eq(s.n, 3);
	check_eq(s.nns, 2);
	json_object_put(o);
	sockets_free(&s);
	/* what we do not write */
	o = json_tokener_parse(
		"{\"namespaces\": [{\"inode\": -1, \"cids\": [1, \"x\", {}]}, 7], \"addresses\": [{\"ns\": 9}, {\"ns\": 0, "
		"\"bits\": 4000}, 1], \"sockets\": [{\"ns\": 2}, {\"ns\": 1, \"local\": \"x\", \"lport\": 70000}, \"\", {\"ns\": -1}]}");
	check(o);
	sockets_load(&s, o);
	sockets_load(&s, NULL);
	sockets_peer(&s, DB, &e, &local);
	json_object_put(o);
	sockets_free(&s);
	sockets_free(&made);
	sbuf_free(&b);
}

static void texts(void)
{
	struct sock_ends e = ends("10.0.0.1", 1, "10.0.0.2", 5432);
	struct sbuf b = { 0 };

	sock_put_remote(&b, &e);
	sbuf_putc(&b, ' ');
	e = ends("::1", 1, "fe80::1", 80);
	sock_put_remote(&b, &e);
	check_str(b.s, "10.0.0.2:5432 [fe80::1]:80");
	sbuf_free(&b);
}

/* --- a look ---------------------------------------------------------------------------------- */

/* In a network and a pid namespace of its own: connects to itself, and sends. The page says when. */
struct page {
	int pid, ready, listens, connected;
	uint64_t acked, received;	/* of the end that connected, by TCP_INFO */
	uint64_t began;			/* CLOCK_MONOTONIC, ns: the connect that is not answered */
};

static volatile struct page *page;

static void lo_up(void)
{
	struct ifreq r = { .ifr_flags = IFF_UP };
	int s = socket(AF_INET, SOCK_DGRAM, 0);

	strcpy(r.ifr_name, "lo");
	ioctl(s, SIOCSIFFLAGS, &r);
	close(s);
}

static void be_container(int n)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof(at), size = 256;
	char info[256], bytes[5000] = "";
	int s = socket(AF_INET, SOCK_STREAM, 0), c = -1, a;

	lo_up();
	if (bind(s, (void *)&at, sizeof(at)) || listen(s, 1000) || getsockname(s, (void *)&at, &len))
		_exit(1);
	for (int i = 0; i < n; i++) {
		c = socket(AF_INET, SOCK_STREAM, 0);
		if (connect(c, (void *)&at, sizeof(at)))
			_exit(1);
		a = accept(s, NULL, NULL);
		if (i)
			continue;
		if (send(c, bytes, 5000, 0) != 5000 || recv(a, bytes, 5000, MSG_WAITALL) != 5000 ||
		    send(a, bytes, 300, 0) != 300 || recv(c, bytes, 300, MSG_WAITALL) != 300)
			_exit(1);
		len = sizeof(at);
		getsockname(c, (void *)&at, &len);
		page->connected = ntohs(at.sin_port);
		len = sizeof(at);
		getpeername(c, (void *)&at, &len);
		page->listens = ntohs(at.sin_port);
		/* what was sent is acknowledged a little later */
		do {
			getsockopt(c, IPPROTO_TCP, TCP_INFO, info, &size);
			memcpy((void *)&page->acked, info + 120, 8);
			memcpy((void *)&page->received, info + 128, 8);
		} while (page->acked < 5000);
	}
	page->ready = 1;
	for (;;)
		pause();
}

/* Connects to itself twice, with room for one: the second SYN is not answered, and is sent again. */
static void be_full(void)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) }, own;
	int s = socket(AF_INET, SOCK_STREAM, 0), c = socket(AF_INET, SOCK_STREAM, 0), err;
	socklen_t len = sizeof(at), own_len = sizeof(own), size = 256;
	uint8_t info[256] = { 0 };

	lo_up();
	if (bind(s, (void *)&at, sizeof(at)) || listen(s, 0) || getsockname(s, (void *)&at, &len) ||
	    connect(c, (void *)&at, sizeof(at)))
		_exit(1);
	c = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
	page->began = clock_ns(CLOCK_MONOTONIC);
	err = connect(c, (void *)&at, sizeof(at)) ? errno : 0;
	if (err != EINPROGRESS || getsockname(c, (void *)&own, &own_len))
		_exit(1);
	page->connected = ntohs(own.sin_port);
	page->listens = ntohs(at.sin_port);
	while (!info[2]) {	/* tcpi_retransmits */
		usleep(10000);
		if (getsockopt(c, IPPROTO_TCP, TCP_INFO, info, &size))
			_exit(1);
	}
	page->ready = 1;
	for (;;)
		pause();
}

#define FULL	(-1)	/* instead of a number of connections */

/* The process of pid namespace and container, or 0. */
static pid_t start(int connections)
{
	pid_t pid;

	page = mmap(NULL, sizeof(*page), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	memset((void *)page, 0, sizeof(*page));
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (unshare(CLONE_NEWPID))
			_exit(77);
		pid = fork();
		if (!pid) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			if (unshare(CLONE_NEWNET))
				_exit(77);
			if (connections == FULL)
				be_full();
			be_container(connections);
		}
		page->pid = pid;
		waitpid(pid, NULL, 0);
		_exit(0);
	}
	for (int i = 0; pid > 0 && i < 6000 && !page->ready && !waitpid(pid, NULL, WNOHANG); i++)
		usleep(10000);
	return page->ready ? pid : 0;
}

static void stop(pid_t pid)
{
	kill(page->pid, SIGKILL);
	waitpid(pid, NULL, 0);
	munmap((void *)page, sizeof(*page));
}

static bool wants_web(const void *arg, uint32_t cid)
{
	(void)arg;
	return cid == WEB;
}

/* A table with a container that has the process's pid namespace. */
static struct ctable *table_of(int pid)
{
	struct ctable *t = ctable_new(NULL);
	struct ctrace_container c = { .cid = WEB };
	char path[64];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%d/ns/pid", pid);
	if (!stat(path, &st))
		c.pidns = (uint32_t)st.st_ino;
	ctable_add(t, &c, "web", "", true);
	return t;
}

static const struct socket_at *with_ports(const struct sockets *s, int lport, int rport)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->v[i].cid == WEB && s->v[i].ends.lport == lport && s->v[i].ends.rport == rport)
			return &s->v[i];
	return NULL;
}

static void looks(void)
{
	struct sockets s = { .wants = wants_web };
	const struct socket_at *x;
	pid_t pid = start(1);
	int listens;
	bool local;

	if (!pid) {
		ktap_skip("no namespaces here");
		return;
	}
	listens = page->listens;
	s.table = table_of(page->pid);
	sockets_look(&s, false);
	if (s.refused) {
		ktap_skip(strerror(s.refused));
		stop(pid);
		ctable_free(s.table);
		sockets_free(&s);
		return;
	}
	x = with_ports(&s, page->connected, page->listens);
	if (check(x)) {
		check(x->wanted);
		check_eq(x->tx, page->acked);
		check_eq(x->rx, page->received);
		check_eq(x->rx, 300);
		check(x->cookie);
		check_eq(sockets_peer(&s, WEB, &x->ends, &local), WEB);
	}
	x = with_ports(&s, page->listens, page->connected);
	if (check(x))
		check_eq(x->rx, 5000);
	x = with_ports(&s, page->listens, 0);
	if (check(x))
		check(x->listens);
	check_eq(s.left, 0);
	check_eq(s.left_ns, 0);
	for (size_t i = 0; i < s.nns; i++)
		check_eq(s.ns[i].wanted, s.ns[i].ncids == 1 && s.ns[i].cids[0] == WEB);
	/* the namespace ends with its container, though it was looked at */
	stop(pid);
	sockets_look(&s, true);
	check(!with_ports(&s, listens, 0));
	ctable_free(s.table);
	sockets_free(&s);
}

/* --- more than is asked for ------------------------------------------------------------------- */

/* A connect that is not answered. */
static void opens(void)
{
	struct sockets s = { .wants = wants_web, .opening = true };
	uint64_t before, after;
	pid_t pid = start(FULL);
	const struct socket_at *x;
	bool local;

	if (!pid) {
		ktap_skip("no namespaces here");
		return;
	}
	s.table = table_of(page->pid);
	before = clock_ns(CLOCK_MONOTONIC) - page->began;
	sockets_look(&s, false);
	after = clock_ns(CLOCK_MONOTONIC) - page->began;
	if (s.refused) {
		ktap_skip(strerror(s.refused));
	} else {
		x = with_ports(&s, page->connected, page->listens);
		if (check(x)) {
			check(x->wanted && !x->listens && !x->answers);
			check(x->again >= 1 && x->again < 10);
			/* timers are late by an eighth at most, and on a busy machine by more */
			check(x->age <= after && x->age + before / 8 + NSEC_PER_SEC / 2 >= before);
			check(x->age >= NSEC_PER_SEC / 2);
			check_eq(sockets_peer(&s, WEB, &x->ends, &local), WEB);
		}
		/* what is established was not asked for */
		for (size_t i = 0; i < s.n; i++)
			check(s.v[i].cid != WEB || s.v[i].listens || &s.v[i] == x);
	}
	stop(pid);
	ctable_free(s.table);
	sockets_free(&s);
}

struct taken {
	size_t connections, left_out;
};

static void take(void *arg, const char *told, size_t n)
{
	struct taken *t = arg;
	struct sock_told x;

	for (size_t i = 0; i + sizeof(x) <= n; i += sizeof(x)) {
		memcpy(&x, told + i, sizeof(x));
		t->connections += x.kind == SOCK_CONNECTION;
		t->left_out += x.kind == SOCK_LEFT_OUT;
	}
}

static void bounded(void)
{
	const uint32_t most[] = { 601, 602, 1000, 50,
				  0 }; /* 300 connections, both ends, and one that listens */
	struct far *f = far_new(sock_diag_serve, NULL,
				(struct far_limits){ 64 << 20, 10 * NSEC_PER_SEC, 20 * NSEC_PER_SEC, false });
	pid_t pid = start(300);
	char path[64], *request;
	struct taken t;
	struct stat st;

	if (!pid) {
		ktap_skip("no namespaces here");
		far_free(f);
		return;
	}
	snprintf(path, sizeof(path), "/proc/%d/ns/net", page->pid);
	check(!stat(path, &st));
	for (size_t i = 0; i < ARRAY_SIZE(most); i++) {
		request = xasprintf(SOCK_DIAG_REQUEST, page->pid, (unsigned long long)st.st_ino, most[i], 1);
		t = (struct taken){ 0 };
		check_eq(far_ask(f, request, 1 << 20, true, take, &t), FAR_DONE);
		/* a busy machine may take longer than a namespace may; what is missing is said, too */
		if (t.left_out && most[i] >= 601) {
			check(t.connections < 600);
			free(request);
			continue;
		}
		check_eq(t.connections, most[i] > 601 ? 600 : most[i] ? most[i] - 1 : 0);
		check_eq(t.left_out, most[i] < 601);
		free(request);
	}
	/* another process has got the pid since: its namespace is not the one that was meant */
	request = xasprintf(SOCK_DIAG_REQUEST, page->pid, (unsigned long long)st.st_ino + 1, 1000, 1);
	t = (struct taken){ 0 };
	check_eq(far_ask(f, request, 1 << 20, true, take, &t), FAR_DONE);
	check_eq(t.connections, 0);
	free(request);
	far_free(f);
	stop(pid);
}

static const struct ktap_case cases[] = {
	{ "the other end: on a bridge, and in a pod", on_a_bridge },
	{ "addresses that a container claims", claimed },
	{ "within a namespace", within_a_namespace },
	{ "in a recording", recorded },
	{ "texts", texts },
	{ "a look at a container's sockets", looks },
	{ "a connect that is not answered", opens },
	{ "no more than is asked for", bounded },
};

KTAP_MAIN(cases)
