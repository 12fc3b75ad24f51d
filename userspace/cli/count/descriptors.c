// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "count/descriptors.h"

#define NETNS_MAX	4u
#define SOCKETS_TEXT	((size_t)4 << 20)	/* of one file: some 25,000 sockets */
#define TCP_LISTEN	10u
#define TCP_ESTABLISHED	1u
#define UNIX_LISTENS	0x10000u

struct socket {
	unsigned long ino;
	enum leads leads;
	struct sock_ends ends;
	bool is_tcp;
};

struct netns {
	ino_t ino;
	struct socket *v;	/* by ino */
	size_t n;
};

static const char *const words[] = {
	[LEADS_UNKNOWN] = "unknown", [LEADS_SERVER] = "server", [LEADS_CLIENTS] = "clients",
	[LEADS_PIPE] = "pipe", [LEADS_EVENTS] = "events", [LEADS_FILE] = "file", [LEADS_GO] = "go",
};

const char *leads_word(enum leads l)
{
	return words[l];
}

enum leads leads_of(const char *word)
{
	enum leads l = LEADS_UNKNOWN;

	while (word && l < LEADS_N && strcmp(word, words[l]))
		l++;
	return word && l < LEADS_N ? l : LEADS_UNKNOWN;
}

/* --- sockets of a network namespace ---------------------------------------------------- */

static int by_ino(const void *a, const void *b)
{
	const struct socket *x = a, *y = b;

	return x->ino < y->ino ? -1 : x->ino > y->ino;
}

static struct socket *add(struct netns *ns, unsigned long ino, enum leads leads)
{
	if (!(ns->n & (ns->n - 1)))
		ns->v = xrealloc(ns->v, (ns->n ? 2 * ns->n : 1) * sizeof(ns->v[0]));
	ns->v[ns->n] = (struct socket){ .ino = ino, .leads = leads };
	return &ns->v[ns->n++];
}

struct inet {
	char local[33], remote[33];	/* addresses, each 32 bits as a number */
	unsigned int port, peer_port, state;
	unsigned long ino;
};

/* A line of /proc/net/tcp, udp, tcp6, udp6. */
static bool take_inet(const char *line, struct inet *s)
{
	return sscanf(line, " %*u: %32[0-9A-F]:%x %32[0-9A-F]:%x %x %*x:%*x %*x:%*x %*x %*u %*u %lu",
		      s->local, &s->port, s->remote, &s->peer_port, &s->state, &s->ino) == 6;
}

static bool take_address(uint8_t *to, const char *text)
{
	uint32_t words[4];
	size_t n;

	for (n = 0; n < 4 && sscanf(text + 8 * n, "%8" SCNx32, &words[n]) == 1; n++)
		if (!text[8 * n + 8])
			return sock_address(to, words, 4 * (n + 1));
	return false;
}

static void take_ends(struct socket *to, const struct inet *s)
{
	to->is_tcp = take_address(to->ends.local, s->local) && take_address(to->ends.remote, s->remote);
	to->ends.lport = (uint16_t)s->port;
	to->ends.rport = (uint16_t)s->peer_port;
}

static char *read_sockets(int32_t pid, const char *of)
{
	char *path = xasprintf("/proc/%d/net/%s", pid, of), *text = read_upto(path, SOCKETS_TEXT, NULL);

	free(path);
	return text;
}

static const char *next_line(const char *line)
{
	line = strchr(line, '\n');
	return line && line[1] ? line + 1 : NULL;
}

/* A connection from a port at which somebody listens was accepted. */
static void read_tcp(struct netns *ns, int32_t pid)
{
	char *texts[2] = { read_sockets(pid, "tcp"), read_sockets(pid, "tcp6") };
	static const enum leads leads[] = { [false] = LEADS_SERVER, [true] = LEADS_CLIENTS };
	bool *listens = xcalloc(65536, sizeof(bool));
	struct inet s;

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		for (const char *line = texts[i]; line; line = next_line(line))
			if (take_inet(line, &s) && s.state == TCP_LISTEN)
				listens[s.port & 65535] = true;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		for (const char *line = texts[i]; line; line = next_line(line))
			if (take_inet(line, &s) && s.ino)
				take_ends(add(ns, s.ino, leads[listens[s.port & 65535]]), &s);
	free(listens);
	free(texts[0]);
	free(texts[1]);
}

static void read_udp(struct netns *ns, int32_t pid, const char *of)
{
	char *text = read_sockets(pid, of);
	struct inet s;

	for (const char *line = text; line; line = next_line(line))
		if (take_inet(line, &s) && s.ino)
			add(ns, s.ino, s.state == TCP_ESTABLISHED ? LEADS_SERVER : LEADS_CLIENTS);
	free(text);
}

/* One that was accepted has the path at which its process listens; one that connected has none. */
static void read_unix(struct netns *ns, int32_t pid)
{
	char *text = read_sockets(pid, "unix");

	for (const char *line = text; line; line = next_line(line)) {
		unsigned int flags;
		unsigned long ino;
		int end = 0;

		if (sscanf(line, "%*x: %*x %*x %x %*x %*x %lu%n", &flags, &ino, &end) == 2 && end)
			add(ns, ino, flags & UNIX_LISTENS || line[end] == ' ' ? LEADS_CLIENTS : LEADS_SERVER);
	}
	free(text);
}

/* NULL: this look has read too many namespaces. */
static const struct netns *sockets_of(struct descriptors *d, int32_t pid)
{
	char path[64];
	struct netns *ns;
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%d/ns/net", pid);
	if (stat(path, &st))
		return NULL;
	for (size_t i = 0; i < d->nns; i++)
		if (d->ns[i].ino == st.st_ino)
			return &d->ns[i];
	if (d->nns == NETNS_MAX)
		return NULL;
	d->ns = d->ns ? d->ns : xcalloc(NETNS_MAX, sizeof(d->ns[0]));
	ns = &d->ns[d->nns++];
	*ns = (struct netns){ .ino = st.st_ino };
	read_tcp(ns, pid);
	read_udp(ns, pid, "udp");
	read_udp(ns, pid, "udp6");
	read_unix(ns, pid);
	if (ns->n)
		qsort(ns->v, ns->n, sizeof(ns->v[0]), by_ino);
	return ns;
}

/* NULL: it is of another family, or has gone. */
static const struct socket *find_socket(const struct netns *ns, const char *name)
{
	struct socket key = { .ino = strtoul(name, NULL, 10) };

	return ns->n ? bsearch(&key, ns->v, ns->n, sizeof(ns->v[0]), by_ino) : NULL;
}

/* --- descriptors ----------------------------------------------------------------------- */

static int by_place(const void *a, const void *b)
{
	const struct descriptor *x = a, *y = b;

	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	return x->fd < y->fd ? -1 : x->fd > y->fd;
}

static struct descriptor *find(const struct descriptors *d, int32_t pid, int32_t fd)
{
	const struct descriptor key = { .pid = pid, .fd = fd };

	return d->n ? bsearch(&key, d->v, d->n, sizeof(d->v[0]), by_place) : NULL;
}

const struct descriptor *descriptors_at(const struct descriptors *d, int32_t pid, int32_t fd)
{
	return find(d, pid, fd);
}

enum leads descriptors_find(const struct descriptors *d, int32_t pid, int32_t fd)
{
	const struct descriptor *x = find(d, pid, fd);

	return x ? x->leads : LEADS_UNKNOWN;
}

void descriptors_add(struct descriptors *d, const struct descriptor *x)
{
	size_t i;

	if (d->n == DESCRIPTORS_MAX || find(d, x->pid, x->fd))
		return;
	d->v = xrealloc(d->v, (d->n + 1) * sizeof(d->v[0]));
	for (i = d->n++; i && by_place(&d->v[i - 1], x) > 0; i--)
		d->v[i] = d->v[i - 1];
	d->v[i] = *x;
}

static void look_at_socket(struct descriptors *d, struct descriptor *x, const char *name)
{
	const struct netns *ns = sockets_of(d, x->pid);
	const struct socket *s = ns ? find_socket(ns, name) : NULL;
	struct sbuf b = { 0 };

	if (!ns)
		return;
	if (s) {
		x->leads = s->leads;
		x->is_tcp = s->is_tcp;
		x->ends = s->ends;
	}
	if (x->is_tcp) {
		sock_put_remote(&b, &x->ends);
		snprintf(x->far.address, sizeof(x->far.address), "%s", b.len ? b.s : "");
		sbuf_free(&b);
	}
	descriptors_add(d, x);
}

void descriptors_look(struct descriptors *d, uint32_t cid, int32_t pid, int32_t fd)
{
	struct descriptor x = { .pid = pid, .fd = fd, .cid = cid, .far = { .cid = CTRACE_CID_UNKNOWN } };
	char path[64], name[64];
	ssize_t n;

	if (fd < 0 || d->n == DESCRIPTORS_MAX || find(d, pid, fd))
		return;
	snprintf(path, sizeof(path), "/proc/%d/fd/%d", pid, fd);
	n = readlink(path, name, sizeof(name) - 1);
	if (n <= 0)
		return;
	name[n] = '\0';
	if (!strncmp(name, "socket:[", 8)) {
		look_at_socket(d, &x, name + 8);
		return;
	}
	if (!strncmp(name, "pipe:[", 6))
		x.leads = LEADS_PIPE;
	else if (!strncmp(name, "anon_inode:", 11) || !strncmp(name, "/dev/", 5))
		x.leads = LEADS_EVENTS;
	else
		x.leads = LEADS_FILE;
	descriptors_add(d, &x);
}

void descriptors_far(struct descriptors *d, struct ctable *t, bool clients)
{
	struct sockets s = { .table = t };
	bool local, looked = false;

	for (size_t i = 0; i < d->n; i++) {
		struct descriptor *x = &d->v[i];

		if (!x->is_tcp || (x->leads != LEADS_SERVER && !clients) || x->far.cid != CTRACE_CID_UNKNOWN)
			continue;
		if (!looked)
			sockets_look(&s, true);
		looked = true;
		x->far.cid = sockets_peer(&s, x->cid, &x->ends, &local);
	}
	sockets_free(&s);
}

void descriptors_end(struct descriptors *d)
{
	for (size_t i = 0; i < d->nns; i++)
		free(d->ns[i].v);
	d->nns = 0;
}

void descriptors_free(struct descriptors *d)
{
	descriptors_end(d);
	free(d->ns);
	free(d->v);
}
