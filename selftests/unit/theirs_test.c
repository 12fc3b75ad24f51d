// SPDX-License-Identifier: GPL-2.0-only
/*
 * Names in files that users wrote: links to what has effects when it is opened, files of others, a file system that does
 * not answer, very long names.
 */
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/inotify.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "names_fixture.h"

#define SLICE	"/user.slice/user-1000.slice/x"
#define SECONDS	30	/* in which names must have been read, whatever does not answer */

static char dir[] = "/tmp/ctrace-theirs-XXXXXX";
static struct sbuf warnings;

static bool run(const char *commands)
{
	char *text = xasprintf("cd %s && set -e && { %s; } > log 2>&1", dir, commands);
	int status = system(text);

	free(text);
	return !status;
}

static void warn(const char *text)
{
	sbuf_puts(&warnings, text);
	sbuf_putc(&warnings, '\n');
}

static struct ctable *table(void)
{
	struct ctable *t = ctable_new(NULL);

	t->names = names_new(dir);
	t->names->roots = roots;
	t->names->warn = warn;
	sbuf_reset(&warnings);
	return t;
}

static const char *label(struct ctable *t, uint32_t cid, char digit, const char *path)
{
	put(t, cid, digit, path);
	return ctable_get(t, cid)->label;
}

/* Was the file opened since the last time? */
static bool opened(int watch)
{
	char events[4096];

	return read(watch, events, sizeof(events)) > 0;
}

static void looked_at(void)
{
	struct ctable *t = table();
	int watch = inotify_init1(IN_NONBLOCK);
	char *fifo = xasprintf("%s/fifo", dir);

	check(run("mkfifo fifo && mkdir -p run/user/1000/crun/a run/crun/b var/lib/containers/storage/overlay-containers run/ctrace/names.d"));
	check(run("ln -s ../../../../../fifo run/user/1000/crun/a/status && ln -s ../../../fifo run/crun/b/status"));
	check(run("ln -s ../../../fifo run/ctrace/names.d/x.json && ln -s ../../../../../fifo var/lib/containers/storage/overlay-containers/containers.json"));
	check(inotify_add_watch(watch, fifo, IN_OPEN) >= 0);
	names_refresh(t->names);
	check(!opened(watch));
	close(watch);
	free(fifo);
	ctable_free(t);
}

static void owned(void)
{
	struct ctable *t = table();

	t->names->owners = true;
	if (geteuid()) {
		ktap_skip("it needs root");
	} else {
		check(run("id=$(printf %064d 0 | tr 0 c); mkdir -p run/user/1000/containers/overlay-containers;"
			  "cd run/user/1000/containers/overlay-containers;"
			  "echo \"[{\\\"id\\\":\\\"$id\\\",\\\"names\\\":[\\\"hers\\\"]}]\" > containers.json"));
		check_str(label(t, 5, 'c', SLICE), "cccccccccccc");
		check(run("chown 1000 run/user/1000/containers/overlay-containers/containers.json"));
		names_refresh(t->names);
		check_str(label(t, 6, 'c', SLICE), "hers");
	}
	ctable_free(t);
}

static void long_name(void)
{
	struct ctable *t = table();
	const struct centry *e;

	check(run("id=$(printf %064d 0 | tr 0 d); mkdir -p run/user/1000/containers/overlay-containers;"
		  "cd run/user/1000/containers/overlay-containers;"
		  "echo \"[{\\\"id\\\":\\\"$id\\\",\\\"names\\\":[\\\"$(printf %04096d 0 | sed s/0/ä/g)\\\"]}]\" > containers.json"));
	label(t, 5, 'd', SLICE);
	e = ctable_get(t, 5);
	/* what is kept, and not half a letter */
	check_eq(strlen(e->label), 254);
	check(e->named);
	/* what is shown, which no other one has */
	check(utf8_columns(e->shown) == 96);
	check(strlen(e->shown) > 10 && !strcmp(e->shown + strlen(e->shown) - 5, "…#5"));
	ctable_free(t);
}

/* In a process and a mount namespace of its own, with ann's home on a FUSE file system whose server sleeps. */
static void dead_home(int fuse)
{
	struct ctable *t = table();
	uint64_t before = clock_ns(CLOCK_MONOTONIC), took;
	char *home = xasprintf("%s/home/ann", dir), *options;

	options = xasprintf("fd=%d,rootmode=40000,user_id=0,group_id=0,allow_other", fuse);
	check(!mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL));
	check(!mount("dead", home, "fuse.dead", 0, options));
	/* if it is us who wait, we are gone */
	alarm(SECONDS);
	names_refresh(t->names);
	took = clock_ns(CLOCK_MONOTONIC) - before;
	check(took < SECONDS * NSEC_PER_SEC);
	printf("# %llu ms\n", (unsigned long long)(took / 1000000));
	/* it says where */
	check(strstr(warnings.s, home) && strstr(warnings.s, "did not answer"));
	/* others' names are known, and the next time is short */
	check_str(label(t, 5, 'e', "/user.slice/user-1001.slice/x"), "bobs");
	check_str(label(t, 6, 'f', SLICE), "ffffffffffff");
	before = clock_ns(CLOCK_MONOTONIC);
	names_refresh(t->names);
	check(clock_ns(CLOCK_MONOTONIC) - before < NSEC_PER_SEC);
	ctable_free(t);
}

static void dead(void)
{
	int fuse = open("/dev/fuse", O_RDWR | O_CLOEXEC), status = -1;
	pid_t pid;

	check(run("id=$(printf %064d 0 | tr 0 e); mkdir -p etc home/ann home/bob/.local/share/containers/storage/overlay-containers;"
		  "printf 'ann:x:1000:1000::/home/ann:/bin/sh\\nbob:x:1001:1001::/home/bob:/bin/sh\\n' > etc/passwd;"
		  "cd home/bob/.local/share/containers/storage/overlay-containers;"
		  "echo \"[{\\\"id\\\":\\\"$id\\\",\\\"names\\\":[\\\"bobs\\\"]}]\" > containers.json"));
	if (geteuid() || fuse < 0) {
		ktap_skip("it needs root and /dev/fuse");
		return;
	}
	fflush(stdout);
	pid = fork();
	if (!pid) {
		ktap.failed = !!unshare(CLONE_NEWNS);
		if (!ktap.failed)
			dead_home(fuse);
		fflush(stdout);
		_exit(ktap.failed);
	}
	waitpid(pid, &status, 0);
	check_eq(status, 0);
	close(fuse);
}

static const struct ktap_case cases[] = {
	{ "what is no file is not opened", looked_at },
	{ "a user's store has that user's files", owned },
	{ "a name of 4,096 letters", long_name },
	{ "a home whose file system does not answer", dead },
};

int main(void)
{
	int status;

	if (!mkdtemp(dir))
		return 1;
	status = ktap_run(cases, ARRAY_SIZE(cases));
	run("cd ..; rm -rf $OLDPWD");
	sbuf_free(&warnings);
	return status;
}
