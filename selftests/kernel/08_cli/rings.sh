#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: when few containers are named, the session's memory goes to few long rings
# requires: any
# timeout: 60
# processors: what it counts was done on both
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
cheap one -n one -- sleep 1000
cid=$(of_pid "$pid" cid)
# ring_of OPTION... TARGET: prints the length of such a session's rings
ring_of() {
	ctrace record -o "$tmp/t" --force -e getpriority "$@" > "$tmp/out" 2>&1 &
	recorder=$!
	wait_for 20 recording 1 || not_ok "no session: $(cat "$tmp/out")"
	read -r ring arena slots < <(ctrace status --json | jq -r '.sessions[0] | "\(.ring_size) \(.arena_size) \(.slots)"')
	kill -INT $recorder
	wait $recorder
}
ring_of all
for_all=$ring
ring_of "cid:$cid"
at_least "one container's are longer than those for all, of $for_all," $((for_all * 2)) "$ring"
at_least "each has one on each CPU, and there is the shared one: rings" $((2 * $(nproc))) "$slots"
at_least "and they have half of the memory or more, of $arena," $((arena / 2)) $((ring * slots))
ring_of --buffer-size 64K "cid:$cid"
at_least "where the memory is too little for that, the module chooses" 4096 "$ring"
