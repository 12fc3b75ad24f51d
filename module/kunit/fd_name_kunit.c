// SPDX-License-Identifier: GPL-2.0-only
/*
 * Descriptors as texts: sockets without an address, an anonymous file, one that is not open; and that a text
 * keeps to its buffer, whatever its size.
 */
#include <kunit/test.h>
#include <linux/anon_inodes.h>
#include <linux/fdtable.h>
#include <linux/module.h>
#include <linux/slab.h>
#include "event/fd_name.c"

#define ROOM	256

static char got[ROOM + 1];

/* the text of fd in a buffer of max, with a byte behind it that must stay */
static u32 name_of(struct kunit *test, int fd, u32 max)
{
	u32 n;

	memset(got, '#', sizeof(got));
	preempt_disable();
	n = ctrace_fd_name(fd, got, max);
	preempt_enable();
	KUNIT_ASSERT_TRUE(test, n >= 1 && n <= max);
	KUNIT_EXPECT_EQ(test, n, (u32)strlen(got) + 1);
	KUNIT_EXPECT_EQ(test, got[max], '#');
	return n;
}

/* a descriptor of a new socket, whose inode's number goes to *inode */
static int socket_fd(struct kunit *test, int family, int type, int protocol, unsigned long *inode)
{
	struct socket *sock;
	struct file *file;
	int fd;

	KUNIT_ASSERT_EQ(test, 0, sock_create(family, type, protocol, &sock));
	file = sock_alloc_file(sock, 0, NULL);
	KUNIT_ASSERT_FALSE(test, IS_ERR(file));
	*inode = file_inode(file)->i_ino;
	fd = get_unused_fd_flags(0);
	KUNIT_ASSERT_GE(test, fd, 0);
	fd_install(fd, file);
	return fd;
}

static void not_open(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, name_of(test, -1, ROOM), 1u);
	KUNIT_EXPECT_EQ(test, name_of(test, 1 << 20, ROOM), 1u);
}

static const struct file_operations nothing = { .owner = THIS_MODULE };

static void anonymous(struct kunit *test)
{
	int fd = anon_inode_getfd("[ctrace_kunit]", &nothing, NULL, 0);
	u32 max;

	KUNIT_ASSERT_GE(test, fd, 0);
	name_of(test, fd, ROOM);
	KUNIT_EXPECT_STREQ(test, got, "anon_inode:[ctrace_kunit]");
	for (max = 1; max < ROOM; max++)
		name_of(test, fd, max);
	close_fd(fd);
}

/* The kernel's name makes it a pidfd; its process is this one. */
static void of_process(struct kunit *test)
{
	int fd = anon_inode_getfd("[pidfd]", &nothing, task_pid(current), 0);
	char want[32];
	u32 max;

	KUNIT_ASSERT_GE(test, fd, 0);
	snprintf(want, sizeof(want), "pid:%d", current->pid);
	name_of(test, fd, ROOM);
	KUNIT_EXPECT_STREQ(test, got, want);
	for (max = 1; max < ROOM; max++)
		name_of(test, fd, max);
	close_fd(fd);
}

static void sockets(struct kunit *test)
{
	static const struct {
		int family, type;
		const char *proto;
	} cases[] = {
		{ AF_INET, SOCK_STREAM, "TCP" },
		{ AF_INET, SOCK_DGRAM, "UDP" },
		{ AF_UNIX, SOCK_STREAM, "UNIX-STREAM" },
		{ AF_NETLINK, SOCK_RAW, "NETLINK" },
	};
	unsigned long inode;
	char want[64];
	unsigned int i;
	u32 max;
	int fd;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		fd = socket_fd(test, cases[i].family, cases[i].type, 0, &inode);
		snprintf(want, sizeof(want), "%s:[%lu]", cases[i].proto, inode);
		name_of(test, fd, ROOM);
		KUNIT_EXPECT_STREQ(test, got, want);
		for (max = 1; max < ROOM; max++) {
			name_of(test, fd, max);
			KUNIT_EXPECT_EQ(test, 0, strncmp(got, want, strlen(got)));
		}
		close_fd(fd);
	}
}

/* a port of its own choice; nothing is sent */
static void addresses(struct kunit *test)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(9),
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	struct socket *sock;
	struct file *file;
	unsigned long inode;
	char want[64];
	int fd = socket_fd(test, AF_INET, SOCK_DGRAM, 0, &inode), err;
	u16 port;

	file = fget(fd);
	KUNIT_ASSERT_NOT_NULL(test, file);
	sock = SOCKET_I(file_inode(file));
	err = kernel_connect(sock, (void *)&to, sizeof(to), 0);
	port = inet_sk(sock->sk)->inet_num;
	name_of(test, fd, ROOM);
	fput(file);
	close_fd(fd);
	if (err)
		kunit_skip(test, "no way to 127.0.0.1");
	snprintf(want, sizeof(want), "UDP:[127.0.0.1:%u->127.0.0.1:9]", port);
	KUNIT_EXPECT_STREQ(test, got, want);
}

static void too_long(struct kunit *test)
{
	struct qstr name = QSTR_INIT("0123456789", 10);
	struct dentry *d = kunit_kzalloc(test, sizeof(*d), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, d);
	spin_lock_init(&d->d_lock);
	*(struct qstr *)&d->d_name = name;
	KUNIT_EXPECT_EQ(test, put_last_part(d, got, 64), 15u);
	KUNIT_EXPECT_STREQ(test, got, ".../0123456789");
	KUNIT_EXPECT_EQ(test, put_last_part(d, got, 15), 15u);
	KUNIT_EXPECT_STREQ(test, got, ".../0123456789");
	KUNIT_EXPECT_EQ(test, put_last_part(d, got, 14), 14u);
	KUNIT_EXPECT_STREQ(test, got, "...0123456789");
	KUNIT_EXPECT_EQ(test, put_last_part(d, got, 8), 8u);
	KUNIT_EXPECT_STREQ(test, got, "...6789");
	KUNIT_EXPECT_EQ(test, put_last_part(d, got, 4), 4u);
	KUNIT_EXPECT_STREQ(test, got, "...");
	KUNIT_EXPECT_EQ(test, put_last_part(d, got, 1), 1u);
	KUNIT_EXPECT_STREQ(test, got, "");
}

static struct kunit_case cases[] = {
	KUNIT_CASE(not_open),
	KUNIT_CASE(anonymous),
	KUNIT_CASE(of_process),
	KUNIT_CASE(sockets),
	KUNIT_CASE(addresses),
	KUNIT_CASE(too_long),
	{}
};

static struct kunit_suite suite = {
	.name = "ctrace_fd_name",
	.test_cases = cases,
};
kunit_test_suite(suite);

MODULE_DESCRIPTION("ctrace: tests of what descriptors are");
MODULE_LICENSE("GPL");
