#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: cgroups that are made, removed and frozen
# witness: the directory's number; cgroup.freeze
# requires: any
# timeout: 60
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source-path=SCRIPTDIR source=../witness.sh
. "$here/witness.sh"

load
mount=$(cgroup_mount)
evdump -t all -e cgroup_mkdir -e cgroup_rmdir -- sh -c "mkdir $mount/sourcetest && stat -c 'id=%i pid=%n' $mount/sourcetest && rmdir $mount/sourcetest" > "$tmp/ev" 2> "$tmp/err"
id=$(sed -n 's/^id=\([0-9]*\) .*/\1/p' "$tmp/ev")
has "made, with its number" "cgroup_mkdir cid=0 tid=[1-9][0-9]* .* root=[0-9]+ id=$id level=1 path=\"/sourcetest\"\$" "$tmp/ev"
has "removed" "cgroup_rmdir cid=0 tid=[1-9][0-9]* .* root=[0-9]+ id=$id level=1 path=\"/sourcetest\"\$" "$tmp/ev"
name=/box/$(hex64 freeze)
cheap box -g "$name" -- sleep 10000
cid=$(of_pid "$pid" cid)
if [ -e "$mount$name/cgroup.freeze" ]; then
	evdump -t all -e cgroup_freeze -e cgroup_unfreeze -- sh -c "echo 1 > $mount$name/cgroup.freeze; grep frozen $mount$name/cgroup.events; echo 0 > $mount$name/cgroup.freeze" > "$tmp/ev" 2> "$tmp/err"
	has "frozen, in the container of the cgroup" "cgroup_freeze cid=$cid tid=0 vtid=0 root=[0-9]+ id=$(stat -c %i "$mount$name") level=2 path=\"$name\"\$" "$tmp/ev"
	has "and let go" "cgroup_unfreeze cid=$cid tid=0 .* path=\"$name\"\$" "$tmp/ev"
	has_not "in no other" "cgroup_(un)?freeze cid=0" "$tmp/ev"
fi
# the container makes a cgroup of its own
[ "$(cgroup_mode)" = v2 ] || exit 0
cheap inside -g "/box/$(hex64 mkdir)" -- sh -c "while [ ! -e $tmp/go ]; do sleep 0.05; done; mkdir $mount/box/$(hex64 mkdir)/sub; rmdir $mount/box/$(hex64 mkdir)/sub"
cid=$(of_pid "$pid" cid)
dump "$tmp/ev" -t "cid:$cid" -e cgroup_mkdir -e cgroup_rmdir
touch "$tmp/go"
wait_for 20 test ! -d "/proc/$pid"
stop_dump
has "a container's own is told in it" "cgroup_mkdir cid=$cid tid=[1-9][0-9]* vtid=[1-9][0-9]* .*/sub\"\$" "$tmp/ev"
