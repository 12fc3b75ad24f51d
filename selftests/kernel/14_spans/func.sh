#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: func:SYMBOL: one span for each call, as long as the call took, with its result and arguments
# witness: sleeps of known length; reads of dd; six sleepers and one place
# requires: v2
# timeout: 90
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
# Sleeps of known length: ten of 30 ms.
f=hrtimer_nanosleep
grep -q " $f\$" /proc/kallsyms || skip "no $f"
# shellcheck disable=SC2016 # perl's
sleeps='use Time::HiRes "nanosleep"; nanosleep 30000000 for 1 .. 10; print "slept\n"'
command -v perl > /dev/null || skip "no perl"
evdump -v -e func:$f -- perl -e "$sleeps" > "$tmp/ev" 2> "$tmp/err"
note "$(head -n 2 "$tmp/ev"; tail -n 2 "$tmp/err")"
same "spans" 10 "$(grep -c " func_$f " "$tmp/ev")"
same "as long as it slept" 10 "$(sed -nE 's/.* duration=([0-9]+) ret=0$/\1/p' "$tmp/ev" | awk '$1 >= 30000000 && $1 < 3e9' | wc -l)"

# as many as calls: reads of one byte
calls() { dd if=/dev/zero of=/dev/null bs=1 count="$1" 2> /dev/null; }
export -f calls
# shellcheck disable=SC2016 # the definition's
evdump -e 'f:reads vfs_read count=$arg3:u64 comm=$comm' -e syscall:read -- bash -c 'calls 500' > "$tmp/ev" 2> "$tmp/err"
at_least "calls" 500 "$(grep -c ' syscall_exit_read ' "$tmp/ev")"
spans=$(grep ' reads ' "$tmp/ev" | grep -c ' comm="dd"$')
same "spans of dd, with an argument of the entry and the result" 500 "$(grep -cE ' reads .* ret=0x1 count=1 comm="dd"$' "$tmp/ev")"
at_least "spans, of all reads" 500 "$spans"

# an entry's argument is the entry's, and a session's condition sees the duration
evdump -e "func:$f" -- true > "$tmp/ev" 2> /dev/null
same "none without a call" 0 "$(grep -c func_ "$tmp/ev")"
ctrace trace -o "$tmp/out" -e "func:$f if duration > 1000000" -- perl -e "$sleeps" > /dev/null 2> "$tmp/err"
same "ctrace trace -e func:" 10 "$(grep -c "func_$f" "$tmp/out")"
ctrace trace -o "$tmp/out" -e "func:$f if duration > 10000000000" -- perl -e "$sleeps" > /dev/null 2> "$tmp/err"
same "and none that is longer than any" 0 "$(grep -c "func_$f" "$tmp/out")"

# Calls beyond those that are followed are counted as missed. They begin at different times: the kernel counts a kretprobe's
# misses without a lock, so two CPUs that miss at one moment may count one (uapi/ctrace.h, CTRACE_LOSS_MISSED).
# shellcheck disable=SC2016 # perl's
apart='use Time::HiRes "nanosleep"; for $i (0 .. 5) { fork or do { select undef, undef, undef, $i / 5; nanosleep 2e9; exit } } 1 while wait > 0'
evdump -v -e 'f1:one hrtimer_nanosleep' -- perl -e "$apart" > "$tmp/ev" 2> "$tmp/err"
seen=$(grep -c ' one ' "$tmp/ev") missed=$(sed -n 's/.* missed \([0-9]*\).*/\1/p' "$tmp/err" | tail -n 1)
note "$(tail -n 3 "$tmp/err")"
at_least "some had no place" 1 "$missed"
at_least "and these are counted: with those that had one" 6 $((seen + missed))

refuse "no such function" "no such kernel function" evdump -e func:no_such_function -- true
refuse "an offset" "span takes no offset" evdump -e 'f:x vfs_read+8' -- true
# shellcheck disable=SC2016
refuse "the result as an argument" "field 'ret'" evdump -e 'f:x vfs_read r=$retval' -- true
# shellcheck disable=SC2016
refuse "a name that it has" "has a field 'duration'" evdump -e 'f:x vfs_read duration=$arg1' -- true
