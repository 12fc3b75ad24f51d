#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: ctrace stuck: threads held up by a lock, a server, a quota, a frozen file system, a signal, the freezer, with their age and call; threads at rest are left out; nobody recorded before
# witness: programs that are stuck for one known reason; the kernel's /proc/PID/stat and cgroup.threads; the shell's clock
# columns: stuck: CONTAINER AGE IN COMM/TID CALL
# requires: any,torture
# timeout: 180
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

command -v jq > /dev/null || skip "no jq to read JSON"
load
workload=$(command -v workload)

# look [OPTION]...: into $tmp/json; the row of a thread: field TID EXPRESSION
look() { ctrace stuck --json "$@" > "$tmp/json" 2> "$tmp/err"; }
row() { jq -r ".rows[] | select(.tid == $1) | $2" "$tmp/json"; }
# held COMM EXPRESSION CONTAINER...: waits until a thread of that name is shown, then tests all of them
is_there() { look --longer 500ms "$1" && [ "$(jq --arg c "$2" '[.rows[] | select(.comm == $c)] | length' "$tmp/json")" -ge 1 ]; }
held() {
	local what=$1 comm=$2 box=$3 test=$4
	wait_for 20 is_there "$box" "$comm"
	same "$what" true "$(jq --arg c "$comm" "[.rows[] | select(.comm == \$c) | .held_up and ($test)] | length > 0 and all" "$tmp/json")"
	note "$(jq -c '.rows[]' "$tmp/json")"
}

# --- each for one reason ---------------------------------------------------------------

touch "$tmp/lock"
docker_box flocks "flock $tmp/lock sleep 1000 & sleep 0.5; exec flock $tmp/lock true"
held "a lock on a file, by name" flock flocks '.in == "locks" and .call == "flock" and (.text | test("^flock\\([0-9]+<.*/lock>, LOCK_EX\\)$"))'
# it has had no CPU since: what the kernel says of the process is the upper limit
tid=$(jq '.rows[0].tid' "$tmp/json")
began=$(awk '{sub(/.*\) /, ""); print $20}' "/proc/$tid/stat")
sleep 2
look flocks
old=$(($(awk '{print int($1 * 100)}' /proc/uptime) - began))
age=$(row "$tid" '.age / 10000000 | floor')
check "its age, $age, is that of the process, $old hundredths of a second, or less by what it did before" test "$age" -le "$old" -a "$age" -ge 200
same "the one that holds it is at rest, and not shown" 1 "$(jq '.rows | length' "$tmp/json")"
ctrace stuck --all flocks --longer 500ms --json > "$tmp/all" 2> "$tmp/err"
same "but with --all" '["slept",false,"clock_nanosleep"]' "$(jq -c '.rows[] | select(.comm == "sleep") | [.in, .held_up, .call]' "$tmp/all" | sed 's/"nanosleep"/"clock_nanosleep"/')"
dir=$(cgroup_dirs "/docker/$docker_id" | head -n 1)
same "all threads of the container were looked at" "$(cat "$dir/tasks" "$dir/cgroup.threads" 2> /dev/null | wc -l)" "$(jq .threads "$tmp/all")"

docker_box mutex "exec taskset 1 $workload mutex 2 100000"
held "a mutex" workload mutex '.in == "locks" and .call == "futex"'

cheap box -n server -- "$workload" serve 7000 100000 0
docker_box client "sleep 0.5; exec $workload ask 7000 0 0"
held "a server that does not answer" workload client '.in == "network" and (.text | test("<.*socket:"))'

docker_box halted "exec sleep 1000"
kill -STOP "$pid"
held "stopped" sleep halted '.in == "stopped"'

docker_box chilled "exec sleep 1000"
chilled=$pid
dir=$(cgroup_dirs "/docker/$docker_id" | while read -r d; do [ ! -e "$d/cgroup.freeze" ] || echo "$d"; done | head -n 1)
if [ -n "$dir" ]; then
	echo 1 > "$dir/cgroup.freeze"
	later "echo 0 > $dir/cgroup.freeze"
	wait_for 20 grep -qx 'frozen 1' "$dir/cgroup.events" || give_up "the cgroup does not freeze"
	note "it waits in $(cat "/proc/$chilled/wchan")"
	held "frozen" sleep chilled '.in == "frozen"'
	ctrace why chilled --duration 0.5 > "$tmp/why" 2> "$tmp/err"
	has "why says so, too" '^Its cgroup is frozen' "$tmp/why"
	same "and JSON" true "$(ctrace why chilled --duration 0.5 --json 2> "$tmp/err" | jq '.rows[0].frozen')"
	same "but not of another" false "$(ctrace why halted --duration 0.5 --json 2> "$tmp/err" | jq '.rows[0].frozen')"
fi

# --- a disk that does not answer, and a CPU -----------------------------------------------

modprobe null_blk memory_backed=1 gb=1 2> /dev/null && later "rmmod null_blk"
if [ -b /dev/nullb0 ] && command -v mkfs.ext4 > /dev/null && mkfs.ext4 -q /dev/nullb0 2> "$tmp/mkfs" && mkdir "$tmp/disk" && mount /dev/nullb0 "$tmp/disk"; then
	later "umount $tmp/disk"
	fsfreeze -f "$tmp/disk"
	later "fsfreeze -u $tmp/disk"
	docker_box writer "exec dd if=/dev/zero of=$tmp/disk/file bs=4k count=1"
	held "a file system that is frozen" dd writer '.in == "kernel" and .call != null'
	look --longer 500ms --stack writer
	check "its stack is the kernel's" jq -e '[.rows[0].stack[] | select(test("^[a-z_0-9.]+$"; "i"))] | length > 2' "$tmp/json"
	same "as its state is: D" D "$(awk '{sub(/.*\) /, ""); print $1}' "/proc/$(jq '.rows[0].tid' "$tmp/json")/stat")"
else
	note "no file system to freeze"
fi

# a quota of 1 ms in each second
docker_box starved "exec $workload spin"
[ "$(cgroup_mode)" != v2 ] || { echo +cpu > /sys/fs/cgroup/cgroup.subtree_control; echo +cpu > /sys/fs/cgroup/docker/cgroup.subtree_control; }
for dir in $(cgroup_dirs "/docker/$docker_id"); do
	[ ! -e "$dir/cpu.max" ] || echo 1000 1000000 > "$dir/cpu.max" || continue
	[ ! -e "$dir/cpu.cfs_quota_us" ] || { echo 1000000 > "$dir/cpu.cfs_period_us" && echo 1000 > "$dir/cpu.cfs_quota_us"; } || continue
	[ ! -e "$dir/cpu.max" ] && [ ! -e "$dir/cpu.cfs_quota_us" ] && continue
	held "a CPU, for want of quota" workload starved '.in == "cpu"'
	# it waits nearly all the time, so at the end, too
	still() { ctrace runqlat starved --duration 0.7 > "$tmp/out" 2> "$tmp/err"; grep -q '1 thread still waits for a CPU' "$tmp/err"; }
	check "runqlat says so of a wait that has not ended" wait_for 20 still
	note "$(cat "$tmp/err")"
done

# --- ages that a session follows --------------------------------------------------------------

docker_box late "while [ ! -e $tmp/go ]; do sleep 0.05; done; exec flock $tmp/lock true"
tid=$pid
ctrace record -o "$tmp/t" -e calls,sched_block late > "$tmp/out" 2> "$tmp/rec.err" &
recorder=$!
later "kill -9 $recorder"
wait_for 20 sh -c 'ctrace status --json | jq -e ".sessions[0].recording"' || note "no recorder: $(cat "$tmp/rec.err")"
touch "$tmp/go"
wait_for 20 is_there late flock
look --longer 500ms late
note "$(jq -c '.rows[]' "$tmp/json"): $(cat "$tmp/err")"
same "a session that records calls gives the call's age" true "$(row "$tid" '.call_age >= .age - 1e9 and .call_age <= .age and .call_age > 4e8')"
kill -INT $recorder
wait $recorder
note "$(cat "$tmp/rec.err")"

# --- what it prints ------------------------------------------------------------------------------

ctrace stuck flocks mutex > "$tmp/out" 2> "$tmp/err"
has "a table" '^CONTAINER +AGE +IN +COMM/TID +CALL$' "$tmp/out"
has "a row" '^flocks +[0-9.]+(s|ms) +locks +flock/[0-9]+ +flock\(' "$tmp/out"
has "an account" '^ctrace: 2 of [0-9]+ threads have been held up for 1.00s or longer$' "$tmp/err"
ctrace stuck --top 1 > "$tmp/out" 2> "$tmp/err"
same "without a TARGET, and --top" 2 "$(wc -l < "$tmp/out")"
has "it counts them all" '^ctrace: ([4-9]|[1-9][0-9]+) of [0-9]+ threads' "$tmp/err"
ctrace stuck halted --longer 1h > "$tmp/out" 2> "$tmp/err"
has "nobody for so long" '^ctrace: 0 of ' "$tmp/err"
refuse "a COMMAND" 'starts no COMMAND' ctrace stuck flocks -- true
refuse "a time that is none" 'not a duration' ctrace stuck --longer soon
refuse "no such container" "no container 'nobody'" ctrace stuck nobody
kill -9 "$chilled" 2> /dev/null
