#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: snoop exit has a line for each process that ends, whichever of its threads ends last; parents are the present ones
# witness: wait() in the parent; getppid() in the child; sleeps of the program's own
# requires: any
# timeout: 120
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
command -v jq > /dev/null || skip "no jq to read JSON"
tell() { jq -c "select(.pid == $1) | [$2]" "$tmp/exit" | paste -sd' '; } # PID FIELDS: of its only line
pid_of() { sed -n "s/^$1 pid=\([0-9]*\) .*/\1/p" "$tmp/said" | head -n 1; }
# WHO: its number, and its parent's
beside() { sed -n "s/^$1 pid=\([0-9]*\) ppid=\([0-9]*\)$/\1 \2/p" "$tmp/said"; }
codes() { # "PID CODE" of each process, by wait()
	awk '{ sub(/.*pid=/, ""); sub(/status=/, ""); s = $2 % 128
		print $1, (s ? "signal " s : $2 < 256 ? "0" : "code " int($2 / 256)) }' | sort
}
ctrace snoop exit --json -- sh -c "exec ends > '$tmp/said'" > "$tmp/exit" 2> "$tmp/err"
note "$(grep -v '^together\|^for-all' "$tmp/said"; cat "$tmp/err")"
same "ways to end, by wait()" 67 "$(grep -c 'status=' "$tmp/said")"
grep 'status=' "$tmp/said" | codes > "$tmp/want"
jq -r '"\(.pid) \(.exit_code)"' "$tmp/exit" | sed 's/ (.*//' | sort > "$tmp/all"
grep -Fwf <(cut -d' ' -f1 "$tmp/want") "$tmp/all" > "$tmp/seen"
check "one line for each, with wait()'s status" diff "$tmp/want" "$tmp/seen"
same "and two others: the orphan, and the program" 2 "$(($(wc -l < "$tmp/all") - $(wc -l < "$tmp/want")))"
p=$(pid_of first-goes)
same "the first thread went before: code, and who was last" '["code 3",true]' "$(tell "$p" '.exit_code, .tid != .pid')"
same "and the age is the process's" '[true]' "$(tell "$p" '.age >= 600000000 and .age < 60000000000')"
same "a program that another thread executed: its code" '["code 5",true]' "$(tell "$(pid_of other-execs)" '.exit_code, .tid == .pid')"
read -r p parent < <(beside beside)
same "CLONE_PARENT: exit's parent" "[\"code 7\",$parent]" "$(tell "$p" .exit_code,.ppid)"
read -r p parent < <(beside alone)
same "an orphan: exit's parent" "[\"code 8\",$parent]" "$(tell "$p" .exit_code,.ppid)"

ctrace snoop exit --failed --json -- sh -c "exec ends > '$tmp/said'" > "$tmp/exit" 2> "$tmp/err"
{ grep 'status=' "$tmp/said" | codes | grep -v ' 0$'; echo "$(pid_of alone) code 8"; } | sort > "$tmp/want"
jq -r '"\(.pid) \(.exit_code)"' "$tmp/exit" | sed 's/ (.*//' | sort > "$tmp/seen"
check "--failed: those that wait() says failed, and no other" diff "$tmp/want" "$tmp/seen"

ctrace snoop exec --json -- sh -c "exec ends > '$tmp/said'" > "$tmp/exec" 2> "$tmp/err"
ppid_of() { jq -r "select(.pid == $1) | .ppid" "$tmp/exec" | paste -sd' '; }
for who in beside alone; do
	read -r p parent < <(beside "$who")
	same "$who: exec's parent is what getppid() says" "$parent" "$(ppid_of "$p")"
done

# The events themselves, and another reader of them.
evdump -e sched_process_exit -e sched_process_fork -- sh -c "exec ends > '$tmp/said'" > "$tmp/ev" 2> "$tmp/err"
same "last threads: one of each process" "$(sed -n 's/.* pid=\([0-9]*\) .*group_dead=1 .*/\1/p' "$tmp/ev" | sort -u | wc -l)" \
	"$(grep -c ' group_dead=1 ' "$tmp/ev")"
read -r p parent < <(beside beside)
has "fork: the parent of a sibling" "sched_process_fork .* child_pid=$p .* child_ppid=$parent " "$tmp/ev"
