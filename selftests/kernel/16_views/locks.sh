#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: ctrace locks: a container's waits for locks of the kernel, by kind, thread, lock and stack, are those that the kernel saw
# witness: tracefs has contention_begin and contention_end of the same threads
# columns: locks: KIND name COUNT TOTAL AVG P50 P99 MAX hist
# requires: any
# timeout: 300
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=../witness.sh
. "$(dirname "$0")/../witness.sh"
# shellcheck source=../contentions.sh
. "$(dirname "$0")/../contentions.sh"

load
tracefs_mount
if [ ! -e $tracefs/events/lock/contention_begin ]; then
	refuse "on a kernel without the tracepoints" 'no tracepoint' ctrace locks --duration 1
	exit
fi
# run OUT OPTION...: ctrace locks while the threads do their rounds; $tmp/theirs has what the kernel saw of that
run() {
	local out=$1
	shift
	echo > $tracefs/trace
	echo 1 > $tracefs/tracing_on
	next_go
	ctrace locks --json "$@" "cid:$cid" -- sh -c "$go" > "$tmp/$out" 2> "$tmp/$out.err"
	same "$out: status" 0 $?
	note "$(cat "$tmp/$out.err")"
	grep '^{' "$tmp/$out" > "$tmp/json"
	witnessed "$tmp/kernel" "$in_task"
	contentions "$tmp/kernel" | awk -v names="$(jq -r 'to_entries[] | "\(.key) \(.value)"' <<< "$kind_names" | xargs)" '
		BEGIN { n = split(names, w, " "); for (i = 1; i < n; i += 2) name[w[i]] = w[i + 1] }
		{ $2 = name[$2]; print }' > "$tmp/theirs"
	note "$out: $(cut -d' ' -f2 "$tmp/theirs" | sort | uniq -c | xargs)"
	same "$out: nothing is missing" "0 0 0" "$(jq -r '.account | "\(.unfollowed) \(.missed) \(.other)"' "$tmp/json")"
}
# agree WHAT FILTER FIELDS [COLUMNS]: lines of "KEY... COUNT" that jq makes of our rows, and awk of the kernel's
# waits, or these columns of them
agree() {
	jq -r ".rows[] | select(.cid == $cid) | $2" "$tmp/json" | sort > "$tmp/ours.lines"
	awk "{n[$3]++} END {for (k in n) print k, n[k]}" "$tmp/theirs" | cut -d' ' -f"${4:-1-}" | sort > "$tmp/theirs.lines"
	if cmp -s "$tmp/theirs.lines" "$tmp/ours.lines" && [ -s "$tmp/ours.lines" ]; then
		ok "$1: $(wc -l < "$tmp/ours.lines") alike"
	else
		not_ok "$1"
		note "$(diff "$tmp/theirs.lines" "$tmp/ours.lines" | head -n 20)"
	fi
}

contenders 8 10
run kinds --by tid
at_least "waits that the kernel saw" 20 "$(wc -l < "$tmp/theirs")"
# shellcheck disable=SC2016 # awk's own dollars
agree "each thread's waits of each kind" '"\(.by | sub(".*= "; "")) \(.kind) \(.count)"' '$1 " " $2'
ns=$(awk '{n += $5} END {printf "%.0f", n}' "$tmp/theirs")
t=$(jq "[.rows[] | select(.cid == $cid) | .total] | add" "$tmp/json")
check "the time of all: $t of $ns ns" [ $((t > ns ? t - ns : ns - t)) -lt $((ns / 4)) ]
# of each thread and kind: the longest wait, and those that half and 99 of 100 do not exceed, in their buckets; the kernel's trace
# takes its time a little earlier or later
jq -r ".rows[] | select(.cid == $cid) | \"\(.by | sub(\".*= \"; \"\")) \(.kind) \(.p50) \(.p99) \(.max) \([.buckets[][2]] | add)\"" "$tmp/json" > "$tmp/ours"
# shellcheck disable=SC2016 # awk's own dollars
sort -n -k5,5 "$tmp/theirs" | awk '
	function near(ours, theirs) { return ours <= 2 * theirs + 5e6 && ours >= theirs / 2 - 5e6 }
	function rank(p, m) { return int(p * m + 0.999) - 1 }
	FNR == NR { k = $1 " " $2; d[k, n[k]++] = $5; next }
	{ k = $1 " " $2; m = n[k]
	  if (!near($3, d[k, rank(0.5, m)]) || !near($4, d[k, rank(0.99, m)]) || !near($5, d[k, m - 1]) || $6 != m)
		print $0 " beside " d[k, rank(0.5, m)], d[k, rank(0.99, m)], d[k, m - 1], m }' - "$tmp/ours" > "$tmp/far"
same "p50, p99 and max are near the kernel's" "" "$(cat "$tmp/far")"
same "averages" true "$(jq '[.rows[] | .avg == (.total / .count | floor)] | all' "$tmp/json")"
same "max is no less than avg, nor than p99" true "$(jq '[.rows[] | .max >= .avg and .max >= .p99] | all' "$tmp/json")"
same "rows add up to the account" "$(jq .account.events "$tmp/json")" "$(jq '[.rows[].count] | add' "$tmp/json")"

run locks --by lock
# shellcheck disable=SC2016 # awk's own dollars
agree "each lock's waits, whatever its address is" '"\(.kind) \(.count)"' '$3 " " $2' 2-

run stacks --stack
same "stacks have all waits" "$(wc -l < "$tmp/theirs")" "$(jq "[.rows[] | select(.cid == $cid) | .count] | add" "$tmp/json")"
same "each ends in the kernel's entry" true "$(jq "[.rows[] | select(.cid == $cid) | .stack | length > 2] | all" "$tmp/json")"
same "a rwsem's waiter wants the memory or the file" true "$(jq "[.rows[] | select(.cid == $cid and (.kind | startswith(\"rwsem\")))
	| .stack | map(select(test(\"fault|mmap|munmap|mprotect|madvise|write|clone|exit\"))) | length > 0] | all" "$tmp/json")"
! grep -q ' mutex ' "$tmp/theirs" || same "a mutex's waiter wants the pipe" true "$(jq "[.rows[] | select(.cid == $cid and .kind == \"mutex\")
	| .stack | map(select(test(\"pipe\"))) | length > 0] | any" "$tmp/json")"
same "no frame is the tracer's" 0 "$(jq '[.rows[].stack[] | select(test("traceiter|\\[ctrace\\]"))] | length' "$tmp/json")"

next_go
ctrace locks "cid:$cid" --folded "$tmp/folded" -- sh -c "$go" > "$tmp/out" 2> "$tmp/err"
has "folded" ';contend;.*;[^;]*(mutex|rwsem|down_)[^;]* [0-9]+$' "$tmp/folded"
next_go
ctrace locks "cid:$cid" --by comm -- sh -c "$go" > "$tmp/out" 2> "$tmp/err"
note "$(cat "$tmp/out")"
has "a table" '^CONTAINER +BY +KIND +COUNT +TOTAL +AVG +P50 +P99 +MAX$' "$tmp/out"
has "a rwsem" ' comm = contend +rwsem:[RW] +[0-9]+ ' "$tmp/out"
ctrace locks "cid:$cid" --failed --duration 0.2 > "$tmp/out" 2> "$tmp/err"
has "no events: an account" '^ctrace: 0 events counted' "$tmp/err"
next_go
ctrace record -o "$tmp/t" -e lock_contention "cid:$cid" -- sh -c "$go" 2> "$tmp/err"
ctrace locks --input "$tmp/t" --json > "$tmp/json" 2> "$tmp/err"
at_least "of a recording" 20 "$(jq '[.rows[].count] | add' "$tmp/json")"
refuse "other events" 'lock_contention alone' ctrace locks -e read
refuse "a column that is none" "no column 'size'" ctrace locks --sort size
