#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: containers of LXC, root's and alice's, have one cid from the first call to the last, and their names
# requires: v2,torture
# kernels: runtimes
# timeout: 200
# torture: 200
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=../real.sh
. "$here/real.sh"

# config DIR NAME LINE...: a container that has the host's programs
config() {
	local dir=$1 name=$2
	shift 2
	mkdir -p "$dir/$name"
	rootfs "$dir/$name/rootfs"
	printf '%s\n' "lxc.uts.name = $name" "lxc.rootfs.path = dir:$dir/$name/rootfs" "lxc.net.0.type = empty" \
		"lxc.apparmor.profile = unconfined" "lxc.mount.auto = proc:mixed" "lxc.signal.halt = SIGTERM" \
		"lxc.mount.entry = /usr usr none bind,ro 0 0" "lxc.mount.entry = $top ctrace none bind,ro 0 0" \
		"lxc.environment = PATH=$inner_path" "$@" > "$dir/$name/config"
}
l1_start() {
	lxc-start -n l1 -P "$dir" -f "$dir/l1/config" -o "$tmp/l1.log" -- /bin/sh -c "$life" ||
		give_up "lxc-start: $(cat "$tmp/l1.log")"
	later "lxc-stop -k -n l1 -P $dir"
	pid=$(lxc-info -n l1 -P "$dir" -pH)
}
l1_exec() { lxc-attach -n l1 -P "$dir" -- "$@"; }
l1_stop() { lxc-stop -n l1 -P "$dir" -t 60; }
l2_start() {
	as_alice systemd-run --quiet --user --scope -p Delegate=yes lxc-start -n l2 -P "$home" -f "$home/l2/config" \
		-o /tmp/l2.log -- /bin/sh -c "$life" > "$tmp/l2" 2>&1 || give_up "lxc-start: $(cat "$tmp/l2" /tmp/l2.log)"
	later "as_alice lxc-stop -k -n l2 -P $home"
	pid=$(as_alice lxc-info -n l2 -P "$home" -pH)
}
l2_exec() { as_alice systemd-run --quiet --user --scope -p Delegate=yes lxc-attach -n l2 -P "$home" -- "$@"; }
l2_stop() { as_alice lxc-stop -n l2 -P "$home" -t 60; }

versions lxc
load
dir=/var/lib/lxc home=/home/alice/lxc
config $dir l1
lives l1 l1 lxc
alice_up
chmod 755 /home/alice
config $home l2 "lxc.idmap = u 0 100000 65536" "lxc.idmap = g 0 100000 65536"
chown -R alice: /home/alice/lxc
chown -R 100000:100000 $home/l2/rootfs
lives l2 l2 lxc
