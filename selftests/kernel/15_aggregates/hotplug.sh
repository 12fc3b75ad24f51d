#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: a CPU goes and comes back while 50 containers count: what they count is still what their tables have
# witness: as storm; only by name, in make torture
# requires: any,torture
# kernels: 6.1
# timeout: 180
# processors: the second one goes and comes
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

cpu=/sys/devices/system/cpu/cpu1/online
[ -w $cpu ] || skip "there is no CPU that may go"
while :; do
	echo 0 > $cpu && echo "cpu1 went" >> "$tmp/went"
	sleep 0.3
	echo 1 > $cpu
	sleep 0.3
done 2> /dev/null &
later "kill $!; wait $! 2> /dev/null; echo 1 > $cpu"
program tables storm 10
went=$(wc -l < "$tmp/went")
note "the CPU went $went times"
[ "$went" -ge 3 ] || failed=1
