/* SPDX-License-Identifier: GPL-2.0-only */
/* Calls with memory, and strace's line for each. memory_test.c says that it is so. */
#ifndef CTRACE_SELFTEST_MEMORY_CALLS_H
#define CTRACE_SELFTEST_MEMORY_CALLS_H

#include <fcntl.h>
#include <netinet/in.h>
#include <linux/filter.h>
#include <linux/futex.h>
#include <linux/netlink.h>
#include <linux/quota.h>
#include <linux/seccomp.h>
#include <linux/vm_sockets.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/times.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <utime.h>

#define NARGS	6

/* --- the memory ---------------------------------------------------------------- */

static const struct sockaddr_in in4 = { AF_INET, 0x5000, { 0x04030201 }, { 0 } };
static const struct sockaddr_in6 in6 = { AF_INET6, 0x5000, 0x05000000, IN6ADDR_LOOPBACK_INIT, 3 };
static const struct sockaddr_un un = { AF_UNIX, "/x/y" }, abstract = { AF_UNIX, "\0abc\0d" };
static const struct sockaddr_un un_long = {
	AF_UNIX, "pppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppp"
	"pppppppppppppppppppppppppppp"
};
static const struct sockaddr_nl nl = { AF_NETLINK, 0, 5, 0x10 };
static const struct sockaddr_vm vm = { .svm_family = AF_VSOCK, .svm_port = 5, .svm_cid = 2 };
static const struct sockaddr_vm vm_any = { .svm_family = AF_VSOCK, .svm_port = 5, .svm_cid = VMADDR_CID_ANY };
static const struct sockaddr_vm vm_7 = { .svm_family = AF_VSOCK, .svm_port = 5, .svm_cid = 7 };
static const struct sockaddr unspec = { AF_UNSPEC, "abcdef" }, unknown = { 200, "abcdef" };
static const int one = 1, sixteen = 16, two_fds[2] = { 3, 4 };
static const struct linger linger = { 1, 5 };
static const uint32_t map_create[] = { 1, 4, 8, 256, 1 };
static const uint64_t map_update[] = { 3, 0x1000, 0x2000, 1 }, info_by_fd[] = { 80ull << 32 | 3, 0x1000 };
static const uint32_t next_id[] = { 7, 0 };
static const uint64_t perf_cycles[14] = { 112ull << 32, 1, 0, 0, 3, 1 | 1 << 1 | 1 << 12 | 1 << 20 };
static const uint64_t perf_cache[14] = { 112ull << 32 | 3, 2 | 1 << 8 | 1 << 16, 99, 1 | 1 << 5, 0, 1 << 10 | 2 << 15 };
static const long mq[8] = { O_NONBLOCK, 10, 8192, 1 };
static const uint64_t event[4] = { 0x1000, SIGALRM };
static const uint16_t sems[6] = { 1, (uint16_t)-1, 014000, 2, 3, 0 };
static const uint64_t sched[6] = { 3ull << 32 | 48, 1, (uint32_t)-5, 1, 2, 3 };
static const uint64_t io_done[4] = { 7, 0x2000, (uint64_t)-4, 0 };
static const struct ifreq if_index = { .ifr_name = "lo", .ifr_ifindex = 7 };
static const struct ifreq if_flags = { .ifr_name = "lo", .ifr_flags = IFF_UP | IFF_RUNNING };
static const struct sock_fprog program = { 3, (void *)0x1000 };
static const struct if_dqblk dqblk = { .dqb_bhardlimit = 7, .dqb_curinodes = 9, .dqb_btime = 5 };
static const struct if_dqinfo dqinfo = { 1, 2, DQF_ROOT_SQUASH, IIF_BGRACE };
static const void *const pointer = (void *)0x1000;
static const char mount_data[] = "size=1k";
static const uint32_t trap = SECCOMP_RET_TRAP;
static const int modem = TIOCM_DTR | TIOCM_RTS, hup = SIGHUP;
static const struct ucred ucred = { 7, 0, (gid_t)-1 };
static const char odd[] = "a\0" "1\n\33\3779\\\"<x>\1" "8\t\v\f\r\200" "7";
static const struct iovec pieces[3] = { { "abc", 3 }, { "", 0 }, { "0123456789", 10 } };
static char room[3][100] = { "abcde", "0123" };
static const struct iovec rooms[3] = { { room[0], 5 }, { room[1], 100 }, { room[2], 7 } };
static const struct iovec remote[2] = { { (void *)0x1000, 3 }, { NULL, 4 } };
static const struct msghdr msg = { (void *)&in4, sizeof(in4), (void *)pieces, 3, NULL, 0, MSG_EOR };
static const struct msghdr msg_bare = { NULL, 0, (void *)rooms, 3, NULL, 0, 0 };
static const struct timespec ts = { 1, 2 }, long_ago = { -5, 0 }, no_time = { -1, -1 };
static const struct timeval tv = { 3, 4 };
static const struct timezone tz = { -60, 1 };
static const struct timespec utimes_now[2] = { { 1, 2 }, { 0, UTIME_NOW } };
static const struct timespec utimes_omit[2] = { { 0, UTIME_OMIT }, { 0, 0 } };
static const struct timespec utimes_whole[2] = { { 5, 0 }, { 0, 5 } };
static const struct timeval utimevals[2] = { { 1, 2 }, { 3, 4 } };
static const struct utimbuf utimbuf = { 1, 2 };
static const struct itimerval itimerval = { { 0, 0 }, { 100, 5 } };
static const struct itimerspec itimerspec = { { 1, 2 }, { 3, 4 } };
static const struct tms tms = { 5, 0, 123, 1 };
static const struct stat st_file = { .st_mode = S_IFREG | 0644, .st_size = 1234 };
static const struct stat st_tty = { .st_mode = S_IFCHR | 04620, .st_rdev = 0x8801 };
static const struct stat st_disk = { .st_mode = S_IFBLK | 0660, .st_rdev = 0x801 };
static const struct stat st_link = { .st_mode = S_IFLNK | 0777, .st_size = 7 };
static const struct statx statx_dir = {
	.stx_mask = STATX_BASIC_STATS | 0x1000, .stx_attributes = 0x1000, .stx_mode = S_IFDIR | 0755, .stx_size = 4096,
};
static const struct statfs statfs_proc = {
	.f_type = 0x9fa0, .f_bsize = 4096, .f_blocks = 1, .f_fsid = { { 0x15, 0 } }, .f_namelen = 255, .f_frsize = 4096,
	.f_flags = 0x1020,
};
static const struct statfs statfs_ext = { .f_type = 0xef53, .f_flags = 0x21 }, statfs_what = { .f_type = 0x1234567 };
static const uint64_t how[3] = { 0, 0, 1 }, how_new[3] = { O_CREAT | O_RDWR, 0644, 0 };
static const struct flock lock = { F_WRLCK, SEEK_SET, 1, 2, 0 }, locked = { F_UNLCK, SEEK_END, 1, 2, 5 };
static const struct f_owner_ex owner = { F_OWNER_PID, 1 };
static const struct pollfd polls[3] = { { 3, POLLIN | POLLPRI, POLLIN }, { 4, POLLOUT, 0 }, { -1, POLLIN, 0 } };
static const struct epoll_event epolls[2] = {
	{ EPOLLIN | EPOLLET, { .u64 = 0x1234567890 } }, { EPOLLHUP, { .u64 = 5 } },
};
static const uint64_t int_term = 1 << 14 | 1 << 1 | 1, rt = 1ull << 31 | 1ull << 33, all = ~0ull, most = ~(3ull << 31);
static const uint64_t none;
static const struct {
	uint64_t handler, flags, restorer, mask;
} action = { 0x1234, 0x14000000, 0x5678, 1 << 1 | 1 << 14 }, ignore = { 1, 0, 0, 0 }, dfl = { 0, 4, 0, 0 };
static const stack_t stack = { (void *)0x1000, SS_DISABLE, 8192 };
static const uint64_t clone_vm[11] = { CLONE_VM, 0, 0, 0, SIGCHLD, 0x1000, 16 };
static const uint64_t clone_all[11] = { 0x300000000 | CLONE_CHILD_SETTID | CLONE_SETTLS,
	1, 2, 3, 0, 0, 0, 0x77, 0x10, 1, 99 };
static const struct rlimit rlimit = { 8192 * 1024, RLIM_INFINITY }, rlimit_odd = { 1024, 20001 };
static const struct rusage rusage = { .ru_utime = { 0, 5 }, .ru_stime = { 1, 2 } };
static const struct utsname uts = { "Linux", "vm\"", "6", "1", "x", "y" };
static const struct sysinfo sysinfo_ = { .uptime = 5, .loads = { 1, 2, 3 }, .totalram = 4, .procs = 7, .mem_unit = 1 };
static const struct winsize winsize = { 24, 80, 0, 1 };
static const uint32_t termios[15] = { 02400, 5, 0277, 0105073 };
static const uint32_t cap_header[2] = { 0x20080522, 5 };
static const int exited = 0x300, killed = 9, dumped = 0x8b, stopped = 0x137f, continued = 0xffff, traced = 0x3057f;
static const siginfo_t chld = {
	.si_signo = SIGCHLD, .si_code = CLD_EXITED, ._sifields._sigchld = { 7, 8, 3, 0, 0 }
};
static const siginfo_t chld_killed = {
	.si_signo = SIGCHLD, .si_code = CLD_KILLED, ._sifields._sigchld = { 7, 0, 9, 0, 0 }
};
static const siginfo_t user = { .si_signo = SIGUSR1, .si_code = SI_USER, .si_pid = 7, .si_uid = 8 }, no_info;
static const uint64_t fds[2] = { 0x19, 1 };
static const uint64_t sigset_p[2] = { 0, 8 };
static const int64_t offset = -5;
static const uint32_t ids[3] = { 0, 5, (uint32_t)-1 };

/* --- the calls ----------------------------------------------------------------- */

static const struct call_case {
	const char *name;
	uint64_t args[NARGS];
	struct { const void *s; size_t n; } mem[NARGS];
	int64_t ret;
	const char *want;
} cases_of_calls[] = {
#define M(x)	{ &(x), sizeof(x) }
	{ "connect", { 3, 0, 16 }, { [1] = M(in4) }, 0,
	  "connect(3, {sa_family=AF_INET, sin_port=htons(80), sin_addr=inet_addr(\"1.2.3.4\")}, 16) = 0" },
	{ "connect", { 3, 0, 4 }, { [1] = { &in4, 4 } }, 0, "connect(3, {sa_family=AF_INET, sa_data=\"\\0P\"}, 4) = "
	  "0" },
	{ "bind", { 3, 0, 28 }, { [1] = M(in6) }, 0, "bind(3, {sa_family=AF_INET6, sin6_port=htons(80), "
	  "sin6_flowinfo=htonl(5), "
	  "inet_pton(AF_INET6, \"::1\", &sin6_addr), sin6_scope_id=3}, 28) = 0" },
	{ "bind", { 3, 0, 24 }, { [1] = { &in6, 24 } }, 0, "bind(3, {sa_family=AF_INET6, sin6_port=htons(80), "
	  "sin6_flowinfo=htonl(5), inet_pton(AF_INET6, \"::1\", &sin6_addr)}, 24) = 0" },
	{ "connect", { 3, 0, 110 }, { [1] = M(un) }, 0, "connect(3, {sa_family=AF_UNIX, sun_path=\"/x/y\"}, 110) = 0" },
	{ "connect", { 3, 0, 6 }, { [1] = { &un, 6 } }, 0, "connect(3, {sa_family=AF_UNIX, sun_path=\"/x/y\"}, 6) = "
	  "0" },
	{ "connect", { 3, 0, 2 }, { [1] = { &un, 2 } }, 0, "connect(3, {sa_family=AF_UNIX}, 2) = 0" },
	{ "connect", { 3, 0, 3 }, { [1] = { &abstract, 3 } }, 0, "connect(3, {sa_family=AF_UNIX, sun_path=@\"\"}, 3) "
	  "= 0" },
	{ "connect", { 3, 0, 8 }, { [1] = { &abstract, 8 } }, 0,
	  "connect(3, {sa_family=AF_UNIX, sun_path=@\"abc\\0d\"}, 8) = 0" },
	{ "connect", { 3, 0, 110 }, { [1] = M(un_long) }, 0, "connect(3, {sa_family=AF_UNIX, "
	  "sun_path=\"pppppppppppppppppppppp"
	  "pppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppp\"}, 110) = 0" },
	{ "connect", { 3, 0, 12 }, { [1] = M(nl) }, 0,
	  "connect(3, {sa_family=AF_NETLINK, nl_pid=5, nl_groups=0x000010}, 12) = 0" },
	{ "connect", { 3, 0, 16 }, { [1] = M(vm) }, 0,
	  "connect(3, {sa_family=AF_VSOCK, svm_cid=VMADDR_CID_HOST, svm_port=0x5, svm_flags=0}, 16) = 0" },
	{ "connect", { 3, 0, 16 }, { [1] = M(vm_any) }, 0,
	  "connect(3, {sa_family=AF_VSOCK, svm_cid=VMADDR_CID_ANY, svm_port=0x5, svm_flags=0}, 16) = 0" },
	{ "connect", { 3, 0, 16 }, { [1] = M(vm_7) }, 0,
	  "connect(3, {sa_family=AF_VSOCK, svm_cid=0x7, svm_port=0x5, svm_flags=0}, 16) = 0" },
	{ "connect", { 3, 0, 16 }, { [1] = M(unspec) }, 0,
	  "connect(3, {sa_family=AF_UNSPEC, sa_data=\"abcdef\\0\\0\\0\\0\\0\\0\\0\\0\"}, 16) = 0" },
	{ "connect", { 3, 0, 16 }, { [1] = M(unknown) }, 0,
	  "connect(3, {sa_family=0xc8 /* AF_??? */, sa_data=\"abcdef\\0\\0\\0\\0\\0\\0\\0\\0\"}, 16) = 0" },
	{ "accept", { 3 }, { [1] = M(in4), [2] = M(sixteen) }, 4, "accept(3, {sa_family=AF_INET, sin_port=htons(80), "
	  "sin_addr=inet_addr(\"1.2.3.4\")}, [16]) = 4" },
	{ "setsockopt", { 3, SOL_SOCKET, SO_REUSEADDR, 0, 4 }, { [3] = M(one) }, 0,
	  "setsockopt(3, SOL_SOCKET, SO_REUSEADDR, [1], 4) = 0" },
	{ "setsockopt", { 3, SOL_SOCKET, SO_LINGER, 0, 8 }, { [3] = M(linger) }, 0,
	  "setsockopt(3, SOL_SOCKET, SO_LINGER, {l_onoff=1, l_linger=5}, 8) = 0" },
	{ "setsockopt", { 3, IPPROTO_TCP, 13, 0, 5 }, { [3] = { "cubic", 5 } }, 0,
	  "setsockopt(3, SOL_TCP, TCP_CONGESTION, \"cubic\", 5) = 0" },
	{ "setsockopt", { 3, 999, 1, 0, 4 }, { [3] = M(one) }, 0, "setsockopt(3, 0x3e7 /* SOL_?? */, 1, [1], 4) = 0" },
	{ "getsockopt", { 3, SOL_SOCKET, SO_PEERCRED }, { [3] = M(ucred), [4] = { (const int []){ 12 }, 4 } }, 0,
	  "getsockopt(3, SOL_SOCKET, SO_PEERCRED, {pid=7, uid=0, gid=-1}, [12]) = 0" },
	{ "getsockopt", { 3, SOL_SOCKET, SO_TYPE }, { [3] = M(one), [4] = { (const int []){ 4 }, 4 } }, 0,
	  "getsockopt(3, SOL_SOCKET, SO_TYPE, [1], [4]) = 0" },
	{ "socketpair", { AF_UNIX, SOCK_STREAM, 0 }, { [3] = M(two_fds) }, 0,
	  "socketpair(AF_UNIX, SOCK_STREAM, 0, [3, 4]) = 0" },
	{ "pipe2", { 0, O_CLOEXEC }, { M(two_fds) }, 0, "pipe2([3, 4], O_CLOEXEC) = 0" },
	/* buffers */
	{ "write", { 1, 0, 20 }, { [1] = { odd, 20 } }, 20,
	  "write(1, \"a\\0001\\n\\33\\3779\\\\\\\"<x>\\18\\t\\v\\f\\r\\2007\", 20) = 20" },
	{ "write", { 1, 0, 0 }, { [1] = { "x", 0 } }, 0, "write(1, \"\", 0) = 0" },
	{ "read", { 0, 0, 100 }, { [1] = { "hello", 5 } }, 5, "read(0, \"hello\", 100) = 5" },
	{ "read", { 0, 0, 100 }, { [1] = { "hello", 0 } }, 0, "read(0, \"\", 100) = 0" },
	{ "pread64", { 0, 0, 100, 7 }, { [1] = { "hello", 5 } }, 5, "pread64(0, \"hello\", 100, 7) = 5" },
	{ "sendto", { 3, 0, 5, MSG_NOSIGNAL, 0, 16 }, { [1] = { "hello", 5 }, [4] = M(in4) }, 5, "sendto(3,"
	  " \"hello\", 5, "
	  "MSG_NOSIGNAL, {sa_family=AF_INET, sin_port=htons(80), sin_addr=inet_addr(\"1.2.3.4\")}, 16) = 5" },
	{ "recvfrom", { 3, 0, 50, 0, 0, 0 }, { [1] = { "hello", 5 }, [4] = M(in4), [5] = M(sixteen) },
	  5, "recvfrom(3, \"hello\", "
	  "50, 0, {sa_family=AF_INET, sin_port=htons(80), sin_addr=inet_addr(\"1.2.3.4\")}, [16]) = 5" },
	{ "getrandom", { 0, 3, 0 }, { { "\1a\377", 3 } }, 3, "getrandom(\"\\x01\\x61\\xff\", 3, 0) = 3" },
	{ "readlink", { 0, 0, 9 }, { [1] = { "/x\n", 3 } }, 3, "readlink(NULL, \"/x\\n\", 9) = 3" },
	{ "getcwd", { 0, 100 }, { { "/tmp", 5 } }, 5, "getcwd(\"/tmp\", 100) = 5" },
	{ "fsetxattr", { 3, 0, 0, 5, 0 }, { [2] = { "he\0lo", 5 } }, 0, "fsetxattr(3, NULL, \"he\\0lo\", 5, 0) = 0" },
	/* vectors */
	{ "writev", { 1, 0, 3 }, { [1] = M(pieces) }, 13, "writev(1, [{iov_base=\"abc\", iov_len=3}, {iov_base=\"\", "
	  "iov_len=0}, "
	  "{iov_base=\"0123456789\", iov_len=10}], 3) = 13" },
	{ "readv", { 1, 0, 3 }, { [1] = M(rooms) }, 9, "readv(1, [{iov_base=\"abcde\", iov_len=5}, {iov_base=\"0123\", "
	  "iov_len=100}, {iov_base=\"\", iov_len=7}], 3) = 9" },
	{ "pwritev", { 1, 0, 1, 5 }, { [1] = { pieces, 16 } }, 3, "pwritev(1, [{iov_base=\"abc\", iov_len=3}], 1, 5) "
	  "= 3" },
	{ "process_vm_readv", { 7, 0, 1, 0, 2, 0 }, { [1] = { pieces, 16 }, [3] = M(remote) }, 3, "process_vm_readv(7, "
	  "[{iov_base=\"abc\", iov_len=3}], 1, [{iov_base=0x1000, iov_len=3}, {iov_base=NULL, iov_len=4}], 2, 0) = 3" },
	{ "sendmsg", { 3, 0, 0 }, { [1] = M(msg) }, 13, "sendmsg(3, {msg_name={sa_family=AF_INET, sin_port=htons(80), "
	  "sin_addr=inet_addr(\"1.2.3.4\")}, msg_namelen=16, msg_iov=[{iov_base=\"abc\", iov_len=3}, {iov_base=\"\", "
	  "iov_len=0}, "
	  "{iov_base=\"0123456789\", iov_len=10}], msg_iovlen=3, msg_controllen=0, msg_flags=MSG_EOR}, 0) = 13" },
	{ "recvmsg", { 3, 0, MSG_DONTWAIT }, { [1] = M(msg_bare) }, 9, "recvmsg(3, {msg_name=NULL, msg_namelen=0, "
	  "msg_iov=["
	  "{iov_base=\"abcde\", iov_len=5}, {iov_base=\"0123\", iov_len=100}, {iov_base=\"\", iov_len=7}], "
	  "msg_iovlen=3, "
	  "msg_controllen=0, msg_flags=0}, MSG_DONTWAIT) = 9" },
	/* poll and its like */
	{ "poll", { 0, 3, 100 }, { M(polls) }, 1, "poll([{fd=3, events=POLLIN|POLLPRI}, {fd=4, events=POLLOUT}, "
	  "{fd=-1}], 3, "
	  "100) = 1 ([{fd=3, revents=POLLIN}])" },
	{ "poll", { 0, 2, 100 }, { { polls, 16 } }, 0,
	  "poll([{fd=3, events=POLLIN|POLLPRI}, {fd=4, events=POLLOUT}], 2, 100) = 0 (Timeout)" },
	{ "poll", { 0, 0, 0 }, { { polls, 0 } }, 0, "poll([], 0, 0) = 0 (Timeout)" },
	{ "poll", { 0, 0, 0 }, { { NULL, 0 } }, 0, "poll(NULL, 0, 0) = 0 (Timeout)" },
	{ "ppoll", { 0, 1, 0, 0, 8 }, { { polls, 8 }, [2] = M(ts), [3] = M(int_term) }, 0, "ppoll([{fd=3, "
	  "events=POLLIN|POLLPRI}], "
	  "1, {tv_sec=1, tv_nsec=2}, [HUP INT TERM], 8) = 0 (Timeout)" },
	{ "epoll_ctl", { 5, EPOLL_CTL_ADD, 3, 0 }, { [3] = { epolls, sizeof(epolls[0]) } }, 0, "epoll_ctl(5, "
	  "EPOLL_CTL_ADD, 3, "
	  "{events=EPOLLIN|EPOLLET, data={u32=878082192, u64=78187493520}}) = 0" },
	{ "epoll_wait", { 5, 0, 9, -1 }, { [1] = M(epolls) }, 2, "epoll_wait(5, [{events=EPOLLIN|EPOLLET, "
	  "data={u32=878082192, "
	  "u64=78187493520}}, {events=EPOLLHUP, data={u32=5, u64=5}}], 9, -1) = 2" },
	{ "epoll_wait", { 5, 0, 9, 0 }, { [1] = { epolls, 0 } }, 0, "epoll_wait(5, [], 9, 0) = 0" },
	{ "epoll_pwait", { 5, 0, 9, 0, 0, 8 }, { [1] = { epolls, sizeof(epolls[0]) }, [4] = M(none) },
	  1, "epoll_pwait(5, "
	  "[{events=EPOLLIN|EPOLLET, data={u32=878082192, u64=78187493520}}], 9, 0, [], 8) = 1" },
	{ "select", { 65 }, { [1] = M(fds), [2] = M(fds), [4] = M(tv) }, 0,
	  "select(65, [0 3 4 64], [0 3 4 64], NULL, {tv_sec=3, tv_usec=4}) = 0 (Timeout)" },
	{ "pselect6", { 5 }, { [3] = M(fds), [4] = M(ts), [5] = M(sigset_p) }, 0,
	  "pselect6(5, NULL, NULL, [0 3 4], {tv_sec=1, tv_nsec=2}, {sigmask=NULL, sigsetsize=8}) = 0 (Timeout)" },
	/* times */
	{ "nanosleep", { 0 }, { M(ts) }, 0, "nanosleep({tv_sec=1, tv_nsec=2}, NULL) = 0" },
	{ "nanosleep", { 0 }, { M(long_ago) }, 0, "nanosleep({tv_sec=-5, tv_nsec=0}, NULL) = 0" },
	{ "nanosleep", { 0 }, { M(no_time) }, 0, "nanosleep({tv_sec=-1, tv_nsec=18446744073709551615}, NULL) = 0" },
	{ "clock_nanosleep", { 0, 1 }, { [2] = M(ts) }, 0,
	  "clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, {tv_sec=1, tv_nsec=2}, NULL) = 0" },
	{ "clock_gettime", { 1 }, { [1] = M(ts) }, 0, "clock_gettime(CLOCK_MONOTONIC, {tv_sec=1, tv_nsec=2}) = 0" },
	{ "gettimeofday", { 0 }, { M(tv), M(tz) }, 0,
	  "gettimeofday({tv_sec=3, tv_usec=4}, {tz_minuteswest=-60, tz_dsttime=1}) = 0" },
	{ "futex", { 0x1000, FUTEX_WAIT_PRIVATE, 2 }, { [3] = M(ts) }, 0,
	  "futex(0x1000, FUTEX_WAIT_PRIVATE, 2, {tv_sec=1, tv_nsec=2}) = 0" },
	{ "utimensat", { AT_FDCWD }, { [2] = M(utimes_now) }, 0, "utimensat(AT_FDCWD, NULL, [{tv_sec=1, tv_nsec=2} "
	  "/* 1970-01-01T00:00:01.000000002+0000 */, UTIME_NOW], 0) = 0" },
	{ "utimensat", { AT_FDCWD }, { [2] = M(utimes_omit) }, 0,
	  "utimensat(AT_FDCWD, NULL, [UTIME_OMIT, {tv_sec=0, tv_nsec=0}], 0) = 0" },
	{ "utimensat", { AT_FDCWD }, { [2] = M(utimes_whole) }, 0, "utimensat(AT_FDCWD, NULL, [{tv_sec=5, tv_nsec=0} "
	  "/* 1970-01-01T00:00:05+0000 */, {tv_sec=0, tv_nsec=5} /* 1970-01-01T00:00:00.000000005+0000 */], 0) = 0" },
	{ "utimes", { 0 }, { [1] = M(utimevals) }, 0, "utimes(NULL, [{tv_sec=1, tv_usec=2} /* "
	  "1970-01-01T00:00:01.000002+0000 */, "
	  "{tv_sec=3, tv_usec=4} /* 1970-01-01T00:00:03.000004+0000 */]) = 0" },
	{ "utime", { 0 }, { [1] = M(utimbuf) }, 0, "utime(NULL, {actime=1 /* 1970-01-01T00:00:01+0000 */, "
	  "modtime=2 /* 1970-01-01T00:00:02+0000 */}) = 0" },
	{ "setitimer", { ITIMER_REAL }, { [1] = M(itimerval) }, 0, "setitimer(ITIMER_REAL, {it_interval={tv_sec=0, "
	  "tv_usec=0}, "
	  "it_value={tv_sec=100, tv_usec=5}}, NULL) = 0" },
	{ "timerfd_settime", { 4, 1 }, { [2] = M(itimerspec), [3] = M(itimerspec) }, 0, "timerfd_settime(4, "
	  "TFD_TIMER_ABSTIME, "
	  "{it_interval={tv_sec=1, tv_nsec=2}, it_value={tv_sec=3, tv_nsec=4}}, {it_interval={tv_sec=1, tv_nsec=2}, "
	  "it_value={tv_sec=3, tv_nsec=4}}) = 0" },
	{ "times", { 0 }, { M(tms) }, 5, "times({tms_utime=5 /* 0.05 s */, tms_stime=0, tms_cutime=123 /* 1.23 s */, "
	  "tms_cstime=1 /* 0.01 s */}) = 5" },
	/* files */
	{ "fstat", { 3 }, { [1] = M(st_file) }, 0, "fstat(3, {st_mode=S_IFREG|0644, st_size=1234, ...}) = 0" },
	{ "fstat", { 3 }, { [1] = M(st_tty) }, 0,
	  "fstat(3, {st_mode=S_IFCHR|S_ISUID|0620, st_rdev=makedev(0x88, 0x1), ...}) = 0" },
	{ "fstat", { 3 }, { [1] = M(st_disk) }, 0, "fstat(3, {st_mode=S_IFBLK|0660, st_rdev=makedev(0x8, 0x1), ...}) "
	  "= 0" },
	{ "newfstatat", { AT_FDCWD }, { [2] = M(st_link) }, 0,
	  "newfstatat(AT_FDCWD, NULL, {st_mode=S_IFLNK|0777, st_size=7, ...}, 0) = 0" },
	{ "statx", { AT_FDCWD, 0, 0, STATX_BASIC_STATS }, { [4] = M(statx_dir) }, 0, "statx(AT_FDCWD, NULL, "
	  "AT_STATX_SYNC_AS_STAT, "
	  "STATX_BASIC_STATS, {stx_mask=STATX_BASIC_STATS|STATX_MNT_ID, stx_attributes=STATX_ATTR_AUTOMOUNT, "
	  "stx_mode=S_IFDIR|0755, stx_size=4096, ...}) = 0" },
	{ "fstatfs", { 3 }, { [1] = M(statfs_proc) }, 0, "fstatfs(3, {f_type=PROC_SUPER_MAGIC, f_bsize=4096, "
	  "f_blocks=1, f_bfree=0, "
	  "f_bavail=0, f_files=0, f_ffree=0, f_fsid={val=[0x15, 0]}, f_namelen=255, f_frsize=4096, "
	  "f_flags=ST_VALID|ST_RELATIME}) = 0" },
	{ "fstatfs", { 3 }, { [1] = M(statfs_ext) }, 0, "fstatfs(3, {f_type=EXT2_SUPER_MAGIC, f_bsize=0, f_blocks=0, "
	  "f_bfree=0, "
	  "f_bavail=0, f_files=0, f_ffree=0, f_fsid={val=[0, 0]}, f_namelen=0, f_frsize=0, f_flags=ST_VALID|"
	  "ST_RDONLY}) = 0" },
	{ "fstatfs", { 3 }, { [1] = M(statfs_what) }, 0, "fstatfs(3, {f_type=0x1234567, f_bsize=0, f_blocks=0, "
	  "f_bfree=0, "
	  "f_bavail=0, f_files=0, f_ffree=0, f_fsid={val=[0, 0]}, f_namelen=0, f_frsize=0}) = 0" },
	{ "openat2", { AT_FDCWD, 0, 0, 24 }, { [2] = M(how) }, 3,
	  "openat2(AT_FDCWD, NULL, {flags=O_RDONLY, resolve=RESOLVE_NO_XDEV}, 24) = 3" },
	{ "openat2", { AT_FDCWD, 0, 0, 24 }, { [2] = M(how_new) }, 3,
	  "openat2(AT_FDCWD, NULL, {flags=O_RDWR|O_CREAT, mode=0644, resolve=0}, 24) = 3" },
	{ "fcntl", { 3, F_SETLK }, { [2] = M(lock) }, 0,
	  "fcntl(3, F_SETLK, {l_type=F_WRLCK, l_whence=SEEK_SET, l_start=1, l_len=2}) = 0" },
	{ "fcntl", { 3, F_GETLK }, { [2] = M(locked) }, 0,
	  "fcntl(3, F_GETLK, {l_type=F_UNLCK, l_whence=SEEK_END, l_start=1, l_len=2, l_pid=5}) = 0" },
	{ "fcntl", { 3, 15 }, { [2] = M(owner) }, 0, "fcntl(3, F_SETOWN_EX, {type=F_OWNER_PID, pid=1}) = 0" },
	{ "splice", { 3, 0, 4, 0, 9, 0 }, { [1] = M(offset) }, 0, "splice(3, [-5], 4, NULL, 9, 0) = 0" },
	{ "ioctl", { 3, TIOCGWINSZ }, { [2] = M(winsize) }, 0,
	  "ioctl(3, TIOCGWINSZ, {ws_row=24, ws_col=80, ws_xpixel=0, ws_ypixel=1}) = 0" },
	{ "ioctl", { 3, TCGETS }, { [2] = { termios, 36 } }, 0, "ioctl(3, TCGETS, {c_iflag=ICRNL|IXON, c_oflag=NL0|"
	  "CR0|TAB0|BS0|VT0|"
	  "FF0|OPOST|ONLCR, c_cflag=B38400|CS8|CREAD, c_lflag=ISIG|ICANON|ECHO|ECHOE|ECHOK|IEXTEN|ECHOCTL|ECHOKE, "
	  "...}) = 0" },
	{ "ioctl", { 3, FIONREAD }, { [2] = M(one) }, 0, "ioctl(3, FIONREAD, [1]) = 0" },
	/* signals */
	{ "rt_sigaction", { SIGUSR1, 0, 0, 8 }, { [1] = M(action), [2] = M(ignore) }, 0, "rt_sigaction(SIGUSR1, "
	  "{sa_handler=0x1234, "
	  "sa_mask=[INT TERM], sa_flags=SA_RESTORER|SA_RESTART, sa_restorer=0x5678}, {sa_handler=SIG_IGN, sa_mask=[], "
	  "sa_flags=0}, 8) = 0" },
	{ "rt_sigaction", { SIGUSR1, 0, 0, 8 }, { [1] = M(dfl) }, 0,
	  "rt_sigaction(SIGUSR1, {sa_handler=SIG_DFL, sa_mask=[], sa_flags=SA_SIGINFO}, NULL, 8) = 0" },
	{ "rt_sigprocmask", { SIG_BLOCK, 0, 0, 8 }, { [1] = M(rt), [2] = M(most) }, 0,
	  "rt_sigprocmask(SIG_BLOCK, [RTMIN RT_2], ~[RTMIN RT_1], 8) = 0" },
	{ "rt_sigprocmask", { SIG_SETMASK, 0, 0, 8 }, { [1] = M(all), [2] = M(none) }, 0,
	  "rt_sigprocmask(SIG_SETMASK, ~[], [], 8) = 0" },
	{ "sigaltstack", { 0 }, { M(stack) }, 0, "sigaltstack({ss_sp=0x1000, ss_flags=SS_DISABLE, ss_size=8192}, "
	  "NULL) = 0" },
	{ "rt_sigtimedwait", { 0, 0, 0, 8 }, { M(int_term), M(user), M(ts) }, 10, "rt_sigtimedwait([HUP INT TERM], "
	  "{si_signo=SIGUSR1, si_code=SI_USER, si_pid=7, si_uid=8}, {tv_sec=1, tv_nsec=2}, 8) = 10 (SIGUSR1)" },
	/* processes */
	{ "wait4", { 7 }, { [1] = M(exited), [3] = M(rusage) }, 7, "wait4(7, [{WIFEXITED(s) && WEXITSTATUS(s) == 3}],"
	  " 0, "
	  "{ru_utime={tv_sec=0, tv_usec=5}, ru_stime={tv_sec=1, tv_usec=2}, ...}) = 7" },
	{ "wait4", { 7 }, { [1] = M(killed) }, 7, "wait4(7, [{WIFSIGNALED(s) && WTERMSIG(s) == SIGKILL}], 0, NULL) = "
	  "7" },
	{ "wait4", { 7 }, { [1] = M(dumped) }, 7,
	  "wait4(7, [{WIFSIGNALED(s) && WTERMSIG(s) == SIGSEGV && WCOREDUMP(s)}], 0, NULL) = 7" },
	{ "wait4", { 7 }, { [1] = M(stopped) }, 7, "wait4(7, [{WIFSTOPPED(s) && WSTOPSIG(s) == SIGSTOP}], 0, NULL) = "
	  "7" },
	{ "wait4", { 7 }, { [1] = M(continued) }, 7, "wait4(7, [{WIFCONTINUED(s)}], 0, NULL) = 7" },
	{ "wait4", { 7 }, { [1] = M(traced) }, 7,
	  "wait4(7, [{WIFSTOPPED(s) && WSTOPSIG(s) == SIGTRAP}|PTRACE_EVENT_CLONE<<16], 0, NULL) = 7" },
	{ "waitid", { P_ALL, 0, 0, WEXITED }, { [2] = M(chld) }, 0, "waitid(P_ALL, 0, {si_signo=SIGCHLD, "
	  "si_code=CLD_EXITED, "
	  "si_pid=7, si_uid=8, si_status=3, si_utime=0, si_stime=0}, WEXITED, NULL) = 0" },
	{ "waitid", { P_ALL, 0, 0, WEXITED }, { [2] = M(chld_killed) }, 0, "waitid(P_ALL, 0, {si_signo=SIGCHLD, "
	  "si_code=CLD_KILLED, "
	  "si_pid=7, si_uid=0, si_status=SIGKILL, si_utime=0, si_stime=0}, WEXITED, NULL) = 0" },
	{ "waitid", { P_ALL, 0, 0, WEXITED }, { [2] = M(no_info) }, 0, "waitid(P_ALL, 0, {}, WEXITED, NULL) = 0" },
	{ "clone3", { 0, 88 }, { M(clone_vm) }, 0, "clone3({flags=CLONE_VM, exit_signal=SIGCHLD, stack=0x1000, "
	  "stack_size=0x10}, 88)"
	  " = 0" },
	{ "clone3", { 0, 88 }, { M(clone_all) }, 0, "clone3({flags=CLONE_SETTLS|CLONE_CHILD_SETTID|"
	  "CLONE_CLEAR_SIGHAND|CLONE_INTO_CGROUP, child_tid=0x2, exit_signal=0, stack=NULL, "
	  "stack_size=0, tls=0x77, set_tid=0x10, set_tid_size=1, cgroup=99}, 88) = 0" },
	{ "prlimit64", { 0, RLIMIT_STACK }, { [2] = M(rlimit), [3] = M(rlimit_odd) }, 0, "prlimit64(0, RLIMIT_STACK, "
	  "{rlim_cur=8192*1024, rlim_max=RLIM64_INFINITY}, {rlim_cur=1024, rlim_max=20001}) = 0" },
	{ "getrlimit", { RLIMIT_STACK }, { [1] = M(rlimit) }, 0,
	  "getrlimit(RLIMIT_STACK, {rlim_cur=8192*1024, rlim_max=RLIM64_INFINITY}) = 0" },
	{ "uname", { 0 }, { M(uts) }, 0, "uname({sysname=\"Linux\", nodename=\"vm\\\"\", ...}) = 0" },
	{ "sysinfo", { 0 }, { M(sysinfo_) }, 0, "sysinfo({uptime=5, loads=[1, 2, 3], totalram=4, freeram=0, "
	  "sharedram=0, "
	  "bufferram=0, totalswap=0, freeswap=0, procs=7, totalhigh=0, freehigh=0, mem_unit=1}) = 0" },
	{ "capget", { 0 }, { M(cap_header) }, 0, "capget({version=_LINUX_CAPABILITY_VERSION_3, pid=5}, NULL) = 0" },
	{ "getresuid", { 0 }, { M(ids[0]), M(ids[1]), M(ids[2]) }, 0, "getresuid([0], [5], [-1]) = 0" },
	{ "setgroups", { 3 }, { [1] = M(ids) }, 0, "setgroups(3, [0, 5, -1]) = 0" },
	{ "getgroups", { 9 }, { [1] = { ids, 8 } }, 2, "getgroups(9, [0, 5]) = 2" },
	{ "sched_setparam", { 7 }, { [1] = M(one) }, 0, "sched_setparam(7, [1]) = 0" },
	{ "sched_setscheduler", { 7, SCHED_FIFO }, { [2] = M(one) }, 0, "sched_setscheduler(7, SCHED_FIFO, [1]) = 0" },
	/* more of the same types */
	{ "getsockname", { 3 }, { [1] = M(un), [2] = M(sixteen) }, 0,
	  "getsockname(3, {sa_family=AF_UNIX, sun_path=\"/x/y\"}, [16]) = 0" },
	{ "sendto", { 3, 0, 5, 0 }, { [1] = { "hello", 5 } }, 5, "sendto(3, \"hello\", 5, 0, NULL, 0) = 5" },
	{ "getsockopt", { 3, SOL_SOCKET, SO_LINGER }, { [3] = M(linger), [4] = { (const int []){ 8 }, 4 } }, 0,
	  "getsockopt(3, SOL_SOCKET, SO_LINGER, {l_onoff=1, l_linger=5}, [8]) = 0" },
	{ "fgetxattr", { 3, 0, 0, 9 }, { [2] = { "hello", 5 } }, 5, "fgetxattr(3, NULL, \"hello\", 9) = 5" },
	{ "flistxattr", { 3, 0, 9 }, { [1] = { "a\0b\0", 4 } }, 4, "flistxattr(3, \"a\\0b\\0\", 9) = 4" },
	{ "preadv2", { 3, 0, 3, 7 }, { [1] = M(rooms) }, 9, "preadv2(3, [{iov_base=\"abcde\", iov_len=5}, "
	  "{iov_base=\"0123\", "
	  "iov_len=100}, {iov_base=\"\", iov_len=7}], 3, 7, 0) = 9" },
	{ "vmsplice", { 3, 0, 1 }, { [1] = { pieces, 16 } }, 0, "vmsplice(3, [{iov_base=\"abc\", iov_len=3}], 1, 0) "
	  "= 0" },
	{ "mq_timedsend", { 3, 0, 5, 1 }, { [1] = { "hello", 5 }, [4] = M(ts) }, 0,
	  "mq_timedsend(3, \"hello\", 5, 1, {tv_sec=1, tv_nsec=2}) = 0" },
	{ "epoll_pwait2", { 5, 0, 9, 0, 0, 8 }, { [1] = { epolls, sizeof(epolls[0]) }, [3] = M(ts),
	  [4] = M(int_term) }, 1,
	  "epoll_pwait2(5, [{events=EPOLLIN|EPOLLET, data={u32=878082192, u64=78187493520}}], 9, "
	  "{tv_sec=1, tv_nsec=2}, [HUP INT TERM], 8) = 1" },
	{ "clock_getres", { 0 }, { [1] = M(ts) }, 0, "clock_getres(CLOCK_REALTIME, {tv_sec=1, tv_nsec=2}) = 0" },
	{ "clock_settime", { 0 }, { [1] = M(ts) }, 0, "clock_settime(CLOCK_REALTIME, {tv_sec=1, tv_nsec=2}) = 0" },
	{ "settimeofday", { 0 }, { M(tv) }, 0, "settimeofday({tv_sec=3, tv_usec=4}, NULL) = 0" },
	{ "getitimer", { ITIMER_PROF }, { [1] = M(itimerval) }, 0,
	  "getitimer(ITIMER_PROF, {it_interval={tv_sec=0, tv_usec=0}, it_value={tv_sec=100, tv_usec=5}}) = 0" },
	{ "timerfd_gettime", { 4 }, { [1] = M(itimerspec) }, 0,
	  "timerfd_gettime(4, {it_interval={tv_sec=1, tv_nsec=2}, it_value={tv_sec=3, tv_nsec=4}}) = 0" },
	{ "sched_rr_get_interval", { 7 }, { [1] = M(ts) }, 0, "sched_rr_get_interval(7, {tv_sec=1, tv_nsec=2}) = 0" },
	{ "rt_sigpending", { 0, 8 }, { M(int_term) }, 0, "rt_sigpending([HUP INT TERM], 8) = 0" },
	{ "rt_sigsuspend", { 0, 8 }, { M(int_term) }, 0, "rt_sigsuspend([HUP INT TERM], 8) = 0" },
	{ "signalfd4", { -1, 0, 8 }, { [1] = M(int_term) }, 5, "signalfd4(-1, [HUP INT TERM], 8, 0) = 5" },
	{ "rt_tgsigqueueinfo", { 7, 8, SIGUSR1 }, { [3] = M(user) }, 0,
	  "rt_tgsigqueueinfo(7, 8, SIGUSR1, {si_signo=SIGUSR1, si_code=SI_USER, si_pid=7, si_uid=8}) = 0" },
	{ "getrusage", { 0 }, { [1] = M(rusage) }, 0, "getrusage(RUSAGE_SELF, {ru_utime={tv_sec=0, tv_usec=5}, "
	  "ru_stime={tv_sec=1, tv_usec=2}, ...}) = 0" },
	{ "setrlimit", { RLIMIT_NOFILE }, { [1] = M(rlimit_odd) }, 0, "setrlimit(RLIMIT_NOFILE, {rlim_cur=1024, "
	  "rlim_max=20001}) = 0" },
	{ "ioctl", { 3, FIONBIO }, { [2] = M(one) }, 0, "ioctl(3, FIONBIO, [1]) = 0" },
	{ "ioctl", { 3, TIOCSWINSZ }, { [2] = M(winsize) }, 0,
	  "ioctl(3, TIOCSWINSZ, {ws_row=24, ws_col=80, ws_xpixel=0, ws_ypixel=1}) = 0" },
	{ "stat", { 0 }, { [1] = M(st_file) }, 0, "stat(NULL, {st_mode=S_IFREG|0644, st_size=1234, ...}) = 0" },
	/* structures of which the call says more */
	{ "perf_event_open", { 0, 0, -1, -1, 8 }, { M(perf_cycles) }, 5, "perf_event_open({type=PERF_TYPE_HARDWARE, "
	  "size=PERF_ATTR_SIZE_VER5, config=PERF_COUNT_HW_INSTRUCTIONS, sample_period=0, sample_type=0, "
	  "read_format=PERF_FORMAT_TOTAL_TIME_ENABLED|PERF_FORMAT_TOTAL_TIME_RUNNING, disabled=1, inherit=1, "
	  "enable_on_exec=1, precise_ip=0 /* arbitrary skid */, exclude_guest=1, ...}, 0, -1, -1, "
	  "PERF_FLAG_FD_CLOEXEC) = 5" },
	{ "perf_event_open", { 0, -1, 1, -1, 0 }, { M(perf_cache) }, 5, "perf_event_open({type=PERF_TYPE_HW_CACHE, "
	  "size=PERF_ATTR_SIZE_VER5, config=PERF_COUNT_HW_CACHE_RESULT_MISS<<16|PERF_COUNT_HW_CACHE_OP_WRITE<<8|"
	  "PERF_COUNT_HW_CACHE_LL, sample_freq=99, sample_type=PERF_SAMPLE_IP|PERF_SAMPLE_CALLCHAIN, read_format=0, "
	  "freq=1, precise_ip=2 /* requested to have 0 skid */, ...}, -1, 1, -1, 0) = 5" },
	{ "bpf", { 0, 0, 20 }, { [1] = M(map_create) }, 5, "bpf(BPF_MAP_CREATE, {map_type=BPF_MAP_TYPE_HASH, key_size=4, "
	  "value_size=8, max_entries=256, map_flags=BPF_F_NO_PREALLOC}, 20) = 5" },
	{ "bpf", { 2, 0, 32 }, { [1] = M(map_update) }, 0, "bpf(BPF_MAP_UPDATE_ELEM, {map_fd=3, key=0x1000, value=0x2000, "
	  "flags=BPF_NOEXIST}, 32) = 0" },
	{ "bpf", { 11, 0, 8 }, { [1] = M(next_id) }, 0, "bpf(BPF_PROG_GET_NEXT_ID, {start_id=7, next_id=0}, 8) = 0" },
	{ "bpf", { 15, 0, 16 }, { [1] = M(info_by_fd) }, 0, "bpf(BPF_OBJ_GET_INFO_BY_FD, {info={bpf_fd=3, info_len=80, "
	  "info=0x1000}}, 16) = 0" },
	{ "mq_getsetattr", { 3 }, { [1] = M(mq), [2] = M(mq) }, 0, "mq_getsetattr(3, {mq_flags=O_NONBLOCK, mq_maxmsg=10, "
	  "mq_msgsize=8192, mq_curmsgs=1}, {mq_flags=O_NONBLOCK, mq_maxmsg=10, mq_msgsize=8192, mq_curmsgs=1}) = 0" },
	{ "timer_create", { 1 }, { [1] = M(event), [2] = M(one) }, 0, "timer_create(CLOCK_MONOTONIC, "
	  "{sigev_value={sival_int=4096, sival_ptr=0x1000}, sigev_signo=SIGALRM, sigev_notify=SIGEV_SIGNAL}, [1]) = 0" },
	{ "semop", { 5, 0, 2 }, { [1] = M(sems) }, 0, "semop(5, [{sem_num=1, sem_op=-1, sem_flg=SEM_UNDO|IPC_NOWAIT}, "
	  "{sem_num=2, sem_op=3, sem_flg=0}], 2) = 0" },
	{ "sched_getattr", { 0, 0, 48, 0 }, { [1] = M(sched) }, 0, "sched_getattr(0, {size=48, sched_policy=SCHED_BATCH, "
	  "sched_flags=SCHED_FLAG_RESET_ON_FORK, sched_nice=-5, sched_priority=0, sched_runtime=1, sched_deadline=2, "
	  "sched_period=3}, 48, 0) = 0" },
	{ "io_getevents", { 0x1000, 1, 4 }, { [3] = M(io_done) }, 1, "io_getevents(0x1000, 1, 4, [{data=0x7, obj=0x2000, "
	  "res=-4, res2=0}], NULL) = 1" },
	{ "getcpu", { 0 }, { M(one), M(one) }, 0, "getcpu([1], [1], NULL) = 0" },
	{ "ioctl", { 3, TIOCMBIS }, { [2] = M(modem) }, 0, "ioctl(3, TIOCMBIS, [TIOCM_DTR|TIOCM_RTS]) = 0" },
	{ "ioctl", { 3, SIOCGIFINDEX }, { [2] = M(if_index) }, 0, "ioctl(3, SIOCGIFINDEX, {ifr_name=\"lo\", ifr_ifindex=7}) = 0" },
	{ "ioctl", { 3, SIOCGIFNAME }, { [2] = M(if_index) }, 0, "ioctl(3, SIOCGIFNAME, {ifr_ifindex=7, ifr_name=\"lo\"}) = 0" },
	{ "ioctl", { 3, SIOCGIFFLAGS }, { [2] = M(if_flags) }, 0,
	  "ioctl(3, SIOCGIFFLAGS, {ifr_name=\"lo\", ifr_flags=IFF_UP|IFF_RUNNING}) = 0" },
	{ "ioctl", { 3, SIOCGIFINDEX }, { [2] = M(if_index) }, -19,
	  "ioctl(3, SIOCGIFINDEX, {ifr_name=\"lo\"}) = -1 ENODEV (No such device)" },
	{ "ioctl", { 3, SIOCGIFNAME }, { [2] = M(if_index) }, -19,
	  "ioctl(3, SIOCGIFNAME, {ifr_ifindex=7}) = -1 ENODEV (No such device)" },
	{ "seccomp", { SECCOMP_SET_MODE_FILTER, 0 }, { [2] = M(program) }, 0,
	  "seccomp(SECCOMP_SET_MODE_FILTER, 0, {len=3, filter=0x1000}) = 0" },
	{ "seccomp", { SECCOMP_GET_ACTION_AVAIL, 0 }, { [2] = M(trap) }, 0,
	  "seccomp(SECCOMP_GET_ACTION_AVAIL, 0, [SECCOMP_RET_TRAP]) = 0" },
	{ "prctl", { PR_SET_SECCOMP, SECCOMP_MODE_FILTER }, { [2] = M(program) }, 0,
	  "prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, {len=3, filter=0x1000}) = 0" },
	{ "prctl", { PR_GET_TID_ADDRESS }, { [1] = M(pointer) }, 0, "prctl(PR_GET_TID_ADDRESS, [0x1000]) = 0" },
	{ "quotactl", { QCMD(Q_SETQUOTA, GRPQUOTA), 0, 8 }, { [3] = M(dqblk) }, 0,
	  "quotactl(QCMD(Q_SETQUOTA, GRPQUOTA), NULL, 8, {dqb_bhardlimit=7, dqb_bsoftlimit=0, dqb_curspace=0, dqb_ihardlimit=0, "
	  "dqb_isoftlimit=0, dqb_curinodes=9, ...}) = 0" },
	{ "quotactl", { QCMD(Q_SETINFO, USRQUOTA) }, { [3] = M(dqinfo) }, 0,
	  "quotactl(QCMD(Q_SETINFO, USRQUOTA), NULL, {dqi_bgrace=1, dqi_igrace=2, dqi_flags=DQF_ROOT_SQUASH, "
	  "dqi_valid=IIF_BGRACE}) = 0" },
	{ "mount", { 0, 0, 0, MS_RDONLY }, { [4] = { mount_data, sizeof(mount_data) } }, 0,
	  "mount(NULL, NULL, NULL, MS_RDONLY, \"size=1k\") = 0" },
	{ "prctl", { 2 }, { [1] = M(hup) }, 0, "prctl(PR_GET_PDEATHSIG, [SIGHUP]) = 0" },
	{ "copy_file_range", { 3, 0, 4, 0, 9, 0 }, { [1] = M(offset), [3] = M(offset) }, 0,
	  "copy_file_range(3, [-5], 4, [-5], 9, 0) = 0" },
};

#endif
