#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: names of docker elsewhere and in docker, of nspawn --keep-unit, of a pod without an infra container; processes of a pid namespace; units as hints
# witness: docker's files elsewhere, in a container, behind a link; machined's; made up by the test
# requires: podman,v2
# timeout: 180
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

cg=$(cgroup_mount)
name_of() { ctrace ps --json | jq -r "select(.cid == $1) | .name"; }
# docker_file DIR ID NAME: what docker writes of a container
docker_file() {
	mkdir -p "$1/containers/$2"
	printf '{"ID": "%s", "Name": "/%s"}\n' "$2" "$3" > "$1/containers/$2/config.v2.json"
}
# daemon NAME DIR COMMAND...: starts a process that looks like dockerd --data-root DIR, by COMMAND
daemon() {
	local name=$1 dir=$2
	shift 2
	mkdir -p "$store/$name"
	cp "$(readlink -f /bin/bash)" "$store/$name/dockerd"
	"$@" "$store/$name/dockerd" -c 'while :; do sleep 1; done' -- --data-root "$dir" & later "kill -9 $!"
	wait_for 10 grep -q dockerd "/proc/$!/comm"
}

load
store=/var/lib/ctrace-names
mkdir -p $store && later "rm -rf $store"
id1=$(hex64 d1) id2=$(hex64 d2) id3=$(hex64 d3) id4=$(hex64 d4)
cheap d1 -g "/docker/$id1" -- sleep 1000
d1=$(of_pid "$pid" cid)
cheap d2 -g "/docker/$id2" -- sleep 1000
d2=$(of_pid "$pid" cid)
cheap d3 -g "/docker/$id3" -- sleep 1000
d3=$(of_pid "$pid" cid)

note "docker with another data-root"
same "unknown yet" "${id1:0:12}" "$(name_of "$d1")"
docker_file $store/one "$id1" by-argument
daemon one $store/one
same "the daemon's argument" by-argument "$(name_of "$d1")"
docker_file $store/two "$id2" by-file
mkdir -p /etc/docker
[ ! -e /etc/docker/daemon.json ] || give_up "this machine has a daemon.json"
later "rm -f /etc/docker/daemon.json"
echo "{\"data-root\": \"$store/two\"}" > /etc/docker/daemon.json
same "daemon.json" by-file "$(name_of "$d2")"
docker_file $store/three "$id3" db
daemon three $store/three setpriv --reuid 1000 --clear-groups
same "a user's daemon names nothing" "${id3:0:12}" "$(name_of "$d3")"
mkdir -p $store/home && chown 1000 $store/home
docker_file $store/home/four "$id3" db
daemon four $store/home/four
same "nor does a directory that a user may replace" "${id3:0:12}" "$(name_of "$d3")"

note "docker in docker"
podman_run outer sleep 1000
outer=$(of_pid "$pid" cid) path=$(of_pid "$pid" path)
docker_file "$tmp/podman-rootfs/var/lib/docker" "$id4" inner
docker_file "$tmp/podman-rootfs/var/lib/docker" "$id3" db
cheap inner -g "$path/docker/$id4" -- sleep 1000
inner=$(of_pid "$pid" cid)
same "its parent" "$outer" "$(of_pid "$pid" parent)"
same "its name is in the outer's file system" inner "$(name_of "$inner")"
same "that names nothing outside" "${id3:0:12}" "$(name_of "$d3")"
rm -r "$tmp/podman-rootfs/var/lib/docker"
mkdir -p $store/six && docker_file $store/six "$id4" by-link
ln -s $store/six "$tmp/podman-rootfs/var/lib/docker"
same "a link leads nowhere" "${id4:0:12}" "$(name_of "$inner")"

note "systemd-nspawn --keep-unit"
cheap nsp -g /system.slice/nsp.service/payload -- sleep 1000
nsp=$(of_pid "$pid" cid)
mkdir -p /run/systemd/machines && later "rm -f /run/systemd/machines/bootme"
printf 'NAME=bootme\nSCOPE=nsp.service\nSERVICE=systemd-nspawn\nLEADER=%s\nCLASS=container\n' "$pid" > /run/systemd/machines/bootme
same "machined knows its name" "bootme nspawn" "$(ctrace ps --json | jq -r "select(.cid == $nsp) | \"\(.name) \(.runtime)\"")"
same "and it is a target" "" "$(ctrace trace bootme --duration 0.1 2>&1 | grep 'no container')"

note "processes of a container that is known by its pid namespace"
cheap plain -N -- sh -c 'sleep 1000 & sleep 1000 & wait'
wait_for 5 test "$(pgrep -c -P "$pid")" = 2
same "three" 3 "$(ctrace ps --json | jq "select(.init_pid == $pid) | .procs")"

note "units"
mkdir -p "$cg/system.slice/nginx.service" "$cg/user.slice/user-1000.slice/user@1000.service/app.slice/nginx.service"
chown -R 1000 "$cg/user.slice/user-1000.slice/user@1000.service"
later "find $cg/system.slice/nginx.service $cg/user.slice -depth -type d -exec rmdir {} +"
for word in nginx nginx.service cgroup:nginx.service; do
	refuse "$word" 'cgroup:/system.slice/nginx.service' ctrace trace $word --duration 0.1
	ctrace trace $word --duration 0.1 > "$tmp/out" 2>&1
	has_not "$word: not the user's" 'user-1000' "$tmp/out"
done
rmdir "$cg/system.slice/nginx.service"
refuse "a user's is told as such" 'not of the system: cgroup:/user.slice/.*nginx.service' ctrace trace nginx --duration 0.1

note "a pod of podman without an infra container: what its events say of it"
podman_run first sleep 1000
pod=$(podman --events-backend=file --cgroup-manager=cgroupfs pod create --name lion --infra=false 2> "$tmp/pod")
later "podman kill inside; podman pod rm -fa"
podman --events-backend=file --cgroup-manager=cgroupfs run -d --pod lion --name inside -v /usr:/usr:ro --rootfs "$tmp/podman-rootfs" sleep 1000 > "$tmp/pod" 2>&1 ||
	not_ok "podman run: $(tail -n 3 "$tmp/pod")"
same "its name and id" "lion $pod" "$(ctrace ps --json | jq -r 'select(.name == "inside") | "\(.pod) \(.pod_uid)"')"
ctrace trace pod:lion "pod:${pod:0:12}" --duration 0.1 > "$tmp/out" 2>&1 || not_ok "no targets: $(cat "$tmp/out")"
