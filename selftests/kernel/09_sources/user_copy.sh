#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: the copy of a user stack has the bytes asked for, or as many as exist, of the event's own task alone
# witness: bare has a stack of 64 bytes, or none; sizes and order of the pieces; 32 bits, kernel threads,
#	an event of another task
# requires: any
# timeout: 90
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

# copy BYTES WHAT...: events of WHAT's call, each with BYTES of its stack
copy() {
	local bytes=$1
	shift
	evdump -e syscall:getppid -c "$bytes" -- "$@" > "$tmp/ev" 2> "$tmp/err"
	has_not "$*: all decodable" 'undecodable|unknown-id' "$tmp/ev"
}
# pieces: the lengths of the first copy's pieces, as offset:bytes
pieces() { sed '/user_registers/q' "$tmp/ev" | sed -n 's/.* user_memory .*offset=\([0-9]*\) bytes=/\1 /p' | while read -r at bytes; do echo "$at:$(tr , '\n' <<< "$bytes" | grep -c .)"; done | xargs; }
registers() { grep -m1 'user_registers' "$tmp/ev" | sed 's/.*registers=//' | tr ',' '\n' | grep -c .; }

load
# The environment lies above the frames, and a stack has nothing above it: without this it may end before 3000 bytes.
export PAD
PAD=$(head -c 5000 /dev/zero | tr '\0' x)
many=17 sp=8
[ "$(uname -m)" != aarch64 ] || many=33 sp=32
copy 3000 bare call
same "pieces" "0:2012 2012:988" "$(pieces)"
same "registers" $many "$(registers)"
has "what was asked for, and what came" 'user_registers .* asked=3000 known=0x[0-9a-f]+ copied=3000 ' "$tmp/ev"
has "the stack pointer" '^0x7f|^0xffff' <(grep -m1 user_registers "$tmp/ev" | sed 's/.*registers=//' | cut -d, -f$sp)
# the event, its pieces, its registers; nothing else of the task may come between
same "the order" "syscall_entry_getppid user_memory user_memory user_registers" "$(cut -d' ' -f2 "$tmp/ev" | head -4 | xargs)"
copy 0 bare call
has "the default" 'user_registers .* asked=8192 ' "$tmp/ev"
copy 100 bare call
same "a small one" "0:100" "$(pieces)"
copy 8192 bare end
same "64 bytes, then nothing is mapped" "0:64" "$(pieces)"
has "so it says" 'user_registers .* asked=8192 .* copied=64 ' "$tmp/ev"
copy 8192 bare nowhere
same "no stack" "" "$(pieces)"
has "so it says" 'user_registers .* copied=0 ' "$tmp/ev"
same "but registers" $many "$(registers)"
if command -v frames32 > /dev/null; then
	copy 8192 frames32
	has "a 32-bit program has none" 'user_registers .* copied=0 registers=$' "$tmp/ev"
	has_not "nor memory" user_memory "$tmp/ev"
fi
refuse "too much" "CTRACE_A_PROBE_COPY: 32769 is more than 32768 bytes" evdump -e syscall:getppid -c 32769 -- bare call
# of another task than the running one, and of a kernel thread
timeout 20 bash -c 'while sleep 0.02; do echo; done' | cat > /dev/null & talk=$!
evdump -t all -e sched_wakeup -c 100 -d 1 > "$tmp/ev" 2> "$tmp/err"
at_least "wake-ups" 10 "$(grep -c user_registers "$tmp/ev")"
has_not "are told by others: nothing of them" 'user_memory|registers=0x' "$tmp/ev"
evdump -t all -e sched_switch -c 100 -d 1 > "$tmp/ev" 2> "$tmp/err"
kill $talk
wait
has "a switch has that of the task that is switched off" 'user_memory .*bytes=[0-9]' "$tmp/ev"
kthread=$(pgrep -x ksoftirqd/0 || pgrep -x kthreadd)
has_not "a kernel thread has none" "(user_memory.*tid=$kthread |user_registers.* tid=$kthread .*registers=0x)" "$tmp/ev"
# samples
evdump -e sample:99 -c 1000 -- bare spin 3 > "$tmp/ev" 2> "$tmp/err"
at_least "samples" 5 "$(grep -c 'user_registers .* copied=[1-9]' "$tmp/ev")"
BIG=$(head -c 40000 /dev/zero | tr '\0' x) evdump -e syscall:getppid -c 32768 -- bare call > "$tmp/ev" 2> "$tmp/err"
same "the largest" 17 "$(sed '/user_registers/q' "$tmp/ev" | grep -c user_memory)"
