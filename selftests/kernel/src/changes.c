// SPDX-License-Identifier: GPL-2.0-only
/*
 * changes WHAT [PROGRAM]: calls that return with another number than they were called by, or as another task.
 * Linked statically, so that it runs anywhere.
 *
 *	execveat	executes itself by execveat(), after that has failed once
 *	thread		a thread that is not the first executes this program
 *	narrow PROGRAM	executes a 32-bit program
 *	wide		executes itself by a 32-bit call; status 4: there are none
 *	signal		a handler returns, three times, to a mask of signals
 *	far		a forked child executes this program, by strings on pages that no process has touched
 *	done		nothing
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static char *const self = "/proc/self/exe";
static char *const done[] = { "changes", "done", NULL }, *const none[] = { NULL };

static void *executes(void *arg)
{
	(void)arg;
	execve(self, done, none);
	return NULL;
}

static int thread(void)
{
	pthread_t t;

	pthread_create(&t, NULL, executes, NULL);
	pause();
	return 1;
}

static int by_execveat(void)
{
	syscall(SYS_execveat, AT_FDCWD, "/no/such/program", done, none, 0);
	syscall(SYS_execveat, AT_FDCWD, self, done, none, 0);
	return 1;
}

/* An execve() of the 32-bit table, whose pointers have 32 bits. */
static int wide(void)
{
#ifdef __x86_64__
	struct {
		char path[16], name[8], word[8];
		unsigned int argv[3], envp[1];
	} *low = mmap((void *)0x10000000, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	long ret;

	strcpy(low->path, self);
	strcpy(low->name, "changes");
	strcpy(low->word, "done");
	low->argv[0] = (unsigned long)low->name;
	low->argv[1] = (unsigned long)low->word;
	asm volatile("int $0x80" : "=a"(ret) : "a"(11), "b"(low->path), "c"(low->argv), "d"(low->envp)
		     : "memory", "r8", "r9", "r10", "r11");
#endif
	return 4;
}

#define FAR	(1 << 17)	/* beyond what a page fault nearby brings in */

static const struct {
	char before[FAR], path[32], name[16], word[16], var[16];
	const char *argv[3], *envp[2];
	char after[FAR];
} away = {
	.path = "/proc/self/exe", .name = "changes", .word = "done", .var = "A=1",
	.argv = { away.name, away.word }, .envp = { away.var },
};

static int far(void)
{
	pid_t pid = fork();

	if (!pid) {
		syscall(SYS_execve, away.path, away.argv, away.envp);
		_exit(1);
	}
	waitpid(pid, NULL, 0);
	return 0;
}

static void handler(int sig)
{
	(void)sig;
}

static int signals(void)
{
	sigset_t mask;

	sigemptyset(&mask);
	sigaddset(&mask, SIGUSR2);
	sigaddset(&mask, SIGRTMIN + 3);
	sigprocmask(SIG_BLOCK, &mask, NULL);
	signal(SIGUSR1, handler);
	for (int i = 0; i < 3; i++)
		raise(SIGUSR1);
	return 0;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (!strcmp(what, "done"))
		return 0;
	if (!strcmp(what, "execveat"))
		return by_execveat();
	if (!strcmp(what, "thread"))
		return thread();
	if (!strcmp(what, "narrow") && argc > 2)
		return execve(argv[2], done, none);
	if (!strcmp(what, "wide"))
		return wide();
	if (!strcmp(what, "far"))
		return far();
	if (!strcmp(what, "signal"))
		return signals();
	fprintf(stderr, "changes: what?\n");
	return 2;
}
