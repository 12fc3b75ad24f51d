#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: --follow takes containers that start later, from their first event on, and continues with one that restarts
# witness: podman's containers, beside a recorder of everything; 20 containers in rings for 15, of which
#	every call of 10 is kept; Ctrl-C, kill -9, time over
# requires: podman
# timeout: 300
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

# follow COMMAND ARG...: starts ctrace in the background, with Ctrl-C as on a terminal; $job
follow() {
	rm -f "$tmp/err"
	setsid bash -c 'trap - INT; exec ctrace "$@"' - "$@" > "$tmp/out" 2> "$tmp/err" & job=$!
	later "kill -9 $job"
	wait_for 20 recording 1 ctrace || give_up "it does not record: $(cat "$tmp/err")"
}
stop() { kill -INT "$job"; wait "$job"; }
# of CID PATTERN [FIELD]: from ctrace's JSON
execs_of() { jq -r "select(.cid == $1 and .event == \"sched_process_exec\") | .fields.filename" "$tmp/out" | head -n 1; }
# first_exec CID: from the recorder, which records everything
first_exec() { grep -E "sched_process_exec .*\\bcid=$1 " "$tmp/ev" | head -n 1 | sed 's/.*filename="\([^"]*\)".*/\1/'; }
loop='counted 61 7; exec ticker 200 62'

load
[ ! -e /var/lib/docker ] || give_up "this machine has docker"
later "rm -rf /var/lib/docker"
note "podman's containers, beside one that is not meant"
dump "$tmp/ev" -t all -e sched_process_exec -e syscall:getpriority -d 10000
follow trace --follow 'web*' --json -e sched_process_exec,getpriority
has "it says that it waits" "waiting for 'web\*' to start" "$tmp/err"
podman_run db /bin/sh -c "$loop"
db=$(of_pid "$pid" cid)
podman_run web /bin/sh -c "$loop"
web=$(of_pid "$pid" cid)
# the last line may be cut off, and jq fails then
wait_for 20 bash -c "jq 'select(.cid == $web and .fields.who == 62)' $tmp/out 2> /dev/null | grep -q ."
same "the very first program is there" "$(first_exec "$web")" "$(execs_of "$web")"
has "there was one" . <(execs_of "$web")
same "and the first calls" 7 "$(jq -c "select(.cid == $web and .fields.who == 61 and (.event | test(\"entry\")))" "$tmp/out" | wc -l)"
same "by its name" web "$(jq -r "select(.cid == $web) | .container" "$tmp/out" | sort -u)"
note "it restarts"
podman kill web > "$tmp/podman" 2>&1
wait_for 20 bash -c "[ \"\$(podman inspect -f '{{.State.Running}}' web)\" = false ]"
podman --cgroup-manager=cgroupfs start web > "$tmp/podman" 2>&1 || note "$(tail -n 3 "$tmp/podman")"
again=$(of_pid "$(podman inspect -f '{{.State.Pid}}' web)" cid)
check "another container, cid $again" test -n "$again" -a "$again" != "$web"
wait_for 20 bash -c "jq 'select(.cid == $again and .fields.who == 62)' $tmp/out 2> /dev/null | grep -q ."
same "the first program of the restarted one" "$(first_exec "$again")" "$(execs_of "$again")"
same "and its first calls" 7 "$(jq -c "select(.cid == $again and .fields.who == 61 and (.event | test(\"entry\")))" "$tmp/out" | wc -l)"
stop_dump
stop
same "Ctrl-C: status" 0 $?
has "nothing was lost" ' 0 lost' "$tmp/err"
same "nobody else" "$web $again" "$(jq -r .cid "$tmp/out" | sort -un | xargs)"
same "the other one is still there, and was not shown" "$db" "$(ctrace ps --json | jq "select(.name == \"db\") | .cid")"
podman kill web db > /dev/null 2>&1

# box NAME: a container of docker, which counts to 20 with its own number, and stays
box() {
	local id
	id=$(hex64 "$1")
	mkdir -p "/var/lib/docker/containers/$id"
	printf '{"ID": "%s", "Name": "/%s", "Config": {"Image": "i", "Labels": {}}}\n' "$id" "$1" > "/var/lib/docker/containers/$id/config.v2.json"
	cheap "$1" -g "/docker/$id" -- /bin/sh -c 'counted 63 20; exec sleep 1000'
}
note "more containers than there are rings; those that are not meant are let go"
follow record --follow 'web-*' -e getpriority -o "$tmp/rec" --buffer-size 1M --no-state-dump
for i in $(seq 10); do
	box "other-$i"
	box "web-$i"
done
sleep 5
stop
same "status" 0 $?
has "nothing was lost" ' 0 lost' "$tmp/err"
ctrace report --json "$tmp/rec" > "$tmp/report"
same "all calls of those" 200 "$(jq -c 'select(.event | test("entry"))' "$tmp/report" | wc -l)"
same "of 10 containers" "$(for i in $(seq 10); do echo "web-$i"; done | sort | xargs)" "$(jq -r .container "$tmp/report" | sort -u | xargs)"

note "a killed tool leaves nothing"
follow trace --follow other
kill -9 "$job"
wait "$job" 2> /dev/null
wait_for 5 bash -c '! nl_sessions | grep -q session'
same "no session is left" "" "$(nl_sessions)"

note "globs without --follow are those that live now"
ctrace trace 'other-1*' -e sched_switch --json --duration 0.5 > "$tmp/out" 2> "$tmp/err"
same "status" 0 $?
refuse "none" "no container's name matches 'x-\*'" ctrace trace 'x-*' --duration 0.1
refuse "not a container" "trace 'pid:1' by itself" ctrace trace --follow pid:1 --duration 0.1
refuse "both" "choose" ctrace trace --follow --wait x --duration 0.1
