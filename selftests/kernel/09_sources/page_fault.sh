#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# description: page faults: the address and the count of each fresh page, touched by the program and by the kernel for it
# witness: pages touched one by one, by the program and by a call; tracefs
# requires: any
# timeout: 60
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source-path=SCRIPTDIR source=../witness.sh
. "$here/witness.sh"

[ -d $tracefs/events/exceptions ] || skip "this kernel has no such tracepoints"
load
witness exceptions/page_fault_user exceptions/page_fault_kernel
evdump -e page_fault_user -e page_fault_kernel -- cause touch 100 > "$tmp/ev" 2> "$tmp/err"
witnessed "$tmp/w"
pid=$(sed -n 's/^pid=\([0-9]*\) .*/\1/p' "$tmp/ev")
u=$(sed -n 's/^pid=.* user=\([^ ]*\) .*/\1/p' "$tmp/ev") k=$(sed -n 's/^pid=.* kernel=//p' "$tmp/ev")
# addresses FILE PATTERN FROM OFFSET: counts how many of the 100 pages from FROM on are in FILE, at OFFSET within
# the page
addresses() { sed -nE "s/$2/\1/p" "$1" | sort -u | grep -cFxf <(for ((i = 0; i < 100; i++)); do printf '0x%x\n' $(($3 + i * 4096 + $4)); done); }
same "each page that the program touched" 100 "$(addresses "$tmp/ev" ".* page_fault_user cid=0 tid=$pid vtid=$pid address=(0x[0-9a-f]+) ip=0x[0-9a-f]+ error_code=0x6\$" "$u" 0)"
same "each page that the kernel wrote to" 100 "$(addresses "$tmp/ev" ".* page_fault_kernel cid=0 tid=$pid vtid=$pid address=(0x[0-9a-f]+) error_code=0x2\$" "$k" 8)"
has_not "no address of the kernel's in those" 'page_fault_kernel .*=0xffff[0-9a-f]{12}' "$tmp/ev"
for e in page_fault_user page_fault_kernel; do
	sed -nE "s/.* $e cid=.* error_code=(0x)?([0-9a-f]+)\$/\2/p" "$tmp/ev" > "$tmp/a"
	sed -nE "s/^[0-9]+ [^ ]*-$pid $e: .* error_code=0x([0-9a-f]+).*/\1/p" "$tmp/w" > "$tmp/b"
	tail_agrees "$e" "$tmp/a" "$tmp/b"
done
