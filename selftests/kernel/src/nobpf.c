// SPDX-License-Identifier: GPL-2.0-only
/* nobpf CGROUP: attaches a BPF program to the directory of a v2 cgroup that refuses its tasks' connects (EPERM). Status 4: no such kernel */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* of linux/bpf.h, which some roots lack */
#ifndef SYS_bpf
#ifdef __x86_64__
#define SYS_bpf		321
#else
#define SYS_bpf		280
#endif
#endif
#define BPF_PROG_LOAD	5
#define BPF_PROG_ATTACH	8
#define SOCK_ADDR	18	/* BPF_PROG_TYPE_CGROUP_SOCK_ADDR, since 4.17 */
#define INET4_CONNECT	10

int main(int argc, char **argv)
{
	/* r0 = 0; exit */
	static const uint64_t no[] = { 0xb7, 0x95 };
	static const char licence[] = "GPL";
	struct {
		uint32_t type, n;
		uint64_t insns, licence;
		uint32_t log_level, log_size;
		uint64_t log;
		uint32_t kern_version, flags;
		char name[16];
		uint32_t ifindex, expected;
	} load = { SOCK_ADDR, 2, (uintptr_t)no, (uintptr_t)licence, .expected = INET4_CONNECT };
	struct { uint32_t target, prog, type, flags; } attach = { .type = INET4_CONNECT };
	int dir, prog;

	dir = argc == 2 ? open(argv[1], O_RDONLY | O_DIRECTORY) : -1;
	if (dir < 0) {
		perror("nobpf");
		return 1;
	}
	prog = (int)syscall(SYS_bpf, BPF_PROG_LOAD, &load, sizeof(load));
	attach.target = (uint32_t)dir;
	attach.prog = (uint32_t)prog;
	if (prog < 0 || syscall(SYS_bpf, BPF_PROG_ATTACH, &attach, sizeof(attach))) {
		fprintf(stderr, "nobpf: %s\n", strerror(errno));
		return 4;
	}
	return 0;
}
