#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: moves between CPUs: from which and to which, against the kernel's own trace
# witness: affinity set back and forth, a spin of known length; tracefs, each value in order
# requires: any
# timeout: 60
# processors: a task must move from one to the other
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source-path=SCRIPTDIR source=../witness.sh
. "$here/witness.sh"

load
[ "$(nproc)" -ge 2 ] || skip "needs two CPUs"
witness sched/sched_migrate_task
evdump -e sched_migrate_task -- cause migrate 20 > "$tmp/ev" 2> "$tmp/err"
witnessed "$tmp/w"
pid=$(sed -n 's/^pid=//p' "$tmp/ev")
sed -nE "s/.* sched_migrate_task cid=0 tid=$pid vtid=$pid comm=\"cause\" tid=$pid prio=([0-9]+) orig_cpu=([0-9]+) dest_cpu=([0-9]+)\$/\1 \2 \3/p" "$tmp/ev" > "$tmp/a"
sed -nE "s/.* sched_migrate_task: comm=cause pid=$pid prio=([0-9]+) orig_cpu=([0-9]+) dest_cpu=([0-9]+).*/\1 \2 \3/p" "$tmp/w" | awk '{print $1 - 100, $2, $3}' > "$tmp/b"
at_least "moves" 19 "$(wc -l < "$tmp/a")"
tail_agrees "each" "$tmp/a" "$tmp/b"
