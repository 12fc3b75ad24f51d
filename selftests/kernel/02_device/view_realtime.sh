#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: a CPU that a real-time task owns keeps nobody waiting for a view for ever
# witness: without throttling; a signal ends the wait, ten seconds do, control answers all the time, and
#	later there is a view
# requires: any
# kernels: 6.1
# timeout: 90
# processors: a real-time task has one of them for itself
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

later "sysctl -qw kernel.sched_rt_runtime_us=$(cat /proc/sys/kernel/sched_rt_runtime_us)"
program views realtime
