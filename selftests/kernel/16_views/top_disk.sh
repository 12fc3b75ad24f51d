#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: ctrace top's disk columns: bytes read are reads, bytes written are writes, a discard is neither
# witness: the disk's own counters in /sys/block/*/stat; dd's blocks
# columns: top: DISKR/s DISKW/s
# requires: v2,v1
# timeout: 60
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

command -v jq > /dev/null || skip "no jq to read JSON"
modprobe null_blk nr_devices=1 queue_mode=2 irqmode=0 memory_backed=1 discard=1 gb=1 || skip "no null_blk"
later "rmmod null_blk"
load
# SECTORS_READ SECTORS_WRITTEN
counters() { awk '{print $3, $7}' /sys/block/nullb0/stat; }
# sum SELECTED FIELD: of the host and of all containers
sum() { jq -s "[.[].rows[] | select($1) | .$2] | add // 0" "$tmp/json"; }

both="dd if=/dev/zero of=/dev/nullb0 bs=64k count=12 oflag=direct 2> /dev/null
	dd if=/dev/nullb0 of=/dev/null bs=4k count=7 iflag=direct 2> /dev/null
	blkdiscard -o 1048576 -l 524288 /dev/nullb0; sleep 0.2"
# the programs are in memory afterwards: a container reads them from the guest's own disk otherwise
ctbox -n first -- sh -c "$both"

read -r r0 w0 < <(counters)
ctrace top -b --json -- ctbox -n reads -- sh -c "dd if=/dev/nullb0 of=/dev/null bs=64k count=20 iflag=direct 2> /dev/null
	sleep 0.2" > "$tmp/json" 2> "$tmp/err"
same "status" 0 $?
read -r r1 w1 < <(counters)
at_least "the disk read" $((20 * 128)) $((r1 - r0))
same "and did not write" 0 $((w1 - w0))
same "one who reads: bytes read" $((20 * 65536)) "$(sum '.cid != 0' disk_read)"
same "bytes written" 0 "$(sum '.cid != 0' disk_write)"

read -r r0 w0 < <(counters)
ctrace top -b --json -- ctbox -n both -- sh -c "$both" > "$tmp/json" 2> "$tmp/err"
read -r r1 w1 < <(counters)
# blkdiscard looks for file systems first, so the disk's own number says what was read
same "one who does both: bytes read" $(((r1 - r0) * 512)) "$(sum '.cid != 0' disk_read)"
same "bytes written" $((12 * 65536)) "$(sum '.cid != 0' disk_write)"
check "the disk had no fewer: $((r1 - r0)) and $((w1 - w0)) sectors" test $((r1 - r0)) -ge $((7 * 8)) -a $((w1 - w0)) -ge $((12 * 128))
ctrace top -b --count 1 --interval 0.2 > "$tmp/out" 2> "$tmp/err"
has "the columns" 'DISKR/s +DISKW/s' "$tmp/out"
