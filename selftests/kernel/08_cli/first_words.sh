#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: a target alone is answered: what it is, where its time goes, what to look at next; ctrace alone lists all
# witness: a container that spins, with a quota and an image that the test chose; its cgroup's files
# requires: any
# timeout: 240
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

command -v jq > /dev/null || skip "no jq to read JSON"
load
cd "$tmp" || exit
docker_box web 'while :; do :; done'
web=$pid web_id=$docker_id cid=$(of_pid "$pid" cid) dir=$(cgroup_mount)/docker/$docker_id
printf '{"ID": "%s", "Name": "/web", "Config": {"Image": "shop/web:7"}}\n' "$docker_id" > "/var/lib/docker/containers/$docker_id/config.v2.json"
docker_box top 'while :; do sleep 0.1; done'
# a terminal of 100 columns, for programs that ask whether it is one
on_terminal() { TERM=xterm script -qec "stty cols 100; $*" /dev/null < /dev/null | tr -d '\r'; }
limits=none
if [ "$(cgroup_mode)" = v2 ]; then
	echo "+cpu +memory" > "$(cgroup_mount)/cgroup.subtree_control"
	echo "+cpu +memory" > "$(cgroup_mount)/docker/cgroup.subtree_control"
	echo "50000 100000" > "$dir/cpu.max" && echo 64M > "$dir/memory.max" && limits='0.50 CPUs, 64.0M of memory'
fi

ctrace web --duration 2 > out 2> err
same "a name alone: status" 0 $?
note "$(cat out)"
has "what it is" "^web is container $cid of docker, image shop/web:7, seen for " out
has "its cgroup" "^  cgroup  .*/docker/$web_id\$" out
has "its limits" "^  limits  $limits" out
has "where its time goes" '^ran +[0-9.]+ +[0-9.]+%$' out
has "all of it" '^all +[0-9.]+ +100.0%$' out
same "it adds up to what the thread lived" 1 "$(awk '$1 == "web:" {s = $5} $1 == "all" {print ($2 > s * 0.95 && $2 < s * 1.05)}' out)"
same "what to look at next, and how" 1 "$(grep -cE '^    ctrace [a-z]+ .*web.* --duration 10$' out)"
same "nothing else is said" '' "$(cat err)"
next=$(grep -E '^    ctrace ' out | sed 's/--duration 10/--duration 0.5/')
check "the command works: $next" sh -c "$next"
ctrace web --json --duration 1 > out 2> err
same "as JSON" "[$cid,\"web\",\"shop/web:7\",$cid]" "$(jq -c '[.target.cid, .target.name, .target.image, .rows[0].cid]' out)"
[ "$limits" = none ] || same "with its limits" '[0.50,67108864]' "$(jq -c '[.target.limits.cpus, .target.limits.memory]' out | sed 's/0\.5,/0.50,/')"

# other targets
ctrace "pid:$web" --duration 0.5 > out 2> err
same "a process: status" 0 $?
has "why that one" "^process $web is in it by its cgroup" out
has "its container" "^web is container $cid " out
sleep 100 & host=$!
later "kill $host"
mkdir -p "$(cgroup_mount)/batch.slice" && later "rmdir $(cgroup_mount)/batch.slice"
echo $host > "$(cgroup_mount)/batch.slice/cgroup.procs"
later "kill $host; sleep 0.2; rmdir $(cgroup_mount)/batch.slice"
ctrace "pid:$host" --duration 0.5 > out 2> err
same "one of the host: status" 0 $?
has "its cgroup" "^process $host is in cgroup:.*batch.slice, and in no container" out
has "which is looked at" '^cgroup:.*batch.slice: 1 thread in ' out
refuse "no such process" 'no process 3999999' ctrace pid:3999999
refuse "no such unit" "no unit 'no-such' of the system runs" ctrace unit:no-such
refuse "two of them" 'looks at one container' ctrace web top

# names
ctrace top --count 1 -b > out 2> err
has "a command goes before a container of its name" '^ *CPU% ' out
ctrace why top --duration 0.5 > out 2> err
has "which why reaches" '^top: ' out
refuse "neither: the nearest of both" "unknown command 'weby' \(did you mean 'web' or 'why'" ctrace weby
refuse "a command, misspelt" "unknown command 'trcae' \(did you mean 'trace'" ctrace trcae

# alone
on_terminal ctrace > out 2>&1
note "$(cat out)"
has "on a terminal: each container" '^ *[0-9.]+ +[0-9.]+ .* web$' out
has "columns that one needs first" 'CPU% +WAIT% +THR% .*ERR/s .*NAME$' out
has_not "and no others" 'FAULTS/s|RX/s' out
# shellcheck disable=SC2016 # awk's own dollars
check "the one that spins has CPU time" awk '$NF == "web" && $1 > 5 {found = 1} END {exit !found}' out
for word in Look Count Record 'Set up'; do has "what to do next: $word" "^$word +ctrace " out; done
check "it fits a screen" test "$(wc -l < out)" -le 34
ctrace > out 2>&1
same "no terminal: usage" 2 $?
has "as help has it" '^Set up:$' out

# which program a line is of
ctrace trace web -e getpid --duration 0.1 > /dev/null 2>&1
docker_box many 'while :; do counted 9 3; sleep 0.1; done'
ctrace trace many -e getpriority --duration 1 > out 2> err
has "a line has the program, and its number on the host" '^[0-9:.]+ many +counted/[0-9]+ +\[vtid [0-9]+\] getpriority\(' out
ctrace trace --json many -e getpriority --duration 1 > json 2> err
same "the number is the host's" '' "$(jq -r 'select(.tid == .vtid) | .tid' json | head -n 1)"
ctrace trace -e sched_process_exit -- sh -c 'exit 3' > out 2> err
has "an exit in words" 'exit_code=768 \(exited with 3\) ' out
# shellcheck disable=SC2016 # the inner shell's
ctrace trace -e sched_process_exit -- sh -c 'sh -c "kill -9 \$\$"; :' > out 2> err
has "and a signal" 'exit_code=9 \(killed by SIGKILL\)' out
esc=$(printf '\033')
ctrace trace --color always -- cat /no/such > out 2> err
has "colours: an error is red" "$esc\\[31m= -1 ENOENT" out
ctrace trace -- cat /no/such > out 2> err
has_not "not in a file" "$esc" out
on_terminal ctrace trace -e %file -- cat /no/such > out 2>&1
has "on a terminal" "$esc\\[31m= -1 ENOENT" out
on_terminal NO_COLOR=1 ctrace trace -e %file -- cat /no/such > out 2>&1
has_not "not with NO_COLOR" "$esc\\[31m" out
refuse "another word" 'auto, always or never' ctrace trace --color red web

# who may not
cp "$(readlink -f "$(command -v ctrace)")" "$tmp/ctrace" && chmod 755 "$tmp" "$tmp/ctrace"
refuse "nobody is told what to do" 'needs CAP_SYS_ADMIN.*: try it with sudo' setpriv --reuid 65534 --regid 65534 --clear-groups "$tmp/ctrace" ps
refuse "of a target, too" 'try it with sudo' setpriv --reuid 65534 --regid 65534 --clear-groups "$tmp/ctrace" web
