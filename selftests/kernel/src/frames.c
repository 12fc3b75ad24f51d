// SPDX-License-Identifier: GPL-2.0-only
/*
 * frames call | spin SECONDS | deep | sleep N MS [made]: runs code whose frames a test knows, because it prints
 * them.
 *
 *	call	getppid() from three functions down: prints "ip=X ret=IN_C,IN_B,IN_A": the instruction after
 *		the call, and the return addresses above it, innermost first
 *	spin	prints "spin=FROM,TO ret=X": busy in user mode in [FROM, TO), called from X
 *	deep	the same call from 200 levels of one function: prints "deep=X"
 *	sleep	N times nanosleep() for MS, from three functions down: prints "ip=X ret=IN_C,IN_B,IN_A slept=NS".
 *		made: the outermost of them is called by code that was written into memory, and has no name
 *
 * On arm64 the return addresses on its stack are signed.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define plain	__attribute__((noinline, noclone, optimize("no-omit-frame-pointer", "no-optimize-sibling-calls")))

static uintptr_t ip, ret[3];

static long nr = SYS_getppid;
static struct timespec nap;

/* Makes the call in this very function, because a library's function has no frame. */
static inline __attribute__((always_inline)) uintptr_t call(void)
{
	uintptr_t here = 0;
#if defined(__x86_64__)
	long r = nr;

	asm volatile("lea 1f(%%rip), %1\n\tsyscall\n1:" : "+a"(r), "=&r"(here) : "D"(&nap), "S"(NULL) : "rcx", "r11", "memory");
#elif defined(__aarch64__)
	register long x8 asm("x8") = nr;
	register const void *x0 asm("x0") = &nap;
	register const void *x1 asm("x1") = NULL;

	asm volatile("adr %1, 1f\n\tsvc 0\n1:" : "+r"(x0), "=&r"(here) : "r"(x8), "r"(x1) : "memory");
#endif
	return here;
}

static plain int c(void)
{
	ret[0] = (uintptr_t)__builtin_return_address(0);
	ip = call();
	return ip != 0;
}

static plain int b(void)
{
	ret[1] = (uintptr_t)__builtin_return_address(0);
	return c() + 1;
}

static plain int a(void)
{
	ret[2] = (uintptr_t)__builtin_return_address(0);
	return b() + 1;
}

/* A frame, a call of its argument, and back. */
#ifdef __aarch64__
static const uint32_t code[] = { 0xa9bf7bfd, 0x910003fd, 0xd63f0000, 0xa8c17bfd, 0xd65f03c0 };
#else
static const uint8_t code[] = { 0x55, 0x48, 0x89, 0xe5, 0xff, 0xd7, 0x5d, 0xc3 };
#endif

static plain int naps(long n, long ms, int made)
{
	void *room = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct timespec from, to;
	int (*stub)(int (*fn)(void));
	long long slept = 0;

	if (room == MAP_FAILED)
		return 1;
	memcpy(room, code, sizeof(code));
	__builtin___clear_cache(room, (char *)room + sizeof(code));
	memcpy(&stub, &room, sizeof(stub));
	nr = SYS_nanosleep;
	nap = (struct timespec){ .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000 };
	while (n-- > 0) {
		clock_gettime(CLOCK_MONOTONIC, &from);
		if (made)
			stub(a);
		else
			a();
		clock_gettime(CLOCK_MONOTONIC, &to);
		slept += (to.tv_sec - from.tv_sec) * 1000000000ll + to.tv_nsec - from.tv_nsec;
	}
	printf("ip=%#lx ret=%#lx,%#lx,%#lx slept=%lld\n", (unsigned long)ip, (unsigned long)ret[0],
	       (unsigned long)ret[1], (unsigned long)ret[2], slept);
	return 0;
}

static plain int deep(int n)
{
	if (n)
		return deep(n - 1) + 1;
	ip = call();
	return 0;
}

/* The function has a section of its own, so the section's bounds, which the linker names, are the
 * function's. */
extern char __start_spin_text[], __stop_spin_text[];
static volatile uint64_t count;

static __attribute__((section("spin_text"))) plain void spin_some(void)
{
	ret[0] = (uintptr_t)__builtin_return_address(0);
	for (int i = 0; i < 20000000; i++)
		count += i;
}

static plain void spin(time_t until)
{
	struct timespec t;
	int told = 0;

	do {
		spin_some();
		if (!told++) {
			printf("spin=%#lx,%#lx ret=%#lx\n", (unsigned long)__start_spin_text,
			       (unsigned long)__stop_spin_text, (unsigned long)ret[0]);
			fflush(stdout);
		}
		clock_gettime(CLOCK_MONOTONIC, &t);
	} while (t.tv_sec < until);
}

int main(int argc, char **argv)
{
	struct timespec t;

	if (argc > 1 && !strcmp(argv[1], "call")) {
		a();
		printf("ip=%#lx ret=%#lx,%#lx,%#lx\n", (unsigned long)ip, (unsigned long)ret[0],
		       (unsigned long)ret[1], (unsigned long)ret[2]);
	} else if (argc > 1 && !strcmp(argv[1], "deep")) {
		deep(200);
		printf("deep=%#lx\n", (unsigned long)ip);
	} else if (argc > 3 && !strcmp(argv[1], "sleep")) {
		return naps(atol(argv[2]), atol(argv[3]), argc > 4);
	} else if (argc > 2 && !strcmp(argv[1], "spin")) {
		clock_gettime(CLOCK_MONOTONIC, &t);
		spin(t.tv_sec + atol(argv[2]));
	} else {
		fprintf(stderr, "frames: what?\n");
		return 2;
	}
	return 0;
}
