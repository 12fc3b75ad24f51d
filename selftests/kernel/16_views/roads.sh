#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: calls counted live, from a recording of entries and exits, and from one of whole calls are the same: names, numbers, errors
# witness: each other, over the same load; strace -f of the same programs; the number of calls that the filter denies
# requires: v2
# timeout: 150
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
command -v jq > /dev/null || skip "no jq to read JSON"
mkfifo "$tmp/go"
# what is denied, changes its number or its task, never returns, ends in odd ways
cat > "$tmp/load" << 'EOF'
for what in 'provoke denied' 'provoke mount' 'provoke open' 'changes execveat' 'changes thread' 'changes signal' 'provoke fork' \
	'provoke numbers' 'incalls none'; do
	$what
done > /dev/null
EOF
cat > "$tmp/work" << 'EOF'
read -r _ < "$1/go"
. "$1/load"
: > "$1/done"
read -r _ < "$1/go"
EOF
cheap box -n box -- sh "$tmp/work" "$tmp"
cid=$(of_pid "$pid" cid)
check "the container is known" test -n "$cid"
jobs=()
run() { # OUT ARGUMENT...
	"${@:2}" "cid:$cid" > "$1" 2> "$1.err" & jobs+=($!)
	later "kill $!"
}
run "$tmp/stats.live" ctrace stats --json --errnos
run "$tmp/failed.live" ctrace count calls --failed --by errno --json
run "$tmp/made" ctrace record --minimal -o "$tmp/pairs" --buffer-size 16M
run "$tmp/made2" ctrace record -o "$tmp/whole" --buffer-size 16M
recording() { [ "$(ctrace status --json | jq '[.sessions[] | select(.recording)] | length')" = "$1" ]; }
wait_for 20 recording 4 || note "$(ctrace status)"
echo > "$tmp/go"
wait_for 40 test -e "$tmp/done" || note "the load did not end"
sleep 0.3
kill -INT "${jobs[@]}"
wait "${jobs[@]}"
has "nothing was lost" ' 0 lost' "$tmp/made.err"
has "nor here" ' 0 lost' "$tmp/made2.err"

calls() { jq -r '.rows[] | "\(.syscall) \(.calls) \(.errors) \(.errnos | to_entries | sort)"' "$1" | sort; }
errnos() { jq -c "$sorted .rows[] | sorted" "$1" | sort; }
calls "$tmp/stats.live" > "$tmp/a"
errnos "$tmp/failed.live" > "$tmp/e"
note "$(cat "$tmp/a")"
at_least "kinds of calls" 15 "$(wc -l < "$tmp/a")"
at_least "errors" 3 "$(wc -l < "$tmp/e")"
for road in pairs whole; do
	ctrace stats --errnos --json -i "$tmp/$road" > "$tmp/$road.stats" 2> "$tmp/err"
	calls "$tmp/$road.stats" > "$tmp/b"
	check "$road: stats, as live" diff "$tmp/a" "$tmp/b"
	ctrace count calls --failed --by errno --json -i "$tmp/$road" > "$tmp/$road.failed" 2> "$tmp/err"
	errnos "$tmp/$road.failed" > "$tmp/b"
	check "$road: errors, as live" diff "$tmp/e" "$tmp/b"
	ctrace report --summary --json "$tmp/$road" 2> "$tmp/err" |
		jq -r '.rows[] | .calls.calls[] | "\(.syscall) \(.count) \(.errors)"' | sort > "$tmp/b"
	check "$road: summary, as live" diff <(cut -d' ' -f1-3 "$tmp/a") "$tmp/b"
	ctrace export --chrome "$tmp/$road.json" "$tmp/$road" > "$tmp/out" 2>&1 || note "$(cat "$tmp/out")"
	# the return of a call that began before is no slice
	jq -r '.traceEvents[] | select(.cat == "syscalls" and (.ph == "X" or .ph == "B")) | .name' "$tmp/$road.json" |
		sort | uniq -c | awk '{print $2, $1}' | sort > "$tmp/$road.slices"
done
# of entries and exits, calls that never return are slices, too, and numbers that no call has
other='^(exit|exit_group|read|pause|open|openat|wait4|syscall_.*) '
check "exports: as many of each that returns" diff <(grep -vE "$other" "$tmp/pairs.slices") <(grep -vE "$other" "$tmp/whole.slices")
same "mount: denied once, and refused once" "mount 2 2" "$(grep '^mount ' "$tmp/a" | cut -d' ' -f1-3)"
same "getpriority: denied" "getpriority 1 1" "$(grep '^getpriority ' "$tmp/a" | cut -d' ' -f1-3)"
ctrace report "$tmp/pairs" > "$tmp/out" 2> "$tmp/err"
same "lines: these have no entry" "getpriority getsid mount" \
	"$(sed -nE 's/.* ([a-z]+)\(\?\) = .* <no entry>$/\1/p' "$tmp/out" | sort | paste -sd' ')"
if command -v strace > /dev/null; then
	strace -f -qq -o "$tmp/strace" sh "$tmp/load"
	for call in mount getpriority rt_sigreturn execveat; do
		same "$call: as strace sees it" "$(grep -cE "^[0-9]+ +($call\(.*|<... $call resumed>.*) = [-0-9]" "$tmp/strace")" "$(sed -n "s/^$call \([0-9]*\) .*/\1/p" "$tmp/a")"
	done
fi
