// SPDX-License-Identifier: GPL-2.0-only
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "names/cgroupfs.h"
#include "names/whose.h"
#include "net/sockets.h"

#define MEMORY_MAX	((size_t)64 << 20)	/* bytes that the separate process may take */
#define QUIET		(2 * NSEC_PER_SEC)
#define CGROUPS_MAX	4096u			/* that a look finds the paths of */
#define RESTS		10			/* times as long as a look takes */

/* Where the container of each v2 cgroup is kept during a look. */
struct cgroup_at {
	uint64_t id;
	uint32_t cid;
	bool meant;		/* not one of a container's other cgroups, if some of them are targets */
};

struct look {
	struct sockets *s;
	struct cgroup_at *cgroups;	/* by id */
	size_t ncgroups;
	char *root;			/* of v2; NULL: there is none */
	int root_fd;
	size_t others;			/* namespaces that no target is in, when they were found */
	uint64_t beyond;		/* the last one for which there was no room */
	bool v1;			/* there are containers with a cgroup of v1 */
	uint32_t ns;			/* that is read now */
	bool cut;			/* not to its end */
	uint64_t until;
};

/* --- namespaces ----------------------------------------------------------------------- */

void sockets_add_cid(struct socket_ns *n, uint32_t cid)
{
	size_t i;

	for (i = 0; i < n->ncids && n->cids[i] < cid; i++)
		;
	if (i < n->ncids && n->cids[i] == cid)
		return;
	n->cids = xrealloc(n->cids, (n->ncids + 1) * sizeof(n->cids[0]));
	memmove(&n->cids[i + 1], &n->cids[i], (n->ncids - i) * sizeof(n->cids[0]));
	n->cids[i] = cid;
	n->ncids++;
}

/* Targets always have room for half of them, whatever others do. */
static struct socket_ns *find_ns(struct look *l, uint64_t inode, bool wanted)
{
	struct sockets *s = l->s;

	for (size_t i = 0; i < s->nns; i++)
		if (s->ns[i].inode == inode)
			return &s->ns[i];
	if (s->nns == NAMESPACES_MAX || (!wanted && l->others == NAMESPACES_MAX / 2)) {
		/* most processes of a namespace follow one another */
		s->left_ns += inode != l->beyond;
		l->beyond = inode;
		return NULL;
	}
	l->others += !wanted;
	s->ns = xrealloc(s->ns, (s->nns + 1) * sizeof(s->ns[0]));
	s->ns[s->nns] = (struct socket_ns){ .inode = inode };
	return &s->ns[s->nns++];
}

static void add_process(struct look *l, const char *pid, uint64_t first)
{
	char *path = xasprintf("/proc/%s/ns/net", pid);
	struct sockets *s = l->s;
	struct socket_ns *n;
	bool meant, wanted;
	struct stat st;
	uint32_t cid;

	if (stat(path, &st)) {
		if (errno == EACCES && geteuid())
			s->refused = EPERM;	/* another user's process */
		free(path);
		return;
	}
	free(path);
	cid = process_container(s->table, pid, &meant);
	cid = cid == CTRACE_CID_UNKNOWN ? CTRACE_CID_HOST : cid;
	wanted = s->wants && meant && s->wants(s->wants_arg, cid);
	n = find_ns(l, st.st_ino, wanted);
	if (!n)
		return;
	n->pid = n->pid ? n->pid : (int32_t)strtol(pid, NULL, 10);
	n->host = n->inode == first;
	n->wanted |= wanted;
	sockets_add_cid(n, cid);
}

static int wanted_first(const void *a, const void *b)
{
	const struct socket_ns *x = a, *y = b;

	if (x->wanted != y->wanted)
		return x->wanted ? -1 : 1;
	return x->pid < y->pid ? -1 : x->pid > y->pid;
}

static void find_namespaces(struct look *l)
{
	struct sockets *s = l->s;
	struct dirent *e;
	struct stat st;
	DIR *d = opendir("/proc");

	if (stat("/proc/1/ns/net", &st))
		st.st_ino = 0;
	while (d && (e = readdir(d))) {
		if (e->d_name[0] < '1' || e->d_name[0] > '9')
			continue;
		if (clock_ns(CLOCK_MONOTONIC) > l->until - SOCKETS_TIME / 2) {
			s->left_ns++;	/* at least */
			break;
		}
		add_process(l, e->d_name, st.st_ino);
	}
	if (d)
		closedir(d);
	if (s->nns)
		qsort(s->ns, s->nns, sizeof(s->ns[0]), wanted_first);
}

/* --- whose is a socket ------------------------------------------------------------------ */

/* The path of a v2 cgroup, as in /proc/PID/cgroup. The caller frees it; NULL: it is gone, or we may not. */
static char *cgroup_by_id(struct look *l, uint64_t id)
{
	union {
		struct file_handle h;
		char room[sizeof(struct file_handle) + sizeof(id)];
	} u = { .h = { .handle_bytes = sizeof(id), .handle_type = 0xfe /* FILEID_KERNFS */ } };
	char link[64], path[4096];
	size_t len = strlen(l->root);
	ssize_t n;
	int fd;

	memcpy(u.h.f_handle, &id, sizeof(id));
	fd = open_by_handle_at(l->root_fd, &u.h, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return NULL;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, path, sizeof(path) - 1);
	close(fd);
	if (n < (ssize_t)len || strncmp(path, l->root, len))
		return NULL;
	path[n] = '\0';
	return xstrdup(path[len] ? path + len : "/");
}

static struct cgroup_at cgroup_owner(struct look *l, uint64_t id)
{
	struct cgroup_at at = { .id = id, .cid = CTRACE_CID_UNKNOWN, .meant = true };
	char *path = l->root_fd >= 0 && l->ncgroups < CGROUPS_MAX ? cgroup_by_id(l, id) : NULL;
	const struct ctable_part *part;

	if (!path)
		return at;
	at.cid = ctable_of_cgroup(l->s->table, path, 0);
	part = ctable_part(l->s->table, at.cid);
	at.meant = !part || ctable_in_part(part, path, strlen(path), 0);
	/* with v1, all are in v2's root */
	if (l->v1 && !strcmp(path, "/"))
		at.cid = CTRACE_CID_UNKNOWN;
	free(path);
	return at;
}

static const struct cgroup_at *find_cgroup(struct look *l, uint64_t id)
{
	size_t lo = 0, hi = l->ncgroups;
	struct cgroup_at at;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (l->cgroups[mid].id == id)
			return &l->cgroups[mid];
		if (l->cgroups[mid].id < id)
			lo = mid + 1;
		else
			hi = mid;
	}
	at = cgroup_owner(l, id);
	if (l->ncgroups == CGROUPS_MAX)
		return NULL;
	l->cgroups = l->cgroups ? l->cgroups : xcalloc(CGROUPS_MAX, sizeof(l->cgroups[0]));
	memmove(&l->cgroups[lo + 1], &l->cgroups[lo], (l->ncgroups - lo) * sizeof(l->cgroups[0]));
	l->cgroups[lo] = at;
	l->ncgroups++;
	return &l->cgroups[lo];
}

static void set_owner(struct look *l, struct socket_at *x)
{
	const struct sockets *s = l->s;
	const struct socket_ns *ns = &s->ns[x->ns];
	const struct cgroup_at *c = x->cgroup ? find_cgroup(l, x->cgroup) : NULL;

	x->cid = c ? c->cid : CTRACE_CID_UNKNOWN;
	/* a container without a cgroup of its own is in another one's, or in the host's */
	if ((x->cid == CTRACE_CID_UNKNOWN || x->cid == CTRACE_CID_HOST) && ns->ncids == 1)
		x->cid = ns->cids[0];
	x->wanted = ns->wanted && x->cid != CTRACE_CID_UNKNOWN && (!c || c->meant) && s->wants &&
		    s->wants(s->wants_arg, x->cid);
}

/* --- a look ------------------------------------------------------------------------------- */

static void add_address(struct sockets *s, const struct sock_told *t, uint32_t ns)
{
	struct socket_address *a;

	if (s->naddresses == ADDRESSES_MAX)
		return;
	if (!(s->naddresses & (s->naddresses - 1)))
		s->addresses = xrealloc(s->addresses, (s->naddresses ? 2 * s->naddresses : 1) * sizeof(*a));
	a = &s->addresses[s->naddresses++];
	memcpy(a->at, t->ends.local, sizeof(a->at));
	a->bits = t->bits <= 128 ? t->bits : 128;
	a->ns = ns;
}

static void add_socket(struct look *l, const struct sock_told *t)
{
	struct sockets *s = l->s;
	struct socket_at *x;

	if (!(s->n & (s->n - 1)))
		s->v = xrealloc(s->v, (s->n ? 2 * s->n : 1) * sizeof(s->v[0]));
	x = &s->v[s->n++];
	*x = (struct socket_at){
		.ends = t->ends, .ns = l->ns, .listens = t->kind == SOCK_LISTENS,
		.cookie = t->cookie, .cgroup = t->cgroup, .tx = t->tx, .rx = t->rx,
		.answers = t->kind == SOCK_ANSWERS, .again = t->again, .age = t->age,
	};
	set_owner(l, x);
	s->shared += s->ns[l->ns].wanted && x->cid == CTRACE_CID_UNKNOWN && !x->listens;
}

/* What the separate process says. It is bounded there, and again by far_ask(). */
static void take(void *arg, const char *told, size_t n)
{
	struct look *l = arg;
	struct sockets *s = l->s;
	struct sock_told t;

	for (size_t i = 0; i + sizeof(t) <= n; i += sizeof(t)) {
		memcpy(&t, told + i, sizeof(t));
		if (t.kind == SOCK_ADDRESS)
			add_address(s, &t, l->ns);
		else if (t.kind == SOCK_CONNECTION || t.kind == SOCK_CONNECTS || t.kind == SOCK_ANSWERS ||
			 t.kind == SOCK_LISTENS)
			add_socket(l, &t);
		else if (t.kind == SOCK_LEFT_OUT)
			l->cut = true;
		else if (t.bits != ENOENT && t.bits != ESRCH)	/* its processes may just have ended */
			s->refused = (int)t.bits;
	}
}

/* How many TCP sockets a namespace has. */
static uint64_t in_use(int32_t pid)
{
	static const char *const files[] = { "sockstat", "TCP: inuse ", "sockstat6", "TCP6: inuse " };
	uint64_t n = 0;

	for (size_t i = 0; i < ARRAY_SIZE(files); i += 2) {
		char *path = xasprintf("/proc/%d/net/%s", pid, files[i]), *text = read_file(path, NULL);
		const char *at = text ? strstr(text, files[i + 1]) : NULL;

		n += at ? strtoull(at + strlen(files[i + 1]), NULL, 10) : 0;
		free(text);
		free(path);
	}
	return n;
}

/* Some of a namespace's sockets were not read. */
static void leave_out(struct sockets *s, uint32_t ns)
{
	uint64_t all = in_use(s->ns[ns].pid), has = 0;

	for (size_t i = s->n; i && s->v[i - 1].ns == ns; i--)
		has++;
	s->left += all > has ? all - has : 0;
	s->left_ns++;
}

static void read_ns(struct look *l, uint32_t i)
{
	struct sockets *s = l->s;
	const struct socket_ns *ns = &s->ns[i];
	size_t most = s->n < SOCKETS_MAX ? SOCKETS_MAX - s->n : 0;
	char *request;

	most = ns->wanted || most < SOCKETS_OTHER ? most : SOCKETS_OTHER;
	l->cut = !most || clock_ns(CLOCK_MONOTONIC) > l->until;
	if (l->cut) {
		leave_out(s, i);
		return;
	}
	l->ns = i;
	request = xasprintf(SOCK_DIAG_REQUEST, ns->pid, (unsigned long long)ns->inode, (unsigned int)most,
			    s->opening ? SOCK_DIAG_OPENING : ns->wanted ? SOCK_DIAG_BYTES : 0);
	if (far_ask(s->far, request, (most + 1024) * sizeof(struct sock_told), true, take, l) != FAR_DONE)
		l->cut = true;
	free(request);
	if (l->cut)
		leave_out(s, i);
}

static int in_order(const void *a, const void *b)
{
	const struct socket_at *x = a, *y = b;

	return memcmp(&x->ends, &y->ends, sizeof(x->ends));
}

void sockets_sort(struct sockets *s)
{
	if (s->n)
		qsort(s->v, s->n, sizeof(s->v[0]), in_order);
}

void sockets_forget(struct sockets *s)
{
	for (size_t i = 0; i < s->nns; i++)
		free(s->ns[i].cids);
	free(s->ns);
	free(s->addresses);
	free(s->v);
	s->ns = NULL;
	s->addresses = NULL;
	s->v = NULL;
	s->nns = s->naddresses = s->n = s->shared = s->left_ns = 0;
	s->left = 0;
}

/* A connection whose SYN was answered is not a whole socket yet, and has no cgroup: it is its listener's. */
static void give_to_listeners(struct sockets *s)
{
	for (size_t i = 0; i < s->n; i++) {
		struct socket_at *x = &s->v[i];
		const struct socket_at *l = x->answers ? sockets_listener(s, x) : NULL;

		if (!l)
			continue;
		s->shared -= s->ns[x->ns].wanted && x->cid == CTRACE_CID_UNKNOWN && l->cid != x->cid;
		x->cid = l->cid;
		x->wanted = l->wanted;
	}
}

void sockets_look(struct sockets *s, bool others)
{
	uint64_t began = clock_ns(CLOCK_MONOTONIC);
	struct look l = { .s = s, .until = began + SOCKETS_TIME, .root = cgroup_root(NULL), .root_fd = -1 };

	const struct centry *e;
	size_t at = 0;

	sockets_forget(s);
	s->refused = 0;
	while ((e = ctable_next(s->table, &at)))
		l.v1 |= e->known && e->c.cgroup_id && e->c.hierarchy;
	if (!s->far)
		s->far = far_new(sock_diag_serve, NULL,
				 (struct far_limits){ MEMORY_MAX, QUIET, SOCKETS_TIME, false });
	if (l.root)
		l.root_fd = open(l.root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	find_namespaces(&l);
	for (uint32_t i = 0; i < s->nns; i++)
		if (others || s->ns[i].wanted)
			read_ns(&l, i);
	sockets_sort(s);
	give_to_listeners(s);
	if (l.root_fd >= 0)
		close(l.root_fd);
	free(l.root);
	free(l.cgroups);
	s->looked = clock_ns(CLOCK_MONOTONIC);
	s->took = s->looked - began;
}

bool sockets_rested(const struct sockets *s, uint64_t least)
{
	uint64_t rest = RESTS * s->took > least ? RESTS * s->took : least;

	return !s->looked || clock_ns(CLOCK_MONOTONIC) - s->looked > rest;
}

void sockets_free(struct sockets *s)
{
	sockets_forget(s);
	far_free(s->far);
	free(s->notes);
	memset(s, 0, sizeof(*s));
}
