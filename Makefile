# SPDX-License-Identifier: GPL-2.0-only
# ctrace: kernel module, library, command, tests. `make help` lists the targets.

KERNELDIR ?= /lib/modules/$(shell uname -r)/build
PREFIX ?= /usr/local
DESTDIR ?=
VERSION := $(shell sed -n 's/^PACKAGE_VERSION="\(.*\)"/\1/p' dkms.conf)

all: module userspace

help:
	@echo 'make                build the module (against KERNELDIR) and user space'
	@echo 'make module         the kernel module only: ctrace.ko'
	@echo 'make userspace      libctrace, the ctrace command, the examples'
	@echo 'make install        user space into PREFIX, the module into /lib/modules'
	@echo 'make demo           boot a throw-away guest and trace a real container in it'
	@echo 'make check          every test; the last line says how many passed'
	@echo 'make torture        the long forms of the tests under load, faults and malice; then all on the debug kernel'
	@echo '                    (6.1, newest), with kmemleak, KCSAN, PREEMPT_RT, preempt=full and =none what matters'
	@echo '                    there; then arm64'
	@echo 'make bench-quick    instructions that a traced system call costs, against those kept in the tree; 2 minutes'
	@echo 'make check-vm KERNEL=BZIMAGE [KERNELDIR=...]   the tests in a guest of that kernel, cgroup v2 and v1;'
	@echo '                    KERNELDIR: its build directory, where BZIMAGE does not lie in it'
	@echo 'make check-host [YES=1] [TESTS=...]   the tests on this very machine, which it says and asks first; as root'
	@echo 'make bench          what tracing costs, with ctrace and with other tracers; writes the tables of README.md; an hour'
	@echo 'make lint           checkpatch, compat rule, shellcheck, sparse'
	@echo 'make clean'
	@echo
	@echo 'KERNELDIR=$(KERNELDIR)'
	@echo 'PREFIX=$(PREFIX)   DESTDIR=$(DESTDIR)   W=1 C=1 go on to the kernel build'

$(KERNELDIR)/Makefile:
	@echo "ctrace: no kernel headers at $(KERNELDIR): install linux-headers-$$(uname -r), or say KERNELDIR=..." >&2
	@false

# The answers are asked anew for every kernel and whenever a question changed.
facts: $(KERNELDIR)/Makefile
	+@module/compat/ask $(KERNELDIR) module/generated
	@module/event/gen-syscalls $(KERNELDIR) module/generated/syscalls.h

module: facts
	+$(MAKE) -C $(KERNELDIR) M=$(CURDIR) modules

userspace:
	+$(MAKE) -C userspace VERSION=$(VERSION)

install: install-userspace install-module
install-module: module
	+$(MAKE) -C $(KERNELDIR) M=$(CURDIR) INSTALL_MOD_DIR=updates modules_install
install-userspace: userspace
	+$(MAKE) -C userspace install VERSION=$(VERSION) PREFIX=$(PREFIX) DESTDIR=$(DESTDIR)

selftests: userspace
	+$(MAKE) -C selftests/unit
	+$(MAKE) -C selftests/kernel

demo:
	@selftests/vm/demo
check:
	@selftests/run
check-vm:
	@[ -n "$(KERNEL)" ] || { echo "ctrace: say KERNEL=.../bzImage" >&2; exit 1; }
	@$(if $(filter-out file,$(origin KERNELDIR)),CTRACE_KERNELDIR=$(KERNELDIR)) \
		selftests/run --kernel $(abspath $(KERNEL)) $(TESTS)
check-host:
	@KERNELDIR=$(KERNELDIR) YES=$(YES) LINUX_SOURCE=$(LINUX_SOURCE) selftests/host $(TESTS)
torture:
	@selftests/run --torture
	@selftests/run --all --kernel debug
	@selftests/run --all --kernel debug-newest
	@selftests/run --torture --kernel debug-kmemleak 12_torture/kmemleak
	@selftests/run --all --kernel kcsan kernel/04_identity/pairs kernel/05_ring kernel/06_lifecycle kernel/07_events \
		12_torture/storm 12_torture/moves 12_torture/hotplug
	@selftests/run --all --kernel rt --kernel 6.12-full --kernel 6.12-none kernel/01_module kernel/04_identity/pairs \
		kernel/05_ring kernel/06_lifecycle kernel/07_events kernel/12_torture
	@selftests/run --kernel arm64
bench-quick:
	@selftests/bench/cost --check
bench:
	@selftests/bench/run --keep
lint:
	@selftests/lint

clean:
	rm -rf module/generated
	[ ! -f $(KERNELDIR)/Makefile ] || $(MAKE) -C $(KERNELDIR) M=$(CURDIR) clean
	$(MAKE) -C userspace clean
	for d in unit kernel; do $(MAKE) -C selftests/$$d clean; done

.PHONY: all help facts module userspace install install-module install-userspace \
	selftests demo check check-vm check-host torture bench-quick bench lint clean
