#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: func: and kprobe: take patterns: the entries of all functions that match, counted by function
# witness: a program that counts its calls; the kernel's own function tracer, with the same pattern
# requires: v2
# timeout: 120
# kernels: 6.1,newest
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
command -v jq > /dev/null || skip "no jq to read JSON"
tracing on
instance=$tracefs/instances/ctrace-test
list=$tracefs/available_filter_functions
grep -q 'sys_getpriority' "$list" 2> /dev/null || skip "no list of functions that ftrace can trace"

# rows FILE FILTER: of all rows
rows() {
	grep '^{' "$1" | jq -s "[.[].rows[] | {container, function: .keys.function, tid: .keys.tid, count: .values.count}] | $2"
}
ctrace count 'func:*sys_getpriority*' all --json -v -- ctbox -n counted -- counted 5 300 2 > "$tmp/out" 2> "$tmp/err"
same "status" 0 $?
note "$(cat "$tmp/err")"
note "$(rows "$tmp/out" . | jq -c .)"
same "each function that the 900 calls of three processes went through was entered 900 times" "[900]" \
	"$(rows "$tmp/out" '[.[] | select(.container != "host") | .count] | unique' | jq -c .)"
has "its name" '"function": *"__[a-z0-9]+_sys_getpriority"' "$tmp/out"
same "rows add up to the account" "$(grep '^{' "$tmp/out" | jq -s '[.[].account.events] | add')" "$(rows "$tmp/out" '[.[].count] | add')"
has "none was missed" ', 0 lost$' "$tmp/err"

# A shell, in one process, opens and reads. Its first read, of the fifo, begins before both tracers, and its last after it.
mkfifo "$tmp/go"
cheap box -n box -- sh -c "while read -r line < $tmp/go; do for i in \$(seq -s ' ' 200); do read -r line < /etc/passwd; done; echo done; done"
cid=$(of_pid "$pid" cid)
later "echo nop > $instance/current_tracer"
echo 'vfs_*' > "$instance/set_ftrace_filter"
ctrace count 'kprobe:vfs_*' "cid:$cid" --by tid --json > "$tmp/out" 2> "$tmp/err" & counting=$!
wait_for 20 recording 1 || give_up "not begun: $(cat "$tmp/err")"
echo function > "$instance/current_tracer"
tracing clear
echo > "$tmp/go"
wait_for 60 grep -q 'done' "$tmp/box.out"
sleep 0.5
kill -INT $counting
wait $counting
# reading it would else be traced, and never end
echo 0 > "$instance/tracing_on"
tracing read | grep -- "-$pid " > "$tmp/trace"
same "as the kernel's own function tracer counts" \
	"$(sed -nE "s/.*-$pid +\[.*: ([^ ]+) <-.*/\1/p" "$tmp/trace" | LC_ALL=C sort | uniq -c | awk '{print $2, $1}')" \
	"$(rows "$tmp/out" "[.[] | select(.tid == $pid)] | sort_by(.function)[] | \"\\(.function) \\(.count)\"" | jq -r . | LC_ALL=C sort)"
at_least "of several functions" 3 "$(rows "$tmp/out" '[.[].function] | unique | length')"
echo nop > "$instance/current_tracer"

# Thousands: also what ctrace itself calls while it counts. Nothing hangs, and the count of the calls stays right.
for pattern in '*_[gs]et*' '*_get*' '*_get_*'; do
	n=$(awk -v p="${pattern//\*/}" '$2 != "[ctrace]" && $1 ~ p {n++} END {print n}' "$list")
	[ "$n" -gt 4096 ] || break
done
note "$pattern: $n functions"
begin=$(date +%s%N)
ctrace count "func:$pattern" all --json -- ctbox -n counted -- counted 6 200 > "$tmp/out" 2> "$tmp/err"
same "of thousands: status" 0 $?
took=$((($(date +%s%N) - begin) / 1000000))
note "$took ms with the program; $(cat "$tmp/err")"
in_range "ms, with attaching and detaching" 0 60000 $took
has_not "each has a row" 'in \(other\)' "$tmp/err"
at_least "functions that were called" 20 "$(rows "$tmp/out" '[.[].function] | unique | length')"

ctrace trace -e 'kprobe:*sys_getpriority*' --stack --json -- counted 7 10 > "$tmp/out" 2> "$tmp/err"
same "trace: each entry is an event" 10 "$(grep '^{' "$tmp/out" | jq -s '[.[] | select(.fields.function // "" | test("^__(x64|arm64)_sys_getpriority$"))] | length')"
same "its stack begins in the function" true \
	"$(grep '^{' "$tmp/out" | jq -s '[.[] | select(.fields.function) | . as $e | .kernel_stack[0] | startswith($e.fields.function)] | all and length > 0')"
ctrace count 'kprobe:*sys_getpriority* if function == "none"' -- counted 8 10 > "$tmp/out" 2> "$tmp/err"
has "a condition on the name" '^ctrace: 0 events counted' "$tmp/err"
if modprobe overlay 2> /dev/null && grep -q '\[overlay\]' "$list"; then
	ctrace count 'func:ovl_*' all --duration 0.2 > "$tmp/out" 2> "$tmp/err"
	same "functions of a module" 0 $?
fi

refuse "none matches" "no function that can be traced matches 'func:no_such_f\*'" ctrace count 'func:no_such_f*'
refuse "too many" "'func:\*' matches [0-9]+ functions, and at most 4096" ctrace count 'func:*'
refuse "ctrace's own are not among them" 'no function that can be traced matches' ctrace count 'func:ctrace_*'
refuse "returns" "use 'kprobe:vfs_\*'" ctrace count 'kretprobe:vfs_*'
# what the command does not look at, the module refuses
for bad in 'func:no_such_f*' 'func:!vfs_*' 'func:1*' 'func:vfs_* x'; do
	evdump -e "$bad" -d 1 > "$tmp/out" 2> "$tmp/err"
	has "the module refuses '$bad'" 'no function that can be traced|no pattern for names' "$tmp/err"
done
