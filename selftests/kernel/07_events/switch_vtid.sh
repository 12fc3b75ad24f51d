#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: a switch's record has the vtid of the task that it belongs to, whichever side that is
# requires: any
# timeout: 60
# processors: its programs are pinned to either of them
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
# The container's init has a CPU and its children have the other: what ran on the CPU before init woke is the host's,
# so such a switch is the record of init. On one CPU nearly every switch to init is from a child, and is the child's.
cheap box -g "/box/$(hex64 switchvtid)" -- taskset 1 /bin/sh -c 'while :; do taskset 2 sleep 0.01; done'
cid=$(of_pid "$pid" cid)
dump_until 40 "sched_switch cid=$cid tid=$pid " "$tmp/ev" -t "cid:$cid" -e sched_switch
grep "sched_switch cid=$cid " "$tmp/ev" > "$tmp/all"
grep " tid=$pid " "$tmp/all" > "$tmp/init"
grep -v " tid=$pid " "$tmp/all" > "$tmp/others"
at_least "its init's switches" 40 "$(wc -l < "$tmp/init")"
has "some are to it" "next_tid=$pid " "$tmp/init"
has "some are from it" "prev_tid=$pid " "$tmp/init"
same "init's vtid, in all of them" 1 "$(sed 's/.* vtid=\([0-9]*\) .*/\1/' "$tmp/init" | sort -u | tr '\n' ' ' | sed 's/ $//')"
at_least "its children's" 10 "$(wc -l < "$tmp/others")"
has_not "no child has init's" ' vtid=1 ' "$tmp/others"
