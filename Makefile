# SPDX-License-Identifier: GPL-2.0-only
# ctrace: kernel module, library, command, tests. `make help` lists the targets.

KERNELDIR ?= /lib/modules/$(shell uname -r)/build
PREFIX ?= /usr/local
DESTDIR ?=
# sub-makes run in other directories, where a relative path would mean another place
override DESTDIR := $(abspath $(DESTDIR))
INSTALL_MOD_PATH ?= $(DESTDIR)
VERSION := $(shell sed -n 's/^PACKAGE_VERSION="\(.*\)"/\1/p' dkms.conf)
# as `uname -r` prints it; kernel.release in Debian's headers differs
RELEASE = $(shell sed -n 's/.* UTS_RELEASE "\(.*\)"/\1/p' $(KERNELDIR)/include/generated/utsrelease.h 2> /dev/null | grep . || uname -r)
# not every root has depmod's and ldconfig's directories in PATH
export PATH := $(PATH):/usr/sbin:/sbin

# Without headers of the running kernel, a plain make builds user space alone. That is no failure: it reads
# recordings of other machines, and 'make module' and 'make install' still stop. Headers that KERNELDIR names
# must be there.
ifeq ($(origin KERNELDIR)$(wildcard $(KERNELDIR)/Makefile),file)
all: userspace
	@echo "ctrace: user space is built. The module is not: no kernel headers at $(KERNELDIR): $(headers)"
else
all: module userspace
endif
headers = install linux-headers-$$(uname -r), or set KERNELDIR=...

help:
	@echo 'make                build the module (against KERNELDIR) and user space; without headers, user space alone'
	@echo 'make module         the kernel module only: ctrace.ko'
	@echo 'make userspace      libctrace, the ctrace command, the examples'
	@echo 'make python         the package for Python, over libctrace; install-python, uninstall-python'
	@echo 'make install        user space into PREFIX, the module into /lib/modules; both below DESTDIR, where given'
	@echo 'make install-dkms   the source of the module into /usr/src, and the module built and installed by DKMS;'
	@echo '                    with DESTDIR the source alone'
	@echo 'make uninstall, uninstall-dkms   the reverse; and -userspace, -module of install and uninstall'
	@echo 'make deb, rpm       packages for Debian, for Fedora and its kin, in dist/; make dist: the source as one file'
	@echo 'make demo           boot a throw-away guest and trace a real container in it'
	@echo 'make check          every test; the last line says how many passed'
	@echo 'make torture        the long forms of the tests under load, faults and malice; then all on the debug kernel'
	@echo '                    (6.1, newest), and what matters with kmemleak, KCSAN, PREEMPT_RT, preempt=full and'
	@echo '                    =none; then arm64'
	@echo 'make mutants [MUTANTS=...]   plant each of the faults of selftests/mutants in a copy of the tree, and run the tests'
	@echo '                    that should notice it; the last line says how many were; hours (MUTANTS=--host: minutes)'
	@echo 'make bench-quick    instructions that a traced system call costs, against those kept in the tree; 2 minutes'
	@echo 'make check-vm KERNEL=BZIMAGE [KERNELDIR=...]   the tests in a guest of that kernel, cgroup v2 and v1;'
	@echo '                    KERNELDIR: its build directory, where BZIMAGE does not lie in it'
	@echo 'make check-host [YES=1] [TESTS=...]   the tests on this machine itself, as root; it asks first'
	@echo 'make bench          what tracing costs, with ctrace and with other tracers; writes the tables of selftests/bench/README.md; an hour'
	@echo 'make lint           checkpatch, compat rule, shellcheck'
	@echo 'make clean'
	@echo
	@echo 'KERNELDIR=$(KERNELDIR)'
	@echo 'PREFIX=$(PREFIX)   DESTDIR=$(DESTDIR)   W=1 C=1 go on to the kernel build'

$(KERNELDIR)/Makefile:
	@echo "ctrace: no kernel headers at $(KERNELDIR): $(headers)" >&2
	@false

# The answers are asked for anew for every kernel, and when a question has changed.
facts: $(KERNELDIR)/Makefile
	+@module/compat/ask $(KERNELDIR) module/generated
	@module/event/gen-syscalls $(KERNELDIR) module/generated/syscalls.h

module: facts
	+$(MAKE) -C $(KERNELDIR) M=$(CURDIR) modules

userspace:
	+$(MAKE) -C userspace VERSION=$(VERSION)

python install-python uninstall-python:
	+$(MAKE) -C userspace $@ VERSION=$(VERSION) PREFIX=$(PREFIX) DESTDIR=$(DESTDIR)

install: install-userspace install-module
install-module: module
	+$(MAKE) -C $(KERNELDIR) M=$(CURDIR) INSTALL_MOD_PATH=$(INSTALL_MOD_PATH) INSTALL_MOD_DIR=updates \
		DEPMOD=true $(if $(wildcard $(KERNELDIR)/certs/signing_key.pem),,CONFIG_MODULE_SIG_ALL=) modules_install
	@$(depmod)
install-userspace: userspace
	+$(MAKE) -C userspace install VERSION=$(VERSION) PREFIX=$(PREFIX) DESTDIR=$(DESTDIR)

uninstall: uninstall-userspace uninstall-module
uninstall-module:
	rm -f $(addprefix $(updates)/,ctrace.ko* ctrace_*_kunit.ko*)
	@rmdir $(updates) 2> /dev/null || :
	@[ -n "$(INSTALL_MOD_PATH)" ] || [ ! -d /lib/modules/$(RELEASE) ] || $(depmod)
	@$(loaded)
uninstall-userspace:
	+$(MAKE) -C userspace uninstall PREFIX=$(PREFIX) DESTDIR=$(DESTDIR)

updates = $(INSTALL_MOD_PATH)/lib/modules/$(RELEASE)/updates
# depmod is run here because the kernel's modules_install skips it if there is no System.map. Below a path
# depmod would list this module alone, and a package must not contain such lists. Signing is switched off where
# the kernel's headers come without a key.
depmod = if [ -n "$(INSTALL_MOD_PATH)" ]; then \
		echo "ctrace: depmod was not run: run 'depmod $(RELEASE)' where $(INSTALL_MOD_PATH) is installed"; \
	else echo "depmod $(RELEASE)"; depmod $(RELEASE); fi
loaded = [ -n "$(DESTDIR)$(INSTALL_MOD_PATH)" ] || [ ! -d /sys/module/ctrace ] || \
	echo "ctrace: the module is still loaded: 'rmmod ctrace' unloads it"

# The files that DKMS needs, and no more. The module is built again only if they have changed.
dkms_source = $(DESTDIR)/usr/src/ctrace-$(VERSION)
dkms_files := COPYING Kbuild LICENSES Makefile dkms.conf module uapi
# DKMS runs make: the options of this make must not reach that one
dkms = env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL dkms
dkms_forget = [ -n "$(DESTDIR)" ] || [ -z "$$(dkms status ctrace/$(VERSION) 2> /dev/null)" ] || \
	$(dkms) remove ctrace/$(VERSION) --all
install-dkms:
	@[ -n "$(DESTDIR)" ] || command -v dkms > /dev/null || \
		{ echo "ctrace: there is no dkms: install it, or use 'make install-module', which does without" >&2; exit 1; }
	@set -e; [ ! $(CURDIR) -ef $(dkms_source) ] || exit 0; new=$(dkms_source).new; \
	rm -rf $$new; mkdir -p $$new; cp -r $(dkms_files) $$new; $(MAKE) -s -C $$new clean; \
	if diff -r $$new $(dkms_source) > /dev/null 2>&1; then rm -rf $$new; exit 0; fi; \
	$(dkms_forget); rm -rf $(dkms_source); mv $$new $(dkms_source); echo "the module's source: $(dkms_source)"
	@[ -n "$(DESTDIR)" ] || [ -n "$$(dkms status ctrace/$(VERSION))" ] || $(dkms) add ctrace/$(VERSION)
	@[ -n "$(DESTDIR)" ] || $(dkms) install ctrace/$(VERSION) -k $(RELEASE) || \
		{ echo "ctrace: DKMS could not build the module: 'ctrace doctor' says why" >&2; exit 1; }
uninstall-dkms:
	@$(dkms_forget)
	@if [ $(CURDIR) -ef $(dkms_source) ]; then echo "ctrace: $(dkms_source) stays: this make runs there"; \
	else rm -rf $(dkms_source); fi
	@$(loaded)

dist deb rpm:
	@userspace/packaging/build $@

selftests: userspace
	+$(MAKE) -C selftests/unit
	+$(MAKE) -C selftests/kernel

# Ctrl-C ends make as well: its own words about an error would add nothing
demo:
	@trap : INT; selftests/vm/demo || [ $$? = 130 ]
check:
	@selftests/run
check-vm:
	@[ -n "$(KERNEL)" ] || { echo "ctrace: set KERNEL=.../bzImage" >&2; exit 1; }
	@$(if $(filter-out file,$(origin KERNELDIR)),CTRACE_KERNELDIR=$(KERNELDIR)) \
		selftests/run --kernel $(abspath $(KERNEL)) $(TESTS)
check-host:
	@KERNELDIR=$(KERNELDIR) YES=$(YES) LINUX_SOURCE=$(LINUX_SOURCE) selftests/host $(TESTS)
torture:
	@selftests/run --torture
	@selftests/corpus/run
	@selftests/run --all --kernel debug
	@selftests/run --all --kernel debug-newest
	@selftests/run --torture --kernel debug-kmemleak 12_torture/kmemleak
	@selftests/run --all --kernel kcsan kernel/04_identity/pairs kernel/05_ring kernel/06_lifecycle kernel/07_events \
		12_torture/storm 12_torture/moves 12_torture/hotplug
	@selftests/run --torture --kernel irqsoff 12_torture/irqs_off
	@selftests/run --kernel 5.10 --kernel 6.12
	@selftests/run --all --kernel rt --kernel 6.12-full --kernel 6.12-none kernel/01_module kernel/04_identity/pairs \
		kernel/05_ring kernel/06_lifecycle kernel/07_events kernel/12_torture
	@selftests/run --kernel arm64
mutants:
	@selftests/mutants/run $(MUTANTS)
bench-quick:
	@selftests/bench/cost --check
bench:
	@selftests/bench/run --keep
lint:
	@selftests/lint

# Does not use the kernel's build: the headers may be gone. DKMS's copy has neither user space nor tests.
clean:
	rm -rf module/generated .tmp_versions dist
	find . -maxdepth 1 $(made) -exec rm -f {} +
	find module $(made) -exec rm -f {} +
	for d in userspace selftests/unit selftests/kernel; do [ ! -d $$d ] || $(MAKE) -C $$d clean || exit; done
made := -type f \( -name '*.o' -o -name '*.ko' -o -name '*.mod' -o -name '*.mod.c' -o -name '.*.cmd' -o -name '.*.d' \
	-o -name '*.gcno' -o -name '*.dwo' -o -name '*.su' -o -name modules.order -o -name Module.symvers \)

.PHONY: all help facts module userspace python install-python uninstall-python install install-module install-userspace install-dkms \
	uninstall uninstall-module uninstall-userspace uninstall-dkms \
	dist deb rpm selftests demo check check-vm check-host torture mutants bench-quick bench lint clean
