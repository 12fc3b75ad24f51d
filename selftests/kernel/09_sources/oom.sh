#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: the out-of-memory killer's victim, in its container; and the setting of a score
# witness: a container with a limit; its exit status; tracefs
# requires: any
# timeout: 60
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source-path=SCRIPTDIR source=../witness.sh
. "$here/witness.sh"

load
mount=$(awk '$3 == "cgroup2" {print $2; exit}' /proc/mounts)
name=/box/$(hex64 oom)
if [ -n "$mount" ] && grep -q memory "$mount/cgroup.controllers"; then
	echo +memory > "$mount/cgroup.subtree_control"
	mkdir -p "$mount/box"
	echo +memory > "$mount/box/cgroup.subtree_control"
	limit=memory.max
else
	mount=$(awk '$3 == "cgroup" && $4 ~ /(^|,)memory(,|$)/ {print $2}' /proc/mounts)
	[ -n "$mount" ] || skip "no memory controller"
	limit=memory.limit_in_bytes
fi
# Before 4.14 this tracepoint does not exist; the score's does.
mark=oom_mark_victim
tplist | grep -qx mark_victim || mark=''
# shellcheck disable=SC2086 # a word or none
witness ${mark:+oom/mark_victim} oom/oom_score_adj_update
cheap box -g "$name" -- /bin/sh -c "echo 500 > /proc/self/oom_score_adj; while [ ! -e $tmp/go ]; do sleep 0.05; done; cause hog 200; echo \$?; sleep 1"
cid=$(of_pid "$pid" cid)
echo 20M > "$mount$name/$limit" || give_up "no limit $mount$name/$limit"
dump "$tmp/ev" -t host -t "cid:$cid" ${mark:+-e oom_mark_victim} -e oom:oom_score_adj_update
echo 321 > "/proc/$pid/oom_score_adj"
touch "$tmp/go"
wait_for 40 grep -q 137 "$tmp/box.out" || give_up "nobody was killed: $(cat "$tmp/box.out")"
stop_dump
witnessed "$tmp/w"
victim=$(sed -n 's/^pid=//p' "$tmp/box.out")
tid=$(sed -nE 's/.* oom_mark_victim .* pid=([0-9]+) .*/\1/p' "$tmp/ev")
if [ -n "$mark" ]; then
	same "one victim" 1 "$(grep -c oom_mark_victim "$tmp/ev")"
	has "in its container, by name" "oom_mark_victim cid=$cid tid=$tid vtid=$victim pid=$tid comm=\"cause\" uid=0 oom_score_adj=(321|500) trigger_comm=\"cause\" trigger_tid=$tid trigger_cid=$cid\$" "$tmp/ev"
	has "as the witness has it" "mark_victim: pid=$tid " <(sed 's/$/ /' "$tmp/w")
else
	refuse "no victim is told without a tracepoint" "oom_mark_victim" evdump -e oom_mark_victim -- true
fi
has "a score set from outside belongs to the process that has it" "oom_score_adj_update cid=$cid tid=$pid vtid=1 pid=$pid comm=\"sh\" oom_score_adj=321\$" "$tmp/ev"
has "as the witness has it" "oom_score_adj_update: pid=$pid comm=sh oom_score_adj=321" "$tmp/w"
