#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: the time that a task ran, against the kernel's own trace
# witness: affinity set back and forth, a spin of known length; tracefs, each value in order
# requires: any
# timeout: 60
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source-path=SCRIPTDIR source=../witness.sh
. "$here/witness.sh"

load
witness sched/sched_stat_runtime
evdump -e sched_stat_runtime -- cause spin 200 > "$tmp/ev" 2> "$tmp/err"
witnessed "$tmp/w"
pid=$(sed -n 's/^pid=//p' "$tmp/ev")
# By number, not by name: the other processor may account for it while its exec changes its name. Its last stretch
# may begin after the session has ended, which is when its parent hears of its end: the witness's is cut there.
sed -nE "s/.* sched_stat_runtime cid=0 tid=$pid vtid=$pid comm=\"[^\"]*\" tid=$pid runtime=([0-9]+)( vruntime=([0-9]+))?\$/\1 \3/p" "$tmp/ev" > "$tmp/a"
last=$(tail -n 1 "$tmp/a")
sed -nE "s/.* sched_stat_runtime: comm=[^ ]+ pid=$pid runtime=([0-9]+) \[ns\]( vruntime=([0-9]+) \[ns\])?.*/\1 \3/p" "$tmp/w" | sed "/^$last\$/q" > "$tmp/b"
tail_agrees "each stretch" "$tmp/a" "$tmp/b"
at_least "together most of 200 ms" 150000000 "$(awk '{n += $1} END {printf "%d", n}' "$tmp/a")"
