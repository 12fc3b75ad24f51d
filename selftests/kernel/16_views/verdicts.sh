#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: why's verdict in situations whose cause is known: causes alone, in pairs, beside an innocent heavy neighbour, idle, one thread of 100, short looks, recordings
# witness: programs that are slow for one reason (workload.c)
# requires: v2,v1,slow,torture
# timeout: 600
# torture: 900
# processors: its programs are pinned to either of them
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

# Everyday selftests/unit/verdict_test gives the numbers of these situations to the rule, as they were measured once. They are
# kept in selftests/verdicts.json, which is made anew from this test's log:
#	sed -n 's/^.*# kept: //p' LOG | jq -c . | sed '1s/^/[/; $!s/$/,/; $s/$/]/' > selftests/verdicts.json
command -v jq > /dev/null || skip "no jq to read JSON"
load
workload=$(command -v workload)
right=0 all=0

# app, other NAME, on_host: run workload as the container `app`, as another one, on the host, until the situation ends. Each of
# them runs on CPU 1 but after `cpus 3`, which gives it both.
mask=2
cpus() { mask=$1; }
begun=()
start() {
	docker_box "$1" "exec taskset $mask $2"
	begun+=("$pid")
}
app() { start app "$workload $*"; }
app_sh() { start app "sh -c '$*'"; }
other() { start "$1" "$workload ${*:2}"; }
on_host() {
	taskset "$mask" "$workload" "$@" &
	begun+=($!)
}
# spare: on the other CPU
spare() { (mask=1; docker_box "$1" "exec taskset 1 $workload ${*:2}"; echo "$pid" > "$tmp/spare"); begun+=("$(cat "$tmp/spare")"); }
end() {
	local p
	for p in "${begun[@]}"; do
		kill -9 "$p"
	done 2> /dev/null
	wait 2> /dev/null
	begun=()
	cpus 2
	wait_for 20 sh -c '! ctrace ps | grep -q " app "'
}

# verdict NAME CAUSE [OPTION]...: what why says of app, against what it is: CAUSE is an expression
verdict() {
	local name=$1 cause=$2 is
	shift 2
	all=$((all + 1))
	ctrace why app --json --duration 2 "$@" > "$tmp/json" 2> "$tmp/err"
	is=$(jq -r '.rows[0] | "\(.cause) \(.second_cause // "")"' "$tmp/json")
	note "kept: $(jq -c --arg name "$name" --arg cause "$cause" '.rows[0] | {name: $name, cause: $cause, duration, time, spent, causes}' "$tmp/json")"
	note "$name: $is: $(jq -c '.rows[0] | .spent | with_entries(select(.value > 0) | .value = (.value / 1e6 | floor))' "$tmp/json")"
	note "$(jq -r '.rows[0].verdict' "$tmp/json")"
	if [[ "$is" =~ ^($cause) ]]; then
		right=$((right + 1))
	else
		note "WRONG: $name: '$is' where it is '$cause'"
	fi
}
# recorded NAME CAUSE: of a recording
recorded() {
	rm -rf "$tmp/t"
	ctrace record -o "$tmp/t" -e views --duration 2 app 2> "$tmp/err"
	local name=$1 cause=$2 is
	all=$((all + 1))
	ctrace why app --json --input "$tmp/t" > "$tmp/json" 2> "$tmp/err"
	is=$(jq -r '.rows[0].cause' "$tmp/json")
	if [[ "$is" =~ ^($cause)$ ]]; then right=$((right + 1)); else note "WRONG: $name, recorded: '$is' where it is '$cause'"; fi
}

# --- causes alone
app spin; verdict "it runs" ran; recorded "it runs" ran; end
app spin 1 100; verdict "it sleeps, and runs 1 ms now and then" none; recorded "it sleeps" none; end
app_sh "while :; do sleep 1; done"; verdict "a shell that sleeps" none; end
app_sh "$workload spin & wait"; verdict "a shell whose child runs" ran; end
app_sh "sleep 1000 | cat"; verdict "a pipe that nobody writes to" none; end
app poll; verdict "poll" none; end
app spin; kill -STOP "$pid"; verdict "stopped" none; end
cpus 3; app serve 7001 0 0; verdict "a server without clients" none; end
cpus 3; app serve 7002 0 0; other asks ask 7002 0 200; verdict "a server with little to do" none; end
cpus 3; app serve 7003 0 20; other asks ask 7003 0 0; verdict "a server with much to do" ran; end
cpus 3; app ask 7004 10 0; other serves serve 7004 100 0; verdict "a slow server" network; recorded "a slow server" network; end
cpus 3; app ask 7005 100 0; other serves serve 7005 100 0; verdict "it runs as long as it waits for a server" "network ran"; end
app mutex 4 5; verdict "a lock" locks; recorded "a lock" locks; end
app mutex 4 50; verdict "a lock that is held for long" locks; end
app_sh "for i in 1 2 3; do while flock /tmp/verdicts.lock sleep 0.1; do :; done & done; wait"; verdict "a file lock" locks; end
app pool 16; verdict "a pool of threads" none; end
cpus 3; app pool 99; verdict "a hundred threads at rest" none; end
app pool 99 spin; verdict "one thread of a hundred runs" ran; end
app_sh "for i in 1 2 3 4; do $workload append /dev/shm/verdicts & done; wait"; verdict "in the kernel, not at a disk" "kernel|self"; end
app_sh "$workload spin & $workload spin & $workload spin & wait"; verdict "more threads than CPUs" self; end

# --- because of others
app spin; other busy spin; verdict "a neighbour" "neighbour"; recorded "a neighbour" neighbour; end
app spin; other busy spin; other more spin; verdict "two neighbours" neighbour; end
app spin; on_host spin; verdict "the host" host; end
app spin; on_host spin; on_host spin; other busy spin; verdict "the host, twice as much as a neighbour" "host"; end
# if their cgroup has a weight, it is as much as that of one task of the host
app spin; other busy spin; other more spin; on_host spin; verdict "neighbours and the host" "neighbour|host neighbour"; end
app pool 99 spin; other busy spin; verdict "one thread of a hundred, and a neighbour" neighbour; end
app spin 20 20; other busy spin; verdict "it runs in turns, beside a neighbour" neighbour; end
app spin 1 100; spare busy spin; verdict "at rest, beside a heavy neighbour elsewhere" none; end
app spin; spare busy spin; verdict "it runs, beside a heavy neighbour elsewhere" ran; end
cpus 3; app ask 7006 5 0; other serves serve 7006 50 0; spare busy spin 10 30; verdict "a slow server, beside a neighbour that runs little" network; end
app mutex 4 5; spare busy spin; verdict "a lock, beside a heavy neighbour elsewhere" locks; end

# --- quota
cpu_controller
[ "$(cgroup_mode)" != v2 ] || { mkdir -p "$mount/docker"; echo +cpu > "$mount/docker/cgroup.subtree_control"; }
limited() { quota "$mount/docker/$(hex64 app)" "$1"; }
if app spin && limited 20 2> /dev/null; then
	verdict "quota" quota; recorded "quota" quota; end
	app spin 1 100; limited 50; verdict "a quota that suffices" none; end
	app spin; limited 50; other busy spin; verdict "quota and neighbour" "quota|neighbour"; end
	app spin; limited 30; spare busy spin; verdict "quota, beside a heavy neighbour elsewhere" quota; end
	cpus 3; app ask 7007 40 0; other serves serve 7007 5 0; limited 10; verdict "quota, and a quick server" quota; end
else
	end
fi

# --- disks
if modprobe null_blk nr_devices=1 irqmode=2 completion_nsec=20000000 queue_mode=2 2> /dev/null; then
	later "rmmod null_blk"
	disk=/dev/nullb0
	app direct $disk 0; verdict "a disk" disk; recorded "a disk" disk; end
	app direct $disk 20; verdict "it runs as long as it waits for a disk" "disk ran"; end
	app direct $disk 0; spare busy spin; verdict "a disk, beside a heavy neighbour elsewhere" disk; end
	app direct $disk 5; other busy spin; verdict "a disk and a neighbour" "disk|neighbour"; end
fi

# --- short looks
app spin; other busy spin; verdict "a neighbour, for 0.3 s" neighbour --duration 0.3; end
app spin 1 100; verdict "at rest, for 0.3 s" none --duration 0.3; end
app spin; verdict "it runs, for 0.1 s" ran --duration 0.1; end

note "$right of $all verdicts were right"
at_least "situations" 40 "$all"
at_least "of $all verdicts, so many were right" $((all - 2)) "$right"
