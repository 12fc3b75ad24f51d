#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: storms of calls, forks, switches, signals, packets in 50 containers, 4 sessions, 20 readers: seen + lost = made, and no arena grows
# witness: calls, forks, switches, signals, packets in 50 containers, 4 sessions, 20 readers, some slow,
#	stopped, killed; tasks count their own calls
# requires: any
# kernels: 6.1
# timeout: 180
# torture: 180
# parallel: it looks for races between processors
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

# shellcheck disable=SC2046 # words
program storm $(long '-c 12 -r 4 -s 3' '-c 50 -r 4 -s 90')
