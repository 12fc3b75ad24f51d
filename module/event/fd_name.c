// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a descriptor is. The file has a reference of ours while we look. For a call it is current's own:
 * fget_raw() takes the reference under RCU, without a lock. fput() may give back the last one, if another
 * thread closes the descriptor at the same time; then it leaves the rest to the task's own work before it
 * returns to user space (a kernel thread's to a work item), and does not sleep. For other tasks' files the
 * caller has it.
 *
 * The reference keeps the file's dentry, inode and mount. A socket is its inode's neighbour, and has its sock
 * from before the descriptor was published until the file's release. The fields of a sock change under locks
 * that we do not take: an address and a port may be of two moments.
 */
#include <linux/file.h>
#include <linux/kernel.h>
#include <linux/namei.h>
#include <linux/netlink.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/seqlock.h>
#include <linux/un.h>
#include <net/af_unix.h>
#include <net/ipv6.h>
#include "event/fd_name.h"
#include "compat/net.h"
#include "compat/fd.h"

static u32 none(char *to)
{
	*to = 0;
	return 1;
}

/* --- paths ---------------------------------------------------------------- */

/*
 * "..." and the end of the name. d_lock, under which names are changed, is a spinlock that no interrupt
 * handler takes.
 */
static u32 put_last_part(struct dentry *d, char *to, u32 max)
{
	u32 n = scnprintf(to, max, "..."), room = max - 1 - n, len, skip;

	spin_lock(&d->d_lock);
	len = d->d_name.len;
	if (len < room) {
		to[n++] = '/';
		room--;
	}
	skip = len > room ? len - room : 0;
	memcpy(to + n, d->d_name.name + skip, len - skip);
	spin_unlock(&d->d_lock);
	n += len - skip;
	to[n] = 0;
	return n + 1;
}

/* d_path() writes at the end of to[max]. */
static u32 keep(char *to, u32 max, const char *path)
{
	u32 n;

	if (IS_ERR_OR_NULL(path) || path < to || path >= to + max)
		return none(to);
	n = strnlen(path, to + max - 1 - path);
	memmove(to, path, n);
	to[n] = 0;
	return n + 1;
}

/* Puts text before at; NULL: there is no room between to and at. */
static char *prepend(char *at, const char *to, const char *text, u32 len)
{
	return at - to >= len ? memcpy(at - len, text, len) : NULL;
}

/*
 * Writes the path of *of from *root at the end of to[max]. What root is not above is shown from the top of
 * its mounts, as d_path() does it. NULL: the path is too long.
 */
static char *go_up(const struct path *of, const struct path *root, char *to, u32 max)
{
	char *end = to + max - 1, *p = end;
	struct path at = *of;
	struct dentry *up;

	*end = 0;
	if (d_unlinked(of->dentry))
		end = p = prepend(p, to, " (deleted)", strlen(" (deleted)"));
	path_get(&at);
	while (p && (at.dentry != root->dentry || at.mnt != root->mnt)) {
		if (at.dentry == at.mnt->mnt_root) {
			if (!follow_up(&at))
				break;
			continue;
		}
		if (IS_ROOT(at.dentry)) {
			/* moved away from what is mounted: d_path() forgets the names, too */
			p = end;
			break;
		}
		up = dget_parent(at.dentry);
		spin_lock(&at.dentry->d_lock);
		p = prepend(p, to, (const char *)at.dentry->d_name.name, at.dentry->d_name.len);
		spin_unlock(&at.dentry->d_lock);
		p = p ? prepend(p, to, "/", 1) : NULL;
		dput(at.dentry);
		at.dentry = up;
	}
	path_put(&at);
	return p == end && p ? prepend(p, to, "/", 1) : p;
}

#define TRIES	8	/* renames are system-wide, and somebody may do nothing else */

/*
 * d_path() knows no root but current's. So this goes up by itself, with a reference to each place, and may
 * sleep. A rename on the way might mix the old path with the new one: then it goes up again. Mounts that are
 * moved may still mix.
 */
static u32 name_path(const struct path *of, const struct path *root, char *to, u32 max)
{
	unsigned int seq, tries = 0;
	char *path;

	do {
		seq = read_seqbegin(&rename_lock);
		path = go_up(of, root, to, max);
	} while (read_seqretry(&rename_lock, seq) && ++tries < TRIES);
	return path && tries < TRIES ? keep(to, max, path) : put_last_part(of->dentry, to, max);
}

/* root: NULL for a call of current; else see ctrace_file_name(). */
static u32 put_file(const struct path *of, const struct path *root, char *to, u32 max)
{
	struct dentry *d = of->dentry;
	bool names_itself = d->d_op && d->d_op->d_dname;
	bool mounted = IS_ROOT(d) && d == of->mnt->mnt_root, may_path;
	const char *path;

	if (root) {
		if (!names_itself || mounted)
			return name_path(of, root, to, max);
		/* asks d_dname() alone, which may sleep here */
		path = d_path(of, to, max);
		return path == ERR_PTR(-ENAMETOOLONG) ? put_last_part(d, to, max) : keep(to, max, path);
	}
	may_path = ctrace_compat_may_path();
	/* what names itself has no path, unless it is mounted somewhere (a namespace) */
	if (!may_path && (!names_itself || mounted))
		return none(to);
	if (names_itself && !ctrace_compat_may_dname(d->d_sb))
		return may_path ? put_last_part(d, to, max) : none(to);
	path = d_path(of, to, max);
	return may_path && path == ERR_PTR(-ENAMETOOLONG) ? put_last_part(d, to, max) : keep(to, max, path);
}

/* --- sockets -------------------------------------------------------------- */

struct text {
	char *to;
	u32 max, n;
};

#define put(t, ...)	((t)->n += scnprintf((t)->to + (t)->n, (t)->max - (t)->n, __VA_ARGS__))

/*
 * Of the protocols that are called so, and so with v6 behind it, strace gives addresses; so do we of MPTCP.
 */
static bool has_addresses(const char *proto)
{
	static const char * const names[] = { "TCP", "UDP", "MPTCP" };
	size_t i, n;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		n = strlen(names[i]);
		if (!strncmp(proto, names[i], n) && (!proto[n] || !strcmp(proto + n, "v6")))
			return true;
	}
	return false;
}

/* A socket without a port has no address to show: false. */
static bool put_inet(struct text *t, const struct sock *sk)
{
	const struct inet_sock *inet = inet_sk(sk);
	u16 sport = READ_ONCE(inet->inet_num), dport = ntohs(READ_ONCE(inet->inet_dport));
	__be32 saddr = READ_ONCE(inet->inet_rcv_saddr), daddr = READ_ONCE(inet->inet_daddr);

	if (!sport)
		return false;
	put(t, "[%pI4:%u", &saddr, sport);
	if (daddr || dport)
		put(t, "->%pI4:%u", &daddr, dport);
	put(t, "]");
	return true;
}

#if IS_ENABLED(CONFIG_IPV6)
static bool put_inet6(struct text *t, const struct sock *sk)
{
	const struct inet_sock *inet = inet_sk(sk);
	u16 sport = READ_ONCE(inet->inet_num), dport = ntohs(READ_ONCE(inet->inet_dport));
	struct in6_addr saddr, daddr;

	if (!sport)
		return false;
	memcpy(&saddr, ctrace_compat_sock_saddr6(sk), sizeof(saddr));
	memcpy(&daddr, ctrace_compat_sock_daddr6(sk), sizeof(daddr));
	put(t, "[[%pI6c]:%u", &saddr, sport);
	if (!ipv6_addr_any(&daddr) || dport)
		put(t, "->[%pI6c]:%u", &daddr, dport);
	put(t, "]");
	return true;
}
#else
static bool put_inet6(struct text *t, const struct sock *sk)
{
	return false;
}
#endif

#if IS_ENABLED(CONFIG_UNIX)
/* Older kernels' unix_sk() takes no const. */
static struct unix_sock *unix_of(const struct sock *sk)
{
	return unix_sk((struct sock *)sk);
}

/*
 * The other end's inode; 0: none. The lock keeps the peer, whose reference sk has: a datagram socket may get
 * another one. It is a spinlock that is taken in tasks alone. The kernel's unix_diag asks for the inode of a
 * peer under it, too.
 */
static u32 unix_peer_inode(const struct sock *sk)
{
	struct unix_sock *u = unix_of(sk);
	u32 inode = 0;

	if (CTRACE_COMPAT_SPINLOCKS_SLEEP)
		return 0;
	spin_lock(&u->lock);
	if (u->peer)
		inode = (u32)sock_i_ino(u->peer);
	spin_unlock(&u->lock);
	return inode;
}

/*
 * A unix socket gets its address once, and keeps it until the sock is freed. The kernel publishes it by a
 * release since 5.0, and in the stable kernels of then. Without that, a CPU other than x86 could in theory
 * show bytes that were in the address's memory before. Its length is bounded all the same. The name ends at
 * its first NUL, as strace ends it.
 */
static void put_unix(struct text *t, const struct inode *inode, const struct sock *sk)
{
	/* partner: the kernel's release, in bind() and accept() */
	const struct unix_address *a = smp_load_acquire(&unix_of(sk)->addr);
	u32 peer = unix_peer_inode(sk);
	int len, abstract;

	put(t, "[%llu", (unsigned long long)inode->i_ino);
	if (peer)
		put(t, "->%u", peer);
	len = a ? clamp_t(int, READ_ONCE(a->len) - (int)offsetof(struct sockaddr_un, sun_path), 0, UNIX_PATH_MAX) : 0;
	if (len) {
		abstract = !a->name->sun_path[0];
		put(t, ",%s\"%.*s\"", abstract ? "@" : "", len - abstract, a->name->sun_path + abstract);
	}
	put(t, "]");
}
#else
static void put_unix(struct text *t, const struct inode *inode, const struct sock *sk)
{
	put(t, "[%llu]", (unsigned long long)inode->i_ino);
}
#endif

/* A socket with a port has an address to show. */
static bool put_netlink(struct text *t, struct socket *sock, const struct sock *sk)
{
	static const char * const names[] = {
		"ROUTE", "UNUSED", "USERSOCK", "FIREWALL", "SOCK_DIAG", "NFLOG", "XFRM", "SELINUX", "ISCSI", "AUDIT",
		"FIB_LOOKUP", "CONNECTOR", "NETFILTER", "IP6_FW", "DNRTMSG", "KOBJECT_UEVENT", "GENERIC", NULL,
		"SCSITRANSPORT", "ECRYPTFS", "RDMA", "CRYPTO", "SMC",
	};
	u32 proto = sk->sk_protocol, port = ctrace_compat_netlink_port(sock);

	if (!port)
		return false;
	if (proto < ARRAY_SIZE(names) && names[proto])
		put(t, "[%s:%u]", names[proto], port);
	else
		put(t, "[%u]", proto);
	return true;
}

/*
 * file is a socket's, in sockfs. Its dentry's name is its protocol's, which is what strace goes by: it was
 * copied from a constant when the file was made, and never changes.
 */
static u32 name_socket(const struct file *file, const struct path *root, char *to, u32 max)
{
	struct inode *inode = file->f_inode;
	struct socket *sock = SOCKET_I(inode);
	const char *proto = (const char *)file->f_path.dentry->d_name.name;
	const struct sock *sk = READ_ONCE(sock->sk);
	struct text t = { .to = to, .max = max };
	bool whole = false;

	if (!sk || !*proto)
		return put_file(&file->f_path, root, to, max);
	switch (sk->sk_family) {
	case AF_INET:
	case AF_INET6:
		put(&t, "%.32s:", proto);
		if (has_addresses(proto))
			whole = sk->sk_family == AF_INET ? put_inet(&t, sk) : put_inet6(&t, sk);
		break;
	case AF_UNIX:
		put(&t, "%.32s:", proto);
		put_unix(&t, inode, sk);
		whole = true;
		break;
	case AF_NETLINK:
		put(&t, "%.32s:", proto);
		whole = put_netlink(&t, sock, sk);
		break;
	default:
		return put_file(&file->f_path, root, to, max);
	}
	if (!whole)
		put(&t, "[%llu]", (unsigned long long)inode->i_ino);
	return t.n + 1;
}

/* --- processes ------------------------------------------------------------- */

/*
 * As the kernel's pidfd_show_fdinfo() has it, for a /proc of p's pid namespace. RCU keeps that namespace: a
 * task that has ended has none. Whether the process has ended is read without a lock there, too.
 */
static u32 put_pidfd(struct pid *pid, struct task_struct *p, char *to, u32 max)
{
	struct text t = { .to = to, .max = max };
	struct pid_namespace *ns;
	pid_t nr = -1;

	rcu_read_lock();
	ns = task_active_pid_ns(p);
	if (!hlist_empty(&pid->tasks[PIDTYPE_PID]))
		nr = ns ? pid_nr_ns(pid, ns) : 0;
	rcu_read_unlock();
	put(&t, "pid:%d", nr);
	return t.n + 1;
}

/* --- what others call ----------------------------------------------------- */

/* p: who has it open. */
static u32 put_any(const struct file *file, struct task_struct *p, const struct path *root, char *to, u32 max)
{
	const struct inode *inode = file->f_inode;
	struct pid *pid = ctrace_compat_pidfd(file);

	if (pid)
		return put_pidfd(pid, p, to, max);
	if (S_ISSOCK(inode->i_mode) && inode->i_sb->s_magic == SOCKFS_MAGIC)
		return name_socket(file, root, to, max);
	return put_file(&file->f_path, root, to, max);
}

u32 ctrace_fd_name(int fd, char *to, u32 max)
{
	struct file *file;
	u32 n;

	/* a dying task has neither */
	if (fd < 0 || !current->files || !current->fs)
		return none(to);
	file = fget_raw(fd);
	if (!file)
		return none(to);
	n = put_any(file, current, NULL, to, max);
	fput(file);
	return n;
}

bool ctrace_fd_is_file(int fd)
{
	struct file *file = fd >= 0 && current->files ? fget_raw(fd) : NULL;
	umode_t mode;

	if (!file)
		return false;
	mode = file_inode(file)->i_mode;
	fput(file);
	return S_ISREG(mode) || S_ISDIR(mode);
}

u32 ctrace_file_name(const struct file *file, struct task_struct *p, const struct path *root, char *to,
		     u32 max)
{
	return put_any(file, p, root, to, max);
}

u32 ctrace_cwd_name(char *to, u32 max)
{
	if (!current->fs || !ctrace_compat_may_path())
		return none(to);
	return keep(to, max, ctrace_compat_cwd_path(to, max));
}

u32 ctrace_exe_name(char *to, u32 max)
{
	struct file *file;
	u32 n;

	if (!current->fs || !ctrace_compat_may_path())
		return none(to);
	file = ctrace_compat_exe_get();
	if (!file)
		return none(to);
	n = put_file(&file->f_path, NULL, to, max);
	fput(file);
	return n;
}

u32 ctrace_mapped_name(const struct file *file, const struct path *root, char *to, u32 max)
{
	return root || current->fs ? put_file(ctrace_compat_user_path(file), root, to, max) : none(to);
}
