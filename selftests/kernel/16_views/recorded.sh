#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: views of a recording show the numbers that they showed live of the same load, exactly if nothing was lost
# requires: any
# timeout: 120
# torture: 120
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
command -v jq > /dev/null || skip "no jq to read JSON"
mkfifo "$tmp/go"
# quiet before its work, and after it: all sessions see the same
cat > "$tmp/work" << 'EOF'
read -r _ < "$1/go"
i=0
while [ $i -lt 10 ]; do
	[ -e /no/such/file ]
	cat /etc/passwd > /dev/null
	(sleep 0.01)
	i=$((i + 1))
done
counted 5 400 > /dev/null
: > "$1/done"
read -r _ < "$1/go"
EOF
cheap box -n box -- sh "$tmp/work" "$tmp"
cid=$(of_pid "$pid" cid)
check "the container is known" test -n "$cid"
names=() jobs=()
# view NAME ARGUMENT...: starts it live; afterwards the same is asked of the recording
view() {
	names+=("$1")
	printf '%s\0' "${@:2}" > "$tmp/$1.args"
	ctrace "${@:2}" "cid:$cid" --json > "$tmp/$1.live" 2> "$tmp/$1.err" & jobs+=($!)
	later "kill $!"
}
view stats stats --by comm
view failed count calls --failed --by errno
view condition count -e 'openat if filename ~ "/no/*" || filename ~ "/etc/*"' --by comm,pid
view switches count sched_switch,sched_process_fork,sched_process_exec --by cpu,tid
view agg agg --comm 'sh*' --comm sleep -e 'sched_block => count(), sum(duration), max(duration), avg(duration) by comm, log2(duration), waker_tid'
view runqlat runqlat --by comm
view stackcount stackcount sched_switch
ctrace record -o "$tmp/t" -e calls,sched_switch,sched_wait,sched_run,sched_block,sched_process_fork,sched_process_exec --stack \
	--buffer-size 64M "cid:$cid" 2> "$tmp/record.err" & recording=$!
later "kill $recording"
ctrace record --minimal -o "$tmp/pairs" --buffer-size 64M "cid:$cid" 2> "$tmp/pairs.err" & jobs+=($!)
later "kill $!"
recording() { [ "$(ctrace status --json | jq '[.sessions[] | select(.recording)] | length')" = "$1" ]; }
wait_for 20 recording $((${#names[@]} + 2)) || note "$(ctrace status)"
echo > "$tmp/go"
wait_for 20 test -e "$tmp/done" || note "the load did not end"
sleep 0.3
kill -INT $recording "${jobs[@]}"
wait $recording "${jobs[@]}"
has "nothing was lost" ' 0 lost' "$tmp/record.err"
rows() { jq -c "$sorted .rows | map(sorted) | sort_by(tostring) | .[]" "$1"; }
for name in "${names[@]}"; do
	mapfile -d '' -t args < "$tmp/$name.args"
	ctrace "${args[@]}" --input "$tmp/t" --json -v > "$tmp/$name.recorded" 2> "$tmp/$name.err"
	same "$name: status" 0 $?
	rows "$tmp/$name.live" > "$tmp/a"
	rows "$tmp/$name.recorded" > "$tmp/b"
	at_least "$name: rows" 1 "$(wc -l < "$tmp/a")"
	check "$name: the same rows" diff "$tmp/a" "$tmp/b"
done
has "the account tells what was lost" ' 0 lost' "$tmp/stats.err"
# calls that were recorded as entries and exits: their times are other looks at the clock
ctrace stats --by comm -i "$tmp/pairs" --json > "$tmp/paired" 2> "$tmp/err"
same "pairs: status" 0 $?
calls() { jq -r '.rows[] | "\(.by) \(.syscall) \(.calls) \(.errors) \(.errnos)"' "$1" | sort; }
calls "$tmp/stats.live" > "$tmp/a"
calls "$tmp/paired" > "$tmp/b"
check "pairs: as many calls and errors of each" diff "$tmp/a" "$tmp/b"
# recorded events are counted, and missing ones are reported
refuse "an event that was not recorded" "no block_io, as only these were recorded: calls, .*record -e block_io" ctrace count block_io -i "$tmp/t"
refuse "stacks that were not recorded" 'record --stack' ctrace stackcount syscalls -i "$tmp/pairs"
refuse "a user" 'which user' ctrace count calls --uid root -i "$tmp/t"
refuse "a command" 'COMMAND' ctrace count calls -i "$tmp/t" -- true
ctrace count sched_switch -i "$tmp/t" --interval 100ms --json > "$tmp/json" 2> "$tmp/err"
at_least "intervals by the recording's clock" 10 "$(wc -l < "$tmp/json")"
same "they add up" "$(ctrace count sched_switch -i "$tmp/t" --json 2> /dev/null | jq .account.events)" \
	"$(jq -s "map(.account.events) | add" "$tmp/json")"
ctrace report --summary "$tmp/t" > "$tmp/out" 2> "$tmp/err"
same "summary: status" 0 $?
note "$(cat "$tmp/out")"
has "what was not recorded" '^missing +cpu_throttled, block_io, tcp_life: ' "$tmp/out"
ctrace report --summary --json "$tmp/t" > "$tmp/json" 2> "$tmp/err"
if command -v babeltrace2 > /dev/null; then
	babeltrace2 "$tmp/t" > "$tmp/bt" 2> /dev/null
	# durations NAME: how many such events there are, and the sum of their durations
	durations() { awk -v name="$1" '$0 ~ " " name ": " {n++; match($0, /[{ ]duration = [0-9]+/); s += substr($0, RSTART + 12, RLENGTH - 12)} END {printf "%d %.0f\n", n, s}' "$tmp/bt"; }
	same "summary: events, as babeltrace2 counts them" "$(wc -l < "$tmp/bt")" "$(jq .events "$tmp/json")"
	same "calls and their times" "$(durations 'syscall_[a-z_0-9]+')" "$(jq -r '[.rows[].calls] | "\(map(.count) | add) \(map(.total) | add)"' "$tmp/json")"
	same "time on CPUs" "$(durations sched_run)" "$(jq -r '[.rows[].sched_run] | "\(map(.count) | add) \(map(.total) | add)"' "$tmp/json")"
	same "snoop: as many lines as programs began" "$(grep -c ' sched_process_exec: ' "$tmp/bt")" \
		"$(ctrace snoop exec --input "$tmp/t" --json 2> /dev/null | wc -l)"
	same "waits" "$(durations sched_wait)" "$(jq -r '[.rows[].sched_wait] | "\(map(.count) | add) \(map(.total) | add)"' "$tmp/json")"
fi
f=$(find "$tmp/t" -maxdepth 1 -name 'c*_*' -size +64k | head -n 1)
truncate -s 2000 "$f"	# within the records of its first packet, whose end may be empty
ctrace count calls -i "$tmp/t" > "$tmp/out" 2> "$tmp/err"
same "a torn file: status" 1 $?
has "what is whole is counted, and the rest told" "rest of that file is not counted" "$tmp/err"
