#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: not:TARGET excludes a container, whatever the other targets say
# witness: the same command without them; the events that pass and those that do not
# requires: any
# timeout: 60
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
cheap a -g "/box/$(hex64 nota)" -- ticker 50 79 5
a=$(of_pid "$pid" cid)
cheap b -g "/box/$(hex64 notb)" -- ticker 50 79 5
b=$(of_pid "$pid" cid)
traces "both, to begin with" "$a $b" "cid:$a" "cid:$b"
traces "all but a" "$b" all "not:cid:$a"
traces "alone it means the same" "$b" "not:$a"
traces "as '!'" "$a" all "!cid:$b"
traces "it goes before the others" "$a" "cid:$b" "cid:$a" "not:cid:$b"
traces "by id" "$b" all "not:$(hex64 nota | cut -c1-12)"
refuse "a process cannot be" 'only containers' ctrace trace "not:pid:1"
refuse "none of that name" 'no container' ctrace trace not:no_such_name
