#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: nobody waits for a state dump: not generic netlink, not INFO_GET, not other sessions, not births; it ends with its owner
# witness: 1,500 processes (30,000 in torture), most of them 32 pid namespaces deep; beside their dump:
#	other families, INFO_GET, another session, a birth, each timed; kill -9 and stop during it
# requires: any
# kernels: 6.1, newest
# timeout: 180
# torture: 900
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

command -v nl_waits > /dev/null || skip "nl_waits was not built"
load
n=$(long 1500 30000)
# a process that waits takes about 60 kB, and so many need higher numbers
room=$(awk '/^MemAvailable/ {print int($2 / 100)}' /proc/meminfo)
[ "$n" -le "$room" ] || n=$room
room_for_tasks "$n"
program nl_waits "$n"
