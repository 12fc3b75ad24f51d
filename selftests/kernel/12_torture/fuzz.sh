#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: messages and calls made from the policy and then spoilt, from many threads at once, do no harm and leave nothing
# witness: made from the policy and spoilt, some 10,000 from many threads, most about live sessions;
#	plainly wrong ones must be refused; arenas and socket buffers are given back; with kcov, messages that
#	reached new code are kept
# requires: any
# timeout: 90
# torture: 600
# kernels: 6.1
# parallel: it looks for races between processors
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

mountpoint -q /sys/kernel/debug || mount -t debugfs debugfs /sys/kernel/debug
hasten
load
# Prints the number of socket buffers in use, or 0 if SLUB merged their cache with others of the same size.
# Shrink it first: all buffers on a CPU's own slab would count, and so would those that KASAN keeps.
buffers() {
	echo 1 > /sys/kernel/slab/skbuff_head_cache/shrink
	awk '$1 == "skbuff_head_cache" {n = $2} END {print n + 0}' /proc/slabinfo
}
# Nothing more than before: no arena that nobody can reach, no answer that was not sent.
back() {
	kb=$(vmalloc_kb) skbs=$(buffers)
	[ "$kb" -le "$kb_before" ] && [ "$skbs" -le $((skbs_before + 30)) ]
}
# The module makes its table of followed tasks once, and keeps it.
ctrace trace -e getpriority -- true > /dev/null 2>&1
kb_before=$(vmalloc_kb) skbs_before=$(buffers)
program fuzz "$(long 5 500)" "${CTRACE_TEST_SEED:-20261121}"
wait_for 5 back || failed=1
note "the module's vmalloc: $kb_before kB before, $kb after; socket buffers: $skbs_before, $skbs"
