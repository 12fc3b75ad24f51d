// SPDX-License-Identifier: GPL-2.0-only
/*
 * bare call | spin SECONDS | clock SECONDS | nowhere | end: runs code without frame pointers, in bare_d(), which bare_c(), bare_b(), bare_a()
 * and main() have called.
 *
 *	call	getppid()
 *	spin	is busy in user mode
 *	clock	reads the clock all the time, in the vdso
 *	nowhere	getppid() with a stack pointer at which there is nothing
 *	end	getppid() with 64 bytes of stack, at the end of what is mapped
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define bare	__attribute__((noinline, noclone, optimize("O2", "omit-frame-pointer", "no-optimize-sibling-calls")))

static volatile unsigned long count;
static char *stack;		/* where the call is made; NULL: where we are */
static time_t until;
static int rounds;

/* Makes the call in this very function, because a library's function has a frame, too. */
static inline __attribute__((always_inline)) void call(void)
{
#if defined(__x86_64__)
	long r = SYS_getppid;

	if (!stack)
		asm volatile("syscall" : "+a"(r) : : "rcx", "r11", "memory");
	else
		asm volatile("mov %%rsp, %%rbx\n\tmov %1, %%rsp\n\tsyscall\n\tmov %%rbx, %%rsp"
			     : "+a"(r) : "r"(stack) : "rbx", "rcx", "r11", "memory");
#elif defined(__aarch64__)
	register long x8 asm("x8") = SYS_getppid;
	register long x0 asm("x0");

	if (!stack)
		asm volatile("svc 0" : "=r"(x0) : "r"(x8) : "memory");
	else
		asm volatile("mov x19, sp\n\tmov sp, %2\n\tsvc 0\n\tmov sp, x19"
			     : "=r"(x0) : "r"(x8), "r"(stack) : "x19", "memory");
#endif
}

bare int bare_d(int v);
bare int bare_c(int v);
bare int bare_b(int v);
bare int bare_a(int v);

int bare_d(int v)
{
	struct timespec t;

	do {
		if (!until)
			call();
		for (int i = 0; i < rounds; i++)
			count += i;
		clock_gettime(CLOCK_MONOTONIC, &t);
	} while (t.tv_sec < until);
	return v + 1;
}

int bare_c(int v)
{
	volatile char room[1000];

	room[v] = 1;
	return bare_d(v) + room[v];
}

int bare_b(int v)
{
	return bare_c(v) + 1;
}

int bare_a(int v)
{
	return bare_b(v) + 1;
}

/*
 * The kernel leaves a random gap between argv and its strings. A whole page of it may never have been used. Such a page is
 * not in memory, and the copy of the stack would end there.
 */
static void fill_gap(char **argv)
{
	for (volatile char *p = (char *)argv; p < argv[0]; p += 4096)
		(void)*p;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	struct timespec t;

	if (!strcmp(what, "nowhere")) {
		stack = (char *)0x10;
	} else if (!strcmp(what, "end")) {
		stack = mmap(NULL, 131072, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (stack == MAP_FAILED || munmap(stack + 65536, 65536))
			return 1;
		memset(stack, 1, 65536);
		stack += 65536 - 64;
	} else if ((!strcmp(what, "spin") || !strcmp(what, "clock")) && argc > 2) {
		rounds = *what == 's' ? 20000000 : 0;
		clock_gettime(CLOCK_MONOTONIC, &t);
		until = t.tv_sec + atol(argv[2]);
	} else if (strcmp(what, "call")) {
		fprintf(stderr, "bare: what?\n");
		return 2;
	}
	fill_gap(argv);
	return bare_a(argc) < 0;
}
