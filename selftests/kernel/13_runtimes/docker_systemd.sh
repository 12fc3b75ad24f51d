#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: docker with systemd's driver and another data-root; units are targets; a scope with a container's id is not it
# requires: v2,torture
# kernels: runtimes
# timeout: 200
# torture: 300
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=../real.sh
. "$here/real.sh"

db_start() { docker_run db -- /bin/sh -c "$life"; }
db_exec() { docker exec db "$@"; }
db_stop() { docker stop db; }
loop='while :; do counted 3 1; sleep 0.1; done'
db_meanwhile() {
	same "its cgroup" "/system.slice/docker-$id.scope" "$(of_id "$id" path)"

	note "alice's scope with db's id"
	as_alice systemd-run --quiet --user --scope --unit="docker-$id" bash -c "$loop" & later "kill $!"
	wait_for 10 bash -c "[ \$(ctrace ps --json | grep -c ${id:0:12}) -ge 2 ]" || not_ok "it is not seen"
	ctrace ps --json > "$tmp/ps"
	same "one is called db" "$cid" "$(jq -r 'select(.name == "db") | .cid' "$tmp/ps" | xargs)"
	refuse "its id is that of several" "cid:$cid" ctrace trace "${id:0:12}" --duration 0.1
	docker exec -d db bash -c "$loop"
	traces "by its name it alone is traced" "$cid" db
}

versions docker.io systemd
load
image "$tmp"
alice_up
docker_up /srv/ctrace-docker --exec-opt native.cgroupdriver=systemd
lives db db docker

note "units are targets"
systemd-run --quiet --unit=game.service --setenv=PATH="$PATH" bash -c "while :; do counted 4 1; sleep 0.1; done"
later "systemctl stop game.service"
ctrace trace --json -e getpriority --duration 3 unit:game.service 2> "$tmp/err" | grep '^{' > "$tmp/ev"
at_least "calls of the unit" 5 "$(wc -l < "$tmp/ev")"
same "they are the host's" 0 "$(jq -r .cid "$tmp/ev" | sort -un | xargs)"
same "and the unit's alone" 4 "$(jq -c "select(.fields.who) | .fields.who" "$tmp/ev" | sort -u | xargs)"
