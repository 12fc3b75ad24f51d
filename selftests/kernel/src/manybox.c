// SPDX-License-Identifier: GPL-2.0-only
/*
 * manybox: many containers, as any user with a cgroup of his own can make them.
 *
 *	manybox make DIR FROM TO	makes cgroups named as containers' in DIR, moves itself into each and out
 *	manybox remove DIR		removes them
 *	manybox births DIR FROM TO KNOWN	makes one after the other, makes a marked call in each, and removes it. Every
 *					other has one of KNOWN ids, from 1 on: its name may be known. Each other id is new
 *	manybox time			prints how long the kernel and this program take: one line for each of
 *					list, begin, target, end: NAME CPU-US WALL-US NUMBER-OF-CONTAINERS
 */
#include "box.h"
#include <sys/resource.h>
#include <ctrace/libctrace.h>
#include "libshort.h"

static void die(const char *what)
{
	fprintf(stderr, "manybox: %s: %s\n", what, strerror(errno));
	exit(1);
}

/* DIR, and its cgroup.procs: a process that writes "0" there is in it. */
static void open_dir(const char *dir, int *top, int *back)
{
	*top = open(dir, O_RDONLY | O_DIRECTORY);
	*back = openat(*top, "cgroup.procs", O_WRONLY);
	if (*top < 0 || *back < 0)
		die(dir);
}

/* Makes the cgroup in DIR, and moves this process there. */
static void enter_new(int top, const char *name)
{
	char procs[96];
	int in;

	if (mkdirat(top, name, 0755))
		die("mkdir");
	snprintf(procs, sizeof(procs), "%s/cgroup.procs", name);
	in = openat(top, procs, O_WRONLY);
	if (in < 0 || write(in, "0", 1) != 1)
		die(procs);
	close(in);
}

static void make(const char *dir, unsigned int from, unsigned int to)
{
	char name[65];
	int top, back;

	open_dir(dir, &top, &back);
	for (; from < to; from++) {
		snprintf(name, sizeof(name), "%064x", from + 1);
		enter_new(top, name);
		if (write(back, "0", 1) != 1)
			die("back");
	}
}

static void births(const char *dir, unsigned int from, unsigned int to, unsigned int known)
{
	char name[65];
	int top, back;

	open_dir(dir, &top, &back);
	for (; from < to; from++) {
		snprintf(name, sizeof(name), "%064x", from % 2 ? from / 2 % known + 1 : known + from + 1);
		enter_new(top, name);
		box_mark(65);
		if (write(back, "0", 1) != 1)
			die("back");
		if (unlinkat(top, name, AT_REMOVEDIR))
			die("rmdir");
	}
}

static void take_away(const char *dir)
{
	struct dirent *e;
	DIR *d = opendir(dir);
	int n;

	if (!d)
		die(dir);
	do {	/* a directory that is read while entries are removed may skip some */
		rewinddir(d);
		n = 0;
		while ((e = readdir(d)))
			if (strlen(e->d_name) == 64) {
				if (unlinkat(dirfd(d), e->d_name, AT_REMOVEDIR))
					die(e->d_name);
				n++;
			}
	} while (n);
	closedir(d);
}

static long long cpu(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return (u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1000000ll + u.ru_utime.tv_usec + u.ru_stime.tv_usec;
}

static long long wall(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000ll + t.tv_nsec / 1000;
}

static int count(const struct ctrace_container *c, void *arg)
{
	*(unsigned int *)arg += c->cid != CTRACE_CID_HOST;
	return 0;
}

static void measure(void)
{
	static const char *const what[] = { "list", "begin", "target", "end" };
	struct ctrace_session *s = NULL;
	unsigned int i, n = 0, seen = 0;
	struct ctrace *ct;
	long long c, w;
	int err = 0;

	if (ctrace_open(&ct))
		die("ctrace_open");
	for (i = 0; i < 4 && !err; i++) {
		c = cpu();
		w = wall();
		switch (i) {
		case 0:
			err = ctrace_container_each(ct, count, &seen);
			n = seen;
			break;
		case 1:
			err = ctrace_session_new(ct, NULL, &s);
			break;
		case 2:
			err = ctrace_target_add(s, NULL, NULL);
			break;
		case 3:
			ctrace_session_free(s);
			break;
		}
		printf("%s %lld %lld %u\n", what[i], cpu() - c, wall() - w, n);
	}
	if (err) {
		fprintf(stderr, "manybox: %s: %s\n", what[i - 1], ctrace_errmsg(ct));
		exit(1);
	}
	ctrace_close(ct);
}

int main(int argc, char **argv)
{
	if (argc == 5 && !strcmp(argv[1], "make"))
		make(argv[2], atoi(argv[3]), atoi(argv[4]));
	else if (argc == 6 && !strcmp(argv[1], "births"))
		births(argv[2], atoi(argv[3]), atoi(argv[4]), atoi(argv[5]));
	else if (argc == 3 && !strcmp(argv[1], "remove"))
		take_away(argv[2]);
	else if (argc == 2 && !strcmp(argv[1], "time"))
		measure();
	else
		return 2;
	return 0;
}
