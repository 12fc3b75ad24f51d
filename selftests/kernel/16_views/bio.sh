#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: ctrace bio against the disk's own counters and a disk of known latency; write-back; requests as lines
# columns: bio: DISK IOS READS WRITES FLUSHES DISCARDS RBYTES WBYTES bytes P50 P99 MAX hist
# columns: bio --lines: TIME(s) COMM PID DISK T SECTOR BYTES LAT(ms) ERR
# requires: v2,v1,hybrid,torture
# timeout: 60
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

command -v jq > /dev/null || skip "no jq to read JSON"
# each request takes 5 ms
modprobe null_blk nr_devices=2 queue_mode=2 irqmode=2 completion_nsec=5000000 submit_queues=1 memory_backed=1 gb=1 ||
	skip "no null_blk"
later "rmmod null_blk"
load
# READS SECTORS_READ WRITES SECTORS_WRITTEN
counters() { awk '{print $1, $3, $5, $7}' /sys/block/nullb0/stat; }
io="date +%s%N > $tmp/began; dd if=/dev/zero of=/dev/nullb0 bs=8k count=12 oflag=direct 2> /dev/null; dd if=/dev/nullb0 of=/dev/null bs=4k count=7 iflag=direct 2> /dev/null; date +%s%N > $tmp/ended"
read -r r0 rs0 w0 ws0 < <(counters)
ctrace bio all --json -- ctbox -n disk -- sh -c "$io; sleep 0.2" > "$tmp/json" 2> "$tmp/err"
same "status" 0 $?
read -r r1 rs1 w1 ws1 < <(counters)
note "$(tail -n 1 "$tmp/err"); $(jq -c '.rows[] | [.container, .disk, .count, .p50, .p99, .max]' "$tmp/json" | xargs)"
of() { jq -s "[.[].rows[] | select(.disk == \"nullb0\" and (.cid != 0 or $2)) | .$1] | add // 0" "$tmp/json"; }
same "reads and writes of all, by the disk's own count" "$((r1 - r0)) $((w1 - w0))" "$(of reads true) $(of writes true)"
same "and bytes" "$(((rs1 - rs0) * 512)) $(((ws1 - ws0) * 512))" "$(of rbytes true) $(of wbytes true)"
same "requests and bytes together" "$((r1 - r0 + w1 - w0)) $(((rs1 - rs0 + ws1 - ws0) * 512))" "$(of count true) $(of bytes true)"
same "the container's reads and writes, although it has gone" "7 12" "$(of reads false) $(of writes false)"
same "and bytes" "28672 98304" "$(of rbytes false) $(of wbytes false)"
check "half took the disk's 5 ms, a busy machine's wait aside: $(of p50 false)" test "$(of p50 false)" -ge 4000000 -a "$(of p50 false)" -lt 50000000
# 19 requests, one after the other
most=$(($(cat "$tmp/ended") - $(cat "$tmp/began") - 18 * 4900000))
in_range "the longest: the disk's 5 ms, and what the other 18 left of the programs' time" 4900000 $most "$(of max false)"
in_range "p99, in that bucket" 3200000 $most "$(of p99 false)"
check "none less: $(jq -s '[.[].rows[] | select(.cid != 0 and .disk == "nullb0") | .buckets[0][1]] | min' "$tmp/json")" \
	test "$(jq -s '[.[].rows[] | select(.cid != 0 and .disk == "nullb0") | .buckets[0][1]] | min' "$tmp/json")" -ge 4900000
same "rows add up to the account" "$(jq -s '[.[].account.events] | add' "$tmp/json")" "$(jq -s '[.[].rows[].count] | add' "$tmp/json")"

# Flushes and discards: a disk with a cache of its own, which a file's fsync() flushes. The disk counts both (since 5.5 flushes).
if modprobe -r null_blk && modprobe null_blk nr_devices=2 queue_mode=2 irqmode=2 completion_nsec=5000000 submit_queues=1 memory_backed=1 \
	discard=1 cache_size=16 gb=1; then
	# DISCARDS FLUSHES
	counters() { awk '{print $12 + 0, $16 + 0}' /sys/block/nullb0/stat; }
	read -r d0 f0 < <(counters)
	ctrace bio all --json -- ctbox -n flush -- sh -c "blkdiscard -o 1048576 -l 524288 /dev/nullb0
		for i in 1 2 3; do dd if=/dev/zero of=/dev/nullb0 bs=4k count=1 seek=\$i conv=notrunc,fsync 2> /dev/null; done; sleep 0.2" > "$tmp/json" 2> "$tmp/err"
	read -r d1 f1 < <(counters)
	note "$(cat /sys/block/nullb0/queue/write_cache), $((d1 - d0)) discards, $((f1 - f0)) flushes; $(jq -c '.rows[] | [.container, .disk, .count, .flushes, .discards]' "$tmp/json" | xargs)"
	same "discards of all, by the disk's own count" "$((d1 - d0))" "$(of discards true)"
	kernel_before 5.5 || same "flushes of all" "$((f1 - f0))" "$(of flushes true)"
	[ "$(cat /sys/block/nullb0/queue/write_cache)" != "write back" ] || at_least "and there were some" 3 "$(of flushes true)"
	[ "$(cat /sys/block/nullb0/queue/discard_max_bytes)" = 0 ] || at_least "discards are the container's" 1 "$(of discards false)"
	same "each request is one of these" "$(of count true)" "$(($(of reads true) + $(of writes true) + $(of flushes true) + $(of discards true)))"
fi

# what is written back later, by a kernel thread, is the container's that wrote it
if [ "$(cgroup_mode)" = v2 ] && mkdir -p /sys/fs/cgroup/box && echo "+io +memory" > /sys/fs/cgroup/cgroup.subtree_control &&
	echo "+io +memory" > /sys/fs/cgroup/box/cgroup.subtree_control; then
	later "echo '-io -memory' > /sys/fs/cgroup/cgroup.subtree_control"
	later "echo '-io -memory' > /sys/fs/cgroup/box/cgroup.subtree_control"
	for f in dirty_writeback_centisecs:10 dirty_expire_centisecs:10; do
		later "echo $(cat "/proc/sys/vm/${f%:*}") > /proc/sys/vm/${f%:*}"
		echo "${f#*:}" > "/proc/sys/vm/${f%:*}"
	done
	# the last process to close a device writes all of it back itself
	exec 6> /dev/nullb1
	later "exec 6>&-"
	cheap writer -n writer -- sh -c "until [ -e $tmp/go ]; do sleep 0.05; done; dd if=/dev/zero of=/dev/nullb1 bs=64k count=16 conv=notrunc 2> /dev/null; while :; do sleep 1; done"
	cid=$(of_pid "$pid" cid)
	ctrace bio all --by comm --json -- sh -c ": > $tmp/go; sleep 2" > "$tmp/json" 2> "$tmp/err"
	note "$(jq -c '.rows[] | [.container, .by, .disk, .count, .wbytes]' "$tmp/json" | xargs)"
	same "written back: the container's bytes, by a kernel thread" 1048576 \
		"$(jq -s "[.[].rows[] | select(.cid == $cid and .disk == \"nullb1\" and (.by | test(\"kworker\"))) | .wbytes] | add // 0" "$tmp/json")"
fi

# requests one by one
t=$(date +%s%N)
ctrace bio all --lines --json -- ctbox -i "$tmp/lines.pid" -n lines -- sh -c "dd if=/dev/nullb0 of=/dev/null bs=4k count=4 skip=1000 iflag=direct 2> /dev/null; sleep 0.5
	exec dd if=/dev/nullb0 of=/dev/null bs=4k count=1 skip=1004 iflag=direct 2> /dev/null" > "$tmp/json" 2> "$tmp/err"
t=$(($(date +%s%N) - t))
jq -c "select(.cid != 0)" "$tmp/json" > "$tmp/lines"
same "a line for each" 5 "$(wc -l < "$tmp/lines")"
same "sectors" "8000 8008 8016 8024 8032" "$(jq -s -r '[.[].sector] | sort | map(tostring) | join(" ")' "$tmp/lines")"
same "what they are" true "$(jq -s 'all(.[]; .comm == "dd" and .disk == "nullb0" and .bytes == 4096 and (.rwbs | startswith("R")) and .duration >= 4900000 and .errno == null)' "$tmp/lines")"
last() { jq -s "[.[] | select(.sector == 8032) | .$1][0]" "$tmp/lines"; }
same "by whom" "$(cat "$tmp/lines.pid")" "$(last by_tid)"
in_range "the last one, half a second after the others" 500000000 "$t" "$(last since_first)"
has "an account" '^ctrace: [0-9]+ events from 1 container.*, 0 lost' "$tmp/err"
ctrace bio all --lines --longer 1ms -- ctbox -n lines -- sh -c "dd if=/dev/nullb0 of=/dev/null bs=4k count=3 skip=2000 iflag=direct 2> /dev/null; sleep 0.2" > "$tmp/out" 2> "$tmp/err"
has "biosnoop's columns, the container first" '^CONTAINER +TIME\(s\) +COMM +PID +DISK +T +SECTOR +BYTES +QUE\(ms\) +THR\(ms\) +LAT\(ms\) +ERR$' "$tmp/out"
has "a line" '^[^ ]+ .*[0-9.]+ +dd +[0-9]+ +nullb0 +R[A-Z]* +16000 +4096 +[0-9]+\.[0-9]+ +0\.000 +[0-9]+\.[0-9]+ +-$' "$tmp/out"

ctrace bio all --hist -- ctbox -n hist -- sh -c "dd if=/dev/nullb0 of=/dev/null bs=4k count=4 iflag=direct 2> /dev/null; sleep 0.2" > "$tmp/out" 2> "$tmp/err"
has "a histogram" '^container = .*, disk = nullb0$' "$tmp/out"
has "of 5 ms" '^ +4194 -> 8389 ' "$tmp/out"
# a disk with a bad sector, which says so to the program
d=/sys/kernel/config/nullb/bad
modprobe configfs 2> /dev/null
mountpoint -q /sys/kernel/config || mount -t configfs none /sys/kernel/config
if mkdir $d && [ -e $d/badblocks ]; then
	later "echo 0 > $d/power; rmdir $d"
	for w in memory_backed:1 size:64 irqmode:0 badblocks:+2048-2055 power:1; do echo "${w#*:}" > "$d/${w%:*}"; done
	# newer kernels call it as its directory
	disk=/dev/nullb$(cat $d/index)
	[ -b "$disk" ] || disk=/dev/bad
	ctrace bio all --lines --json -- ctbox -n bad -- sh -c "LC_ALL=C dd if=$disk of=/dev/null bs=4k count=1 skip=256 iflag=direct 2> $tmp/dd; sleep 0.2" > "$tmp/json" 2> "$tmp/err"
	has "the program cannot read it" 'Input/output error' "$tmp/dd"
	same "nor has the line another error" EIO "$(jq -r "select(.cid != 0 and .sector == 2048) | .errno" "$tmp/json" | sort -u)"
else
	note "no null_blk with bad sectors"
fi 2> "$tmp/bad"
ctrace bio all --comm no-such --failed --duration 0.2 > "$tmp/out" 2> "$tmp/err"
same "no events: the heading alone" 1 "$(wc -l < "$tmp/out")"
has "which names its columns" '^CONTAINER +DISK +IOS +READS +WRITES +FLUSHES +DISCARDS +RBYTES +WBYTES +QUE50 +QUE99 +P50 +P99 +MAX$' "$tmp/out"
refuse "other events" 'leave out -e|alone' ctrace bio -e read
refuse "other events, as lines" 'has its own events' ctrace bio --lines -e read
refuse "a column that is none" "no column 'size'" ctrace bio --sort size
refuse "counting options with --lines" 'is for tables' ctrace bio --lines --by comm
