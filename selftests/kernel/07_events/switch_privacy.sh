#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: a switch to a neighbour's task does not name that task
# requires: any
# timeout: 60
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
cheap one -g "/box/$(hex64 priv1)" -- taskset 1 /bin/sh -c 'while :; do :; done'
a=$pid
cp "$(command -v sleep)" "$tmp/secretname"
cheap two -g "/box/$(hex64 priv2)" -- taskset 1 /bin/sh -c "while :; do $tmp/secretname 0.01; done"
dump_until 40 sched_switch "$tmp/ev" -t "cid:$(of_pid "$a" cid)" -e sched_switch
at_least "switches are there" 5 "$(grep -c sched_switch "$tmp/ev")"
has_not "the neighbour's name is not" secretname "$tmp/ev"
same "one cid" "$(of_pid "$a" cid)" "$(cids "$tmp/ev" .)"
