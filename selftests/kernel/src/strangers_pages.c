// SPDX-License-Identifier: GPL-2.0-only
/*
 * strangers_pages [ROUNDS]: what nobody may try with the pages of a view that he was handed, by every call
 * that takes an address and makes the kernel write there, keep the page, or show it to others. The view's
 * container and a neighbour work at the same time. After each attack every byte of the view must be the
 * container's own. (hostile_maps tries the plain ways to write, and holes, and ends sessions underneath.)
 */
#include "stranger_pages.h"
#include "stranger_io.h"

#define AS_MADE		0x5a11
#define NEXT_SECRET	0x7ec2e7u
#define SLOTS		4	/* of a CPU */

static const struct attack attacks[] = {
	{ "mmap to write or execute, shared and private", at_mmap },
	{ "mprotect, protection keys", at_mprotect },
	{ "mremap: moved, kept behind, doubled, grown", at_mremap },
	{ "remap_file_pages within the view", at_remap },
	{ "madvise: every number", at_madvise },
	{ "process_madvise of another holder", at_process_madvise },
	{ "mlock, mlockall, munlock", at_mlock },
	{ "move_pages, mbind, migrate_pages", at_numa },
	{ "userfaultfd: registered, copied into, protected", at_userfaultfd },
	{ "fork storm with and without the pages", at_forks },
	{ "/proc/PID/mem, clear_refs, of another holder", at_proc },
	{ "ptrace of another holder", at_ptrace },
	{ "process_vm_readv and writev between holders", at_vm },
	{ "the kernel's own writes: tid, robust list, rseq, signal stack", at_kernel_writes },
	{ "futexes in the view", at_futex },
	{ "copies out of the kernel: read, getrandom, recv, wait", at_copied },
	{ "vmsplice as a gift, tee, splice to a file", at_vmsplice },
	{ "splice, tee, sendfile, copy_file_range from the descriptor", at_splice },
	{ "O_DIRECT, to and from the view", at_direct },
	{ "AIO, to and from the view", at_aio },
	{ "io_uring: registered buffers, buffer rings, rings in the view", at_uring },
	{ "MSG_ZEROCOPY from the view", at_zerocopy },
	{ "AF_XDP and AF_PACKET: a umem of the view", at_packets },
	{ "writes to the descriptor, ioctls, truncation, seals", at_fd },
};
#define ATTACKS (sizeof(attacks) / sizeof(*attacks))

/* In memory that attackers share with us. */
static struct hold *shared;

/* Another holder, of the same user: it has the view mapped and sleeps. */
static pid_t other_holder(const struct watch *w)
{
	pid_t pid = fork();
	size_t size = w->size;
	char *p;

	if (pid)
		return pid;
	close(dev_genl.fd);
	stranger_nobody();
	p = mmap(NULL, size, PROT_READ, MAP_SHARED, w->fd, 0);
	for (size_t at = 0; p != MAP_FAILED && at < size; at += 65536)
		(void)*(volatile char *)(p + at);
	shared->other_map = p;
	for (;;)
		pause();
}

/*
 * A child's child keeps the view mapped when everyone else has closed it, and moves it. Its container ends,
 * another comes. It must see nothing of that one, for as long as it likes to keep it.
 */
static void outlived(struct worker *mine, struct watch *w)
{
	int go[2], found[2], st, n = -1;
	struct worker next[SLOTS];
	pid_t pid;
	char c;

	if (pipe2(go, O_CLOEXEC) || pipe2(found, O_CLOEXEC))
		ksft_exit_fail_msg("pipe\n");
	pid = fork();
	if (!pid) {
		char *p;

		close(go[1]);
		close(dev_genl.fd);
		stranger_nobody();
		stranger_faults();
		p = mmap(NULL, w->size, PROT_READ, MAP_SHARED, w->fd, 0);
		close(w->fd);
		munmap((void *)w->map, w->size);
		if (p == MAP_FAILED || fork())
			_exit(p == MAP_FAILED);
		p = mremap(p, w->size, w->size, MREMAP_MAYMOVE | MREMAP_FIXED, p + 2 * w->size);
		if (read(go[0], &c, 1) != 1)
			_exit(1);
		n = p == MAP_FAILED ? -1 : (int)hold_search(p, w->size, NEXT_SECRET);
		_exit(write(found[1], &n, sizeof(n)) != sizeof(n));
	}
	waitpid(pid, &st, 0);
	watch_end(w);
	worker_end(mine);
	/* until the view is revoked, at the latest; then enough come for all slots */
	usleep(STRANGER_DRAIN * 1000 + 1000000);
	for (int i = 0; i < SLOTS; i++) {
		char word[16];

		snprintf(word, sizeof(word), "pages-next-%d", i);
		worker_start(&next[i], word, NEXT_SECRET);
		worker_make(&next[i], 500);
	}
	if (write(go[1], "g", 1) != 1 || read(found[0], &n, sizeof(n)) != sizeof(n))
		n = -2;
	for (int i = 0; i < SLOTS; i++)
		worker_end(&next[i]);
	ksft_test_result(!st && !n, "a child's child that kept the view finds %d words of the next containers\n", n);
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 1;
	struct worker mine, neighbour;
	struct watch w;
	pid_t other;

	ksft_print_header();
	ksft_set_plan(rounds * ATTACKS + 1);
	if (box_init(BOX_MOUNTS))
		ksft_exit_fail_msg("no cgroups\n");
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	hold_file(shared);
	for (int r = 0; r < rounds; r++) {
		stranger_session(STRANGER_RING, SLOTS);
		worker_start(&mine, "pages-mine", AS_MADE);
		worker_start(&neighbour, "pages-neighbour", AS_MADE + 1);
		watch_start(&w, &mine);
		dev_session_start(CTRACE_TARGET_ALL, 0);
		worker_make(&mine, 50);
		shared->other_map = NULL;
		shared->other = other = other_holder(&w);
		for (int i = 0; i < 5000 && !shared->other_map; i++)
			usleep(1000);
		for (size_t i = 0; i < ATTACKS; i++)
			hold_try(&attacks[i], shared, &w, &mine, &neighbour);
		kill(other, SIGKILL);
		waitpid(other, NULL, 0);
		worker_end(&neighbour);
		if (r == rounds - 1) {
			outlived(&mine, &w);
		} else {
			watch_end(&w);
			worker_end(&mine);
		}
		stranger_session_end();
	}
	unlink(shared->path);
	ksft_finished();
}
