// SPDX-License-Identifier: GPL-2.0-only
/*
 * The process that reads files which others chose ends, hangs, or sends more than it may: anyone may have
 * made these files, so it may do anything. The last cases are about the tables that it sends of such a file.
 */
#include <dirent.h>
#include <sys/time.h>
#include "base/far.c"
#include "symbols/symbols_far.c"
#include "apart.h"
#include "ktap.h"

#define MEMORY		((size_t)64 << 20)
#define MOST		((size_t)8 << 20)	/* bytes that a request may answer */
#define DEV		0x1234

static struct sbuf heard;
static size_t nheard;

static void hear_it(void *arg, const char *told, size_t n)
{
	(void)arg;
	nheard++;
	if (n < 64)
		sbuf_put(&heard, told, n);
}

static void __attribute__((noreturn)) sleep_on(void)
{
	for (;;)
		pause();
}

static void do_it(struct far *f, void *arg, const char *request)
{
	uint32_t n = FAR_TELL_MAX + 1;
	static const char megabyte[FAR_TELL_MAX];
	volatile char *none = NULL;

	(void)arg;
	far_at(request);
	if (!strcmp(request, "say")) {
		far_tell(f, "one ", 4);
		far_tell(f, "two", 3);
	} else if (!strcmp(request, "end")) {
		_exit(0);
	} else if (!strcmp(request, "crash")) {
		signal(SIGSEGV, SIG_DFL);
		*none = 1;
	} else if (!strcmp(request, "be killed")) {
		kill(getpid(), SIGKILL);
	} else if (!strcmp(request, "take memory")) {
		memset(xcalloc(2, MEMORY), 1, 2 * MEMORY);
	} else if (!strcmp(request, "half")) {
		n = 8;
		write_all(f->fd, &n, sizeof(n));
		write_all(f->fd, "half", 4);
		_exit(0);
	} else if (!strcmp(request, "half, and sleep")) {
		write_all(f->fd, &n, 2);
		sleep_on();
	} else if (!strcmp(request, "large")) {
		write_all(f->fd, &n, sizeof(n));
		sleep_on();
	} else if (!strcmp(request, "much")) {
		for (size_t i = 0; i < 2 * MOST / FAR_TELL_MAX; i++)
			far_tell(f, megabyte, FAR_TELL_MAX);
	} else if (!strcmp(request, "for ever")) {
		for (;;)
			far_tell(f, "x", 1);
	} else if (!strcmp(request, "compute")) {
		for (;;)
			n++;
	} else if (!strcmp(request, "sleep")) {
		sleep_on();
	} else if (!strcmp(request, "wait")) {
		if (!far_touch(DEV))
			far_tell(f, "left alone", 10);
		else
			sleep_on();
	}
}

static struct far *begin_it(bool once)
{
	return far_new(do_it, NULL, (struct far_limits){ MEMORY, 2 * NSEC_PER_SEC, 3 * NSEC_PER_SEC, once });
}

/* How the request ends. It takes six seconds at most, and more on a busy machine. */
static enum far_end ask_it(struct far *f, const char *request)
{
	uint64_t before = clock_ns(CLOCK_MONOTONIC), took;
	enum far_end end;

	sbuf_reset(&heard);
	nheard = 0;
	/* known: none is refused because others took long */
	end = far_ask(f, request, MOST, true, hear_it, NULL);
	took = clock_ns(CLOCK_MONOTONIC) - before;
	printf("# '%s': %d, %zu messages, after %llu ms\n", request, end, nheard, (unsigned long long)(took / 1000000));
	check(took < 60 * NSEC_PER_SEC);
	return end;
}

static size_t descriptors(void)
{
	DIR *d = opendir("/proc/self/fd");
	size_t n = 0;

	while (readdir(d))
		n++;
	closedir(d);
	return n;
}

/* No child is left, not even one that nobody waited for. */
static bool alone(void)
{
	for (int i = 0; i < 100; i++, usleep(100000))
		if (waitpid(-1, NULL, WNOHANG) < 0)
			return errno == ECHILD;
	return false;
}

static void ends(void)
{
	static const char *const requests[] = { "end", "crash", "be killed", "take memory", "half" };
	size_t before = descriptors();
	struct far *f = begin_it(false);

	for (size_t i = 0; i < ARRAY_SIZE(requests); i++) {
		check_eq(ask_it(f, requests[i]), FAR_DIED);
		check_str(far_place(f), requests[i]);
		/* the next one is answered */
		check_eq(ask_it(f, "say"), FAR_DONE);
		check_str(heard.s, "one two");
	}
	/* one that nobody asks */
	kill(f->pid, SIGKILL);
	usleep(100000);
	check_eq(ask_it(f, "say"), FAR_DIED);
	check_eq(ask_it(f, "say"), FAR_DONE);
	/* those that ended were waited for */
	check(f->nstuck <= 1);
	far_free(f);
	check(alone());
	check_eq(descriptors(), before);
}

static void lasts(void)
{
	static const char *const requests[] = { "sleep", "compute", "half, and sleep", "for ever" };
	size_t before = descriptors();
	struct far *f = begin_it(false);

	for (size_t i = 0; i < ARRAY_SIZE(requests); i++) {
		check_eq(ask_it(f, requests[i]), FAR_LATE);
		check_eq(ask_it(f, "say"), FAR_DONE);
	}
	far_free(f);
	check(alone());
	check_eq(descriptors(), before);
}

static void tells_too_much(void)
{
	struct far *f = begin_it(false);
	int status;

	check_eq(ask_it(f, "large"), FAR_DIED);
	check_eq(nheard, 0);
	/* a busy machine may let it die late */
	status = ask_it(f, "much");
	check(status == FAR_DIED || status == FAR_LATE);
	check(nheard <= MOST / FAR_TELL_MAX);
	check_eq(ask_it(f, "say"), FAR_DONE);
	far_free(f);
	check(alone());
}

static void left_alone(void)
{
	struct far *f = begin_it(true);
	enum far_end end = FAR_AGAIN;

	check_eq(ask_it(f, "wait"), FAR_AGAIN);
	/* a busy machine may be late with the answer, too */
	for (int i = 0; i < 10; i++) {
		end = ask_it(f, "wait");
		if (end != FAR_AGAIN)
			break;
	}
	check_eq(end, FAR_DONE);
	check_str(heard.s, "left alone");
	/* where it is not known which one it is, none is left alone */
	check_eq(ask_it(f, "sleep"), FAR_LATE);
	far_free(f);
	check(alone());
}

static void woken(int sig)
{
	(void)sig;
}

static void signals(void)
{
	const struct itimerval often = { { 0, 20000 }, { 0, 20000 } }, never = { { 0, 0 }, { 0, 0 } };
	const struct sigaction sa = { .sa_handler = woken };
	struct far *f = begin_it(false);

	sigaction(SIGALRM, &sa, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	check_eq(ask_it(f, "say"), FAR_DONE);
	check_str(heard.s, "one two");
	/* Ctrl-C is not for it */
	check(getsid(f->pid) == f->pid);
	check_eq(ask_it(f, "sleep"), FAR_LATE);
	setitimer(ITIMER_REAL, &never, NULL);
	far_free(f);
	check(alone());
}

/* A number that is free again may be another's: it is not killed by that. */
static void ignored(void)
{
	struct far *f = begin_it(false);

	signal(SIGCHLD, SIG_IGN);
	check_eq(ask_it(f, "say"), FAR_DONE);
	kill(f->pid, SIGKILL);
	for (int i = 0; i < 100 && !kill(f->pid, 0); i++)
		usleep(20000);
	check_eq(ask_it(f, "say"), FAR_DIED);
	check_eq(f->nstuck, 0);
	far_free(f);
	signal(SIGCHLD, SIG_DFL);
}

static void none_there(void)
{
	const struct rlimit no = { 0, 0 };
	size_t before = descriptors();
	struct far *f = begin_it(false);

	check(!setrlimit(RLIMIT_NPROC, &no) && (geteuid() || !setuid(65534)));
	check_eq(ask_it(f, "say"), FAR_NONE);
	check_eq(errno, EAGAIN);
	check_eq(descriptors(), before);
	far_free(f);
}

static void none(void)
{
	pid_t pid = apart_fork();

	if (!pid) {
		none_there();
		apart_exit();
	}
	apart_wait(pid, NULL);
}

/* --- tables ---------------------------------------------------------------------------------- */

static void tell_tables(struct far *f, void *arg, const char *request)
{
	struct symbol v[2] = { { .addr = 0x10, .size = 8, .name = 0 }, { .addr = 0x20, .size = 8, .name = 4 } };
	struct cfi_place places[1] = { { 0x10, 8, 0 } };
	const char *what = strrchr(request, '/') + 1;
	char text[] = "one\0two", frames[16] = "";
	struct head h = { .symbols = sizeof(v), .text = sizeof(text), .unwinds = 1, .frames = sizeof(frames), .places = sizeof(places) };

	(void)arg;
	if (!strcmp(what, "name"))
		v[1].name = sizeof(text);
	else if (!strcmp(what, "end"))
		text[sizeof(text) - 1] = 'x';
	else if (!strcmp(what, "module"))
		v[0].module = 1;
	else if (!strcmp(what, "place"))
		places[0].offset = sizeof(frames);
	else if (!strcmp(what, "large"))
		h.frames = TOLD_MAX;
	else if (!strcmp(what, "wrap"))
		h.symbols = UINT64_MAX - 31;
	else if (!strcmp(what, "neither"))
		memset(&v[0].shown, 0x55, sizeof(v[0].shown)), h.cut = 0x55;
	else if (!strcmp(what, "id"))
		memset(h.build_id, 'a', sizeof(h.build_id));
	far_tell(f, (const char *)&h, strcmp(what, "head") ? sizeof(h) : sizeof(h) - 1);
	far_tell(f, (const char *)v, sizeof(v));
	far_tell(f, text, strcmp(what, "more") ? sizeof(text) : sizeof(text) - 1);
	if (!strcmp(what, "more"))
		far_tell(f, text, sizeof(text));
	far_tell(f, frames, sizeof(frames));
	if (strcmp(what, "half"))
		far_tell(f, (const char *)places, sizeof(places));
	if (!strcmp(what, "behind"))
		far_tell(f, text, sizeof(text));
}

static void tables(void)
{
	static const char *const bad[] = { "name", "end", "module", "place", "large", "wrap", "head", "more", "half" };
	static const char *const good[] = { "right", "neither", "id", "behind" };
	struct symbols_far *x = symbols_far_new();
	struct file_wanted w = { .build_id = "", .path = "" };
	struct file_read r;
	const char *name;
	char path[80];

	x->far->serve = tell_tables;
	w.path = path;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		snprintf(path, sizeof(path), "/%s", bad[i]);
		if (!check_eq(symbols_far_file(x, &w, &r), READING_NOTHING))
			printf("# %s\n", bad[i]);
		check(!r.t.n && !r.unwind);
	}
	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		snprintf(path, sizeof(path), "/%s", good[i]);
		if (!check_eq(symbols_far_file(x, &w, &r), READING_DONE))
			printf("# %s\n", good[i]);
		check_eq(r.t.n, 2);
		if (r.t.n == 2) {
			name = symtab_shown(&r.t, symtab_find(&r.t, 0x12));
			check_str(name, "one");
			check_eq(strlen(r.build_id), strcmp(good[i], "id") ? 0 : BUILD_ID_TEXT - 1);
		}
		check(r.unwind && cfi_find(r.unwind, 0x12));
		file_read_free(&r);
	}
	symbols_far_free(x);
}

static void tell_of_good(struct far *f, void *arg, const char *request)
{
	if (strstr(request, "/bad"))
		_exit(0);
	tell_tables(f, arg, "/right");
}

/* If a file cannot be read, a copy of it, by the same build-id, is read all the same. */
static void copies(void)
{
	struct symbols_far *x = symbols_far_new();
	struct mapped_files *fs = mapped_files_new(x, false, false);
	struct mapped_file *bad = mapped_files_told(fs, 0, 0, "abcd", "/bad"), *good = mapped_files_told(fs, 0, 0, "abcd", "/good");
	struct sbuf b = { 0 };
	struct symtab *t;

	x->far->serve = tell_of_good;
	for (int i = 0; i < 2; i++) {
		t = mapped_file_symbols(fs, bad, 0, 0, 0);
		check(!t || !symtab_find(t, 0x12));
		t = mapped_file_symbols(fs, good, 0, 0, 0);
		check(t && symtab_find(t, 0x12));
	}
	symbols_far_note(x, &b);
	check(b.s && strstr(b.s, " cannot be read"));
	/* it was asked for once */
	check_eq(x->ndied, 1);
	sbuf_free(&b);
	mapped_files_free(fs);
	symbols_far_free(x);
}

static void long_path(void)
{
	struct symbols_far *x = symbols_far_new();
	char *path = malloc(PATH_LONG + 2);
	struct file_wanted w = { .build_id = "", .path = path };
	struct file_read r;

	x->far->serve = tell_tables;
	memset(path, 'a', PATH_LONG + 1);
	path[PATH_LONG + 1] = '\0';
	path[0] = path[PATH_LONG - 5] = '/';
	strcpy(path + PATH_LONG - 4, "right");
	check_eq(symbols_far_file(x, &w, &r), READING_NOTHING);
	check(!x->far->pid);
	symbols_far_free(x);
	free(path);
}

static const struct ktap_case cases[] = {
	{ "it ends, crashes, is killed, takes too much memory", ends },
	{ "it sleeps, computes or tells for ever", lasts },
	{ "it tells more than it may", tells_too_much },
	{ "a file system that does not answer is left alone", left_alone },
	{ "signals while it is waited for", signals },
	{ "the command's caller ignores SIGCHLD", ignored },
	{ "there can be no process", none },
	{ "tables that refer to what is not there", tables },
	{ "a file that cannot be read, and its copy", copies },
	{ "a path that is too long", long_path },
};

int main(void)
{
	int status = ktap_run(cases, ARRAY_SIZE(cases));

	sbuf_free(&heard);
	return status;
}
