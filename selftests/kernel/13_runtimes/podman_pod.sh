#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: a pod of podman, with cgroupfs and with systemd: the pod is no container, its monitors are the host's; what it receives is the infra container's
# requires: v2,torture
# kernels: runtimes
# timeout: 250
# torture: 250
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=../real.sh
. "$here/real.sh"

pod() { podman --cgroup-manager "$manager" "$@"; }
pod_of() { ctrace ps --json | jq -r "select(.cid == $1) | \"\(.pod) \(.pod_uid)\""; }
app_start() {
	id=$(pod run -d --name "app-$manager" --pod "pod-$manager" -e "PATH=$inner_path" -v /usr:/usr:ro -v "$top:/ctrace:ro" \
		--stop-timeout=60 localhost/box /bin/sh -c "$life" 2> "$tmp/podman") || give_up "podman run: $(tail -n 3 "$tmp/podman")"
	pid=$(pod inspect -f '{{.State.Pid}}' "app-$manager")
	monitor=$(pgrep -of "conmon.*$id")
}
app_exec() { pod exec "app-$manager" "$@"; }
app_stop() { pod stop "app-$manager"; }
app_meanwhile() {
	same "its parent" 0 "$(of_id "$id" parent)"
	note "$(ctrace ps)"
	# without an infra container, podman's events alone may have the name
	if [ -s /run/libpod/events/events.log ] || [ "$manager" = systemd ]; then name=pod-$manager; else name=$pod_id; fi
	same "the pod" "$name $pod_id" "$(pod_of "$cid")"
	ctrace trace "pod:${pod_id:0:12}" --duration 0.1 > "$tmp/trace" 2>&1 || not_ok "its id is no target: $(cat "$tmp/trace")"
	same "podman's containers, and none for the pod" "$(podman ps -q | wc -l)" "$(ctrace ps --json | wc -l)"
	# not those of podman exec, which go by themselves
	for conmon in $(podman ps -q | xargs podman inspect -f '{{.State.ConmonPid}}'); do
		same "a monitor" 0 "$(cid_of_process "$conmon")"
	done
	[ "$manager" = cgroupfs ] || packets "with infra" "pod:pod-$manager" "$(cid_of_process "$infra_pid")" "$cid" app_exec
}

versions podman crun conmon
load
modprobe overlay
rootfs "$tmp/image"
cp "$(command -v busybox)" "$tmp/image/busybox"
image "$tmp"
podman import "$tmp/image.tar" localhost/box > "$tmp/import" 2>&1 || give_up "podman import: $(tail -n 3 "$tmp/import")"
for manager in cgroupfs systemd; do
	# podman 4.3 forbids all devices to the cgroup that it makes for a pod by cgroupfs, and then no container starts
	# there. Without a container of its own the pod has no cgroup.
	infra=(--infra-image localhost/box --infra-command "/busybox sleep 1000" --network=none)
	[ $manager = systemd ] || infra=(--infra=false)
	pod pod create --name "pod-$manager" "${infra[@]}" > "$tmp/pod" 2>&1 || give_up "pod create: $(cat "$tmp/pod")"
	pod_id=$(podman pod inspect -f '{{.Id}}' "pod-$manager")
	later "podman pod rm -f -t 0 pod-$manager"
	if [ $manager = systemd ]; then
		pod pod start "pod-$manager" > "$tmp/pod" 2>&1 || give_up "pod start: $(cat "$tmp/pod")"
		infra_pid=$(podman inspect -f '{{.State.Pid}}' "$(podman pod inspect -f '{{.InfraContainerID}}' "pod-$manager")")
		wire "$infra_pid"
	fi
	lives app "app-$manager" podman
	[ $manager = systemd ] || pod pod rm -f -t 0 "pod-$manager" > /dev/null 2>&1
done
note "a module that is loaded while the pod runs"
pod start "app-$manager" > "$tmp/podman" 2>&1 || give_up "podman start: $(cat "$tmp/podman")"
pid=$(pod inspect -f '{{.State.Pid}}' "app-$manager")
check "unload" unload
load
packets "later" "pod:pod-$manager" "$(cid_of_process "$infra_pid")" "$(cid_of_process "$pid")" app_exec
pod pod rm -f -t 0 "pod-$manager" > /dev/null 2>&1
