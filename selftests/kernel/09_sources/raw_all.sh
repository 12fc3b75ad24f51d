#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: a raw probe on every tracepoint, thirty at a time, under load: nothing breaks
# witness: each tracepoint of the kernel, thirty at a time, under load
# requires: any,slow
# kernels: 6.1,newest
# timeout: 900
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source-path=SCRIPTDIR source=../witness.sh
. "$here/witness.sh"

load
tplist > "$tmp/names"
probes=() tried=0 bad=0 events=0
try() {
	[ ${#probes[@]} -gt 0 ] || return
	tried=$((tried + ${#probes[@]} / 2))
	if evdump -t all "${probes[@]}" -b 262144 -d 20 -- sh -c 'ls -lR /etc /proc/self | head -n 200; dd if=/dev/zero of=/dev/null count=50; kill -0 $$; true' > "$tmp/ev" 2> "$tmp/err"; then
		events=$((events + $(wc -l < "$tmp/ev")))
	else
		bad=$((bad + 1))
		note "$(tail -n 1 "$tmp/err")"
	fi
	probes=()
}
while read -r name; do
	probes+=(-e "raw:$name")
	[ ${#probes[@]} -lt 60 ] || try
done < "$tmp/names"
try
same "probes" "$(wc -l < "$tmp/names")" "$tried"
same "groups that were refused" 0 "$bad"
at_least "events" 10000 "$events"
