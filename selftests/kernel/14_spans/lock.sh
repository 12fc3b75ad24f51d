#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: lock_contention: each wait for a lock of the kernel, in order; no lock's address for sessions that may give views
# witness: tracefs has contention_begin and contention_end of the same threads
# requires: any
# timeout: 240
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=../witness.sh
. "$(dirname "$0")/../witness.sh"
# shellcheck source=../contentions.sh
. "$(dirname "$0")/../contentions.sh"

load
tracefs_mount
if [ ! -e $tracefs/events/lock/contention_begin ]; then
	ctrace events -v lock_contention > "$tmp/out" 2>&1
	has "events says why it is not here" 'lock_contention.*not here: .*no tracepoint' "$tmp/out"
	refuse "and so does a session" 'no tracepoint' ctrace trace all -e lock_contention --duration 1
	exit
fi
contenders 8 10
dump "$tmp/ev" -d 600 -v -N -t "cid:$cid" -e lock_contention
dump_all=$dumping
dump "$tmp/hidden" -d 600 -t "cid:$cid" -e lock_contention
next_go
check "they are done" sh -c "$go"
witnessed "$tmp/kernel" "$in_task"
stop_dump
kill "$dump_all"
wait "$dump_all"

# ours FILE: the same lines
ours() {
	sed -nE 's/^[0-9]+ lock_contention cid=[0-9]+ tid=([0-9]+) vtid=[0-9]+ duration=([0-9]+) lock=(0x)?([0-9a-f]+) kind=([0-9]+) ret=(-?[0-9]+).*/\1 \5 \4 \6 \2/p' "$1"
}
contentions "$tmp/kernel" | sort -s -k1,1n > "$tmp/theirs"
ours "$tmp/ev" | sort -s -k1,1n > "$tmp/ours"
note "$(head -n 2 "$tmp/kernel"; head -n 2 "$tmp/hidden")"
note "$(cut -d' ' -f2 "$tmp/theirs" | sort | uniq -c | xargs)"
note "$(tail -n 2 "$tmp/ev.err")"
at_least "waits that the kernel saw" 100 "$(wc -l < "$tmp/theirs")"
cut -d' ' -f1,2,4 "$tmp/theirs" > "$tmp/theirs.what"
cut -d' ' -f1,2,4 "$tmp/ours" > "$tmp/ours.what"
if cmp -s "$tmp/theirs.what" "$tmp/ours.what"; then ok "each thread's waits, in their order"; else
	not_ok "each thread's waits, in their order"
	note "$(diff "$tmp/theirs.what" "$tmp/ours.what" | head -n 20)"
fi
# each number of the kernel's stands for one address
paste -d' ' "$tmp/theirs" "$tmp/ours" | cut -d' ' -f3,8 | sort -u > "$tmp/pairs"
same "locks, by both" "$(cut -d' ' -f1 "$tmp/pairs" | sort -u | wc -l) $(cut -d' ' -f2 "$tmp/pairs" | sort -u | wc -l)" \
	"$(wc -l < "$tmp/pairs") $(wc -l < "$tmp/pairs")"
check "addresses of the kernel" grep -qE ' f[0-9a-f]{15}$' "$tmp/pairs"
# The two look at the clock one after the other, and the machine may be busy in between.
paste -d' ' "$tmp/theirs" "$tmp/ours" | awk '{n += $5; d = $5 - $10; off += d < 0 ? -d : d} END {printf "%.0f %.0f\n", n, off}' > "$tmp/off"
read -r ns off < "$tmp/off"
check "the times: $off ns apart, of $ns ns" [ "$off" -lt $((ns / 4)) ]
check "a rwsem" grep -qE '^[0-9]+ [24] ' "$tmp/ours"
# whether threads meet at the pipe is a matter of time
note "waits for a mutex: $(grep -cE '^[0-9]+ 3[23] ' "$tmp/ours")"
same "none unfollowed" 0 "$(grep -oE 'unfollowed [0-9]+' "$tmp/ev.err" | awk '{print $2; exit}')"
same "without -N there are as many" "$(wc -l < "$tmp/ours")" "$(ours "$tmp/hidden" | wc -l)"
same "and none has a lock's address" 0 "$(grep -c ' lock=0x' "$tmp/hidden")"
