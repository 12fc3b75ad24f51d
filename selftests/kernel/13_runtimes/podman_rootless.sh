#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: alice's containers of podman, with crun and with runc, have one cid from the first call to the last, and their names
# requires: v2,torture
# kernels: runtimes
# timeout: 250
# torture: 250
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=../real.sh
. "$here/real.sh"

# podman as alice: its containers are below her manager
pod() { as_alice podman --runtime "$runtime" --cgroup-manager systemd "$@"; }
box_start() {
	local id
	later "pod kill box; pod rm -f box"
	id=$(pod run -d --name box --network=none -e "PATH=$inner_path" -v /usr:/usr:ro -v "$top:/ctrace:ro" \
		--stop-timeout=60 localhost/box /bin/sh -c "$life" 2> "$tmp/podman") || give_up "podman run: $(tail -n 3 "$tmp/podman")"
	pid=$(pod inspect -f '{{.State.Pid}}' box)
	monitor=$(pgrep -of "conmon.*$id")
}
box_exec() { pod exec box "$@"; }
box_stop() { pod stop box; }
box_meanwhile() {
	same "one container with that init" 1 "$(of_pid "$pid" cid | wc -w)"
	same "below her slice" "/user.slice/user-1000.slice" "$(of_pid "$pid" path | cut -c1-27)"
}

versions podman crun runc conmon
load
modprobe overlay
image "$tmp"
chmod 755 "$tmp"
alice_up
runtime=crun
pod import "$tmp/image.tar" localhost/box > "$tmp/import" 2>&1 || give_up "podman import: $(tail -n 3 "$tmp/import")"
took "podman has an image"
lives box box podman
pod rm -f box > /dev/null 2>&1
runtime=runc
lives box box podman
