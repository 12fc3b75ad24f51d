// SPDX-License-Identifier: GPL-2.0-only
/*
 * compiled NUMBER SECONDS: makes ten marked calls with NUMBER in them, from a function that it writes into memory first, as a
 * compiler at run time does, and names in /tmp/perf-PID.map as "made_here". Waits that long, and makes ten
 * more.
 * Linked statically, so that it runs in any root.
 */
#include <sys/mman.h>
#include "box.h"

static unsigned int number;

static void mark(void)
{
	for (int i = 0; i < 10; i++)
		box_mark(number);
}

/* A frame, a call of its argument, and back. */
#ifdef __aarch64__
static const uint32_t code[] = { 0xa9bf7bfd, 0x910003fd, 0xd63f0000, 0xa8c17bfd, 0xd65f03c0 };
#else
static const uint8_t code[] = { 0x55, 0x48, 0x89, 0xe5, 0xff, 0xd7, 0x5d, 0xc3 };
#endif

int main(int argc, char **argv)
{
	void *made = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	void (*call)(void (*fn)(void));
	char path[64];
	FILE *f;

	if (argc < 3 || made == MAP_FAILED)
		return 2;
	number = strtoul(argv[1], NULL, 0);
	memcpy(made, code, sizeof(code));
	__builtin___clear_cache(made, (char *)made + sizeof(code));
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	f = fopen(path, "w");
	if (!f)
		return 3;
	fprintf(f, "%lx %zx made_here\n", (unsigned long)made, sizeof(code));
	fclose(f);
	memcpy(&call, &made, sizeof(call));
	call(mark);
	sleep(atoi(argv[2]));
	call(mark);
	return 0;
}
