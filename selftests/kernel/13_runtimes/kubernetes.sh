#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: pods as a kubelet makes them, with the drivers cgroupfs and systemd: the pause container and its neighbours are apart, and named; what the pod receives is pause's
# requires: v2,torture
# kernels: runtimes
# timeout: 300
# torture: 300
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=../real.sh
. "$here/real.sh"

# containerd's own containers (namespace k8s.io), in the cgroups that a kubelet chooses, with the annotations of its
# CRI plugin. There is no kubelet.
export CONTAINERD_NAMESPACE=k8s.io
# member ROLE CGROUP NAME PIDNS COMMAND...: a container of the pod in $pod; sets $id and $pid. PIDNS: a pid whose pid
# namespace it has, or nothing. All share the network namespace of pause.
member() {
	local role=$1 cgroup=$2 name=$3 join=$4 type=container net=/proc/${pause:-}/ns/net
	shift 4
	[ "$role" != pause ] || net=''
	[ "$role" != pause ] || type=sandbox
	id=$(hex64 "$pod-$name")
	bundle "$tmp/$id" "${cgroup//ID/$id}" "$@"
	jq --arg name "$name" --arg pod "$pod" --arg type "$type" --arg join "$join" --arg root "$tmp/$id/rootfs" --arg net "$net" '
		.annotations = {"io.kubernetes.cri.container-type": $type, "io.kubernetes.cri.sandbox-name": $pod,
			"io.kubernetes.cri.sandbox-namespace": "shop"}
		| if $type == "container" then .annotations["io.kubernetes.cri.container-name"] = $name else . end
		| .root.path = $root
		| .linux.namespaces += [{type: "network"} + if $net == "" then {} else {path: $net} end]
		| if $join == "" then . else .linux.namespaces |= map(if .type == "pid" then .path = "/proc/\($join)/ns/pid" else . end) end' \
		"$tmp/$id/config.json" > "$tmp/$id/c3"
	# shellcheck disable=SC2086 # an option or none
	ctr run -d --null-io $systemd --cgroup "${cgroup//ID/$id}" --config "$tmp/$id/c3" "$id" > "$tmp/ctr" 2>&1 < /dev/null ||
		give_up "ctr run $name: $(tail -n 3 "$tmp/ctr")"
	pid=$(ctr task ls | awk -v n="$id" '$1 == n {print $2}')
}
# ends ID: its cgroup goes with its task, and so does what shares another's pid namespace
ends() { ctr task kill -s TERM "$1" && wait_for 20 ctr task rm "$1"; }
app_start() { member app "$cgroup" app "" /bin/sh -c "$life"; app=$id; }
app_exec() { ctr_exec "$app" "$@"; }
app_stop() { ends "$app"; }
side_start() { member side "$cgroup" side "$pause" /bin/sh -c "$life"; side=$id; }
side_exec() { ctr_exec "$side" "$@"; }
side_stop() { ends "$side"; }
app_meanwhile() {
	same "$pod: its parent" 0 "$(of_id "$id" parent)"
	packets "$pod" "pod:shop/$pod" "$paused" "$cid" app_exec
}
side_meanwhile() {
	same "$pod: its parent is not pause" 0 "$(of_id "$id" parent)"
	same "$pod: pause" "$paused" "$(cid_of_process "$pause")"
	check "$pod: is another" test "$cid" != "$paused"
}

versions containerd runc
load
containerd_up env
uid=6d2a5f0e-8c1b-4c5e-9d60-000000000
for driver in cgroupfs systemd; do
	pod=web-$driver
	case $driver in
	cgroupfs) systemd='' cgroup=/kubepods/burstable/pod${uid}001/ID;;
	systemd) systemd=--runc-systemd-cgroup uid=${uid//-/_} cgroup=kubepods-burstable-pod${uid}002.slice:cri-containerd:ID;;
	esac
	member pause "$cgroup" pause "" sleep 1000
	pause=$pid paused=$(of_pid "$pid" cid)
	same "$pod: by name" "$pod containerd" "$(name_of "$paused")"
	wire "$pause"
	lives app "$pod/app" containerd
	note "one that shares the pid namespace of pause"
	lives side "$pod/side" containerd
	same "pause is left, and the pod is no container" "$pod" "$(ctrace ps --json | jq -r .name | xargs)"
	note "a module that is loaded while the pod runs"
	member late "$cgroup" late "" /bin/sh -c "$life"
	app=$id
	check "unload" unload
	load
	packets "$pod, later" "pod:shop/$pod" "$(cid_of_process "$pause")" "$(cid_of_process "$pid")" app_exec
	ends "$app"
	ctr task kill -s KILL "$(hex64 "$pod-pause")"
	wait_for 10 bash -c "[ -z \"\$(ctrace ps --json)\" ]" || not_ok "$pod: a container is left: $(ctrace ps)"
done
