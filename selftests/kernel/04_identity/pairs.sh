#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: 600 short-lived containers, and 2,000 in the long form, with recycled ids: no event is attributed to another container
# witness: as many (cgroup, pid namespace) pairs, started in six ways, four at once, with names and pids
#	recycled; maker logs, checker judges
# requires: any
# timeout: 120
# torture: 170
# parallel: it looks for races between processors
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

n=${CTRACE_TEST_PAIRS:-$(long 600 2000)}
command -v checker maker > /dev/null || skip "checker was not built"
load
# a small pid_max, so that pid numbers are reused soon
old=$(cat /proc/sys/kernel/pid_max)
later "echo $old > /proc/sys/kernel/pid_max"
echo 600 > /proc/sys/kernel/pid_max 2> /dev/null || note "pid_max stays $old"
program checker -w "$tmp/log" -- maker -n "$n" -j 4 -o "$tmp/log"
