#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: the state dump has every task, with the numbers, names, namespaces and cgroups of /proc
# witness: every task of /proc: numbers at all levels, names, namespaces, cgroup; v1 and hybrid too
# requires: v1,v2,hybrid
# timeout: 90
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
# Before 4.6 there are no cgroup namespaces, and the dump says 0.
cgns=()
[ ! -e /proc/self/ns/cgroup ] || cgns=(-C)
cheap box -n dump "${cgns[@]}" -- /bin/sh -c 'sleep 1000 & unshare --fork --pid --net sleep 1001'
wait_for 10 pgrep -f '^sleep 1001'
nested=$(pgrep -f '^sleep 1001' | tail -n 1)
cheap other -n other -- /bin/sleep 1002
other=$pid pid=$(cat "$tmp/box.pid")

# A record is padded to eight bytes, so only some lengths of a path show whether its end is written: all eight are here.
mount=$(cgroup_mount)
long=/sd
for i in 1 2 3 4 5 6 7 8; do
	long+=x
	mkdir "$mount$long" || give_up "no cgroup $mount$long"
	bash -c 'echo 0 > "$0/cgroup.procs" && exec sleep 1003' "$mount$long" &
	later "kill $!; wait $!; rmdir $mount$long"
	sleeper[i]=$!
done
for i in 1 2 3 4 5 6 7 8; do wait_for 10 grep -q sleep "/proc/${sleeper[i]}/comm"; done

# proc WHEN: writes every task as /proc shows it to WHEN.status and WHEN.ns. /proc shows more of a kernel
# thread's name than the thread itself has: letters beyond the 15th, and the present work of a kworker.
proc() {
	cd /proc || return
	find [0-9]*/task/[0-9]*/ns -type l -printf '%p %l\n' 2> /dev/null | awk '
		{split($1, x, "/"); t = x[3]; k = x[5]; if (k in want) {gsub(/[^0-9]/, "", $2); ns[t, k] = $2; seen[t]}}
		function get(k) {return ns[t, k]}
		BEGIN {split("cgroup ipc mnt net pid user uts", o, " "); for (i in o) want[o[i]]}
		END {for (t in seen) {line = t; for (i = 1; i <= 7; i++) {v = get(o[i]); line = line " " (v == "" ? 0 : v)}; print line}}' | sort > "$tmp/$1.ns"
	grep -HE '^(Name|Tgid|PPid|NSpid):' [0-9]*/task/[0-9]*/status 2> /dev/null | awk '{split($1, x, "/"); t = x[3]; sub(/^[^:]*:/, "")}
		/^Name:/ {sub(/^Name:\t/, ""); name[t] = substr($0, 1, 15); sub(/^kworker.*/, "kworker", name[t])} /^Tgid/ {tgid[t] = $2} /^PPid/ {ppid[t] = $2}
		/^NSpid/ {sub(/^NSpid:\t/, ""); gsub(/\t/, ","); print t, tgid[t], ppid[t], $0, name[t]}' | sort > "$tmp/$1.status"
	cd - > /dev/null || return
}
proc before
evdump -S -t all -d 1 > "$tmp/ev" 2> "$tmp/err"
proc after
# A task that is the same before and after must be in the dump.
for f in status ns; do comm -12 "$tmp/before.$f" "$tmp/after.$f" > "$tmp/$f"; done
sed -n 's/.*lttng_statedump_process_state .* tid=\([0-9]*\) vtid=\([0-9]*\) pid=\([0-9]*\) .* ppid=\([0-9]*\) .* name="\(.*\)" type=.* ns_level=\([0-9]*\) .*/\1 \2 \3 \4 \6 \5/p' "$tmp/ev" |
	awk '{t = $1; l = $5; head[t] = $1 " " $3 " " $4; if (t in last) {if (l != last[t] - 1) bad = 1; vt[t] = $2 "," vt[t]} else vt[t] = $2
		last[t] = l; for (i = 0; i < 5; i++) sub(/^[^ ]* /, ""); name[t] = $0; sub(/^kworker.*/, "kworker", name[t])}
		END {if (bad) print "levels not deepest first"; for (t in vt) print head[t], vt[t], name[t]}' | sort > "$tmp/dumped.status"
sed -n 's/.*ctrace_statedump_namespaces .* tid=\([0-9]*\) cgroup_ns=\([0-9]*\) ipc_ns=\([0-9]*\) mnt_ns=\([0-9]*\) net_ns=\([0-9]*\) pid_ns=\([0-9]*\) user_ns=\([0-9]*\) uts_ns=\([0-9]*\) .*/\1 \2 \3 \4 \5 \6 \7 \8/p' "$tmp/ev" | sort > "$tmp/dumped.ns"
# status has no NSpid before 4.1
! grep -q '^NSpid' /proc/self/status || at_least "tasks to compare" 20 "$(wc -l < "$tmp/status")"
at_least "whose namespaces to compare" 20 "$(wc -l < "$tmp/ns")"
same "numbers and names: who is missing or wrong" "" "$(comm -23 "$tmp/status" "$tmp/dumped.status" | head -n 3)"
same "namespaces: likewise" "" "$(comm -23 "$tmp/ns" "$tmp/dumped.ns" | head -n 3)"
same "no task twice" "" "$(cut -d' ' -f1 "$tmp/dumped.ns" | uniq -d)"
same "between one begin" "1 0" "$(awk '{print $2}' "$tmp/ev" | awk '/statedump_start/ {s = NR; n++} END {print n, s - 1}')"
same "and one end" lttng_statedump_end "$(tail -n 1 "$tmp/ev" | cut -d' ' -f2)"
same "a container's tasks are its" "$(of_pid "$pid" cid)" "$(cids "$tmp/ev" "process_state .* tid=$pid vtid=1 .* ns_level=1 ")"
same "another's its" "$(of_pid "$other" cid)" "$(cids "$tmp/ev" "statedump.* tid=$other ")"
child=$(pgrep -P "$pid" -f '^sleep 1000')
has "its parent by the container's own number" "process_state .* tid=$child .* vppid=1 .* ns_level=1 " "$tmp/ev"
has "and by the host's number in the host" "process_state .* tid=$child .* vppid=$pid .* ns_level=0 " "$tmp/ev"
same "a nested one has three levels" 3 "$(grep -c "process_state .* tid=$nested vtid=[0-9]* pid" "$tmp/ev")"
path=/box/$(hex64 dump)
[ -n "$(cgroup_dirs "$path")" ] || path=$(sed -n 's/^.*:\(\/box\/.*\)/\1/p' "/proc/$pid/cgroup" | head -n 1)
has "its cgroup" "statedump_namespaces .* tid=$pid .* cgroup=\"$path\"" "$tmp/ev"
same "paths of any length" "" "$(for i in 1 2 3 4 5 6 7 8; do
	path="/sd$(printf %.${i}s xxxxxxxx)"
	grep -qE "statedump_namespaces .* tid=${sleeper[i]} .* cgroup=\"$path\"" "$tmp/ev" || echo "$path"
done)"
has_not "every record decodes" undecodable "$tmp/ev"
has "a kernel thread is one" 'process_state cid=0 tid=2 .* ppid=0 .*name="kthreadd" type=1 ' "$tmp/ev"
has "a sleeper waits" "tid=$other .*name=\"sleep\" type=0 mode=0 submode=1 status=5 " "$tmp/ev"
# a session of one container has the tasks of that container alone
evdump -S -t "cid:$(of_pid "$other" cid)" -d 1 > "$tmp/ev" 2> "$tmp/err"
same "of one container: its tasks alone" "$(of_pid "$other" cid)" "$(cids "$tmp/ev" 'process_state|namespaces')"
evdump -t all -e syscall:getppid -d 1 > "$tmp/ev" 2> "$tmp/err"
has_not "and without being asked none" statedump "$tmp/ev"
