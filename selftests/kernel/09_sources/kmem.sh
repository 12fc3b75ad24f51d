#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: pages allocated and freed, against the kernel's own trace
# witness: pages touched one by one, by the program and by a call; tracefs
# requires: any
# timeout: 60
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source-path=SCRIPTDIR source=../witness.sh
. "$here/witness.sh"

load
witness kmem/mm_page_alloc kmem/mm_page_free
evdump -e kmem_mm_page_alloc -e kmem:mm_page_free -- cause touch 100 > "$tmp/ev" 2> "$tmp/err"
# Pages that interrupts allocate and free go to the host in ctrace, but to the task in the kernel's trace.
witnessed "$tmp/w" "$in_task"
pid=$(sed -n 's/^pid=\([0-9]*\) .*/\1/p' "$tmp/ev")
at_least "pages for those touched" 200 "$(grep -c "kmem_mm_page_alloc cid=0 tid=$pid vtid=$pid order=0 gfp_flags=0x[0-9a-f]+ migratetype=1\$" -E "$tmp/ev")"
sed -nE "s/.* kmem_mm_page_alloc cid=0 tid=$pid .* order=([0-9]+) .* migratetype=([0-9]+)\$/\1 \2/p" "$tmp/ev" > "$tmp/a"
sed -nE "s/^[0-9]+ [^ ]*-$pid mm_page_alloc: .* order=([0-9]+) migratetype=([0-9]+) .*/\1 \2/p" "$tmp/w" > "$tmp/b"
tail_agrees "allocations" "$tmp/a" "$tmp/b"
sed -nE "s/.* kmem_mm_page_free cid=0 tid=$pid .* order=([0-9]+).*/\1/p" "$tmp/ev" > "$tmp/a"
sed -nE "s/^[0-9]+ [^ ]*-$pid mm_page_free: .* order=([0-9]+).*/\1/p" "$tmp/w" > "$tmp/b"
tail_agrees "frees" "$tmp/a" "$tmp/b"
