#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: a machine of systemd-nspawn with a systemd of its own is one container, also for a module that came later
# requires: v2,torture
# kernels: runtimes
# timeout: 300
# torture: 300
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=../real.sh
. "$here/real.sh"

# The machine's disk is the guest's own, below a layer in memory.
bootme_start() {
	mkdir "$tmp/up" "$tmp/work" "$tmp/machine"
	mount -t overlay -o "lowerdir=/,upperdir=$tmp/up,workdir=$tmp/work" overlay "$tmp/machine" || skip "no overlay"
	later "umount $tmp/machine"
	systemd-run --quiet --collect --unit=nsp --property=KillMode=mixed --property=Delegate=yes \
		systemd-nspawn --quiet --keep-unit -M bootme -D "$tmp/machine" --link-journal=no --bind-ro="$top" \
		--boot -- --unit=basic.target > "$tmp/nspawn" 2>&1 ||
		give_up "nspawn: $(cat "$tmp/nspawn")"
	later "machinectl terminate bootme; systemctl kill -s KILL nsp; systemctl stop nsp"
	wait_for 60 systemctl -M bootme is-active basic.target || give_up "it does not boot: $(journalctl -u nsp -n 20)"
	took "the machine has booted"
	pid=$(machinectl show bootme -p Leader --value)
	monitor=$(systemctl show nsp -p MainPID --value)
	# mixed: a program that the shell starts as it ends gets no signal to end
	systemd-run --quiet -M bootme --unit=life --property=KillMode=mixed --setenv=PATH="$inner_path" /bin/sh -c "$life"
}
bootme_exec() { systemd-run --quiet -M bootme --wait --setenv=PATH="$inner_path" "$here/build/$1" "${@:2}"; }
bootme_stop() { systemctl -M bootme stop life; }
# machine: prints the containers at the machine's cgroup and below
machine() { subscribe | awk '$10 ~ "^/system.slice/nsp.service" && $6 !~ /[13579bdf]$/ {print $2}' | xargs; }
bootme_meanwhile() { same "it is one container" "$cid" "$(machine)"; }
plain_start() {
	systemd-nspawn --quiet -M plain -D "$tmp/image" --bind-ro=/usr --bind-ro="$top" --as-pid2 --setenv=PATH="$inner_path" \
		/bin/sh -c "$life" > "$tmp/plain" 2>&1 &
	monitor=$!
	later "machinectl terminate plain"
	wait_for 20 pgrep -f '^/bin/sh -c counted 7 20; trap' || give_up "nspawn: $(cat "$tmp/plain")"
	pid=$(pgrep -nf '^/bin/sh -c counted 7 20; trap')
}
plain_exec() { nsenter -t "$pid" -a "$here/build/$1" "${@:2}"; }
plain_stop() { kill "$pid"; }

versions systemd-container
load
modprobe overlay
image "$tmp"
lives bootme bootme nspawn

note "after a reload of the module"
check "unload" unload
load
same "one container" 1 "$(machine | wc -w)"
cid=$(machine)
same "by name" "bootme nspawn" "$(name_of "$cid")"
same "its init is in it" "$cid" "$(cid_of_process "$pid")"
dump "$tmp/ev" -d 2000 -t all -e syscall:getpriority
bootme_exec counted 9 10
stop_dump
same "what is run in it, too" "$cid" "$(cids "$tmp/ev" 'entry_getpriority.*who=9( |$)')"
same "still one" "$cid" "$(machine)"

note "one that was started by hand"
lives plain plain nspawn
