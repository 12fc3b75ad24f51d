#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: a module's function can be probed with and without MOD:, and the module can be removed under a probe
# witness: the same definition in kprobe_events, hit for hit; bytes and names that the test chose; memory
#	that does not exist
# requires: any
# timeout: 60
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source-path=SCRIPTDIR source=../kernel_event.sh
. "$here/kernel_event.sh"

load
modprobe overlay 2> /dev/null
grep -q 'ovl_fill_merge.*\[overlay\]' /proc/kallsyms || skip "no overlay module"
mkdir -p "$tmp"/fs/{l1,l2,u,w,m}
mount -t tmpfs none "$tmp/fs" && mkdir -p "$tmp"/fs/{l1,l2,u,w,m}
later "umount $tmp/fs/m; umount $tmp/fs"
touch "$tmp/fs/l1/first-file" "$tmp/fs/l2/second-file"
mount -t overlay -o "lowerdir=$tmp/fs/l1:$tmp/fs/l2,upperdir=$tmp/fs/u,workdir=$tmp/fs/w" none "$tmp/fs/m" || skip "no overlay mount"
def="p:ovl overlay:ovl_fill_merge ctx=%$reg1 name=+0(%$reg2):string"
witness "$def"
evdump -e "$def" -e 'p:bare ovl_fill_merge' -- ls "$tmp/fs/m" > "$tmp/ev" 2> "$tmp/err"
agree "names in the merged directory" ovl "$tmp/ev"
has "the first" ' ovl .* name="first-file"' "$tmp/ev"
has "the second" ' ovl .* name="second-file"' "$tmp/ev"
same "without MOD:" "$(grep -c ' ovl cid=' "$tmp/ev")" "$(grep -c ' bare cid=' "$tmp/ev")"
witness_off

dump "$tmp/ev2" -t all -e "$def" -d 100
umount "$tmp/fs/m"
check "the module can go" rmmod overlay
stop_dump
check "and come again" modprobe overlay
refuse "a module that is not there" "'nosuch:ovl_fill_merge'.*module" evdump -t all -e 'p:x nosuch:ovl_fill_merge' -d 0
