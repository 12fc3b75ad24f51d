#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: more block requests under way than can be remembered: the rest is counted; fewer: all have their issuer
# witness: 3,000 writes under way on a slow null_blk: seen + unfollowed = made; then 100
# requires: v2
# kernels: 6.1
# timeout: 120
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

# The disk completes a request after three seconds, and takes thousands at a time.
modprobe null_blk nr_devices=1 queue_mode=2 irqmode=2 completion_nsec=3000000000 hw_queue_depth=8192 submit_queues=1 gb=4 ||
	skip "no null_blk"
later "rmmod null_blk"
echo none > /sys/block/nullb0/queue/scheduler
echo 0 > /sys/block/nullb0/queue/wbt_lat_usec 2> /dev/null
echo 65536 > /proc/sys/fs/aio-max-nr
load
# many N: a container with N requests under way; sets $made, $seen and $lost
many() {
	cheap "many$1" -g "/box/$(hex64 "many$1")" -- /bin/sh -c "until [ -e $tmp/go$1 ]; do sleep 0.05; done; manyio /dev/nullb0 $1"
	dump "$tmp/ev" -v -d 600 -t "cid:$(of_pid "$pid" cid)" -e block_rq_complete
	: > "$tmp/go$1"
	wait_for 30 grep -q made "$tmp/many$1.out" || give_up "no writes: $(cat "$tmp/many$1.out")"
	sleep 0.5
	stop_dump
	made=$(sed -n 's/^made //p' "$tmp/many$1.out")
	seen=$(grep -c ' block_rq_complete ' "$tmp/ev")
	lost=$(sed -n 's/.* unfollowed \([0-9]*\).*/\1/p' "$tmp/ev.err")
}
many 3000
same "so many were made" 3000 "$made"
at_least "most have their issuer" 2000 "$seen"
at_least "some have not" 1 "$lost"
same "and these are counted" "$made" $((seen + lost))
# the many have left nothing behind
many 100
same "of a few all have it" "100 0" "$seen $lost"
