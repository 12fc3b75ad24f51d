// SPDX-License-Identifier: GPL-2.0-only
/*
 * Names of functions in files that lie on a file system that does not answer: a file that a process has
 * mapped, the separate file of its symbols, the map of functions that a process compiled itself, a file that
 * a recording names; and the mappings
 * of a process that waits for it. The server of a FUSE file system sleeps, or there is none. Each case runs in a process and a mount namespace of its own.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "apart.h"
#include "ktap.h"
#include "symbols/symbols.h"

#define SECONDS	60	/* in which a name must be there, whatever does not answer */
#define SHORT	(4 * NSEC_PER_SEC)	/* less than the time that is given to a file system to answer */
#define FILES	3	/* that the server has: their inodes are 2, 3 and 4, their names "2", "3" and "4" */

static char dir[] = "/tmp/ctrace-late-XXXXXX", dead[64];

static __attribute__((noinline)) int landmark(int v)
{
	return v + 1;
}

/*
 * A process that ends with this one, even if that is killed: one that were left would hold its memory's lock, and block each
 * ps on this machine.
 */
static pid_t fork_here(void)
{
	pid_t us = getpid(), pid = fork();

	if (!pid && (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != us))
		_exit(1);
	return pid;
}

/* --- file systems ---------------------------------------------------------------------------- */

static void mount_at(const char *path, int fuse)
{
	char options[80];

	snprintf(options, sizeof(options), "fd=%d,rootmode=40000,user_id=0,group_id=0,allow_other", fuse);
	check(fuse >= 0 && !mount("late", path, "fuse.late", 0, options));
}

/* One that nobody serves; it stays so until we end. */
static void mount_dead(const char *path)
{
	mount_at(path, open("/dev/fuse", O_RDWR | O_CLOEXEC));
}

static void answer(int fuse, const struct fuse_in_header *in, const void *what, size_t n, int err)
{
	struct fuse_out_header out = { .len = (uint32_t)(sizeof(out) + n), .error = err, .unique = in->unique };
	char *all = malloc(out.len);

	memcpy(all, &out, sizeof(out));
	if (n)
		memcpy(all + sizeof(out), what, n);
	if (write(fuse, all, out.len) < 0)
		perror("# an answer");
	free(all);
}

static struct fuse_attr attributes(uint64_t ino, off_t size)
{
	return (struct fuse_attr){
		.ino = ino, .size = ino > 1 ? (uint64_t)size : 0, .blocks = ino > 1 ? (uint64_t)size / 512 + 1 : 0, .nlink = 1,
		.mode = ino > 1 ? S_IFREG | 0755 : S_IFDIR | 0755, .blksize = 4096,
	};
}

/* Serves this program under each name. What it answers may not be kept, so that it is asked each time. */
static void serve(int fuse)
{
	static char request[FUSE_MIN_READ_BUFFER + (128 << 10)], data[128 << 10];
	const struct fuse_in_header *in = (const struct fuse_in_header *)request;
	const void *arg = in + 1;
	int exe = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	struct stat st;

	fstat(exe, &st);
	while (read(fuse, request, sizeof(request)) > 0) {
		struct fuse_init_out init = { .major = FUSE_KERNEL_VERSION, .minor = FUSE_KERNEL_MINOR_VERSION, .max_write = 65536 };
		struct fuse_entry_out entry = { .nodeid = (uint64_t)atoi(arg) };
		struct fuse_attr_out attr = { .attr = attributes(in->nodeid, st.st_size) };
		struct fuse_open_out opened = { .fh = 0 };
		const struct fuse_read_in *r = arg;
		ssize_t n;

		switch (in->opcode) {
		case FUSE_INIT:
			answer(fuse, in, &init, sizeof(init), 0);
			break;
		case FUSE_LOOKUP:
			entry.attr = attributes(entry.nodeid, st.st_size);
			answer(fuse, in, &entry, sizeof(entry), entry.nodeid > 1 && entry.nodeid < 2 + FILES ? 0 : -ENOENT);
			break;
		case FUSE_GETATTR:
			answer(fuse, in, &attr, sizeof(attr), 0);
			break;
		case FUSE_OPEN:
			answer(fuse, in, &opened, sizeof(opened), 0);
			break;
		case FUSE_READ:
			n = pread(exe, data, r->size < sizeof(data) ? r->size : sizeof(data), (off_t)r->offset);
			answer(fuse, in, data, n > 0 ? (size_t)n : 0, 0);
			break;
		case FUSE_FLUSH:
		case FUSE_RELEASE:
			answer(fuse, in, NULL, 0, 0);
			break;
		case FUSE_FORGET:
		case FUSE_BATCH_FORGET:
		case FUSE_INTERRUPT:
			break;
		default:
			answer(fuse, in, NULL, 0, -ENOSYS);
		}
	}
	_exit(0);
}

static pid_t mount_served(const char *path)
{
	int fuse = open("/dev/fuse", O_RDWR | O_CLOEXEC);
	pid_t server;

	mount_at(path, fuse);
	server = fork_here();
	if (!server)
		serve(fuse);
	close(fuse);
	return server;
}

/* --- processes ------------------------------------------------------------------------------- */

static pid_t stand_still(void)
{
	pid_t pid = fork_here();

	if (!pid)
		for (;;)
			pause();
	return pid;
}

static void end_it(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void in_namespace(void (*fn)(void))
{
	pid_t pid;

	if (geteuid() || access("/dev/fuse", R_OK | W_OK)) {
		ktap_skip("it needs root and /dev/fuse");
		return;
	}
	pid = apart_fork();
	if (!pid) {
		check(!unshare(CLONE_NEWNS) && !mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL));
		/* if it is us who wait, we are gone */
		alarm(SECONDS);
		if (!ktap.failed)
			fn();
		apart_exit();
	}
	apart_wait(pid, NULL);
}

/* The name of an address, and how long it took. */
static const char *name_of(struct symbols *s, pid_t pid, uint64_t addr, uint64_t *took)
{
	uint64_t before = clock_ns(CLOCK_MONOTONIC);
	const char *name = symbols_user(s, pid, addr, true);

	*took = clock_ns(CLOCK_MONOTONIC) - before;
	printf("# %s, after %llu ms\n", name, (unsigned long long)(*took / 1000000));
	return name;
}

/* Says once what did not answer, and it is this. */
static bool says(struct symbols *s, const char *what)
{
	const char *note = symbols_note(s), *at = note ? strstr(note, " did not answer") : NULL;

	printf("# %s\n", note ? note : "nothing");
	return at && strstr(note, what) && strstr(note, what) < at && !strchr(note, ',') && !strstr(at + 1, " did not answer");
}

/* --- cases ------------------------------------------------------------------------------------ */

static void mapped_there(void)
{
	struct symbols *s = symbols_new(true);
	pid_t server = mount_served(dead), child;
	char *at[FILES], own[80];
	uint64_t took;

	check(landmark(1) == 2);
	for (int i = 0; i < FILES; i++) {
		char *path = xasprintf("%s/%d", dead, i + 2);
		int fd = open(path, O_RDONLY | O_CLOEXEC);

		at[i] = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
		check(fd >= 0 && at[i] != MAP_FAILED);
		close(fd);
		free(path);
	}
	child = stand_still();
	kill(server, SIGSTOP);
	/* of its place in the file, no more is known */
	check_str(name_of(s, child, (uint64_t)(uintptr_t)at[0] + 0x10, &took), "2+0x10");
	check(took > SHORT);
	check_str(name_of(s, child, (uint64_t)(uintptr_t)at[1] + 0x20, &took), "3+0x20");
	check(took < SHORT);
	snprintf(own, sizeof(own), "%s/", dead);
	check(says(s, own));
	/* what lies elsewhere has names */
	check(!strncmp(name_of(s, child, (uint64_t)(uintptr_t)landmark, &took), "landmark+0x0 ", 13));
	symbols_free(s);
	/* so it is for the next process, whose files have names when the server is awake */
	end_it(child);
	kill(server, SIGCONT);
	s = symbols_new(true);
	child = stand_still();
	name_of(s, child, (uint64_t)(uintptr_t)at[2] + 0x10, &took);
	check(!symbols_note(s) || !strstr(symbols_note(s), "did not answer"));
	symbols_free(s);
	end_it(child);
	end_it(server);
}

static void mapped(void)
{
	in_namespace(mapped_there);
}

static void apart_there(void)
{
	struct symbols *s = symbols_new(true);
	pid_t child = stand_still();
	uint64_t took;

	mount_dead("/usr/lib/debug");
	/* the C library is stripped, and what it has itself is known all the same */
	check(strstr(name_of(s, child, (uint64_t)(uintptr_t)dlsym(RTLD_DEFAULT, "getppid"), &took), "getppid+0x0 ["));
	check(says(s, "/usr/lib/debug/"));
	symbols_free(s);
	end_it(child);
}

static void apart(void)
{
	if (access("/usr/lib/debug", F_OK))
		ktap_skip("it needs /usr/lib/debug");
	else
		in_namespace(apart_there);
}

static void compiled_there(void)
{
	struct symbols *s = symbols_new(true);
	pid_t child, other;
	uint64_t took;

	mount_dead("/tmp");
	child = stand_still();
	other = stand_still();
	/* nothing is ever mapped there */
	check_str(name_of(s, child, 0x1000, &took), "0x1000");
	check(took > SHORT);
	check_str(name_of(s, other, 0x1000, &took), "0x1000");
	check(took < SHORT);
	check(says(s, "/tmp/perf-"));
	symbols_free(s);
	end_it(child);
	end_it(other);
}

static void compiled(void)
{
	in_namespace(compiled_there);
}

/* A mapping that was written goes, so what was written goes to the server: mmap() waits for it, and holds the memory's lock. */
static void hold_the_lock(pid_t server, volatile bool *about_to)
{
	char *path = xasprintf("%s/2", dead), *at;
	int fd = open(path, O_RDWR | O_CLOEXEC);

	at = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (fd < 0 || at == MAP_FAILED)
		_exit(1);
	*at = 1;
	kill(server, SIGSTOP);
	*about_to = true;
	mmap(at, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	_exit(2);
}

static void locked_there(void)
{
	volatile bool *about_to = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct symbols *s = symbols_new(true);
	pid_t server = mount_served(dead), child, other;
	char own[40];
	uint64_t took;

	other = stand_still();
	child = fork_here();
	if (!child)
		hold_the_lock(server, about_to);
	for (int i = 0; i < 200 && !*about_to; i++)
		usleep(50000);
	check(*about_to);
	usleep(500000);
	check_eq(waitpid(child, NULL, WNOHANG), 0);
	check(*name_of(s, child, (uint64_t)(uintptr_t)landmark, &took) == '0');
	check(took > NSEC_PER_SEC);
	/* when it would be looked at again */
	usleep(700000);
	check(*name_of(s, child, (uint64_t)(uintptr_t)landmark, &took) == '0');
	check(took < NSEC_PER_SEC);
	snprintf(own, sizeof(own), "/proc/%d/maps", child);
	check(says(s, own));
	check(!strncmp(name_of(s, other, (uint64_t)(uintptr_t)landmark, &took), "landmark+0x0 ", 13));
	symbols_free(s);
	end_it(server);
	end_it(child);
	end_it(other);
}

static void locked(void)
{
	in_namespace(locked_there);
}

static void recorded_there(void)
{
	struct symbols *s = symbols_new(false);
	char *path = xasprintf("%s/names.json", dir);
	FILE *f = fopen(path, "we");
	uint64_t took;

	fprintf(f, "{\"symbols\":[],\"maps\":[");
	for (int i = 0; i < 2; i++)
		fprintf(f, "%s{\"tid\":7,\"start\":%d,\"end\":%d,\"offset\":0,\"build_id\":\"abcd%d\",\"path\":\"%s/%d\"}", i ? "," : "",
			(i + 1) << 12, (i + 2) << 12, i, dead, i + 2);
	fprintf(f, "]}\n");
	check(!fclose(f));
	check_eq(symbols_load(s, path), 0);
	mount_dead(dead);
	check_str(name_of(s, 7, 0x1010, &took), "2+0x10");
	check(took > SHORT);
	check_str(name_of(s, 7, 0x2020, &took), "3+0x20");
	check(took < SHORT);
	check(says(s, dead));
	symbols_free(s);
	free(path);
}

static void recorded(void)
{
	in_namespace(recorded_there);
}

static const struct ktap_case cases[] = {
	{ "a file that is mapped", mapped },
	{ "a file that has the symbols of another", apart },
	{ "what a process tells of itself", compiled },
	{ "a file that a recording names", recorded },
	{ "a process that waits for it, with its memory locked", locked },
};

int main(void)
{
	int status;

	if (!mkdtemp(dir))
		return 1;
	snprintf(dead, sizeof(dead), "%s/dead", dir);
	mkdir(dead, 0700);
	status = ktap_run(cases, ARRAY_SIZE(cases));
	snprintf(dead, sizeof(dead), "rm -rf %s", dir);
	return system(dead) ? 1 : status;
}
