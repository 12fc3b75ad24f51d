#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: not:TARGET excludes a container, whatever the other targets say
# requires: any
# timeout: 60
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
loop='while :; do counted 79 5; sleep 0.05; done'
cheap a -g "/box/$(hex64 nota)" -- /bin/sh -c "$loop"
a=$(of_pid "$pid" cid)
cheap b -g "/box/$(hex64 notb)" -- /bin/sh -c "$loop"
b=$(of_pid "$pid" cid)
# cids_of TARGET...: traces these targets, and prints the cids whose marked calls were recorded
cids_of() { ctrace trace --json -e getpriority --duration 1 "$@" 2> "$tmp/err" | grep '^{' | jq -r .cid | sort -un | xargs; }
same "both, to begin with" "$a $b" "$(cids_of "cid:$a" "cid:$b")"
same "all but a" "$b" "$(cids_of all "not:cid:$a")"
same "alone it means the same" "$b" "$(cids_of "not:$a")"
same "as '!'" "$a" "$(cids_of all "!cid:$b")"
same "it goes before the others" "$a" "$(cids_of "cid:$b" "cid:$a" "not:cid:$b")"
same "by id" "$b" "$(cids_of all "not:$(hex64 nota | cut -c1-12)")"
refuse "a process cannot be" 'only containers' ctrace trace "not:pid:1"
refuse "none of that name" 'no container' ctrace trace not:no_such_name
