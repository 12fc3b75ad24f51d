#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: sessions of a user without CAP_SYS_ADMIN have no more memory together than the module's parameter says
# witness: a user with CAP_PERFMON, two sockets, tables, a descriptor that outlives its session; with
#	CAP_SYS_ADMIN and CAP_IPC_LOCK
# requires: any
# timeout: 90
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

# no process may trace without CAP_SYS_ADMIN before 5.8
[ "$(cat /proc/sys/kernel/cap_last_cap)" -ge 38 ] || skip "the kernel has no CAP_PERFMON"
load
hasten
parameter=/sys/module/ctrace/parameters/member_memory
later "echo $(cat $parameter) > $parameter"
program nl_memory members $parameter
