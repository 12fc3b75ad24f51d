#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: a pid namespace inside a container is a container with a parent
# requires: any
# timeout: 60
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
hex=$(hex64 nested)
cheap outer -g "/box/$hex" -- /bin/sh -c 'unshare --fork --pid sleep 1000; :'
outer=$pid
wait_for 10 pgrep -P "$(pgrep -P "$outer" unshare)" sleep
inner=$(pgrep -P "$(pgrep -P "$outer" unshare)" sleep)
cid=$(of_pid "$outer" cid)
at_least "the outer has a cid" 1 "$cid"
same "the inner's parent is the outer" "$cid" "$(of_pid "$inner" parent)"
check "the inner has a cid of its own" test "$(of_pid "$inner" cid)" != "$cid"
same "its pid namespace" "$(pidns_of "$inner")" "$(of_pid "$inner" pidns)"
