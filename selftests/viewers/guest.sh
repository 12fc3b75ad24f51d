#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# guest: the part of viewers/run that runs in the guest. It records two containers under load, and sends the recording
# through its output, as lines that begin with @@: vm/run keeps these in its log, and does not show them.
# shellcheck source-path=SCRIPTDIR source=../kernel/lib.sh
. "$(dirname "$0")/../kernel/lib.sh"

load
# a program and a file whose names are as bad as names can be on a page
cp "$(command -v cat)" "$tmp/<script>"
docker_box web "cd $tmp; "'while :; do dd if=/dev/zero of=/x bs=64k count=8 conv=fsync; counted 5 50
	./"<script>" "/<!--</script><script>alert(1)"; sleep 0.02; done'
docker_box db 'while :; do waits spin 1; done'
# what viewers know, and what views count besides
ctrace record -o "$tmp/kernel" all -e viewer,sched_wait,sched_run,sched_block,sched_blame,cpu_throttled,block_io,'tcp_*' -F 99 --buffer-size 64M --duration 2 2> "$tmp/err"
note "$(cat "$tmp/err")"
has "recorded, and nothing lost" ' 0 lost' "$tmp/err"
tar -C "$tmp" -czf - kernel | base64 -w 1000 | sed 's/^/@@recording /'
