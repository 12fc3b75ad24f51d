#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: a cgroup target selects events and changes nobody's identity, in its own session or in others
# requires: v2,v1,hybrid
# timeout: 240
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
mount=$(cgroup_mount)
top=$mount/mygrp
box=$(hex64 cgroup_target)
mkdir -p "$top/other" "$top/sub/x" "$top/gone"
later "rmdir $top/other $top/sub/x $top/sub/late $top/sub $top/gone $top"

# In each act, every actor makes ten calls with who = NUMBER * 100 + act. Actors wait for the act to begin.
act=0
play="for i in \$(seq 20); do until [ -e $tmp/go\$i ]; do sleep 0.05; done; counted \$((\$0 * 100 + i)) 10; : > $tmp/did\$i.\$0; done"
actor() { # NUMBER CGROUP COMMAND...: it runs there
	local n=$1 cgroup=$2
	shift 2
	bash -c 'echo 0 > "$0/cgroup.procs" && exec "$@"' "$cgroup" "$@" bash -c "$play" "$n" &
	later "kill -9 \$(pgrep -P $!) $!; wait $!"
}
go() { # NUMBER...: these have an act to do
	local n
	act=$((act + 1))
	: > "$tmp/go$act"
	for n; do wait_for 20 test -e "$tmp/did$act.$n" || give_up "actor $n did not play act $act"; done
}
# seen FILE: print this act's events in FILE as "ACTOR:CID TIMES", separated by commas
seen() {
	sed -nE "s/.*entry_getpriority cid=([0-9]+) .* who=([0-9]+)\$/\2 \1/p" "$tmp/$1" | sort -n | uniq -c |
		awk -v a=$act '$2 % 100 == a {printf "%s%d:%d %d", sep, int($2 / 100), $3, $1; sep = ", "}'
}
# saw WHAT EXPECTED FILE: wait until FILE has the expected events, for 2 s at most, and compare: excess events show, too
saw() {
	[ -z "$2" ] || wait_for 2 eval "[ \"\$(seen $3)\" = '$2' ]"
	same "$1" "$2" "$(seen "$3")"
}
sessions=''
session() { # NAME TARGET...
	local name=$1 t opts=()
	shift
	for t; do opts+=(-t "$t"); done
	dump "$tmp/$name" -d 600 "${opts[@]}" -e syscall:getpriority
	sessions="$sessions $dumping"
	eval "pid_$name=$dumping"
}
end_all() {
	local p
	sleep 0.2
	for p in $sessions; do kill "$p" || not_ok "a session ended by itself"; done
	for p in $sessions; do wait "$p"; done
	sessions=''
}
# who: the containers as ps shows them, but for the number of processes, which changes by itself
who() { ctrace ps --json | jq -c "$sorted del(.procs, .cpu_ns, .memory) | sorted"; }

# 1: the host's, 2: a container known by its pid namespace alone, 3: the host's elsewhere, 4: the host's, in the
# targeted cgroup itself, 5: a container with a runtime's name, 6: a sub-cgroup of that one
actor 1 "$top/other"
actor 2 "$top/sub/x" unshare --pid --fork
actor 3 "$mount"
actor 4 "$top"
cheap five -g "/mygrp/$box" -- bash -c "(mkdir -p $top/$box/in; echo 0 > $top/$box/in/cgroup.procs; exec bash -c '$play' 6) & exec bash -c '$play' 5"
later "rmdir $top/$box/in $top/$box"
five=$(of_pid "$pid" cid)
go 1 2 3 4 5 6
session a all
go 1 2 3 4 5 6
end_all
two=$(sed -nE 's/.*2:([1-9][0-9]*) .*/\1/p' <<< "$(seen a)")
saw "without a target: who is who" "1:0 10, 2:$two 10, 3:0 10, 4:0 10, 5:$five 10, 6:$five 10" a
check "two containers" test "${two:-0}" -gt 0 -a "${five:-0}" -gt 0 -a "$two" != "$five"
before=$(who)

session a "cgroup:$top"
session b "cid:$two"
session c host
session d all
go 1 2 3 4 5 6
saw "a session of the parent: all that is in it, each with its own cid" "1:0 10, 2:$two 10, 4:0 10, 5:$five 10, 6:$five 10" a
saw "another of the container: nothing else" "2:$two 10" b
saw "another of the host: all that is the host's" "1:0 10, 3:0 10, 4:0 10" c
saw "another of all" "1:0 10, 2:$two 10, 3:0 10, 4:0 10, 5:$five 10, 6:$five 10" d
same "who is who, meanwhile" "$before" "$(who)"
end_all
same "and afterwards" "$before" "$(who)"

session a "cgroup:$top" "cgroup:$top/other"
session b "cgroup:$top/other"
session c all "not:$top/other"
session d "cgroup:$top" "not:$top/sub"
session e "cid:$two" host "not:$top/sub/x"
session f "cgroup:$top" "not:$five"
go 1 2 3 4 5 6
saw "one target in another: each event once" "1:0 10, 2:$two 10, 4:0 10, 5:$five 10, 6:$five 10" a
saw "the inner one alone" "1:0 10" b
saw "all but a cgroup" "2:$two 10, 3:0 10, 4:0 10, 5:$five 10, 6:$five 10" c
saw "a cgroup but for one below it" "1:0 10, 4:0 10, 5:$five 10, 6:$five 10" d
saw "a container by its number, but not where it is" "1:0 10, 3:0 10, 4:0 10" e
saw "a cgroup but for a container in it" "1:0 10, 2:$two 10, 4:0 10" f
# one session ends; others that name the same cgroups continue
# shellcheck disable=SC2154 # session() sets it
kill "$pid_a"
wait "$pid_a"
sessions=${sessions/ $pid_a/}
go 1 2 3 4 5 6
saw "when one ends: the others go on" "1:0 10" b
saw "all but a cgroup, too" "2:$two 10, 3:0 10, 4:0 10, 5:$five 10, 6:$five 10" c
saw "and a cgroup but for one below it" "1:0 10, 4:0 10, 5:$five 10, 6:$five 10" d
end_all

session a "cgroup:$top/$box/in"
session b "cid:$five"
session c "cgroup:$top/$box"
go 1 2 3 4 5 6
saw "a cgroup inside a container: the container's events, of there" "6:$five 10" a
saw "the container itself is whole" "5:$five 10, 6:$five 10" b
saw "by its cgroup, too" "5:$five 10, 6:$five 10" c
same "who is who" "$before" "$(who)"
end_all

# a task that moves in and out, and a container that is made in the cgroup during the trace
session a "cgroup:$top"
session b host
act=$((act + 1))
bash -c "counted 7$(printf %02d $act) 10; echo 0 > $top/sub/cgroup.procs; counted 8$(printf %02d $act) 10; echo 0 > $mount/cgroup.procs; counted 9$(printf %02d $act) 10"
saw "one that comes and goes: while it was there" "8:0 10" a
saw "it was the host's all the time" "7:0 10, 8:0 10, 9:0 10" b
mkdir "$top/sub/late"
bash -c "echo 0 > $top/sub/late/cgroup.procs; exec unshare --pid --fork counted 10$(printf %02d $act) 10"
wait_for 5 eval "seen a | grep -q 10:"
check "a container made there meanwhile: from its first call" grep -qE '^8:0 10, 10:[1-9][0-9]* 10$' <<< "$(seen a)"
saw "it was never the host's" "7:0 10, 8:0 10, 9:0 10" b

# a cgroup that is removed and made anew is another cgroup
session c "cgroup:$top/gone"
run_gone() { bash -c "echo 0 > $top/gone/cgroup.procs; exec counted $1$(printf %02d $act) 10"; }
act=$((act + 1))
run_gone 1
wait_for 5 rmdir "$top/gone"
mkdir "$top/gone"
run_gone 2
saw "a cgroup that is made anew: the parent's session sees both" "1:0 10, 2:0 10" a
saw "a session of the removed one does not see the new one" "1:0 10" c
end_all

# Packets that a timer sends, without a task: the socket has its v2 cgroup.
if [ "$(cgroup_mode)" = v2 ] && ctrace events | grep -q '^net_dev_xmit' && ip link set lo up &&
   tc qdisc add dev lo root netem delay 20ms 2> /dev/null; then
	later "tc qdisc del dev lo root"
	dump "$tmp/packets" -d 600 -t "cgroup:$top" -e net_dev_xmit
	# shellcheck disable=SC2034 # only counts
	for i in 1 2 3 4 5; do
		bash -c "echo 0 > $top/other/cgroup.procs; printf %0100d 0 > /dev/udp/127.0.0.1/9"
		printf %0300d 0 > /dev/udp/127.0.0.1/9
		bash -c "echo 0 > $top/sub/x/cgroup.procs; exec unshare --pid --fork bash -c 'printf %0200d 0 > /dev/udp/127.0.0.1/9; :'"
	done
	wait_for 5 lines 5 'len=142 ' "$tmp/packets"
	sleep 0.2
	stop_dump
	same "packets sent later: the host's, of there" "5 of 0" "$(grep -c 'len=142 ' "$tmp/packets") of $(cids "$tmp/packets" 'len=142 ')"
	has_not "and none from elsewhere" 'len=342 ' "$tmp/packets"
fi
