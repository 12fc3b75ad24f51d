// SPDX-License-Identifier: GPL-2.0-only
/*
 * frames32: a 32-bit program, without a library, that does what `frames call` does: calls getppid() from
 * three functions down, then prints "ip=X ret=IN_C,IN_B,IN_A".
 */
#define plain	__attribute__((noinline, noclone, optimize("no-omit-frame-pointer", "no-optimize-sibling-calls")))

#define NR_exit		1
#define NR_write	4
#define NR_getppid	64

static unsigned long ip, ret[3];

static inline __attribute__((always_inline)) long call(long nr, long x, const void *y, long z)
{
	asm volatile("int $0x80" : "+a"(nr) : "b"(x), "c"(y), "d"(z) : "memory");
	return nr;
}

static plain int c(void)
{
	long nr = NR_getppid;

	ret[0] = (unsigned long)__builtin_return_address(0);
	asm volatile("movl $1f, %1\n\tint $0x80\n1:" : "+a"(nr), "=m"(ip) : : "memory");
	return nr != 0;
}

static plain int b(void)
{
	ret[1] = (unsigned long)__builtin_return_address(0);
	return c() + 1;
}

static plain int a(void)
{
	ret[2] = (unsigned long)__builtin_return_address(0);
	return b() + 1;
}

/* Collects all output for a single write, so that the output of others to the same file cannot come
 * between. */
static char line[80];
static int len;

static void put(const char *text, unsigned long v)
{
	int shift = 28;

	while (*text)
		line[len++] = *text++;
	while (shift && !(v >> shift))
		shift -= 4;
	for (; shift >= 0; shift -= 4)
		line[len++] = "0123456789abcdef"[v >> shift & 15];
}

void _start(void)
{
	a();
	put("ip=0x", ip);
	put(" ret=0x", ret[0]);
	put(",0x", ret[1]);
	put(",0x", ret[2]);
	line[len++] = '\n';
	call(NR_write, 1, line, len);
	call(NR_exit, 0, 0, 0);
}
