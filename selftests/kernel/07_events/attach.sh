#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: cgroup_attach_task says which task moved to which cgroup
# requires: any
# timeout: 60
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

load
mount=$(cgroup_mount)
mkdir "$mount/attachtest"
later "rmdir $mount/attachtest"
evdump -t all -e cgroup_attach_task -- bash -c "echo \$\$ > $mount/attachtest/cgroup.procs; echo \$\$; echo \$\$ > $mount/cgroup.procs" > "$tmp/ev" 2> "$tmp/err"
grep -q 'no tracepoint\|this kernel' "$tmp/err" && skip "this kernel has no such tracepoint"
me=$(grep -E '^[0-9]+$' "$tmp/ev")
has "into it" "cgroup_attach_task .*dst_level=1 tid=$me dst_path=\"/attachtest\"" "$tmp/ev"
has "its id is the directory's number" "dst_id=$(stat -c %i "$mount/attachtest") .*tid=$me " "$tmp/ev"
has "and back" "cgroup_attach_task .*dst_level=0 tid=$me dst_path=\"/\"" "$tmp/ev"
