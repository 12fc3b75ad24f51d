#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: pid namespaces that have ended do not count against user.max_pid_namespaces
# witness: 200 one after another with a limit of 40
# requires: any
# kernels: 5.10, newest
# timeout: 120
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

limit=/proc/sys/user/max_pid_namespaces
[ -w $limit ] || skip "no $limit (before 4.9)"
load
later "echo $(cat $limit) > $limit"
# Each lives for milliseconds, one after another, at most 50 in a second. The kernel itself keeps an ended one for a
# grace period or two.
echo 40 > $limit
failed_ones=0
for _ in $(seq 200); do
	unshare --fork --pid true 2> /dev/null || failed_ones=$((failed_ones + 1))
	sleep 0.02
done
same "of 200 pid namespaces, refused" 0 "$failed_ones"
