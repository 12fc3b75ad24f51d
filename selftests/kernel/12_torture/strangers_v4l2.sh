#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: a camera whose buffer is a view neither writes to it nor keeps its pages
# witness: vivid, where the kernel has it (rt, the built ones); a device behind an IOMMU, by hand: the
#	script says how
# requires: any
# timeout: 120
# torture: 120
# parallel: it looks for races between processors
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

# Debian's kernels for clouds have no cameras; the others and those that we build have vivid.
video() { grep -l '^vivid.*vid-cap' /sys/class/video4linux/video*/name 2> /dev/null; }
modprobe vivid n_devs=1 node_types=0x1 input_types=0 2> /dev/null && later "rmmod vivid"
wait_for 2 video || skip "no vivid: this kernel has no test driver for cameras"
name=$(video | head -n 1)
device=/dev/$(basename "$(dirname "$name")")
wait_for 5 test -c "$device"
chmod 666 "$device"
program strangers_v4l2 "$device"
