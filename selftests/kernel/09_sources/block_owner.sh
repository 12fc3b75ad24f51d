#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: block requests belong to their issuer, wherever they are dispatched and completed
# witness: two containers and the host write separate sectors to null_blk, two requests at a time: the
#	sector shows the writer, tracefs how often; take the issuer from current in probe_issue to see it fail
# requires: v2,v1
# timeout: 120
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

# The disk takes two requests at a time and completes them in a timer's interrupt. Other requests wait; the
# next task that comes along dispatches them.
modprobe null_blk nr_devices=1 queue_mode=2 irqmode=2 completion_nsec=2000000 hw_queue_depth=2 submit_queues=1 gb=4 ||
	skip "no null_blk"
later "rmmod null_blk"
dev=$(awk -F: '{print $1 * 1048576 + $2}' /sys/block/nullb0/dev) kdev=$(tr : , < /sys/block/nullb0/dev)
load
tracing on block/block_rq_issue block/block_rq_complete
events=(-e block_rq_insert -e block_rq_issue -e block_rq_complete -e block_bio_queue)

# Each container writes 40 times 8 sectors, starting at its own sector; the host starts at 200000.
writer="until [ -e $tmp/go ]; do sleep 0.05; done; for i in 0 1 2 3; do
	dd if=/dev/zero of=/dev/nullb0 bs=4k count=10 oflag=direct seek=\$((\$0 / 8 + i * 10)) 2> /dev/null & done; wait; : > $tmp/done.\$0"
for sched in none mq-deadline; do
	echo $sched > /sys/block/nullb0/queue/scheduler 2> /dev/null || { note "no $sched"; continue; }
	rm -f "$tmp"/go "$tmp"/done.*
	cheap "one$sched" -g "/box/$(hex64 "one$sched")" -- /bin/sh -c "$writer" 0
	a=$(of_pid "$pid" cid)
	cheap "two$sched" -g "/box/$(hex64 "two$sched")" -- /bin/sh -c "$writer" 100000
	b=$(of_pid "$pid" cid)
	tracing clear
	dump "$tmp/ev" -t all "${events[@]}"
	all=$dumping
	dump "$tmp/one" -t "cid:$a" "${events[@]}"
	one=$dumping
	: > "$tmp/go"
	sh -c "$writer" 200000
	wait_for 30 test -e "$tmp/done.0" -a -e "$tmp/done.100000" || give_up "the writers did not end"
	kill "$all" "$one"
	wait "$all" "$one"
	# leave out the machine's other disks
	grep " dev=$dev " "$tmp/ev" > "$tmp/all"
	tracing read | grep -E "block_rq_[a-z]*: $kdev " > "$tmp/kernel"

	# The owner of each event's sectors, known by the sector: "NAME FIRST-SECTOR cid=N SECTORS". Adjoining
	# requests may be merged into one.
	sed -nE 's/^[0-9]+ (block_[a-z_]+) (cid=[0-9]+) .* sector=([0-9]+) nr_sector=([0-9]+) .*/\1 \3 \2 \4/p' "$tmp/all" |
		awk '{n[$1 " " int($2 / 100000) * 100000 " " $3] += $4} END {for (i in n) print i, n[i]}' | sort > "$tmp/whose"
	note "$(cat "$tmp/whose")"
	for name in block_bio_queue block_rq_issue block_rq_complete; do
		same "$sched: $name of each" "$name 0 cid=$a 320,$name 100000 cid=$b 320,$name 200000 cid=0 320" \
			"$(grep "^$name " "$tmp/whose" | paste -sd,)"
	done
	[ $sched = none ] || same "$sched: block_rq_insert of each" "0 cid=$a,100000 cid=$b,200000 cid=0" \
		"$(grep "^block_rq_insert " "$tmp/whose" | cut -d' ' -f2,3 | paste -sd,)"
	# the kernel's own events have the same sectors, as often
	for name in block_rq_issue block_rq_complete; do
		sed -nE "s/.* $name: .* ([0-9]+) \+ ([0-9]+) .*/\1 \2/p" "$tmp/kernel" | sort > "$tmp/theirs"
		sed -nE "s/^[0-9]+ $name .* sector=([0-9]+) nr_sector=([0-9]+) .*/\1 \2/p" "$tmp/all" | sort > "$tmp/ours"
		check "$sched: $name: the sectors of the kernel's own events ($(wc -l < "$tmp/theirs"))" cmp "$tmp/theirs" "$tmp/ours"
	done
	has "$sched: an issue has its issuer, bytes and flags" \
		" block_rq_issue cid=$a tid=([0-9]+) .* bytes=4096 tid=\1 rwbs=33 comm=\"dd\"$" "$tmp/ev"
	has "$sched: a completion has no error" " block_rq_complete cid=$a .* error=0 rwbs=33$" "$tmp/ev"
	same "$sched: a session for the one gets nothing else" "$a" "$(cids "$tmp/one" .)"
	same "$sched: and all of that" 320 \
		"$(sed -nE "s/.* block_rq_complete .* dev=$dev .* nr_sector=([0-9]+) .*/\1/p" "$tmp/one" | awk '{n += $1} END {print n}')"
	# With a scheduler other tasks dispatch requests. If none did, the test would prove less.
	[ $sched = none ] || at_least "$sched: requests dispatched by another than their issuer" 1 \
		"$(grep ' block_rq_issue: ' "$tmp/kernel" | grep -vc '\[dd\]')"
done

# A followed command's requests complete in an interrupt, and still belong to the command.
evdump -e block_rq_complete -- dd if=/dev/zero of=/dev/nullb0 bs=4k count=5 oflag=direct > "$tmp/ev" 2> "$tmp/err"
same "completions of a command that is followed" 5 "$(grep -c "block_rq_complete cid=0 tid=[1-9].* dev=$dev .* nr_sector=8 " "$tmp/ev")"

# A filter asks for the issuer's task, too.
# shellcheck disable=SC2016 # ctrace's own
dump "$tmp/ev" -t all -e block_rq_complete -f '$comm == "dd"'
dd if=/dev/zero of=/dev/nullb0 bs=4k count=5 oflag=direct 2> /dev/null
stop_dump
same "completions of an issuer with the name that a filter asks for" 5 "$(grep -c "block_rq_complete cid=0 tid=[1-9].* dev=$dev .* nr_sector=8 " "$tmp/ev")"
