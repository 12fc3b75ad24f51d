#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: a virtual machine whose memory is a view neither writes to it nor sees another page
# witness: the view as the memory of a machine in real mode, which writes a byte and reads words; a guest
#	whose processor has SVM, which QEMU emulates; by make check-vm on 4.4 (178) and 4.19
# requires: any
# timeout: 120
# torture: 120
# parallel: it looks for races between processors
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

# An emulated processor (-cpu max, or EPYC,+svm) has AMD's extension, which QEMU emulates.
modprobe kvm-amd 2> /dev/null || modprobe kvm-intel 2> /dev/null
[ -c /dev/kvm ] || skip "no /dev/kvm: this kernel has no KVM, or this processor neither SVM nor VMX"
later "chmod $(stat -c %a /dev/kvm) /dev/kvm"
chmod 666 /dev/kvm	# as distributions have it, for the user at the seat or for all
program strangers_kvm
