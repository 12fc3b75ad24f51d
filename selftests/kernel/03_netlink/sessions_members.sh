#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: a user without CAP_SYS_ADMIN has 16 of the 32 sessions at most, and all such users 28, so root can always trace
# witness: two users with CAP_PERFMON, two sockets each, and root: 16 of 32 for one, 28 for both;
#	sessions refused for their size or for want of room, ended, of closed sockets
# requires: any
# timeout: 90
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

# no process may trace without CAP_SYS_ADMIN before 5.8
[ "$(cat /proc/sys/kernel/cap_last_cap)" -ge 38 ] || skip "the kernel has no CAP_PERFMON"
load
hasten
program nl_memory sessions
