// SPDX-License-Identifier: GPL-2.0-only
/*
 * strangers_kept SESSIONS: what nobody keeps when he never gives back the views that he was handed. So many
 * sessions of a monitor are made and ended, one after the other; each hands out a view. After the time to
 * drain no arena is left, and the views read as ended. Later contents of their former memory are
 * not visible through them. The module can be removed when the holder has gone, and not before.
 */
#include "stranger_hold.h"

#define ARENA_RING	(1ull << 20)
#define LATER_SECRET	0x7ec2e8u
#define MOST		64

/* What the holder found in its views, in shared memory. */
static struct kept {
	int held, pages, gone, ended, hup, slow, reads;
	long secrets;
	char why[200];
} *kept;

static int sizes_fd[2], tell[2], told[2];

/* Reads what is left of a view until its end. Returns the last errno, 0 for an end without one. */
static int drained(int fd)
{
	static char buf[65536];
	ssize_t n;

	for (int i = 0; i < 1000; i++) {
		n = read(fd, buf, sizeof(buf));
		if (!n)
			return 0;
		if (n < 0 && errno != EAGAIN)
			return errno;
		if (n < 0)
			return EAGAIN;
	}
	return 0;
}

/* Nobody: takes each view that comes, maps it, and keeps both. Then looks at them on request. */
static void holder(int sock)
{
	static struct { int fd; char *map; size_t size; } v[MOST];
	int n = 0;
	char c;

	stranger_nobody();
	stranger_faults();
	for (;;) {
		if (read(tell[0], &c, 1) != 1)
			_exit(0);
		if (c == 'v') {
			v[n].fd = dev_fd_recv(sock);
			if (read(sizes_fd[0], &v[n].size, sizeof(v[n].size)) != sizeof(v[n].size))
				_exit(1);
			v[n].map = mmap(NULL, v[n].size, PROT_READ, MAP_SHARED, v[n].fd, 0);
			if (v[n].map == MAP_FAILED)
				_exit(1);
			for (size_t at = 0; at < v[n].size; at += 4096)
				(void)*(volatile char *)(v[n].map + at);
			fcntl(v[n].fd, F_SETFL, O_NONBLOCK);
			kept->held = ++n;
		}
		if (c == 'l') {
			memset(kept, 0, sizeof(*kept));
			for (int i = 0; i < n; i++) {
				struct pollfd p = { .fd = v[i].fd, .events = POLLIN };
				uint64_t began = box_now();
				struct ctrace_dir dir;
				char word[8];
				int err;

				kept->held++;
				for (size_t at = 0; at < v[i].size; at += 4096)
					kept->pages += !stranger_copy(word, v[i].map + at, sizeof(word));
				if (stranger_copy(&dir, v[i].map, sizeof(dir)))
					kept->gone++;
				else
					kept->ended += dir.state >= CTRACE_DIR_ENDED;
				kept->secrets += hold_search(v[i].map, v[i].size, LATER_SECRET);
				kept->hup += poll(&p, 1, 5000) > 0 && p.revents & POLLHUP;
				err = drained(v[i].fd);
				kept->reads += !err || err == ENODATA || err == EIO || err == ENXIO;
				if (err == EAGAIN)
					snprintf(kept->why, sizeof(kept->why), "read() would wait for more");
				kept->slow += box_now() - began > 5000000000ull;
				/* mapped again, it shows nothing either, or is refused */
				{
					char *p2 = mmap(NULL, v[i].size, PROT_READ, MAP_SHARED, v[i].fd, 0);

					if (p2 != MAP_FAILED) {
						kept->secrets += hold_search(p2, v[i].size, LATER_SECRET);
						munmap(p2, v[i].size);
					}
				}
			}
		}
		if (c == 'c')
			for (int i = 0; i < n; i++)
				close(v[i].fd);		/* the mappings stay */
		if (write(told[1], "k", 1) != 1)
			_exit(1);
	}
}

static void ask(char what)
{
	char c;

	if (write(tell[1], &what, 1) != 1 || read(told[0], &c, 1) != 1)
		ksft_exit_fail_msg("the holder has died\n");
}

static long arenas_kb(void)
{
	long kb, last = -1;

	/* the file is not read at one moment: see vmalloc_kb in lib.sh */
	for (kb = 0; kb != last; ) {
		FILE *f = fopen("/proc/vmallocinfo", "re");
		char line[512];
		unsigned long n;

		last = kb;
		kb = 0;
		while (f && fgets(line, sizeof(line), f))
			if (strstr(line, "[ctrace]") && sscanf(line, "%*s %lu", &n) == 1)
				kb += n / 1024;
		if (f)
			fclose(f);
	}
	return kb;
}

static int removed(void)
{
	return syscall(SYS_delete_module, "ctrace", O_NONBLOCK) ? errno : 0;
}

int main(int argc, char **argv)
{
	int sessions = argc > 1 ? atoi(argv[1]) : 20, sv[2], err;
	struct genl_sizes s = { .ring = ARENA_RING, .arena = 8 << 20 };
	struct worker mine, later;
	long before, after, most;
	pid_t pid;

	if (sessions > MOST)
		sessions = MOST;
	ksft_print_header();
	ksft_set_plan(7);
	kept = mmap(NULL, sizeof(*kept), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (box_init(BOX_MOUNTS) || pipe2(tell, O_CLOEXEC) || pipe2(told, O_CLOEXEC) || pipe2(sizes_fd, O_CLOEXEC) ||
	    socketpair(AF_UNIX, SOCK_STREAM, 0, sv))
		ksft_exit_fail_msg("no cgroups or pipes\n");
	pid = fork();
	if (!pid) {
		close(tell[1]);
		holder(sv[1]);
	}
	if (genl_open(&dev_genl))
		ksft_exit_fail_msg("no module\n");
	worker_start(&mine, "kept-mine", 0x6b65);
	close(dev_genl.fd);
	before = arenas_kb();
	for (int i = 0; i < sessions; i++) {
		size_t size;
		int fd;

		dev_session_make(&s, "syscall:getpriority");
		dev_session_start(CTRACE_TARGET_ALL, 0);
		fd = stranger_view(dev_session, mine.cid, NULL, &size);
		if (fd < 0)
			ksft_exit_fail_msg("no view of session %d: %s\n", i, strerror(-fd));
		worker_make(&mine, 20);
		dev_fd_send(sv[0], fd);
		if (write(sizes_fd[1], &size, sizeof(size)) != sizeof(size))
			ksft_exit_fail_msg("pipe\n");
		ask('v');
		close(fd);
		if (i == 0) {
			err = removed();
			ksft_test_result(err == EBUSY || err == EAGAIN,
					 "rmmod while a view of a living session is held: %s\n", strerror(err));
		}
		/* half of the monitors are killed, the others say goodbye */
		if (i % 2)
			genl_session_do(&dev_genl, CTRACE_CMD_SESSION_DEL, dev_session, -1);
		close(dev_genl.fd);
	}
	most = arenas_kb();
	after = most;
	for (unsigned int i = 0; i < 3u * STRANGER_DRAIN && after > before + 64; i += 100) {
		usleep(100000);
		after = arenas_kb();
	}
	ksft_test_result(after <= before + 64,
			 "%d sessions whose views are held have ended: %ld kB of arenas before, %ld at the last end, %ld after the time to drain\n",
			 sessions, before, most, after);
	/* another session, where the memory of those was */
	dev_session_make(&s, "syscall:getpriority");
	dev_session_start(CTRACE_TARGET_ALL, 0);
	worker_start(&later, "kept-later", LATER_SECRET);
	worker_make(&later, 2000);
	ask('l');
	ksft_test_result(kept->held == sessions && kept->gone + kept->ended == sessions && !kept->secrets,
			 "of %d views %d are gone and %d say that they have ended; %ld words of a later session\n", kept->held,
			 kept->gone, kept->ended, kept->secrets);
	ksft_test_result(kept->hup == sessions && kept->reads == sessions && !kept->slow,
			 "poll() hangs up on %d, read() ends on %d, %d were slow %s\n", kept->hup, kept->reads, kept->slow, kept->why);
	worker_end(&later);
	stranger_session_end();
	/* as uapi/ctrace.h says: until the last descriptor and mapping are gone */
	err = removed();
	ksft_test_result(err == EBUSY || err == EAGAIN, "rmmod while views of ended sessions are held: %s\n", strerror(err));
	ask('c');
	err = removed();
	ksft_test_result(err == EBUSY || err == EAGAIN, "rmmod while they are mapped, and not open: %s\n", strerror(err));
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	for (int i = 0; i < 100 && (err = removed()); i++)
		usleep(100000);
	ksft_test_result(!err, "rmmod when the holder has gone: %s\n", err ? strerror(err) : "done");
	worker_end(&mine);
	ksft_finished();
}
