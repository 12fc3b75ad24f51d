#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: --wait waits for a container, traces it from its first event on, and ends with it
# witness: podman's containers, beside a recorder of everything; 20 containers in rings for 15, of which
#	every call of 10 is kept; Ctrl-C, kill -9, time over
# requires: podman
# timeout: 240
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

# start ARG...: starts a trace in the background, with Ctrl-C as on a terminal; $job
start() {
	rm -f "$tmp/err"
	setsid bash -c 'trap - INT; exec timeout --foreground 150 ctrace trace "$@"' - "$@" > "$tmp/out" 2> "$tmp/err" & job=$!
	later "kill -9 $job"
	wait_for 20 grep -q waiting "$tmp/err" || give_up "it does not wait: $(cat "$tmp/err")"
	wait_for 20 recording 1 ctrace || give_up "it does not record: $(cat "$tmp/err")"
}

load
dump "$tmp/ev" -t all -e sched_process_exec -d 10000
start --wait web --json -e sched_process_exec,getpriority --duration 100
has "it says for what" "waiting for 'web' to start" "$tmp/err"
podman_run db /bin/sh -c 'counted 64 5; exec sleep 1000'
podman_run web /bin/sh -c 'counted 64 5; sleep 12; counted 65 5'
web=$(of_pid "$pid" cid)
wait $job
same "it ends with its container: status" 0 $?
stop_dump
has "it says why" "all targets have ended" "$tmp/err"
same "nobody else" "$web" "$(jq -r .cid "$tmp/out" | sort -un | xargs)"
same "the very first program" "$(grep -E "sched_process_exec .*\\bcid=$web " "$tmp/ev" | head -n 1 | sed 's/.*filename="\([^"]*\)".*/\1/')" \
	"$(jq -r 'select(.event == "sched_process_exec") | .fields.filename' "$tmp/out" | head -n 1)"
same "and the last calls" 5 "$(jq -c 'select(.fields.who == 65 and (.event | test("entry")))' "$tmp/out" | wc -l)"

note "it waits in vain"
start --wait nobody
pkill -INT -s "$(ps -o sid= -p $job | tr -d ' ')" -x ctrace
wait $job
same "Ctrl-C: status" 130 $?
timeout 100 ctrace trace --wait=1 nobody > "$tmp/out" 2> "$tmp/err"
same "the time is over: status" 1 $?
has "it says so" "'nobody' did not start in time" "$tmp/err"
timeout 100 ctrace trace --wait nobody -- true > "$tmp/out" 2> "$tmp/err"
same "the command has ended: status" 1 $?
has "it says so" "'nobody' did not start" "$tmp/err"
note "the command starts it"
timeout 60 ctrace trace --wait sub --json -e getpriority -- bash -c "counted 66 3
	podman --cgroup-manager=cgroupfs run --rm --name sub --network=none --cgroupns=private -e PATH=$inner_path -v /usr:/usr:ro \
	-v $top:/ctrace:ro --rootfs $tmp/podman-rootfs counted 67 4" > "$tmp/out" 2> "$tmp/err"
same "status" 0 $?
same "the container's calls" 4 "$(jq -c 'select(.fields.who == 67 and (.event | test("entry")))' "$tmp/out" | wc -l)"
same "the command is not traced" "" "$(jq -c 'select(.fields.who == 66)' "$tmp/out")"
note "it waits for nothing if the container is there"
timeout 100 ctrace trace --wait db --duration 0.5 > "$tmp/out" 2> "$tmp/err"
same "status" 0 $?
has_not "it does not wait" waiting "$tmp/err"
same "no session is left" "" "$(nl_sessions)"
