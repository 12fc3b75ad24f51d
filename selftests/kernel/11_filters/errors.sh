#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: a wrong expression is refused, and the refusal names the word, its column, and what would be right
# witness: each kind of mistake, by netlink
# requires: any
# timeout: 60
# shellcheck disable=SC2016 # the $words of expressions
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
# wrong WORDS EXPRESSION: sched_process_fork refuses EXPRESSION with WORDS (an extended expression)
wrong() { refuse "$2" "filter, column $1" evdump -e sched_process_fork -f "$2" -- true; }
wrong '1: no field .colour.: the event has parent_comm, parent_tid, .*child_comm' 'colour == 1'
wrong '20: unknown word .\$user.: use one of \$comm .*\$cpu' 'parent_tid == 1 && $user == 0'
wrong '1: no field .comm. here .did you mean \$comm' 'comm == "sh"'
wrong '1: .vtids. is a list' 'vtids == 1'
wrong '12: expected one of == != < <= > >= &, not .is.' 'parent_tid is 1'
wrong '12: .~. is for strings, but parent_tid is a number' 'parent_tid ~ "1*"'
wrong '12: .<. is for numbers, but child_comm is a string' 'child_comm < "x"'
wrong '15: put quotes around a string: "nginx"' 'child_comm == nginx'
wrong '15: child_comm is a string and cannot be compared with .5.' 'child_comm == 5'
wrong '15: .2147483648. is out of range: parent_tid holds -2147483648 to 2147483647' 'parent_tid == 2147483648'
wrong '18: .-1. is out of range: child_ns_inum holds 0 to 4294967295' 'child_ns_inum == -1'
wrong '15: .12x. is not a number' 'parent_tid == 12x'
wrong '15: "a name that is.*is longer than child_comm, which holds at most 16 bytes' 'child_comm == "a name that is too long"'
wrong '15: "sh has no closing quote' 'child_comm == "sh'
wrong '14: "\[a" has a .\[. that begins no set' 'child_comm ~ "[a"'
wrong '17: expected .&&. or .\|\|., not .and.' 'parent_tid == 1 and child_tid == 2'
wrong '12: use .==. .*instead of .=.' 'parent_tid = 1'
wrong '1: .\(. has no matching' '(parent_tid == 1'
wrong '16: .\). has no matching' 'parent_tid == 1)'
wrong '1: expected a field, a \$word, .!. or .\(., not the end' ''
many=$(printf 'child_tid == %d || ' {1..32})
wrong '600: too many comparisons: at most 32' "${many}child_tid == 33"
wrong '17: .\(. is nested too deep: at most 16' "$(printf '(%.0s' {1..17})child_tid == 1$(printf ')%.0s' {1..17})"

# whose field it is: a call's entry has no result
refuse "of several events, the one that has no such field is named" 'the event has .*filename.*\(syscall_entry_openat\)' \
	evdump -e syscall:openat -f 'ret < 0' -- true
refuse "a session's has only the words" 'column 1: no field .prev_prio. here: use one of \$comm .*\$cpu' \
	evdump -F 'prev_prio == 1' -e sched_switch -- true
long=$(printf '!%.0s' {1..1100})
refuse "longer than a filter may be" 'at most 1023 bytes' evdump -e sched_switch -f "$long" -- true
refuse "an event has one set of options" "sched_switch.*other options" \
	evdump -e sched_switch -f '$cpu == 0' -e sched:sched_switch -f '$cpu == 1' -- true
refuse "also if it had none" "sched_switch.*other options" \
	evdump -e sched_switch -e sched:sched_switch -f '$cpu == 1' -- true
refuse "or would have none" "sched_switch.*other options" \
	evdump -e sched_switch -f '$cpu == 0' -e sched:sched_switch -- true
check "twice without any" evdump -e sched_switch -e sched:sched_switch -- true

# the longest expressions that are right
check "32 comparisons" evdump -e sched_process_fork -f "${many% || }" -- true
check "16 brackets" evdump -e sched_process_fork -f "$(printf '(%.0s' {1..16})child_tid == 1$(printf ')%.0s' {1..16})" -- true
check "1023 bytes" evdump -e sched_process_fork -f "child_tid == 1$(printf ' %.0s' {1..1009})" -- true
