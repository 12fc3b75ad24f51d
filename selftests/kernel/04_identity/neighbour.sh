#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: with one of two containers traced, no event of the other is seen
# requires: any
# timeout: 60
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
cheap one -g "/box/$(hex64 neighbour1)" -- /bin/sh -c 'while :; do counted 21 1; done'
first=$pid
cheap two -g "/box/$(hex64 neighbour2)" -- /bin/sh -c 'while :; do counted 22 1; done'
c1=$(of_pid "$first" cid) c2=$(of_pid "$pid" cid)
check "two containers" test "$c1" -gt 0 -a "$c2" -gt 0 -a "$c1" != "$c2"
dump_until 40 'entry_getpriority.*who=21' "$tmp/ev" -t "cid:$c1" -e syscalls -e sched_switch -e sched_process_exec
at_least "the one's calls are there" 20 "$(grep -c 'entry_getpriority.*who=21' "$tmp/ev")"
same "nothing but the one's cid" "$c1" "$(cids "$tmp/ev" .)"
has_not "no call of the other" 'who=22' "$tmp/ev"
