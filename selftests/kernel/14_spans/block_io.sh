#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: block_io: how long a disk of known latency takes, how long a request waited for it since it was made, and whose it is
# witness: null_blk that takes 20 ms and one request at a time; tracefs, request by request; the sector
#	shows the writer
# columns: bio --lines: SECTOR QUE(ms) LAT(ms)
# requires: v2,v1
# timeout: 120
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

# The disk takes one request at a time, and answers after 20 ms in a timer's interrupt: of four that come at once, all
# but the first wait.
modprobe null_blk nr_devices=1 queue_mode=2 irqmode=2 completion_nsec=20000000 hw_queue_depth=1 submit_queues=1 gb=4 ||
	skip "no null_blk"
later "rmmod null_blk"
dev=$(awk -F: '{print $1 * 1048576 + $2}' /sys/block/nullb0/dev) kdev=$(tr : , < /sys/block/nullb0/dev)
echo mq-deadline > /sys/block/nullb0/queue/scheduler 2> /dev/null
note "scheduler: $(cat /sys/block/nullb0/queue/scheduler)"
load
tracing on block/block_getrq block/block_rq_insert block/block_rq_issue block/block_rq_complete
writer="until [ -e $tmp/go ]; do sleep 0.05; done; for i in 0 1 2 3; do
	dd if=/dev/zero of=/dev/nullb0 bs=4k count=5 oflag=direct seek=\$((\$0 / 8 + i * 5)) 2> /dev/null & done; wait; : > $tmp/done.\$0"
cheap one -g "/box/$(hex64 one)" -- /bin/sh -c "$writer" 0
a=$(of_pid "$pid" cid)
cheap two -g "/box/$(hex64 two)" -- /bin/sh -c "$writer" 100000
b=$(of_pid "$pid" cid)
dump "$tmp/all" -t all -e block_io
all=$dumping
ctrace bio all --lines --json > "$tmp/bio" 2> "$tmp/bio.err" &
bio=$!
later "kill $bio"
dump "$tmp/one" -t "cid:$a" -e block_io
one=$dumping
recording() { [ "$(ctrace status | grep -c ' recording')" -ge 3 ]; }
wait_for 20 recording || give_up "not all record: $(cat "$tmp"/*.err)"
: > "$tmp/go"
wait_for 60 test -e "$tmp/done.0" -a -e "$tmp/done.100000" || give_up "the writers did not end"
sleep 0.3
kill "$all" "$one"
wait "$all" "$one"
kill -INT "$bio"
wait "$bio"
grep " dev=$dev " "$tmp/all" > "$tmp/ev"
tracing read | grep -E "block_(rq_[a-z]*|getrq): $kdev " > "$tmp/kernel"
note "$(head -n 3 "$tmp/ev")"

# SECTOR DURATION QUEUED, in us, by the kernel's own events, and ours
awk '{ for (i = 1; i < NF; i++) if ($i == "+") s = $(i - 1)
	match($0, /[0-9]+\.[0-9]+: block_/); t = substr($0, RSTART, RLENGTH) + 0
	if (/block_getrq:/) made[s] = t
	if (/block_rq_issue:/) issued[s] = t
	if (/block_rq_complete:/) printf "%d %d %d\n", s, (t - issued[s]) * 1e6, s in made ? (issued[s] - made[s]) * 1e6 : 0
}' "$tmp/kernel" | sort -n > "$tmp/theirs"
sed -nE 's/.* duration=([0-9]+) queued=([0-9]+) .* sector=([0-9]+) .*/\3 \1 \2/p' "$tmp/ev" |
	awk '{ print $1, int($2 / 1000), int($3 / 1000) }' | sort -n > "$tmp/ours"
at_least "requests" 10 "$(wc -l < "$tmp/theirs")"
same "the same requests as the kernel's own events" "$(cut -d' ' -f1 "$tmp/theirs" | xargs)" "$(cut -d' ' -f1 "$tmp/ours" | xargs)"
# The two are taken one after the other, so on a busy host a virtual CPU may pause between them: most must agree.
paste -d' ' "$tmp/theirs" "$tmp/ours" > "$tmp/both"
near() { awk -v c="$1" 'function abs(x) { return x < 0 ? -x : x } abs($c - $(c + 3)) < 3000 { n++ } END { print n + 0 }' "$tmp/both"; }
n=$(wc -l < "$tmp/both")
at_least "durations like theirs, of $n" $((n * 8 / 10)) "$(near 2)"
at_least "waits like theirs, of $n" $((n * 8 / 10)) "$(near 3)"
# the same by the command's lines
if command -v jq > /dev/null; then
	jq -r 'select(.disk == "nullb0") | [.sector, .duration / 1000, .queued / 1000] | map(floor | tostring) | join(" ")' "$tmp/bio" | sort -n > "$tmp/lines"
	same "bio --lines: the same requests" "$(cut -d' ' -f1 "$tmp/theirs" | xargs)" "$(cut -d' ' -f1 "$tmp/lines" | xargs)"
	paste -d' ' "$tmp/theirs" "$tmp/lines" > "$tmp/both"
	at_least "bio --lines: durations like theirs, of $n" $((n * 8 / 10)) "$(near 2)"
	at_least "bio --lines: waits like theirs, of $n" $((n * 8 / 10)) "$(near 3)"
fi
same "spans shorter than the disk takes" 0 "$(awk '$2 < 19900' "$tmp/ours" | wc -l)"
# Before 4.11 blk-mq has no schedulers: who finds no tag waits before there is a request.
if ! kernel_before 4.11 && grep -q block_rq_insert: "$tmp/kernel"; then
	at_least "requests that waited for another one" 5 "$(awk '$3 > 15000' "$tmp/ours" | wc -l)"
fi
same "whose: the first's sectors" "$a" "$(sed -nE 's/.* cid=([0-9]+) .* sector=([0-9]+) .*/\2 \1/p' "$tmp/ev" | awk '$1 < 100000 {print $2}' | sort -u | xargs)"
same "whose: the second's" "$b" "$(sed -nE 's/.* cid=([0-9]+) .* sector=([0-9]+) .*/\2 \1/p' "$tmp/ev" | awk '$1 >= 100000 {print $2}' | sort -u | xargs)"
same "bytes of each" "81920 81920" "$(sed -nE 's/.* bytes=([0-9]+) sector=([0-9]+) .*/\1 \2/p' "$tmp/ev" |
	awk '{ n[$2 >= 100000] += $1 } END { print n[0], n[1] }')"
has "no error, a synchronous write, by dd" " error=0 tid=[1-9][0-9]* rwbs=33 comm=\"dd\"$" "$tmp/ev"
same "a session for the one gets nothing else" "$a" "$(cids "$tmp/one" .)"
same "and all of that" "$(grep -c " cid=$a " "$tmp/ev")" "$(grep -c " dev=$dev " "$tmp/one")"

# Two functions ask for the issuer when a request completes. The one whose event was asked for first runs first.
for order in '-e block_io -e block_rq_complete' '-e block_rq_complete -e block_io'; do
	rm -f "$tmp"/go "$tmp"/done.*
	cheap both -g "/box/$(hex64 both)" -- /bin/sh -c "$writer" 0
	c=$(of_pid "$pid" cid)
	# shellcheck disable=SC2086 # options
	dump "$tmp/both" -t all -t host $order
	: > "$tmp/go"
	wait_for 60 test -e "$tmp/done.0" || give_up "the writers did not end"
	sleep 0.3
	stop_dump
	for name in block_io block_rq_complete; do
		same "whose, with $order: $name" "$c" "$(grep " $name .* dev=$dev " "$tmp/both" > "$tmp/of"; cids "$tmp/of" .)"
	done
done
