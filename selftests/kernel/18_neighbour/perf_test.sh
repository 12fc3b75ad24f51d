#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: perf's own tests of system calls pass while ctrace records a container's, and spares who is not traced
# witness: perf test syscall, without ctrace, and while tasks are spared
# requires: v2
# timeout: 240
# kernels: runtimes
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=../neighbour.sh
. "$(dirname "$0")/../neighbour.sh"

command -v perf > /dev/null || skip "no perf (linux-perf)"
# results: "NUMBER: NAME: Ok" of each test that has system calls in its name, with spaces squeezed
results() { perf test syscall 2>&1 | tee "$tmp/said" | sed -nE 's/^ *[0-9]+: +(.*[^ ]) *: +(Ok|Skip|FAILED!).*/\2 \1/p' | sort; }

load
tracing on
results > "$tmp/without"
note "$(cat "$tmp/without")"
at_least "tests that pass without ctrace" 3 "$(grep -c '^Ok' "$tmp/without")"
cheap box -n box -- calls -r 1000 100000000
cid=$(of_pid "$pid" cid)
dump "$tmp/ev" -d 600 -t "cid:$cid" -e syscalls
check "tasks are spared" wait_for 10 some_spared
results > "$tmp/beside"
check "the same pass beside it" diff "$tmp/without" "$tmp/beside" || note "$(cat "$tmp/said")"
check "and then tasks are spared again" wait_for 10 some_spared
stop_dump
at_least "calls of the container meanwhile" 1000 "$(grep -c syscall_entry "$tmp/ev")"
