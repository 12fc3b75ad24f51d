#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: a container of docker has one cid from its first call to its last, docker's name, and what exec runs
# witness: marked calls of the container's first process, of what exec runs, and at its end; ctrace ps,
#	ctrace explain pid:
# requires: v2
# kernels: runtimes
# timeout: 150
# torture: 300
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=../real.sh
. "$here/real.sh"

web_start() { docker_run web -- /bin/sh -c "$life"; }
web_exec() { docker exec web "$@"; }
web_stop() { docker stop web; }
web_meanwhile() {
	same "its id" "$id" "$(of_id "$id" runtime_id)"
	same "its parent" 0 "$(of_id "$id" parent)"
	docker rename web shop
	same "renamed: its new name" "shop docker" "$(name_of "$cid")"
	refuse "the old name is none" "no container 'web'" ctrace explain web
	docker rename shop web
}

versions docker.io containerd runc
load
image "$tmp"
docker_up /var/lib/ctrace-docker --exec-opt native.cgroupdriver=cgroupfs
lives web web docker

note "restarted: another container with the same id and name"
before=$cid
docker start web > /dev/null
cid=$(of_id "$id" cid)
same "one" 1 "$(wc -w <<< "$cid")"
check "its cid is new" test "$cid" -gt "$before"
same "by name" "web docker" "$(name_of "$cid")"

# another LABEL PID: a container LABEL whose namespaces are not all its own: it has a cid of its own, and its name
other() {
	local label=$1
	shift
	dump "$tmp/ev" -d 2000 -t all -e syscall:getpriority
	docker_run "$label" "$@" -- /bin/sh -c "$life"
	wait_for 60 lines 20 'entry_getpriority.*who=7( |$)' "$tmp/ev" || not_ok "$label: no calls"
	other=$(of_id "$id" cid)
	docker exec "$label" counted 9 10 2> "$tmp/exec" || not_ok "$label: exec: $(cat "$tmp/exec")"
	stop_dump
	same "$label: one container" 1 "$(wc -w <<< "$other")"
	same "$label: by name" "$label docker" "$(name_of "$other")"
	same "$label: cid of all its calls and of exec's" "$other" "$(cids "$tmp/ev" 'entry_getpriority.*who=[79]( |$)')"
	same "$label: all of them" "20 10" "$(calls_of "$tmp/ev" 7 9)"
	same "$label: its parent" 0 "$(of_id "$id" parent)"
	check "$label: it is not web" test "$other" != "$cid"
	docker kill "$label" > /dev/null
	took "$label"
}
other hostpid --pid=host
other joined --pid=container:web
other hostcg --cgroupns=host
