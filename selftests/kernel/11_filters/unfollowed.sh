#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: more concurrent calls than can be followed: the rest is counted, and places are given back
# witness: 400 threads with a tracer in a call: seen + unfollowed = made; 1,000 others are all seen
# requires: any
# kernels: 6.1,newest
# timeout: 120
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
# Of calls by tasks with a tracer the arguments are kept, for 256 of them at a time.
evdump -v -e call:readv -- bash -c "incalls traced 400 > $tmp/many; incalls traced 100 > $tmp/few" > "$tmp/ev" 2> "$tmp/err"
many=$(sed -n 's/^made //p' "$tmp/many") few=$(sed -n 's/^made //p' "$tmp/few")
same "threads" "400 100" "$many $few"
seen=$(grep -c ' syscall_readv .* ret=0 ' "$tmp/ev")
lost=$(sed -n 's/.* unfollowed \([0-9]*\).*/\1/p' "$tmp/err")
at_least "not followed: those beyond the 256 that the module follows" $((400 - 256)) "$lost"
at_least "followed: most of the many and all of the few" $((200 + 100)) "$seen"
same "together" 500 $((seen + lost))
same "with the arguments of their entry" "$seen" "$(grep -cE ' syscall_readv .* fd=[0-9]* vec=0x[0-9a-f]* vlen=1( |$)' "$tmp/ev")"
evdump -v -e call:readv -- bash -c "incalls crowd 1000 > $tmp/few" > "$tmp/ev" 2> "$tmp/err"
same "when fewer are under way, all" "$(sed -n 's/^made //p' "$tmp/few")" "$(grep -c ' syscall_readv .* ret=0 ' "$tmp/ev")"
has "none unfollowed" ' unfollowed 0( |$)' "$tmp/err"
# A thread's exit() does not return. There are more of these threads than places.
evdump -v -e call:exit -e call:getppid -f "\$comm == \"calls\"" -- bash -c "incalls ends 4500; calls 100 > $tmp/calls" > "$tmp/ev" 2> "$tmp/err"
has "who dies in a call gives its place back" ' unfollowed 0( |$)' "$tmp/err"
same "and the next is followed" 100 "$(grep -c ' syscall_getppid ' "$tmp/ev")"
has_not "a call that did not return has no record" ' syscall_exit ' "$tmp/ev"
