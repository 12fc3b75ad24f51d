// SPDX-License-Identifier: GPL-2.0-only
/*
 * dev_read: read() returns whole records, reports losses in a record of their own, and blocks or not as
 * asked. The witness is the number of calls that this program makes.
 */
#include "dev.h"
#include "box.h"

#define MARKS 1000

static char buf[1 << 20] __attribute__((aligned(8)));

struct tally {
	uint64_t records, marks, lost, bytes, broken, backwards, last;
};

/* Adds what one read() returned. Every byte that is not in a whole record counts as broken. */
static void tally(struct tally *t, const char *b, size_t n)
{
	size_t at = 0;

	t->bytes += n;
	while (at < n) {
		struct ctrace_record r;

		if (n - at < sizeof(r)) {
			t->broken++;
			return;
		}
		memcpy(&r, b + at, sizeof(r));
		if (r.len < sizeof(r) || r.len % 8 || r.len > n - at || !r.id) {
			t->broken++;
			return;
		}
		t->records++;
		if (r.id == CTRACE_ID_LOST) {
			uint64_t c;

			memcpy(&c, b + at + sizeof(r) + 8, 8);
			t->lost += c;
		} else if (r.id == CTRACE_ID_SYS_ENTER + SYS_getpriority ||
			   r.id == CTRACE_ID_SYS_EXIT + SYS_getpriority) {
			t->marks++;
		}
		at += r.len;
	}
}

static void marks(int n)
{
	for (int i = 0; i < n; i++)
		box_mark(i);
}

static int bound(int flags)
{
	int fd = dev_open(flags);
	int err = dev_bind(fd, dev_session, CTRACE_CID_ALL, NULL);

	if (err)
		ksft_exit_fail_msg("bind: %s\n", strerror(-err));
	return fd;
}

static void drain(int fd, size_t chunk, struct tally *t)
{
	ssize_t n;

	while ((n = read(fd, buf, chunk)) > 0)
		tally(t, buf, n);
	ksft_print_msg("chunks of %zu: %llu records, %llu lost, %llu broken, ended with %s\n", chunk,
		       (unsigned long long)t->records, (unsigned long long)t->lost,
		       (unsigned long long)t->broken, n ? strerror(errno) : "end of file");
}

static void whole_records(void)
{
	static const size_t chunk[] = { 72, 100, 4096, 65536, sizeof(buf) };
	int fd[5];

	for (int i = 0; i < 5; i++)
		fd[i] = bound(O_NONBLOCK);
	marks(MARKS);
	for (int i = 0; i < 5; i++) {
		struct tally t = { 0 };

		drain(fd[i], chunk[i], &t);
		ksft_test_result(!t.broken && t.marks + t.lost == 2 * MARKS,
				 "chunks of %zu: expected %d, seen %llu + lost %llu\n", chunk[i], 2 * MARKS,
				 (unsigned long long)t.marks, (unsigned long long)t.lost);
		close(fd[i]);
	}
}

static void small(void)
{
	int fd = bound(O_NONBLOCK), n, bad = 0;

	dev_expect(-EINVAL, read(fd, buf, 8) < 0 ? -errno : 0, "8 bytes: no room for a record");
	for (n = 1; n < 24; n++)
		if (read(fd, buf, n) >= 0 || errno != EINVAL)
			bad++;
	ksft_test_result(!bad, "1 to 23 bytes: expected EINVAL, %d were not\n", bad);
	dev_expect(-EFAULT, syscall(SYS_read, fd, 8l, 4096) < 0 ? -errno : 0, "unmapped buffer");
	ksft_test_result(read(fd, buf, 4096) > 0, "and the records are still there\n");
	close(fd);
}

static void lapped(void)
{
	struct tally t = { 0 };
	int fd = bound(O_NONBLOCK);

	drain(fd, sizeof(buf), &t);
	memset(&t, 0, sizeof(t));
	/* rings of 8 KiB hold about a hundred of these */
	marks(20000);
	drain(fd, sizeof(buf), &t);
	ksft_test_result(t.lost > 0 && t.marks > 0 && t.marks + t.lost == 40000,
			 "lapped: expected 40000, seen %llu + lost %llu\n",
			 (unsigned long long)t.marks, (unsigned long long)t.lost);
	close(fd);
}

static void waiting(void)
{
	struct tally t = { 0 };
	int fd = bound(O_NONBLOCK), p[2];
	struct pollfd pfd = { .fd = fd, .events = POLLIN };
	pid_t pid;
	ssize_t n;

	drain(fd, sizeof(buf), &t);
	dev_expect(-EAGAIN, read(fd, buf, sizeof(buf)) < 0 ? -errno : 0, "nothing there, nonblocking");
	if (pipe(p))
		ksft_exit_fail_msg("pipe\n");
	fcntl(fd, F_SETFL, 0);
	pid = fork();
	if (!pid) {
		usleep(200000);
		box_mark(1);
		_exit(0);
	}
	n = read(fd, buf, sizeof(buf));
	ksft_test_result(n > 0, "a blocking read waits for the next record (%zd)\n", n);
	waitpid(pid, NULL, 0);
	fcntl(fd, F_SETFL, O_NONBLOCK);
	drain(fd, sizeof(buf), &t);
	poll(&pfd, 1, 0);
	box_mark(2);
	n = poll(&pfd, 1, 5000);
	ksft_test_result(n == 1 && pfd.revents & POLLIN, "poll sees a record (%#x)\n", pfd.revents);
	drain(fd, sizeof(buf), &t);
	box_mark(3);
	genl_session_do(&dev_genl, CTRACE_CMD_SESSION_DEL, dev_session, -1);
	fcntl(fd, F_SETFL, 0);
	memset(&t, 0, sizeof(t));
	while ((n = read(fd, buf, sizeof(buf))) > 0)
		tally(&t, buf, n);
	ksft_test_result(n == 0 && t.marks == 2,
			 "session gone: expected its last 2 records and end of file, seen %llu and %zd\n",
			 (unsigned long long)t.marks, n);
	pfd.revents = 0;
	poll(&pfd, 1, 0);
	ksft_test_result(pfd.revents & POLLHUP, "and poll says so (%#x)\n", pfd.revents);
	dev_expect(-ESPIPE, lseek(fd, 0, SEEK_SET) < 0 ? -errno : 0, "lseek");
	close(fd);
}

int main(int argc, char **argv)
{
	struct genl_sizes big = { .arena = 8 << 20, .ring = 1 << 20 };
	struct genl_sizes tiny = { .arena = 256 << 10, .ring = 8192 };
	int lap = argc > 1 && !strcmp(argv[1], "lapped");

	ksft_print_header();
	ksft_set_plan(lap ? 1 : 5 + 4 + 6);
	dev_session_make(lap ? &tiny : &big, "syscall:getpriority");
	dev_session_start(CTRACE_TARGET_PID, getpid());
	if (lap) {
		lapped();
	} else {
		whole_records();
		small();
		waiting();
	}
	ksft_finished();
}
