#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: --stack=dwarf shows whole stacks of a program without frame pointers, also from a recording after its end
# witness: bare and its functions; by frame pointers they are missing; any bytes as .eh_frame, under
#	address checks
# requires: any
# timeout: 240
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

chain="bare_d bare_c bare_b bare_a main"
# stack FILE: the functions of the first user stack, up to main
stack() { grep -m1 '"user_stack"' "$1" | jq -r '.user_stack[]' | sed 's/+0x.*//; s/ .*//' | sed '/^main$/q' | xargs; }
cut_of() { grep -m1 '"user_stack"' "$1" | jq -r '.user_stack_cut // "whole"'; }
events() { grep '"user_stack"' "$1" | jq -r .event | sort -u | xargs; }

load
ctrace events 2> /dev/null | grep '^process_map ' | grep -vq 'not here' || skip "this kernel does not tell what is mapped"
ctrace trace --json -e getppid --stack=user -- bare call > "$tmp/fp" 2> "$tmp/err"
has_not "by frame pointers, the callers are missing" 'bare_b' "$tmp/fp"
ctrace trace --json -e getppid --stack=dwarf -- bare call > "$tmp/out" 2> "$tmp/err"
same "unwound" "$chain" "$(stack "$tmp/out")"
same "to its end" whole "$(cut_of "$tmp/out")"
same "of the call alone" "syscall_entry_getppid syscall_exit_getppid" "$(events "$tmp/out")"
has_not "not what it was made of" 'user_memory|user_registers' "$tmp/out"
# bare_c() has a frame of 1,000 bytes
ctrace trace --json -e getppid --stack=dwarf,512 -- bare call > "$tmp/out" 2> "$tmp/err"
same "too small a copy" "bare_d bare_c" "$(stack "$tmp/out")"
same "says so" "the copy of the stack ends here" "$(cut_of "$tmp/out")"
ctrace trace -e getppid --stack=dwarf,512 -- bare call > "$tmp/out" 2> "$tmp/err"
has "as text, too" '^    > \(cut: the copy of the stack ends here\)$' "$tmp/out"
ctrace trace --json -e getppid --stack=dwarf -- bare nowhere > "$tmp/out" 2> "$tmp/err"
same "a stack pointer to nowhere" bare_d "$(stack "$tmp/out")"
same "says so" "the rest of the stack was not in memory" "$(cut_of "$tmp/out")"
ctrace trace --json -e getppid --stack=dwarf -- bare end > "$tmp/out" 2> "$tmp/err"
at_least "a stack of 64 bytes" 1 "$(stack "$tmp/out" | wc -w)"
has_not "has nothing to show of its end" '"main' "$tmp/out"
ctrace record -o "$tmp/rec" -e getppid -F 99 --stack=dwarf -- bare spin 1 > "$tmp/run" 2>&1
ctrace report --json "$tmp/rec" > "$tmp/out" 2> "$tmp/err"
same "a recording, of one that is gone" "$chain" "$(grep cpu_sample "$tmp/out" | grep bare_d | head -1 > "$tmp/one"; stack "$tmp/one")"
ctrace flame "$tmp/rec" --folded -o "$tmp/folded" 2> "$tmp/err"
has "a flame graph" 'main;bare_a;bare_b;bare_c;bare_d [0-9]+$' "$tmp/folded"
ctrace profile --input "$tmp/rec" --stacks > "$tmp/profile" 2> "$tmp/err"
has "a profile" bare_a "$tmp/profile"
ctrace record -o "$tmp/clock" -F 99 --stack=dwarf -- bare clock 1 > "$tmp/run" 2>&1
# in_vdso: of the first sample that was taken in the vdso, what the vdso was called from
in_vdso() { ctrace report --json "$tmp/clock" 2> "$tmp/err" > "$tmp/out"; jq -c 'select(.user_stack[0]? // "" | contains("[vdso]"))' "$tmp/out" | head -1 > "$tmp/one"; stack "$tmp/one" | grep -o 'bare_d.*' ; }
same "through the vdso, of one that is gone" "$chain" "$(in_vdso)"
has "with the names of its functions" '"__vdso_[a-z_]+\+0x[0-9a-f]+ \[vdso\]"' "$tmp/out"
check "the recording tells the vdso's build-id" grep -q '"vdso": *"[0-9a-f]\{16,\}"' "$tmp/clock/ctrace/symbols.json"
sed -i 's/"vdso": *"[0-9a-f]*"/"vdso":"00"/' "$tmp/clock/ctrace/symbols.json"
same "not through another kernel's" "" "$(in_vdso)"
same "says so" "nothing says how to unwind this code" "$(cut_of "$tmp/one")"
bare spin 30 & old=$!
later "kill $old"
sleep 0.3
ctrace record -o "$tmp/old" --duration 1 -F 99 --stack=dwarf pid:$old > "$tmp/run" 2>&1
kill $old
wait
ctrace report --json "$tmp/old" > "$tmp/out" 2> "$tmp/err"
same "a recording of one that ran before" "$chain" "$(grep cpu_sample "$tmp/out" | grep bare_d | head -1 > "$tmp/one"; stack "$tmp/one")"
refuse "too large a copy" "1 to 32768 bytes" ctrace trace --stack=dwarf,1M -- true
refuse "counts are the kernel's" "record" ctrace profile --stack=dwarf -- true
