// SPDX-License-Identifier: GPL-2.0-only
/*
 * strangers_kvm: nobody, who may use /dev/kvm, gives the view that he holds to a machine of his own as its
 * memory. Kernels before 5.12 did not ask whether such a mapping may be written, and those before 4.8 even
 * computed which page it means (A guest then saw the host's first pages). The machine writes a byte, and
 * reads words, in real mode. It may fail, or see the view; it may neither write nor see anything else.
 */
#include "stranger_hold.h"

#ifdef __x86_64__
#include <linux/kvm.h>

#define CODE	0x8000000ull	/* where the machine's program is: above any view */

struct machine {
	int vm, cpu;
	struct kvm_run *run;
	char *code;
};

static int machine_slot(struct machine *m, unsigned int slot, uint64_t at, void *p, size_t n, unsigned int flags)
{
	struct kvm_userspace_memory_region r = {
		.slot = slot, .flags = flags, .guest_phys_addr = at, .memory_size = n, .userspace_addr = (uintptr_t)p,
	};

	return ioctl(m->vm, KVM_SET_USER_MEMORY_REGION, &r);
}

static bool machine_make(struct machine *m)
{
	int kvm = open("/dev/kvm", O_RDWR | O_CLOEXEC);
	int n = kvm < 0 ? -1 : ioctl(kvm, KVM_GET_VCPU_MMAP_SIZE, 0);

	m->vm = kvm < 0 ? -1 : ioctl(kvm, KVM_CREATE_VM, 0);
	m->cpu = m->vm < 0 ? -1 : ioctl(m->vm, KVM_CREATE_VCPU, 0);
	m->code = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	m->run = m->cpu < 0 ? MAP_FAILED : mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_SHARED, m->cpu, 0);
	return m->run != MAP_FAILED && !machine_slot(m, 1, CODE, m->code, 4096, 0);
}

/* Runs the program with its data at guest address `at`. Returns the exit's reason, or -errno. */
static int machine_run(struct machine *m, const void *program, size_t n, uint64_t at)
{
	struct kvm_regs regs = { .rflags = 2 };
	struct kvm_sregs sregs;

	memcpy(m->code, program, n);
	if (ioctl(m->cpu, KVM_GET_SREGS, &sregs))
		return -errno;
	sregs.cs.base = CODE;
	sregs.ds.base = at;
	if (ioctl(m->cpu, KVM_SET_SREGS, &sregs) || ioctl(m->cpu, KVM_SET_REGS, &regs))
		return -errno;
	while (ioctl(m->cpu, KVM_RUN, 0))
		if (errno != EINTR && errno != EAGAIN)
			return -errno;
	return m->run->exit_reason;
}

static const unsigned char writes[] = { 0xc6, 0x06, 0x00, 0x00, 0x5a, 0xf4 };	/* mov byte [0], 0x5a; hlt */
static const unsigned char reads[] = { 0xa1, 0x00, 0x00, 0xe7, 0x10, 0xf4 };	/* mov ax, [0]; out 0x10, ax; hlt */

/* Is the word that the machine has put out the one at p? */
static bool machine_saw(const struct machine *m, const char *p)
{
	return !memcmp((char *)m->run + m->run->io.data_offset, p, 2);
}

/* The machine can run at all: it reads and writes memory of its own. */
static int at_own_memory(struct hold *h)
{
	char *own = mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct machine m;
	int r;

	if (!machine_make(&m))
		return hold_absent(h, "a machine");
	memcpy(own, "ok", 2);
	machine_slot(&m, 0, 0, own, 65536, 0);
	r = machine_run(&m, reads, sizeof(reads), 0);
	if (r != KVM_EXIT_IO || !machine_saw(&m, "ok") || machine_run(&m, writes, sizeof(writes), 4096) != KVM_EXIT_HLT ||
	    own[4096] != 0x5a) {
		snprintf(h->why, sizeof(h->why), "a machine does not run here: exit %d", r);
		return -1;
	}
	return 0;
}

static int tried(struct hold *h, unsigned int flags, bool touched, bool write)
{
	size_t pages[] = { 0, 4096, 8192, h->size / 2 & ~4095ul, h->size - 4096 };
	struct machine m;
	char *p, byte;
	int r;

	for (size_t i = 0; i < sizeof(pages) / sizeof(*pages); i++) {
		p = mmap(NULL, h->size, PROT_READ, MAP_SHARED, h->fd, 0);
		if (!machine_make(&m))
			return hold_absent(h, "a machine");
		if (touched)
			stranger_copy(&byte, p + pages[i], 1);
		if (machine_slot(&m, 0, 0, p, h->size, flags))
			goto refused;
		r = machine_run(&m, write ? writes : reads, write ? sizeof(writes) : sizeof(reads), pages[i]);
		MUST_NOT(h, write && r == KVM_EXIT_HLT, "the machine wrote to the view");
		MUST_NOT(h, !write && r == KVM_EXIT_IO && !machine_saw(&m, h->map + pages[i]),
			 "the machine saw another page than the view's");
		if (!h->why[0])
			snprintf(h->why, sizeof(h->why), "it ended with %s %d", r < 0 ? "errno" : "exit", r < 0 ? -r : r);
		/* unmapped, while the machine still has it for memory */
		munmap(p, h->size);
		r = machine_run(&m, reads, sizeof(reads), pages[i]);
		MUST_NOT(h, r == KVM_EXIT_IO, "the machine reads on after the view was unmapped");
		r = machine_run(&m, writes, sizeof(writes), pages[i]);
		MUST_NOT(h, r == KVM_EXIT_HLT, "the machine writes after the view was unmapped");
refused:
		close(m.cpu);
		close(m.vm);
	}
	return 0;
}

#define READONLY	2u	/* KVM_MEM_READONLY */
static int at_write(struct hold *h)		{ return tried(h, 0, true, true); }
static int at_write_untouched(struct hold *h)	{ return tried(h, 0, false, true); }
static int at_write_readonly(struct hold *h)	{ return tried(h, READONLY, true, true); }
static int at_read(struct hold *h)		{ return tried(h, 0, true, false); }
static int at_read_untouched(struct hold *h)	{ return tried(h, 0, false, false); }
static int at_read_readonly(struct hold *h)	{ return tried(h, READONLY, true, false); }

static const struct attack own = { "a machine on memory of its own", at_own_memory };
static const struct attack attacks[] = {
	{ "a machine writes to pages that its owner has looked at", at_write },
	{ "a machine writes to pages that nobody has looked at", at_write_untouched },
	{ "a machine writes to the view as read-only memory", at_write_readonly },
	{ "a machine reads pages that its owner has looked at", at_read },
	{ "a machine reads pages that nobody has looked at", at_read_untouched },
	{ "a machine reads the view as read-only memory", at_read_readonly },
};
#endif

int main(void)
{
#ifdef __x86_64__
	hold_all(&own, attacks, sizeof(attacks) / sizeof(*attacks), 1 << 20, "kvm-mine", 0x6b76, 50);
#else
	printf("1..0 # SKIP KVM's registers are known to this test on x86 alone\n");
	return KSFT_SKIP;
#endif
}
