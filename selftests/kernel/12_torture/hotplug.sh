#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: a CPU goes and comes back under the storm, and tasks move between the containers' cgroups: the count is still exact
# witness: the same; sessions are made while a CPU is offline, and it is sampled once it is back; tasks
#	move between cgroups at the same time
# requires: any
# kernels: 6.1
# timeout: 180
# torture: 180
# parallel: it looks for races between processors
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

[ -w /sys/devices/system/cpu/cpu1/online ] || skip "there is no CPU that may go"
later 'echo 1 > /sys/devices/system/cpu/cpu1/online'
# shellcheck disable=SC2046 # words
program storm -m -u $(long '-c 8 -r 4 -s 3' '-c 50 -r 4 -s 90')
