/* SPDX-License-Identifier: GPL-2.0-only */
/* stranger_hold.h: a stranger that attacks with the view that it holds, and the verdict. */
#ifndef STRANGER_HOLD_H
#define STRANGER_HOLD_H

#include "stranger.h"

/* An attacker's state, in memory shared with the checker. */
struct hold {
	int fd;
	char *map;
	size_t size;
	pid_t other;		/* another holder, of the same user */
	char *other_map;	/* where it has the view */
	char path[64];		/* a file on a disk that nobody may write */
	char why[200];
};

/*
 * An attack returns 0 if it was refused or harmless, 1 if it succeeded in what it must not (and says so in
 * h->why), -1 if this kernel has no such call.
 */
struct attack {
	const char *name;
	int (*fn)(struct hold *h);
};

static inline int hold_bad(struct hold *h, const char *what)
{
	snprintf(h->why, sizeof(h->why), "%s", what);
	return 1;
}

static inline int hold_absent(struct hold *h, const char *what)
{
	snprintf(h->why, sizeof(h->why), "%s: %s", what, strerror(errno));
	return -1;
}

/* Returns 1, with what in h->why, if the condition is true: it must not be. */
#define MUST_NOT(h, condition, what) do {		\
	if (condition)					\
		return hold_bad(h, what);		\
} while (0)

/* Does this show the view? Every page of it, or a part. */
static inline bool hold_shows(const char *p, const char *view, size_t n)
{
	char a[256], b[256];

	for (size_t at = 0; at < n; at += 4096)
		/* ctl changes all the time, but its first words and the directory do not */
		if (stranger_copy(a, p + at, 24) || stranger_copy(b, view + at, 24) || memcmp(a, b, 24))
			return false;
	return true;
}

/* How often is the word there? Pages that are gone have none. */
static inline long hold_search(const char *p, size_t n, uint32_t word)
{
	static char page[4096];
	long there = 0;

	for (size_t at = 0; at < n; at += sizeof(page)) {
		if (stranger_copy(page, p + at, sizeof(page)))
			continue;
		for (size_t i = 0; i + 4 <= sizeof(page); i += 4)
			there += !memcmp(page + i, &word, 4);
	}
	return there;
}

/* A file on the root's disk, for O_DIRECT. */
static inline void hold_file(struct hold *h)
{
	static char bytes[65536];
	int fd;

	snprintf(h->path, sizeof(h->path), "/var/tmp/strangers-%d", getpid());
	fd = open(h->path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	memset(bytes, 0x77, sizeof(bytes));
	if (fd < 0 || write(fd, bytes, sizeof(bytes)) != sizeof(bytes) || fchmod(fd, 0666))
		ksft_exit_fail_msg("%s: %s\n", h->path, strerror(errno));
	close(fd);
}

/*
 * A process of nobody attacks, while the view's container works, and a neighbour if there is one. The
 * attacker finds the view at h->map, and has looked at half of it. Returns the attack's result, or 2 if
 * the attacker died; *ok says whether the checker found each byte as it should be.
 */
static inline int hold_attack(const struct attack *a, struct hold *h, struct watch *w, struct worker *mine,
			      struct worker *neighbour, bool *ok)
{
	int st = 0;
	pid_t pid;

	h->why[0] = 0;
	h->fd = w->fd;
	h->size = w->size;
	worker_ask(mine, 500);
	if (neighbour)
		worker_ask(neighbour, 500);
	pid = fork();
	if (!pid) {
		int r;

		close(dev_genl.fd);
		stranger_nobody();
		stranger_faults();
		h->map = mmap(NULL, w->size, PROT_READ, MAP_SHARED, w->fd, 0);
		if (h->map == MAP_FAILED)
			_exit(2);
		for (size_t at = 0; at < w->size / 2; at += 4096)
			(void)*(volatile char *)(h->map + at);
		r = a->fn(h);
		_exit(r < 0 ? 4 : r);
	}
	waitpid(pid, &st, 0);
	worker_stop(mine);
	if (neighbour)
		worker_stop(neighbour);
	*ok = watch_ok(w);
	if (!WIFEXITED(st))
		return 2;
	return WEXITSTATUS(st) == 4 ? -1 : WEXITSTATUS(st);
}

/* The same, as a test. */
static inline void hold_try(const struct attack *a, struct hold *h, struct watch *w, struct worker *mine,
			    struct worker *neighbour)
{
	uint64_t before = mine->made;
	bool ok;
	int r = hold_attack(a, h, w, mine, neighbour, &ok);

	if (ok && r < 0)
		ksft_test_result_skip("%s: not here: %s\n", a->name, h->why);
	else
		ksft_test_result(ok && !r && mine->made > before, "%s: %s%s%s; %llu calls meanwhile; %s\n", a->name,
				 r == 2 ? "the attacker died" : r ? "it went through" : "refused or harmless",
				 h->why[0] ? ": " : "", h->why, (unsigned long long)(mine->made - before),
				 ok ? "each byte as it should be" : w->why);
}

/*
 * Runs a test: nattacks attacks on views, in a session with rings of `ring` bytes. First a container named
 * `word` makes `calls` calls, each marked with nr. `own` is the same attack on the attacker's own memory. It
 * must go through, or the others prove nothing; if it cannot be tried here, all are skipped. Does not return.
 */
static inline void hold_all(const struct attack *own, const struct attack *attacks, size_t nattacks, uint64_t ring,
			    const char *word, uint32_t nr, int calls)
{
	struct hold *h = mmap(NULL, sizeof(*h), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct worker mine;
	struct watch w;
	bool ok;
	int r;

	ksft_print_header();
	if (box_init(BOX_MOUNTS))
		ksft_exit_fail_msg("no cgroups\n");
	stranger_session(ring, 4);
	worker_start(&mine, word, nr);
	watch_start(&w, &mine);
	dev_session_start(CTRACE_TARGET_ALL, 0);
	worker_make(&mine, calls);
	r = hold_attack(own, h, &w, &mine, NULL, &ok);
	if (r < 0)
		ksft_exit_skip("%s\n", h->why);
	ksft_set_plan(1 + nattacks);
	ksft_test_result(ok && !r, "%s: %s\n", own->name, h->why);
	for (size_t i = 0; i < nattacks; i++)
		hold_try(&attacks[i], h, &w, &mine, NULL);
	watch_end(&w);
	worker_end(&mine);
	stranger_session_end();
	ksft_finished();
}

#endif
