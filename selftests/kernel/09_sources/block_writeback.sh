#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: what a kernel thread writes back belongs to the container that wrote it, or to the host, never to a neighbour
# witness: a disk each, dirtied and left to kworkers, without and with the io controller; current for the
#	cgroup in ctrace_block_here fails it
# requires: v2
# timeout: 120
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

modprobe null_blk nr_devices=4 queue_mode=2 irqmode=2 completion_nsec=100000 submit_queues=1 gb=1 || skip "no null_blk"
later "rmmod null_blk"
load
tracing on block/block_rq_issue
for f in dirty_writeback_centisecs:10 dirty_expire_centisecs:10; do
	later "echo $(cat "/proc/sys/vm/${f%:*}") > /proc/sys/vm/${f%:*}"
	echo "${f#*:}" > "/proc/sys/vm/${f%:*}"
done
# The last process to close a device writes all of it back itself. Keep the disks open here, so that it is not
# a container's.
exec 6> /dev/nullb0 7> /dev/nullb1 8> /dev/nullb2 9> /dev/nullb3
later "exec 6>&- 7>&- 8>&- 9>&-"

writer="until [ -e $tmp/go ]; do sleep 0.05; done
	dd if=/dev/zero of=/dev/\$0 bs=64k count=32 conv=notrunc 2> /dev/null; while :; do :; done"
# run WHAT DISK DISK: lets both containers write, each to its disk
run() {
	local disk
	rm -f "$tmp/go"
	cheap "a$1" -g "/box/$(hex64 "a$1")" -- /bin/sh -c "$writer" "$2"
	a=$(of_pid "$pid" cid)
	cheap "b$1" -g "/box/$(hex64 "b$1")" -- /bin/sh -c "$writer" "$3"
	b=$(of_pid "$pid" cid)
	tracing clear
	dump "$tmp/ev" -t all -e block_rq_issue -e block_rq_complete
	: > "$tmp/go"
	written() { [ "$(tracing read | sed -nE 's/.* block_rq_issue: .* \+ ([0-9]+) .*/\1/p' | awk '{n += $1} END {print n + 0}')" -ge 8192 ]; }
	wait_for 30 written || note "not all is written: $(tracing read | grep -c block_rq_issue)"
	sleep 0.3
	stop_dump
	tracing read > "$tmp/kernel"
	at_least "$1: written by kernel threads" 1 "$(grep -c 'block_rq_issue: .*\[kworker' "$tmp/kernel")"
	for disk in "$2" "$3"; do
		dev=$(awk -F: '{print $1 * 1048576 + $2}' "/sys/block/$disk/dev")
		grep " dev=$dev " "$tmp/ev" > "$tmp/$disk"
		note "$1: $disk: $(cut -d' ' -f2,3 "$tmp/$disk" | sort | uniq -c | paste -sd,)"
		same "$1: sectors of $disk issued" 4096 "$(sed -nE 's/.* block_rq_issue .* nr_sector=([0-9]+) .*/\1/p' "$tmp/$disk" | awk '{n += $1} END {print n}')"
		same "$1: and completed" 4096 "$(sed -nE 's/.* block_rq_complete .* nr_sector=([0-9]+) .*/\1/p' "$tmp/$disk" | awk '{n += $1} END {print n}')"
	done
}

run plain nullb0 nullb1
has_not "without the io controller: nothing of the one's is the other's" " cid=$b " "$tmp/nullb0"
has_not "and the other way round" " cid=$a " "$tmp/nullb1"

if echo "+io +memory" > /sys/fs/cgroup/cgroup.subtree_control && echo "+io +memory" > /sys/fs/cgroup/box/cgroup.subtree_control; then
	later "echo '-io -memory' > /sys/fs/cgroup/cgroup.subtree_control"
	later "echo '-io -memory' > /sys/fs/cgroup/box/cgroup.subtree_control"
	# other disks, because the pages of a disk stay charged to the cgroup that was charged first
	run charged nullb2 nullb3
	same "with it: the one's are the one's" "$a" "$(cids "$tmp/nullb2" block_rq)"
	same "and the other's the other's" "$b" "$(cids "$tmp/nullb3" block_rq)"
	has "a kernel thread's name" ' block_rq_issue .* comm="kworker' "$tmp/nullb2"
fi
