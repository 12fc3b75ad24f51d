// SPDX-License-Identifier: GPL-2.0-only
/*
 * hostile_maps [SECONDS]: tries what the holder of a descriptor may try with its mapping: write to it by
 * force, grow or move it, keep its pages for later, hold it while the session ends and while the module
 * unloads. It tries this with a view of one container, as nobody would get it, and with a whole session.
 */
#include "dev.h"
#include "box.h"
#include <pthread.h>
#include <setjmp.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <linux/userfaultfd.h>

static __thread sigjmp_buf back;
static const char secret[] = "/of-the-next-one-51f0d7c2a9";

static void fault(int sig)
{
	siglongjmp(back, sig);
}

/* Returns the signal that reading p causes, 0 if none. */
static int touch(const volatile char *p)
{
	int sig = sigsetjmp(back, 1);

	if (!sig)
		(void)*p;
	return sig;
}

static bool whole(const char *p)
{
	return !touch(p) && ((const volatile struct ctrace_dir *)p)->magic == CTRACE_MAGIC;
}

/* --- writing by force --------------------------------------------------------------- */

static int mem_write(char *p)
{
	int fd = open("/proc/self/mem", O_RDWR | O_CLOEXEC), err = 0;

	if (fd < 0)
		return -errno;
	if (pwrite(fd, "overwritten", 11, (off_t)(uintptr_t)p) >= 0)
		err = 1;
	close(fd);
	return err;
}

static int vm_write(char *p)
{
	struct iovec from = { (void *)"overwritten", 11 }, to = { p, 11 };

	return process_vm_writev(getpid(), &from, 1, &to, 1, 0) >= 0;
}

/* Pokes also pages that the child has not touched yet. */
static int poke(char *p, size_t far)
{
	int st, err;
	pid_t pid = fork();

	if (!pid) {
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		raise(SIGSTOP);
		_exit(0);
	}
	waitpid(pid, &st, 0);
	err = !ptrace(PTRACE_POKEDATA, pid, p, 0x41414141L) ||
	      !ptrace(PTRACE_POKEDATA, pid, p + far, 0x41414141L);
	kill(pid, SIGKILL);
	waitpid(pid, &st, 0);
	return err;
}

static int uffd(char *p, size_t size)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register r = { .range = { (uintptr_t)p, size }, .mode = UFFDIO_REGISTER_MODE_MISSING };
	int fd = syscall(SYS_userfaultfd, O_CLOEXEC), taken;

	if (fd < 0)
		return 0;
	taken = !ioctl(fd, UFFDIO_API, &api) && !ioctl(fd, UFFDIO_REGISTER, &r);
	if (!taken) {
		r.mode = UFFDIO_REGISTER_MODE_WP;
		taken = !ioctl(fd, UFFDIO_REGISTER, &r);
	}
	close(fd);
	return taken;
}

static void by_force(int fd, size_t size, const char *what)
{
	static const int kinds[] = { MAP_SHARED, MAP_PRIVATE, MAP_PRIVATE | MAP_GROWSDOWN, MAP_PRIVATE | MAP_NORESERVE };

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		char *p = mmap(NULL, size, PROT_READ, kinds[i], fd, 0), before[64];
		size_t far = size - 4096;

		if (p == MAP_FAILED) {
			ksft_test_result_pass("%s, flags %#x: not mapped\n", what, kinds[i]);
			continue;
		}
		memcpy(before, p, sizeof(before));
		ksft_test_result(!mem_write(p) && !mem_write(p + far) && !vm_write(p) && !vm_write(p + far) &&
				 !poke(p, far) && mprotect(p, size, PROT_READ | PROT_WRITE) &&
				 syscall(SYS_pkey_mprotect, p, size, PROT_READ | PROT_WRITE, -1) &&
				 read(open("/dev/zero", O_RDONLY | O_CLOEXEC), p, 64) < 0 &&
				 !uffd(p, size) && !memcmp(before, p, sizeof(before)) && whole(p),
				 "%s, flags %#x: no write through mem, process_vm_writev, ptrace, mprotect, read, userfaultfd\n",
				 what, kinds[i]);
		munmap(p, size);
	}
}

/* --- advice, holes, moves ------------------------------------------------------------- */

static void reshaped(int fd, size_t size, const char *what)
{
	/* Not advice 100 and 101: if the caller may, they poison memory, even that of others. */
	char *p = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0), *q;
	int bad = 0, i;
	size_t at;

	for (i = 0; i < 32; i++) {
		madvise(p, size, i);
		madvise(p + 4096, 4096, i);
		bad += !whole(p) || touch(p + size - 1);
	}
	ksft_test_result(!bad, "%s: 32 kinds of advice, and it is there (%d not)\n", what, bad);

	mlock(p, size);
	msync(p, size, MS_SYNC | MS_INVALIDATE);
	munlock(p, size);
	q = mremap(p, 0, size, MREMAP_MAYMOVE);		/* a second mapping of the same pages */
	bad = q != MAP_FAILED && (!whole(q) || touch(q + size - 1));
	if (q != MAP_FAILED)
		munmap(q, size);
	q = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, size - 4096);
	bad += q == MAP_FAILED || mremap(q, 4096, 8192, MREMAP_MAYMOVE) != MAP_FAILED ||
	       mremap(q, 0, 8192, MREMAP_MAYMOVE) != MAP_FAILED;
	bad += !remap_file_pages(p, 4096, 0, size / 4096, 0);	/* a page beyond the end */
	bad += !whole(p);
	ksft_test_result(!bad, "%s: not grown by mremap or remap_file_pages (%d)\n", what, bad);
	munmap(p, size);

	p = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
	for (at = 4096; at < size; at += 8192)
		munmap(p + at, 4096);
	for (at = 0, bad = 0; at < size; at += 4096)
		bad += touch(p + at) != (at & 4096 ? SIGSEGV : 0);
	ksft_test_result(!bad && whole(p), "%s: every second page unmapped (%d wrong)\n", what, bad);
	munmap(p, size);

	/* Below the lowest page of a mapping that grows downwards there are the file's own pages, or
	 * nothing. */
	q = mmap(NULL, 1 << 20, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	munmap(q, 1 << 20);
	p = mmap(q + (1 << 19), 4096, PROT_READ, MAP_PRIVATE | MAP_GROWSDOWN | MAP_FIXED, fd, 0);
	bad = p != MAP_FAILED && !touch(p - 4096) && !((volatile char *)p)[-1] + !((volatile char *)p)[-4096] < 2;
	ksft_test_result(!bad, "%s: nothing below the directory\n", what);
	if (p != MAP_FAILED)
		munmap(p, 4096);
}

/* --- pages kept for later ---------------------------------------------------------------- */

static int uring_registers(char *p, size_t size)
{
	struct newer_uring_params par = { 0 };
	struct iovec v = { p, size };
	int fd = syscall(SYS_io_uring_setup, 1, &par), taken;

	if (fd < 0)
		return 0;
	taken = !syscall(SYS_io_uring_register, fd, NEWER_URING_REGISTER_BUFFERS, &v, 1);
	close(fd);
	return taken;
}

static int opener(void *arg)
{
	cpu_set_t set;

	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		CPU_ZERO(&set);
		CPU_SET(cpu, &set);
		if (sched_setaffinity(0, sizeof(set), &set))
			continue;
		for (int i = 0; i < 200; i++)
			syscall(SYS_openat, AT_FDCWD, arg, O_RDONLY);
	}
	return 0;
}

static void box(struct box *b, const char *word, const char *path)
{
	char name[65], p[100];

	box_hex(name, word, getpid());
	snprintf(p, sizeof(p), "/box/%s", name);
	if (box_start(b, p, CLONE_NEWPID, opener, (void *)path))
		ksft_exit_fail_msg("no container: %s\n", strerror(errno));
	box_settle(b);
}

static int gone_fn(const struct nlmsghdr *h, void *arg)
{
	uint32_t *want = arg;

	if (msg_get_u32(h, CTRACE_A_CONTAINER, CTRACE_A_CONTAINER_CID) == want[0])
		want[1] = !msg_get_u64(h, CTRACE_A_CONTAINER, CTRACE_A_CONTAINER_GONE);
	return 0;
}

static void wait_gone(uint32_t cid)
{
	static struct msg m;
	uint32_t want[2] = { cid, 1 };

	for (int i = 0; i < 500 && want[1]; i++) {
		want[1] = 0;
		msg_new(&m, dev_genl.family, CTRACE_CMD_CONTAINER_GET, NLM_F_DUMP);
		genl_call(&dev_genl, &m, gone_fn, want);
		if (want[1])
			usleep(10000);
	}
	usleep(100000);		/* the sessions get the notice after this */
}

/*
 * A slot goes to another container once its container is dead and the views of it are closed. A holder who
 * kept his view's pages would read on. Checks that a pipe and io_uring keep
 * none of them once the mapping is gone.
 */
static void kept(void)
{
	static char buf[1 << 20];
	struct genl_sizes s = { .arena = 0, .ring = 8192 };
	size_t n = 0, at = 0;
	struct box a, b;
	uint64_t size;
	uint32_t cid;
	ssize_t got;
	int fd, p[2], ring, cpus = sysconf(_SC_NPROCESSORS_CONF);
	char *map;

	/* a ring for one container on each CPU, beside the shared one and the host's */
	s.arena = 8192 + cpus * 3 * (12288 + 8);
	dev_session_make(&s, "syscall:openat");
	dev_session_start(CTRACE_TARGET_ALL, 0);
	opener((void *)"/of-the-host");
	box(&a, "kept-a", "/of-the-first");
	cid = dev_cid_of(a.pid);
	fd = dev_open(0);
	if (dev_bind(fd, dev_session, cid, &size))
		ksft_exit_fail_msg("bind to container %u: %s\n", cid, strerror(errno));
	map = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
	if (pipe(p) || map == MAP_FAILED)
		ksft_exit_fail_msg("pipe or map\n");
	fcntl(p[0], F_SETPIPE_SZ, 1 << 20);
	while (n < size) {
		struct iovec v = { map + n, size - n };

		got = vmsplice(p[1], &v, 1, SPLICE_F_NONBLOCK);
		if (got <= 0)
			break;
		n += got;
	}
	ring = uring_registers(map, size);
	munmap(map, size);
	close(fd);
	box_go(&a);
	box_end(&a);
	wait_gone(cid);
	box(&b, "kept-b", secret);
	box_go(&b);
	box_end(&b);
	fcntl(p[0], F_SETFL, O_NONBLOCK);
	while ((got = read(p[0], buf + at, sizeof(buf) - at)) > 0)
		at += got;
	ksft_test_result(!memmem(buf, at, secret, sizeof(secret) - 1),
			 "the next container's secret is not in %zu bytes kept of a closed view\n", at);
	ksft_test_result(!n, "vmsplice keeps none of %llu bytes of a view (%zu)\n",
			 (unsigned long long)size, n);
	ksft_test_result(!ring, "io_uring keeps none either\n");
	close(p[0]);
	close(p[1]);
	genl_session_do(&dev_genl, CTRACE_CMD_SESSION_DEL, dev_session, -1);
	close(dev_genl.fd);
}

/* --- while the session ends ---------------------------------------------------------------- */

static volatile uint32_t current_session;
static volatile bool over;
static unsigned long mapped, children, surprises;

static void *mapper(void *arg)
{
	unsigned long n = 0, forks = 0, wrong = 0;

	rnd_state = 7919 * ((uintptr_t)arg + 1);
	while (!over) {
		int fd = dev_open(O_NONBLOCK);
		uint64_t size = 0;
		char *p, buf[4096];

		if (dev_bind(fd, current_session, rnd() % 2 ? CTRACE_CID_ALL : CTRACE_CID_HOST, &size) ||
		    (p = mmap(NULL, size, PROT_READ, rnd() % 2 ? MAP_SHARED : MAP_PRIVATE, fd, 0)) == MAP_FAILED) {
			close(fd);
			continue;
		}
		n++;
		if (rnd() % 2 && read(fd, buf, sizeof(buf)) < 0 && errno != EAGAIN && errno != EINVAL)
			wrong++;
		if (rnd() % 2)
			close(fd), fd = -1;
		for (int i = rnd() % 64; i; i--)
			wrong += touch(p + rnd() % size) != 0;
		if (!(rnd() % 16)) {
			pid_t pid = fork();

			if (!pid) {
				int bad = 0;

				for (size_t at = 0; at < size; at += 4096)
					bad |= touch(p + at);
				_exit(bad);
			}
			if (pid > 0) {
				int st;

				forks++;
				waitpid(pid, &st, 0);
				wrong += st != 0;
			}
		}
		if (rnd() % 2)
			munmap(p + (rnd() % (size / 4096)) * 4096, 4096);
		else
			wrong += !whole(p);
		munmap(p, size);
		if (fd >= 0)
			close(fd);
	}
	__sync_fetch_and_add(&mapped, n);
	__sync_fetch_and_add(&children, forks);
	__sync_fetch_and_add(&surprises, wrong);
	return NULL;
}

static void torn_down(int seconds)
{
	struct genl_sizes s = { .arena = 1 << 20, .ring = 16384, .wakeup_ns = 1 };
	time_t end = time(NULL) + seconds;
	pthread_t t[4];
	unsigned int sessions = 0;

	for (long i = 0; i < 4; i++)
		pthread_create(&t[i], NULL, mapper, (void *)i);
	while (time(NULL) < end) {
		dev_session_make(&s, "syscalls");
		dev_session_start(CTRACE_TARGET_ALL, 0);
		current_session = dev_session;
		usleep(rnd() % 20000);
		if (rnd() % 2)
			genl_session_do(&dev_genl, CTRACE_CMD_SESSION_DEL, dev_session, -1);
		close(dev_genl.fd);
		sessions++;
	}
	over = true;
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	ksft_test_result(mapped && !surprises,
			 "%u sessions ended under %lu mappings and %lu children of 4 threads: %lu surprises\n",
			 sessions, mapped, children, surprises);
}

/* --- while the module should unload ---------------------------------------------------------- */

static void module_stays(void)
{
	struct genl_sizes s = { .arena = 1 << 20, .ring = 16384 };
	char *p[64];
	uint64_t size = 0;
	int bad = 0, err;

	dev_session_make(&s, "syscall:getpriority");
	for (int i = 0; i < 64; i++) {
		int fd = dev_open(0);

		if (dev_bind(fd, dev_session, i % 2 ? CTRACE_CID_ALL : CTRACE_CID_HOST, &size))
			ksft_exit_fail_msg("bind: %s\n", strerror(errno));
		p[i] = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
		close(fd);
	}
	genl_session_do(&dev_genl, CTRACE_CMD_SESSION_DEL, dev_session, -1);
	close(dev_genl.fd);
	for (int i = 0; i < 64; i++) {
		err = syscall(SYS_delete_module, "ctrace", O_NONBLOCK) ? errno : 0;
		bad += err != EAGAIN && err != EBUSY;
		bad += !whole(p[i]) || ((struct ctrace_dir *)p[i])->state == CTRACE_DIR_RUNNING;
		munmap(p[i], ((struct ctrace_dir *)p[i])->map_size);
	}
	ksft_test_result(!bad, "64 mappings of an ended session, the module does not go before the last (%d)\n", bad);
}

int main(int argc, char **argv)
{
	struct sigaction sa = { .sa_handler = fault, .sa_flags = SA_NODEFER };
	struct genl_sizes s = { .arena = 1 << 20, .ring = 16384 };
	uint64_t size;
	int fd;

	sigaction(SIGSEGV, &sa, NULL);
	sigaction(SIGBUS, &sa, NULL);
	ksft_print_header();
	ksft_set_plan(2 * (4 + 4) + 3 + 1 + 1);
	if (box_init(BOX_MOUNTS))
		ksft_exit_fail_msg("no cgroups\n");
	dev_session_make(&s, "syscall:getpriority");
	fd = dev_open(0);
	if (dev_bind(fd, dev_session, CTRACE_CID_ALL, &size))
		ksft_exit_fail_msg("bind: %s\n", strerror(errno));
	by_force(fd, size, "session");
	reshaped(fd, size, "session");
	close(fd);
	fd = dev_open(0);
	if (dev_bind(fd, dev_session, CTRACE_CID_HOST, &size))
		ksft_exit_fail_msg("bind to the host: %s\n", strerror(errno));
	by_force(fd, size, "view");
	reshaped(fd, size, "view");
	close(fd);
	genl_session_do(&dev_genl, CTRACE_CMD_SESSION_DEL, dev_session, -1);
	close(dev_genl.fd);
	kept();
	torn_down(argc > 1 ? atoi(argv[1]) : 2);
	module_stays();
	ksft_finished();
}
