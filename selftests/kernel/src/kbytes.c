// SPDX-License-Identifier: GPL-2.0-only
/* kbytes N: for each address that comes in, in hex, prints it and the N bytes there, as /proc/kcore shows the running kernel. */
#include <elf.h>
#include <err.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static Elf64_Phdr phdrs[512];

static off_t place(unsigned int nr, unsigned long addr)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		if (phdrs[i].p_type == PT_LOAD && addr >= phdrs[i].p_vaddr &&
		    addr - phdrs[i].p_vaddr < phdrs[i].p_memsz)
			return phdrs[i].p_offset + (addr - phdrs[i].p_vaddr);
	errx(1, "/proc/kcore does not have 0x%lx", addr);
}

int main(int argc, char **argv)
{
	int i, n = argc > 1 ? atoi(argv[1]) : 0, fd = open("/proc/kcore", O_RDONLY);
	unsigned char bytes[64];
	unsigned long addr;
	Elf64_Ehdr h;

	if (n < 1 || n > (int)sizeof(bytes))
		errx(2, "usage: kbytes N (1 to %zu), addresses on standard input", sizeof(bytes));
	if (fd < 0 || pread(fd, &h, sizeof(h), 0) != sizeof(h))
		err(1, "/proc/kcore");
	if (h.e_phnum > sizeof(phdrs) / sizeof(*phdrs) ||
	    pread(fd, phdrs, h.e_phnum * sizeof(*phdrs), h.e_phoff) != (ssize_t)(h.e_phnum * sizeof(*phdrs)))
		errx(1, "/proc/kcore: its program headers");
	while (scanf("%lx", &addr) == 1) {
		if (pread(fd, bytes, n, place(h.e_phnum, addr)) != n)
			err(1, "/proc/kcore at 0x%lx", addr);
		printf("%lx ", addr);
		for (i = 0; i < n; i++)
			printf("%02x", bytes[i]);
		putchar('\n');
	}
	return 0;
}
