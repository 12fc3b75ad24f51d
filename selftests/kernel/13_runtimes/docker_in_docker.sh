#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: docker in docker: the inner container is one, with its id, name, processes and events, inside the outer
# requires: v2,torture
# kernels: runtimes
# timeout: 300
# torture: 300
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=../real.sh
. "$here/real.sh"

# As docker's own image does it: on v2 a group with processes cannot pass controllers on.
# shellcheck disable=SC2016 # the outer's shell
inside='set -e
mkdir -p /sys/fs/cgroup/init
xargs -rn1 < /sys/fs/cgroup/cgroup.procs > /sys/fs/cgroup/init/cgroup.procs || :
sed -e "s/ / +/g" -e "s/^/+/" < /sys/fs/cgroup/cgroup.controllers > /sys/fs/cgroup/cgroup.subtree_control || :
exec dockerd --storage-driver=vfs --bridge=none --iptables=false --ip-forward=false > /tmp/log 2>&1'
# d COMMAND...: the inner docker
d() { docker exec outer docker "$@"; }
inner_start() {
	id=$(d run -d --name inner --network=none --log-driver=none -e "PATH=$inner_path" -v /usr:/usr:ro -v /ctrace:/ctrace:ro \
		box /bin/sh -c "$life" 2> "$tmp/inner.err") || give_up "docker run inner: $(tail -n 3 "$tmp/inner.err")"
	# its init as the host has it
	wait_for 20 pgrep -f '^/bin/sh -c counted 7 20; trap' || give_up "no init"
	pid=$(pgrep -nf '^/bin/sh -c counted 7 20; trap')
	monitor_in=$outer
}
inner_exec() { d exec inner "$@"; }
inner_stop() { d stop -t 60 inner; }
inner_meanwhile() {
	same "one container with its id" "$cid" "$(of_id "$id" cid | xargs)"
	same "its pid namespace" "$(pidns_of "$pid")" "$(of_id "$id" pidns)"
	same "its parent is the outer" "$outer" "$(of_id "$id" parent)"
	same "it has processes" 2 "$(ctrace ps --json | jq "select(.cid == $cid) | .procs")"
	same "two containers in all" 2 "$(ctrace ps --json | wc -l)"
}

versions docker.io containerd runc
load
image "$tmp"
docker_up /var/lib/ctrace-docker --exec-opt native.cgroupdriver=cgroupfs
docker_run outer --privileged --tmpfs /var/lib/docker:exec,dev --tmpfs /run:exec --tmpfs /tmp \
	-v "$tmp/image.tar:/image.tar:ro" -- bash -c "$inside"
outer=$(of_id "$id" cid)
wait_for 90 d version || give_up "no inner dockerd: $(docker exec outer tail -n 5 /tmp/log 2>&1)"
took "the inner dockerd runs"
d import /image.tar box > "$tmp/import" 2>&1 || give_up "import: $(cat "$tmp/import")"
lives inner inner docker
