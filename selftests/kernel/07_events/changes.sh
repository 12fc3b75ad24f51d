#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: a call whose number, or task, the kernel changes on the way returns as what it was called by
# witness: the same program's whole calls, whose number is noted at the entry; strace
# requires: any
# timeout: 120
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
command -v jq > /dev/null || skip "no jq to read JSON"
calls=(execve execveat rt_sigreturn)
all=$(IFS=,; echo "${calls[*]}")
whole=$(printf 'call:%s,' "${calls[@]}")
whats=(execveat thread signal)
narrow=$(command -v frames32 || true)
if [ -n "$narrow" ] && "$narrow" > /dev/null 2>&1; then whats+=("narrow $narrow"); fi
changes wide && whats+=(wide)
note "${whats[*]}"
for what in "${whats[@]}"; do
	# shellcheck disable=SC2086 # two words
	ctrace trace --json -e "$all,sched_process_exec" -- changes $what 2> "$tmp/err" | grep '^{' > "$tmp/pairs"
	# shellcheck disable=SC2086
	ctrace trace --json -e "${whole%,}" -- changes $what 2> "$tmp/err" | grep '^{' > "$tmp/whole"
	jq -r 'select(.event | test("syscall_exit_")) | "\(.syscall) \(.fields.ret) \(has("duration"))"' "$tmp/pairs" > "$tmp/a"
	jq -r 'select(.event | test("syscall_")) | "\(.syscall) \(.fields.ret) \(has("duration"))"' "$tmp/whole" > "$tmp/b"
	note "$(cat "$tmp/b")"
	at_least "${what%% *}: calls" 2 "$(wc -l < "$tmp/b")"
	check "${what%% *}: returns by name, result and duration are those of whole calls" diff "$tmp/b" "$tmp/a"
	same "${what%% *}: as many entries as returns" "$(wc -l < "$tmp/a")" "$(jq -r .event "$tmp/pairs" | grep -c syscall_entry_)"
done
# one of them alone
ctrace trace -e execveat -- changes execveat > "$tmp/out" 2> "$tmp/err"
has "execveat alone returns" ' execveat\(AT_FDCWD.*, .*\) = 0 <[0-9.]+>$' "$tmp/out"
same "and nothing else is there" 2 "$(wc -l < "$tmp/out")"
ctrace trace -e execveat -- changes thread > "$tmp/out" 2> "$tmp/err"
same "another exec is not shown" 0 "$(wc -l < "$tmp/out")"
ctrace trace -e rt_sigreturn -- changes signal > "$tmp/out" 2> "$tmp/err"
same "rt_sigreturn alone returns" 3 "$(grep -cE ' rt_sigreturn\(.*\) = 0 <[0-9.]+>$' "$tmp/out")"
# two sessions, which take another way
ctrace trace --json -e "$all" -- sh -c "ctrace trace -e '$all' -- changes execveat > '$tmp/out' 2> '$tmp/err2'" > "$tmp/pairs" 2> "$tmp/err"
has "two sessions: the inner one" ' execveat\(AT_FDCWD.*, .*\) = 0 <[0-9.]+>$' "$tmp/out"
same "the outer one" '0 true' "$(jq -r 'select(.event == "syscall_exit_execveat" and .fields.ret == 0) | "\(.fields.ret) \(has("duration"))"' "$tmp/pairs")"
# lines of the default
ctrace trace -- changes thread > "$tmp/out" 2> "$tmp/err"
has "a thread's exec has its duration" '<\.\.\. execve resumed>.* = 0 <[0-9.]+>$' "$tmp/out"
if command -v strace > /dev/null; then
	strace -f -qq -e trace="$all" -o "$tmp/strace" changes execveat
	# the mask that a handler returns to, which is on the program's stack
	bare() { grep 'rt_sigreturn(' | sed -E 's/.*(rt_sigreturn\()/\1/; s/ <[0-9.]+>$//; s/ +=/ =/'; }
	strace -f -qq -e signal=none -e trace=rt_sigreturn -o "$tmp/strace.signal" changes signal
	bare < "$tmp/strace.signal" > "$tmp/expected"
	has "strace shows a mask" '\{mask=\[USR2 ' "$tmp/expected"
	ctrace record -o "$tmp/t" -e rt_sigreturn -- changes signal > /dev/null 2> "$tmp/err"
	for how in "trace -e rt_sigreturn -- changes signal" "trace -e call:rt_sigreturn -- changes signal" "report $tmp/t"; do
		# shellcheck disable=SC2086 # words
		ctrace $how 2> "$tmp/err" | bare > "$tmp/seen"
		check "the mask that it restores: $how" diff "$tmp/expected" "$tmp/seen"
	done
	same "strace has as many" "$(grep -c '= 0$' "$tmp/strace")" "$(ctrace trace -e "$all" -- changes execveat 2> "$tmp/err" | grep -c '= 0 <')"
fi
